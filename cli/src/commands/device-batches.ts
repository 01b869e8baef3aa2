/** Changes of many devices, and the way back. */
import type { Command } from 'commander'
import {
  ApiProblem,
  type MovedDevices,
  type UndoneDeviceBatch,
  type UndoneKeyRotations,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { type DeviceFilterOptions, readDeviceFilter, withDeviceFilter } from '../device-filter.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { collect } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'

const DEVICES = '/workspaces/{workspaceId}/devices'

export function addDeviceBatches(device: Command): void {
  withDeviceFilter(withConfirmation(withConnection(device.command('tag'))))
    .description('Add tags to devices, or take them away')
    .argument('[device...]', 'their ids; without, all that the filter selects')
    .option('--add <tag>', 'a tag that they get; may be repeated', collect)
    .option('--remove <tag>', 'a tag that they lose; may be repeated', collect)
    .option('--dry-run', 'tell what would change')
    .action(tag)
  withConnection(device.command('undo'))
    .description(
      'Take back a change of tags or a move, for seven days, or a request to replace keys',
    )
    .argument('<batch>', 'its id, as device tag, device move or device rotate-key printed it')
    .action(undo)
}

interface TagOptions extends ConnectionOptions, ConfirmOptions, DeviceFilterOptions {
  add?: string[]
  remove?: string[]
  dryRun?: boolean
}

async function tag(deviceIds: string[], options: TagOptions): Promise<void> {
  const { add = [], remove = [], dryRun = false } = options
  if (add.length + remove.length === 0) throw usageError('Say what: --add, or --remove.')
  const selection = readSelection(deviceIds, options)
  const { client, workspaceId } = await openSession(options)
  const send = (isPreview: boolean) =>
    client.post(`${DEVICES}/bulk-tag`, {
      params: { workspaceId },
      body: { ...selection, add, remove, dryRun: isPreview },
    })
  if ('filter' in selection && !dryRun) {
    const { matched, ...preview } = await send(true)
    const question = `Change the tags of ${preview.changed} of ${formatCount(matched, 'device')} that match?`
    if (preview.changed > 0)
      await confirm([describeMoves(preview, true), question].filter(Boolean).join('\n'), options)
  }
  const answer = await send(dryRun)
  const { changed, deviceBatchId } = answer
  const verb = dryRun ? 'would have' : changed === 1 ? 'has' : 'have'
  const text = [
    `${formatCount(changed, 'device')} ${verb} other tags`,
    describeMoves(answer, dryRun),
  ]
  printDone(options, {
    answer,
    ...(deviceBatchId !== null && { id: deviceBatchId }),
    text: text.filter(Boolean).join('\n') + describeWayBack(deviceBatchId),
  })
}

/** Ids or a filter, never both: it would not be plain which of the two narrows the other. */
export function readSelection(deviceIds: string[], options: DeviceFilterOptions) {
  const filter = readDeviceFilter(options)
  const isFiltered = Object.keys(filter).length > 0
  if (deviceIds.length > 0 === isFiltered)
    throw usageError(
      'Name devices by their ids, or by a filter such as --tag, --cohort or --text; device list takes the same filter.',
    )
  return isFiltered ? { filter } : { deviceIds }
}

/** A batch is of tags, a move or a request to replace keys; its id does not say which. */
async function undo(batchId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, deviceBatchId: batchId }
  const undoTags = () => client.post(`${DEVICES}/bulk-tag/{deviceBatchId}/undo`, { params })
  const answer =
    (await unlessUnknown(undoTags)) ??
    (await unlessUnknown(() =>
      client.post(`${DEVICES}/bulk-move/{deviceBatchId}/undo`, { params }),
    ))
  if (answer) return printDone(options, { answer, text: describeRestored(answer) })
  const cancelled = await unlessUnknown(() =>
    client.post(`${DEVICES}/bulk-rotate-keys/{keyRotationBatchId}/undo`, {
      params: { workspaceId, keyRotationBatchId: batchId },
    }),
  )
  if (cancelled)
    return printDone(options, { answer: cancelled, text: describeCancelled(cancelled) })
  // Nothing has this id: told as for the first of them.
  await undoTags()
}

async function unlessUnknown<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 404) return undefined
    throw error
  }
}

function describeRestored({ restored, left, leftDeviceIds }: UndoneDeviceBatch): string {
  const back = `${formatCount(restored, 'device')} ${restored === 1 ? 'has' : 'have'} again what was there before`
  if (left === 0) return back
  const more = left > leftDeviceIds.length ? ', …' : ''
  return `${back}\n${formatCount(left, 'device')} left as they are, changed since: ${leftDeviceIds.join(', ')}${more}`
}

function describeCancelled({ cancelled, left }: UndoneKeyRotations): string {
  const back = `${formatCount(cancelled, 'device')} ${cancelled === 1 ? 'is' : 'are'} asked no more to replace ${cancelled === 1 ? 'its key' : 'their keys'}`
  return left === 0
    ? back
    : `${back}\n${formatCount(left, 'device')} fetched the next key already, and ${left === 1 ? 'goes' : 'go'} on with it`
}

export function describeWayBack(deviceBatchId: string | null): string {
  return deviceBatchId === null ? '' : `\nTake it back with: plimsoll device undo ${deviceBatchId}`
}

export function describeMoves({ moves }: Pick<MovedDevices, 'moves'>, isDryRun: boolean): string {
  return moves
    .map(({ from, to, devices }) => {
      const moved = isDryRun ? 'would move' : 'moved'
      const place = (one: typeof from) => one?.name ?? 'no cohort'
      return `${formatCount(devices, 'device')} ${moved} from ${place(from)} to ${place(to)}`
    })
    .join('\n')
}
