/** What is placed on the market under one name: what reports of Article 14 ask about it. */
import type { Command } from 'commander'
import {
  type BodyOf,
  PRODUCT_CLASS,
  PRODUCT_LINE_ROLE,
  type ProductLine,
  type ProductLinePatch,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { type Fact, printFacts } from '../facts.ts'
import { usageError } from '../failure.ts'
import { findFirmware } from '../firmware-version.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findOneByName, notFound } from '../named.ts'
import { collect, readOneOf, readPositiveInteger } from '../option-values.ts'
import { note, printJson, printLine } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const LINES = '/workspaces/{workspaceId}/product-lines'
const LINE = `${LINES}/{productLineId}` as const

const EXAMPLE = {
  name: 'Gateway',
  manufacturer: 'Acme GmbH',
  role: 'Manufacturer',
  productClass: 'Default',
  memberStates: ['DE', 'FR'],
  coordinatorState: 'DE',
  timeZone: 'Europe/Berlin',
  firstPlacedOn: '2025-03-01',
  supportEndsIn: '2031-12',
  contact: 'psirt@acme.example',
  firmwareIds: [],
} satisfies BodyOf<'createProductLine'>

interface WriteOptions extends ConnectionOptions {
  file?: string
  name?: string
  manufacturer?: string
  role?: (typeof PRODUCT_LINE_ROLE)[number]
  class?: (typeof PRODUCT_CLASS)[number]
  category?: string
  memberStates?: string[]
  coordinator?: string
  timeZone?: string
  firstPlacedOn?: string
  supportEndsIn?: string
  expectedUse?: number
  expectedUseReason?: string
  contact?: string
  firmware?: string[]
}

export function addProductLineCommands(program: Command): void {
  const line = program
    .command('product-line')
    .description('Product lines: what is placed on the market under one name')

  withListOptions(line.command('list'))
    .description('List the product lines, and the firmware in none')
    .action(list)
  named(line.command('show')).description('Show a product line').action(show)
  writing(withConnection(line.command('create')))
    .description('Create a product line: by options, or from a file')
    .option('--example', 'print a product line as JSON, and create nothing')
    .action(create)
  writing(named(line.command('update')))
    .description('Change a product line; options that are left out stay, "" clears')
    .action(update)
  withConfirmation(named(line.command('delete')))
    .description('Delete a product line that is in no case')
    .action(remove)
}

function named(command: Command): Command {
  return withConnection(command.argument('<product-line>', 'its id or name'))
}

function writing(command: Command): Command {
  return command
    .option('--file <file>', 'fields as JSON; - for stdin')
    .option('--name <name>', 'what it is sold as')
    .option('--manufacturer <name>', 'who places it on the market')
    .option('--role <role>', PRODUCT_LINE_ROLE.join(', '), readOneOf(PRODUCT_LINE_ROLE))
    .option('--class <class>', PRODUCT_CLASS.join(', '), readOneOf(PRODUCT_CLASS))
    .option('--category <text>', 'of Annex III or IV')
    .option(
      '--member-states <codes>',
      'where it was made available: DE,FR; "" for none known',
      readStates,
    )
    .option('--coordinator <code>', 'Member State of the CSIRT that coordinates, 14(7)')
    .option('--time-zone <zone>', 'of the manufacturer: Europe/Berlin')
    .option('--first-placed-on <day>', 'when it was first placed on the market: 2025-03-01')
    .option('--support-ends-in <month>', 'in which its support period ends: 2031-12')
    .option('--expected-use <years>', 'how long it is expected to be in use', readPositiveInteger)
    .option('--expected-use-reason <text>', 'why so long')
    .option('--contact <text>', 'who answers for it')
    .option('--firmware <firmware>', 'slug or id; may be repeated, replaces those before', collect)
}

const readStates = (text: string): string[] =>
  text
    .split(',')
    .map((code) => code.trim().toUpperCase())
    .filter((code) => code !== '')

const COLUMNS: readonly Column<ProductLine>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'MANUFACTURER', value: ({ manufacturer }) => manufacturer },
  { title: 'FIRMWARE', value: ({ firmwares }) => firmwares.map(({ name }) => name).join('  ') },
  {
    title: 'MEMBER STATES',
    value: ({ memberStates }) => memberStates.join(' ') || 'not known',
  },
  { title: 'COORDINATOR', value: ({ coordinatorState }) => coordinatorState ?? 'not known' },
  { title: 'SUPPORT UNTIL', value: ({ supportEndsIn }) => describeSupportEnd(supportEndsIn) },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

/** The month itself still belongs to the support period (UTC). */
function describeSupportEnd(month: string | null): string {
  if (month === null) return 'not known'
  return month < new Date().toISOString().slice(0, 7) ? `${month}, ended` : month
}

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(LINES, { params: { workspaceId } })
  printListing(options, {
    rows: found.productLines,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'product line',
    answer: (productLines) => ({ ...found, productLines }),
  })
  const without = found.firmwaresWithoutLine.map(({ name }) => name)
  if (without.length > 0) note(`In no product line: ${without.join(', ')}.`)
}

export function findLine({ client, workspaceId }: Session, text: string): Promise<ProductLine> {
  return findOneByName(
    text,
    'product line',
    async () => (await client.get(LINES, { params: { workspaceId } })).productLines,
  )
}

async function show(text: string, options: ConnectionOptions): Promise<void> {
  const line = await findLine(await openSession(options), text)
  if (options.json) return printJson(line)
  printFacts(listFacts(line))
}

function listFacts(line: ProductLine): Fact[] {
  const { expectedUseYears: years, expectedUseReason: reason } = line
  return [
    ['Product line', line.name],
    ['Id', line.id],
    ['Manufacturer', `${line.manufacturer} (${line.role.toLowerCase()})`],
    ['Class', line.productClass],
    ['Category', line.category],
    ['Firmware', line.firmwares.map(({ name }) => name).join(', ')],
    ['Member States', line.memberStates.join(', ') || 'not known'],
    ['Coordinator (14(7))', line.coordinatorState ?? 'not known'],
    ['Time zone', line.timeZone],
    ['First placed on the market', line.firstPlacedOn ?? 'not known'],
    ['Support until the end of', describeSupportEnd(line.supportEndsIn)],
    ['Expected use', years === null ? 'not known' : `${years} years${reason ? `: ${reason}` : ''}`],
    ['Contact', line.contact],
  ]
}

async function create(options: WriteOptions & { example?: boolean }): Promise<void> {
  if (options.example === true) return printLine(JSON.stringify(EXAMPLE, null, 2))
  const session = await openSession(options)
  const body = await readChanges(session, options)
  if (body.name === undefined || body.manufacturer === undefined)
    throw usageError('Say --name and --manufacturer, or give a --file; --example shows one.')
  const { client, workspaceId } = session
  // The service checks what a file states, and says where it is wrong.
  const answer = await client.post(LINES, {
    params: { workspaceId },
    body: body as BodyOf<'createProductLine'>,
  })
  printDone(options, { answer, id: answer.id, text: `${answer.name}: created, ${answer.id}` })
}

async function update(text: string, options: WriteOptions): Promise<void> {
  const session = await openSession(options)
  const body = await readChanges(session, options)
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: --name, --member-states and others, or a --file.')
  const { id: productLineId } = await findLine(session, text)
  const { client, workspaceId } = session
  const params = { workspaceId, productLineId }
  const found = await client.get(LINE, { params })
  const answer = await client.patch(LINE, { params, body, ifStill: found })
  printDone(options, { answer, text: `${answer.name}: changed` })
}

/** Those of the file, and over them those of options. */
async function readChanges(session: Session, options: WriteOptions): Promise<ProductLinePatch> {
  const stated = options.file === undefined ? {} : await readJsonObject(options.file)
  const firmwareIds = options.firmware && (await findFirmwareIds(session, options.firmware))
  const given = {
    name: options.name,
    manufacturer: options.manufacturer,
    role: options.role,
    productClass: options.class,
    category: cleared(options.category),
    memberStates: options.memberStates,
    coordinatorState: cleared(options.coordinator?.toUpperCase()),
    timeZone: options.timeZone,
    firstPlacedOn: cleared(options.firstPlacedOn),
    supportEndsIn: cleared(options.supportEndsIn),
    expectedUseYears: options.expectedUse,
    expectedUseReason: cleared(options.expectedUseReason),
    contact: cleared(options.contact),
    firmwareIds,
  }
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...stated, ...Object.fromEntries(said) }
}

const cleared = (text: string | undefined) => (text === '' ? null : text)

async function findFirmwareIds(session: Session, names: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names.filter((one) => one !== '')) {
    const found = await findFirmware(session, name)
    if (!found) throw notFound('firmware', `slug ${JSON.stringify(name)}`)
    ids.push(found.id)
  }
  return ids
}

async function remove(text: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const session = await openSession(options)
  const { id, name } = await findLine(session, text)
  await confirm(`Delete the product line ${name}? Its firmware stays, in no line.`, options)
  const { client, workspaceId } = session
  await client.delete(LINE, { params: { workspaceId, productLineId: id } })
  printDone(options, { answer: { id }, text: `${name}: deleted` })
}
