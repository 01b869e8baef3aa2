/** Failed devices try again, all or by the reason. */
import type { Command } from 'commander'
import { nameDeploymentState } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { collect } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { formatCount } from '../print.ts'
import { type CohortOptions, DEPLOYMENT, formatProgress, openDeployment } from '../roll-out.ts'

interface RetryOptions extends CohortOptions, ConfirmOptions {
  reason?: string[]
  changedOnly?: boolean
}

export function addDeploymentRetry(retrying: Command): void {
  withConfirmation(retrying)
    .description('Have devices that failed try again; a stopped deployment goes on')
    .option(
      '--reason <text>',
      'only those that failed for it, as `deployment show` has it; may be repeated',
      collect,
    )
    .option('--changed-only', 'only those for which something has changed since they failed')
    .action(retry)
}

async function retry(text: string | undefined, options: RetryOptions): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const { reason: reasons, changedOnly = false } = options
  const found = await client.get(DEPLOYMENT, { params })
  const { groups } = await client.get(`${DEPLOYMENT}/failures`, { params })
  const devices = groups
    .filter(({ reason }) => reasons?.includes(reason) ?? true)
    .reduce((sum, { count, changedCount }) => sum + (changedOnly ? changedCount : count), 0)
  if (devices > 0)
    await confirm(
      `Have ${formatCount(devices, 'failed device')} of ${found.name} try again?`,
      options,
    )
  const body = { ...(reasons && { reasons }), ...(changedOnly && { changedOnly }) }
  const answer = await client.post(`${DEPLOYMENT}/device-updates/retry`, { params, body })
  printDone(options, {
    answer,
    text: `${answer.name}: ${nameDeploymentState(answer)}, ${formatProgress(answer)}`,
  })
  if (!options.json) await notePage(session, 'deployment', params)
}
