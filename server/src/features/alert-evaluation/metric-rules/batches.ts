/** Cuts a list into parts of a size in all, in its order; what is larger by itself is a part of its own. */
export function inParts<One>(
  list: readonly One[],
  { most, sizeOf }: { most: number; sizeOf: (one: One) => number },
): One[][] {
  const parts: One[][] = []
  let part: One[] = []
  let size = 0
  for (const one of list) {
    if (part.length > 0 && size + sizeOf(one) > most) {
      parts.push(part)
      part = []
      size = 0
    }
    part.push(one)
    size += sizeOf(one)
  }
  return part.length > 0 ? [...parts, part] : parts
}
