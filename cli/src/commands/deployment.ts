import type { Command } from 'commander'
import { idOfNamed } from '../named.ts'
import { allPages, type AnswerOf } from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { shownTime } from '../instant.ts'
import { withMark } from '../mark.ts'
import { notePage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { printable } from '../printable.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

type Deployment = AnswerOf<'listDeployments'>['deployments'][number]

interface CohortOptions extends ConnectionOptions {
  cohort: string
}

const PATH = '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments'
const ONE = `${PATH}/{deploymentId}` as const

export function addDeploymentCommands(program: Command): void {
  const deployment = program.command('deployment').description('Roll-outs to cohorts of devices')

  connecting(ofCohort(deployment.command('list')))
    .description('List the deployments of a cohort, newest first')
    .action(list)

  connecting(ofCohort(deployment.command('show')))
    .description('Show a deployment')
    .argument('<deployment>', 'its id')
    .action(show)

  connecting(ofCohort(deployment.command('rollback')))
    .description('Roll back from the active deployment to the one before it')
    .argument('<deployment>', 'id of the active deployment')
    .action(rollBack)
}

function ofCohort(command: Command): Command {
  return command.requiredOption('--cohort <cohort>', 'id or name of the cohort')
}

function findCohortId({ client, workspaceId }: Session, cohort: string): Promise<string> {
  return idOfNamed(cohort, 'cohort', async () => {
    const path = '/workspaces/{workspaceId}/deployment-cohorts'
    const { deploymentCohorts } = await client.get(path, { params: { workspaceId } })
    return deploymentCohorts
  })
}

const COLUMNS: readonly Column<Deployment>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: ({ state }) => state,
    style: ({ isActive, state }) => (state === 'Stopped' ? 'red' : isActive ? 'green' : undefined),
  },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'DEVICES', value: progressOf },
  { title: 'ID', value: ({ id }) => id },
]

function progressOf({ deviceUpdateStateCounts: counts }: Deployment): string {
  const { pending, inProgress, succeeded, failed } = counts
  return `${succeeded} succeeded, ${failed} failed, ${inProgress + pending} to go`
}

async function list(options: CohortOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const params = { workspaceId, deploymentCohortId: await findCohortId(session, options.cohort) }
  const deployments: Deployment[] = []
  for await (const page of allPages((query) => client.get(PATH, { params, query })))
    deployments.push(...page.deployments)
  if (options.json) printJson({ deployments })
  else if (deployments.length === 0) printLine('No deployments.')
  else writeTable(terminal().stdout, COLUMNS, deployments)
}

async function show(deploymentId: string, options: CohortOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const deploymentCohortId = await findCohortId(session, options.cohort)
  const params = { workspaceId, deploymentCohortId, deploymentId }
  const deployment = await client.get(ONE, { params })
  if (options.json) {
    printJson(deployment)
    return
  }
  printFacts(factsOf(deployment))
  await notePage(session, 'deployment', { deploymentCohortId, deploymentId })
}

function factsOf(deployment: AnswerOf<'getDeployment'>): Fact[] {
  const { id, name, state, stateReason, createdAt, createdByEmail, endedAt } = deployment
  const { artifacts, failureReasons } = deployment
  return [
    ['Deployment', name],
    ['Id', id],
    ['State', [state, stateReason].filter(Boolean).join(': ')],
    ['Created', [shownTime(createdAt), createdByEmail].filter(Boolean).join(' by ')],
    ['Ended', shownTime(endedAt)],
    [
      'Installs',
      artifacts
        .map(({ firmware }) => withMark(namedVersion(firmware), firmware.firmwareVersion.mark))
        .join(', '),
    ],
    ['Devices', progressOf(deployment)],
    ['Failures', failureReasons.map(({ reason, count }) => `${count} × ${reason}`).join('; ')],
    ['Predecessor', deployment.predecessorId],
    ['Rolled back from', deployment.rollbackOfId],
  ]
}

function namedVersion({ slug, firmwareVersion }: Deployment['artifacts'][number]['firmware']) {
  return `${slug} ${firmwareVersion.name}`
}

async function rollBack(deploymentId: string, options: CohortOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const deploymentCohortId = await findCohortId(session, options.cohort)
  const path = `${ONE}/rollback` as const
  const params = { workspaceId, deploymentCohortId, deploymentId }
  const deployment = await client.post(path, { params })
  if (options.json) {
    printJson(deployment)
    return
  }
  const versions = deployment.artifacts.map(({ firmware }) => namedVersion(firmware)).join(', ')
  printLine(printable(`${deployment.name} brings back ${versions}: ${deployment.id}`))
  await notePage(session, 'deployment', { deploymentCohortId, deploymentId: deployment.id })
}
