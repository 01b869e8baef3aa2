/** The name that an advisory gives its vulnerability. */
import type { Advisory } from '../../../formats/advisories/model.ts'
import { cutText, shortenText } from '../../../formats/shorten.ts'

const MAX_NAME_LENGTH = 300

/**
 * The record's title, else the first sentence of its description that tells something, on one line. Undefined for an update of a
 * distribution, which only mends the vulnerabilities that it names: "fence-agents security update" is no name of a flaw in
 * urllib3, and neither is what the update says of fence-agents.
 */
export function chooseAdvisoryName(advisory: NameParts): string | undefined {
  if (isOfUpdate(advisory)) return undefined
  const { title = '', description = '' } = advisory
  const name = onOneLine(title) || firstSentence(onOneLine(withoutPreamble(description)))
  if (name === '') return undefined
  return shortenText(name, MAX_NAME_LENGTH)
}

export type NameParts = Pick<Advisory, 'title' | 'description'> &
  Partial<Pick<Advisory, 'id' | 'aliases' | 'upstream'>>

/** Unlike `UBUNTU-CVE-2024-1`, which is the distribution's record of one vulnerability. */
function isOfUpdate({ id = '', title = '', aliases = [], upstream = [] }: NameParts): boolean {
  if (/CVE-\d/.test(id)) return false
  return upstream.length > 0 || (aliases.length > 0 && UPDATE.test(title))
}

const UPDATE = /\b(?:security|bug ?fix)\b.*\bupdate\b|^(?:security )?update for \S/i

/** Kernel records begin all alike, and the subject of the commit follows (https://docs.kernel.org/process/cve.html); so do OpenSSL's. */
function withoutPreamble(description: string): string {
  const [, subject] = PREAMBLE.exec(description) ?? []
  return subject ?? description.replace(/^\s*Issue summary:\s*/i, '')
}

const PREAMBLE =
  /^\s*In the Linux kernel, the following vulnerability has been (?:resolved|found|fixed):\s*([^\n]*\S[^\n]*)/

/** A description may have megabytes; its beginning holds the first sentence. */
const MAX_LOOKED_AT = 4 * MAX_NAME_LENGTH

function onOneLine(text: string): string {
  const start = cutText(text, MAX_LOOKED_AT)
  // Most texts need no change.
  return (OTHER_SPACE.test(start) ? start.replaceAll(/\s+/g, ' ') : start).trim()
}

const OTHER_SPACE = /[^\S ]| {2}/

/** Ends at a full stop before a capital letter, so that `v1.2.3`, `e.g. this` and `Foo Inc. bar` do not end a sentence. */
function firstSentence(text: string): string {
  return FIRST_SENTENCE.exec(text)?.[0] ?? text
}

const FIRST_SENTENCE =
  /^.*?[.!?](?<!\b(?:e\.g|i\.e|vs|etc|cf|[Nn]o|ver|approx)[.!?])(?=\s+["'(]?\p{Lu})/u
