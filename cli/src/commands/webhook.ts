import type { Command } from 'commander'
import type { Webhook } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { formatTime } from '../instant.ts'
import { readOneOf } from '../option-values.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import type { Column } from '../table.ts'

const WEBHOOKS = '/workspaces/{workspaceId}/webhooks'
const WEBHOOK = `${WEBHOOKS}/{webhookId}` as const
const FORMATS = ['Plimsoll', 'Slack', 'Teams'] as const satisfies readonly Webhook['format'][]
const STATES = ['Enabled', 'Disabled'] as const satisfies readonly Webhook['state'][]

interface CreateOptions extends ConnectionOptions {
  name: string
  to: string
  format?: Webhook['format']
}

interface UpdateOptions extends Partial<CreateOptions> {
  state?: Webhook['state']
}

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('Webhooks: servers that receive alerts')

  withListOptions(webhook.command('list')).description('List the webhooks').action(listWebhooks)
  withConnection(webhook.command('create'))
    .description('Create a webhook; shows its secret only once')
    .requiredOption('--name <name>', 'name of the webhook')
    .requiredOption('--to <url>', 'where messages are sent')
    .option('--format <word>', `what its server reads: ${FORMATS.join(', ')}`, readOneOf(FORMATS))
    .action(create)
  named(webhook.command('update'))
    .description('Change a webhook; options that are left out stay')
    .option('--name <name>', 'name of the webhook')
    .option('--to <url>', 'where messages are sent')
    .option('--format <word>', `what its server reads: ${FORMATS.join(', ')}`, readOneOf(FORMATS))
    .option('--state <word>', STATES.join(', '), readOneOf(STATES))
    .action(update)
  withConfirmation(named(webhook.command('delete')))
    .description('Delete a webhook')
    .action(remove)
  named(webhook.command('test')).description('Send it a test message').action(test)
  named(webhook.command('rotate-secret'))
    .description('Create a new secret; the old one stays valid for a day')
    .action(rotate)
}

function named(command: Command): Command {
  return withConnection(command.argument('<webhook>', 'its id or name'))
}

/** The session, and the path of the webhook with this id or name. */
async function openWebhook(webhook: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const webhookId = await findIdByName(webhook, 'webhook', async () => {
    const { webhooks } = await client.get(WEBHOOKS, { params: { workspaceId } })
    return webhooks
  })
  return { client, params: { workspaceId, webhookId } }
}

const COLUMNS: readonly Column<Webhook>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: ({ state, failingSince }) => (failingSince === null ? state : `${state}, failing`),
    style: ({ failingSince }) => (failingSince === null ? undefined : 'red'),
  },
  { title: 'URL', value: ({ url }) => url },
  { title: 'RULES', value: ({ alertRuleCount }) => alertRuleCount },
  { title: 'LAST ANSWER', value: ({ lastAnswer }) => lastAnswer },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listWebhooks(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { webhooks } = await client.get(WEBHOOKS, { params: { workspaceId } })
  printListing(options, {
    rows: webhooks,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'webhook',
    answer: (rows) => ({ webhooks: rows }),
  })
}

async function create({ name, to, format, ...options }: CreateOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const body = { name, url: to, ...(format && { format }) }
  const webhook = await client.post(WEBHOOKS, { params: { workspaceId }, body })
  if (options.json) printJson(webhook)
  else {
    printLine(sanitise(`${webhook.name}: created, ${webhook.id}`))
    printSecret(webhook.secret)
  }
}

function printSecret(secret: string): void {
  printLine(`Its secret: ${secret}`)
  note('Keep it: it is not shown again.')
}

async function update(webhook: string, options: UpdateOptions): Promise<void> {
  const { client, params } = await openWebhook(webhook, options)
  const was = await client.get(WEBHOOK, { params })
  const { name = was.name, to: url = was.url, state = was.state, format = was.format } = options
  const body = { name, url, state, format }
  const changed = await client.put(WEBHOOK, { params, body, ifStill: was })
  if (options.json) printJson(changed)
  else printLine(sanitise(`${changed.name}: ${changed.state}, ${changed.url}`))
}

async function remove(webhook: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openWebhook(webhook, options)
  const { name } = await client.get(WEBHOOK, { params })
  await confirm(`Delete the webhook ${name}?`, options)
  await client.delete(WEBHOOK, { params })
  printDone(options, { answer: { id: params.webhookId }, text: `${webhook}: deleted` })
}

async function test(webhook: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openWebhook(webhook, options)
  const sent = await client.post(`${WEBHOOK}/test`, { params })
  if (options.json) printJson(sent)
  else printLine('A test message is on its way: webhook list shows the answer.')
}

async function rotate(webhook: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openWebhook(webhook, options)
  const rotated = await client.post(`${WEBHOOK}/rotate-secret`, { params })
  if (options.json) printJson(rotated)
  else {
    printSecret(rotated.secret)
    printLine(`The former signs beside it until ${formatTime(rotated.formerSecretUntil)} UTC.`)
  }
}
