/** Which known names somebody may have meant who wrote another one: the nearest first. */
export function nearNames(name: string, known: readonly string[], most: number): string[] {
  const farthest = Math.max(1, Math.floor(name.length / 3))
  const near = known.flatMap((other) => {
    const distance = holds(name, other) ? 1 : editDistance(fold(name), fold(other), farthest)
    return distance <= farthest ? [{ other, distance }] : []
  })
  return near
    .toSorted((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .slice(0, most)
    .map(({ other }) => other)
}

const SHORTEST_PART = 4

function holds(name: string, other: string): boolean {
  const [short, long] = name.length < other.length ? [name, other] : [other, name]
  return short.length >= SHORTEST_PART && fold(long).includes(fold(short))
}

/** Upper case and what stands between words make no other name. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_./:-]/g, '.')
}

/** Characters to insert, delete or replace (Levenshtein); beyond `farthest`, anything larger. */
export function editDistance(a: string, b: string, farthest: number): number {
  if (Math.abs(a.length - b.length) > farthest) return farthest + 1
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[b.length] ?? farthest + 1
}
