/**
 * The mark of a firmware version: what the release gate says of it, in one word. Known exploits block, and so do critical
 * findings that nobody has decided; high ones warn. What is not known is not safe.
 */
export const MARK_STATES = ['Clear', 'ToDecide', 'Overloaded', 'Unknown'] as const
type MarkState = (typeof MARK_STATES)[number]

/** What the mark is drawn from. Findings are active ones; without a decision: not assessed, or in triage. */
export interface MarkFacts {
  exploited: number
  undecidedCritical: number
  undecidedHigh: number
  /** Components that can be looked up, and those whose declarations allow no statement. */
  judgedComponents: number
  silentComponents: number
  sboms: number
  /** SBOMs that are being read or matched, and that could not be read. */
  pendingSboms: number
  failedSboms: number
  /** Whether any source of advisories was ever read completely. */
  isSynced: boolean
}

export const VERDICTS = ['Passes', 'Warns', 'Blocks', 'Unknown'] as const
export const MARK_RULES = [
  'KnownExploited',
  'UndecidedCritical',
  'UndecidedHigh',
  'Sboms',
  'Components',
  'Sources',
] as const

export interface MarkReason {
  rule: (typeof MARK_RULES)[number]
  verdict: (typeof VERDICTS)[number]
  /** For people, without an end: `2 known exploited`. */
  text: string
  count: number
}

/** As answers show it. */
export interface Mark {
  state: MarkState
  /** `Overloaded: 2 known exploited` */
  sentence: string
}

/** Of a version that is deleted while an answer is made. */
export const UNKNOWN_MARK: Mark = { state: 'Unknown', sentence: 'Unknown: no SBOM' }

const WORDS: Record<MarkState, string> = {
  Clear: 'Clear',
  ToDecide: 'To decide',
  Overloaded: 'Overloaded',
  Unknown: 'Unknown',
}

/** The first state with a reason decides. */
const STATES = [
  { state: 'Overloaded', verdict: 'Blocks' },
  { state: 'Unknown', verdict: 'Unknown' },
  { state: 'ToDecide', verdict: 'Warns' },
] as const

export function markOf(facts: MarkFacts): Mark {
  const reasons = reasonsOf(facts)
  for (const { state, verdict } of STATES) {
    const texts = reasons.flatMap((reason) => (reason.verdict === verdict ? [reason.text] : []))
    if (texts.length > 0) return { state, sentence: `${WORDS[state]}: ${texts.join(', ')}` }
  }
  return { state: 'Clear', sentence: `${WORDS.Clear}: nothing undecided of High or above` }
}

/** What each rule of the gate says, also those that pass. */
export function reasonsOf(facts: MarkFacts): MarkReason[] {
  const { exploited, undecidedCritical, undecidedHigh } = facts
  return [
    {
      rule: 'KnownExploited',
      verdict: exploited > 0 ? 'Blocks' : 'Passes',
      text: `${decimal(exploited)} known exploited`,
      count: exploited,
    },
    {
      rule: 'UndecidedCritical',
      verdict: undecidedCritical > 0 ? 'Blocks' : 'Passes',
      text: `${decimal(undecidedCritical)} Critical without a decision`,
      count: undecidedCritical,
    },
    {
      rule: 'UndecidedHigh',
      verdict: undecidedHigh > 0 ? 'Warns' : 'Passes',
      text: `${decimal(undecidedHigh)} High without a decision`,
      count: undecidedHigh,
    },
    ofSboms(facts),
    ofComponents(facts),
    {
      rule: 'Sources',
      verdict: facts.isSynced ? 'Passes' : 'Unknown',
      text: facts.isSynced
        ? 'vulnerability sources were read'
        : 'no vulnerability source was ever read completely',
      count: 0,
    },
  ]
}

function ofSboms({ sboms, pendingSboms, failedSboms }: MarkFacts): MarkReason {
  const rule = 'Sboms'
  if (sboms === 0) return { rule, verdict: 'Unknown', text: 'no SBOM', count: 0 }
  if (failedSboms > 0)
    return {
      rule,
      verdict: 'Unknown',
      text: `${sbomsOf(failedSboms)} could not be read`,
      count: failedSboms,
    }
  if (pendingSboms > 0)
    return {
      rule,
      verdict: 'Unknown',
      text: `${sbomsOf(pendingSboms)} still being read`,
      count: pendingSboms,
    }
  return { rule, verdict: 'Passes', text: `${sbomsOf(sboms)} read`, count: sboms }
}

const sbomsOf = (count: number) => `${decimal(count)} ${count === 1 ? 'SBOM' : 'SBOMs'}`

/** Less than half of them can be looked up: no findings in the others prove nothing. */
function ofComponents({ sboms, judgedComponents, silentComponents }: MarkFacts): MarkReason {
  const rule = 'Components'
  const all = judgedComponents + silentComponents
  if (sboms > 0 && all === 0)
    return { rule, verdict: 'Unknown', text: 'no component is known', count: 0 }
  const text =
    silentComponents === 0
      ? `all ${decimal(all)} components can be looked up`
      : `nothing can be told of ${decimal(silentComponents)} of ${decimal(all)} components`
  const verdict = silentComponents > judgedComponents ? 'Unknown' : 'Passes'
  return { rule, verdict, text, count: silentComponents }
}

const NUMBERS = new Intl.NumberFormat('en')
/** Lists have thousands of marks, and most numbers are small. */
const decimal = (count: number) => (count < 1000 ? String(count) : NUMBERS.format(count))
