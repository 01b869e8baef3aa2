import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { AcceptedVexStatement, VexDocument, VexImport } from '../../../api-client/src/index.ts'
import { EXIT } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { getFirmwareVersionId } from '../firmware-version.ts'
import { readJsonObject } from '../json-file.ts'
import { note, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

const FORMATS = ['openvex', 'cyclonedx', 'csaf'] as const
const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'
const PATH = `${VERSION}/vex` as const

interface VersionOptions extends ConnectionOptions {
  firmwareVersion?: string
  firmware?: string
  version?: string
}

interface ExportOptions extends VersionOptions {
  format: (typeof FORMATS)[number]
  output?: string
}

const IMPORT_CODES = `
Exit codes:
  ${EXIT.vexNotApplied}  statements were not applied: people decided otherwise, or they name nothing here or cannot be read
  ${EXIT.ok}  all were applied, changed nothing, or wait for a finding
  ${EXIT.error}  wrong usage, or any other error`

export function addVexCommands(program: Command): void {
  const vex = program.command('vex').description('VEX documents about a firmware version')

  withConnection(naming(vex.command('import')))
    .description('Import an OpenVEX, CycloneDX or CSAF document: its statements become assessments')
    .argument('<file>', 'the document, JSON')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--for-version', 'it is about this version, whatever it calls its product')
    .addHelpText('after', IMPORT_CODES)
    .action(importVex)

  withConnection(vex.command('accept'))
    .description('Accept what a document says otherwise than people have decided')
    .argument('<document>', 'its id: vex list, or the answer of vex import')
    .option('--dry-run', 'show what would change, and change nothing')
    .action(acceptVex)

  withConnection(naming(vex.command('list')))
    .description('The VEX documents about a firmware version')
    .action(listVex)

  withConnection(naming(vex.command('export')))
    .description('Export assessments as a VEX document')
    .addOption(new Option('--format <format>').choices(FORMATS).default('openvex'))
    .option('--output <file>', 'file to write (default: stdout)')
    .action(exportVex)
}

function naming(command: Command): Command {
  return command
    .option('--firmware-version <version>', 'its id, or slug@name')
    .option('--firmware <slug>', 'slug of the firmware')
    .option('--version <name>', 'name of the firmware version')
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function findVersionId(session: Session, options: VersionOptions): Promise<string> {
  const { firmwareVersion, firmware, version } = options
  if (firmwareVersion !== undefined && UUID.test(firmwareVersion)) return firmwareVersion
  // A slug has no @; the name of a version may.
  const [, slug = firmware, name = version] = /^([^@]+)@(.+)$/.exec(firmwareVersion ?? '') ?? []
  if (slug === undefined || name === undefined)
    throw usageError(
      'Name a version with --firmware-version ID or slug@name, or with --firmware and --version.',
    )
  return getFirmwareVersionId(session, { firmware: slug, version: name })
}

async function importVex(
  path: string,
  options: VersionOptions & { dryRun?: boolean; forVersion?: boolean },
): Promise<void> {
  const document = await readJsonObject(path)
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, options)
  const outcome = await session.client.post(PATH, {
    params: { workspaceId: session.workspaceId, firmwareVersionId },
    query: {
      dryRun: options.dryRun ? 'true' : 'false',
      forVersion: options.forVersion ? 'true' : 'false',
    },
    body: document,
  })
  if (options.json) printJson(outcome)
  else printOutcome(outcome)
  const { disagreeing, notUnderstood } = outcome.counts
  if (disagreeing + notUnderstood > 0) getTerminal().exitCode = EXIT.vexNotApplied
}

const CHANGES: readonly Column<VexImport['changes'][number]>[] = [
  { title: 'CVE', value: ({ cveId }) => cveId },
  {
    title: 'COMPONENT',
    value: ({ componentName, componentVersion }) =>
      [componentName, componentVersion].filter(Boolean).join(' '),
  },
  { title: 'IS', value: ({ from }) => from.assessment },
  { title: 'SAID', value: ({ to }) => to.assessment },
  { title: 'JUSTIFICATION', value: ({ to }) => to.justification },
]

function printOutcome(outcome: VexImport): void {
  const { changes, conflicts, unmatched, waiting, dryRun, counts, document } = outcome
  if (changes.length > 0) writeTable(getTerminal().stdout, CHANGES, changes)
  if (conflicts.length > 0) {
    printLine('\nKept, since a person has assessed these differently:')
    writeTable(getTerminal().stdout, CHANGES, conflicts)
    if (!dryRun && document.id !== null)
      note(`To decide as the document says: plimsoll vex accept ${document.id}`)
  }
  for (const { pointer, vulnerability, reason } of waiting)
    note(sanitise(`${pointer} ${vulnerability}: ${reason}`))
  for (const { pointer, vulnerability, product, reason } of unmatched)
    note(sanitise(`${[pointer, vulnerability, product].filter(Boolean).join(' ')}: ${reason}`))
  const verb = dryRun ? 'would change' : 'changed'
  printLine(
    `${changes.length > 0 ? '\n' : ''}${formatCount(changes.length, 'finding')} ${verb}. Statements: ` +
      `${counts.applied} applied, ${counts.unchanged} as they were, ${counts.waiting} kept for later, ` +
      `${counts.disagreeing} disagreeing with a person, ${counts.notUnderstood} not understood`,
  )
}

const DOCUMENT = '/workspaces/{workspaceId}/vex-documents/{documentId}/accept'

async function acceptVex(
  documentId: string,
  options: ConnectionOptions & { dryRun?: boolean },
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const outcome = await client.post(DOCUMENT, {
    params: { workspaceId, documentId },
    query: { dryRun: options.dryRun ? 'true' : 'false' },
  })
  if (options.json) return printJson(outcome)
  const { accepted, dryRun } = outcome
  if (accepted.length > 0) writeTable(getTerminal().stdout, ACCEPTED, accepted)
  printLine(`${formatCount(accepted.length, 'finding')} ${dryRun ? 'would change' : 'changed'}`)
}

const ACCEPTED: readonly Column<AcceptedVexStatement>[] = [
  { title: 'CVE', value: ({ cveId }) => cveId },
  {
    title: 'COMPONENT',
    value: ({ componentName, componentVersion }) =>
      [componentName, componentVersion].filter(Boolean).join(' '),
  },
  { title: 'WAS', value: ({ from }) => from },
  { title: 'IS', value: ({ to }) => to },
]

const DOCUMENTS: readonly Column<VexDocument>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FORMAT', value: ({ format }) => format },
  { title: 'AUTHOR', value: ({ author }) => author },
  { title: 'NAME', value: ({ documentId }) => documentId },
  { title: 'STATEMENTS', value: ({ statementCount }) => String(statementCount) },
  { title: 'IMPORTED BY', value: ({ receivedByEmail }) => receivedByEmail },
]

async function listVex(options: VersionOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findVersionId(session, options)
  const { documents } = await client.get(`${VERSION}/vex-documents`, {
    params: { workspaceId, firmwareVersionId },
  })
  if (options.json) printJson(documents)
  else writeTable(getTerminal().stdout, DOCUMENTS, documents)
}

async function exportVex(options: ExportOptions): Promise<void> {
  const { format, output } = options
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, options)
  const params = { workspaceId: session.workspaceId, firmwareVersionId }
  const document = await session.client.get(PATH, { params, query: { format } })
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (output === undefined) getTerminal().stdout.write(text)
  else await writeFile(output, text)
}
