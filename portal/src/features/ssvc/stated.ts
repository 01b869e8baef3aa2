/** What a person changes of what SSVC decides by, over what the workspace states. */
import type { SsvcPreview, SsvcProduct, SsvcSettings, SsvcStated } from '@plimsoll/api-client'

export type Exposure = SsvcStated['cohorts'][number]['exposure']
export type StatedProduct = Omit<SsvcProduct, 'firmwareId'>

/** Only what was touched, so that what others state meanwhile stays. */
export interface Changes {
  tree?: string
  manyDevices?: number
  products: Readonly<Record<string, StatedProduct>>
  /** By cohort; null: no longer known. */
  exposures: Readonly<Record<string, Exposure | null>>
  /** By outcome; null: no target. */
  targetDays: Readonly<Record<string, number | null>>
  /** An outcome; null: the release gate does not ask. */
  gateFrom?: string | null
}

export const NO_CHANGES: Changes = { products: {}, exposures: {}, targetDays: {} }

const NOTHING_STATED: StatedProduct = { missionPrevalence: null, publicWellBeing: null }

export const findProduct = ({ products }: Pick<SsvcStated, 'products'>, firmwareId: string) =>
  products.find((one) => one.firmwareId === firmwareId) ?? { firmwareId, ...NOTHING_STATED }

export const findExposure = ({ cohorts }: Pick<SsvcStated, 'cohorts'>, cohortId: string) =>
  cohorts.find((one) => one.cohortId === cohortId)?.exposure ?? null

export type StatedInputs = SsvcStated & Pick<SsvcSettings, 'targetDays' | 'gateFrom'>

/**
 * What the workspace would state. Products of which nothing is known are left out, and targets of outcomes that the tree does not
 * have.
 */
export function applyChanges(
  settings: SsvcSettings,
  changes: Changes,
  outcomes: readonly string[],
): StatedInputs {
  const products = new Map(settings.products.map((one) => [one.firmwareId, one]))
  for (const [firmwareId, stated] of Object.entries(changes.products)) {
    products.delete(firmwareId)
    if (stated.missionPrevalence !== null || stated.publicWellBeing !== null)
      products.set(firmwareId, { firmwareId, ...stated })
  }
  const cohorts = new Map(settings.cohorts.map((one) => [one.cohortId, one]))
  for (const [cohortId, exposure] of Object.entries(changes.exposures)) {
    cohorts.delete(cohortId)
    if (exposure !== null) cohorts.set(cohortId, { cohortId, exposure })
  }
  return {
    tree: changes.tree ?? settings.tree,
    manyDevices: changes.manyDevices ?? settings.manyDevices,
    products: [...products.values()],
    cohorts: [...cohorts.values()],
    gateFrom: changes.gateFrom === undefined ? settings.gateFrom : changes.gateFrom,
    targetDays: Object.fromEntries(
      outcomes.flatMap((outcome) => {
        const changed = changes.targetDays[outcome]
        const days = changed === undefined ? settings.targetDays[outcome] : changed
        return days === undefined || days === null ? [] : [[outcome, days]]
      }),
    ),
  }
}

const sortTexts = (texts: readonly string[]) => texts.toSorted((a, b) => a.localeCompare(b))

const listStated = ({ tree, manyDevices, products, cohorts, targetDays, gateFrom }: StatedInputs) =>
  JSON.stringify([
    tree,
    manyDevices,
    gateFrom,
    sortTexts(
      products.map((one) =>
        JSON.stringify([one.firmwareId, one.missionPrevalence, one.publicWellBeing]),
      ),
    ),
    sortTexts(Object.entries(targetDays).map((one) => JSON.stringify(one))),
    sortTexts(cohorts.map((one) => JSON.stringify([one.cohortId, one.exposure]))),
  ])

/** Whether two states say the same, whatever their order. */
export const isSame = (one: StatedInputs, other: StatedInputs): boolean =>
  listStated(one) === listStated(other)

/** Those of the tree that holds, and of the one that would: each from the least to the most urgent. */
export interface Outcomes {
  now: readonly string[]
  next: readonly string[]
}

interface OutcomeCount {
  outcome: string
  before: number
  after: number
}

/** How many findings have each outcome now, and would have: the most urgent first, those of the other tree after all. */
export function countOutcomes(
  { changes }: Pick<SsvcPreview, 'changes'>,
  outcomes: Outcomes,
): OutcomeCount[] {
  const names = new Set([...outcomes.now.toReversed(), ...outcomes.next.toReversed()])
  const countOf = (side: 'from' | 'to', outcome: string) =>
    changes.reduce((sum, one) => (one[side] === outcome ? sum + one.count : sum), 0)
  return [...names].map((outcome) => ({
    outcome,
    before: countOf('from', outcome),
    after: countOf('to', outcome),
  }))
}

/** The tables of a file: one as CERT/CC publishes it, several, or what this service answers. */
export function readTables(text: string): unknown[] {
  const read = JSON.parse(text) as unknown
  if (Array.isArray(read)) return read
  const isAnswer = typeof read === 'object' && read !== null && 'tables' in read
  return isAnswer && Array.isArray(read.tables) ? read.tables : [read]
}
