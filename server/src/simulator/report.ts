/** The lines that `npm run simulate` prints. */
import type { SimulationCounts } from './tally.ts'

export function formatProgress(seconds: number, counts: SimulationCounts): string {
  const { devices, connected, updates, running } = counts
  const parts = [
    `${String(Math.round(seconds)).padStart(5)} s`,
    `${connected}/${devices} connected`,
    versionsText(running),
  ]
  if (updates.offered > 0)
    parts.push(
      `updates: ${updates.offered} started, ${updates.succeeded} succeeded, ${updates.failed} failed, ` +
        `${updates.fellBack} fell back, ${updates.silent} silent`,
    )
  if (counts.lastTrouble !== null)
    parts.push(`${counts.troubles} × trouble, the last: ${counts.lastTrouble}`)
  return parts.join('  ')
}

function versionsText(running: SimulationCounts['running']): string {
  return Object.entries(running)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}

export function formatSummary(counts: SimulationCounts): string {
  const { updates } = counts
  return [
    `Devices: ${counts.devices}, ${counts.started} of them connected`,
    `Sent: ${counts.sessions} sessions, ${counts.metrics} metrics, ${counts.crashes} crashes, ${counts.configurations} configurations acknowledged`,
    `Updates: ${updates.offered} started, ${updates.downloads} artifacts downloaded, ${updates.succeeded} succeeded, ` +
      `${updates.failed} failed, ${updates.fellBack} fell back, ${updates.silent} silent, ${updates.cancelled} cancelled`,
    ...(counts.keys.fetched > 0
      ? [
          `Keys: ${counts.keys.fetched} fetched, ${counts.keys.replaced} took the place of older ones`,
        ]
      : []),
    `Running at the end: ${versionsText(counts.running)}`,
    ...(counts.lastTrouble === null
      ? []
      : [`Trouble: ${counts.troubles} times, the last: ${counts.lastTrouble}`]),
    '',
  ].join('\n')
}
