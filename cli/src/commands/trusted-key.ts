/** The public keys and certificates that may sign images. */
import type { Command } from 'commander'
import {
  ApiProblem,
  type TrustedKey,
  type TrustedKeyProofs,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { formatCount } from '../print.ts'
import { readPublicText } from '../public-text.ts'
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
  const key = await readPublicText(path)
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
  const lost = await readLost(client.get(`${KEY}/proofs`, { params }))
  const question = `Trust ${name} no more? The audit log keeps the key.`
  await confirm([...lost, question].join('\n'), options)
  await client.delete(KEY, { params })
  printDone(options, { answer: { id }, text: `${name}: no longer trusted` })
}

/** Whoever may delete a key may lack the scope that reads firmware: that nothing was counted is said. */
async function readLost(proofs: Promise<TrustedKeyProofs>): Promise<string[]> {
  try {
    return describeProofs(await proofs)
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.problem.status !== 403) throw error
    return ['What it alone verifies was not counted: the API key may not read firmware.']
  }
}

/** What it alone proves. */
function describeProofs(proofs: TrustedKeyProofs): string[] {
  const { versionCount, versions, imageCount, statementCount, sbomCount } = proofs
  const { gateVersionCount, uncheckedCount } = proofs
  const files = [
    imageCount > 0 && formatCount(imageCount, 'update file'),
    statementCount > 0 && formatCount(statementCount, 'statement'),
    sbomCount > 0 && formatCount(sbomCount, 'SBOM'),
  ].filter((one) => one !== false)
  const more = versionCount - versions.length
  return [
    versionCount === 0
      ? 'No version loses its proof: no file is verified by it alone.'
      : `${formatCount(versionCount, 'version')} ${versionCount === 1 ? 'loses its' : 'lose their'} proof, as this key alone verifies ${files.join(', ')}:`,
    ...versions.map(({ name, firmwareName }) => `  ${firmwareName} ${name}`),
    ...(more > 0 ? [`  and ${formatCount(more, 'more', 'more')}`] : []),
    ...(gateVersionCount > 0
      ? [
          `The release gate demands signatures: ${formatCount(gateVersionCount, 'version')} ${gateVersionCount === 1 ? 'does' : 'do'} not meet it then.`,
        ]
      : []),
    ...(uncheckedCount > 0
      ? [
          `${formatCount(uncheckedCount, 'file')} ${uncheckedCount === 1 ? 'is' : 'are'} still being checked, so nobody can tell yet what verifies ${uncheckedCount === 1 ? 'it' : 'them'}.`,
        ]
      : []),
  ]
}
