/** What happened to a deployment, kept with it, oldest first: it draws its time line and tells who ended it. */

export const EVENT_TYPES = [
  'PhaseBegan',
  'Paused',
  'Resumed',
  'Stopped',
  'Superseded',
  'Cancelled',
] as const

export interface DeploymentEvent {
  type: (typeof EVENT_TYPES)[number]
  at: string
  /** The phase of `PhaseBegan`, from 0. */
  phase: number | null
  /** null: the service itself, or a key without an address. */
  byEmail: string | null
  reason: string | null
  /** `Superseded` names the deployment that replaced this one. */
  deploymentId: string | null
}

export function createDeploymentEvent(
  type: DeploymentEvent['type'],
  at: Date,
  further: Partial<Omit<DeploymentEvent, 'type' | 'at'>> = {},
): DeploymentEvent {
  const nothing = { phase: null, byEmail: null, reason: null, deploymentId: null }
  return { type, at: at.toISOString(), ...nothing, ...further }
}

export const ROLLED_BACK = 'rolled back'

/** Who ended the deployment, how and when, as a sentence: for whoever wanted to change it at the same time. */
export function endSentence({ events }: { events: readonly DeploymentEvent[] }): string {
  const end = events.findLast(({ type }) => type === 'Superseded' || type === 'Cancelled')
  if (!end) return 'It has ended.'
  const who = end.byEmail ?? 'An API key'
  return `${who} ${describeEvent(end)} at ${new Date(end.at).toISOString()}.`
}

function describeEvent({ type, reason, deploymentId }: DeploymentEvent): string {
  if (type === 'Cancelled') return 'cancelled it'
  if (reason === ROLLED_BACK) return `rolled it back by the deployment ${deploymentId ?? ''}`
  return `replaced it by the deployment ${deploymentId ?? ''}`
}
