/** The result of the release gate that a deployment stores. */
import { formatCountOf } from '../../formats/counts.ts'
import type { Actor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { Gate, UnknownCounts } from '../release-gate/index.ts'

export interface Acknowledgement {
  reason: string
}

type GateCounts = Omit<Gate, 'blocked' | 'failingLicenceCount' | keyof UnknownCounts>
export interface PassedGate extends GateCounts, Partial<UnknownCounts> {
  failingLicenceCount?: number | null
  /** null: no acknowledgement was given. */
  acknowledgement: { reason: string; byEmail: string | null } | null
}

/** As a deployment has it that was made before findings without a decision were counted: all critical ones blocked. */
type LaterMember = 'undecidedCritical' | 'failingLicenceCount' | keyof UnknownCounts
export type StoredGate = Omit<PassedGate, LaterMember> & Partial<Pick<PassedGate, LaterMember>>

const MOST_NAMED = 3

export function readGate(gate: StoredGate): PassedGate {
  return { ...gate, undecidedCritical: gate.undecidedCritical ?? gate.critical }
}

export function passGate(
  { blocked, ...gate }: Gate,
  acknowledgement: Acknowledgement | undefined,
  actor: Actor,
): PassedGate {
  if (blocked && !acknowledgement)
    throw new AppError(
      'conflict',
      'release-gate',
      `${describeReasons(gate)} To deploy it nevertheless, give a reason (acknowledgement; --acknowledge of plimsoll deployment create).`,
    )
  return recordGate(gate, acknowledgement, actor)
}

/** Which, and how to get on; what is not a reason is not told. */
const describeReasons = (gate: Omit<Gate, 'blocked'>): string =>
  [
    describeFindings(gate),
    describeUrgency(gate.ssvc),
    describeSupport(gate.support),
    describeImages(gate.images),
    describeCrashes(gate.crashes),
  ]
    .filter((one) => one !== '')
    .join(' ')

function describeFindings(
  gate: Pick<Gate, 'knownExploited' | 'undecidedCritical' | 'failingLicenceCount'>,
): string {
  const { knownExploited, undecidedCritical, failingLicenceCount } = gate
  const critical = formatCountOf(undecidedCritical, 'critical finding')
  const licences = formatCountOf(failingLicenceCount ?? 0, 'component')
  const parts = [
    knownExploited > 0 && formatCountOf(knownExploited, 'known-exploited active finding'),
    undecidedCritical > 0 && `${critical} without a decision`,
    (failingLicenceCount ?? 0) > 0 && `${licences} whose licences may not ship`,
  ].filter((one) => one !== false)
  return parts.length === 0 ? '' : `The firmware has ${parts.join(' and ')}.`
}

function describeUrgency(ssvc: Gate['ssvc']): string {
  if (!ssvc || ssvc.count === 0) return ''
  const { from, count, uncertainCount, findings } = ssvc
  const named = findings
    .slice(0, MOST_NAMED)
    .map(({ cveId, componentName }) => `${cveId} in ${componentName}`)
  const rest = count > named.length ? ` and ${count - named.length} more` : ''
  const uncertain =
    uncertainCount > 0
      ? ` What is not known counts as its most urgent value: ${formatCountOf(uncertainCount, 'finding')} may be less urgent.`
      : ''
  return `${formatCountOf(count, 'active finding')} must not ship by SSVC, from ${from} on: ${named.join(', ')}${rest}.${uncertain}`
}

function describeSupport(support: Gate['support']): string {
  if (support?.verdict !== 'Fails') return ''
  const ended = `${formatCountOf(support.endedCount, 'component')} out of support`
  if (support.rule === 'NotEnded') return `${ended}.`
  return `${ended}, and the support of ${formatCountOf(support.endingBeforePromiseCount, 'component')} ends before it was promised.`
}

function describeImages(images: Gate['images']): string {
  const failing = images?.failing ?? []
  const named = failing
    .slice(0, MOST_NAMED)
    .map(({ versionName, fileName, detail }) => `${fileName ?? versionName}: ${detail}`)
  if (failing.length === 0) return ''
  const more = (images?.count ?? failing.length) - named.length
  const rest =
    more > 0 ? ` ${formatCountOf(more, 'more demand is', 'more demands are')} not met.` : ''
  return `Update files or SBOMs do not meet what the workspace demands. ${named.join(' ')}${rest}`
}

const NOT_COMPARED = {
  LinesMissing: 'which needs lines to be compared',
  NotMeasured: 'which cannot be compared, as no device with an earlier version reported crashes',
} as const

function describeCrashes(crashes: Gate['crashes']): string {
  if (!crashes || crashes.count === 0) return ''
  const named = crashes.failing
    .slice(0, MOST_NAMED)
    .map(({ title, versionName, unknownBecause, deviceCount }) => {
      const devices = formatCountOf(deviceCount, 'device')
      const why = unknownBecause === null ? '' : `, ${NOT_COMPARED[unknownBecause]}`
      return `${title} in ${versionName} on ${devices}${why}`
    })
  const rest = crashes.count > named.length ? ` and ${crashes.count - named.length} more` : ''
  return `${formatCountOf(crashes.count, 'crash', 'crashes')} that no earlier version is known to have: ${named.join(', ')}${rest}. Close those that are mended or harmless, and upload the lines of the build.`
}

export function recordGate(
  gate: Omit<Gate, 'blocked'>,
  acknowledgement: Acknowledgement | undefined,
  actor: Actor,
): PassedGate {
  return {
    ...gate,
    acknowledgement: acknowledgement
      ? { reason: acknowledgement.reason, byEmail: actor.email ?? null }
      : null,
  }
}
