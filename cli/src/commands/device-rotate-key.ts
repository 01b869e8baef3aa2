/** Asks devices to replace their keys themselves. */
import type { Command } from 'commander'
import type { RotatedKeys } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { type DeviceFilterOptions, withDeviceFilter } from '../device-filter.ts'
import { printDone } from '../done.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { describeWayBack, readSelection } from './device-batches.ts'

const DEVICES = '/workspaces/{workspaceId}/devices'

export function addDeviceKeyRotation(device: Command): void {
  withDeviceFilter(withConfirmation(withConnection(device.command('rotate-key'))))
    .description(
      'Ask devices to fetch their next keys; the old ones end when the new ones were used',
    )
    .argument('[device...]', 'their ids; without, all that the filter selects')
    .option('--dry-run', 'tell which can')
    .action(rotate)
  withConnection(device.command('cancel-rotation'))
    .description('Ask a device no more to fetch its next key')
    .argument('<device>', 'its id')
    .action(cancel)
}

interface RotateOptions extends ConnectionOptions, ConfirmOptions, DeviceFilterOptions {
  dryRun?: boolean
}

async function rotate(deviceIds: string[], options: RotateOptions): Promise<void> {
  const { dryRun: isDryRun = false } = options
  const selection = readSelection(deviceIds, options)
  const { client, workspaceId } = await openSession(options)
  const send = (dryRun: boolean) =>
    client.post(`${DEVICES}/bulk-rotate-keys`, {
      params: { workspaceId },
      body: { ...selection, dryRun },
    })
  const preview = await send(true)
  if (!isDryRun && preview.asked > 0 && ('filter' in selection || preview.severalKeys > 0)) {
    const question = `Ask ${formatCount(preview.asked, 'device')} to replace ${preview.asked === 1 ? 'its key' : 'their keys'}?`
    await confirm([...describeRest(preview), question].join('\n'), options)
  }
  const answer = isDryRun ? preview : await send(false)
  const { asked, keyRotationBatchId } = answer
  const verb = isDryRun ? 'would be' : asked === 1 ? 'is' : 'are'
  const text = [
    `${formatCount(asked, 'device')} ${verb} asked to fetch ${asked === 1 ? 'its' : 'their'} next key`,
    ...describeRest(answer),
  ]
  printDone(options, {
    answer,
    ...(keyRotationBatchId !== null && { id: keyRotationBatchId }),
    text: text.join('\n') + describeWayBack(keyRotationBatchId),
  })
}

function describeRest(counts: RotatedKeys): string[] {
  const { askedBefore, hawkbit, withoutOwnKey, severalKeys } = counts
  const lines: [number, string][] = [
    [askedBefore, 'asked before, and not done yet'],
    [hawkbit, 'cannot: hawkBit clients have no way to fetch a key'],
    [withoutOwnKey, 'cannot: no key of its own to replace'],
    [severalKeys, 'with several keys of its own: all older ones end once the new one is used'],
  ]
  return lines
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count, 'device')}: ${what}`)
}

async function cancel(deviceId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const path = `${DEVICES}/{deviceId}/key-rotation` as const
  const answer = await client.delete(path, { params: { workspaceId, deviceId } })
  printDone(options, { answer, text: `${deviceId}: asked no more to replace its key` })
}
