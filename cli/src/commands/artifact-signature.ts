/** Signatures that stand beside the binary of a firmware version, for formats that hold none. */
import type { Command } from 'commander'
import type { ArtifactSignature } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, withConnection } from '../session.ts'
import { readSignatureFile } from '../signature-file.ts'
import { requireWholeRole, type StatedRole } from '../stated-role.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'
import type { Column } from '../table.ts'

const SIGNATURES =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifact/signatures'

export function addArtifactSignatures(artifact: Command): void {
  const command = artifact
    .command('signature')
    .description('Signatures that stand beside the binary, of minisign, cosign or openssl')

  withStatedVersion(withListOptions(command.command('list')))
    .description('List them')
    .action(list)
  withStatedVersion(withConnection(command.command('add')))
    .description('Put a signature beside the binary, which is checked again with it')
    .argument('<file>', 'of minisign, or of cosign or openssl, as text or as bytes')
    .option('--role <role>', 'delta, or a part such as bootloader (default: the full image)')
    .option('--base <version>', 'beside a delta: the version that a device has to run')
    .action(add)
  withConfirmation(withStatedVersion(withConnection(command.command('delete'))))
    .description('Take a signature away')
    .argument('<signature>', 'its id')
    .action(remove)
}

const COLUMNS: readonly Column<ArtifactSignature>[] = [
  { title: 'FILE', value: ({ fileName }) => fileName },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'KEY', value: ({ keyId }) => keyId },
  { title: 'ADDED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function list(version: string, options: ListOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { signatures } = await client.get(SIGNATURES, { params })
  printListing(options, {
    rows: signatures,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'signature',
    answer: (rows) => ({ signatures: rows }),
  })
}

interface AddOptions extends ConnectionOptions, StatedRole {}

async function add(version: string, path: string, options: AddOptions): Promise<void> {
  requireWholeRole(options)
  const file = await readSignatureFile(path)
  const { session, client, params } = await openVersion(version, options)
  const { role, base } = options
  const body = {
    ...file,
    ...(role !== undefined && { role }),
    ...(base !== undefined && { baseVersionId: await findStatedVersionId(session, base) }),
  }
  const answer = await client.post(SIGNATURES, { params, body })
  printDone(options, { answer, id: answer.id, text: `${answer.fileName}: added, and checked soon` })
}

async function remove(
  version: string,
  signatureId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { signatures } = await client.get(SIGNATURES, { params })
  const found = signatures.find(({ id }) => id === signatureId)
  const which = found ? `${found.fileName} beside the ${found.role}` : 'this signature'
  const beside = signatures.filter(
    ({ role, baseVersionId, id }) =>
      id !== signatureId && role === found?.role && baseVersionId === found.baseVersionId,
  )
  const left = `${formatCount(beside.length, 'signature')} ${beside.length === 1 ? 'stays' : 'stay'} beside it`
  await confirm(
    `Take ${which} away? The binary is checked again without it${found ? `: ${left}` : ''}.`,
    options,
  )
  await client.delete(`${SIGNATURES}/{signatureId}`, { params: { ...params, signatureId } })
  printDone(options, { answer: { id: signatureId }, text: 'The signature is deleted' })
}
