import type { Command } from 'commander'
import type {
  SupplierAffected,
  SupplierDocument,
  SupplierFeed,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const FEEDS = '/workspaces/{workspaceId}/supplier-feeds'
const FEED = `${FEEDS}/{supplierFeedId}` as const

export function addSupplierFeedCommands(program: Command): void {
  const feed = program
    .command('supplier-feed')
    .description("Suppliers' advisories (CSAF) that count in this workspace only")

  withListOptions(feed.command('list'))
    .description('List the feeds: how far each is read, and what it changes')
    .action(listFeeds)
  withConnection(feed.command('create'))
    .description("Subscribe to a supplier's CSAF documents")
    .requiredOption('--name <name>', 'what you call the supplier')
    .requiredOption('--from <address>', 'a host, provider-metadata.json, ROLIE feed or folder')
    .action(create)
  withConfirmation(named(feed.command('update'), withConnection))
    .description('Change a feed; with another address it is read anew')
    .option('--name <name>', 'what you call the supplier')
    .option('--from <address>', 'a host, provider-metadata.json, ROLIE feed or folder')
    .action(update)
  named(feed.command('read'), withConnection).description('Read a feed now').action(readNow)
  named(feed.command('documents'), withListOptions)
    .description('List the documents of a feed, those that cannot be used first')
    .action(listDocuments)
  named(feed.command('affected'), withListOptions)
    .description('List what the supplier says is affected and no source knows: it makes no finding')
    .action(listAffected)
  withConfirmation(named(feed.command('delete'), withConnection))
    .description('End a subscription; decisions that it made stay')
    .action(remove)
}

function named(command: Command, withOptions: (command: Command) => Command): Command {
  return withOptions(command.argument('<supplier-feed>', 'its id or name'))
}

/** The session, and the path of the feed with this id or name. */
async function openFeed(feed: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const supplierFeedId = await findIdByName(feed, 'supplier feed', async () => {
    const { supplierFeeds } = await client.get(FEEDS, { params: { workspaceId } })
    return supplierFeeds
  })
  return { client, params: { workspaceId, supplierFeedId } }
}

const COLUMNS: readonly Column<SupplierFeed>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: ({ state, error }) => (error === null ? state : `${state}, failing`),
    style: ({ error }) => (error === null ? undefined : 'red'),
  },
  { title: 'DECIDES', value: ({ effects }) => effects.decidedCount },
  { title: 'NO FINDING', value: ({ effects }) => effects.affectedWithoutFindingCount },
  { title: 'STANDING', value: ({ standing, error }) => error ?? standing },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listFeeds(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { supplierFeeds } = await client.get(FEEDS, { params: { workspaceId } })
  printListing(options, {
    rows: supplierFeeds,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: "supplier's feed",
    answer: (rows) => ({ supplierFeeds: rows }),
  })
}

interface CreateOptions extends ConnectionOptions {
  name: string
  from: string
}

async function create({ name, from, ...options }: CreateOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const feed = await client.post(FEEDS, { params: { workspaceId }, body: { name, url: from } })
  if (options.json) printJson(feed)
  else printLine(sanitise(`${feed.name}: subscribed, ${feed.id}. It is read within a minute.`))
}

type UpdateOptions = ConnectionOptions & ConfirmOptions & Partial<CreateOptions>

async function update(feed: string, options: UpdateOptions): Promise<void> {
  const { client, params } = await openFeed(feed, options)
  const was = await client.get(FEED, { params })
  const { name = was.name, from: url = was.url } = options
  if (url !== was.url) await confirm(describeMove(was), options)
  const changed = await client.put(FEED, { params, body: { name, url }, ifStill: was })
  if (options.json) printJson(changed)
  else printLine(sanitise(`${changed.name}: ${changed.url}. ${changed.standing}`))
}

function describeMove({ name, effects }: SupplierFeed): string {
  const said = formatCount(effects.statementCount, 'statement')
  const decided = formatCount(effects.decidedCount, 'finding')
  return `Read ${name} anew at another address? ${said} of now count no more; ${decided} that they decided stay so.`
}

async function readNow(feed: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openFeed(feed, options)
  const asked = await client.post(`${FEED}/read`, { params })
  if (options.json) printJson(asked)
  else printLine(sanitise(`${asked.name}: asked for. ${asked.standing}`))
}

const DOCUMENT_COLUMNS: readonly Column<SupplierDocument>[] = [
  { title: 'STATE', value: ({ state }) => state },
  { title: 'LISTED', value: ({ listedAt }) => formatTime(listedAt) },
  { title: 'DOCUMENT', value: ({ title, url }) => title ?? url },
  { title: 'WHY', value: ({ error }) => error },
]

async function listDocuments(feed: string, options: ListOptions): Promise<void> {
  const { client, params } = await openFeed(feed, options)
  const { documents } = await client.get(`${FEED}/documents`, { params })
  printListing(options, {
    rows: documents,
    columns: DOCUMENT_COLUMNS,
    nameOf: ({ url }) => url,
    noun: 'document',
    answer: (rows) => ({ documents: rows }),
  })
}

const AFFECTED_COLUMNS: readonly Column<SupplierAffected>[] = [
  { title: 'VULNERABILITY', value: ({ vulnerability }) => vulnerability },
  {
    title: 'COMPONENT',
    value: ({ component, componentVersion }) =>
      [component ?? 'the version itself', componentVersion].filter(Boolean).join(' '),
  },
  {
    title: 'IN',
    value: ({ firmwareName, firmwareVersionName }) => `${firmwareName} ${firmwareVersionName}`,
  },
  { title: 'SAYS', value: ({ detail }) => detail },
]

async function listAffected(feed: string, options: ListOptions): Promise<void> {
  const { client, params } = await openFeed(feed, options)
  const { statements } = await client.get(`${FEED}/affected-without-finding`, { params })
  printListing(options, {
    rows: statements,
    columns: AFFECTED_COLUMNS,
    nameOf: ({ vulnerability }) => vulnerability,
    noun: 'statement',
    answer: (rows) => ({ statements: rows }),
  })
}

async function remove(feed: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openFeed(feed, options)
  const { name, effects } = await client.get(FEED, { params })
  const said = formatCount(effects.statementCount, 'statement')
  const decided = formatCount(effects.decidedCount, 'finding')
  const question = `End the subscription to ${name}? ${said} count no more; ${decided} that it decided stay so.`
  await confirm(question, options)
  await client.delete(FEED, { params })
  printDone(options, { answer: { id: params.supplierFeedId }, text: `${feed}: deleted` })
}
