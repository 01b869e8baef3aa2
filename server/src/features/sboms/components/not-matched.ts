/** Why nothing can be told of a component: codes of what the knowledge lacks, and the words for them. */

/** The name of a release follows. */
const RELEASE = '#release '

/** What the knowledge lacks about a package. Reasons that its declaration has are stored in words. */
export const GAP = {
  release: RELEASE,
  distribution: '#distribution',
  unknown: '#unknown',
} as const

const RELEASE_WORDS = 'no records of '
const RELEASE_END = ' are loaded'
const WORDS = new Map<string, string>([
  [GAP.distribution, 'no records of this distribution'],
  [GAP.unknown, 'known to no source'],
])

/** The reason as the API states it. */
export function reasonInWords<Code extends string | null>(code: Code): string | Code {
  if (code === null) return code
  if (code.startsWith(RELEASE)) return RELEASE_WORDS + code.slice(RELEASE.length) + RELEASE_END
  return WORDS.get(code) ?? code
}

export function withReasonInWords<Row extends { notMatchedReason: string | null }>(row: Row): Row {
  return { ...row, notMatchedReason: reasonInWords(row.notMatchedReason) }
}

/** The codes whose words are the text, or begin with it and go on with another word. */
export function codesOf(text: string): { codes: string[]; prefixes: string[] } {
  const codes = [...WORDS].flatMap(([code, words]) =>
    words === text || words.startsWith(`${text} `) ? [code] : [],
  )
  if (RELEASE_WORDS.startsWith(`${text} `)) return { codes, prefixes: [RELEASE] }
  if (!text.startsWith(RELEASE_WORDS)) return { codes, prefixes: [] }
  const name = text.slice(RELEASE_WORDS.length)
  const whole = name.replace(/ are(?: loaded)?$/, '')
  return { codes: [...codes, RELEASE + whole], prefixes: [`${RELEASE}${name} `] }
}
