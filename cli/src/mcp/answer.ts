/** Answers for assistants: whole where they are short, else cut and said to be. */

const MOST_CHARACTERS = 40_000
/** Tried one after the other, until the answer is short enough. */
const CUTS = [
  { elements: 100, characters: 2000 },
  { elements: 30, characters: 1000 },
  { elements: 10, characters: 400 },
  { elements: 3, characters: 200 },
] as const

/** JSON of bounded length. What was cut says how much is missing. */
export function writeBoundedJson(answer: unknown): string {
  const shortened = CUTS.map((cut) => () => JSON.stringify(shorten(answer, cut)))
  let text = ''
  for (const make of shortened) {
    text = make()
    if (text.length <= MOST_CHARACTERS) return text
  }
  return `${text.slice(0, MOST_CHARACTERS)}… (cut: ask for less)`
}

function shorten(value: unknown, cut: (typeof CUTS)[number]): unknown {
  if (typeof value === 'string')
    return value.length <= cut.characters
      ? value
      : `${value.slice(0, cut.characters)}… (${value.length - cut.characters} more characters)`
  if (Array.isArray(value)) {
    const kept = value.slice(0, cut.elements).map((one) => shorten(one, cut))
    const rest = value.length - kept.length
    return rest > 0 ? [...kept, `… (${rest} more)`] : kept
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, cut)]))
  return value
}
