/** Longer texts are rarely repeated. */
const MAX_LENGTH = 512
const MOST = 4_096

/** Remembers the answers of a pure function to recent texts: records repeat the same names, addresses and CPEs. */
export function remembered<T>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, { answer: T }>()
  return (text) => {
    const before = known.get(text)
    if (before) return before.answer
    const now = answer(text)
    if (text.length > MAX_LENGTH) return now
    if (known.size >= MOST) known.clear()
    known.set(text, { answer: now })
    return now
  }
}
