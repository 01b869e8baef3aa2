import type { Command } from 'commander'
import { LOG_SEVERITY, type NewDevice } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { readAttributes } from './device-attributes.ts'
import { addDeviceImport } from './device-import.ts'
import { addDeviceBatches, describeMoves, describeWayBack } from './device-batches.ts'
import { addDeviceKeyRotation } from './device-rotate-key.ts'
import { findCohortId } from '../named.ts'
import { readOneOf, collect } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

const DEVICES = '/workspaces/{workspaceId}/devices'
const DEVICE = `${DEVICES}/{deviceId}` as const

interface WriteOptions extends ConnectionOptions {
  description?: string
  /** false: none. */
  tag?: string[] | false
  attribute?: NonNullable<NewDevice['attributes']>
}

export function addDeviceWriting(device: Command): void {
  writing(withConnection(device.command('create')))
    .description('Create a device before it reports for the first time')
    .argument('<device>', 'its id: up to 128 of A-Z a-z 0-9 . _ -')
    .action(create)
  writing(withConnection(device.command('update')))
    .description('Change a device; options that are left out stay')
    .argument('<device>', 'its id')
    .option('--no-tag', 'take all tags away')
    .action(update)
  withConnection(device.command('configure'))
    .description('Set what a device logs; it is told when it is connected')
    .argument('<device>', 'its id')
    .option('--log-severity <word>', LOG_SEVERITY.join(', '), readOneOf(LOG_SEVERITY))
    .option('--no-log-severity', 'as its cohort or the workspace has it')
    .action(configure)
  withConnection(device.command('move'))
    .description('Move devices to a cohort, or out of theirs')
    .argument('<device...>', 'their ids')
    .option('--cohort <cohort>', 'id or name of the cohort')
    .option('--no-cohort', 'to none')
    .option('--dry-run', 'tell what would change')
    .action(move)
  addDeviceBatches(device)
  addDeviceKeyRotation(device)
  addDeviceImport(device)
  withConfirmation(withConnection(device.command('delete')))
    .description('Delete devices with their metrics and logs')
    .argument('<device...>', 'their ids')
    .action(remove)
}

function writing(command: Command): Command {
  return command
    .option('--description <text>', 'what it is, or where')
    .option('--tag <tag>', 'a tag; may be repeated; replaces all tags', collect)
    .option(
      '--attribute <name=value>',
      'a fact about it: a number, true, false or text; may be repeated',
      readAttributes,
    )
}

async function create(id: string, options: WriteOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const body = { id, ...readChanges(options) }
  const answer = await client.post(DEVICES, { params: { workspaceId }, body })
  printDone(options, { answer, id, text: `${id}: created` })
}

async function update(deviceId: string, options: WriteOptions): Promise<void> {
  const body = readChanges(options)
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: --description, --tag or --attribute.')
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, deviceId }
  const found = await client.get(DEVICE, { params })
  const answer = await client.patch(DEVICE, { params, body, ifStill: found })
  printDone(options, { answer, text: `${deviceId}: changed` })
}

function readChanges({ description, tag, attribute }: WriteOptions) {
  return {
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(tag !== undefined && { tags: tag || [] }),
    ...(attribute && { attributes: attribute }),
  }
}

interface ConfigureOptions extends ConnectionOptions {
  logSeverity?: (typeof LOG_SEVERITY)[number] | false
}

async function configure(deviceId: string, options: ConfigureOptions): Promise<void> {
  const { logSeverity } = options
  if (logSeverity === undefined) throw usageError('Say what to set: --log-severity.')
  const { client, workspaceId } = await openSession(options)
  const body = { logSeverity: logSeverity || null }
  const path = `${DEVICE}/configuration/desired` as const
  const params = { workspaceId, deviceId }
  const found = await client.get(path, { params })
  await client.put(path, { params, body, ifStill: found })
  const text = `${deviceId}: logs ${logSeverity || 'as its cohort or the workspace has it'}`
  printDone(options, { answer: { id: deviceId, ...body }, text })
}

interface MoveOptions extends ConnectionOptions {
  cohort?: string | false
  dryRun?: boolean
}

async function move(deviceIds: string[], options: MoveOptions): Promise<void> {
  const { cohort, dryRun = false } = options
  if (cohort === undefined) throw usageError('Say where to: --cohort, or --no-cohort.')
  const session = await openSession(options)
  const { client, workspaceId } = session
  const deploymentCohortId = cohort === false ? null : await findCohortId(session, cohort)
  const body = { deviceIds, deploymentCohortId, dryRun }
  const path = '/workspaces/{workspaceId}/devices/bulk-move'
  const answer = await client.post(path, { params: { workspaceId }, body })
  const { deviceBatchId } = answer
  const text = describeMoves(answer, dryRun) || 'No device changes its cohort.'
  printDone(options, {
    answer,
    ...(deviceBatchId !== null && { id: deviceBatchId }),
    text: text + describeWayBack(deviceBatchId),
  })
}

async function remove(
  deviceIds: string[],
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const which =
    deviceIds.length > 3 ? formatCount(deviceIds.length, 'device') : deviceIds.join(', ')
  // Nothing goes before all are known: a typing error in the last one is no half of a work.
  for (const deviceId of deviceIds) await client.get(DEVICE, { params: { workspaceId, deviceId } })
  await confirm(`Delete ${which} with all metrics and logs?`, options)
  for (const deviceId of deviceIds)
    await client.delete(DEVICE, { params: { workspaceId, deviceId } })
  const text = deviceIds.map((deviceId) => `${deviceId}: deleted`).join('\n')
  printDone(options, { answer: { ids: deviceIds }, text })
}
