/** Cuts a list, in its order, into batches of a total size. An element that is larger by itself is a batch of its own. */
export function batchesOf<Element>(
  list: readonly Element[],
  { maxSize, sizeOf }: { maxSize: number; sizeOf: (element: Element) => number },
): Element[][] {
  const batches: Element[][] = []
  let batch: Element[] = []
  let size = 0
  for (const element of list) {
    if (batch.length > 0 && size + sizeOf(element) > maxSize) {
      batches.push(batch)
      batch = []
      size = 0
    }
    batch.push(element)
    size += sizeOf(element)
  }
  return batch.length > 0 ? [...batches, batch] : batches
}
