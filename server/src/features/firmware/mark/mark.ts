/**
 * The mark of a firmware version: what the release gate says of it, in one word. Known exploits block, critical findings that nobody
 * has decided, and whatever else the workspace's gate stops; high findings warn. What is not known is not safe.
 */
import type { GateSupportRule } from '../../../formats/gate-rules.ts'

export const MARK_STATES = ['Clear', 'ToDecide', 'Overloaded', 'Unknown'] as const
type MarkState = (typeof MARK_STATES)[number]

/** What the mark is drawn from. Findings are active ones; without a decision: not assessed, or in triage. */
export interface MarkFacts {
  exploited: number
  undecidedCritical: number
  undecidedHigh: number
  /** Also those that were decided to be exploitable: how bad they are is not known either. */
  unknownSeverity: number
  /** Components that were judged, and those of which nothing can be told (docs/design/matching.md, why not). */
  judgedComponents: number
  silentComponents: number
  sboms: number
  /** SBOMs that are being read or matched, and that could not be read. */
  pendingSboms: number
  failedSboms: number
  /** Whether any source of advisories was ever read completely. */
  isSynced: boolean
  /** What the gate of the workspace asks beside findings. Absent: nothing. */
  gate?: GateFacts | undefined
  /** That its support is over or ends soon. The gate does not ask for it, so the state stays. */
  supportNote?: string | undefined
}

/** What the release gate finds in a version by rules that a workspace states. Absent members are not asked. */
export interface GateFacts {
  /** Findings that are known to be exploited and ignored, where that is forbidden. */
  exploitedAcceptances?: number
  urgency?: {
    /** The outcome from which on findings count. */
    from: string
    /** null: it is not counted yet. */
    count: number | null
  }
  /** Components whose licences may not ship, and those of which that is not known. null: they are not counted yet. */
  licences?: { failing: number; unknown: number } | null
  support?: {
    rule: Exclude<GateSupportRule, 'NotAsked'>
    /** Components. */
    ended: number
    endingBeforePromise: number
    /** Whether the end of each component is known. */
    isKnown: boolean
    hasPromise: boolean
  }
}

export const VERDICTS = ['Passes', 'Warns', 'Blocks', 'Unknown'] as const
export const MARK_RULES = [
  'KnownExploited',
  'UndecidedCritical',
  'UndecidedHigh',
  'UnknownSeverity',
  'UrgentBySsvc',
  'Licences',
  'Support',
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
  /** `Overloaded: 2 known exploited; out of support since 2026-10-01` */
  sentence: string
  /** Absent: its support is not over and does not end soon, or no end is known. */
  supportNote?: string
}

/** The mark of a version that is deleted while an answer is made. */
export const UNKNOWN_MARK: Mark = { state: 'Unknown', sentence: 'Unknown: no SBOM' }

const WORDS: Record<MarkState, string> = {
  Clear: 'Clear',
  ToDecide: 'To decide',
  Overloaded: 'Overloaded',
  Unknown: 'Unknown',
}

/**
 * The first state with a reason decides. Findings that wait for a decision come before single findings without a known severity and
 * single components of which nothing can be told: there is something to do about them now. But a version with such ones is never
 * clear (decision 52).
 */
const STATES = [
  { state: 'Overloaded', isReason: ({ verdict }) => verdict === 'Blocks' },
  {
    state: 'Unknown',
    isReason: ({ verdict, isPartly }) => verdict === 'Unknown' && isPartly !== true,
  },
  { state: 'ToDecide', isReason: ({ verdict }) => verdict === 'Warns' },
  { state: 'Unknown', isReason: ({ verdict }) => verdict === 'Unknown' },
] as const satisfies readonly { state: MarkState; isReason: (of: AssessedReason) => boolean }[]

export function decideMark(facts: MarkFacts): Mark {
  const { state, sentence } = decideState(facts)
  const { supportNote } = facts
  if (supportNote === undefined) return { state, sentence }
  return { state, sentence: `${sentence}; ${supportNote}`, supportNote }
}

function decideState(facts: MarkFacts): Mark {
  const reasons = assess(facts)
  for (const { state, isReason } of STATES) {
    const texts = reasons.filter(isReason).map(({ text }) => text)
    if (texts.length > 0) return { state, sentence: `${WORDS[state]}: ${texts.join(', ')}` }
  }
  return { state: 'Clear', sentence: `${WORDS.Clear}: nothing undecided of High or above` }
}

/** `isPartly`: it holds for a part of the version only. */
type AssessedReason = MarkReason & { isPartly?: boolean }

/** What each rule of the gate says, also those that pass. Where nothing was judged, no rule passes: no findings prove nothing. */
export function listMarkReasons(facts: MarkFacts): MarkReason[] {
  const isUnread = facts.sboms === 0
  const isUnjudged = facts.judgedComponents === 0
  return assess(facts).map(({ rule, verdict, text, count }) => {
    const isEmpty = isUnread || (isUnjudged && !RULES_OF_DOCUMENTS.has(rule))
    if (verdict !== 'Passes' || !isEmpty) return { rule, verdict, text, count }
    const because = isUnread ? 'not known without an SBOM' : 'not known, as no component was judged'
    const unknown = rule === 'Sources' ? 'read, but there is no SBOM to look up' : because
    return { rule, verdict: 'Unknown', text: unknown, count: 0 }
  })
}

const RULES_OF_DOCUMENTS: ReadonlySet<MarkReason['rule']> = new Set(['Sboms', 'Sources'])

function assess(facts: MarkFacts): AssessedReason[] {
  const { undecidedCritical, undecidedHigh, unknownSeverity, gate = {} } = facts
  return [
    ofExploited(facts.exploited, gate.exploitedAcceptances ?? 0),
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
    {
      rule: 'UnknownSeverity',
      verdict: unknownSeverity > 0 ? 'Unknown' : 'Passes',
      text: `${decimal(unknownSeverity)} ${unknownSeverity === 1 ? 'finding' : 'findings'} of unknown severity`,
      count: unknownSeverity,
      isPartly: true,
    },
    ...(gate.urgency ? [ofUrgency(gate.urgency)] : []),
    ...(gate.licences === undefined ? [] : [ofLicences(gate.licences)]),
    ...(gate.support ? [ofSupport(gate.support)] : []),
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

function ofExploited(active: number, accepted: number): AssessedReason {
  const count = active + accepted
  return {
    rule: 'KnownExploited',
    verdict: count > 0 ? 'Blocks' : 'Passes',
    text: `${decimal(count)} known exploited${accepted > 0 ? ` (${decimal(accepted)} accepted)` : ''}`,
    count,
  }
}

function ofUrgency({ from, count }: NonNullable<GateFacts['urgency']>): AssessedReason {
  const rule = 'UrgentBySsvc'
  if (count === null) {
    const text = `findings as urgent as ${from} by SSVC are still being counted`
    return { rule, verdict: 'Unknown', text, count: 0, isPartly: true }
  }
  const text = `${decimal(count)} as urgent as ${from} by SSVC`
  return { rule, verdict: count > 0 ? 'Blocks' : 'Passes', text, count }
}

function ofLicences(licences: Exclude<GateFacts['licences'], undefined>): AssessedReason {
  const rule = 'Licences'
  if (licences === null) {
    const text = 'licences are still being counted'
    return { rule, verdict: 'Unknown', text, count: 0, isPartly: true }
  }
  const { failing, unknown } = licences
  if (failing > 0) {
    const text = `${formatComponents(failing)} whose licence may not ship`
    return { rule, verdict: 'Blocks', text, count: failing }
  }
  if (unknown > 0) {
    const text = `the licence of ${formatComponents(unknown)} is not known`
    return { rule, verdict: 'Unknown', text, count: unknown, isPartly: true }
  }
  return { rule, verdict: 'Passes', text: 'all licences may ship', count: 0 }
}

function ofSupport(facts: NonNullable<GateFacts['support']>): AssessedReason {
  const rule = 'Support'
  const { ended, isKnown, hasPromise } = facts
  const isPromiseAsked = facts.rule === 'UntilPromise'
  const ending = isPromiseAsked ? facts.endingBeforePromise : 0
  if (ended + ending > 0) {
    const texts = [
      ...(ended > 0 ? [`${formatComponents(ended)} out of support`] : []),
      ...(ending > 0
        ? [`${formatComponents(ending)} whose support ends before the promised day`]
        : []),
    ]
    return { rule, verdict: 'Blocks', text: texts.join(', '), count: ended + ending }
  }
  if (!isKnown) {
    const text = 'until when some components get fixes is not known'
    return { rule, verdict: 'Unknown', text, count: 0, isPartly: true }
  }
  if (isPromiseAsked && !hasPromise) {
    const text = 'until when it is supported was not promised'
    return { rule, verdict: 'Unknown', text, count: 0, isPartly: true }
  }
  const long = isPromiseAsked ? 'as long as was promised' : 'today'
  return { rule, verdict: 'Passes', text: `all components are supported ${long}`, count: 0 }
}

const formatComponents = (count: number) =>
  `${decimal(count)} ${count === 1 ? 'component' : 'components'}`

function ofSboms({ sboms, pendingSboms, failedSboms }: MarkFacts): MarkReason {
  const rule = 'Sboms'
  if (sboms === 0) return { rule, verdict: 'Unknown', text: 'no SBOM', count: 0 }
  if (failedSboms > 0)
    return {
      rule,
      verdict: 'Unknown',
      text: `${formatSboms(failedSboms)} could not be read`,
      count: failedSboms,
    }
  if (pendingSboms > 0)
    return {
      rule,
      verdict: 'Unknown',
      text: `${formatSboms(pendingSboms)} still being read`,
      count: pendingSboms,
    }
  return { rule, verdict: 'Passes', text: `${formatSboms(sboms)} read`, count: sboms }
}

const formatSboms = (count: number) => `${decimal(count)} ${count === 1 ? 'SBOM' : 'SBOMs'}`

/** No findings in a component of which nothing can be told prove nothing. */
function ofComponents({ sboms, judgedComponents, silentComponents }: MarkFacts): AssessedReason {
  const rule = 'Components'
  const all = judgedComponents + silentComponents
  if (sboms > 0 && all === 0)
    return { rule, verdict: 'Unknown', text: 'no component is known', count: 0 }
  if (silentComponents === 0)
    return {
      rule,
      verdict: 'Passes',
      text:
        all === 1 ? 'the only component was judged' : `all ${decimal(all)} components were judged`,
      count: 0,
    }
  const text = `nothing can be told of ${decimal(silentComponents)} of ${decimal(all)} components`
  const isPartly = judgedComponents > 0
  return { rule, verdict: 'Unknown', text, count: silentComponents, isPartly }
}

const NUMBERS = new Intl.NumberFormat('en')
/** Lists have thousands of marks, and most numbers are small. */
const decimal = (count: number) => (count < 1000 ? String(count) : NUMBERS.format(count))
