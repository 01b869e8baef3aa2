import { type Command, Option } from 'commander'
import type {
  Firmware,
  FirmwareVersionListItem,
  VersionInOverview,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { notFound } from '../named.ts'
import { type Fact, printFacts } from '../facts.ts'
import { findFirmware } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { markStyle } from '../mark.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'
import { addFirmwareChain } from './firmware-chain.ts'

const FIRMWARES = '/workspaces/{workspaceId}/firmwares'
const FIRMWARE = `${FIRMWARES}/{firmwareId}` as const

interface WriteOptions extends ConnectionOptions {
  slug?: string
  name?: string
  description?: string
  supportEndsOn?: string
}

export function addFirmwareCommands(program: Command): void {
  const firmware = program.command('firmware').description('Firmwares and their versions')

  withListOptions(firmware.command('list')).description('List the firmwares').action(listFirmware)
  named(firmware.command('show')).description('Show a firmware').action(showFirmware)
  writing(withConnection(firmware.command('create')))
    .description('Create a firmware')
    .argument('<slug>', 'what devices and pipelines call it: lower case, digits, hyphens')
    .action(create)
  writing(named(firmware.command('update')))
    .description('Change a firmware; options that are left out stay')
    .option('--slug <slug>', 'another slug; devices report it, so they have to change with it')
    .action(update)
  withConfirmation(named(firmware.command('delete')))
    .description('Delete a firmware with its versions, their SBOMs, findings and decisions')
    .action(remove)
  withListOptions(firmware.command('versions'))
    .description('List the versions of a firmware with their marks, newest first')
    .argument('<firmware>', SLUG)
    .action(listVersions)
  addFirmwareChain(firmware)
  withListOptions(firmware.command('running'))
    .description('List what devices run: versions of all firmwares with their marks and devices')
    .addOption(
      new Option('--group <group>', 'only versions of this group')
        .choices([...GROUPS])
        .default('InField'),
    )
    .action(listRunning)
}

const GROUPS = ['All', 'InField', 'Overloaded', 'ToDecide', 'Unknown', 'OnNoDevice'] as const

const SLUG = 'its slug or id'

function named(command: Command): Command {
  return withConnection(command.argument('<firmware>', SLUG))
}

function writing(command: Command): Command {
  return command
    .option('--name <name>', 'what people call it')
    .option('--description <text>', 'what it is')
    .option(
      '--support-ends-on <day>',
      'until when you promise to support it: the first day without fixes; empty: nothing is promised',
    )
}

async function openFirmware(session: Session, slug: string): Promise<Firmware> {
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(slug)}`)
  return firmware
}

const FIRMWARE_COLUMNS: readonly Column<Firmware>[] = [
  { title: 'FIRMWARE', value: ({ slug }) => slug },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VERSIONS', value: ({ versionCount }) => versionCount },
  { title: 'DESCRIPTION', value: ({ description }) => description },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listFirmware(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { firmwares } = await client.get(FIRMWARES, { params: { workspaceId } })
  printListing(options, {
    rows: firmwares,
    columns: FIRMWARE_COLUMNS,
    nameOf: ({ slug }) => slug,
    noun: 'firmware',
    answer: (rows) => ({ firmwares: rows }),
  })
}

async function showFirmware(slug: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const firmware = await openFirmware(session, slug)
  if (options.json) {
    printJson(firmware)
    return
  }
  printFacts(listFacts(firmware))
  await notePage(session, 'firmware', { firmwareId: firmware.id })
}

function listFacts(firmware: Firmware): Fact[] {
  return [
    ['Firmware', firmware.slug],
    ['Id', firmware.id],
    ['Name', firmware.name],
    ['Description', firmware.description],
    ['Supported until', firmware.supportEndsOn],
    ['Versions', firmware.versionCount],
    ['Created', formatTime(firmware.createdAt)],
    ['Changed', formatTime(firmware.updatedAt)],
  ]
}

async function create(slug: string, options: WriteOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const body = { slug, ...readChanges(options) }
  const answer = await client.post(FIRMWARES, { params: { workspaceId }, body })
  printDone(options, { answer, id: answer.slug, text: `${answer.slug}: created, ${answer.id}` })
}

async function update(slug: string, options: WriteOptions): Promise<void> {
  const body = {
    ...readChanges(options),
    ...(options.slug !== undefined && { slug: options.slug }),
  }
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: --name, --description, --support-ends-on or --slug.')
  const session = await openSession(options)
  const { id: firmwareId } = await openFirmware(session, slug)
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareId }
  const found = await client.get(FIRMWARE, { params })
  const answer = await client.patch(FIRMWARE, { params, body, ifStill: found })
  printDone(options, { answer, text: `${answer.slug}: changed` })
}

function readChanges({ name, description, supportEndsOn }: WriteOptions) {
  return {
    ...(supportEndsOn !== undefined && {
      supportEndsOn: supportEndsOn === '' ? null : supportEndsOn,
    }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === '' ? null : description }),
  }
}

async function remove(slug: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const session = await openSession(options)
  const firmware = await openFirmware(session, slug)
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareId: firmware.id }
  const { firmwareVersions } = await client.get(`${FIRMWARE}/versions`, { params })
  const sbomCount = firmwareVersions.reduce((sum, version) => sum + version.sbomCount, 0)
  const extent = describeExtent(firmwareVersions.length, sbomCount)
  await confirm(`Delete the firmware ${firmware.slug}${extent}?`, options)
  await client.delete(FIRMWARE, { params })
  const answer = { id: firmware.id, versionCount: firmwareVersions.length, sbomCount }
  printDone(options, { answer, text: `${firmware.slug}: deleted${extent}` })
}

/** What goes with a firmware. */
function describeExtent(versionCount: number, sbomCount: number): string {
  if (versionCount === 0) return ', which has no versions'
  const counts = `${formatCount(versionCount, 'version')}, ${formatCount(sbomCount, 'SBOM')}`
  return ` with ${counts}, their artifacts, findings and decisions`
}

const VERSION_COLUMNS: readonly Column<FirmwareVersionListItem>[] = [
  { title: 'VERSION', value: ({ name }) => name },
  { title: 'LINE', value: describeLine },
  {
    title: 'MARK',
    value: ({ mark }) => mark.sentence,
    style: ({ mark }) => markStyle(mark),
  },
  { title: 'SBOMS', value: ({ sbomCount }) => sbomCount },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  {
    title: 'OUT OF SUPPORT FROM',
    value: ({ supportPeriod }) => supportPeriod.endsOn ?? 'not known',
    isSpare: true,
  },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

/** "3.x, newest"; without lines the list itself says which one is the newest. */
function describeLine({ line, isNewestOfLine }: FirmwareVersionListItem): string | null {
  return line ? `${line.name}${isNewestOfLine ? ', newest' : ''}` : null
}

async function listVersions(slug: string, options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmware = await openFirmware(session, slug)
  const { firmwareVersions } = await client.get(`${FIRMWARE}/versions`, {
    params: { workspaceId, firmwareId: firmware.id },
  })
  printListing(options, {
    rows: firmwareVersions,
    columns: VERSION_COLUMNS,
    nameOf: ({ name }) => `${firmware.slug}@${name}`,
    noun: 'version',
    answer: (rows) => ({ firmwareVersions: rows }),
  })
}

type RunningVersion = VersionInOverview & { slug: string }

const countOf = (severity: string) => (version: RunningVersion) =>
  // Not known is no zero.
  version.countsBySeverity?.find((one) => one.severity === severity)?.count ?? '?'

const RUNNING_COLUMNS: readonly Column<RunningVersion>[] = [
  { title: 'FIRMWARE', value: ({ slug }) => slug },
  { title: 'VERSION', value: ({ name }) => name },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'MARK', value: ({ mark }) => mark.sentence, style: ({ mark }) => markStyle(mark) },
  { title: 'C', value: countOf('Critical') },
  { title: 'H', value: countOf('High') },
  { title: 'M', value: countOf('Medium') },
  { title: 'L', value: countOf('Low') },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

const MOST_LISTED = 1000

async function listRunning(
  options: ListOptions & { group: (typeof GROUPS)[number] },
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const overview = await client.get('/workspaces/{workspaceId}/firmware-overview', {
    params: { workspaceId },
    query: { group: options.group, limit: MOST_LISTED },
  })
  const rows = overview.firmwares.flatMap(({ slug, versions }) =>
    versions.map((version) => ({ ...version, slug })),
  )
  const left = overview.firmwares.reduce((sum, firmware) => sum + firmware.left.versions, 0)
  printListing(options, {
    rows,
    columns: RUNNING_COLUMNS,
    nameOf: ({ slug, name }) => `${slug}@${name}`,
    noun: 'version',
    total: { count: rows.length + left + overview.unlistedUnregistered },
    answer: (versions) => ({ devices: overview.devices, versions }),
  })
}
