/** Shows what a roll back restores on how many devices, and does it once that was confirmed. */
import type { Command } from 'commander'
import type { RollbackPreview } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { notePage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { type CohortOptions, DEPLOYMENT, formatVersion, openDeployment } from '../roll-out.ts'

/** `rolling` has the names of the deployment and the connection already. */
export function addDeploymentRollback(rolling: Command): void {
  withConfirmation(rolling)
    .description('Roll back to the firmware version that the devices had before')
    .option(
      '--to <version>',
      'slug@name or id of the version that comes back (default: the one before)',
    )
    .option('--dry-run', 'tell which version comes back, on how many devices')
    .action(rollBack)
}

async function rollBack(
  text: string | undefined,
  options: CohortOptions & ConfirmOptions & { dryRun?: boolean; to?: string },
): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const to = options.to !== undefined && {
    firmwareVersionId: await findStatedVersionId(session, options.to),
  }
  const preview = await client.get(`${DEPLOYMENT}/rollback-preview`, {
    params,
    query: { limit: 0, ...to },
  })
  if (options.dryRun) {
    if (options.json) printJson(preview)
    else printLine(describeRollback(preview))
    return
  }
  await confirm(describeRollback(preview), options)
  const query = { restores: preview.restored.id, ...to }
  const answer = await client.post(`${DEPLOYMENT}/rollback`, { params, query })
  const versions = answer.artifacts.map(({ firmware }) => formatVersion(firmware)).join(', ')
  const { id, name } = answer
  printDone(options, { answer, id, text: `${name} brings back ${versions}: ${id}` })
  if (!options.json) await notePage(session, 'deployment', { ...params, deploymentId: id })
}

/** What is left and what comes back, with the devices of each. */
function describeRollback({
  deployment,
  restored,
  artifacts,
  deviceCounts: { reporting, installing, staying, other, unknown },
  wasTaken,
}: RollbackPreview): string {
  const versions = artifacts.map(
    ({ firmware, replaces, firmwareVersion }) =>
      `${firmware.slug} ${replaces?.name ?? '(none)'} -> ${firmwareVersion.name}`,
  )
  const counts = [
    `${reporting + installing + other} go back (${reporting} on the left version, ${installing} installing it, ${other} on others)`,
    `${staying} on the restored one stay`,
    `of ${unknown} nobody knows what they run`,
  ]
  const warning = wasTaken ? '' : ' No device of the cohort is known to have run it.'
  return `Roll back ${deployment.name} to ${restored.name}: ${versions.join(', ')}. Devices: ${counts.join(', ')}.${warning}`
}
