/** Statements become decisions: of findings there are, and of those that begin later. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { type Decision, recordDecisions, writeLocked } from '../findings/index.ts'
import { type FindingScope, listSaid, type SaidRow } from './said-store.ts'

/**
 * What statements say of the findings in the scope, and nobody has decided otherwise since, becomes the decision. It
 * may be called any number of times. For matches, the packages are locked by whoever changes them.
 */
export async function applyStatements(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  scope: FindingScope,
): Promise<SaidRow[]> {
  const rows = await listSaid(tx, scope)
  const changes = Map.groupBy(
    rows.filter(({ outcome }) => outcome === 'Change'),
    ({ workspaceId }) => workspaceId,
  )
  for (const [workspaceId, own] of changes) {
    const decisions = own.map(decisionOf)
    if ('workspaceId' in scope) await recordDecisions(ctx, tx, { workspaceId, decisions })
    else await writeLocked(ctx, tx, { workspaceId, decisions })
  }
  return rows
}

function decisionOf(row: SaidRow): Decision {
  const { firmwareVersionId, packageId, vulnerabilityId, statementId } = row
  const { assessment, justification, detail, responses } = row
  return {
    firmwareVersionId,
    packageId,
    vulnerabilityId,
    assessment,
    justification,
    detail,
    responses,
    source: 'Vex',
    createdByEmail: null,
    recheckReason: null,
    statementId,
  }
}
