/** Judges SPDX licence expressions by lists of what is allowed, denied, or to be reviewed. Pure. */
import parse from 'spdx-expression-parse'
import satisfies from 'spdx-satisfies'

/** Each entry is one licence as SPDX writes it: `MIT`, `GPL-2.0-or-later WITH Classpath-exception-2.0`, `LicenseRef-acme`. */
export interface LicenceRules {
  allow: readonly string[]
  deny: readonly string[]
  review: readonly string[]
}

/** From the best to the worst. `notListed`: there is a list of what is allowed, and it is not in it. */
export const LICENCE_OUTCOMES = ['allowed', 'review', 'notListed', 'unknown', 'denied'] as const
export type LicenceOutcome = (typeof LICENCE_OUTCOMES)[number]

export interface LicenceVerdict {
  outcome: LicenceOutcome
  /** The licences that the outcome is of: those that the better branch of each `OR` leaves. */
  chosen: string[]
  /** The rules that decided, and why nothing can be told. */
  reasons: string[]
}

/** The longest real one has some 2,000 characters; nesting beyond this is no licence. */
const MOST_CHARACTERS = 5_000
const DEEPEST = 100

export function judgeLicence(expression: string | undefined, rules: LicenceRules): LicenceVerdict {
  const text = expression?.trim() ?? ''
  if (text === '') return tellUnknown('No licence is stated')
  if (/^NOASSERTION$/i.test(text)) return tellUnknown('The document says that it is unknown')
  if (/^NONE$/i.test(text)) return tellUnknown('The document says that there is no licence')
  const parsed = parseExpression(text)
  return typeof parsed === 'string' ? tellUnknown(parsed) : judge(parsed, rules)
}

function tellUnknown(reason: string): LicenceVerdict {
  return { outcome: 'unknown', chosen: [], reasons: [reason] }
}

type Expression = ReturnType<typeof parse>
type Licence = Extract<Expression, { license: string }>

/** The tree, or why there is none. */
function parseExpression(text: string): Expression | string {
  if (text.length > MOST_CHARACTERS)
    return `The expression has ${text.length} characters; at most ${MOST_CHARACTERS} are read`
  if (countDepth(text) > DEEPEST) return `The expression nests more than ${DEEPEST} levels deep`
  try {
    return parse(text)
  } catch {
    return 'It is not an SPDX licence expression'
  }
}

function countDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** A chain of `OR` or `AND` is a tree that leans to the right: its end is judged in the loop, not by recursion. */
function judge(expression: Expression, rules: LicenceRules): LicenceVerdict {
  const pending: { conjunction: 'and' | 'or'; verdict: LicenceVerdict }[] = []
  let rest = expression
  while ('conjunction' in rest) {
    pending.push({ conjunction: rest.conjunction, verdict: judge(rest.left, rules) })
    rest = rest.right
  }
  let verdict = judgeOne(rest, rules)
  for (const one of pending.toReversed())
    verdict = one.conjunction === 'and' ? unite(one.verdict, verdict) : choose(one.verdict, verdict)
  return verdict
}

const rankOf = ({ outcome }: LicenceVerdict) => LICENCE_OUTCOMES.indexOf(outcome)

/** Both licences hold: the worse one decides. */
function unite(one: LicenceVerdict, other: LicenceVerdict): LicenceVerdict {
  const worse = rankOf(one) >= rankOf(other) ? one : other
  const reasons = one.outcome === other.outcome ? [...one.reasons, ...other.reasons] : worse.reasons
  const chosen = [...new Set([...one.chosen, ...other.chosen])]
  return { outcome: worse.outcome, chosen, reasons: [...new Set(reasons)] }
}

/** One of them may be chosen: the better one, the first of equals. */
function choose(one: LicenceVerdict, other: LicenceVerdict): LicenceVerdict {
  return rankOf(one) <= rankOf(other) ? one : other
}

function judgeOne(licence: Licence, { allow, deny, review }: LicenceRules): LicenceVerdict {
  const name = formatLicence(licence)
  const tell = (outcome: LicenceOutcome, reason: string): LicenceVerdict => {
    return { outcome, chosen: [name], reasons: [`${name}: ${reason}`] }
  }
  const denied = deny.find((rule) => isCovered(licence, rule))
  if (denied !== undefined) return tell('denied', `denied by ${denied}`)
  const reviewed = review.find((rule) => isCovered(licence, rule))
  if (reviewed !== undefined) return tell('review', `to be reviewed by ${reviewed}`)
  const allowed = allow.find((rule) => satisfies(name, [rule]))
  if (allowed !== undefined) return tell('allowed', `allowed by ${allowed}`)
  if (allow.length === 0) return tell('allowed', 'no rule names it')
  return tell('notListed', 'not among what is allowed')
}

/**
 * "Or later" may be taken in a version that the rule does not name: only a rule for later ones that begins no later covers it.
 * The library asks whether two of them overlap.
 */
function isCovered(licence: Licence, rule: string): boolean {
  const name = formatLicence(licence)
  if (!isOrLater(name)) return satisfies(name, [rule])
  const first = name.replace(/-or-later/, '-only').replace(/\+/, '')
  return isOrLater(rule) && satisfies(first, [rule])
}

const isOrLater = (name: string) => /(?:\+|-or-later)(?:\s|$)/.test(name)

function formatLicence({ license, plus, exception }: Licence): string {
  return `${license}${plus === true ? '+' : ''}${exception === undefined ? '' : ` WITH ${exception}`}`
}

/** What is wrong with an entry of a list, in words; undefined: nothing. */
export function findRuleFault(rule: string): string | undefined {
  const parsed = parseExpression(rule)
  if (typeof parsed === 'string') return `${parsed}: ${JSON.stringify(rule.slice(0, 100))}`
  if ('conjunction' in parsed)
    return `A rule names one licence, without AND and OR: ${JSON.stringify(rule.slice(0, 100))}`
  return undefined
}
