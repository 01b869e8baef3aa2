/** Roll-outs: which one is meant, and how far it is. */
import type { Deployment, DeploymentListItem } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { readAllPages } from '../../api-client/src/index.ts'
import { findCohortId, listCohorts, findOneByName, UUID } from './named.ts'
import { type ConnectionOptions, openSession, type Session } from './session.ts'

export const DEPLOYMENTS =
  '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments'
export const DEPLOYMENT = `${DEPLOYMENTS}/{deploymentId}` as const

export interface CohortOptions extends ConnectionOptions {
  cohort?: string
}

/** The session, and the path of the roll-out: of the cohort, or the only active one that is called so. */
export async function openDeployment(text: string | undefined, options: CohortOptions) {
  const session = await openSession(options)
  const params = await findDeployment(session, text, options.cohort)
  return { session, client: session.client, params }
}

/** The path of the roll-out, as `openDeployment` finds it. */
export async function findDeployment(
  session: Session,
  text: string | undefined,
  cohort: string | undefined,
) {
  const ids =
    cohort === undefined
      ? await findActive(session, text)
      : await findInCohort(session, cohort, text)
  return { workspaceId: session.workspaceId, ...ids }
}

async function findInCohort(session: Session, cohort: string, text: string | undefined) {
  if (text !== undefined && UUID.test(text))
    return { deploymentCohortId: await findCohortId(session, cohort), deploymentId: text }
  const { id: deploymentCohortId, activeDeploymentId } = await findOneByName(cohort, 'cohort', () =>
    listCohorts(session),
  )
  if (text !== undefined) {
    const list = () => readAll(session, deploymentCohortId)
    const { id } = await findOneByName(text, 'deployment of the cohort', list)
    return { deploymentCohortId, deploymentId: id }
  }
  if (activeDeploymentId === null)
    throw usageError(`The cohort ${cohort} has no active deployment: name one.`)
  return { deploymentCohortId, deploymentId: activeDeploymentId }
}

async function findActive(session: Session, text: string | undefined) {
  if (text === undefined) throw usageError('Name a deployment, or its cohort with --cohort.')
  const active = await listActive(session)
  const found = active.filter(({ id, name }) => id === text || name === text)
  if (found.length > 1)
    throw usageError(`Several active deployments are called ${JSON.stringify(text)}: add --cohort.`)
  const [only] = found
  if (!only)
    throw usageError(
      `No active deployment has the id or name ${JSON.stringify(text)}; plimsoll deployment list shows what there is, and --cohort finds those that have ended.`,
    )
  return { deploymentCohortId: only.deploymentCohortId, deploymentId: only.id }
}

async function readAll(
  { client, workspaceId }: Session,
  deploymentCohortId: string,
): Promise<DeploymentListItem[]> {
  const params = { workspaceId, deploymentCohortId }
  const deployments: DeploymentListItem[] = []
  for await (const page of readAllPages((query) => client.get(DEPLOYMENTS, { params, query })))
    for (const each of page.deployments) deployments.push(each)
  return deployments
}

export type ActiveDeployment = Deployment & { cohort: string }

const AT_ONCE = 8

/** The active roll-outs of all cohorts, each read on its own. */
export async function listActive(session: Session): Promise<ActiveDeployment[]> {
  const { client, workspaceId } = session
  const cohorts = await listCohorts(session)
  const read = cohorts.flatMap(({ id: deploymentCohortId, name, activeDeploymentId }) => {
    if (activeDeploymentId === null) return []
    const params = { workspaceId, deploymentCohortId, deploymentId: activeDeploymentId }
    return [async () => ({ ...(await client.get(DEPLOYMENT, { params })), cohort: name })]
  })
  const found: ActiveDeployment[] = []
  for (let at = 0; at < read.length; at += AT_ONCE)
    for (const each of await Promise.all(read.slice(at, at + AT_ONCE).map((one) => one())))
      found.push(each)
  return found
}

/** Devices say which version they run; whether they installed it, nobody knows. */
export const formatReporting = ({ reporting }: { reporting: number }): string =>
  `${reporting} ${reporting === 1 ? 'reports' : 'report'} it`

/** Of devices: an update waits for the next contact of a device that runs the versions already. */
export function formatProgress({ deviceCounts }: Pick<DeploymentListItem, 'deviceCounts'>): string {
  if (deviceCounts === null) return 'not known: it ended before devices were counted'
  const { failed, installing, waiting, cancelled, movedOn } = deviceCounts
  const rest = { 'to go': installing + waiting, cancelled, 'moved on': movedOn }
  const told = Object.entries(rest).filter(([, count]) => count > 0)
  return [formatReporting(deviceCounts), `${failed} failed`]
    .concat(told.map(([words, count]) => `${count} ${words}`))
    .join(', ')
}

/** `2 of 3, 25 % of the devices`; undefined where all devices are updated at once. */
export function formatPhase({ phase, phases }: DeploymentListItem): string | undefined {
  if (phases.length < 2) return undefined
  if (phase === null) return `${phases.length}, none has begun`
  return `${phase + 1} of ${phases.length}, ${phases[phase]?.percent ?? 100} % of the devices`
}

export const formatVersion = ({
  slug,
  firmwareVersion,
}: DeploymentListItem['artifacts'][number]['firmware']) => `${slug} ${firmwareVersion.name}`
