/** Changes what has not begun of a deployment; the service refuses the rest, and says why. */
import type { Command } from 'commander'
import { type BodyOf, type Deployment, nameDeploymentState } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { parseLaterInstant, parseSeconds } from '../instant.ts'
import { readPercent, readPositiveInteger } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { type CohortOptions, DEPLOYMENT, formatPhase, openDeployment } from '../roll-out.ts'
import { completePhases, type Phase, readPhase } from './deployment-create.ts'

type Patch = BodyOf<'changeDeployment'>

interface UpdateOptions extends CohortOptions {
  name?: string
  note?: string
  phase?: Phase[]
  wait?: number
  maxFailures?: number
  startsAt?: string
  maxAttempts?: number
}

/** `changing` has the names of the deployment and the connection already. */
export function addDeploymentUpdate(changing: Command): void {
  changing
    .description('Change what has not begun of a deployment; options that are left out stay')
    .option('--name <name>', 'another name')
    .option('--note <text>', 'why; the roll-out shows it; empty: none')
    .option(
      '--phase <percent[:wait]>',
      'what follows the phases that have begun, such as 50:1h; may be repeated',
      readPhase,
    )
    .option('--wait <time>', 'how long the present phase lasts at least, such as 2h', parseSeconds)
    .option(
      '--max-failures <percent>',
      'stop when more updates of the present or a later phase failed',
      readPercent,
    )
    .option('--starts-at <time>', 'when a scheduled one begins, or in how long', (text: string) =>
      parseLaterInstant(text),
    )
    .option('--max-attempts <count>', 'how often a device tries', readPositiveInteger)
    .action(update)
}

async function update(text: string | undefined, options: UpdateOptions): Promise<void> {
  const { name, note, startsAt, maxAttempts } = options
  const { session, client, params } = await openDeployment(text, options)
  const found = await client.get(DEPLOYMENT, { params })
  const phases = readPhases(found, options)
  const body: Patch = {
    ...(name !== undefined && { name }),
    ...(note !== undefined && { note: note === '' ? null : note }),
    ...(startsAt !== undefined && { startsAt }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(phases && { phases }),
  }
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: --note, --phase, --max-failures or another option.')
  const answer = await client.patch(DEPLOYMENT, { params, body, ifStill: found })
  const phase = formatPhase(answer)
  const state = [nameDeploymentState(answer), phase && `phase ${phase}`].filter(Boolean).join(', ')
  printDone(options, { answer, text: `${answer.name}: changed; ${state}` })
  if (!options.json) await notePage(session, 'deployment', params)
}

/** Those that have begun keep their share of the devices. undefined: nothing of them was said. */
function readPhases(
  { phase, phases }: Deployment,
  { phase: later, wait, maxFailures }: UpdateOptions,
): Phase[] | undefined {
  if (!later && wait === undefined && maxFailures === undefined) return undefined
  if (wait !== undefined && phase === null)
    throw usageError(
      '--wait: no phase has begun; say --phase with its waiting time, such as 10:2h.',
    )
  const begun = phase === null ? 0 : phase + 1
  const all = later ? completePhases([...phases.slice(0, begun), ...later], undefined) : phases
  return all.map((one, index) => ({
    ...one,
    ...(index === phase && wait !== undefined && { waitSeconds: wait }),
    ...(index >= (phase ?? 0) &&
      maxFailures !== undefined && { failureThresholdPercent: maxFailures }),
  }))
}
