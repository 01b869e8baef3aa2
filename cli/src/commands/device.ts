import type { Command } from 'commander'
import { readAllPages, type Device } from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { type DeviceFilterOptions, readDeviceFilter, withDeviceFilter } from '../device-filter.ts'
import { formatTime } from '../instant.ts'
import { withMark } from '../mark.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions as Listed,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { notePage } from '../portal-page.ts'
import { printJson } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'
import { addDeviceOffer } from './device-offer.ts'
import { addDeviceWriting } from './device-write.ts'

type ListOptions = Listed & DeviceFilterOptions & { oldestKeyFirst?: boolean }

export function addDeviceCommands(program: Command): void {
  const device = program.command('device').description('Devices, and what they run')

  withDeviceFilter(withListOptions(device.command('list')))
    .description('List devices, by id; with --blind-spot, the longest unknown first')
    .option('--oldest-key-first', 'those with the oldest keys first, and how old they are')
    .action(listDevices)

  withConnection(device.command('show'))
    .description('Show a device')
    .argument('<device>', 'its id')
    .action(showDevice)

  addDeviceOffer(device)
  addDeviceWriting(device)
}

const COLUMNS: readonly Column<Device>[] = [
  { title: 'DEVICE', value: ({ id }) => id },
  {
    title: 'SEEN (UTC)',
    value: ({ connected, lastSeenAt }) => (connected ? 'connected' : formatTime(lastSeenAt)),
    style: ({ connected }) => (connected ? 'green' : undefined),
  },
  {
    title: 'RUNS',
    value: (device) => describeUnnamed(device) ?? device.firmware.map(runs).join(', '),
  },
  { title: 'COHORT', value: ({ cohort }) => cohort?.name ?? null },
  { title: 'TAGS', value: ({ tags }) => tags.join(', ') },
]

/** Devices without an own key come last. */
const KEY_AGE: Column<Device> = {
  title: 'OLDEST KEY (UTC)',
  value: ({ oldestKeyAt }) => formatTime(oldestKeyAt) ?? 'none of its own',
}

const isByKeyAge = ({ oldestKeyFirst, keyOlderThan }: ListOptions): boolean =>
  oldestKeyFirst === true || keyOlderThan !== undefined

type Running = Device['firmware'][number]

const IMAGE_WORDS: Record<Running['image']['state'], string> = {
  Proved: 'image proved',
  NotReported: 'image not reported',
  NotAHash: 'reports no hash',
  OtherImage: 'another image',
  UnknownImage: 'unknown image',
}

function runs({ slug, version, buildId, isBlindSpot, firmwareVersion, image }: Running): string {
  const name = slug === '' ? `build ${buildId ?? version}` : `${slug} ${version}`
  if (!isBlindSpot) return name
  return `${name} (${firmwareVersion === null ? 'unknown' : IMAGE_WORDS[image.state]})`
}

/** undefined: it names the firmware of what it runs, or reports no version. */
function describeUnnamed({ unnamedVersion }: Device): string | undefined {
  if (unnamedVersion === null) return undefined
  const { attribute, version } = unnamedVersion
  return `unknown; reports ${attribute}=${version}: of which firmware?`
}

function describeRuns(device: Device): string {
  const unnamed = describeUnnamed(device)
  if (unnamed !== undefined)
    return `${unnamed} Let its client report firmware.SLUG=${device.unnamedVersion?.version ?? ''} instead (docs/guide/hawkbit.md)`
  return device.firmware.map((one) => withMark(runs(one), one.firmwareVersion?.mark)).join(', ')
}

async function listDevices(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { rows, hasMore } = await readDevices(session, options)
  printListing(options, {
    rows,
    columns: isByKeyAge(options) ? [...COLUMNS, KEY_AGE] : COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'device',
    total: (hasMore && (await countAll(session, options))) || { hasMore },
    answer: (devices) => ({ devices, hasMore }),
  })
}

function readDevices({ client, workspaceId }: Session, options: ListOptions) {
  const limit = readLimit(options)
  const filter = readDeviceFilter(options)
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/devices/list', {
      params: { workspaceId },
      body: {
        filter,
        ...(options.blindSpot && { sortColumn: 'UnknownSince' as const }),
        ...(isByKeyAge(options) && { sortColumn: 'OldestKeyAt' as const }),
        limit: choosePageSize(limit),
        ...cursor,
      },
    }),
  )
  return readUpTo(limit, pages, ({ devices }) => devices)
}

/** undefined: nobody has counted those that meet the filter. */
async function countAll({ client, workspaceId }: Session, options: ListOptions) {
  if (Object.keys(readDeviceFilter(options)).length > 0) return undefined
  const path = '/workspaces/{workspaceId}/device-summary'
  return { count: (await client.get(path, { params: { workspaceId } })).devices }
}

async function showDevice(deviceId: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const device = await client.get('/workspaces/{workspaceId}/devices/{deviceId}', {
    params: { workspaceId, deviceId },
  })
  if (options.json) {
    printJson(device)
    return
  }
  printFacts(listFacts(device))
  await notePage(session, 'device', { deviceId })
}

function listFacts(device: Device): Fact[] {
  const { id, description, connected, lastSeenAt, door, client, cohort, tags } = device
  const { configuration, currentUpdate: update, oldestKeyAt, keyRotation } = device
  const state = [update?.state, update?.reason].filter(Boolean).join(', ')
  return [
    ['Device', id],
    ['Description', description],
    ['Connected', connected ? 'yes' : 'no'],
    ['Last seen', formatTime(lastSeenAt) ?? 'never'],
    ['By', [door, client].filter(Boolean).join(', ')],
    ['Runs', describeRuns(device)],
    ['Cohort', cohort && `${cohort.name} (${cohort.id})`],
    ['Tags', tags.join(', ')],
    ['Log severity', configuration.desiredLogSeverity],
    ['Oldest key', formatTime(oldestKeyAt) ?? 'none of its own'],
    ['Replacing its key', keyRotation && `${keyRotation.state}: ${keyRotation.standing}`],
    ['Update', update && `${update.deploymentName}: ${state}`],
  ]
}
