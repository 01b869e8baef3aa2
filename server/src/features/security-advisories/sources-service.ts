/** Makes a draft of a case, a finding, or the difference of two versions. */
import { formatCountOf } from '../../formats/counts.ts'
import { decodeFindingId } from '../../formats/finding-id.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { choosePurl } from '../vex/index.ts'
import type { AdvisoryContent, NamedProduct } from './content.ts'
import { joinNames, type KnownVersion, proposeVulnerabilities, readStatements } from './proposal.ts'
import * as store from './sources-store.ts'

export interface DraftSource {
  caseId?: string | undefined
  findingId?: string | undefined
  /** Its id or an alias. */
  vulnerabilityId?: string | undefined
  fromVersionId?: string | undefined
  toVersionId?: string | undefined
  /** Of the difference, these alone. */
  cveIds?: readonly string[] | undefined
}

interface Draft {
  title: string
  content: AdvisoryContent
  caseId: string | null
}

const MOST_VULNERABILITIES = 200
const MOST_STATUSES = 5_000

/** undefined: the source is named by none of its members. */
export async function createDraft(
  db: Db,
  workspaceId: string,
  source: DraftSource,
): Promise<Draft | undefined> {
  const { caseId, findingId, vulnerabilityId, fromVersionId, toVersionId } = source
  const hasVersions = fromVersionId !== undefined || toVersionId !== undefined
  const ids = [caseId, findingId, vulnerabilityId].filter((id) => id !== undefined)
  if (ids.length + Number(hasVersions) > 1)
    throw invalid(
      'Name a case, a finding, a vulnerability or two versions: an advisory is made of one of them.',
    )
  if (caseId !== undefined) return draftFromCase(db, workspaceId, caseId)
  if (findingId !== undefined) return draftFromFinding(db, workspaceId, findingId)
  if (vulnerabilityId !== undefined) return draftFromVulnerability(db, workspaceId, vulnerabilityId)
  if (!hasVersions) return undefined
  if (fromVersionId === undefined || toVersionId === undefined)
    throw invalid(
      'A difference needs both versions.',
      fromVersionId === undefined ? '/fromVersionId' : '/toVersionId',
    )
  return draftFromVersions(db, workspaceId, {
    fromVersionId,
    toVersionId,
    cveIds: source.cveIds,
  })
}

async function draftFromFinding(db: Db, workspaceId: string, findingId: string): Promise<Draft> {
  const key = decodeFindingId(findingId)
  if (!key) throw notFound('finding', findingId)
  const version = await getFirmwareVersion(db, workspaceId, key.firmwareVersionId)
  const scope = { firmwareIds: [version.firmware.id], vulnerabilityIds: [key.vulnerabilityId] }
  const content = await propose(db, workspaceId, { ...scope, isConfirmed: false })
  const [first] = content.vulnerabilities
  if (!first || first.statuses.length === 0) throw notFound('finding', findingId)
  return {
    title: `${key.vulnerabilityId} in ${version.firmware.name}`,
    content,
    caseId: null,
  }
}

async function draftFromVulnerability(db: Db, workspaceId: string, named: string): Promise<Draft> {
  const found = await store.findWhereVulnerable(db, workspaceId, named)
  if (!found) throw notFound('vulnerability', named)
  const { vulnerabilityId, firmwareIds } = found
  const scope = { firmwareIds, vulnerabilityIds: [vulnerabilityId], isConfirmed: false }
  const content = await propose(db, workspaceId, scope)
  if (content.products.length === 0)
    throw new AppError(
      'conflict',
      'advisory-says-nothing',
      `No version of this workspace has ${vulnerabilityId}, as far as is known.`,
    )
  const names = joinNames(content.products.map(({ firmware }) => firmware))
  return { title: `${vulnerabilityId} in ${names}`, content, caseId: null }
}

async function draftFromVersions(
  db: Db,
  workspaceId: string,
  given: { fromVersionId: string; toVersionId: string; cveIds: readonly string[] | undefined },
): Promise<Draft> {
  const from = await getFirmwareVersion(db, workspaceId, given.fromVersionId)
  const to = await getFirmwareVersion(db, workspaceId, given.toVersionId)
  if (from.firmware.id !== to.firmware.id)
    throw invalid('Both versions must be of one firmware.', '/toVersionId')
  const limit = MOST_VULNERABILITIES * 50
  const gone = await store.listGone(db, workspaceId, { fromId: from.id, toId: to.id, limit })
  const vulnerabilityIds = given.cveIds ? gone.filter((id) => given.cveIds?.includes(id)) : gone
  const named = `${to.firmware.name} ${from.name} and ${to.name}`
  if (vulnerabilityIds.length === 0)
    throw new AppError(
      'conflict',
      'advisory-says-nothing',
      `No finding went away between ${named}, apart from those that were judged harmless.`,
    )
  if (vulnerabilityIds.length > MOST_VULNERABILITIES)
    throw new AppError(
      'conflict',
      'advisory-too-large',
      `${formatCountOf(vulnerabilityIds.length, 'finding')} went away between ${named}; an advisory has ${MOST_VULNERABILITIES} at most.`,
    )
  const scope = { firmwareIds: [to.firmware.id], vulnerabilityIds, isConfirmed: false }
  const content = await propose(db, workspaceId, scope)
  if (!content.products.some(({ firmwareVersionId }) => firmwareVersionId === to.id))
    throw new AppError(
      'conflict',
      'advisory-says-nothing',
      `Nothing is known of ${to.firmware.name} ${to.name}: it has no SBOM that was read.`,
    )
  return {
    title: `Vulnerabilities fixed in ${to.firmware.name} ${to.name}`,
    content,
    caseId: null,
  }
}

async function draftFromCase(db: Db, workspaceId: string, caseId: string): Promise<Draft> {
  const found = isUuid(caseId) ? await store.findSourceCase(db, workspaceId, caseId) : undefined
  if (!found) throw notFound('case', caseId)
  const { title, vulnerabilityId, firmwareIds } = found
  if (vulnerabilityId === null) {
    const summary = `${title}.`
    const content = { summary, details: null, vulnerabilities: [], products: [] }
    return { title, content, caseId: found.id }
  }
  const scope = { firmwareIds, vulnerabilityIds: [vulnerabilityId] }
  const content = await propose(db, workspaceId, { ...scope, ...findNamed(found) })
  return { title, content: addDeleted(content, found, vulnerabilityId), caseId: found.id }
}

const findNamed = ({ versions, isConfirmed }: store.SourceCase) => ({
  isConfirmed,
  namedIds: new Set(versions.map(({ firmwareVersionId }) => firmwareVersionId)),
})

/** Versions of the case that were deleted since are still in use somewhere. */
function addDeleted(
  content: AdvisoryContent,
  { versions, manufacturer, isConfirmed, presentIds }: store.SourceCase,
  vulnerabilityId: string,
): AdvisoryContent {
  const deleted = versions.filter(
    ({ firmwareVersionId }) => !presentIds.includes(firmwareVersionId),
  )
  if (deleted.length === 0) return content
  const status = isConfirmed ? ('KnownAffected' as const) : ('UnderInvestigation' as const)
  return {
    ...content,
    products: [
      ...content.products,
      ...deleted.map(({ firmwareVersionId, firmware, version }) => ({
        firmwareVersionId,
        manufacturer,
        productLine: null,
        firmware,
        version,
        purl: null,
        cpe: null,
      })),
    ],
    vulnerabilities: content.vulnerabilities.map((one) =>
      one.vulnerabilityId === vulnerabilityId
        ? {
            ...one,
            statuses: [
              ...one.statuses,
              ...deleted.map(({ firmwareVersionId }) => ({ firmwareVersionId, status })),
            ],
          }
        : one,
    ),
  }
}

interface Proposed {
  firmwareIds: readonly string[]
  vulnerabilityIds: readonly string[]
  isConfirmed: boolean
  namedIds?: ReadonlySet<string>
}

async function propose(
  db: Db,
  workspaceId: string,
  { firmwareIds, vulnerabilityIds, isConfirmed, namedIds = new Set() }: Proposed,
): Promise<AdvisoryContent> {
  const versions = await listVersions(db, workspaceId, { firmwareIds })
  const findings = await store.listKnownFindings(db, workspaceId, { firmwareIds, vulnerabilityIds })
  const known = await store.listKnownVulnerabilities(db, vulnerabilityIds)
  const vulnerabilities = proposeVulnerabilities({
    vulnerabilities: known.map(({ records, ...one }) => ({ ...one, ...readStatements(records) })),
    versions,
    findings,
    isConfirmed,
    namedIds,
  })
  const statuses = vulnerabilities.flatMap((one) => one.statuses)
  if (statuses.length > MOST_STATUSES)
    throw new AppError(
      'conflict',
      'advisory-too-large',
      `${formatCountOf(statuses.length, 'statement')} would be in it; an advisory has ${MOST_STATUSES} at most.`,
    )
  const named = new Set(statuses.map(({ firmwareVersionId }) => firmwareVersionId))
  const products = versions.filter(({ firmwareVersionId }) => named.has(firmwareVersionId))
  const ids = vulnerabilities.map(({ vulnerabilityId }) => vulnerabilityId)
  const names = joinNames(products.map(({ firmware }) => firmware))
  return {
    summary: `This advisory is about ${joinNames(ids)} in ${names === '' ? 'our products' : names}.`,
    details: null,
    vulnerabilities,
    products: products.map(pickNames),
  }
}

const pickNames = (version: KnownVersion): NamedProduct => ({
  firmwareVersionId: version.firmwareVersionId,
  manufacturer: version.manufacturer,
  productLine: version.productLine,
  firmware: version.firmware,
  version: version.version,
  purl: version.purl,
  cpe: version.cpe,
})

async function listVersions(
  db: Db,
  workspaceId: string,
  {
    firmwareIds = [],
    versionIds = [],
  }: { firmwareIds?: readonly string[]; versionIds?: readonly string[] },
): Promise<KnownVersion[]> {
  const rows = await store.listKnownVersions(db, workspaceId, { firmwareIds, versionIds })
  return rows.map(({ slug, ...row }) => ({
    ...row,
    purl: choosePurl({ name: row.version, purl: row.purl, firmware: { slug } }),
  }))
}

/** The products that are named: known ones as they were called, new ones as they are called now. */
export async function nameVersions(
  db: Db,
  workspaceId: string,
  { ids, known }: { ids: readonly string[]; known: readonly NamedProduct[] },
): Promise<NamedProduct[]> {
  const kept = new Map(known.map((one) => [one.firmwareVersionId, one]))
  const versionIds = ids.filter((id) => !kept.has(id))
  const added = versionIds.length === 0 ? [] : await listVersions(db, workspaceId, { versionIds })
  const all = new Map([
    ...kept,
    ...added.map((one) => [one.firmwareVersionId, pickNames(one)] as const),
  ])
  return ids.flatMap((id) => all.get(id) ?? [])
}
