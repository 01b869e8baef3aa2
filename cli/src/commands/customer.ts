/** Customers: who has which devices, and the links by which they see what is known of them. */
import type { Command } from 'commander'
import type {
  BodyOf,
  CustomerLink,
  CustomerPatch,
  ListedCustomer,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { download } from '../download.ts'
import { printFacts } from '../facts.ts'
import { usageError } from '../failure.ts'
import { formatTime, parseLaterInstant } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findCohortId, findOneByName } from '../named.ts'
import { collect } from '../option-values.ts'
import { formatCount, note, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const CUSTOMERS = '/workspaces/{workspaceId}/customers'
const CUSTOMER = `${CUSTOMERS}/{customerId}` as const

interface WriteOptions extends ConnectionOptions {
  name?: string
  tag?: string
  cohort?: string[]
  contact?: string[]
  note?: string
}

export function addCustomerCommands(program: Command): void {
  const customer = program
    .command('customer')
    .description('Customers: who has which devices, and what they may see')

  withListOptions(customer.command('list'))
    .description('List customers with their devices and links')
    .action(list)
  named(customer.command('show')).description('Show a customer').action(show)
  writing(withConnection(customer.command('create').argument('<name>', 'of the customer')))
    .description('Create a customer')
    .action(create)
  writing(named(customer.command('update')))
    .description('Change a customer; options that are left out stay, "" clears')
    .option('--name <name>', 'another name')
    .action(update)
  withConfirmation(named(customer.command('delete')))
    .description('Delete a customer; its links work no longer, devices stay as they are')
    .action(remove)
  named(customer.command('page'))
    .description('Write the page as the customer sees it')
    .option('--output <file>', 'file to write (default: stdout)')
    .action(writePage)
  addLinkCommands(customer)
}

function addLinkCommands(customer: Command): void {
  named(customer.command('link'))
    .description('Make a link to the page of a customer; it is shown this once')
    .option('--name <name>', 'who gets it')
    .option(
      '--ends <time>',
      'when it ends: 90d, 2027-06-30T00:00:00Z (default: in a year)',
      (text) => parseLaterInstant(text),
    )
    .action(makeLink)
  withListOptions(customer.command('links').argument('<customer>', 'its id or name'))
    .description('List the links of a customer, and when they were last used')
    .action(listLinks)
  withConfirmation(named(customer.command('revoke')).argument('<link>', 'its id or name'))
    .description('Revoke a link: it works no longer from now on')
    .action(revoke)
}

function named(command: Command): Command {
  return withConnection(command.argument('<customer>', 'its id or name'))
}

function writing(command: Command): Command {
  return command
    .option('--tag <tag>', 'devices with this tag are its')
    .option('--cohort <cohort>', 'devices of this cohort are its; may be repeated', collect)
    .option(
      '--contact <address>',
      'e-mail address; may be repeated, replaces those before',
      collect,
    )
    .option('--note <text>', 'for the team; the customer never sees it')
}

const COLUMNS: readonly Column<ListedCustomer>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'LINKS', value: ({ linkCount }) => linkCount },
  { title: 'LAST VIEWED (UTC)', value: ({ lastViewedAt }) => formatTime(lastViewedAt) ?? 'never' },
  { title: 'CONTACTS', value: ({ contacts }) => contacts.map(({ email }) => email).join('  ') },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

const readCustomers = async ({ client, workspaceId }: Session) =>
  (await client.get(CUSTOMERS, { params: { workspaceId } })).customers

async function list(options: ListOptions): Promise<void> {
  printListing(options, {
    rows: await readCustomers(await openSession(options)),
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'customer',
    answer: (customers) => ({ customers }),
  })
}

const findCustomer = (session: Session, text: string): Promise<ListedCustomer> =>
  findOneByName(text, 'customer', () => readCustomers(session))

async function openCustomer(text: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const { id: customerId, name } = await findCustomer(session, text)
  return { session, name, params: { workspaceId: session.workspaceId, customerId } }
}

async function show(text: string, options: ConnectionOptions): Promise<void> {
  const { session, params } = await openCustomer(text, options)
  const one = await session.client.get(CUSTOMER, { params })
  if (options.json) return printJson(one)
  printFacts([
    ['Customer', one.name],
    ['Id', one.id],
    ['Devices', String(one.deviceCount)],
    ['Also of others', one.sharedDeviceCount === 0 ? null : String(one.sharedDeviceCount)],
    ['Tag', one.tag],
    ['Cohorts', one.cohorts.map(({ name }) => name).join(', ') || null],
    ['Contacts', one.contacts.map(({ email }) => email).join(', ') || 'none'],
    ['Links that work', String(one.linkCount)],
    ['Last viewed', formatTime(one.lastViewedAt) ?? 'never'],
    ['Note', one.note],
  ])
}

async function create(name: string, options: WriteOptions): Promise<void> {
  const session = await openSession(options)
  const body: BodyOf<'createCustomer'> = { ...(await readChanges(session, options)), name }
  const { client, workspaceId } = session
  const answer = await client.post(CUSTOMERS, { params: { workspaceId }, body })
  const devices = formatCount(answer.deviceCount, 'device')
  printDone(options, { answer, id: answer.id, text: `${answer.name}: created, with ${devices}` })
}

async function update(text: string, options: WriteOptions): Promise<void> {
  const { session, params } = await openCustomer(text, options)
  const body = await readChanges(session, options)
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: --name, --tag, --cohort, --contact or --note.')
  const found = await session.client.get(CUSTOMER, { params })
  const answer = await session.client.patch(CUSTOMER, { params, body, ifStill: found })
  const devices = formatCount(answer.deviceCount, 'device')
  printDone(options, { answer, text: `${answer.name}: changed, with ${devices}` })
}

async function readChanges(
  session: Session,
  { name, tag, cohort, contact, note: text }: WriteOptions,
): Promise<CustomerPatch> {
  const cohortIds: string[] = []
  for (const one of cohort?.filter((given) => given !== '') ?? [])
    cohortIds.push(await findCohortId(session, one))
  const contacts = contact?.filter((given) => given !== '')
  return {
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tag: tag === '' ? null : tag }),
    ...(cohort !== undefined && { cohortIds }),
    ...(contacts !== undefined && {
      contacts: contacts.map((email) => ({ email, name: null })),
    }),
    ...(text !== undefined && { note: text === '' ? null : text }),
  }
}

async function remove(text: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const session = await openSession(options)
  const { id: customerId, name, linkCount } = await findCustomer(session, text)
  const links = formatCount(linkCount, 'link')
  await confirm(`Delete the customer ${name}? Its ${links} work no longer; devices stay.`, options)
  await session.client.delete(CUSTOMER, {
    params: { workspaceId: session.workspaceId, customerId },
  })
  printDone(options, { answer: { id: customerId }, text: `${name}: deleted` })
}

async function writePage(
  text: string,
  options: ConnectionOptions & { output?: string },
): Promise<void> {
  const { session, params } = await openCustomer(text, options)
  await download(session, `/customers/${params.customerId}/page`, options.output)
}

/** The link alone is on stdout, as nothing else keeps it. */
async function makeLink(
  text: string,
  options: ConnectionOptions & { name?: string; ends?: string },
): Promise<void> {
  const { session, params, name } = await openCustomer(text, options)
  const body = {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.ends !== undefined && { endsAt: options.ends }),
  }
  const answer = await session.client.post(`${CUSTOMER}/links`, { params, body })
  if (!options.json && !options.quiet)
    note(`A link for ${name} until ${formatTime(answer.endsAt) ?? ''}, shown this once:`)
  printDone(options, { answer, id: answer.url, text: answer.url })
}

const describeState = ({ revokedAt, endsAt }: Pick<CustomerLink, 'revokedAt' | 'endsAt'>) =>
  revokedAt !== null
    ? 'revoked'
    : endsAt !== null && new Date(endsAt) <= new Date()
      ? 'ended'
      : 'in use'

const LINK_COLUMNS: readonly Column<CustomerLink>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATE', value: describeState },
  { title: 'ENDS (UTC)', value: ({ endsAt }) => formatTime(endsAt) ?? 'never' },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => formatTime(lastUsedAt) ?? 'never' },
  { title: 'USES', value: ({ uses }) => uses },
  { title: 'MADE BY', value: ({ createdByEmail }) => createdByEmail },
  { title: 'ID', value: ({ id }) => id },
]

async function listLinks(text: string, options: ListOptions): Promise<void> {
  const { session, params } = await openCustomer(text, options)
  const { links } = await session.client.get(`${CUSTOMER}/links`, { params })
  printListing(options, {
    rows: links,
    columns: LINK_COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'link',
    answer: (rows) => ({ links: rows }),
  })
}

async function revoke(
  text: string,
  link: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { session, params, name } = await openCustomer(text, options)
  const one = await findOneByName(link, 'customer link', async () => {
    const { links } = await session.client.get(`${CUSTOMER}/links`, { params })
    return links.filter(({ revokedAt }) => revokedAt === null)
  })
  await confirm(
    `Revoke the link ${one.name} of ${name}? Whoever has it sees nothing more.`,
    options,
  )
  await session.client.delete(`${CUSTOMER}/links/{linkId}`, {
    params: { ...params, linkId: one.id },
  })
  printDone(options, { answer: { id: one.id }, id: one.id, text: `${one.name}: revoked` })
}
