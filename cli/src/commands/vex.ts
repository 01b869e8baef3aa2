import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { AnswerOf } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { getFirmwareVersionId } from '../firmware-version.ts'
import { readJsonObject } from '../json-file.ts'
import { note, plural, printJson, printLine } from '../print.ts'
import { printable } from '../printable.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

const FORMATS = ['openvex', 'cyclonedx', 'csaf'] as const
const PATH = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vex'

interface VersionOptions extends ConnectionOptions {
  firmwareVersion?: string
  firmware?: string
  version?: string
}

interface ExportOptions extends VersionOptions {
  format: (typeof FORMATS)[number]
  output?: string
}

export function addVexCommands(program: Command): void {
  const vex = program.command('vex').description('VEX documents about a firmware version')

  connecting(naming(vex.command('import')))
    .description('Import an OpenVEX, CycloneDX or CSAF document: its statements become assessments')
    .argument('<file>', 'the document, JSON')
    .option('--dry-run', 'show what would change, and change nothing')
    .action(importVex)

  connecting(naming(vex.command('export')))
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

type Outcome = AnswerOf<'importVex'>

async function importVex(
  path: string,
  options: VersionOptions & { dryRun?: boolean },
): Promise<void> {
  const document = await readJsonObject(path)
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, options)
  const outcome = await session.client.post(PATH, {
    params: { workspaceId: session.workspaceId, firmwareVersionId },
    query: { dryRun: options.dryRun ? 'true' : 'false' },
    body: document,
  })
  if (options.json) printJson(outcome)
  else printOutcome(outcome)
}

const CHANGES: readonly Column<Outcome['changes'][number]>[] = [
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

function printOutcome(outcome: Outcome): void {
  const { changes, conflicts, unmatched, unchangedCount, waiting, dryRun } = outcome
  if (changes.length > 0) writeTable(terminal().stdout, CHANGES, changes)
  if (conflicts.length > 0) {
    printLine('\nKept, since a person has assessed these differently:')
    writeTable(terminal().stdout, CHANGES, conflicts)
  }
  for (const { pointer, vulnerability, product, reason } of unmatched)
    note(printable(`${[pointer, vulnerability, product].filter(Boolean).join(' ')}: ${reason}`))
  const verb = dryRun ? 'would change' : 'changed'
  printLine(
    `${changes.length > 0 ? '\n' : ''}${plural(changes.length, 'finding')} ${verb}, ${unchangedCount} as they were, ` +
      `${plural(conflicts.length, 'conflict')}, ${plural(waiting.length, 'statement')} without a finding, ` +
      `${plural(unmatched.length, 'product')} not matched`,
  )
}

async function exportVex(options: ExportOptions): Promise<void> {
  const { format, output } = options
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, options)
  const params = { workspaceId: session.workspaceId, firmwareVersionId }
  const document = await session.client.get(PATH, { params, query: { format } })
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (output === undefined) terminal().stdout.write(text)
  else await writeFile(output, text)
}
