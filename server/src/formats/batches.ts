/** Cuts lists into batches, so that one statement or one transaction stays small. */

/** Batches of `size` items, in order; the last one may be shorter. */
export function* splitIntoBatches<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Batches whose weights add up to `most` at the most. An item that weighs more is a batch of its own. */
export function* splitByWeight<Item>(
  items: Iterable<Item>,
  { most, weightOf }: { most: number; weightOf: (item: Item) => number },
): Generator<Item[]> {
  let batch: Item[] = []
  let weight = 0
  for (const item of items) {
    const added = weightOf(item)
    if (batch.length > 0 && weight + added > most) {
      yield batch
      batch = []
      weight = 0
    }
    batch.push(item)
    weight += added
  }
  if (batch.length > 0) yield batch
}
