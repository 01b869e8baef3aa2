/** What a bundle holds, file by file. Nothing of it is kept in memory but lists of versions, SBOMs and cases. */
import { splitIntoBatches } from '../../formats/batches.ts'
import { type CsvColumn, writeCsvTable } from '../../formats/csv.ts'
import { formatPathPart } from '../../formats/evidence-sums.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { listSealsUntil } from '../audit/index.ts'
import { getSourceFreshness } from '../feeds/index.ts'
import { listChains } from '../provenance/index.ts'
import { nameSbomBlob } from '../sboms/index.ts'
import { type Bundle, listTexts } from './bundle-service.ts'
import type { BundledCase, BundledSbom, BundledVersion, Counts } from './bundled.ts'
import { addCases } from './cases-service.ts'
import { addReports, type BundledReports } from './reports-service.ts'
import * as store from './store.ts'

type Context = Pick<AppContext, 'db' | 'blobs' | 'now' | 'config'>

export interface Contents extends Counts, BundledReports {
  versions: BundledVersion[]
  cases: BundledCase[]
  advisories: { path: string; trackingId: string; number: number; title: string }[]
}

export async function writeContents(
  ctx: Context,
  bundle: Bundle,
  subject: store.Subject,
): Promise<Contents> {
  const versions = await store.listVersions(ctx.db, subject)
  const ids = versions.map(({ id }) => id)
  const writer = { ctx, bundle, subject, versions, ids }
  const bundled = await addSboms(writer)
  const tables = {
    findingCount: await addTable(writer, 'findings.csv', FINDINGS, readAllFindings(writer)),
    decisionCount: await addTable(writer, 'decisions.csv', DECISIONS, readAllDecisions(writer)),
    uptakeCount: await addTable(
      writer,
      'uptake.csv',
      ['day', 'firmware', 'version', 'devices'],
      store.readUptake(ctx.db, subject, ids),
    ),
    deploymentCount: await addTable(
      writer,
      'deployments.csv',
      DEPLOYMENTS,
      store.readDeployments(ctx.db, subject, ids),
    ),
    chainCount: await addTable(writer, 'chain.csv', CHAIN, readChains(writer)),
  }
  const { cases, casePaths } = await addCases(writer)
  return {
    versions: bundled,
    ...tables,
    cases,
    ...(await addReports(writer, casePaths)),
    advisories: await addAdvisories(writer),
    ...(await addSources(writer)),
    newestSeal: await addSeals(writer),
  }
}

interface Writer {
  ctx: Context
  bundle: Bundle
  subject: store.Subject
  versions: readonly store.VersionRow[]
  ids: readonly string[]
}

/** @returns how many rows it has */
async function addTable<Row>(
  { bundle }: Writer,
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: AsyncIterable<Row>,
): Promise<number> {
  const table = writeCsvTable(columns)
  let count = 0
  async function* write() {
    yield table.header
    for await (const row of rows) {
      count += 1
      yield table.line(row)
    }
  }
  await bundle.add(name, write())
  return count
}

/** The end of an id tells more than its beginning, which is a time. */
const shortId = (id: string) => id.slice(-12)

/** Documents as they were received, and a table of them. */
async function addSboms(writer: Writer): Promise<BundledVersion[]> {
  const { ctx, subject, versions } = writer
  const bundled: BundledVersion[] = []
  for (const version of versions) {
    const sboms: BundledSbom[] = []
    for (const sbom of await store.listSboms(ctx.db, subject, version.id))
      sboms.push(await addSbom(writer, version, sbom))
    bundled.push({ ...version, sboms })
  }
  await addTable(writer, 'versions.csv', VERSIONS, iterate(bundled))
  await addTable(
    writer,
    'sboms.csv',
    SBOMS,
    iterate(
      bundled.flatMap(({ sboms, ...version }) => sboms.map((sbom) => ({ ...sbom, version }))),
    ),
  )
  return bundled
}

async function addSbom(
  { ctx, bundle, subject: { workspaceId } }: Writer,
  { id: firmwareVersionId, ...version }: store.VersionRow,
  sbom: store.SbomRow,
): Promise<BundledSbom> {
  const folder = `${formatPathPart(version.version)}-${shortId(firmwareVersionId)}`
  const file = `${shortId(sbom.id)}-${formatPathPart(sbom.fileName)}`
  const path = `sboms/${formatPathPart(version.firmwareSlug)}/${folder}/${file}`
  const key = nameSbomBlob({ workspaceId, firmwareVersionId, sbomId: sbom.id })
  const content = await ctx.blobs.get(key).catch(ignoreMissing)
  if (!content) return { ...sbom, path: null, state: 'The file is missing' }
  const { sha256 } = await bundle.add(path, content)
  return { ...sbom, path, state: sha256 === sbom.sha256 ? 'As received' : 'Not as received' }
}

/** A bundle says what it lacks; one file that is lost does not keep all others from an authority. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'blob-not-found')) throw error
}

const VERSIONS = [
  'firmware',
  'version',
  'createdAt',
  'firstDeployedAt',
  // Not of the end of the period: uptake.csv has those of each day.
  ['deviceCountWhenMade', ({ deviceCount }) => deviceCount],
  ['sbomCount', ({ sboms }) => sboms.length],
  'id',
] satisfies CsvColumn<BundledVersion>[]

const SBOMS = [
  ['firmware', ({ version }) => version.firmware],
  ['version', ({ version }) => version.version],
  'path',
  'state',
  'fileName',
  'format',
  'sizeBytes',
  'sha256',
  ['receivedAt', ({ createdAt }) => createdAt],
  'replacedAt',
] satisfies CsvColumn<BundledSbom & { version: Omit<BundledVersion, 'sboms'> }>[]

type Versioned<Row> = Row & { firmware: string; version: string }

async function* readAllFindings({
  ctx,
  subject,
  versions,
}: Writer): AsyncGenerator<Versioned<store.FindingRow>> {
  for (const { id, firmware, version } of versions)
    for await (const row of store.readFindings(ctx.db, subject, id))
      yield { ...row, firmware, version }
}

const FINDINGS = [
  'firmware',
  'version',
  'vulnerabilityId',
  'componentName',
  'componentVersion',
  'componentPurl',
  'severity',
  'score',
  'confidence',
  'detectedAt',
  'assessment',
  'ignored',
  'justification',
  'responses',
  'detail',
  'source',
  'decidedByEmail',
  'decidedAt',
] satisfies CsvColumn<Versioned<store.FindingRow>>[]

async function* readAllDecisions({
  ctx,
  subject,
  versions,
}: Writer): AsyncGenerator<store.DecisionRow> {
  for (const { id } of versions) yield* store.readDecisions(ctx.db, subject, id)
}

const DECISIONS = [
  ['at', ({ createdAt }) => createdAt],
  'firmware',
  'version',
  'vulnerabilityId',
  'component',
  'type',
  'assessment',
  'ignored',
  'justification',
  'responses',
  'detail',
  'source',
  ['by', ({ createdByEmail }) => createdByEmail],
] satisfies CsvColumn<store.DecisionRow>[]

const DEPLOYMENTS = [
  'name',
  'cohort',
  'firmware',
  'version',
  'createdAt',
  'endedAt',
  'state',
  'succeeded',
  'failed',
  'cancelled',
  'open',
  'id',
] satisfies CsvColumn<store.DeploymentRow>[]

/** Versions at once: what is read of them is held meanwhile. */
const CHAINS = 50

/** As they are when the bundle is made: the past of none is kept. */
async function* readChains({
  ctx,
  subject: { workspaceId },
  versions,
}: Writer): AsyncGenerator<Versioned<Chain['links'][number]>> {
  for (const some of splitIntoBatches(versions, CHAINS)) {
    const firmwareVersionIds = some.map(({ id }) => id)
    const chains = await listChains(ctx, { workspaceId, firmwareVersionIds })
    for (const { id, firmware, version } of some) {
      const chain = chains.find(({ firmwareVersionId }) => firmwareVersionId === id)
      for (const link of chain?.links ?? []) yield { ...link, firmware, version }
    }
  }
}

type Chain = Awaited<ReturnType<typeof listChains>>[number]

const CHAIN = [
  'firmware',
  'version',
  'step',
  'from',
  'to',
  'state',
  'by',
  'why',
] satisfies CsvColumn<Versioned<Chain['links'][number]>>[]

async function addAdvisories({
  ctx,
  bundle,
  subject,
  ids,
}: Writer): Promise<Contents['advisories']> {
  const advisories: Contents['advisories'] = []
  for await (const { document, ...revision } of store.readRevisions(ctx.db, subject, ids)) {
    const { trackingId, number, title } = revision
    const path = `advisories/${formatPathPart(trackingId)}/revision-${number}.json`
    await bundle.add(path, listTexts(document))
    advisories.push({ path, trackingId, number, title })
  }
  return advisories
}

/** Their ages are those of now: what they were in the past is not kept. */
async function addSources({ ctx, bundle }: Writer): Promise<Pick<Counts, 'staleSources'>> {
  const sources = await getSourceFreshness(ctx)
  const table = writeCsvTable<(typeof sources)[number]>([
    'source',
    'lastCompleteAt',
    'isStale',
    'state',
  ])
  await bundle.add('sources.csv', listTexts(table.header + sources.map(table.line).join('')))
  return { staleSources: sources.filter(({ isStale }) => isStale).map(({ source }) => source) }
}

/** Of the whole audit log of the workspace: nothing can be told of its entries by them, but whether they were changed. */
async function addSeals({ ctx, bundle, subject }: Writer): Promise<Counts['newestSeal']> {
  const { workspaceId, to } = subject
  const seals = await listSealsUntil(ctx.db, workspaceId, to.toISOString().slice(0, 10))
  const table = writeCsvTable<(typeof seals)[number]>([
    'day',
    'seal',
    'entryCount',
    'lateCount',
    'sealedAt',
  ])
  await bundle.add('audit-seals.csv', listTexts(table.header + seals.map(table.line).join('')))
  return seals.at(-1) ?? null
}

// eslint-disable-next-line @typescript-eslint/require-await -- as the rows of others
async function* iterate<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}
