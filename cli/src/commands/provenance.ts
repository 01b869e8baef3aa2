/** Statements about the files of a firmware version: provenance, attested SBOMs, and others. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ProvenanceStatement } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findUploadFile } from '../multipart.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, withConnection } from '../session.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'
import type { Column } from '../table.ts'

const STATEMENTS =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/provenance-statements'

const CHAIN = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/chain'

export function addProvenanceCommands(program: Command): void {
  const provenance = program
    .command('provenance')
    .description('Statements about the files of a firmware version: in-toto, SLSA, attested SBOMs')

  withStatedVersion(withListOptions(provenance.command('list')))
    .description('List them, and whether a trusted key signed each')
    .action(list)
  withStatedVersion(withConnection(provenance.command('add')))
    .description('Upload a statement: in-toto, in a DSSE envelope, or in a bundle of Sigstore')
    .argument('<file>', 'as the build or cosign attest-blob wrote it')
    .action(add)
  withConfirmation(withStatedVersion(withConnection(provenance.command('delete'))))
    .description('Delete a statement')
    .argument('<statement>', 'its id')
    .action(remove)
}

const COLUMNS: readonly Column<ProvenanceStatement>[] = [
  { title: 'FILE', value: ({ fileName }) => fileName },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'KEY', value: ({ keyName }) => keyName },
  { title: 'ABOUT', value: ({ subjects }) => subjects.map(({ name }) => name).join(', ') },
  { title: 'BUILDER', value: ({ build }) => build?.builderId ?? '', isSpare: true },
  { title: 'ADDED (UTC)', value: ({ createdAt }) => formatTime(createdAt), isSpare: true },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function list(version: string, options: ListOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { statements } = await client.get(STATEMENTS, { params })
  printListing(options, {
    rows: statements,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'statement',
    answer: (rows) => ({ statements: rows }),
  })
}

async function add(version: string, path: string, options: ConnectionOptions): Promise<void> {
  const { name: fileName } = await findUploadFile(path)
  const statement = await readFile(path, 'utf8')
  const { client, params } = await openVersion(version, options)
  const answer = await client.post(STATEMENTS, { params, body: { fileName, statement } })
  const { id, state, reason } = answer
  printDone(options, { answer, id, text: `${answer.fileName}: ${state}. ${reason}` })
}

async function remove(
  version: string,
  statementId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { statements } = await client.get(STATEMENTS, { params })
  const { links } = await client.get(CHAIN, { params })
  const fileName = statements.find(({ id }) => id === statementId)?.fileName
  const rests = links.filter(
    ({ by, state }) =>
      (state === 'Proved' || state === 'Stated') &&
      fileName !== undefined &&
      (by === fileName || by?.startsWith(`${fileName}, signed with`) === true),
  )
  await confirm(
    `Delete ${fileName ?? 'this statement'}? ${formatCount(rests.length, 'link')} of the chain ${rests.length === 1 ? 'rests' : 'rest'} on it now.`,
    options,
  )
  await client.delete(`${STATEMENTS}/{statementId}`, { params: { ...params, statementId } })
  printDone(options, { answer: { id: statementId }, text: 'The statement is deleted' })
}
