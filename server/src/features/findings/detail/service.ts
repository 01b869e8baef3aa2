import { describeAcceptance } from '../../../formats/acceptances.ts'
import { isActive } from '../../../formats/assessments.ts'
import { decodeFindingId, encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import type { AdvisoryRecord } from '../../../formats/advisories/model.ts'
import { findCweName } from '../../../formats/advisories/cwe-names.ts'
import { parsePastInstant } from '../../../formats/instants.ts'
import { findPathsToRoot } from '../../../formats/sboms/paths.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { notFound } from '../../../platform/errors.ts'
import { comparePreference } from '../../../formats/advisories/preference.ts'
import type { Moment } from '../as-of-store.ts'
import { type AffectedDevices, readAffectedDevices } from '../../firmware/index.ts'
import { listPathNodes, type PathNode } from '../../components/index.ts'
import { addDiscussions } from '../../discussions/index.ts'
import { addOwners, type Owner } from '../../owners/index.ts'
import { isOfVersion } from '../list/orders-store.ts'
import { listTimeline, type TimelineRow } from '../decisions-store.ts'
import * as detail from './store.ts'
import { listStatementsAbout, type StatedRow } from './store.ts'
import {
  type AffectedRow,
  describeDecidingRange,
  drawVersionLine,
  type Evidence,
  groupAffectedPackages,
  listFixedVersions,
} from '../../matching/index.ts'
import { readDecidingTree, readRatedClass, readVersionContexts } from '../../ssvc/index.ts'
import { explainOutcome } from '../../../formats/ssvc/explanation.ts'
import { computeDueAt, findTargetDays } from '../workspace-list/ssvc-service.ts'
import { createProposal, findProposal, type ProposalRow } from '../proposals-store.ts'
import { limitStatedIn, buildTimeline } from './timeline.ts'

interface FindingReference {
  workspaceId: string
  findingId: string
}

export function getFinding(
  ctx: AppContext,
  { asOf, ...named }: FindingReference & { asOf?: string },
) {
  if (asOf === undefined) return readFinding(ctx, ctx.db, named)
  const at = parsePastInstant(asOf, ctx.now(), '/query/asOf')
  return readFinding(ctx, ctx.db, { ...named, moment: { at, isPast: true } })
}

/** Reads a finding, also by an id that leads to another finding now. */
export async function readFinding(
  ctx: Pick<AppContext, 'now'>,
  db: Db,
  {
    workspaceId,
    findingId,
    moment = { at: ctx.now(), isPast: false },
  }: FindingReference & { moment?: Moment },
) {
  const named = decodeFindingId(findingId)
  const row = named && (await detail.findFinding(db, workspaceId, { ...named, moment }))
  if (!named || !row) throw notFound('finding', findingId)
  const { packageId, vulnerabilityId } = row
  const key = { firmwareVersionId: named.firmwareVersionId, packageId, vulnerabilityId }
  const { at, isPast } = moment
  const everyDecision = await listTimeline(db, workspaceId, key)
  const decisions = everyDecision.filter(({ createdAt }) => !isPast || createdAt <= at)
  const members = await detail.listMembers(db, workspaceId, key)
  const nodes = await listPathNodes(db, workspaceId, members)
  // Proposals and VEX conflicts exist only for the present.
  const proposed = isPast ? undefined : await findProposal(db, { ...key, workspaceId })
  const stated =
    isPast || row.origin !== 'Person' ? [] : await listStatementsAbout(db, { ...key, workspaceId })
  // Devices are counted as they are now, also for a past instant.
  const version = { workspaceId, firmwareVersionId: key.firmwareVersionId }
  const affected = await readAffectedDevices(db, version, ctx.now())
  const ssvcDecision = isPast ? null : await explainSsvc(db, workspaceId, key)
  const ssvcDays = isPast ? undefined : await findTargetDays(db, workspaceId, key)
  const around = {
    ssvcDecision,
    ssvcDays,
    decisions,
    members,
    nodes,
    proposed,
    stated,
    affected,
    now: at,
    owner: await readOwner(db, workspaceId, key),
  }
  return findingDetail(key, row, around)
}

/** Whom it belongs to now, also where a past instant is shown. */
async function readOwner(
  db: Db,
  workspaceId: string,
  { firmwareVersionId, packageId, vulnerabilityId }: FindingKey,
): Promise<Owner | null> {
  const rows = await addDiscussions(db, workspaceId, [{ cveId: vulnerabilityId }])
  const [owned] = await addOwners(db, rows, {
    workspaceId,
    among: isOfVersion(firmwareVersionId),
    packagesOf: () => [packageId],
  })
  return owned?.owners[0] ?? null
}

/** What SSVC decides for the finding, step by step. */
async function explainSsvc(db: Db, workspaceId: string, key: FindingKey) {
  const { id, tree, decisions } = await readDecidingTree(db, workspaceId)
  const contexts = await readVersionContexts(db, { workspaceId, ...key })
  const rated = await readRatedClass(db, key.vulnerabilityId)
  return {
    tree: id,
    treeName: tree.name,
    ...explainOutcome(tree, decisions, { ...rated, contexts }),
  }
}

/** What documents say otherwise than a person has decided. */
function listDisagreements(assessment: string, stated: readonly StatedRow[]) {
  return stated
    .filter((one) => one.assessment !== assessment)
    .map((one) => ({
      ...one,
      since: one.since.toISOString(),
      statedIn: limitStatedIn(one.statedIn),
    }))
}

/** The newest statement, if it is one of those that say otherwise. */
function findConflict(assessment: string, [newest]: readonly StatedRow[]) {
  if (newest === undefined || newest.assessment === assessment) return null
  const { statedIn, since: _, statementId: __, ...said } = newest
  const { vexDocumentId: documentId, author, statedAt } = limitStatedIn(statedIn)
  return { documentId, author, ...said, statedAt }
}

interface Surroundings {
  ssvcDecision: Awaited<ReturnType<typeof explainSsvc>> | null
  /** The target of its outcome; of the past nothing is known of it. */
  ssvcDays: number | undefined
  decisions: readonly TimelineRow[]
  members: readonly detail.Member[]
  nodes: readonly PathNode[]
  proposed: ProposalRow | undefined
  /** What documents say of a finding that a person has decided. */
  stated: readonly StatedRow[]
  affected: AffectedDevices
  owner: Owner | null
  now: Date
}

function describePrevious(previous: detail.FindingDetailRow['previousDecision']) {
  if (!previous) return null
  const { assessedLineId: _, ignoredLineId: __, ...told } = previous
  const acceptance = describeAcceptance(told.acceptance)
  return { ...told, acceptance, decidedAt: new Date(told.decidedAt) }
}

function findingDetail(key: FindingKey, row: detail.FindingDetailRow, around: Surroundings) {
  const { assessment, ignored, confidence, evidence, affected, spans } = row
  const isHeld = spans.at(-1)?.until === null
  const active = isHeld && isActive({ assessment, ignored, confidence })
  const dueAt = computeDueAt(row, around.ssvcDays)
  return {
    id: encodeFindingId(key),
    name: row.name,
    ssvcDecision: around.ssvcDecision,
    owner: around.owner,
    firmwareVersion: row.firmwareVersion,
    line: row.line,
    assessment,
    ignored,
    acceptance: describeAcceptance(row.acceptance),
    justification: row.justification,
    detail: row.detail,
    response: row.responses[0] ?? null,
    responses: row.responses,
    recheckReason: row.recheckReason,
    decidedLine: row.decidedLine,
    previousDecision: describePrevious(row.previousDecision),
    origin: row.origin,
    vexConflict: findConflict(assessment, around.stated),
    disagreements: listDisagreements(assessment, around.stated),
    isKnownCisaExploit: row.isKnownExploit,
    knownExploit: row.knownExploit,
    exploitedSources: row.exploitedSources,
    isDisputed: row.isDisputed,
    component: {
      name: row.componentName,
      version: row.componentVersion,
      // A package is kept under the name of its source.
      source: null,
      vendor: row.componentVendor,
      purl: row.componentPurl,
      cpe: row.componentCpe,
    },
    components: distinct(around.members.map(describeMember)),
    cve: describeVulnerability(row),
    affectedPackages: groupAffectedPackages(affected),
    versionLine: drawVersionLine(affected, evidence) ?? null,
    sboms: groupBySbom(around),
    timeline: buildTimeline(row.publishedAt, spans, around.decisions),
    isActive: active,
    confidence,
    evidence: evidence.map((one) => describeEvidence(one, affected)),
    proposal: isHeld ? createProposal(assessment, around.proposed) : null,
    epssScore: row.epssScore,
    epssPercentile: row.epssPercentile,
    fixedVersions: listFixedVersions(affected, matchedVersion(evidence)),
    dueAt: dueAt?.toISOString() ?? null,
    overdue: active && dueAt !== undefined && dueAt < around.now,
    ...around.affected,
  }
}

function describeMember({ name, sourceName, version, vendor, purl, cpe }: detail.Member) {
  return { name, version, source: sourceName === name ? null : sourceName, vendor, purl, cpe }
}

/** The version of ours that an affected range holds. */
function matchedVersion(evidence: readonly Evidence[]): string | null {
  return evidence.find(({ verdict }) => verdict === 'affected')?.version ?? null
}

/** Without what only precedence among records reads. */
export function describeEvidence(evidence: Evidence, affected: readonly AffectedRow[]) {
  const { source, advisoryId, key, identifier, version, range } = evidence
  const { comparator, verdict, confidence, notes, outrankedBy = null } = evidence
  const rangeInWords = describeDecidingRange(evidence, affected)
  const record = { source, advisoryId, key, identifier, version, range, rangeInWords }
  return { ...record, comparator, verdict, confidence, notes, outrankedBy }
}

/** What the records of a vulnerability say together. */
export function describeVulnerability(
  row: Pick<
    detail.FindingDetailRow,
    'vulnerabilityId' | 'records' | 'severity' | 'primaryScore' | 'publishedAt' | 'modifiedAt'
  >,
) {
  const { vulnerabilityId } = row
  const inForce = row.records.filter(({ isWithdrawn }) => !isWithdrawn)
  const records = (inForce.length > 0 ? inForce : row.records).toSorted(comparePreference)
  const described = records.find(({ record }) => record.description !== undefined) ?? records[0]
  return {
    id: vulnerabilityId,
    source: described?.source ?? null,
    sourceUrl: described?.record.sourceUrl ?? null,
    description: described?.record.description ?? null,
    status: described?.record.status ?? null,
    severity: row.severity,
    primaryBaseScore: row.primaryScore,
    cvssScores: unite(
      records,
      ({ scores }) => scores,
      ({ version, vectorString, source }) => [version, vectorString, source],
    ),
    references: unite(
      records,
      ({ references }) => references,
      ({ url }) => url,
    ),
    cwes: unite(
      records,
      ({ cweIds }) => cweIds,
      (id) => id,
    ).map((id) => ({ id, name: findCweName(id) ?? id })),
    ssvc: unite(
      records,
      ({ ssvc = [] }) => ssvc,
      (decision) => decision,
    ).map(({ source, exploitation, automatable, technicalImpact, decidedAt }) => ({
      source,
      exploitation: exploitation ?? null,
      automatable: automatable ?? null,
      technicalImpact: technicalImpact ?? null,
      decidedAt: decidedAt ?? null,
    })),
    publishedAt: row.publishedAt,
    modifiedAt: row.modifiedAt,
  }
}

/** The items of all records, each once. */
function unite<Item>(
  records: readonly AdvisoryRecord[],
  itemsOf: (record: AdvisoryRecord['record']) => readonly Item[],
  keyOf: (item: Item) => unknown,
): Item[] {
  const items = new Map<string, Item>()
  for (const { record } of records)
    for (const item of itemsOf(record)) {
      const key = JSON.stringify(keyOf(item))
      if (!items.has(key)) items.set(key, item)
    }
  return [...items.values()]
}

const MOST_PATHS = 20

/** For each SBOM the paths from the package's components to the roots, the shortest first. */
function groupBySbom({ members, nodes }: Surroundings) {
  const graphs = Map.groupBy(nodes, ({ sbomId }) => sbomId)
  return [...Map.groupBy(members, ({ sbomId }) => sbomId)].map(([sbomId, own]) => {
    const graph = new Map((graphs.get(sbomId) ?? []).map((node) => [node.node, node]))
    const declared = own.flatMap(({ node }) => graph.get(node) ?? [])
    const paths = distinct(declared.flatMap((node) => findPathsToRoot(node, graph)))
    return {
      sbomId,
      fileName: own[0]?.fileName ?? '',
      pathsToRoot: paths.toSorted((a, b) => a.length - b.length).slice(0, MOST_PATHS),
    }
  })
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
