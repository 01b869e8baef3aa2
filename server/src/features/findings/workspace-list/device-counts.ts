/** A set of versions, and the number of devices that run exactly these. */
export interface VersionSet {
  devices: number
  versions: readonly number[]
}

/** For each key, the number of devices in sets that contain at least one of the key's versions. */
export function countOverlapping<Key>(
  sets: readonly VersionSet[],
  asked: ReadonlyMap<Key, readonly number[]>,
): Map<Key, number> {
  const setsOf: number[][] = []
  for (const [index, { versions }] of sets.entries())
    for (const version of versions) (setsOf[version] ??= []).push(index)
  // The number of the last key that counted a set; cheaper than a new Set for each key.
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
