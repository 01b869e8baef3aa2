import type { Artifact, RoleArtifact } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { uploadArtifact } from '../artifact-upload.ts'
import { stateChain } from '../chain-statement.ts'
import { usageError } from '../failure.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findUploadFile } from '../multipart.ts'
import { readPositive } from '../option-values.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { createProgress } from '../progress.ts'
import { type ConnectionOptions, type Session, withConnection, openSession } from '../session.ts'
import { requireWholeRole, type StatedRole } from '../stated-role.ts'
import type { Column } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { uploadSboms } from '../upload.ts'
import { addArtifactAddresses } from './artifact-address.ts'
import { addArtifactCheck } from './artifact-check.ts'
import { addArtifactDelete } from './artifact-delete.ts'
import { addArtifactSignatures } from './artifact-signature.ts'
import { addArtifactVerify } from './artifact-verify.ts'

const MEBIBYTE = 1024 * 1024

interface UploadOptions extends ConnectionOptions, ConfirmOptions, StatedRole {
  fileName?: string
  partSize: number
  sbom?: string[]
}

export function addArtifactCommands(program: Command): void {
  const artifact = program.command('artifact').description('The binaries of a firmware version')

  withListOptions(artifact.command('list'))
    .description('List the full image of a firmware version, its parts and its deltas')
    .argument('<version>', 'id of the firmware version, or slug@name')
    .action(list)

  withConfirmation(withConnection(artifact.command('upload')))
    .description('Upload a binary for devices; an interrupted upload continues')
    .argument('<version>', 'id of the firmware version, or slug@name')
    .argument('<file>', 'the binary, as devices are to get it')
    .option('--role <role>', 'delta, or a part such as bootloader (default: the full image)')
    .option('--base <version>', 'of a delta: the version that a device has to run')
    .option('--sbom <file...>', 'upload these SBOMs of it at once, and state that they describe it')
    .option('--file-name <name>', 'what it is called on devices (default: that of the file)')
    .option(
      '--part-size <mebibytes>',
      'larger files are sent in parts of this size',
      readPositive,
      32,
    )
    .action(upload)
  addArtifactDelete(artifact)
  addArtifactCheck(artifact)
  addArtifactVerify(artifact)
  addArtifactSignatures(artifact)
  addArtifactAddresses(artifact)
}

async function list(version: string, options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findStatedVersionId(session, version)
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifacts'
  const answer = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  printListing(options, {
    rows: answer.artifacts,
    columns: COLUMNS,
    nameOf: ({ fileName }) => fileName,
    noun: 'artifact',
    answer: (artifacts) => ({ ...answer, artifacts }),
  })
}

async function upload(version: string, path: string, options: UploadOptions): Promise<void> {
  const found = await findUploadFile(path)
  if (found.sizeBytes === 0) throw usageError(`${path} is empty: there is nothing to install.`)
  const file = { ...found, name: options.fileName ?? found.name }
  requireWholeRole(options)
  const sboms = await Promise.all((options.sbom ?? []).map(findUploadFile))
  const session = await openSession(options)
  const firmwareVersionId = await findStatedVersionId(session, version)
  const { role, base } = options
  const baseVersionId = base === undefined ? base : await findStatedVersionId(session, base)
  if (baseVersionId !== undefined)
    await confirmLateDelta(session, { firmwareVersionId, baseVersionId }, options)
  const progress = createProgress(getTerminal().stderr)
  try {
    const partBytes = Math.ceil(options.partSize * MEBIBYTE)
    const onSent = progress.sent
    const artifact = await uploadArtifact(session, {
      firmwareVersionId,
      role,
      baseVersionId,
      file,
      partBytes,
      onSent,
    })
    if (sboms.length > 0) {
      await uploadSboms(session, firmwareVersionId, { files: sboms, onSent })
      await stateChain(session, firmwareVersionId, { image: file, sboms })
    }
    progress.end()
    if (options.json) printJson(artifact)
    else printArtifact(artifact)
  } finally {
    progress.end()
  }
}

/** A version that is deployed already gets a delta for its next deployments only: says so, and for how many devices. */
async function confirmLateDelta(
  { client, workspaceId }: Session,
  delta: { firmwareVersionId: string; baseVersionId: string },
  options: ConfirmOptions,
): Promise<void> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'
  const of = (firmwareVersionId: string) => ({ params: { workspaceId, firmwareVersionId } })
  const { isDeployed, artifacts } = await client.get(
    `${path}/artifacts`,
    of(delta.firmwareVersionId),
  )
  const isThere = artifacts.some(({ baseVersionId }) => baseVersionId === delta.baseVersionId)
  if (!isDeployed || isThere) return
  const { name, affectedDeviceCount: count } = await client.get(path, of(delta.baseVersionId))
  await confirm(
    `The version was deployed already. Its deployments go on without the delta; those that are made from now on offer it to devices that run exactly ${sanitise(name)}: ${formatCount(count, 'device')} ${count === 1 ? 'reports' : 'report'} it now. Add the delta?`,
    options,
  )
}

const COLUMNS: Column<RoleArtifact>[] = [
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'FROM', value: ({ baseVersion }) => baseVersion ?? '' },
  { title: 'FILE', value: ({ fileName }) => fileName },
  { title: 'BYTES', value: ({ sizeBytes }) => String(sizeBytes) },
  { title: 'SHA-256', value: ({ sha256 }) => sha256, isSpare: true },
]

function printArtifact({
  fileName,
  sizeBytes,
  sha256,
}: Pick<Artifact, 'fileName' | 'sizeBytes' | 'sha256'>): void {
  printLine(`${sanitise(fileName)}: ${sizeBytes} bytes, SHA-256 ${sha256}`)
}
