/** Decisions of a period, from the timeline: what one command decided at one instant is one row. */
import { type RawBuilder, sql } from 'kysely'
import type { Assessment, DecisionSource } from '../../../formats/assessments.ts'
import type { Db } from '../../../platform/db/connect.ts'

export interface Period {
  workspaceId: string
  from: Date
  to: Date
}

export interface DecidedCount {
  source: DecisionSource
  email: string | null
  type: EntryType
  assessment: Assessment
  isUndo: boolean
  findings: number
}

type EntryType = 'Assessment' | 'Ignored' | 'Unignored'

const inPeriod = ({ workspaceId, from, to }: Period): RawBuilder<unknown> => sql`
  entry.workspace_id = ${workspaceId} and entry.created_at >= ${from} and entry.created_at < ${to}`

/** To ignore a finding leaves its assessment as it was, which is not what was decided. */
const assessment = sql`case when entry.type = 'Assessment' then entry.assessment else 'NotAssessed' end`

/** How often each of them decided what; a finding that was decided twice counts twice. */
export async function countDecided(db: Db, period: Period): Promise<DecidedCount[]> {
  const { rows } = await sql<DecidedCount>`
    select entry.source, entry.created_by_email as email, entry.type, ${assessment} as assessment,
      entry.undone_batch_id is not null as is_undo, count(*)::int as findings
    from finding_timeline as entry
    where ${inPeriod(period)}
    group by 1, 2, 3, 4, 5`.execute(db)
  return rows
}

export interface DecidedRow {
  at: Date
  source: DecisionSource
  email: string | null
  type: EntryType
  assessment: Assessment
  justification: string | null
  responses: string[]
  detail: string | null
  isUndo: boolean
  findingCount: number
  vulnerabilityIds: string[]
  vulnerabilityCount: number
  firmwareVersions: string[]
  firmwareVersionCount: number
  components: string[]
  componentCount: number
  /** Of the command: when it was taken back, by whom, and how many findings had been decided since. */
  undoneAt: Date | null
  undoneByEmail: string | null
  leftCount: number | null
  /** How many rows there are without the limit. */
  total: number
}

const MOST_NAMED = 40

/** By people, keys and documents, the newest first. What follows from such decisions by itself is only counted. */
export async function listDecided(db: Db, period: Period, limit: number): Promise<DecidedRow[]> {
  const { workspaceId } = period
  const { rows } = await sql<DecidedRow>`
    with entries as materialized (
      select entry.created_at, entry.source, entry.created_by_email, entry.type, ${assessment} as assessment,
        case when entry.type = 'Assessment' then entry.justification end as justification,
        case when entry.type = 'Assessment' then entry.responses else '{}' end as responses,
        case when entry.type = 'Assessment' then entry.detail end as detail,
        entry.batch_id, entry.undone_batch_id, count(*)::int as finding_count,
        array_agg(distinct entry.vulnerability_id order by entry.vulnerability_id) as vulnerability_ids,
        array_agg(distinct entry.firmware_version_id) as version_ids,
        array_agg(distinct entry.package_id) as package_ids,
        (count(*) over ())::int as total
      from finding_timeline as entry
      where ${inPeriod(period)} and entry.source in ('User', 'ApiKey', 'Vex')
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
      order by entry.created_at desc limit ${limit}
    )
    select entries.created_at as at, entries.source, entries.created_by_email as email, entries.type, entries.assessment,
      entries.justification, entries.responses, entries.detail, entries.undone_batch_id is not null as is_undo,
      entries.finding_count, entries.total,
      entries.vulnerability_ids[1:${sql.lit(MOST_NAMED)}] as vulnerability_ids,
      cardinality(entries.vulnerability_ids) as vulnerability_count,
      array(select firmware.name || ' ' || version.name
        from firmware_versions as version
        join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
        where version.workspace_id = ${workspaceId} and version.id = any(entries.version_ids)
        order by firmware.name, version.created_at desc, version.id limit ${sql.lit(MOST_NAMED)}) as firmware_versions,
      cardinality(entries.version_ids) as firmware_version_count, named.components, named.component_count,
      batch.undone_at, batch.undone_by_email, batch.left_count
    from entries
    left join decision_batches as batch on batch.workspace_id = ${workspaceId} and batch.id = entries.batch_id
    cross join lateral (
      select coalesce((array_agg(distinct fact.component_name order by fact.component_name))[1:${sql.lit(MOST_NAMED)}], '{}') as components,
        count(distinct fact.component_name)::int as component_count
      from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(entries.version_ids)
        and fact.package_id = any(entries.package_ids)
    ) as named
    order by entries.created_at desc, entries.type, entries.assessment, entries.vulnerability_ids[1]`.execute(
    db,
  )
  return rows
}
