/** How a workspace takes reports from outside. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface PolicyFields {
  isPublic: boolean
  policy: string | null
  showsProductLines: boolean
  answerDays: number
  assessmentDays: number
  disclosureDays: number
  mostPerDay: number
}

export interface PolicyRow extends PolicyFields {
  workspaceName: string
  updatedAt: Date | null
}

/** Days as BSI TR-03183-3 has them. */
export const POLICY_DEFAULTS: PolicyFields = {
  isPublic: false,
  policy: null,
  showsProductLines: true,
  answerDays: 5,
  assessmentDays: 10,
  disclosureDays: 90,
  mostPerDay: 50,
}

/** undefined: there is no such workspace. Without a row nothing is public. */
export async function findPolicy(db: Db, workspaceId: string): Promise<PolicyRow | undefined> {
  const { rows } = await sql<PolicyRow>`
    select workspace.name as workspace_name, coalesce(held.is_public, ${POLICY_DEFAULTS.isPublic}) as is_public, held.policy,
      coalesce(held.shows_product_lines, ${POLICY_DEFAULTS.showsProductLines}) as shows_product_lines,
      coalesce(held.answer_days, ${POLICY_DEFAULTS.answerDays}::int) as answer_days,
      coalesce(held.assessment_days, ${POLICY_DEFAULTS.assessmentDays}::int) as assessment_days,
      coalesce(held.disclosure_days, ${POLICY_DEFAULTS.disclosureDays}::int) as disclosure_days,
      coalesce(held.most_per_day, ${POLICY_DEFAULTS.mostPerDay}::int) as most_per_day, held.updated_at
    from workspaces as workspace
    left join disclosure_policies as held on held.workspace_id = workspace.id
    where workspace.id = ${workspaceId}`.execute(db)
  return rows[0]
}

export async function lockPolicy(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('disclosure-policy:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function writePolicy(
  tx: Tx,
  row: PolicyFields & { workspaceId: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId: _, ...columns } = row
  await tx
    .insertInto('disclosurePolicies')
    .values(row)
    .onConflict((conflict) => conflict.column('workspaceId').doUpdateSet(columns))
    .execute()
}
