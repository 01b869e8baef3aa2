/** What people do to a deployment that is under way: pause, resume, begin its next phase, cancel. */
import type { Command } from 'commander'
import { type Deployment, nameDeploymentState } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { notePage } from '../portal-page.ts'
import { type CohortOptions, DEPLOYMENT, formatProgress, openDeployment } from '../roll-out.ts'

/** `add` makes a command with the names of the deployment and the connection. */
export function addDeploymentActs(add: (name: string) => Command): void {
  add('pause')
    .description('Pause a deployment; devices that have begun continue')
    .action((text: string | undefined, options: CohortOptions) => act('pause', text, options))
  add('resume')
    .description('Let a paused or stopped deployment go on, also where a comparison stopped it')
    .option('--reason <text>', WHY)
    .action((text: string | undefined, options: ReasonOptions) => act('resume', text, options))
  withConfirmation(add('next-phase'))
    .description('Begin the next phase now, whatever the present one waits for')
    .option('--reason <text>', WHY)
    .action(beginNextPhase)
  withConfirmation(add('cancel'))
    .description('End a deployment; devices keep what they run')
    .action((text: string | undefined, options: CohortOptions & ConfirmOptions) =>
      act('cancel', text, options),
    )
}

async function act(
  verb: 'pause' | 'resume' | 'cancel',
  text: string | undefined,
  options: ReasonOptions & ConfirmOptions,
): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  if (verb === 'cancel') {
    const found = await client.get(DEPLOYMENT, { params })
    await confirm(`Cancel ${found.name} (${formatProgress(found)})?`, options)
  }
  const answer =
    verb === 'resume'
      ? await client.post(`${DEPLOYMENT}/resume`, { params, query: readReason(options) })
      : await client.post(`${DEPLOYMENT}/${verb}`, { params })
  await printState(answer, { session, params, options })
}

interface ReasonOptions extends CohortOptions {
  reason?: string
}
const WHY = 'why; the deployment and the audit log keep it'

const readReason = ({ reason }: ReasonOptions) => (reason === undefined ? {} : { reason })

async function beginNextPhase(
  text: string | undefined,
  options: ReasonOptions & ConfirmOptions,
): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const found = await client.get(DEPLOYMENT, { params })
  const phase = (found.phase ?? 0) + 1
  const percent = found.phases[phase]?.percent
  if (percent !== undefined)
    await confirm(
      `Release ${found.name} to ${percent} % of the devices now (${formatProgress(found)})?`,
      options,
    )
  const answer = await client.post(`${DEPLOYMENT}/next-phase`, {
    params,
    query: { phase, ...readReason(options) },
  })
  await printState(answer, { session, params, options })
}

async function printState(
  answer: Deployment,
  {
    session,
    params,
    options,
  }: Omit<Awaited<ReturnType<typeof openDeployment>>, 'client'> & { options: CohortOptions },
): Promise<void> {
  printDone(options, {
    answer,
    text: `${answer.name}: ${nameDeploymentState(answer)}, ${formatProgress(answer)}`,
  })
  if (!options.json) await notePage(session, 'deployment', params)
}
