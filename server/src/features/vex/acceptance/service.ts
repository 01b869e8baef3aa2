/** A person accepts what a VEX statement says: it becomes the person's decision. */
import { encodeFindingId } from '../../../formats/finding-id.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { listFindingSubjects, recordAudit } from '../../audit/index.ts'
import { readFinding, recordLockedDecisions } from '../../findings/index.ts'
import { describeActor, lockFinding } from '../../triage/index.ts'
import { lockDocument } from '../documents-service.ts'
import { sharePackages } from '../targets/store.ts'
import { type AcceptableStatement, listAcceptable } from './store.ts'

export interface AcceptStatement {
  workspaceId: string
  findingId: string
  statementId: string
  actor: Actor
}

/** Answers the finding as this decision left it. */
export async function acceptStatement(ctx: AppContext, input: AcceptStatement) {
  const { workspaceId, findingId, statementId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const key = await lockFinding(tx, workspaceId, findingId)
    const { firmwareVersionId, packageId, vulnerabilityId } = key
    const packageIds = [packageId]
    const scope = { workspaceId, packageIds, vulnerabilityIds: [vulnerabilityId] }
    const [statement] = isUuid(statementId)
      ? await listAcceptable(tx, scope, { statementId, firmwareVersionId })
      : []
    if (!statement) throw notFound('VEX statement', statementId)
    await decide(ctx, tx, { workspaceId, actor, statements: [statement] })
    const id = encodeFindingId(key)
    const { oldAssessment, assessment, statedIn } = statement
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'vulnerability-finding.accept-statement',
      resourceType: 'vulnerability-finding',
      resourceId: id,
      before: { assessment: oldAssessment },
      after: { assessment, statedIn },
    })
    return readFinding(ctx, tx, { workspaceId, findingId: id })
  })
}

export interface AcceptDocument {
  workspaceId: string
  documentId: string
  dryRun: boolean
  actor: Actor
}

/** Accepts all that a document says otherwise than people have decided. */
export async function acceptDocument(ctx: AppContext, input: AcceptDocument) {
  const { workspaceId, documentId, dryRun, actor } = input
  if (!isUuid(documentId)) throw notFound('VEX document', documentId)
  return ctx.db.transaction().execute(async (tx) => {
    const { firmwareVersionId } = await lockDocument(tx, workspaceId, documentId)
    const scope = { workspaceId, firmwareVersionId }
    await sharePackages(tx, scope)
    const statements = await listAcceptable(tx, scope, { documentId })
    if (!dryRun && statements.length > 0) {
      await decide(ctx, tx, { workspaceId, actor, statements })
      await recordAudit(ctx, tx, {
        workspaceId,
        actor,
        action: 'vex.accept',
        resourceType: 'firmware-version',
        resourceId: firmwareVersionId,
        after: { statedIn: statements[0]?.statedIn, findingCount: statements.length },
        about: listFindingSubjects(statements),
      })
    }
    return { dryRun, accepted: statements.map(shownAcceptance) }
  })
}

async function decide(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  input: { workspaceId: string; actor: Actor; statements: readonly AcceptableStatement[] },
): Promise<void> {
  const { workspaceId, actor, statements } = input
  const decisions = statements.map((statement) => {
    const { firmwareVersionId, packageId, vulnerabilityId, statementId, statedIn } = statement
    const { assessment, justification, detail, responses } = statement
    const key = { firmwareVersionId, packageId, vulnerabilityId }
    const verdict = { assessment, justification, detail, responses }
    return { ...key, ...verdict, ...describeActor(actor), statementId, statedIn }
  })
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
}

function shownAcceptance(statement: AcceptableStatement) {
  const { vulnerabilityId, componentName, componentVersion, oldAssessment, assessment } = statement
  const finding = { findingId: encodeFindingId(statement), cveId: vulnerabilityId }
  return { ...finding, componentName, componentVersion, from: oldAssessment, to: assessment }
}
