/**
 * What SSVC decides for many findings at once. A vulnerability is one of 72 classes, a firmware version stands in some of 63 contexts:
 * all that the decision can depend on. So lists compare two numbers, and another tree changes no row.
 *
 * What is not known has all its values: a class or a context stands for several then, and the most urgent outcome counts.
 */
import type { SsvcDecision } from '../advisories/model.ts'
import { findMax, findMin } from '../extremes.ts'
import type { DecisionTree } from './decision-table.ts'
import { type KnownInputs, POINTS, type ProductInputs, type VulnerabilityInputs } from './points.ts'

const keysOf = (name: keyof typeof POINTS) => POINTS[name].values.map(({ key }) => key)
const EXPLOITATION = keysOf('exploitation')
const AUTOMATABLE = keysOf('automatable')
const IMPACT = keysOf('technicalImpact')
const MISSION = keysOf('missionPrevalence')
const WELL_BEING = keysOf('publicWellBeing')
const EXPOSURE = keysOf('exposure')

/** 0 to 35: three digits, each 0 for unknown. */
export const CLASS_COUNT =
  (EXPLOITATION.length + 1) * (AUTOMATABLE.length + 1) * (IMPACT.length + 1)
/** Classes of vulnerabilities that a list names as exploited follow those of the others. */
export const RATED_CLASS_COUNT = 2 * CLASS_COUNT

const digitOf = (keys: readonly string[], key: string | undefined) =>
  key === undefined ? 0 : keys.indexOf(key) + 1

/** The class of a vulnerability, whether or not a list names it as exploited. */
export function classify({
  exploitation,
  automatable,
  technicalImpact,
}: Omit<VulnerabilityInputs, 'isListed'>): number {
  const high = digitOf(EXPLOITATION, exploitation) * (AUTOMATABLE.length + 1)
  return (
    (high + digitOf(AUTOMATABLE, automatable)) * (IMPACT.length + 1) +
    digitOf(IMPACT, technicalImpact)
  )
}

/** What a class stands for. */
export function readClass(ratedClass: number): VulnerabilityInputs {
  const one = ratedClass % CLASS_COUNT
  const high = Math.floor(one / (IMPACT.length + 1))
  return {
    exploitation: EXPLOITATION[Math.floor(high / (AUTOMATABLE.length + 1)) - 1],
    automatable: AUTOMATABLE[(high % (AUTOMATABLE.length + 1)) - 1],
    technicalImpact: IMPACT[(one % (IMPACT.length + 1)) - 1],
    isListed: ratedClass >= CLASS_COUNT,
  }
}

const WORDS = {
  exploitation: new Map([
    ['none', 'N'],
    ['poc', 'P'],
    ['public poc', 'P'],
    ['active', 'A'],
  ]),
  automatable: new Map([
    ['no', 'N'],
    ['yes', 'Y'],
  ]),
  technicalImpact: new Map([
    ['partial', 'P'],
    ['total', 'T'],
  ]),
}

/** Of what a record publishes: for each point the newest decision that states it. */
export function classifyDecisions(decisions: readonly SsvcDecision[]): number {
  if (decisions.length === 0) return 0
  const newest = decisions.toSorted((a, b) => (b.decidedAt ?? '').localeCompare(a.decidedAt ?? ''))
  const read = (name: keyof typeof WORDS) =>
    newest
      .map((one) => WORDS[name].get(one[name]?.toLowerCase() ?? ''))
      .find((key) => key !== undefined)
  return classify({
    exploitation: read('exploitation'),
    automatable: read('automatable'),
    technicalImpact: read('technicalImpact'),
  })
}

/** No device, then few and many of each exposure. */
const FLEET_STATES = 1 + 2 * EXPOSURE.length
export const CONTEXT_COUNT = MISSION.length * WELL_BEING.length * FLEET_STATES
export const ALL_CONTEXTS = (1n << BigInt(CONTEXT_COUNT)) - 1n

const possible = (keys: readonly string[], key: string | undefined) =>
  key === undefined ? keys : [key]

/** The contexts that a firmware version may stand in, as bits. */
export function encodeContexts({
  missionPrevalence,
  publicWellBeing,
  exposure,
  prevalence,
}: ProductInputs): bigint {
  let bits = 0n
  for (const mission of possible(MISSION, missionPrevalence))
    for (const wellBeing of possible(WELL_BEING, publicWellBeing))
      for (const state of fleetStates(exposure, prevalence)) {
        const product = MISSION.indexOf(mission) * WELL_BEING.length + WELL_BEING.indexOf(wellBeing)
        bits |= 1n << BigInt(product * FLEET_STATES + state)
      }
  return bits
}

/** All contexts of versions that so many devices run: none, few or many. */
export const encodePrevalence = (prevalence: 'N' | 'F' | 'M'): bigint =>
  encodeContexts({
    missionPrevalence: undefined,
    publicWellBeing: undefined,
    exposure: undefined,
    prevalence,
  })

function fleetStates(exposure: string | undefined, prevalence: string): number[] {
  if (prevalence === 'N') return [0]
  const many = prevalence === 'M' ? 1 : 0
  return possible(EXPOSURE, exposure).map((key) => 1 + 2 * EXPOSURE.indexOf(key) + many)
}

/** What one context stands for. Where no device runs a version, nobody knows how exposed the first one will be. */
function productsOfContext(context: number): Pick<KnownInputs, keyof ProductInputs>[] {
  const product = Math.floor(context / FLEET_STATES)
  const state = context % FLEET_STATES
  const missionPrevalence = MISSION[Math.floor(product / WELL_BEING.length)] ?? ''
  const publicWellBeing = WELL_BEING[product % WELL_BEING.length] ?? ''
  const known = { missionPrevalence, publicWellBeing }
  if (state === 0) return EXPOSURE.map((exposure) => ({ ...known, exposure, prevalence: 'N' }))
  const exposure = EXPOSURE[Math.floor((state - 1) / 2)] ?? ''
  return [{ ...known, exposure, prevalence: (state - 1) % 2 === 1 ? 'M' : 'F' }]
}

function vulnerabilitiesOfClass(
  ratedClass: number,
): Pick<KnownInputs, keyof VulnerabilityInputs>[] {
  const { exploitation, automatable, technicalImpact, isListed } = readClass(ratedClass)
  return possible(EXPLOITATION, exploitation).flatMap((one) =>
    possible(AUTOMATABLE, automatable).flatMap((two) =>
      possible(IMPACT, technicalImpact).map((three) => ({
        exploitation: one,
        automatable: two,
        technicalImpact: three,
        isListed,
      })),
    ),
  )
}

/** What a tree decides for each class in each context. */
export interface Decisions {
  /** By number of the outcome from 1 on, and by class: the contexts in which it or a more urgent one is decided. */
  contextsFrom: readonly (readonly bigint[])[]
  /** The outcome of a class in some contexts: the most urgent one of them. */
  decide: (ratedClass: number, contexts: bigint) => number
  /** The least urgent one that it may be: in one of the contexts, or once all is known. */
  decideLeast: (ratedClass: number, contexts: bigint) => number
}

export function decideAll(tree: DecisionTree): Decisions {
  const products = Array.from({ length: CONTEXT_COUNT }, (_, context) => productsOfContext(context))
  const outcomesOf = Array.from({ length: RATED_CLASS_COUNT }, (_, ratedClass) => {
    const vulnerabilities = vulnerabilitiesOfClass(ratedClass)
    return products.map((some) =>
      some.flatMap((product) =>
        vulnerabilities.map((vulnerability) => tree.decide({ ...vulnerability, ...product })),
      ),
    )
  })
  const outcomeCount = tree.outcomes.length
  /** In which contexts the outcome that is picked is at least each one from 1 on, by class. */
  const listContextsFrom = (pick: (outcomes: number[]) => number) =>
    Array.from({ length: outcomeCount - 1 }, (_, index) =>
      outcomesOf.map((ofClass) =>
        ofClass.reduce(
          (bits, outcomes, context) =>
            pick(outcomes) > index ? bits | (1n << BigInt(context)) : bits,
          0n,
        ),
      ),
    )
  const contextsFrom = listContextsFrom((outcomes) => findMax(outcomes))
  const surelyFrom = listContextsFrom((outcomes) => findMin(outcomes))
  const count = (
    all: readonly (readonly bigint[])[],
    ratedClass: number,
    meets: (from: bigint) => boolean,
  ) => all.filter((ofClass) => meets(ofClass[ratedClass] ?? 0n)).length
  return {
    contextsFrom,
    decide: (ratedClass, contexts) =>
      count(contextsFrom, ratedClass, (from) => (from & contexts) !== 0n),
    decideLeast: (ratedClass, contexts) =>
      count(surelyFrom, ratedClass, (from) => (contexts & ~from) === 0n),
  }
}

/** All that a class in some contexts may stand for. */
export function listKnownInputs(ratedClass: number, contexts: bigint): KnownInputs[] {
  const vulnerabilities = vulnerabilitiesOfClass(ratedClass)
  return Array.from({ length: CONTEXT_COUNT }, (_, context) => context)
    .filter((context) => (contexts & (1n << BigInt(context))) !== 0n)
    .flatMap((context) => productsOfContext(context))
    .flatMap((product) =>
      vulnerabilities.map((vulnerability) => ({ ...vulnerability, ...product })),
    )
}
