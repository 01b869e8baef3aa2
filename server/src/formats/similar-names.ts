/** The known names that are similar to a misspelt one, most similar first. */
export function findSimilarNames(name: string, known: readonly string[], limit: number): string[] {
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  const similar = known.flatMap((other) => {
    const distance = contains(name, other) ? 1 : editDistance(fold(name), fold(other), maxDistance)
    return distance <= maxDistance ? [{ other, distance }] : []
  })
  return similar
    .toSorted((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .slice(0, limit)
    .map(({ other }) => other)
}

const MIN_CONTAINED_CHARACTERS = 4

function contains(name: string, other: string): boolean {
  const [short, long] = name.length < other.length ? [name, other] : [other, name]
  return short.length >= MIN_CONTAINED_CHARACTERS && fold(long).includes(fold(short))
}

/** Ignores upper case and the kind of separator between words. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_./:-]/g, '.')
}

/** The number of characters to insert, delete or replace (Levenshtein); any larger number if it exceeds `maxDistance`. */
export function editDistance(a: string, b: string, maxDistance: number): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[b.length] ?? maxDistance + 1
}
