/** A person or an API key decides about many findings in one transaction. */
import { formatCountOf } from '../../../formats/counts.ts'
import {
  type Assessment,
  ASSESSMENTS,
  type PreviousDecision,
} from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { type AuditAction, listFindingSubjects, recordAudit } from '../../audit/index.ts'
import { recordBatch } from '../batches/service.ts'
import { runTold } from '../batches/runs-service.ts'
import type { RunRow } from '../batches/runs-store.ts'
import { type DecisionAct, findBatch } from '../batches/store.ts'
import { chooseAct, describeActor, type Verdict, completeVerdict } from '../service.ts'
import { readFilterSubject, putStandingDecision } from '../standing/service.ts'
import type { RestoredStanding } from '../standing/store.ts'
import { type BulkChange, listPreviousDecisions, listStates } from './store.ts'
import { countEnds, recordDecisionsOrEnds } from '../acceptances/ends-service.ts'
import type { StatedAcceptance } from '../acceptances/terms.ts'
import { readRepeatedTerms, readTerms } from '../acceptances/terms-service.ts'
import { readSelection, type Selection, type FindingSelection } from './selection-service.ts'

/** Details may be long, so memory limits the batch. */
const BATCH = 1_000

interface Bulk extends FindingSelection {
  actor: Actor
  dryRun?: boolean
  alsoFuture?: boolean
  decisionBatchId?: string
  expectedMatched?: number
}

export async function assessFindings(ctx: AppContext, input: Bulk & Verdict) {
  const change = completeVerdict(input)
  return decideAll(ctx, input, { action: 'vulnerability-finding.bulk-assess', change })
}

export async function ignoreFindings(
  ctx: AppContext,
  input: Bulk & { ignored: boolean; acceptance?: StatedAcceptance },
) {
  // Read once: the workspace's demands are settings, which no decision changes.
  const acceptance = await ctx.db.transaction().execute((tx) => readTerms(tx, ctx.now(), input))
  const change = { ignored: input.ignored, ...(acceptance && { acceptance }) }
  return decideAll(ctx, input, { action: 'vulnerability-finding.bulk-ignore', change })
}

/**
 * Decides again as before, where a finding was decided for another version of its package or on other evidence. What was ignored is
 * ignored on the terms of the command, or as before if these are all that the workspace demands by now.
 */
export async function repeatDecisions(
  ctx: AppContext,
  input: Bulk & { acceptance?: StatedAcceptance },
) {
  const { workspaceId, acceptance: stated } = input
  const { terms, requireWhole } = await ctx.db.transaction().execute(async (tx) => ({
    terms: stated && (await readTerms(tx, ctx.now(), { ...input, ignored: true })),
    requireWhole: await readRepeatedTerms(tx, { workspaceId, pointer: '/acceptance' }),
  }))
  const action = 'vulnerability-finding.bulk-repeat'
  const summary = terms ? { acceptance: terms } : {}
  const decided = { action, summary, act: 'Repeat', assessment: null } as const
  return changeAll(ctx, input, decided, async (tx, keys) => {
    const findings = await listPreviousDecisions(tx, workspaceId, keys)
    const repeat = (previous: PreviousDecision) => {
      const acceptance = terms ?? previous.acceptance ?? null
      if (previous.ignored) requireWhole(acceptance)
      return repeated({ ...previous, acceptance })
    }
    return {
      assessments: findings.map(({ assessment }) => assessment),
      changes: findings.flatMap(({ previousDecision, ...finding }) =>
        previousDecision ? [{ ...pickKey(finding), ...repeat(previousDecision) }] : [],
      ),
    }
  })
}

function pickKey({ firmwareVersionId, packageId, vulnerabilityId }: FindingKey): FindingKey {
  return { firmwareVersionId, packageId, vulnerabilityId }
}

function repeated({ assessment, ignored, acceptance, ...said }: PreviousDecision) {
  const { justification, detail, responses, assessedLineId = null, ignoredLineId = null } = said
  const verdict = { assessment, justification, detail, responses, assessedLineId }
  return {
    ...(assessment !== 'NotAssessed' && verdict),
    ...(ignored && { ignored, acceptance: acceptance ?? null, ignoredLineId }),
  }
}

async function decideAll(
  ctx: AppContext,
  input: Bulk,
  { action, change: stated }: { action: AuditAction; change: BulkChange },
) {
  const { workspaceId, actor, alsoFuture = false, dryRun = false } = input
  const about = alsoFuture ? readFilterSubject(input.filter ?? {}) : undefined
  const change = { ...stated, ...holdingFor(stated, about?.lineId ?? null) }
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

/** Whatever is decided anew is decided as far as the command says. */
const holdingFor = ({ assessment, ignored }: BulkChange, lineId: string | null) => ({
  ...(assessment !== undefined && { assessedLineId: lineId }),
  ...(ignored === true && { ignoredLineId: lineId }),
})

export interface Changes {
  /** The assessments of all findings of the batch, before the command. */
  assessments: Assessment[]
  changes: (FindingKey & BulkChange)[]
}

export interface BulkAct {
  action: AuditAction
  summary: object
  act: DecisionAct
  assessment: Assessment | null
  standing?: ((tx: Tx) => Promise<RestoredStanding>) | undefined
  /** What it is about, where neither ids nor a filter of findings say so. */
  select?: Selection
}

export async function changeAll(
  ctx: AppContext,
  input: Bulk,
  { action, summary, standing, select = readSelection(input), ...decided }: BulkAct,
  changesOf: (tx: Tx, keys: readonly FindingKey[]) => Promise<Changes>,
) {
  const { workspaceId, actor, dryRun = false } = input
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
    let endedAtOnce = 0
    const changed: FindingKey[] = []
    for (const batch of splitIntoBatches(keys, BATCH)) {
      const { assessments, changes } = await changesOf(tx, batch)
      for (const assessment of assessments)
        counts.set(assessment, (counts.get(assessment) ?? 0) + 1)
      for (const change of changes) changed.push(pickKey(change))
      if (dryRun) {
        endedAtOnce += await countEnds(tx, workspaceId, { changes, now: ctx.now() })
        continue
      }
      const decisions = changes.map((change) => ({ ...change, ...by, batchId }))
      endedAtOnce += await recordDecisionsOrEnds(ctx, tx, { workspaceId, decisions })
      doneCount += batch.length
      tell(doneCount)
    }
    // Last: it is no older than what it repeats.
    const made = (await standing?.(tx)) ?? null
    const done = {
      matched: keys.length,
      changed: changed.length,
      ...(endedAtOnce > 0 && { endedAtOnce }),
      assessments: listCounts(counts),
    }
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
