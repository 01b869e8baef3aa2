import type { Command } from 'commander'
import { ApiProblem, type ReplacedSbom, type Sbom } from '../../../api-client/src/index.ts'
import { uploadArtifact } from '../artifact-upload.ts'
import { stateChain } from '../chain-statement.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { EXIT } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import {
  ensureFirmwareVersionId,
  findNamedVersionId,
  findVersionId,
  withVersion,
  withVersionOptions,
  type VersionOptions,
} from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { findUploadFile, type UploadFile } from '../multipart.ts'
import { UUID } from '../named.ts'
import { readOneOf, readPositive } from '../option-values.ts'
import { noteOverridesNotApplied } from '../overrides.ts'
import { notePage } from '../portal-page.ts'
import { complain, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { createProgress, type Progress } from '../progress.ts'
import { refuseOtherFile } from '../sbom-file.ts'
import {
  confirmReplacement,
  previewReplacement,
  previewText,
  type Replacement,
  REPLACEMENTS,
} from '../replacement.ts'
import { addSbomCheck } from './sbom-check.ts'
import { addSbomVerify } from './sbom-verify.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { uploadSboms } from '../upload.ts'
import { describeFailure, listSboms, readSbomState, waitUntilReady } from '../wait.ts'

interface UploadOptions extends ConnectionOptions, VersionOptions {
  create?: boolean
  line?: string
  wait?: boolean
  timeout: number
  replace?: Replacement
  dryRun?: boolean
  yes?: boolean
  image?: string
}

interface SbomListOptions extends ListOptions, VersionOptions {
  replaced?: boolean
}

export function addSbomCommands(program: Command): void {
  const sbom = program.command('sbom').description('SBOMs of a firmware version')

  withConnection(withVersionOptions(sbom.command('upload')))
    .description('Upload one or more SBOMs: CycloneDX (JSON, XML), SPDX (2 and 3)')
    .argument('<version>', 'slug@name of the firmware version, or its id; not with --version')
    .argument(
      '[file...]',
      'the documents; also gzip or zstd compressed, or a tar of SPDX documents',
    )
    .option('--create', 'create the firmware and the version where they do not exist')
    .option(
      '--line <line>',
      'with --create: the release line of a new version; else as patterns say',
    )
    .option('--wait', 'wait until their vulnerabilities are known')
    .option('--timeout <seconds>', 'longest time to wait', readPositive, 600)
    .option(
      '--replace [what]',
      'what goes when the upload is read: file (the same file name or document; the default), serial (the same document), all (of the version)',
      readOneOf(REPLACEMENTS),
    )
    .option('--image <file>', 'upload the image that they describe at once, and state that they do')
    .option('--dry-run', 'say what --replace would replace, and upload nothing')
    .option('-y, --yes', 'do not ask at a terminal')
    .action(upload)

  withListOptions(withVersion(sbom.command('list')))
    .description('List the SBOMs of a firmware version')
    .option('--replaced', 'those that others replaced and that are still kept')
    .action(printSbomList)

  addSbomCheck(sbom)
  addSbomVerify(sbom)

  const removing = sbom
    .command('delete')
    .argument('<sbom>', 'its id; or its file name, with the version that has it')
  withConfirmation(withConnection(withVersion(removing)))
    .description('Delete an SBOM; findings that no other SBOM supports are resolved')
    .action(remove)
}

async function upload(first: string, more: string[], options: UploadOptions): Promise<void> {
  const { version, paths } = readOperands(first, more, options)
  const files = await Promise.all(paths.map(findUploadFile))
  const images = await Promise.all([options.image ?? []].flat().map(findUploadFile))
  if (options.dryRun && options.replace === undefined)
    throw usageError('--dry-run needs --replace.')
  if (options.create === true) await Promise.all(paths.map(refuseOtherFile))
  const session = await openSession(options)
  const findId = isMaking(options) ? ensureFirmwareVersionId : findVersionId
  const firmwareVersionId = await findId(session, version, options)
  if (await isSettledBefore(session, firmwareVersionId, { files, options })) return
  const progress = createProgress(getTerminal().stderr)
  try {
    const { replace } = options
    const sending = { files, replace, onSent: progress.sent }
    const answer = await uploadSboms(session, firmwareVersionId, sending)
    await uploadImages(session, firmwareVersionId, { images, files, progress })
    const { sboms, warnings } = answer
    for (const warning of warnings) complain(sanitise(warning))
    const ids = sboms.map(({ id }) => id)
    if (options.wait) await waitAndPrint(session, firmwareVersionId, { ids, options, progress })
    else if (options.json) printJson({ firmwareVersionId, ...answer })
    else for (const { id, parsingState } of sboms) printLine(`${id}: ${parsingState}`)
    if (!options.json) await notePage(session, 'firmwareVersion', { firmwareVersionId })
  } finally {
    progress.end()
  }
}

const PART_BYTES = 32 * 1024 * 1024

/** One, or none. */
async function uploadImages(
  session: Session,
  firmwareVersionId: string,
  { images, files, progress }: { images: UploadFile[]; files: UploadFile[]; progress: Progress },
): Promise<void> {
  const image = { firmwareVersionId, role: undefined, baseVersionId: undefined }
  const sending = { ...image, partBytes: PART_BYTES, onSent: progress.sent }
  for (const file of images) {
    await uploadArtifact(session, { ...sending, file })
    await stateChain(session, firmwareVersionId, { image: file, sboms: files })
  }
}

const isMaking = ({ create, dryRun }: UploadOptions) => create === true && dryRun !== true

/** The version comes first, unless options name it. */
function readOperands(first: string, more: readonly string[], options: VersionOptions) {
  const isNamed = options.version !== undefined
  const paths = isNamed ? [first, ...more] : more
  if (paths.length === 0)
    throw usageError('Name the firmware version and the documents: sbom upload gateway@2.4.1 FILE.')
  return { version: isNamed ? undefined : first, paths }
}

/** Says what the upload replaces, and asks. Answers true where that was all that was wanted. */
async function isSettledBefore(
  session: Session,
  firmwareVersionId: string,
  { files, options }: { files: readonly UploadFile[]; options: UploadOptions },
): Promise<boolean> {
  const { replace, dryRun = false, json } = options
  if (replace === undefined) return false
  const preview = await previewReplacement(session, firmwareVersionId, { replace, files })
  if (!dryRun) await confirmReplacement(preview, options)
  else if (json) printJson({ firmwareVersionId, ...preview })
  else printLine(previewText(preview))
  return dryRun
}

async function waitAndPrint(
  session: Session,
  firmwareVersionId: string,
  { ids, options, progress }: { ids: string[]; options: UploadOptions; progress: Progress },
): Promise<void> {
  const { timeout: timeoutSeconds, json } = options
  const onStates = progress.states
  const waiting = { ids, timeoutSeconds, onStates }
  const sboms = await waitUntilReady(session, firmwareVersionId, waiting)
  progress.end()
  if (json) printJson({ firmwareVersionId, sboms }, sboms)
  else printSboms(sboms)
  await noteOverridesNotApplied(session, firmwareVersionId)
  if (sboms.some((sbom) => readSbomState(sbom) === 'failed'))
    getTerminal().exitCode = EXIT.sbomFailed
}

async function printSbomList(version: string | undefined, options: SbomListOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, version, options)
  if (options.replaced) return listReplaced(session, firmwareVersionId, options)
  const sboms = await listSboms(session, firmwareVersionId)
  printListing(options, {
    rows: sboms,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'SBOM',
    answer: (rows) => ({ sboms: rows }),
  })
  if (!options.json && !options.csv && !options.quiet) printTroubles(sboms)
  await noteOverridesNotApplied(session, firmwareVersionId)
}

async function listReplaced(
  session: Session,
  firmwareVersionId: string,
  options: ListOptions,
): Promise<void> {
  const { client, workspaceId } = session
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/replaced-sboms'
  const { sboms } = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  printListing(options, {
    rows: sboms,
    columns: REPLACED_COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'replaced SBOM',
    answer: (rows) => ({ sboms: rows }),
  })
}

interface DeleteOptions extends ConnectionOptions, ConfirmOptions, VersionOptions {}

const SBOM = '/workspaces/{workspaceId}/sboms/{sbomId}'

async function remove(
  named: string,
  version: string | undefined,
  options: DeleteOptions,
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const found = await findSbom(session, named, await findNamedVersionId(session, version, options))
  const params = { workspaceId, sbomId: found.id }
  const { fileName } = await client.get(`${SBOM}/content`, { params })
  const extent = await describeExtent(session, found.id)
  await confirm(`Delete the SBOM ${fileName}${extent}? Decisions stay.`, options)
  await client.delete(SBOM, { params })
  printDone(options, { answer: { id: found.id, fileName }, text: `${fileName}: deleted${extent}` })
}

/** How many components it has; nothing for a replaced one, which counts no more. */
async function describeExtent({ client, workspaceId }: Session, sbomId: string): Promise<string> {
  try {
    let count = 0
    for (let cursor: string | undefined; ;) {
      const page = await client.post(`${SBOM}/components/list`, {
        params: { workspaceId, sbomId },
        body: { limit: 1000, ...(cursor !== undefined && { cursor }) },
      })
      count += page.components.length
      if (!page.hasMore || count >= MOST_COUNTED) {
        return ` with ${page.hasMore ? 'more than ' : ''}${formatCount(count, 'component')}`
      }
      cursor = page.nextCursor
    }
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 404) return ''
    throw error
  }
}

const MOST_COUNTED = 10_000

async function findSbom(
  session: Session,
  named: string,
  firmwareVersionId: string | undefined,
): Promise<{ id: string }> {
  if (firmwareVersionId === undefined) {
    if (UUID.test(named)) return { id: named }
    throw usageError(
      'Name the SBOM by its id, or by its file name and its version: sbom delete FILE gateway@2.4.1.',
    )
  }
  const sboms = await listSboms(session, firmwareVersionId)
  const found = sboms.filter(({ id, fileName }) => id === named || fileName === named)
  const [only] = found
  if (!only) throw usageError(`The version has no SBOM named ${JSON.stringify(named)}.`)
  if (found.length > 1)
    throw usageError(
      `The version has ${found.length} SBOMs named ${JSON.stringify(named)}. Name one by its id: ${found.map(({ id }) => id).join(', ')}.`,
    )
  return only
}

const REPLACED_COLUMNS: readonly Column<ReplacedSbom>[] = [
  { title: 'FILE', value: ({ fileName }) => fileName },
  { title: 'COMPONENTS', value: ({ componentCount }) => componentCount },
  { title: 'UPLOADED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'REPLACED (UTC)', value: ({ replacedAt }) => formatTime(replacedAt) },
  { title: 'KEPT UNTIL (UTC)', value: ({ keptUntil }) => formatTime(keptUntil) },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

const COLUMNS: readonly Column<Sbom>[] = [
  { title: 'FILE', value: ({ fileName }) => fileName },
  {
    title: 'STATE',
    value: readSbomState,
    style: (sbom) =>
      ({ parsing: undefined, matching: undefined, ready: 'green', failed: 'red' } as const)[
        readSbomState(sbom)
      ],
  },
  {
    title: 'FORMAT',
    value: ({ format, specVersion }) => [format, specVersion].filter(Boolean).join(' '),
  },
  { title: 'COMPONENTS', value: ({ componentCount }) => componentCount },
  { title: 'UPLOADED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function printSboms(sboms: readonly Sbom[]): void {
  writeTable(getTerminal().stdout, COLUMNS, sboms)
  printTroubles(sboms)
}

function printTroubles(sboms: readonly Sbom[]): void {
  for (const sbom of sboms) {
    const { fileName, parsingError, warnings } = sbom
    const name = sanitise(fileName)
    const failure = describeFailure(sbom)
    if (failure !== undefined) printLine(`\n${name}: ${failure}`)
    if (parsingError !== null) printLine(`\n${name} failed: ${sanitise(parsingError)}`)
    if (warnings.length > 0) printLine(`\n${name} has ${formatCount(warnings.length, 'warning')}:`)
    for (const warning of warnings) printLine(`  ${sanitise(warning)}`)
  }
}
