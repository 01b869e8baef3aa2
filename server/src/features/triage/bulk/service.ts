/** A person or an API key decides about many findings in one transaction. */
import { formatCountOf } from '../../../formats/counts.ts'
import {
  type Assessment,
  ASSESSMENTS,
  type PreviousDecision,
} from '../../../formats/assessments.ts'
import { decodeFindingId, encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import { AppError, invalid, refuseFaults } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { type AuditAction, listFindingSubjects, recordAudit } from '../../audit/index.ts'
import { lockFirmwareVersions } from '../../firmware/index.ts'
import { recordBatch } from '../batches/service.ts'
import { runTold } from '../batches/runs-service.ts'
import type { RunRow } from '../batches/runs-store.ts'
import { type DecisionAct, findBatch } from '../batches/store.ts'
import { chooseAct, describeActor, type Verdict, completeVerdict } from '../service.ts'
import { readFilterSubject, putStandingDecision } from '../standing/service.ts'
import type { RestoredStanding } from '../standing/store.ts'
import { type BulkChange, listPreviousDecisions, listStates } from './store.ts'
import { recordLockedDecisions } from '../../findings/index.ts'
import {
  findFindingKeys,
  listSelectedFindings,
  type WorkspaceFindingFilter,
} from '../../findings/index.ts'

/** More findings would lock their firmware versions for minutes. */
const MOST_FINDINGS = 100_000
/** Details may be long, so memory limits the batch. */
const BATCH = 1_000
/** Proposals are computed for each version, which takes time. */
const MOST_VERSIONS_PROPOSED = 20

interface BulkFilter extends WorkspaceFindingFilter {
  proposed?: boolean
}

interface Bulk {
  workspaceId: string
  actor: Actor
  findingIds?: string[]
  filter?: BulkFilter
  dryRun?: boolean
  alsoFuture?: boolean
  decisionBatchId?: string
  expectedMatched?: number
}

export async function assessFindings(ctx: AppContext, input: Bulk & Verdict) {
  const change = completeVerdict(input)
  return decideAll(ctx, input, { action: 'vulnerability-finding.bulk-assess', change })
}

export async function ignoreFindings(ctx: AppContext, input: Bulk & { ignored: boolean }) {
  const change = { ignored: input.ignored }
  return decideAll(ctx, input, { action: 'vulnerability-finding.bulk-ignore', change })
}

/** Decides again as before, where a finding was decided for another version of its package or on other evidence. */
export async function repeatDecisions(ctx: AppContext, input: Bulk) {
  const { workspaceId } = input
  const action = 'vulnerability-finding.bulk-repeat'
  const decided = { action, summary: {}, act: 'Repeat', assessment: null } as const
  return changeAll(ctx, input, decided, async (tx, keys) => {
    const findings = await listPreviousDecisions(tx, workspaceId, keys)
    return {
      assessments: findings.map(({ assessment }) => assessment),
      changes: findings.flatMap(({ previousDecision, ...finding }) =>
        previousDecision ? [{ ...pickKey(finding), ...repeated(previousDecision) }] : [],
      ),
    }
  })
}

function pickKey({ firmwareVersionId, packageId, vulnerabilityId }: FindingKey): FindingKey {
  return { firmwareVersionId, packageId, vulnerabilityId }
}

function repeated({ assessment, ignored, justification, detail, responses }: PreviousDecision) {
  const verdict = { assessment, justification, detail, responses }
  return { ...(assessment !== 'NotAssessed' && verdict), ...(ignored && { ignored }) }
}

async function decideAll(
  ctx: AppContext,
  input: Bulk,
  { action, change }: { action: AuditAction; change: BulkChange },
) {
  const { workspaceId, actor, alsoFuture = false, dryRun = false } = input
  const about = alsoFuture ? readFilterSubject(input.filter ?? {}) : undefined
  const standing =
    about && !dryRun
      ? (tx: Tx) => putStandingDecision(ctx, tx, { workspaceId, about, decision: change, actor })
      : undefined
  const summary = { ...change, ...(alsoFuture && { alsoFuture }) }
  const decided = { act: chooseAct(change), assessment: change.assessment ?? null }
  return changeAll(ctx, input, { action, summary, standing, ...decided }, async (tx, keys) => {
    const states = await listStates(tx, workspaceId, { keys, change })
    const others = keys.filter((_, index) => states[index]?.isChanged)
    return {
      assessments: states.map(({ assessment }) => assessment),
      changes: others.map((key) => ({ ...key, ...change })),
    }
  })
}

interface Changes {
  /** The assessments of all findings of the batch, before the command. */
  assessments: Assessment[]
  changes: (FindingKey & BulkChange)[]
}

interface BulkAct {
  action: AuditAction
  summary: object
  act: DecisionAct
  assessment: Assessment | null
  standing?: ((tx: Tx) => Promise<RestoredStanding>) | undefined
}

async function changeAll(
  ctx: AppContext,
  input: Bulk,
  { action, summary, standing, ...decided }: BulkAct,
  changesOf: (tx: Tx, keys: readonly FindingKey[]) => Promise<Changes>,
) {
  const { workspaceId, actor, dryRun = false } = input
  const select = readSelection(input)
  const by = describeActor(actor)
  const told = readRun(input, { ...decided, createdByEmail: by.createdByEmail })
  const batchId = told?.id ?? newId()
  return runTold(ctx, told, async (tx, teller) => {
    await refuseKnown(tx, input)
    const keys = await select(ctx, tx, { isLocking: !dryRun })
    refuseOthers(keys.length, input)
    const tell = (doneCount: number) => teller.tell({ findingCount: keys.length, doneCount })
    tell(0)
    const counts = new Map<Assessment, number>()
    let doneCount = 0
    const changed: FindingKey[] = []
    for (const batch of splitIntoBatches(keys, BATCH)) {
      const { assessments, changes } = await changesOf(tx, batch)
      for (const assessment of assessments)
        counts.set(assessment, (counts.get(assessment) ?? 0) + 1)
      for (const change of changes) changed.push(pickKey(change))
      if (dryRun) continue
      const decisions = changes.map((change) => ({ ...change, ...by, batchId }))
      await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
      doneCount += batch.length
      tell(doneCount)
    }
    // Last: it is no older than what it repeats.
    const made = (await standing?.(tx)) ?? null
    const done = { matched: keys.length, changed: changed.length, assessments: listCounts(counts) }
    if ((changed.length === 0 && !made) || dryRun) return done
    const batch = { workspaceId, id: batchId, ...decided, by, standing: made, changed }
    await recordBatch(ctx, tx, batch)
    const answer = { ...done, decisionBatchId: batchId }
    const entry = { workspaceId, actor, action, resourceType: 'workspace', resourceId: workspaceId }
    const about = listFindingSubjects(changed)
    await recordAudit(ctx, tx, {
      ...entry,
      after: { ...auditedSelection(input), ...summary, ...answer, ...countSides(about) },
      about,
    })
    return answer
  })
}

/** Who names the batch before wants to know how far it is. */
function readRun(
  { workspaceId, decisionBatchId: id, dryRun = false }: Bulk,
  run: Pick<RunRow, 'act' | 'assessment' | 'createdByEmail'>,
): RunRow | undefined {
  return id === undefined || dryRun ? undefined : { workspaceId, id, isUndo: false, ...run }
}

async function refuseKnown(tx: Tx, { workspaceId, decisionBatchId: id }: Bulk): Promise<void> {
  if (id === undefined || !(await findBatch(tx, workspaceId, id))) return
  throw new AppError(
    'conflict',
    'decision-batch-exists',
    `Decision batch ${id} is done already; nothing was changed now.`,
  )
}

function refuseOthers(matched: number, { expectedMatched }: Bulk): void {
  if (expectedMatched === undefined || expectedMatched === matched) return
  throw new AppError(
    'conflict',
    'findings-changed',
    `The selection has ${formatCountOf(matched, 'finding')} now, not ${expectedMatched}; nothing was changed.`,
  )
}

function countSides(subjects: ReturnType<typeof listFindingSubjects>) {
  const cveCount = subjects.filter(({ type }) => type === 'vulnerability').length
  return { cveCount, firmwareVersionCount: subjects.length - cveCount }
}

function listCounts(counts: ReadonlyMap<Assessment, number>) {
  return ASSESSMENTS.flatMap((assessment) => {
    const count = counts.get(assessment)
    return count === undefined ? [] : [{ assessment, count }]
  })
}

const MOST_LISTED = 1_000

/** The audit log records the selection; the timelines of the findings have the decisions. */
function auditedSelection({ findingIds, filter }: Bulk) {
  return findingIds
    ? { findingIds: findingIds.slice(0, MOST_LISTED), findingIdCount: findingIds.length }
    : { filter }
}

interface Terms {
  isLocking: boolean
}

/** Sorts by key, so that all batches lock the counters in one order. */
type Selection = (ctx: AppContext, tx: Tx, terms: Terms) => Promise<FindingKey[]>

function readSelection({ workspaceId, findingIds, filter }: Bulk): Selection {
  if ((findingIds === undefined) === (filter === undefined))
    throw invalid('State either findingIds or a filter.', findingIds ? '/filter' : '/findingIds')
  if (findingIds) return (_, tx, terms) => selectById(tx, { ...terms, workspaceId, findingIds })
  const checked = checkedFilter(filter ?? {})
  return (ctx, tx, terms) => selectByFilter(ctx, tx, { ...terms, workspaceId, filter: checked })
}

function checkedFilter(filter: BulkFilter): BulkFilter {
  const { firmwareVersionIds, proposed } = filter
  // An empty filter is probably a mistake. To select all findings, name the firmwares.
  if (Object.keys(filter).length === 0)
    throw invalid(
      'An empty filter selects every finding of the workspace. State a condition.',
      '/filter',
    )
  const versionCount = firmwareVersionIds?.length ?? Number.POSITIVE_INFINITY
  if (proposed !== undefined && versionCount > MOST_VERSIONS_PROPOSED)
    throw invalid(
      `Proposals are computed for each firmware version: name at most ${MOST_VERSIONS_PROPOSED} of them.`,
      '/filter/firmwareVersionIds',
    )
  return filter
}

interface ByFilter extends Terms {
  workspaceId: string
  filter: BulkFilter
}

/** Selects once to find what to lock, and again when the firmware versions are locked. */
async function selectByFilter(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, filter, isLocking }: ByFilter,
): Promise<FindingKey[]> {
  const found = await findKeys(ctx, tx, { workspaceId, filter })
  if (!isLocking || found.length === 0) return found
  const firmwareVersionIds = distinct(found.map((key) => key.firmwareVersionId))
  await lockFirmwareVersions(tx, workspaceId, firmwareVersionIds)
  const narrowed = { ...filter, firmwareVersionIds }
  const keys = await findKeys(ctx, tx, { workspaceId, filter: narrowed })
  await lockPackages(tx, distinct(keys.map((key) => key.packageId)), 'shared')
  return keys.toSorted(inKeyOrder)
}

async function findKeys(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, filter }: Omit<ByFilter, 'isLocking'>,
): Promise<FindingKey[]> {
  const limit = MOST_FINDINGS + 1
  const { proposed, ...asked } = filter
  const scope = { workspaceId, filter: asked }
  const keys = await listSelectedFindings({ ...ctx, db: tx }, scope, { proposed, limit })
  if (keys.length <= MOST_FINDINGS) return keys
  throw invalid(
    `The filter selects more than ${MOST_FINDINGS} findings. Narrow it, by firmware for example.`,
    '/filter',
  )
}

interface ById extends Terms {
  workspaceId: string
  findingIds: readonly string[]
}

async function selectById(
  tx: Tx,
  { workspaceId, findingIds, isLocking }: ById,
): Promise<FindingKey[]> {
  const named = findingIds.map(decodeFindingId)
  refuseMissing(named)
  const known = named.filter((key) => key !== undefined)
  if (isLocking) {
    const versions = distinct(known.map((key) => key.firmwareVersionId))
    await lockFirmwareVersions(tx, workspaceId, versions)
  }
  const found = await findFindingKeys(tx, workspaceId, known, { isLocking })
  refuseMissing(found)
  // Several ids may lead to one finding now.
  const byId = new Map(found.flatMap((key) => (key ? [[encodeFindingId(key), key]] : [])))
  return [...byId.values()].toSorted(inKeyOrder)
}

function refuseMissing(keys: readonly (FindingKey | undefined)[]): void {
  const faults = keys.flatMap((key, index) =>
    key ? [] : [{ pointer: `/findingIds/${index}`, detail: 'names no finding that ever held' }],
  )
  refuseFaults(faults, 'findingIds name no finding that ever held in this workspace')
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted()
}

function inKeyOrder(a: FindingKey, b: FindingKey): number {
  for (const name of ['firmwareVersionId', 'packageId', 'vulnerabilityId'] as const)
    if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1
  return 0
}
