import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import {
  ensureFirmwareVersionId,
  getFirmwareVersionId,
  namingVersion,
  type VersionName,
} from '../firmware-version.ts'
import { shownTime } from '../instant.ts'
import { listing, type ListOptions, printListing } from '../listing.ts'
import { findUploadFile } from '../multipart.ts'
import { positive } from '../option-values.ts'
import { noteOverridesNotApplied } from '../overrides.ts'
import { notePage } from '../portal-page.ts'
import { plural, printJson, printLine } from '../print.ts'
import { printable } from '../printable.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'
import { uploadSboms } from '../upload.ts'
import { listSboms, type Sbom, stateOf, waitUntilReady } from '../wait.ts'

interface UploadOptions extends ConnectionOptions, VersionName {
  create?: boolean
  wait?: boolean
  timeout: number
}

export function addSbomCommands(program: Command): void {
  const sbom = program.command('sbom').description('SBOMs of a firmware version')

  connecting(namingVersion(sbom.command('upload')))
    .description('Upload one or more SBOMs: CycloneDX (JSON, XML), SPDX (2 and 3)')
    .argument(
      '<file...>',
      'the documents; also gzip or zstd compressed, or a tar of SPDX documents',
    )
    .option('--create', 'create the firmware and the version where they do not exist')
    .option('--wait', 'wait until their vulnerabilities are known')
    .option('--timeout <seconds>', 'longest time to wait', positive, 600)
    .action(upload)

  listing(namingVersion(sbom.command('list')))
    .description('List the SBOMs of a firmware version')
    .action(list)
}

async function upload(paths: string[], options: UploadOptions): Promise<void> {
  const files = await Promise.all(paths.map(findUploadFile))
  const session = await openSession(options)
  const resolve = options.create ? ensureFirmwareVersionId : getFirmwareVersionId
  const firmwareVersionId = await resolve(session, options)
  const progress = createProgress(terminal().stderr)
  try {
    const onSent = progress.sent
    const { sboms } = await uploadSboms(session, firmwareVersionId, { files, onSent })
    const ids = sboms.map(({ id }) => id)
    if (options.wait) await waitAndPrint(session, firmwareVersionId, { ids, options, progress })
    else if (options.json) printJson({ firmwareVersionId, sboms })
    else for (const { id, parsingState } of sboms) printLine(`${id}: ${parsingState}`)
    if (!options.json) await notePage(session, 'firmwareVersion', { firmwareVersionId })
  } finally {
    progress.end()
  }
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
  if (json) printJson({ firmwareVersionId, sboms })
  else printSboms(sboms)
  await noteOverridesNotApplied(session, firmwareVersionId)
  if (sboms.some((sbom) => stateOf(sbom) === 'failed')) terminal().exitCode = EXIT.sbomFailed
}

async function list(options: ListOptions & VersionName): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await getFirmwareVersionId(session, options)
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

const COLUMNS: readonly Column<Sbom>[] = [
  { title: 'FILE', value: ({ fileName }) => fileName },
  {
    title: 'STATE',
    value: stateOf,
    style: (sbom) =>
      ({ parsing: undefined, matching: undefined, ready: 'green', failed: 'red' } as const)[
        stateOf(sbom)
      ],
  },
  {
    title: 'FORMAT',
    value: ({ format, specVersion }) => [format, specVersion].filter(Boolean).join(' '),
  },
  { title: 'COMPONENTS', value: ({ componentCount }) => componentCount },
  { title: 'UPLOADED (UTC)', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function printSboms(sboms: readonly Sbom[]): void {
  writeTable(terminal().stdout, COLUMNS, sboms)
  printTroubles(sboms)
}

function printTroubles(sboms: readonly Sbom[]): void {
  for (const { fileName, parsingError, warnings } of sboms) {
    const name = printable(fileName)
    if (parsingError !== null) printLine(`\n${name} failed: ${printable(parsingError)}`)
    if (warnings.length > 0) printLine(`\n${name} has ${plural(warnings.length, 'warning')}:`)
    for (const warning of warnings) printLine(`  ${printable(warning)}`)
  }
}
