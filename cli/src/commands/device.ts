import type { Command } from 'commander'
import { allPages, type Device, type DeviceFilter } from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { shownTime } from '../instant.ts'
import { withMark } from '../mark.ts'
import {
  limitOf,
  listing,
  type ListOptions as Listed,
  pageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { repeated } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { printJson } from '../print.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'
import { addDeviceWriting } from './device-write.ts'

interface ListOptions extends Listed {
  tag?: string[]
  cohort?: string[]
  cve?: string[]
  text?: string
  connected?: boolean
  vulnerable?: boolean
  blindSpot?: boolean
}

export function addDeviceCommands(program: Command): void {
  const device = program.command('device').description('Devices, and what they run')

  listing(device.command('list'))
    .description('List devices')
    .option('--tag <tag>', 'with this tag; may be repeated: all of them', repeated)
    .option('--cohort <cohort>', 'of the cohort with this id or name; may be repeated', repeated)
    .option(
      '--cve <id>',
      'that run a version with an active finding of it; may be repeated',
      repeated,
    )
    .option('--text <text>', 'whose id or description contains it')
    .option('--connected', 'only connected ones')
    .option('--no-connected', 'only those that are not connected')
    .option('--vulnerable', 'only those that run a version with active findings')
    .option('--blind-spot', 'only those that run a version unknown to the workspace')
    .action(list)

  connecting(device.command('show'))
    .description('Show a device')
    .argument('<device>', 'its id')
    .action(show)

  addDeviceWriting(device)
}

const COLUMNS: readonly Column<Device>[] = [
  { title: 'DEVICE', value: ({ id }) => id },
  {
    title: 'SEEN (UTC)',
    value: ({ connected, lastSeenAt }) => (connected ? 'connected' : shownTime(lastSeenAt)),
    style: ({ connected }) => (connected ? 'green' : undefined),
  },
  { title: 'RUNS', value: ({ firmware }) => firmware.map(runs).join(', ') },
  { title: 'COHORT', value: ({ cohort }) => cohort?.name ?? null },
  { title: 'TAGS', value: ({ tags }) => tags.join(', ') },
]

function runs({ slug, version, buildId, isBlindSpot }: Device['firmware'][number]): string {
  const name = slug === '' ? `build ${buildId ?? version}` : `${slug} ${version}`
  return isBlindSpot ? `${name} (unknown)` : name
}

async function list(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { rows, hasMore } = await readDevices(session, options)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'device',
    total: (hasMore && (await countAll(session, options))) || { hasMore },
    answer: (devices) => ({ devices, hasMore }),
  })
}

function readDevices({ client, workspaceId }: Session, options: ListOptions) {
  const limit = limitOf(options)
  const filter = filterOf(options)
  const pages = allPages((cursor) =>
    client.post('/workspaces/{workspaceId}/devices/list', {
      params: { workspaceId },
      body: { filter, limit: pageSize(limit), ...cursor },
    }),
  )
  return readUpTo(limit, pages, ({ devices }) => devices)
}

/** undefined: nobody has counted those that meet the filter. */
async function countAll({ client, workspaceId }: Session, options: ListOptions) {
  if (Object.keys(filterOf(options)).length > 0) return undefined
  const path = '/workspaces/{workspaceId}/device-summary'
  return { count: (await client.get(path, { params: { workspaceId } })).devices }
}

function filterOf(options: ListOptions): DeviceFilter {
  const { tag, cohort, cve, text, connected, vulnerable, blindSpot } = options
  return {
    ...(tag && { allTags: tag }),
    ...(cohort && { cohortIds: cohort }),
    ...(cve && { cveIds: cve }),
    ...(text !== undefined && { text }),
    ...(connected !== undefined && { connected }),
    ...(vulnerable && { vulnerable }),
    ...(blindSpot && { blindSpot }),
  }
}

async function show(deviceId: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const device = await client.get('/workspaces/{workspaceId}/devices/{deviceId}', {
    params: { workspaceId, deviceId },
  })
  if (options.json) {
    printJson(device)
    return
  }
  printFacts(factsOf(device))
  await notePage(session, 'device', { deviceId })
}

function factsOf(device: Device): Fact[] {
  const { id, description, connected, lastSeenAt, door, client, cohort, tags } = device
  const { configuration, currentUpdate: update } = device
  const state = [update?.state, update?.reason].filter(Boolean).join(', ')
  return [
    ['Device', id],
    ['Description', description],
    ['Connected', connected ? 'yes' : 'no'],
    ['Last seen', shownTime(lastSeenAt) ?? 'never'],
    ['By', [door, client].filter(Boolean).join(', ')],
    [
      'Runs',
      device.firmware.map((one) => withMark(runs(one), one.firmwareVersion?.mark)).join(', '),
    ],
    ['Cohort', cohort && `${cohort.name} (${cohort.id})`],
    ['Tags', tags.join(', ')],
    ['Log severity', configuration.desiredLogSeverity],
    ['Update', update && `${update.deploymentName}: ${state}`],
  ]
}
