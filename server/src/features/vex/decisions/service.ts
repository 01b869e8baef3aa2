/** Makes decisions from statements, for present findings and for those that begin later. */
import type { FindingKey } from '../../../formats/finding-id.ts'
import { formatWords } from '../../../formats/words.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { type Decision, recordLockedDecisions } from '../../findings/index.ts'
import {
  type FindingScope,
  followStatements,
  listStatedFindings,
  chooseDecisionSource,
  type StatedFinding,
} from './store.ts'
import {
  type EndedDecision,
  listEndedDecisions,
  listWithdrawnDecisions,
  type WithdrawnDecision,
  type WithdrawnDocument,
} from './ended-store.ts'
import {
  type DocumentDecision,
  type DroppedStatements,
  listCarriedDropped,
  selectDropped,
} from './dropped-store.ts'
import type { VersionScope } from '../targets/store.ts'

/**
 * Decides findings as the statements about them say, unless a person has decided otherwise. Calling it again changes
 * nothing. The caller has locked the firmware version and shares its packages, or has locked the packages of the matches.
 */
export async function applyStatements(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  scope: FindingScope,
): Promise<StatedFinding[]> {
  const findings = await listStatedFindings(tx, scope)
  const { workspaceId } = scope
  const changes = findings.filter(({ outcome }) => outcome === 'Change')
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions: changes.map(createDecision) })
  await followStatements(
    tx,
    workspaceId,
    findings.filter(({ followsDeleted }) => followsDeleted),
  )
  return findings
}

function createDecision(finding: StatedFinding): Decision {
  const { firmwareVersionId, packageId, vulnerabilityId, statementId } = finding
  const { assessment, justification, detail, responses, origin, statedIn } = finding
  return {
    firmwareVersionId,
    packageId,
    vulnerabilityId,
    assessment,
    justification,
    detail,
    responses,
    source: chooseDecisionSource(finding),
    origin,
    statedIn,
    createdByEmail: null,
    recheckReason: null,
    statementId,
  }
}

/**
 * Ends decisions that SBOMs made and that none of them makes any longer: the finding is as if nobody had decided it, and says
 * why. To be called after the statements of the present SBOMs were applied.
 */
export async function endSbomDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  scope: VersionScope,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = scope
  const ended = (await listEndedDecisions(tx, scope)).map(
    ({ packageId, vulnerabilityId, ...was }) =>
      createEnd({ firmwareVersionId, packageId, vulnerabilityId }, describeReason(was)),
  )
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions: ended })
}

/**
 * Ends decisions that a supplier's documents made and that were taken back, unless other statements say something. Answers the
 * vulnerabilities that this concerns.
 */
export async function endWithdrawnDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { documents, ...scope }: VersionScope & { documents: readonly WithdrawnDocument[] },
): Promise<string[]> {
  const { workspaceId, firmwareVersionId } = scope
  const ended = await listWithdrawnDecisions(tx, scope, documents)
  if (ended.length === 0) return []
  const decisions = ended.map(({ packageId, vulnerabilityId, ...was }) =>
    createEnd({ firmwareVersionId, packageId, vulnerabilityId }, describeWithdrawal(was)),
  )
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
  await applyStatements(ctx, tx, scope)
  return ended.map(({ vulnerabilityId }) => vulnerabilityId)
}

/**
 * Ends decisions of a supplier's documents that were revised and state them no longer, unless other statements say something. `decided`
 * is what they decided before.
 */
export async function endDroppedDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { decided, ...scope }: VersionScope & { decided: readonly DocumentDecision[] },
): Promise<DocumentDecision[]> {
  const dropped = await selectDropped(tx, scope, decided)
  await endAsDropped(ctx, tx, scope, dropped)
  return dropped
}

/** Ends what was carried over from such decisions. Answers the vulnerabilities that this concerns. */
export async function endCarriedDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { dropped, ...scope }: VersionScope & { dropped: DroppedStatements },
): Promise<string[]> {
  const carried = await listCarriedDropped(tx, scope, dropped)
  await endAsDropped(ctx, tx, scope, carried)
  return carried.map(({ vulnerabilityId }) => vulnerabilityId)
}

async function endAsDropped(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  scope: VersionScope,
  dropped: readonly WithdrawnDecision[],
): Promise<void> {
  if (dropped.length === 0) return
  const { workspaceId, firmwareVersionId } = scope
  const decisions = dropped.map(({ packageId, vulnerabilityId, ...was }) =>
    createEnd({ firmwareVersionId, packageId, vulnerabilityId }, describeDrop(was)),
  )
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
  await applyStatements(ctx, tx, scope)
}

/** The finding is as if nobody had decided it, and says why. */
const createEnd = (key: FindingKey, recheckReason: string): Decision => ({
  ...key,
  assessment: 'NotAssessed',
  source: 'System',
  origin: null,
  createdByEmail: null,
  recheckReason,
})

function describeWithdrawal({
  assessment,
  author,
  documentId,
}: Omit<WithdrawnDecision, 'packageId' | 'vulnerabilityId'>): string {
  const document = documentId === null ? 'its document' : `the document ${documentId}`
  return `${formatWords(assessment)} by ${author ?? 'a supplier'}, which took back ${document}`
}

function describeDrop({
  assessment,
  author,
  documentId,
}: Omit<WithdrawnDecision, 'packageId' | 'vulnerabilityId'>): string {
  const document = documentId === null ? 'its document' : `the document ${documentId}`
  return `${formatWords(assessment)} by ${author ?? 'a supplier'}, which no longer says so in ${document}`
}

function describeReason({
  assessment,
  sbomFileName,
  isThere,
}: Pick<EndedDecision, 'assessment' | 'sbomFileName' | 'isThere'>): string {
  const why = isThere ? 'which no longer says so' : 'which was deleted or replaced'
  return `${formatWords(assessment)} by the SBOM ${sbomFileName}, ${why}`
}
