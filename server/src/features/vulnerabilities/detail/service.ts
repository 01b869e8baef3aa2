/** One vulnerability over the whole workspace; also one that it does not have, with what was looked at. */
import { encodeFindingId } from '../../../formats/finding-id.ts'
import { addDays, parsePastInstant } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { isVulnerabilityId } from '../../../formats/vulnerability-ids.ts'
import { notFound } from '../../../platform/errors.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { findVulnerabilityId } from '../../advisories/index.ts'
import { describeVulnerability } from '../../findings/index.ts'
import { getSourceFreshness } from '../../feeds/index.ts'
import { listMarks, type MarkReader, UNKNOWN_MARK } from '../../firmware/index.ts'
import { listTargetDays } from '../../ssvc/index.ts'
import { listDecisions } from './evidence-store.ts'
import { NOTHING_FOUND, readFleetLine } from './fleet-line-service.ts'
import { countLookedAt } from './past-store.ts'
import * as store from './store.ts'

const MOST_FINDINGS = 1000
const MOST_FIXED = 100
const MOST_ENTRIES = 200

export async function readVulnerability(
  ctx: AppContext,
  { workspaceId, cveId: named }: { workspaceId: string; cveId: string },
) {
  const { db } = ctx
  const found = await find(db, named)
  return {
    cveId: found?.id ?? named,
    isKnown: found !== undefined,
    ...describe(found),
    ...(await findingsOf(ctx, { workspaceId, id: found?.id ?? named })),
    lookedAt: await lookedAt(ctx, workspaceId),
  }
}

/** What is kept for the past: where it was found, what was decided, and which lists named it. */
export async function readPastVulnerability(
  ctx: AppContext,
  { workspaceId, cveId: named, asOf }: { workspaceId: string; cveId: string; asOf: string },
) {
  const { db } = ctx
  const at = parsePastInstant(asOf, ctx.now(), '/query/asOf')
  const found = await find(db, named)
  const id = found?.id ?? named
  const asked = { workspaceId, id, at }
  const totals = await store.countFindings(db, asked)
  const findings = await store.listFindings(db, asked, MOST_FINDINGS)
  return {
    cveId: id,
    isKnown: found !== undefined,
    name: found?.known.name ?? null,
    exploitedSources: (found?.known.exploitedSources ?? []).filter(
      ({ dateAdded }) => new Date(dateAdded) <= at,
    ),
    findingCount: totals.findingCount,
    activeFindingCount: totals.activeFindingCount,
    firmwareVersionCount: totals.firmwareVersionCount,
    activeFirmwareVersionCount: totals.activeFirmwareVersionCount,
    detectedAt: (await store.findDetectedAtThen(db, asked)) ?? null,
    findings: findings.map(({ packageId, dueAt: _due, deviceCount: _count, ...finding }) =>
      describeFinding(id, packageId, finding),
    ),
    timeline: await listDecisions(db, asked, MOST_ENTRIES),
    lookedAt:
      totals.findingCount === 0
        ? await countLookedAt(db, { workspaceId, at, of: { vulnerabilityId: id } })
        : null,
  }
}

/** undefined: no source knows the id. */
async function find(db: Db, named: string) {
  const id = await findVulnerabilityId(db, named)
  const known = id === undefined ? undefined : await store.findVulnerability(db, id)
  if (!known && !isVulnerabilityId(named)) throw notFound('vulnerability', named)
  return known && id !== undefined ? { id, known } : undefined
}

/** What sources say of it, wherever it is; undefined: none knows the id. */
export async function readKnownVulnerability(db: Db, named: string) {
  const id = await findVulnerabilityId(db, named)
  const known = id === undefined ? undefined : await store.findVulnerability(db, id)
  if (!known || id === undefined) return undefined
  return describe({ id, known }).vulnerability ?? undefined
}

function describe(found: { id: string; known: store.KnownVulnerability } | undefined) {
  if (!found) return { vulnerability: null, records: [] }
  const { id, known } = found
  const { records, ...rest } = known
  const vulnerability = {
    ...describeVulnerability({ ...rest, records, vulnerabilityId: id }),
    name: known.name,
    aliases: known.aliases,
    isKnownCisaExploit: known.isKnownExploit,
    exploitedSources: known.exploitedSources,
    isDisputed: known.isDisputed,
    epssScore: known.epssScore,
    epssPercentile: known.epssPercentile,
  }
  const shown = records.map(({ source, id: recordId, isWithdrawn, record }) => ({
    source,
    id: recordId,
    title: record.title ?? null,
    status: record.status ?? null,
    sourceUrl: record.sourceUrl,
    isWithdrawn,
    publishedAt: record.publishedAt ?? null,
    modifiedAt: record.modifiedAt ?? null,
  }))
  return { vulnerability, records: shown }
}

async function findingsOf(ctx: MarkReader, asked: { workspaceId: string; id: string }) {
  const { db } = ctx
  const totals = await store.countFindings(db, asked)
  const timeline = await listDecisions(db, asked, MOST_ENTRIES)
  if (totals.findingCount === 0)
    return {
      ...totals,
      ...NOTHING_FOUND,
      detectedAt: null,
      findings: [],
      fixedIn: [],
      unfixedLines: [],
      timeline,
    }
  const { workspaceId, id: vulnerabilityId } = asked
  const detectedAt = (await store.findDetectedAt(db, asked)) ?? null
  const findings = await store.listFindings(db, asked, MOST_FINDINGS)
  const fixed = await store.listFixedVersions(db, asked, MOST_FIXED)
  const versions = [...findings, ...fixed].map(({ firmwareVersion }) => firmwareVersion.id)
  const marks = await listMarks(ctx, workspaceId, versions)
  const marked = (version: store.NamedVersion) => ({
    ...version,
    mark: marks.get(version.id) ?? UNKNOWN_MARK,
  })
  const found = { workspaceId, vulnerabilityId, findings, fixed }
  const targets = await listTargetDays(db, workspaceId, {
    vulnerabilityId,
    versionIds: [...new Set(findings.map(({ firmwareVersion }) => firmwareVersion.id))],
  })
  return {
    ...totals,
    ...(await readFleetLine(db, found)),
    detectedAt,
    timeline,
    findings: findings.map(({ packageId, ...finding }) => ({
      ...describeFinding(vulnerabilityId, packageId, finding),
      dueAt: findDueAt(finding, targets.get(finding.firmwareVersion.id)),
      firmwareVersion: marked(finding.firmwareVersion),
    })),
    fixedIn: fixed.map(({ firmwareVersion, line, component }) => ({
      firmwareVersion: marked(firmwareVersion),
      line,
      component,
    })),
    unfixedLines: listUnfixedLines(findings, fixed),
  }
}

type PlacedVersion = Pick<store.FixedIn, 'firmwareVersion' | 'line'>

const namePlace = ({ firmwareVersion, line }: PlacedVersion) =>
  `${firmwareVersion.firmware.id} ${line?.id ?? ''}`

/** Of firmwares that another line has a fix for: the lines with active findings that have none. */
function listUnfixedLines(findings: readonly store.FoundIn[], fixed: readonly store.FixedIn[]) {
  // Others may not have been read.
  if (fixed.length === MOST_FIXED) return []
  const firmwares = new Set(fixed.map(({ firmwareVersion }) => firmwareVersion.firmware.id))
  const places = new Set(fixed.map(namePlace))
  const lacking = findings.filter(
    (one) =>
      one.isActive && firmwares.has(one.firmwareVersion.firmware.id) && !places.has(namePlace(one)),
  )
  return [...new Map(lacking.map((one) => [namePlace(one), one])).values()].map(
    ({ firmwareVersion: { firmware }, line }) => ({ firmware, line }),
  )
}

/** That of its severity, or that of its outcome of SSVC where it is sooner. */
function findDueAt(
  { dueAt, detectedAt }: Pick<store.FoundIn, 'dueAt' | 'detectedAt'>,
  days: number | undefined,
): Date | null {
  if (days === undefined) return dueAt
  const ofOutcome = addDays(detectedAt, days)
  return dueAt !== null && dueAt < ofOutcome ? dueAt : ofOutcome
}

function describeFinding<F extends Pick<store.FoundIn, 'firmwareVersion' | 'decision'>>(
  vulnerabilityId: string,
  packageId: string,
  finding: F,
) {
  const { firmwareVersion, decision } = finding
  return {
    ...finding,
    id: encodeFindingId({ firmwareVersionId: firmwareVersion.id, packageId, vulnerabilityId }),
    decision: decision && { ...decision, decidedAt: new Date(decision.decidedAt) },
  }
}

async function lookedAt(ctx: AppContext, workspaceId: string) {
  const sources = await getSourceFreshness(ctx)
  return { ...(await store.readLookedAt(ctx.db, workspaceId)), sources }
}

/** Whether any source knows the id or alias, and whether the workspace has a finding of it now. */
export async function findKnownVulnerability(
  db: Db,
  { workspaceId, named }: { workspaceId: string; named: string },
) {
  const id = await findVulnerabilityId(db, named)
  const isHere = id !== undefined && (await store.isHere(db, { workspaceId, id }))
  return { cveId: id ?? named, isKnown: id !== undefined, isHere }
}

/** Later versions of ours without the vulnerability, the newest first. */
export async function listFixes(
  db: Db,
  { workspaceId, named }: { workspaceId: string; named: string },
): Promise<{ cveId: string; fixes: store.FixedIn[] }> {
  const id = await findVulnerabilityId(db, named)
  if (id === undefined && !isVulnerabilityId(named)) throw notFound('vulnerability', named)
  if (id === undefined) return { cveId: named, fixes: [] }
  return { cveId: id, fixes: await store.listFixedVersions(db, { workspaceId, id }, MOST_FIXED) }
}
