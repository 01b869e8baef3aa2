/** Writes the ratings of vulnerabilities that a merge changed: the columns that lists sort and count by. */
import { sql } from 'kysely'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import { preferenceSql } from '../../../formats/advisories/preference.ts'
import { primaryScoreOrderSql, severityOfScoreSql } from '../../../formats/advisories/severity.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { OnDone } from '../merging/writing-store.ts'

const BATCH = 2_000

/**
 * Rates the vulnerabilities whose advisories changed or moved. The temporary table `rescored` then holds those with
 * another severity or score.
 */
export async function refreshVulnerabilities(
  tx: Tx,
  source: AdvisorySource,
  { at, onDone }: { at: Date; onDone: OnDone },
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    insert into touched (vulnerability_id)
    select vulnerability_id from moved where not ${IS_OF_SOLE_ADVISORY}
    union
    select link.vulnerability_id from (select id from changed where not is_new) as known
    cross join lateral (
      select vulnerability_id from advisory_vulnerabilities
      where source = ${source} and advisory_id = known.id offset 0
    ) as link`.execute(tx)
  await insertUntouched(tx, at)
  let done = 0
  let areReclassified = false
  for (let after = ''; ;) {
    const { last, count } = await findBatch(tx, after)
    if (last === null) break
    if (await rateVulnerabilities(tx, { after, last, at })) areReclassified = true
    after = last
    onDone((done += count), Number(numAffectedRows))
  }
  // Workspaces copy the classes of their vulnerabilities.
  if (areReclassified)
    await sql`
      update vulnerability_sources set score_revision = score_revision + 1 where source = ${source}`.execute(
      tx,
    )
}

async function findBatch(tx: Tx, after: string): Promise<{ last: string | null; count: number }> {
  const { rows } = await sql<{ last: string | null; count: number }>`
    select max(vulnerability_id) as last, count(*)::int as count from (
      select vulnerability_id from touched where vulnerability_id > ${after}
      order by vulnerability_id limit ${BATCH}
    ) as batch`.execute(tx)
  return rows[0] ?? { last: null, count: 0 }
}

/** The touched vulnerabilities after one id, up to and with another. Answers whether SSVC takes one of them for another class. */
async function rateVulnerabilities(
  tx: Tx,
  { after, last, at }: { after: string; last: string; at: Date },
): Promise<boolean> {
  await sql`truncate news`.execute(tx)
  await sql`
    insert into news (id, name, severity, primary_score, is_disputed, ssvc_class, published_at, modified_at)
    select touched.vulnerability_id, coalesce(rated.name, touched.vulnerability_id), ${SEVERITY},
      (rated.score ->> 'baseScore')::real, rated.is_disputed, coalesce(rated.ssvc_class, 0), rated.published_at, rated.modified_at
    from touched cross join lateral (${RATING}) as rated
    where touched.vulnerability_id > ${after} and touched.vulnerability_id <= ${last} and rated.advisories > 0
    order by touched.vulnerability_id`.execute(tx)
  await sql`
    insert into rescored (vulnerability_id)
    select news.id
    from news cross join lateral (
      select severity, primary_score from vulnerabilities where vulnerabilities.id = news.id offset 0
    ) as stored
    where (stored.severity, stored.primary_score) is distinct from (news.severity, news.primary_score)`.execute(
    tx,
  )
  const { rows: reclassified } = await sql`
    select from news cross join lateral (
      select ssvc_class from vulnerabilities where vulnerabilities.id = news.id offset 0
    ) as stored
    where stored.ssvc_class <> news.ssvc_class limit 1`.execute(tx)
  await sql`
    insert into vulnerabilities as stored
      (id, name, severity, primary_score, is_disputed, ssvc_class, is_known_exploit, known_exploit_since, published_at, modified_at, updated_at)
    select id, name, severity, primary_score, is_disputed, ssvc_class, known.cve_id is not null,
      case when known.cve_id is not null then ${at}::timestamptz end, published_at, modified_at, ${at}
    from news left join kev_entries as known on known.cve_id = news.id
    order by id
    on conflict (id) do update set name = excluded.name, severity = excluded.severity,
      primary_score = excluded.primary_score, is_disputed = excluded.is_disputed, ssvc_class = excluded.ssvc_class, published_at = excluded.published_at,
      modified_at = excluded.modified_at, updated_at = excluded.updated_at
    where (stored.name, stored.severity, stored.primary_score, stored.is_disputed, stored.ssvc_class, stored.published_at, stored.modified_at)
      is distinct from (excluded.name, excluded.severity, excluded.primary_score, excluded.is_disputed, excluded.ssvc_class, excluded.published_at,
        excluded.modified_at)`.execute(tx)
  return reclassified.length > 0
}

const PREFERENCE = sql.raw(preferenceSql('source', 'id'))
const SCORE_ORDER = sql.raw(primaryScoreOrderSql('primary_score'))

/**
 * What the advisories of one vulnerability say together. Withdrawn ones count only if all are withdrawn. The name is that of
 * the first advisory, in the order of `comparePreference`, that has one. It is disputed if one of them says so. The score is chosen by the rules of `primaryScore`
 * from the best score of each advisory. Each advisory is looked up by its index (`offset 0`): the planner has no statistics of
 * what this merge has written.
 */
const RATING = sql`
  select count(*) as advisories, min(published_at) as published_at, max(modified_at) as modified_at,
    bool_or(is_disputed) as is_disputed,
    (array_agg(name order by ${PREFERENCE}) filter (where name is not null))[1] as name,
    (array_agg(primary_score order by ${SCORE_ORDER}) filter (where primary_score is not null))[1] as score,
    (array_agg(stated_severity order by ${PREFERENCE}) filter (where stated_severity is not null))[1] as stated,
    (array_agg(ssvc_class order by ${PREFERENCE}) filter (where ssvc_class > 0))[1] as ssvc_class
  from (
    select advisory.*, bool_and(withdrawn_at is not null) over () as are_withdrawn
    from advisory_vulnerabilities as link cross join lateral (
      select source, id, name, primary_score, stated_severity, is_disputed, ssvc_class, published_at, modified_at, withdrawn_at
      from advisories where advisories.source = link.source and advisories.id = link.advisory_id offset 0
    ) as advisory
    where link.vulnerability_id = touched.vulnerability_id
  ) as known
  where withdrawn_at is null or are_withdrawn`

/** As `decideSeverity`, of `rated`. */
const SEVERITY = sql`
  case when rated.score is null then coalesce(rated.stated, 'Unknown')
    else ${sql.raw(severityOfScoreSql(`(rated.score ->> 'version')`, `(rated.score ->> 'baseScore')::numeric`))} end`

/**
 * Whether a new vulnerability of `moved` is described by one advisory and no other, as most of a first import. The scalar
 * subqueries make the planner look up each by its index: it has no statistics of what this merge has written.
 */
const IS_OF_SOLE_ADVISORY = sql`(
  moved.is_new
  and (select true from vulnerabilities as stored where stored.id = moved.vulnerability_id) is null
  and (
    select true from advisory_vulnerabilities as other
    where other.vulnerability_id = moved.vulnerability_id
      and (other.source <> moved.source or other.advisory_id <> moved.advisory_id)
    limit 1) is null)`

/** Inserts the new vulnerabilities of sole advisories, in half the time that rating them would take. */
async function insertUntouched(tx: Tx, at: Date): Promise<void> {
  await sql`
    insert into vulnerabilities
      (id, name, severity, primary_score, is_disputed, ssvc_class, is_known_exploit, known_exploit_since, published_at, modified_at, updated_at)
    select moved.vulnerability_id, coalesce(rated.name, moved.vulnerability_id), ${SEVERITY},
      (rated.score ->> 'baseScore')::real, rated.is_disputed, rated.ssvc_class, known.cve_id is not null,
      case when known.cve_id is not null then ${at}::timestamptz end, rated.published_at, rated.modified_at, ${at}
    from moved
    cross join lateral (
      select name, primary_score as score, stated_severity as stated, is_disputed, ssvc_class, published_at, modified_at from advisories
      where advisories.source = moved.source and advisories.id = moved.advisory_id offset 0
    ) as rated
    left join kev_entries as known on known.cve_id = moved.vulnerability_id
    where (select true from touched where touched.vulnerability_id = moved.vulnerability_id) is null
    order by 1`.execute(tx)
}
