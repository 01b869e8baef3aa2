/** Registers the devices of a CSV file: all lines are checked before the first device is sent. */
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { ApiProblem, type NewDevice } from '../../../api-client/src/index.ts'
import { type CsvRecord, parseCsv } from '../csv-file.ts'
import { printDone } from '../done.ts'
import { type CliError, usageError } from '../failure.ts'
import { formatCount, note } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { getTerminal } from '../terminal.ts'
import { parseValue } from './device-attributes.ts'

const HELP = `
The first line names the columns: id, and if wanted description, tags (separated by ;) and
attribute.NAME for each attribute.

  id,tags,attribute.board
  gw-0001,beta; site-7,rev-c`

export function addDeviceImport(device: Command): void {
  withConnection(device.command('import'))
    .description('Register the devices of a CSV file; those that exist stay as they are')
    .argument('<file>', 'CSV with a line for each device; - for stdin')
    .option('--dry-run', 'only check the file')
    .addHelpText('after', HELP)
    .action(importDevices)
}

async function importDevices(
  file: string,
  options: ConnectionOptions & { dryRun?: boolean },
): Promise<void> {
  const devices = readDevices(file, await readText(file))
  if (options.dryRun) {
    const text = `${file}: ${formatCount(devices.length, 'device')}, no fault found`
    printDone(options, { answer: { devices: devices.map(({ device }) => device) }, text })
    return
  }
  const answer = await sendAll(await openSession(options), file, devices)
  const { created, existing } = answer
  const kept = existing.length === 0 ? '' : `\n${describeExisting(existing)}`
  printDone(options, { answer, text: `${formatCount(created.length, 'device')} created${kept}` })
}

const MOST_NAMED = 10

function describeExisting(existing: readonly string[]): string {
  const more = existing.length > MOST_NAMED ? `, and ${existing.length - MOST_NAMED} more` : ''
  const names = existing.slice(0, MOST_NAMED).join(', ')
  return `${formatCount(existing.length, 'device')} registered before, left as they are: ${names}${more}`
}

async function readText(file: string): Promise<string> {
  return (file === '-' ? readAll(getTerminal().stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw usageError(
        `Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}.`,
      )
    },
  )
}

interface ListedDevice {
  line: number
  device: NewDevice
}

const MOST_FAULTS = 20

function readDevices(file: string, text: string): ListedDevice[] {
  const records = parseCsv(text)
  if (!Array.isArray(records))
    throw usageError(
      `${file}, line ${records.notCsvAtLine}: a quotation mark is not closed or stands within a cell.`,
    )
  const [header, ...rows] = records
  if (!header) throw usageError(`${file} is empty.`)
  const columns = header.cells.map((cell) => cell.trim())
  const devices = rows.map((row) => ({ line: row.line, device: readDevice(columns, row) }))
  const faults = [
    ...listColumnFaults(columns),
    ...rows.flatMap((row, at) => listFaults(columns, row, devices[at]?.device)),
    ...listRepeated(devices),
  ]
  if (faults.length > 0) throw refuse(file, faults)
  if (devices.length === 0) throw usageError(`${file} names no device.`)
  return devices
}

interface Fault {
  line: number
  text: string
}

function refuse(file: string, faults: readonly Fault[], isBegun = false): CliError {
  const sorted = faults.toSorted((one, other) => one.line - other.line)
  const shown = sorted.slice(0, MOST_FAULTS).map(({ line, text }) => `  line ${line}: ${text}`)
  const more = sorted.length - shown.length
  return usageError(
    [
      `${file} has ${formatCount(faults.length, 'fault')}; no ${isBegun ? 'further ' : ''}device was sent:`,
      ...shown,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  )
}

const ATTRIBUTE = 'attribute.'
const isKnown = (column: string) =>
  ['id', 'description', 'tags'].includes(column) ||
  (column.startsWith(ATTRIBUTE) && column.length > ATTRIBUTE.length)

function listColumnFaults(columns: readonly string[]): Fault[] {
  const unknown = columns.filter((column) => !isKnown(column))
  const texts = [
    ...(columns.includes('id') ? [] : ['There is no column id.']),
    ...unknown.map(
      (column) =>
        `${JSON.stringify(column)} is no column: id, description, tags, attribute.NAME (${ATTRIBUTE}${column}?).`,
    ),
    ...columns
      .filter((column, at) => columns.indexOf(column) !== at)
      .map((column) => `The column ${JSON.stringify(column)} is there twice.`),
  ]
  return texts.map((text) => ({ line: 1, text }))
}

function readDevice(columns: readonly string[], { cells }: CsvRecord): NewDevice {
  const filled = columns.flatMap((column, at): [string, string][] => {
    const cell = cells[at]?.trim() ?? ''
    return cell === '' ? [] : [[column, cell]]
  })
  const { id = '', description, tags } = Object.fromEntries(filled)
  const attributes = filled.flatMap(([column, cell]) =>
    column.startsWith(ATTRIBUTE) ? [[column.slice(ATTRIBUTE.length), parseValue(cell)]] : [],
  )
  return {
    id,
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags: splitTags(tags) }),
    ...(attributes.length > 0 && {
      attributes: Object.fromEntries(attributes) as NonNullable<NewDevice['attributes']>,
    }),
  }
}

const splitTags = (cell: string) => [
  ...new Set(
    cell
      .split(';')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** What the service would refuse, by the line. */
function listFaults(columns: readonly string[], row: CsvRecord, device?: NewDevice): Fault[] {
  const isWhole = row.cells.length === columns.length
  const cells = formatCount(row.cells.length, 'cell')
  const texts = [
    ...(isWhole ? [] : [`It has ${cells} for ${formatCount(columns.length, 'column')}.`]),
    ...(device ? listDeviceFaults(device) : []),
  ]
  return texts.map((text) => ({ line: row.line, text }))
}

function listDeviceFaults({ id, description, tags = [], attributes = {} }: NewDevice): string[] {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > 1024
  const checks: readonly (readonly [isFault: boolean, text: string])[] = [
    [
      !ID.test(id),
      `${JSON.stringify(id)} is no id of a device: up to 128 of A-Z a-z 0-9 . _ -, a letter or digit first.`,
    ],
    [(description?.length ?? 0) > 4000, 'The description is longer than 4000.'],
    [tags.length > 100, 'It has more than 100 tags.'],
    [tags.some((tag) => tag.length > 100), 'A tag is longer than 100.'],
    [Object.values(attributes).some(isLong), 'An attribute is longer than 1024.'],
  ]
  return checks.flatMap(([isFault, text]) => (isFault ? [text] : []))
}

function listRepeated(devices: readonly ListedDevice[]): Fault[] {
  const first = new Map<string, number>()
  return devices.flatMap(({ line, device: { id } }) => {
    const before = first.get(id)
    if (before === undefined) first.set(id, line)
    return before === undefined || id === ''
      ? []
      : [{ line, text: `${id} is on line ${before} already.` }]
  })
}

/** As many as one request takes, which are written together or not at all. */
const AT_ONCE = 1000

async function sendAll(
  { client, workspaceId }: Session,
  file: string,
  devices: readonly ListedDevice[],
) {
  const answer = { created: [] as string[], existing: [] as string[] }
  for (let at = 0; at < devices.length; at += AT_ONCE) {
    const some = devices.slice(at, at + AT_ONCE)
    const { created, existing } = await client
      .post('/workspaces/{workspaceId}/devices/import', {
        params: { workspaceId },
        body: { devices: some.map(({ device }) => device) },
      })
      .catch((error: unknown) => {
        if (at > 0)
          note(
            `The first ${at} of ${devices.length} devices were sent. Send the file again: those stay as they are.`,
          )
        throw withLines(error, { file, devices: some, isBegun: at > 0 })
      })
    for (const id of created) answer.created.push(id)
    for (const id of existing) answer.existing.push(id)
  }
  return answer
}

/** The service names the place in the request; people know the lines of their file. */
function withLines(
  error: unknown,
  { file, devices, isBegun }: { file: string; devices: readonly ListedDevice[]; isBegun: boolean },
): unknown {
  if (!(error instanceof ApiProblem)) return error
  const faults = error.problem.errors.flatMap(({ pointer, detail }) => {
    const [, at] = /^\/devices\/(\d+)/.exec(pointer) ?? []
    const line = at === undefined ? undefined : devices[Number(at)]?.line
    return line === undefined ? [] : [{ line, text: detail }]
  })
  return faults.length > 0 ? refuse(file, faults, isBegun) : error
}
