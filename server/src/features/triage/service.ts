/** A person or an API key decides about one finding. */
import {
  type Assessment,
  type DecisionSource,
  JUSTIFIED_ASSESSMENTS,
} from '../../formats/assessments.ts'
import { decodeFindingId, encodeFindingId, type FindingKey } from '../../formats/finding-id.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import type { Decision } from '../findings/index.ts'
import { recordDecisionsOrEnds } from './acceptances/ends-service.ts'
import type { StatedAcceptance } from './acceptances/terms.ts'
import { readTerms } from './acceptances/terms-service.ts'
import { findFindingKeys } from '../findings/index.ts'
import { recordBatch } from './batches/service.ts'
import type { DecisionAct } from './batches/store.ts'
import { markContradicted } from './store.ts'
import { readFinding } from '../findings/index.ts'

export interface Verdict {
  assessment: Assessment
  justification?: string | null
  detail?: string | null
  response?: string
}

interface Change {
  workspaceId: string
  findingId: string
  actor: Actor
}

/** `before` runs in the same transaction, once the finding is locked; it gets the id of the decision, by which that is taken back. */
export async function assessFinding(
  ctx: AppContext,
  input: Change & Verdict,
  before?: (tx: Tx, decisionBatchId: string) => Promise<void>,
) {
  const decision = completeVerdict(input)
  const complete =
    before && (async (tx: Tx, batchId: string) => before(tx, batchId).then(() => decision))
  const action = 'vulnerability-finding.assess'
  return deciding(ctx, input, { action, decision, ...(complete && { complete }) })
}

export async function ignoreFinding(
  ctx: AppContext,
  input: Change & { ignored: boolean; acceptance?: StatedAcceptance },
) {
  const { ignored } = input
  const action = ignored ? 'vulnerability-finding.ignore' : 'vulnerability-finding.unignore'
  const complete = async (tx: Tx) => {
    const acceptance = await readTerms(tx, ctx.now(), input)
    return { ignored, ...(acceptance && { acceptance }) }
  }
  return deciding(ctx, input, { action, decision: { ignored }, complete })
}

type StatedDecision = Pick<
  Decision,
  'assessment' | 'justification' | 'detail' | 'responses' | 'ignored' | 'acceptance'
>

/** Fields that the request omits are cleared. */
export function completeVerdict({
  assessment,
  justification = null,
  detail = null,
  response,
}: Verdict) {
  if (justification !== null && !JUSTIFIED_ASSESSMENTS.some((one) => one === assessment))
    throw invalid(
      `A justification explains ${JUSTIFIED_ASSESSMENTS.join(' or ')}, not ${assessment}.`,
      '/justification',
    )
  return { assessment, justification, detail, responses: response === undefined ? [] : [response] }
}

/** A key decides for whoever uses it, so its word is a person's. */
export function describeActor(actor: Actor) {
  const createdByEmail = actor.email ?? null
  return { source: chooseDecisionSource(actor), origin: 'Person' as const, createdByEmail }
}

export function chooseDecisionSource({ type }: Actor): DecisionSource {
  return type === 'User' || type === 'ApiKey' ? type : 'System'
}

interface ActOnFinding {
  action: AuditAction
  decision: StatedDecision
  /** What is decided, where only the transaction can tell. */
  complete?: (tx: Tx, batchId: string) => Promise<StatedDecision>
}

/** Returns the finding as this decision left it. */
async function deciding(
  ctx: AppContext,
  { workspaceId, findingId, actor }: Change,
  { action, decision, complete }: ActOnFinding,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const key = await lockFinding(tx, workspaceId, findingId)
    const named = { workspaceId, findingId: encodeFindingId(key) }
    const before = await readFinding(ctx, tx, named)
    const by = describeActor(actor)
    const batchId = newId()
    const made = (await complete?.(tx, batchId)) ?? decision
    await recordDecisionsOrEnds(ctx, tx, {
      workspaceId,
      decisions: [{ ...key, ...made, ...by, batchId }],
    })
    const finding = await readFinding(ctx, tx, named)
    const entry = { workspaceId, actor, action, resourceType: 'vulnerability-finding' }
    const states = { before: pickState(before), after: pickState(finding) }
    if (decision.assessment === undefined && isSameIgnoring(before, finding)) return finding
    await recordAudit(ctx, tx, { ...entry, resourceId: finding.id, ...states })
    const act = chooseAct(decision)
    const batch = { workspaceId, id: batchId, act, assessment: decision.assessment ?? null, by }
    await recordBatch(ctx, tx, { ...batch, standing: null, changed: [key] })
    return finding
  })
}

type FindingState = Awaited<ReturnType<typeof readFinding>>

const isSameIgnoring = (before: FindingState, after: FindingState) =>
  before.ignored === after.ignored &&
  JSON.stringify(before.acceptance) === JSON.stringify(after.acceptance)

export function chooseAct({ assessment, ignored }: StatedDecision): DecisionAct {
  return assessment !== undefined ? 'Assess' : ignored === true ? 'Ignore' : 'Unignore'
}

function pickState(finding: FindingState) {
  const { assessment, ignored, acceptance, justification, detail, responses, cve, component } =
    finding
  const of = { cveId: cve.id, component: component.name, version: component.version }
  return { ...of, assessment, ignored, acceptance, justification, detail, responses }
}

/** Locks what the id depends on, then finds the finding that it leads to. */
export async function lockFinding(
  tx: Tx,
  workspaceId: string,
  findingId: string,
): Promise<FindingKey> {
  const named = decodeFindingId(findingId)
  if (!named || !(await lockFirmwareVersion(tx, workspaceId, named.firmwareVersionId)))
    throw notFound('finding', findingId)
  const [key] = await findFindingKeys(tx, workspaceId, [named], { isLocking: true })
  if (!key) throw notFound('finding', findingId)
  return key
}

const REASON = 'The source files of the vulnerable code are now compiled'

/** Marks decisions that the current source files contradict: they say that compiled code is absent. */
export async function recheckCompiled(
  ctx: AppContext,
  change: { workspaceId: string; firmwareVersionId: string; deletedAt?: string },
): Promise<void> {
  const { workspaceId, firmwareVersionId, deletedAt = null } = change
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
    const version = { workspaceId, firmwareVersionId, deletedAt }
    await markContradicted(tx, { ...version, reason: REASON, at: ctx.now() })
  })
}
