/** So many devices run exactly these versions. */
export interface VersionSet {
  devices: number
  versions: readonly number[]
}

/** By what is asked for: devices of the sets that have one of its versions at least. */
export function countOverlapping<Key>(
  sets: readonly VersionSet[],
  asked: ReadonlyMap<Key, readonly number[]>,
): Map<Key, number> {
  const setsOf: number[][] = []
  for (const [index, { versions }] of sets.entries())
    for (const version of versions) (setsOf[version] ??= []).push(index)
  // The last one that counted a set: cheaper than a new collection of sets for each.
  const countedFor = new Uint32Array(sets.length)
  let turn = 0
  const counts = new Map<Key, number>()
  for (const [key, versions] of asked) {
    turn += 1
    let devices = 0
    for (const index of versions.flatMap((version) => setsOf[version] ?? [])) {
      if (countedFor[index] === turn) continue
      countedFor[index] = turn
      devices += sets[index]?.devices ?? 0
    }
    counts.set(key, devices)
  }
  return counts
}
