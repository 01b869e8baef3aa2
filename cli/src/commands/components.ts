import type { Command } from 'commander'
import {
  readAllPages,
  type FirmwareVersionComponent,
  LICENCE_OUTCOME,
  type LicenceOutcome,
  SUPPORT_STATE,
  type SupportState,
  type WorkspaceComponent,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { findNamedVersionId, type VersionOptions, withVersion } from '../firmware-version.ts'
import { readLimit, withListOptions, type ListOptions as Listed, printListing } from '../listing.ts'
import { readListOf } from '../option-values.ts'
import { printJsonList } from '../print.ts'
import { openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'
import { addComponentsExport } from './components-export.ts'
import { addSourceFiles } from './source-files.ts'

interface ListOptions extends Listed, VersionOptions {
  sbom?: string
  name?: string
  notMatched?: boolean
  support?: SupportState[]
  endsBefore?: string
  licence?: LicenceOutcome[]
}

export function addComponentsCommands(program: Command): void {
  const components = program.command('components').description('What is inside a firmware version')

  withListOptions(withVersion(components.command('list')))
    .description('List the components of a firmware version, or of one of its SBOMs')
    .option('--sbom <id>', 'an SBOM instead: its components in document order')
    .option('--name <text>', 'only those whose name, vendor, purl or CPE contains it')
    .option('--not-matched', 'only those that are not matched with vulnerabilities')
    .option(
      '--support <states>',
      `only those whose support is: ${SUPPORT_STATE.join(', ')}`,
      readListOf(SUPPORT_STATE),
    )
    .option('--ends-before <day>', 'only those whose support ends before the day, or has ended')
    .option(
      '--licence <outcomes>',
      `only those that the licence rules judge so: ${LICENCE_OUTCOME.join(', ')}`,
      readListOf(LICENCE_OUTCOME),
    )
    .action(listComponents)

  addComponentsExport(components)
  addSourceFiles(components)
}

interface Asked extends ListOptions {
  /** What names the firmware version. */
  text: string | undefined
}

async function listComponents(text: string | undefined, options: ListOptions): Promise<void> {
  if (isJudged(options)) {
    await listJudged(text, options)
    return
  }
  const components = readChosen(await openSession(options), { ...options, text })
  if (options.json) await printJsonList('components', upTo(readLimit(options), components))
  else await printComponents(components, options)
}

const isJudged = ({ support, endsBefore, licence }: ListOptions) =>
  support !== undefined || endsBefore !== undefined || licence !== undefined

/** By support and licence the service chooses, as rules and dates are known to it alone. */
async function listJudged(text: string | undefined, options: ListOptions): Promise<void> {
  const { support: supportStates, endsBefore: supportEndsBefore, licence, sbom, name } = options
  if (sbom !== undefined || options.notMatched)
    throw usageError('--support, --ends-before and --licence choose components of a version.')
  const session = await openSession(options)
  const { client, workspaceId } = session
  const filter = {
    firmwareVersionIds: [await findChosenVersionId(session, text, options)],
    ...(supportStates && { supportStates }),
    ...(supportEndsBefore !== undefined && { supportEndsBefore }),
    ...(licence && { licenceOutcomes: licence }),
    ...(name !== undefined && { name: [{ contains: name }] }),
  }
  const components: WorkspaceComponent[] = []
  for await (const page of readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/components/list', {
      params: { workspaceId },
      body: { filter, limit: 1000, ...cursor },
    }),
  ))
    for (const component of page.components) components.push(component)
  printListing(options, {
    rows: components,
    columns: JUDGED_COLUMNS,
    nameOf: nameComponent,
    noun: 'component',
    answer: (rows) => ({ components: rows }),
  })
}

const nameComponent = ({ packageName, version }: { packageName: string; version: string | null }) =>
  version === null ? packageName : `${packageName}@${version}`

const SUPPORT_WORDS: Record<SupportState, string> = {
  Ended: 'out since',
  Ending: 'until',
  NoEndPlanned: 'no end planned',
  NotKnown: 'not known',
}

const JUDGED_COLUMNS: readonly Column<WorkspaceComponent>[] = [
  { title: 'NAME', value: ({ packageName }) => packageName },
  { title: 'VERSION', value: ({ version }) => version },
  {
    title: 'SUPPORT',
    value: ({ supportState, supportEndsOn }) =>
      supportState === 'Ended' && supportEndsOn === null
        ? 'out of support'
        : `${SUPPORT_WORDS[supportState]} ${supportEndsOn ?? ''}`.trim(),
  },
  { title: 'PRODUCT', value: ({ supportedAs }) => supportedAs },
  { title: 'LICENCES', value: ({ licenses }) => licenses.join(', ') },
  { title: 'RULES SAY', value: ({ licenceOutcome }) => licenceOutcome ?? 'not judged' },
]

async function* readChosen(
  session: Session,
  options: Asked,
): AsyncGenerator<FirmwareVersionComponent> {
  const isChosen = chosenBy(options)
  for await (const component of readComponents(session, options))
    if (isChosen(component)) yield component
}

async function* readComponents(
  session: Session,
  { sbom, text, ...options }: Asked,
): AsyncGenerator<FirmwareVersionComponent> {
  const { client, workspaceId } = session
  if (sbom !== undefined) {
    const path = '/workspaces/{workspaceId}/sboms/{sbomId}/components/list'
    const params = { workspaceId, sbomId: sbom }
    const pages = readAllPages((cursor) =>
      client.post(path, { params, body: { limit: 1000, ...cursor } }),
    )
    for await (const { components } of pages) yield* components
    return
  }
  const firmwareVersionId = await findChosenVersionId(session, text, options)
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sbom-components'
  yield* client.elements(path, { params: { workspaceId, firmwareVersionId } })
}

async function findChosenVersionId(
  session: Session,
  text: string | undefined,
  options: ListOptions,
): Promise<string> {
  const firmwareVersionId = await findNamedVersionId(session, text, options)
  if (firmwareVersionId === undefined)
    throw usageError('Name a version as slug@name, such as gateway@2.4.1, or an SBOM with --sbom.')
  return firmwareVersionId
}

function chosenBy({
  name,
  notMatched,
}: ListOptions): (component: FirmwareVersionComponent) => boolean {
  const part = name?.toLowerCase() ?? ''
  return ({ packageName, vendor, purl, cpes, notMatchedReason }) =>
    (!notMatched || notMatchedReason !== null) &&
    [packageName, vendor, purl, ...cpes].some((text) => text?.toLowerCase().includes(part))
}

const COLUMNS: readonly Column<FirmwareVersionComponent>[] = [
  { title: 'NAME', value: ({ packageName }) => packageName },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'VENDOR', value: ({ vendor }) => vendor },
  { title: 'PURL', value: ({ purl }) => purl },
  { title: 'CPE', value: ({ cpe }) => cpe },
  { title: 'NOT MATCHED BECAUSE', value: ({ notMatchedReason }) => notMatchedReason },
]

async function* upTo<Element>(most: number, elements: AsyncIterable<Element>) {
  let count = 0
  for await (const element of elements) {
    if (count++ >= most) return
    yield element
  }
}

async function printComponents(
  components: AsyncIterable<FirmwareVersionComponent>,
  options: ListOptions,
): Promise<void> {
  const rows: FirmwareVersionComponent[] = []
  // JSON has all members of a component; the table shows a few.
  for await (const component of components) rows.push({ ...component, pathsToRoot: [] })
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: nameComponent,
    noun: 'component',
    answer: () => ({ components: rows }),
  })
}
