import { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import type { AcceptedVexStatement, VexDocument, VexImport } from '../../../api-client/src/index.ts'
import { writeWhole } from '../download.ts'
import { EXIT } from '../exit-codes.ts'
import { findVersionId, type VersionOptions, withVersion } from '../firmware-version.ts'
import { groupBy } from '../grouping.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { note, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

const FORMATS = ['openvex', 'cyclonedx', 'csaf'] as const
const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'
const PATH = `${VERSION}/vex` as const

interface VexOptions extends ConnectionOptions, VersionOptions {
  firmwareVersion?: string
}

interface ExportOptions extends VexOptions {
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

  withConnection(naming(vex.command('import').argument('<file>', 'the document, JSON')))
    .description('Import an OpenVEX, CycloneDX or CSAF document: its statements become assessments')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--for-version', 'it is about this version, whatever it calls its product')
    .addHelpText('after', IMPORT_CODES)
    .action(importVex)

  withConnection(vex.command('accept'))
    .description('Accept what a document says otherwise than people have decided')
    .argument('<document>', 'its id: vex list, or the answer of vex import')
    .option('--dry-run', 'show what would change, and change nothing')
    .action(acceptVex)

  withListOptions(naming(vex.command('list')))
    .description('List the VEX documents about a firmware version')
    .action(listVex)

  withConnection(naming(vex.command('export')))
    .description('Export assessments as a VEX document')
    .addOption(new Option('--format <format>').choices(FORMATS).default('openvex'))
    .option('--output <file>', 'file to write (default: stdout)')
    .action(exportVex)
}

function naming(command: Command): Command {
  return withVersion(command).option('--firmware-version <version>', 'its id, or slug@name')
}

const findNamed = (
  session: Session,
  text: string | undefined,
  { firmwareVersion, ...options }: VexOptions,
): Promise<string> => findVersionId(session, text ?? firmwareVersion, options)

async function importVex(
  path: string,
  version: string | undefined,
  options: VexOptions & { dryRun?: boolean; forVersion?: boolean },
): Promise<void> {
  const document = await readJsonObject(path)
  const session = await openSession(options)
  const firmwareVersionId = await findNamed(session, version, options)
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
  noteByReason(waiting)
  noteByReason(unmatched)
  const verb = dryRun ? 'would change' : 'changed'
  printLine(
    `${changes.length > 0 ? '\n' : ''}${formatCount(changes.length, 'finding')} ${verb}. Statements: ` +
      `${counts.applied} applied, ${counts.unchanged} as they were, ${counts.waiting} kept for later, ` +
      `${counts.disagreeing} disagreeing with a person, ${counts.notUnderstood} not understood`,
  )
}

const MOST_NAMED = 5

/** One line for each reason: a document may have thousands of statements that have one in common. JSON has them all. */
function noteByReason(
  statements: readonly {
    pointer: string | null
    vulnerability: string | null
    product?: string | null
    reason: string
  }[],
): void {
  for (const [reason, some] of groupBy(statements, (statement) => statement.reason)) {
    const names = some
      .slice(0, MOST_NAMED)
      .map(({ pointer, vulnerability, product }) =>
        [pointer, vulnerability, product].filter(Boolean).join(' '),
      )
    const more = some.length > names.length ? ` and ${some.length - names.length} more` : ''
    note(sanitise(`${names.join(', ')}${more}: ${reason}`))
  }
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

async function listVex(
  version: string | undefined,
  options: VexOptions & ListOptions,
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findNamed(session, version, options)
  const { documents } = await client.get(`${VERSION}/vex-documents`, {
    params: { workspaceId, firmwareVersionId },
  })
  printListing(options, {
    rows: documents,
    columns: DOCUMENTS,
    nameOf: ({ id }) => id,
    noun: 'VEX document',
    answer: (rows) => rows,
  })
}

async function exportVex(version: string | undefined, options: ExportOptions): Promise<void> {
  const { format, output } = options
  const session = await openSession(options)
  const firmwareVersionId = await findNamed(session, version, options)
  const params = { workspaceId: session.workspaceId, firmwareVersionId }
  const document = await session.client.get(PATH, { params, query: { format } })
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (output === undefined) getTerminal().stdout.write(text)
  else await writeWhole(Readable.from([text]), output)
}
