/** Somebody proposes what to decide about a finding; a person takes it, changes it or refuses it. */
import type { Assessment } from '../../formats/assessments.ts'
import { decodeFindingId, encodeFindingId } from '../../formats/finding-id.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { readFinding } from '../findings/index.ts'
import { assessFinding, completeVerdict, lockFinding, type Verdict } from '../triage/index.ts'
import { MOST_LISTED } from './schemas.ts'
import * as store from './store.ts'

const MOST_OPEN = 10_000

interface OfWorkspace {
  workspaceId: string
}

type ProposeDecision = OfWorkspace &
  Verdict & {
    findingId: string
    actor: Actor
    reason: string
    evidence?: readonly { text: string; link?: string | null }[]
  }

export async function proposeDecision(ctx: AppContext, input: ProposeDecision) {
  const { workspaceId, actor, reason, response = null } = input
  const { assessment, justification, detail } = completeVerdict(input)
  const evidence = (input.evidence ?? []).map(({ text, link = null }) => ({ text, link }))
  return ctx.db.transaction().execute(async (tx) => {
    const key = await lockFinding(tx, workspaceId, input.findingId)
    const findingId = encodeFindingId(key)
    const { component } = await readFinding(ctx, tx, { workspaceId, findingId })
    if ((await store.countOpenProposals(tx, workspaceId)) >= MOST_OPEN)
      throw new AppError(
        'conflict',
        'too-many-proposals',
        `The workspace has ${MOST_OPEN} open proposals; more are not taken before some are decided.`,
      )
    const id = newId()
    await store.insertProposal(tx, {
      ...key,
      workspaceId,
      id,
      assessment,
      justification,
      detail,
      response,
      reason,
      evidence,
      componentName: component.name,
      componentVersion: component.version,
      proposedByType: actor.type,
      proposedById: actor.id ?? null,
      proposedByEmail: actor.email ?? null,
      proposedAt: ctx.now(),
    })
    const row = await getRow(tx, workspaceId, id)
    await auditProposal(ctx, tx, {
      workspaceId,
      actor,
      row,
      action: 'vulnerability-finding.propose',
    })
    return describe(row)
  })
}

export async function listProposals(
  db: Db,
  {
    workspaceId,
    state = 'Open',
    findingId,
    ...filter
  }: OfWorkspace & {
    state?: store.ProposalState
    findingId?: string
    firmwareId?: string
    proposedById?: string
    assessment?: Assessment
  },
) {
  const key = findingId === undefined ? undefined : decodeFindingId(findingId)
  const isNone = findingId !== undefined && !key
  const selection = { ...filter, workspaceId, state, key, limit: MOST_LISTED + 1 }
  const rows = isNone ? [] : await store.listProposals(db, selection)
  return {
    openCount: await store.countOpenProposals(db, workspaceId),
    authors: await store.listAuthors(db, workspaceId, MOST_LISTED),
    proposals: rows.slice(0, MOST_LISTED).map(describe),
    hasMore: rows.length > MOST_LISTED,
  }
}

export async function getProposal(db: Db, { workspaceId, proposalId }: OneProposal) {
  return describe(await getRow(db, workspaceId, proposalId))
}

interface OneProposal extends OfWorkspace {
  proposalId: string
}

async function getRow(db: Db, workspaceId: string, id: string): Promise<store.ProposalRow> {
  const row = isUuid(id) ? await store.findProposal(db, workspaceId, id) : undefined
  if (!row) throw notFound('proposal', id)
  return row
}

function describe(row: store.ProposalRow) {
  const { firmwareVersionId, packageId, vulnerabilityId, componentName, componentVersion } = row
  const { firmwareName, firmwareVersionName, proposedByKey } = row
  const { proposedById, proposedByType, proposedByEmail, ...rest } = row
  return {
    id: rest.id,
    findingId: encodeFindingId({ firmwareVersionId, packageId, vulnerabilityId }),
    cveId: vulnerabilityId,
    firmwareVersion: { id: firmwareVersionId, name: `${firmwareName} ${firmwareVersionName}` },
    component: { name: componentName, version: componentVersion },
    assessment: rest.assessment,
    justification: rest.justification,
    detail: rest.detail,
    response: rest.response,
    reason: rest.reason,
    evidence: rest.evidence,
    proposedBy: {
      id: proposedById,
      type: proposedByType,
      name: proposedByKey,
      email: proposedByEmail,
    },
    proposedAt: rest.proposedAt,
    state: rest.state,
    decidedByEmail: rest.decidedByEmail,
    decidedAt: rest.decidedAt,
    refusal: rest.refusal,
  }
}

type Deciding = OneProposal & { actor: Actor }

/** Decides as proposed, or otherwise where a verdict is given, in one transaction with the end of the proposal. */
export async function takeProposal(ctx: AppContext, input: Deciding & { verdict?: Verdict }) {
  const { workspaceId, proposalId, actor } = input
  const row = await getRow(ctx.db, workspaceId, proposalId)
  refuseOwn(row, actor)
  const verdict = input.verdict ?? readVerdict(row)
  const change = { ...verdict, workspaceId, findingId: describe(row).findingId, actor }
  await assessFinding(ctx, change, async (tx, decisionBatchId) => {
    const state = isSame(verdict, row) ? 'Taken' : 'Changed'
    const action = 'vulnerability-finding.take-proposal'
    await end(ctx, tx, { ...input, row, state, action, decisionBatchId })
  })
  return getProposal(ctx.db, input)
}

const readVerdict = ({
  assessment,
  justification,
  detail,
  response,
}: store.ProposalRow): Verdict => ({
  assessment,
  justification,
  detail,
  ...(response !== null && { response }),
})

const isSame = (verdict: Verdict, row: store.ProposalRow) =>
  verdict.assessment === row.assessment &&
  (verdict.justification ?? null) === row.justification &&
  (verdict.detail ?? null) === row.detail &&
  (verdict.response ?? null) === row.response

export async function refuseProposal(ctx: AppContext, input: Deciding & { reason: string }) {
  const { workspaceId, proposalId, reason: refusal } = input
  const row = await getRow(ctx.db, workspaceId, proposalId)
  await ctx.db.transaction().execute((tx) =>
    end(ctx, tx, {
      ...input,
      row,
      refusal,
      state: 'Refused',
      action: 'vulnerability-finding.refuse-proposal',
    }),
  )
  return getProposal(ctx.db, input)
}

/** Otherwise an assistant whose key may decide would decide by two calls what nobody has looked at. */
function refuseOwn({ proposedByType, proposedById }: store.ProposalRow, actor: Actor): void {
  if (actor.type === 'ApiKey' && proposedByType === 'ApiKey' && proposedById === actor.id)
    throw new AppError(
      'conflict',
      'own-proposal',
      'This key made the proposal; somebody else has to take it.',
    )
}

interface End extends Deciding {
  row: store.ProposalRow
  state: store.ProposalState
  refusal?: string
  decisionBatchId?: string
  action: AuditAction
}

async function end(ctx: AppContext, tx: Tx, input: End): Promise<void> {
  const { workspaceId, row, actor, action, state, refusal = null, decisionBatchId } = input
  if (!(await store.lockOpenProposal(tx, workspaceId, row.id)))
    throw new AppError(
      'conflict',
      'proposal-ended',
      'The proposal is not open any more: somebody decided it, or a later one replaced it.',
    )
  const decidedByEmail = actor.email ?? null
  const outcome = { state, refusal, decidedByEmail, decidedAt: ctx.now() }
  const decided = { ...outcome, decisionBatchId: decisionBatchId ?? null }
  await store.endProposal(tx, { workspaceId, id: row.id, ...decided })
  await auditProposal(ctx, tx, { workspaceId, actor, row, action, ...outcome })
}

interface Audited {
  workspaceId: string
  actor: Actor
  row: store.ProposalRow
  action: AuditAction
  state?: store.ProposalState
  refusal?: string | null
}

export async function auditProposal(ctx: AppContext, tx: Tx, audited: Audited): Promise<void> {
  const { workspaceId, actor, row, action, state = 'Open', refusal = null } = audited
  const { findingId, cveId, component, assessment, reason, evidence, proposedBy } = describe(row)
  const of = { cveId, component: component.name, version: component.version }
  const by = proposedBy.name ?? proposedBy.email
  const after = { ...of, assessment, reason, evidence, proposedBy: by, state, refusal }
  const entry = { workspaceId, actor, action, resourceType: 'vulnerability-finding' }
  await recordAudit(ctx, tx, { ...entry, resourceId: findingId, after })
}
