/** The ends of version ranges as people write them: `2.3`, `v2.3`, `2.3.x`, `5.10.*`, `*`, `unspecified`. */
import { rememberAnswers } from '../remembered.ts'
import { shortenText } from '../shorten.ts'

const MAX_LENGTH = 200

/** The meaning of a text at the end of a range. */
export type Bound =
  | { kind: 'version'; version: string }
  /** `5.10.*`: every version with that prefix. */
  | { kind: 'prefix'; first: string; next: string }
  /** `*` above, `0` or `unspecified` below: no bound on this side. */
  | { kind: 'open' }
  | { kind: 'unknown'; reason: string }

/**
 * Only texts that begin with a number can be ordered. `r8p0`, `Freelance 2019 SP1` or `11 build 106404` cannot be compared
 * with the version of any package.
 */
export const parseBound = rememberAnswers((text: string): Bound => {
  if (text.length > MAX_LENGTH) return { kind: 'unknown', reason: 'too long for a version' }
  const version = cleaned(text)
  if (version === '*') return { kind: 'open' }
  const prefix = /^(\d+(?:\.\d+)*)\.(?:\*|x+|X+)(?:\.(?:\*|x+|X+))*$/.exec(version)?.[1]
  if (prefix !== undefined) return { kind: 'prefix', first: prefix, next: incrementPrefix(prefix) }
  if (COMMIT.test(version))
    return { kind: 'unknown', reason: `cannot be compared: ${shortenVersion(version)}` }
  if (ORDERABLE.test(version)) return { kind: 'version', version }
  if (isPlaceholder(version)) return { kind: 'unknown', reason: 'no version is stated' }
  return { kind: 'unknown', reason: `cannot be compared: ${shortenVersion(version)}` }
})

/** An exact version: any single word with a digit, since it is only compared for equality. */
export function parseExact(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const version = cleaned(text)
  if (
    /^\d[\w.+~:-]* \(?(?:p|patch|sp|update|hf|hotfix|build|rc|beta|alpha|rev)[ .-]?\d[\w.]*\)?$/i.test(
      version,
    )
  )
    return version
  return SINGLE_WORD.test(version) && /\d/.test(version) && !version.includes('://')
    ? version
    : undefined
}

/** `5.10` → `5.11`: the first version after all with the prefix `5.10`. */
export function incrementPrefix(prefix: string): string {
  const parts = prefix.split('.')
  const last = BigInt(parts.pop() ?? '0') + 1n
  return [...parts, String(last)].join('.')
}

/** Words of records that know no version. */
export function isPlaceholder(text: string): boolean {
  const word = text.trim()
  // Most texts are versions.
  if (word.length > MAX_PLACEHOLDER || /^\d/.test(word)) return false
  return PLACEHOLDERS.has(word.toLowerCase().replace(/\.$/, ''))
}

/** Accepts abbreviated commits only where commits are expected: `2023c01` may be a version. */
export function isCommitText(text: string, isExpected: boolean): boolean {
  const { length } = text
  if (length === 40 || length === 64) return /^[0-9a-f]+$/i.test(text)
  return isExpected && length >= 7 && length < 40 && /^\d*[a-f][0-9a-f]*$/i.test(text)
}

export function shortenVersion(text: string): string {
  return shortenText(text, 120)
}

function cleaned(text: string): string {
  const bare = text
    .trim()
    .replaceAll('\\', '')
    .replace(/[.,;]+$/, '')
  return bare.replace(/^(?:version|ver\.?|v\.?)\s*(?=\d)/i, '')
}

const ORDERABLE = /^\d[\w.+~:()-]*$/
/** An abbreviated commit, as in `< 920c8a1`; not a date with a letter, `20240101a`. */
const COMMIT = /^(?!(?:19|20)\d{6})(?=[\da-f]*[a-f])[\da-f]{7,40}$/i
const SINGLE_WORD = /^[\w.+~:()@/-]+$/

const PLACEHOLDERS = new Set([
  '',
  '-',
  '--',
  '?',
  'n/a',
  'na',
  'none',
  'null',
  'undefined',
  'unspecified',
  'unknown',
  'various',
  'not specified',
  'not available',
  'not applicable',
  'see references',
  'see reference',
  'tbd',
])
const MAX_PLACEHOLDER = 20
