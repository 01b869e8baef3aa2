import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { AcceptanceRequirement } from '../../formats/acceptances.ts'
import type { GateSupportRule, ImageDemand, ReleaseGate } from '../../formats/gate-rules.ts'
import type { LogSeverity } from '../../formats/device-messages/model.ts'
import type { Role } from '../auth/index.ts'

const SETTINGS = [
  'id',
  'name',
  'defaultLogSeverity',
  'deviceAutoRegistration',
  'remediationTargetDays',
  'metricRetentionDays',
  'metricHourRetentionDays',
  'logRetentionDays',
  'carryOverAssessments',
  'releaseGate',
  'listFuzzingFindings',
  'deviceVersionAttribute',
  'devicePollingSeconds',
  'replacedSbomDays',
  'requireSecondFactor',
  'decidingVexAuthors',
  'disputedFindings',
  'acceptanceRequirements',
  'acceptanceNoticeDays',
  'acceptanceWebhookId',
  'gateForbidsExploitedAcceptances',
  'gateSupport',
  'gateImages',
  'gateNewCrashes',
  'deviceKeyRotationDays',
  'updatedAt',
] as const

export interface RemediationTargetDays {
  Critical: number
  High: number
  Medium: number
  Low: number
}

export const DISPUTED_ORDERS = ['Normal', 'Last'] as const
type DisputedOrder = (typeof DISPUTED_ORDERS)[number]

export interface WritableSettings {
  name: string
  defaultLogSeverity: LogSeverity
  deviceAutoRegistration: boolean
  remediationTargetDays: RemediationTargetDays
  metricRetentionDays: number
  metricHourRetentionDays?: number
  logRetentionDays: number
  carryOverAssessments?: boolean
  releaseGate?: ReleaseGate
  listFuzzingFindings?: boolean
  deviceVersionAttribute?: string | null
  devicePollingSeconds?: number
  replacedSbomDays?: number
  requireSecondFactor?: boolean
  decidingVexAuthors?: string[]
  disputedFindings?: DisputedOrder
  acceptanceRequirements?: AcceptanceRequirement[]
  acceptanceNoticeDays?: number
  acceptanceWebhookId?: string | null
  gateForbidsExploitedAcceptances?: boolean
  gateSupport?: GateSupportRule
  gateImages?: ImageDemand[]
  gateNewCrashes?: boolean
  deviceKeyRotationDays?: number | null
}

/** For work that is done workspace by workspace. */
export async function listWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Several may have the same name. */
export async function listWorkspacesNamed(db: Db, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', name)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function findWorkspaceName(db: Db, workspaceId: string): Promise<string> {
  const { name } = await db
    .selectFrom('workspaces')
    .select('name')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return name
}

export async function findSettings(db: Db, workspaceId: string) {
  return db
    .selectFrom('workspaces')
    .select(SETTINGS)
    .where('id', '=', workspaceId)
    .$narrowType<{ acceptanceRequirements: AcceptanceRequirement[]; gateImages: ImageDemand[] }>()
    .executeTakeFirst()
}

/** Locks the settings, so that the audit log records what the change really replaced. */
export async function lockSettings(tx: Tx, workspaceId: string) {
  await sql`select pg_advisory_xact_lock(hashtext('settings'), hashtext(${workspaceId}))`.execute(
    tx,
  )
  return findSettings(tx, workspaceId)
}

/** The settings do not change until the transaction ends. */
export async function shareSettings(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock_shared(hashtext('settings'), hashtext(${workspaceId}))`.execute(tx)
}

/** Figures of the past go by the days that held then. */
export async function keepFormerTargets(
  db: Db,
  former: { workspaceId: string; until: Date; targetDays: RemediationTargetDays },
): Promise<void> {
  await db
    .insertInto('formerRemediationTargets')
    .values({ ...former, targetDays: JSON.stringify(former.targetDays) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateSettings(
  db: Db,
  workspaceId: string,
  settings: WritableSettings & { updatedAt: Date },
) {
  return db
    .updateTable('workspaces')
    .set({ ...settings, remediationTargetDays: JSON.stringify(settings.remediationTargetDays) })
    .where('id', '=', workspaceId)
    .returning(SETTINGS)
    .$narrowType<{ acceptanceRequirements: AcceptanceRequirement[]; gateImages: ImageDemand[] }>()
    .executeTakeFirstOrThrow()
}

export async function insertWorkspace(
  db: Db,
  workspace: { id: string; name: string; createdAt: Date; keepsSources?: boolean },
): Promise<void> {
  await db
    .insertInto('workspaces')
    .values({ ...workspace, updatedAt: workspace.createdAt })
    .execute()
}

/** Answers false when there is no such workspace. */
export async function updateKeepsSources(
  db: Db,
  workspaceId: string,
  keepsSources: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workspaces')
    .set({ keepsSources })
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const selectMembers = (db: Db, workspaceId: string) =>
  db
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.subjectId')
    .select([
      'members.subjectId',
      'people.email',
      'people.displayName',
      'members.role',
      'members.joinedAt',
    ])
    .where('members.workspaceId', '=', workspaceId)

export async function listMembers(db: Db, workspaceId: string) {
  return selectMembers(db, workspaceId).orderBy('people.email').execute()
}

export async function findMember(db: Db, workspaceId: string, subjectId: string) {
  return selectMembers(db, workspaceId)
    .where('members.subjectId', '=', subjectId)
    .executeTakeFirst()
}

/** Locks all members, so that two removals at once cannot leave the workspace without an owner. */
export async function lockMembers(db: Db, workspaceId: string) {
  return db
    .selectFrom('members')
    .select(['subjectId', 'role'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('subjectId')
    .forUpdate()
    .execute()
}

export async function isMember(db: Db, workspaceId: string, subjectId: string): Promise<boolean> {
  const row = await db
    .selectFrom('members')
    .select('subjectId')
    .where('workspaceId', '=', workspaceId)
    .where('subjectId', '=', subjectId)
    .executeTakeFirst()
  return row !== undefined
}

interface MemberDuties {
  acceptedRisks: number
  vulnerabilities: number
  incidents: number
  ownerRules: number
  teams: number
  teamsWithoutOthers: number
}

export async function countDuties(
  db: Db,
  workspaceId: string,
  personId: string,
): Promise<MemberDuties> {
  const { rows } = await sql<MemberDuties>`
    select
      (select count(*)::int from finding_decisions as decision
        where decision.workspace_id = ${workspaceId} and decision.ignored
          and decision.acceptance #>> '{owner,id}' = ${personId}) as accepted_risks,
      (select count(distinct alias.vulnerability_id)::int from vulnerability_assignees as given
        join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
        where given.workspace_id = ${workspaceId} and given.person_id = ${personId}) as vulnerabilities,
      (select count(*)::int from alert_incidents as incident
        where incident.workspace_id = ${workspaceId} and incident.assignee_id = ${personId}
          and incident.ended_at is null) as incidents,
      (select count(*)::int from owner_rules as rule
        where rule.workspace_id = ${workspaceId} and rule.person_id = ${personId}) as owner_rules,
      count(*)::int as teams, (count(*) filter (where team.members = 1))::int as teams_without_others
    from (
      select count(*) as members from owner_team_members as belonging
      where belonging.workspace_id = ${workspaceId}
      group by belonging.team_id having bool_or(belonging.person_id = ${personId})
    ) as team`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('a query that counts always has a row')
  return found
}

/** The role of the person with this address; null: the person is no member. undefined: there is no such person. */
export async function findRoleOfEmail(db: Db, workspaceId: string, email: string) {
  const row = await db
    .selectFrom('people as person')
    .leftJoin('members as member', (join) =>
      join.onRef('member.subjectId', '=', 'person.id').on('member.workspaceId', '=', workspaceId),
    )
    .select('member.role')
    .where('person.email', '=', email)
    .executeTakeFirst()
  return row?.role
}

/** False: the person is a member already. */
export async function insertMember(
  db: Db,
  member: { workspaceId: string; subjectId: string; role: Role; joinedAt: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('members')
    .values(member)
    .onConflict((conflict) => conflict.columns(['workspaceId', 'subjectId']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateRole(
  db: Db,
  workspaceId: string,
  { subjectId, role }: { subjectId: string; role: Role },
): Promise<void> {
  await db
    .updateTable('members')
    .set({ role })
    .where('workspaceId', '=', workspaceId)
    .where('subjectId', '=', subjectId)
    .execute()
}

export async function deleteMember(db: Db, workspaceId: string, subjectId: string): Promise<void> {
  await db
    .deleteFrom('members')
    .where('workspaceId', '=', workspaceId)
    .where('subjectId', '=', subjectId)
    .execute()
}

/** In how many days findings of a severity have to be closed. */
export async function readRemediationTargets(
  db: Db,
  workspaceId: string,
): Promise<RemediationTargetDays> {
  const { targets } = await db
    .selectFrom('workspaces')
    .select(sql<RemediationTargetDays>`remediation_target_days`.as('targets'))
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return targets
}
