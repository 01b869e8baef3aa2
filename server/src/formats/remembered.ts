interface MemoryLimits {
  /** Longer texts are not remembered. */
  length: number
  /** Of the texts in each of two maps. */
  count: number
}

/** Longer names and addresses are rarely repeated. */
const OF_RECORDS: MemoryLimits = { length: 512, count: 4_096 }

/**
 * Remembers the answers of a pure function to recent texts: records repeat the same names, addresses and CPEs. When the map is full,
 * it is kept until the next one is, so that frequent texts are never forgotten.
 */
export function rememberAnswers<T>(
  answer: (text: string) => T,
  limits = OF_RECORDS,
): (text: string) => T {
  let known = new Map<string, { answer: T }>()
  let former: typeof known = new Map()
  return (text) => {
    const before = known.get(text)
    if (before) return before.answer
    const now = former.get(text) ?? { answer: answer(text) }
    if (text.length > limits.length) return now.answer
    if (known.size >= limits.count) {
      former = known
      known = new Map()
    }
    known.set(text, now)
    return now.answer
  }
}
