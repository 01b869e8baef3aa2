/** The outcome of a run over the corpus, compared with the labels and the last accepted run. */
import type { Label } from './labels.ts'
import type { Confidence, Matches } from './run.ts'

/** A known disagreement and its reason. */
export interface KnownGap {
  cve: string
  component: string
  reason: string
}

export interface Outcome {
  labels: number
  truePositives: number
  falsePositives: Label[]
  falseNegatives: Label[]
  trueNegatives: number
  /** True matches by confidence. */
  byConfidence: Record<Confidence, number>
  /** False matches by confidence. */
  falseByConfidence: Record<Confidence, number>
  /** True matches of the accepted run that this run lost. */
  lost: Label[]
  /** Matches that the accepted run did not have. */
  gained: Label[]
  /** Disagreements without a known gap. */
  unexplained: Label[]
  /** Known gaps that are closed. */
  closedGaps: KnownGap[]
}

export function outcomeOf(
  labels: readonly Label[],
  matches: Matches,
  { accepted, gaps }: { accepted: Matches; gaps: readonly KnownGap[] },
): Outcome {
  const confidenceOf = ({ cve, component }: Label) => matches[cve]?.[component]
  const wasAccepted = ({ cve, component }: Label) => accepted[cve]?.[component] !== undefined
  const matched = labels.filter((label) => confidenceOf(label) !== undefined)
  const missed = labels.filter((label) => confidenceOf(label) === undefined)
  const falsePositives = matched.filter(({ isAffected }) => !isAffected)
  const falseNegatives = missed.filter(({ isAffected }) => isAffected)
  const wrong = [...falsePositives, ...falseNegatives]
  const isSame = (one: { cve: string; component: string }, other: typeof one) =>
    one.cve === other.cve && one.component === other.component
  const count = (isAffected: boolean) => {
    const counts: Record<Confidence, number> = { High: 0, Medium: 0, Low: 0 }
    for (const label of matched) {
      const confidence = confidenceOf(label)
      if (confidence && label.isAffected === isAffected) counts[confidence]++
    }
    return counts
  }
  return {
    labels: labels.length,
    truePositives: matched.length - falsePositives.length,
    falsePositives,
    falseNegatives,
    trueNegatives: missed.length - falseNegatives.length,
    byConfidence: count(true),
    falseByConfidence: count(false),
    lost: falseNegatives.filter(wasAccepted),
    gained: matched.filter((label) => !wasAccepted(label)),
    unexplained: wrong.filter((label) => !gaps.some((gap) => isSame(gap, label))),
    closedGaps: gaps.filter(
      (gap) =>
        labels.some((label) => isSame(label, gap)) && !wrong.some((label) => isSame(label, gap)),
    ),
  }
}

export function reportOf(name: string, outcome: Outcome): string {
  const { truePositives, falsePositives, falseNegatives, trueNegatives } = outcome
  const { byConfidence, falseByConfidence } = outcome
  const active = byConfidence.High + byConfidence.Medium
  const falseActive = falseByConfidence.High + falseByConfidence.Medium
  return [
    `${name}: ${outcome.labels} labels, ${truePositives + falseNegatives.length} of them affected`,
    `  precision ${percent(truePositives, falsePositives.length)}   recall ${percent(truePositives, falseNegatives.length)}   (active findings only: ${percent(active, falseActive)}, ${percent(active, truePositives + falseNegatives.length - active)})`,
    `  ${truePositives} true matches (${confidences(byConfidence)}), ${falsePositives.length} false (${confidences(falseByConfidence)}), ${falseNegatives.length} missed, ${trueNegatives} rightly not matched`,
    ...listed('lost since the accepted run', outcome.lost),
    ...listed('new since the accepted run', outcome.gained),
    ...listed('at odds with the label, without a known reason', outcome.unexplained),
    ...outcome.closedGaps.map(
      ({ cve, component }) => `  no gap any more, yet listed as one: ${cve}  ${component}`,
    ),
  ].join('\n')
}

const MOST_LISTED = 60

function listed(words: string, labels: readonly Label[]): string[] {
  const lines = labels
    .slice(0, MOST_LISTED)
    .map(
      ({ cve, component, isAffected, because }) =>
        `    ${isAffected ? 'affected    ' : 'not affected'}  ${cve}  ${component}  (${because})`,
    )
  return labels.length === 0 ? [] : [`  ${labels.length} ${words}:`, ...lines]
}

function percent(right: number, wrong: number): string {
  return right + wrong === 0 ? 'none' : `${((100 * right) / (right + wrong)).toFixed(1)} %`
}

function confidences({ High, Medium, Low }: Record<Confidence, number>): string {
  return `High ${High}, Medium ${Medium}, Low ${Low}`
}
