/** Says step by step why SSVC decides what it decides for a finding. */
import { type Decisions, listKnownInputs } from './classes.ts'
import type { DecisionTree } from './decision-table.ts'
import { type PointName, POINTS, readPoint } from './points.ts'

interface SsvcStep {
  point: string
  name: string
  /** The names of the values that it may have: one if it is known. */
  values: string[]
  isKnown: boolean
  /** Where the value comes from. */
  source: SsvcSource
}

export const SSVC_SOURCES = ['Record', 'ExploitedList', 'Product', 'Fleet'] as const
type SsvcSource = (typeof SSVC_SOURCES)[number]

export interface SsvcExplanation {
  /** The most urgent one of those that may be. */
  outcome: string
  /** What it may be, once all is known: from the least to the most urgent. */
  possibleOutcomes: string[]
  steps: SsvcStep[]
}

const SOURCES: Record<PointName, SsvcSource> = {
  exploitation: 'Record',
  automatable: 'Record',
  technicalImpact: 'Record',
  listedAsExploited: 'ExploitedList',
  missionPrevalence: 'Product',
  publicWellBeing: 'Product',
  missionAndWellBeing: 'Product',
  exposure: 'Fleet',
  publiclyExposed: 'Fleet',
  prevalence: 'Fleet',
}

export function explainOutcome(
  tree: DecisionTree,
  decisions: Decisions,
  { ratedClass, contexts, isListed }: { ratedClass: number; contexts: bigint; isListed: boolean },
): SsvcExplanation {
  const inputs = listKnownInputs(ratedClass, contexts)
  const steps = tree.asked.map((name) => {
    const { id, name: title, values } = POINTS[name]
    const may = new Set(inputs.map((one) => readPoint(name, one)))
    const source = name === 'exploitation' && isListed ? 'ExploitedList' : SOURCES[name]
    const named = values.filter(({ key }) => may.has(key)).map((value) => value.name)
    return { point: id, name: title, values: named, isKnown: may.size === 1, source }
  })
  const possible = new Set(inputs.map((one) => tree.decide(one)))
  const nameOf = (index: number) => tree.outcomes[index]?.name ?? ''
  return {
    outcome: nameOf(decisions.decide(ratedClass, contexts)),
    possibleOutcomes: [...possible].toSorted((a, b) => a - b).map(nameOf),
    steps,
  }
}
