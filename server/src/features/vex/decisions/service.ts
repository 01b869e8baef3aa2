/** Makes decisions from statements, for present findings and for those that begin later. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { type Decision, recordLockedDecisions } from '../../findings/index.ts'
import {
  type FindingScope,
  followStatements,
  listStatedFindings,
  type StatedFinding,
} from './store.ts'

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
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions: changes.map(decisionOf) })
  await followStatements(
    tx,
    workspaceId,
    findings.filter(({ followsDeleted }) => followsDeleted),
  )
  return findings
}

function decisionOf(finding: StatedFinding): Decision {
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
    source: origin === 'Build' ? 'Build' : 'Vex',
    origin,
    statedIn,
    createdByEmail: null,
    recheckReason: null,
    statementId,
  }
}
