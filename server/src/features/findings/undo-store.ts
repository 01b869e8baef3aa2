/** Takes back what one command decided: each finding gets what it had before, unless something newer was decided about it. */
import { type RawBuilder, sql } from 'kysely'
import type { Acceptance } from '../../formats/acceptances.ts'
import { type Assessment, isOfSbomSql, type DecisionSource } from '../../formats/assessments.ts'
import { splitIntoBatches } from '../../formats/batches.ts'
import type { FindingKey } from '../../formats/finding-id.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { addingMoved } from './counters-store.ts'
import { selectChangedDecisions, DECIDED_COLUMNS, sumMoved } from './decisions-store.ts'
import { lockKeptOf } from './workspace-list/kept-store.ts'
import { addDecisions, refreshStates } from './workspace-list/states-store.ts'

export interface DecisionBatch {
  workspaceId: string
  batchId: string
}

/** Whether a row, of this workspace, is about the finding of the other. */
function isSameFinding(workspaceId: string, one: string, other: string): RawBuilder<unknown> {
  const same = ['firmware_version_id', 'package_id', 'vulnerability_id'].map(
    (column) => `${one}.${column} = ${other}.${column}`,
  )
  return sql`${sql.raw(`${one}.workspace_id`)} = ${workspaceId} and ${sql.raw(same.join(' and '))}`
}

/**
 * The decision before `entry`, as `earlier`. What an SBOM said counts only while its statement is there: the next change of the
 * inventory would end it.
 */
const joinEarlier = (workspaceId: string) => sql`
  left join lateral jsonb_populate_record(null::finding_decisions, entry.before) as earlier
    on not (${sql.raw(isOfSbomSql('earlier'))} and not exists (
      select from vex_statement_targets as target
      where target.workspace_id = ${workspaceId} and target.statement_id = earlier.statement_id))`

/** Nothing newer was decided about the finding of `entry` that is not taken back. */
const isNewest = (
  workspaceId: string,
) => sql`decision.updated_at = entry.created_at and not exists (
  select from finding_timeline as later
  where ${isSameFinding(workspaceId, 'later', 'entry')} and (later.created_at, later.id) > (entry.created_at, entry.id)
    and later.undone_batch_id is null and not exists (
      select from finding_timeline as undo
      where ${isSameFinding(workspaceId, 'undo', 'later')} and undo.undone_batch_id = later.batch_id))`

/** Some entries of a batch: those of one id, which a finding has under each of its identities, are in one part. */
interface Part extends DecisionBatch {
  entryIds: readonly string[]
}

const isOfPart = ({ workspaceId, batchId, entryIds }: Part) => sql`
  entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId} and entry.id = any(${entryIds}::uuid[])`

/** Entries of the batch with the present decision, and the one before it, that lead to another state. */
const selectUndone = ({ workspaceId, batchId, entryIds }: Part) => sql`
  select entry.firmware_version_id as "firmwareVersionId", entry.package_id as "packageId",
    entry.vulnerability_id as "vulnerabilityId", entry.created_at as decided_at,
    decision.assessment as old_assessment, decision.ignored as old_ignored, true as was_decided,
    coalesce(earlier.assessment, 'NotAssessed') as assessment, coalesce(earlier.ignored, false) as ignored,
    earlier.package_id is not null as is_decided, earlier.justification, earlier.responses, earlier.detail,
    earlier.recheck_reason, earlier.statement_id, earlier.origin, earlier.stated_in, earlier.acceptance,
    coalesce(earlier.assessed_line_id, earlier.ignored_line_id) as line_id,
    match.confidence as match_confidence, match.severity as match_severity, match.is_exploited as match_exploited
  from finding_timeline as entry
  join finding_decisions as decision on ${isSameFinding(workspaceId, 'decision', 'entry')}
  ${joinEarlier(workspaceId)}
  left join package_matches as match on match.package_id = entry.package_id
    and match.vulnerability_id = entry.vulnerability_id and match.until is null
  where ${isOfPart({ workspaceId, batchId, entryIds })} and ${isNewest(workspaceId)}`

/** Entries of the batch that were taken back. Each is looked up by its finding, whatever PostgreSQL knows of the table. */
const selectTakenBack = ({ workspaceId, batchId, entryIds }: Part) => sql`
  select entry.* from finding_timeline as entry
  cross join lateral (
    select from finding_timeline as undo
    where ${isSameFinding(workspaceId, 'undo', 'entry')} and undo.undone_batch_id = ${batchId} limit 1
  ) as undo
  where ${isOfPart({ workspaceId, batchId, entryIds })}`

/** Of `decision`: the entry that was taken back, and the decision before it. */
const undoneEntries = (part: Part) => sql`
    (${selectTakenBack(part)}) as entry
    ${joinEarlier(part.workspaceId)}
    where ${isSameFinding(part.workspaceId, 'decision', 'entry')}`

interface Undo extends DecisionBatch {
  source: DecisionSource
  createdByEmail: string | null
  at: Date
}

/** So many at once, that telling how far it is costs little. */
const PART = 4_000

/**
 * Each finding has again what it had. The firmware versions and packages of the batch are locked. `onDone` is told how many are
 * looked at.
 */
export async function restoreDecisions(
  tx: Tx,
  undo: Undo,
  onDone: (count: number) => void,
): Promise<void> {
  const { workspaceId, batchId } = undo
  await lockKeptOf(tx, workspaceId)
  const { rows } = await sql<{ id: string }>`
    select distinct id from finding_timeline where workspace_id = ${workspaceId} and batch_id = ${batchId}
    order by id`.execute(tx)
  let doneCount = 0
  for (const entryIds of splitIntoBatches(
    rows.map(({ id }) => id),
    PART,
  )) {
    await restorePart(tx, { ...undo, entryIds })
    doneCount += entryIds.length
    onDone(doneCount)
  }
}

/**
 * The timeline gets an entry with the state that a finding comes back to; of the findings with such an entry the decisions are
 * replaced, last.
 */
async function restorePart(tx: Tx, part: Undo & Part): Promise<void> {
  const { workspaceId, batchId, source, createdByEmail, at } = part
  const input = selectUndone(part)
  await addDecisions(workspaceId, selectChangedDecisions(workspaceId, input)).execute(tx)
  await sql`with ${sumMoved(workspaceId, input)}, ${addingMoved(workspaceId, at)}`.execute(tx)
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type,
      created_at, source, created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
      statement_id, origin, stated_in, undone_batch_id, acceptance, line_id)
    select ${workspaceId}::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", gen_random_uuid(), 'Assessment',
      -- Entries of one instant are in the order of their ids.
      greatest(${at}::timestamptz, decided_at + interval '1 millisecond'), ${source}, ${createdByEmail}, assessment,
      ignored, justification, coalesce(responses, '{}'), detail, recheck_reason, statement_id, origin, stated_in,
      ${batchId}::uuid, acceptance, line_id
    from (${input}) as input
    order by "firmwareVersionId", "packageId", "vulnerabilityId"`.execute(tx)
  const columns = DECIDED_COLUMNS.map((name) => sql.raw(`${name} = earlier.${name}`))
  await sql`
    update finding_decisions as decision set ${sql.join(columns)} from ${undoneEntries(part)}
      and earlier.package_id is not null`.execute(tx)
  await sql`
    delete from finding_decisions as decision using ${undoneEntries(part)} and earlier.package_id is null`.execute(
    tx,
  )
  await refreshStates(
    tx,
    workspaceId,
    sql`select distinct vulnerability_id, package_id from (${selectTakenBack(part)}) as entry`,
  )
}

/** What would be accepted again if the batch was taken back. */
export async function listRestorableAcceptances(
  db: Db,
  batch: DecisionBatch,
): Promise<(FindingKey & { acceptance: Acceptance })[]> {
  const { workspaceId, batchId } = batch
  const { rows } = await sql<FindingKey & { acceptance: Acceptance }>`
    select distinct on (entry.firmware_version_id, entry.package_id, entry.vulnerability_id)
      entry.firmware_version_id, entry.package_id, entry.vulnerability_id, earlier.acceptance
    from finding_timeline as entry
    join finding_decisions as decision on ${isSameFinding(workspaceId, 'decision', 'entry')}
    ${joinEarlier(workspaceId)}
    where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId} and ${isNewest(workspaceId)}
      and earlier.ignored and earlier.acceptance is not null
    order by entry.firmware_version_id, entry.package_id, entry.vulnerability_id`.execute(db)
  return rows
}

interface RestoredCounts {
  restored: number
  /** Of findings that keep what the batch or somebody later decided. */
  left: number
  /** The first of these. */
  leftFindings: (FindingKey & {
    firmwareVersionName: string
    assessment: Assessment
    ignored: boolean
  })[]
}

const MOST_NAMED = 20

/**
 * How many findings of the batch would have again what they had, and which would not. Findings that go by another id by now count once.
 */
export async function countRestorable(db: Db, batch: DecisionBatch): Promise<RestoredCounts> {
  const { workspaceId, batchId } = batch
  const { rows } = await sql<RestoredCounts>`
    with each as materialized (
      select entry.id, entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
        coalesce(${isNewest(workspaceId)}, false) as is_newest, decision.assessment, decision.ignored
      from finding_timeline as entry
      left join finding_decisions as decision on ${isSameFinding(workspaceId, 'decision', 'entry')}
      where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
    ), entries as materialized (
      select distinct on (id) * from each order by id, is_newest desc
    )
    select count(*) filter (where is_newest)::int as restored, count(*) filter (where not is_newest)::int as "left",
      coalesce((
        select json_agg(named order by "firmwareVersionName", "vulnerabilityId")
        from (
          select kept.firmware_version_id as "firmwareVersionId", kept.package_id as "packageId",
            kept.vulnerability_id as "vulnerabilityId", version.name as "firmwareVersionName",
            coalesce(kept.assessment, 'NotAssessed') as assessment, coalesce(kept.ignored, false) as ignored
          from entries as kept
          join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = kept.firmware_version_id
          where not kept.is_newest
          order by version.name, kept.vulnerability_id limit ${MOST_NAMED}
        ) as named), '[]') as left_findings
    from entries`.execute(db)
  return rows[0] ?? { restored: 0, left: 0, leftFindings: [] }
}
