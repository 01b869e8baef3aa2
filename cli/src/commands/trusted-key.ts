/** The public keys and certificates that may sign images. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { TrustedKey } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const KEYS = '/workspaces/{workspaceId}/trusted-keys'
const KEY = `${KEYS}/{trustedKeyId}` as const

export function addTrustedKeyCommands(program: Command): void {
  const command = program
    .command('trusted-key')
    .description('The public keys and certificates that may sign images')

  withListOptions(command.command('list')).description('List them by name').action(list)
  withConnection(command.command('add'))
    .description('Trust a public key or a certificate; images that are there are checked again')
    .argument('<file>', 'PEM, a public key of minisign or cosign, or 32 bytes of Ed25519 as text')
    .requiredOption('--name <name>', 'what you call it')
    .option('--purpose <text>', 'what it signs')
    .action(add)
  withConnection(command.command('update').argument('<key>', 'its id or name'))
    .description('Change the name or the purpose; the key itself never changes')
    .option('--name <name>', 'what you call it')
    .option('--purpose <text>', 'what it signs; empty: nothing is said')
    .action(update)
  withConfirmation(withConnection(command.command('delete').argument('<key>', 'its id or name')))
    .description('Trust it no more: images that only it verified are no longer verified')
    .action(remove)
}

const COLUMNS: readonly Column<TrustedKey>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind, algorithm }) => `${kind}, ${algorithm}` },
  {
    title: 'ENDS (UTC)',
    value: ({ endsAt }) => (endsAt === null ? 'never' : formatTime(endsAt)),
    style: ({ endsAt }) => (endsAt !== null && new Date(endsAt) <= new Date() ? 'red' : undefined),
  },
  {
    title: 'PURPOSE',
    value: ({ purpose, testKey }) =>
      [testKey === null ? null : `a test key: ${testKey}`, purpose].filter(Boolean).join('; '),
  },
  { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint, isSpare: true },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { trustedKeys } = await client.get(KEYS, { params: { workspaceId } })
  printListing(options, {
    rows: trustedKeys,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'trusted key',
    answer: (rows) => ({ trustedKeys: rows }),
  })
}

interface NamedOptions extends ConnectionOptions {
  name?: string
  purpose?: string
}

async function add(path: string, options: NamedOptions & { name: string }): Promise<void> {
  const key = await readFile(path, 'utf8')
  const { client, workspaceId } = await openSession(options)
  const { name, purpose } = options
  const answer = await client.post(KEYS, {
    params: { workspaceId },
    body: { name, key, ...(purpose !== undefined && { purpose }) },
  })
  const ofTest =
    answer.testKey === null ? '' : `\nIt is ${answer.testKey}: everybody can sign with it.`
  const text = `${answer.name}: trusted, ${answer.algorithm}, SHA-256 ${answer.fingerprint}${ofTest}`
  printDone(options, { answer, id: answer.id, text })
}

async function openKey(key: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const trustedKeyId = await findIdByName(key, 'trusted key', async () => {
    const { trustedKeys } = await client.get(KEYS, { params: { workspaceId } })
    return trustedKeys
  })
  const params = { workspaceId, trustedKeyId }
  return { client, params, found: await client.get(KEY, { params }) }
}

async function update(key: string, options: NamedOptions): Promise<void> {
  const { client, params, found } = await openKey(key, options)
  const { name = found.name, purpose = found.purpose } = options
  const body = { name, purpose: purpose === '' ? null : purpose }
  const answer = await client.put(KEY, { params, body, ifStill: found })
  const said = answer.purpose === null ? '' : `: ${answer.purpose}`
  printDone(options, { answer, text: `${answer.name}${said}` })
}

async function remove(key: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params, found } = await openKey(key, options)
  const { id, name } = found
  await confirm(
    `Trust ${name} no more? Images that only it verified are no longer verified then.`,
    options,
  )
  await client.delete(KEY, { params })
  printDone(options, { answer: { id }, text: `${name}: no longer trusted` })
}
