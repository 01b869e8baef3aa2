import { type Expression, sql, type SqlBool } from 'kysely'
import type { Assessment } from '../../formats/assessments.ts'
import type { FindingKey } from '../../formats/finding-id.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export const PROPOSAL_STATES = ['Open', 'Taken', 'Changed', 'Refused', 'Replaced'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

interface Evidence {
  text: string
  link: string | null
}

interface ProposedDecision {
  assessment: Assessment
  justification: string | null
  detail: string | null
  response: string | null
}

export interface ProposalRow extends FindingKey, ProposedDecision {
  id: string
  firmwareName: string
  firmwareVersionName: string
  componentName: string
  componentVersion: string | null
  reason: string
  evidence: Evidence[]
  proposedByType: string
  proposedById: string | null
  proposedByEmail: string | null
  /** The name of the API key, where one proposed it. */
  proposedByKey: string | null
  proposedAt: Date
  state: ProposalState
  decidedByEmail: string | null
  decidedAt: Date | null
  refusal: string | null
}

interface Selection {
  workspaceId: string
  /** undefined: any. */
  state?: ProposalState | undefined
  key?: FindingKey | undefined
  firmwareId?: string | undefined
  proposedById?: string | undefined
  assessment?: Assessment | undefined
  limit: number
}

const isOf = (key: FindingKey): Expression<SqlBool> => sql`(proposal.firmware_version_id,
  proposal.package_id, proposal.vulnerability_id) = (${key.firmwareVersionId}, ${key.packageId}, ${key.vulnerabilityId})`

const selectProposals = (db: Db, workspaceId: string) =>
  db
    .selectFrom('decisionProposals as proposal')
    .innerJoin('firmwareVersions as version', (join) =>
      join
        .onRef('version.workspaceId', '=', 'proposal.workspaceId')
        .onRef('version.id', '=', 'proposal.firmwareVersionId'),
    )
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .select(['firmware.name as firmwareName', 'version.name as firmwareVersionName'])
    .select(['proposal.id', 'proposal.firmwareVersionId', 'proposal.packageId'])
    .select(['proposal.vulnerabilityId', 'proposal.componentName', 'proposal.componentVersion'])
    .select(sql<Assessment>`proposal.assessment`.as('assessment'))
    .select(['proposal.justification', 'proposal.detail', 'proposal.response', 'proposal.reason'])
    .select(sql<Evidence[]>`proposal.evidence`.as('evidence'))
    .select(['proposal.proposedByType', 'proposal.proposedById', 'proposal.proposedByEmail'])
    .select(
      sql<string | null>`(
        select key.name from api_keys as key
        where key.workspace_id = ${workspaceId} and key.id::text = proposal.proposed_by_id
      )`.as('proposedByKey'),
    )
    .select(sql<ProposalState>`proposal.state`.as('state'))
    .select(['proposal.proposedAt', 'proposal.decidedByEmail', 'proposal.decidedAt'])
    .select('proposal.refusal')
    .where('proposal.workspaceId', '=', workspaceId)

/** Newest first. */
export async function listProposals(
  db: Db,
  { workspaceId, state, key, firmwareId, proposedById, assessment, limit }: Selection,
): Promise<ProposalRow[]> {
  return selectProposals(db, workspaceId)
    .$if(firmwareId !== undefined, (query) =>
      query.where(sql<boolean>`version.firmware_id::text = ${firmwareId}`),
    )
    .$if(proposedById !== undefined, (query) =>
      query.where(sql<boolean>`proposal.proposed_by_id = ${proposedById}`),
    )
    .$if(assessment !== undefined, (query) =>
      query.where(sql<boolean>`proposal.assessment = ${assessment}`),
    )
    .$if(state !== undefined, (query) => query.where(sql<boolean>`proposal.state = ${state}`))
    .$if(key !== undefined, (query) => (key ? query.where(isOf(key)) : query))
    .orderBy('proposal.proposedAt', 'desc')
    .orderBy('proposal.id', 'desc')
    .limit(limit)
    .execute()
}

export async function findProposal(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ProposalRow | undefined> {
  return selectProposals(db, workspaceId).where('proposal.id', '=', id).executeTakeFirst()
}

/** Who proposed a decision, by name. */
export async function listAuthors(
  db: Db,
  workspaceId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select distinct on (author.id) author.id, coalesce(key.name, author.email, 'Somebody') as name
    from (
      select proposed_by_id as id, max(proposed_by_email) as email from decision_proposals
      where workspace_id = ${workspaceId} and proposed_by_id is not null group by proposed_by_id
    ) as author
    left join api_keys as key on key.workspace_id = ${workspaceId} and key.id::text = author.id
    order by author.id limit ${limit}`.execute(db)
  return rows.toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Those of the state, locked in the order of their ids. */
export async function lockProposals(
  tx: Tx,
  workspaceId: string,
  { ids, state }: { ids: readonly string[]; state: ProposalState },
): Promise<ProposalRow[]> {
  const { rows } = await sql<{ id: string }>`
    select id from decision_proposals
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = ${state}
    order by id for update`.execute(tx)
  if (rows.length === 0) return []
  return selectProposals(tx, workspaceId)
    .where(
      'proposal.id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('proposal.id')
    .execute()
}

/** Answers false if there is no such proposal that is open. */
export async function lockOpenProposal(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('decisionProposals')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'Open')
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export async function countOpenProposals(db: Db, workspaceId: string): Promise<number> {
  const { open } = await db
    .selectFrom('decisionProposals')
    .select(sql<number>`count(*)::int`.as('open'))
    .where('workspaceId', '=', workspaceId)
    .where('state', '=', 'Open')
    .executeTakeFirstOrThrow()
  return open
}

interface NewProposal extends FindingKey, ProposedDecision {
  workspaceId: string
  id: string
  componentName: string
  componentVersion: string | null
  reason: string
  evidence: readonly Evidence[]
  proposedByType: string
  proposedById: string | null
  proposedByEmail: string | null
  proposedAt: Date
}

/** A later proposal of the same author about the same finding replaces the earlier one. */
export async function insertProposal(db: Db, proposal: NewProposal): Promise<void> {
  const { workspaceId, proposedByType, proposedById, firmwareVersionId, packageId } = proposal
  await sql`
    update decision_proposals set state = 'Replaced', decided_at = ${proposal.proposedAt}
    where workspace_id = ${workspaceId} and state = 'Open' and firmware_version_id = ${firmwareVersionId}
      and package_id = ${packageId} and vulnerability_id = ${proposal.vulnerabilityId}
      and proposed_by_type = ${proposedByType} and proposed_by_id is not distinct from ${proposedById}`.execute(
    db,
  )
  const evidence = JSON.stringify(proposal.evidence)
  await db
    .insertInto('decisionProposals')
    .values({ ...proposal, evidence, state: 'Open' })
    .execute()
}

interface Outcome {
  workspaceId: string
  id: string
  state: ProposalState
  /** What was decided by taking it. */
  decisionBatchId?: string | null
  decidedByEmail: string | null
  /** null: it is open again. */
  decidedAt: Date | null
  refusal: string | null
}

export async function endProposal(db: Db, { workspaceId, id, ...outcome }: Outcome): Promise<void> {
  await db
    .updateTable('decisionProposals')
    .set(outcome)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Proposals whose decision was taken back. A later one of the same author about the finding stands in their place. */
export async function listUndone(
  tx: Tx,
  workspaceId: string,
  batchId: string,
): Promise<(ProposalRow & { isReplaced: boolean })[]> {
  return selectProposals(tx, workspaceId)
    .select(
      sql<boolean>`exists (
        select from decision_proposals as later
        where later.workspace_id = ${workspaceId} and later.state = 'Open'
          and later.firmware_version_id = proposal.firmware_version_id and later.package_id = proposal.package_id
          and later.vulnerability_id = proposal.vulnerability_id
          and later.proposed_by_type = proposal.proposed_by_type
          and later.proposed_by_id is not distinct from proposal.proposed_by_id)`.as('isReplaced'),
    )
    .where('proposal.decisionBatchId', '=', batchId)
    .where('proposal.state', 'in', ['Taken', 'Changed'])
    .orderBy('proposal.id')
    .execute()
}
