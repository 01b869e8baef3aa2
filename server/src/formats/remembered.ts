/** Longer texts are rarely repeated. */
const MAX_LENGTH = 512
const MOST = 4_096

/**
 * Remembers the answers of a pure function to recent texts: records repeat the same names, addresses and CPEs. When the map is full,
 * it is kept until the next one is, so that frequent texts are never forgotten.
 */
export function rememberAnswers<T>(answer: (text: string) => T): (text: string) => T {
  let known = new Map<string, { answer: T }>()
  let former: typeof known = new Map()
  return (text) => {
    const before = known.get(text)
    if (before) return before.answer
    const now = former.get(text) ?? { answer: answer(text) }
    if (text.length > MAX_LENGTH) return now.answer
    if (known.size >= MOST) {
      former = known
      known = new Map()
    }
    known.set(text, now)
    return now.answer
  }
}
