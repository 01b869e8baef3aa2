import type { Command } from 'commander'
import type { BodyOf, NotificationTarget } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { readOneOf, collect } from '../option-values.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import { type Column, type Style, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

type Address = NotificationTarget['addresses'][number]
type CreateTarget = BodyOf<'createNotificationTarget'>
type QuietHours = Exclude<CreateTarget['quietHours'], undefined>
type Digest = Exclude<CreateTarget['digest'], undefined>

const TARGETS = '/workspaces/{workspaceId}/notification-targets'
const TARGET = `${TARGETS}/{notificationTargetId}` as const
const STATES = ['Enabled', 'Disabled'] as const satisfies readonly NotificationTarget['state'][]
const DIGESTS = ['1h', '1d'] as const

interface WriteOptions extends ConnectionOptions {
  name?: string
  email?: string[]
  state?: NotificationTarget['state']
  /** false: none. */
  quietHours?: string | false
  digest?: (typeof DIGESTS)[number] | false
  digestAt?: string
  timeZone?: string
}

export function addNotificationTargetCommands(program: Command): void {
  const target = program
    .command('notification-target')
    .description('Groups of e-mail addresses that are notified of alerts')

  withListOptions(target.command('list'))
    .description('List the notification targets')
    .action(listTargets)
  named(target.command('show')).description('Show a target and its addresses').action(showTarget)
  writing(withConnection(target.command('create')))
    .description('Create a target; its addresses are asked to confirm')
    .action(create)
  writing(named(target.command('update')))
    .description('Change a target; options that are left out stay')
    .option('--no-quiet-hours', 'send mail at any time')
    .option('--no-digest', 'send each mail at once')
    .action(update)
  withConfirmation(named(target.command('delete')))
    .description('Delete a target')
    .action(remove)
  named(target.command('test')).description('Send its addresses a test mail').action(test)
  named(target.command('ask'))
    .description('Send an address another request to confirm')
    .requiredOption('--email <address>', 'the e-mail address')
    .action(askAgain)
}

function named(command: Command): Command {
  return withConnection(command.argument('<target>', 'its id or name'))
}

/** The session, and the path of the target with this id or name. */
async function openTarget(target: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const notificationTargetId = await findIdByName(target, 'notification target', async () => {
    const { notificationTargets } = await client.get(TARGETS, { params: { workspaceId } })
    return notificationTargets
  })
  return { client, params: { workspaceId, notificationTargetId } }
}

function writing(command: Command): Command {
  return command
    .option('--name <name>', 'name of the target')
    .option(
      '--email <address>',
      'an address to notify; may be repeated; replaces all addresses',
      collect,
    )
    .option('--state <word>', STATES.join(', '), readOneOf(STATES))
    .option('--quiet-hours <from-to>', 'hours in which mail waits, such as 22:00-06:00')
    .option('--digest <length>', 'collect mail for this time: 1h, 1d', readOneOf(DIGESTS))
    .option('--digest-at <time>', 'when to send a daily digest, such as 08:00')
    .option('--time-zone <zone>', 'time zone of these times, such as Europe/Berlin (default: UTC)')
}

const COLUMNS: readonly Column<NotificationTarget>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATE', value: ({ state }) => state },
  {
    title: 'CONFIRMED',
    value: ({ addresses }) => `${addresses.filter(isConfirmed).length} of ${addresses.length}`,
    style: ({ addresses }) => (addresses.every(isConfirmed) ? undefined : 'yellow'),
  },
  { title: 'RULES', value: ({ alertRuleCount }) => alertRuleCount },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function isConfirmed({ state }: Address): boolean {
  return state === 'Confirmed'
}

const STYLES: Record<Address['state'], Style | undefined> = {
  Pending: 'yellow',
  Confirmed: 'green',
  Unsubscribed: 'dim',
  Dead: 'red',
}

const ADDRESSES: readonly Column<Address>[] = [
  { title: 'ADDRESS', value: ({ emailAddress }) => emailAddress },
  { title: 'STATE', value: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { title: 'LAST MAIL (UTC)', value: ({ lastDeliveredAt: at }) => formatTime(at) },
  { title: 'LAST ANSWER', value: ({ lastAnswer }) => lastAnswer },
]

async function listTargets(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { notificationTargets } = await client.get(TARGETS, { params: { workspaceId } })
  printListing(options, {
    rows: notificationTargets,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'notification target',
    answer: (rows) => ({ notificationTargets: rows }),
  })
}

async function showTarget(target: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openTarget(target, options)
  print(await client.get(TARGET, { params }), options)
}

function print(target: NotificationTarget, { json }: ConnectionOptions): void {
  if (json) {
    printJson(target)
    return
  }
  printFacts(listFacts(target))
  if (target.addresses.length === 0) return
  printLine('')
  writeTable(getTerminal().stdout, ADDRESSES, target.addresses)
}

function listFacts({
  id,
  name,
  state,
  alertRuleCount,
  quietHours,
  digest,
}: NotificationTarget): Fact[] {
  const days = quietHours?.days?.join(', ') ?? 'every day'
  const at = digest?.at === undefined ? '' : ` at ${digest.at} ${digest.timeZone ?? 'UTC'}`
  return [
    ['Target', name],
    ['Id', id],
    ['State', state],
    ['Rules', alertRuleCount],
    [
      'Quiet hours',
      quietHours && `${quietHours.from} to ${quietHours.to} ${quietHours.timeZone}, ${days}`,
    ],
    ['Digest', digest && `every ${digest.every}${at}`],
  ]
}

async function create(options: WriteOptions): Promise<void> {
  const { name } = options
  if (name === undefined) throw usageError('A target needs a name: --name.')
  const body = written({ name, type: 'Email', state: 'Enabled' }, options)
  const { client, workspaceId } = await openSession(options)
  print(await client.post(TARGETS, { params: { workspaceId }, body }), options)
}

async function update(target: string, options: WriteOptions): Promise<void> {
  const { client, params } = await openTarget(target, options)
  const found = await client.get(TARGET, { params })
  const { name, type, state, emailAddresses, quietHours, digest } = found
  const was = { name, type, state, emailAddresses, quietHours, digest }
  const body = written(was, options)
  print(await client.put(TARGET, { params, body, ifStill: found }), options)
}

function written(was: CreateTarget, options: WriteOptions): CreateTarget {
  const { name = was.name, state = was.state, email, quietHours, digest } = options
  return {
    ...was,
    name,
    state,
    ...(email && { emailAddresses: email }),
    ...(quietHours !== undefined && { quietHours: readQuietHours(options, was) }),
    ...(digest !== undefined && { digest: readDigest(options) }),
  }
}

function readQuietHours({ quietHours, timeZone }: WriteOptions, was: CreateTarget): QuietHours {
  if (!quietHours) return null
  const [from, to, ...others] = quietHours.split('-')
  if (!from || !to || others.length > 0)
    throw usageError('--quiet-hours must be written as 22:00-06:00.')
  return { ...was.quietHours, timeZone: timeZone ?? was.quietHours?.timeZone ?? 'UTC', from, to }
}

function readDigest({ digest, digestAt, timeZone }: WriteOptions): Digest {
  if (!digest) return null
  return {
    every: digest,
    ...(digestAt !== undefined && { at: digestAt }),
    ...(timeZone !== undefined && { timeZone }),
  }
}

async function remove(target: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openTarget(target, options)
  const { name } = await client.get(TARGET, { params })
  await confirm(`Delete the notification target ${name}?`, options)
  await client.delete(TARGET, { params })
  printDone(options, { answer: { id: params.notificationTargetId }, text: `${target}: deleted` })
}

async function test(target: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openTarget(target, options)
  const sent = await client.post(`${TARGET}/test`, { params })
  if (options.json) printJson(sent)
  else
    printLine(
      `A test mail is on its way to ${formatCount(sent.emailAddresses.length, 'address', 'addresses')}.`,
    )
}

async function askAgain(
  target: string,
  { email, ...options }: ConnectionOptions & { email: string },
): Promise<void> {
  const { client, params } = await openTarget(target, options)
  const path = `${TARGET}/addresses/confirmations` as const
  print(await client.post(path, { params, body: { emailAddress: email } }), options)
}
