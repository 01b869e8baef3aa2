/**
 * Decides which vulnerabilities an advisory is evidence for (docs/design/matching.md), for the advisories a merge
 * changed.
 *
 * An advisory that names CVEs is evidence for each of them. Advisories that name no CVE and share an id form a group. A
 * group is evidence for the CVEs of the advisories it shares an id with. If there are none, the group is a vulnerability
 * of its own, whose id is the least of the ids of its advisories: an alias that no stored record has would lead nowhere. Two CVEs are
 * never united.
 */
import { type RawBuilder, sql } from 'kysely'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { readJson } from './store.ts'
import type { OnDone } from './writing-store.ts'

/**
 * Collects the ids whose groups may change, old and new ones. Call it before the advisories are written. A new advisory that
 * names nothing but CVEs, as nearly all of the CVE List and of NVD, belongs to no group and had no links.
 */
export async function seedRelinking(tx: Tx, source: AdvisorySource): Promise<void> {
  await sql`
    insert into moved (source, advisory_id, vulnerability_id, is_new)
    select ${source}, staged.id, cve.id, true
    from changed join staged_advisories as staged using (ordinal)
    cross join lateral unnest(staged.cve_ids) as cve (id)
    where changed.is_new and staged.linked_ids = '{}'`.execute(tx)
  await sql`
    insert into relinked (source, id)
    select ${source}, changed.id from changed join staged_advisories as staged using (ordinal)
    where changed.is_relinked and not (changed.is_new and staged.linked_ids = '{}')`.execute(tx)
  await sql`
    insert into reached (id, round)
    select distinct linked.id, 0
    from (
      select stored.linked_ids from ${storedOfRelinked(source)}
      union all
      select staged.linked_ids from changed join staged_advisories as staged using (ordinal)
      where changed.is_relinked
    ) as sides
    cross join lateral unnest(sides.linked_ids) as linked (id)`.execute(tx)
  const former = await readJson(
    tx,
    sql`select ${source}::text as source, stored.id, former.id as linked_id
      from ${storedOfRelinked(source)} cross join lateral unnest(stored.linked_ids) as former (id)`,
  )
  if (former === undefined) return
  await sql`
    delete from advisory_linked_ids as link
    using json_to_recordset(${former}::json) as former (source text, id text, linked_id text)
    where link.linked_id = former.linked_id and link.source = former.source and link.advisory_id = former.id`.execute(
    tx,
  )
}

/**
 * The stored texts of the changed advisories, as `stored`. They are looked up one by one (`offset 0`): they are few, and a
 * planner that does not know it would read all advisories for each piece of an import.
 */
const storedOfRelinked = (source: AdvisorySource) => sql`
  (select id from changed where is_relinked and not is_new) as known
  cross join lateral (
    select advisories.id, advisories.linked_ids from advisories
    where advisories.source = ${source} and advisories.id = known.id offset 0
  ) as stored`

const STEPS = [
  writeLinkedIds,
  reachGroups,
  labelGroups,
  chooseTargets,
  writeLinks,
  recordSplits,
  writeAliases,
]

/**
 * Finds the groups and what they are evidence for, and writes what differs from the stored links. `onDone` gets the number of
 * steps.
 */
export async function relinkAdvisories(tx: Tx, at: Date, onDone: OnDone): Promise<void> {
  for (const [index, step] of STEPS.entries()) {
    await step(tx, at)
    onDone(index + 1, STEPS.length)
  }
}

const ADVISORY_OF_RELINKED = sql`
  select source, id, linked_ids, cve_ids from advisories
  where advisories.source = relinked.source and advisories.id = relinked.id offset 0`

/** Looked up one by one, like all that is stored: few advisories share a name. */
const ADVISORIES_OF_REACHED = sql`
  select advisory.source, advisory.id, advisory.aliases, advisory.linked_ids, advisory.cve_ids
  from advisory_linked_ids as link cross join lateral (
    select source, id, aliases, linked_ids, cve_ids from advisories
    where advisories.source = link.source and advisories.id = link.advisory_id offset 0
  ) as advisory
  where link.linked_id = reached.id offset 0`

async function writeLinkedIds(tx: Tx): Promise<void> {
  await sql`
    insert into advisory_linked_ids (linked_id, source, advisory_id)
    select linked.id, advisory.source, advisory.id
    from relinked
    cross join lateral (${ADVISORY_OF_RELINKED}) as advisory
    cross join lateral unnest(advisory.linked_ids) as linked (id)
    order by linked.id, advisory.id`.execute(tx)
  await sql`analyze relinked, reached`.execute(tx)
}

/** Starts with the changed ids and adds the advisories without a CVE that share one, their other ids, and so on. */
async function reachGroups(tx: Tx): Promise<void> {
  for (let round = 0; ; round++) {
    await sql`
      insert into bare (source, id, linked_ids, round)
      select distinct on (advisory.source, advisory.id)
        advisory.source, advisory.id, advisory.linked_ids, ${round}::integer
      from reached
      cross join lateral (${ADVISORIES_OF_REACHED}) as advisory
      where reached.round = ${round} and advisory.cve_ids = '{}'
      on conflict do nothing`.execute(tx)
    const { numAffectedRows } = await sql`
      insert into reached (id, round)
      select distinct linked.id, ${round + 1}::integer
      from bare cross join lateral unnest(bare.linked_ids) as linked (id)
      where bare.round = ${round}
      on conflict do nothing`.execute(tx)
    if (numAffectedRows === 0n) return
  }
}

/** Labels every id with the least id of its group: spreads the least label along advisories until nothing changes. */
async function labelGroups(tx: Tx): Promise<void> {
  await sql`
    insert into grouped (id, label)
    select distinct linked.id, linked.id
    from bare cross join lateral unnest(bare.linked_ids) as linked (id)`.execute(tx)
  for (;;) {
    const { numAffectedRows } = await sql`
      with least_of_advisory as (
        select bare.linked_ids, min(grouped.label) as label
        from bare
        cross join lateral unnest(bare.linked_ids) as linked (id)
        join grouped on grouped.id = linked.id
        where cardinality(bare.linked_ids) > 1
        group by bare.source, bare.id, bare.linked_ids
      ), least_of_id as (
        select linked.id, min(label) as label
        from least_of_advisory cross join lateral unnest(linked_ids) as linked (id)
        group by linked.id
      )
      update grouped set label = least_of_id.label
      from least_of_id
      where grouped.id = least_of_id.id and least_of_id.label < grouped.label`.execute(tx)
    if (numAffectedRows === 0n) return
  }
}

/**
 * Chooses the CVEs that an id stands for. The best evidence is the advisory with that id, then an advisory that names a
 * single CVE. An advisory that names several CVEs (one record for many fixes) counts only where there is no better one.
 */
async function chooseTargets(tx: Tx): Promise<void> {
  await sql`
    insert into asserted (id, cve_id, rank, is_alias)
    select reached.id, cve.id,
      case when advisory.id = reached.id then 1 when cardinality(advisory.cve_ids) = 1 then 2 else 3 end,
      (array[advisory.id::text] || advisory.aliases) && advisory.cve_ids
    from reached
    cross join lateral (${ADVISORIES_OF_REACHED}) as advisory
    cross join lateral unnest(advisory.cve_ids) as cve (id)`.execute(tx)
  await sql`
    insert into targets (label, vulnerability_id)
    with ranked as (
      select distinct grouped.label, asserted.cve_id,
        asserted.rank = min(asserted.rank) over (partition by grouped.label) as is_best
      from grouped join asserted using (id)
    )
    select distinct label, cve_id from ranked where is_best
    union all
    select grouped.label, min(bare.id collate "C") from grouped join bare on bare.id = grouped.id
    where not exists (select from ranked where ranked.label = grouped.label)
    group by grouped.label`.execute(tx)
}

async function writeLinks(tx: Tx): Promise<void> {
  await sql`
    insert into relinked (source, id) select source, id from bare on conflict do nothing`.execute(
    tx,
  )
  await sql`
    insert into links (source, advisory_id, vulnerability_id)
    select relinked.source, relinked.id, cve.id
    from relinked
    cross join lateral (${ADVISORY_OF_RELINKED}) as advisory
    cross join lateral unnest(advisory.cve_ids) as cve (id)
    union
    select bare.source, bare.id, targets.vulnerability_id
    from bare
    join grouped on grouped.id = bare.linked_ids[1]
    join targets using (label)`.execute(tx)
  await sql`
    insert into moved (source, advisory_id, vulnerability_id, is_new)
    select source, advisory_id, vulnerability_id, links.source is not null
    from (
      select link.source, link.advisory_id, link.vulnerability_id, true as is_stored
      from relinked
      cross join lateral (
        select source, advisory_id, vulnerability_id from advisory_vulnerabilities
        where source = relinked.source and advisory_id = relinked.id offset 0
      ) as link
    ) as stored
    full join links using (source, advisory_id, vulnerability_id)
    where stored.is_stored is null or links.source is null`.execute(tx)
  await deleteLinks(tx)
  await sql`
    insert into advisory_vulnerabilities (source, advisory_id, vulnerability_id)
    select source, advisory_id, vulnerability_id from moved where is_new
    order by source, advisory_id, vulnerability_id`.execute(tx)
}

async function deleteLinks(tx: Tx): Promise<void> {
  const gone = await readJson(
    tx,
    sql`select source, advisory_id, vulnerability_id from moved where not is_new`,
  )
  if (gone === undefined) return
  await sql`
    delete from advisory_vulnerabilities as link
    using json_to_recordset(${gone}::json) as gone (source text, advisory_id text, vulnerability_id text)
    where link.source = gone.source and link.advisory_id = gone.advisory_id
      and link.vulnerability_id = gone.vulnerability_id`.execute(tx)
}

/**
 * Records that a part of a vulnerability became one of its own: decisions about the whole then hold for the part, too.
 * CVEs are left out: a decision about one CVE does not hold for another.
 */
async function recordSplits(tx: Tx, at: Date): Promise<void> {
  await sql`
    insert into vulnerability_partings as stored (vulnerability_id, part_id, parted_at)
    select distinct gone.vulnerability_id, part.vulnerability_id, ${at}::timestamptz
    from moved as gone
    join moved as part using (source, advisory_id)
    where not gone.is_new and part.is_new and part.vulnerability_id not like 'CVE-%'
    order by 1, 2
    on conflict (vulnerability_id, part_id) do update set parted_at = excluded.parted_at`.execute(
    tx,
  )
}

/** An id that was once a vulnerability stays an alias of the vulnerability that its advisories moved to. */
async function writeAliases(tx: Tx): Promise<void> {
  await sql`
    insert into wanted_aliases (alias, vulnerability_id)
    select grouped.id, targets.vulnerability_id from grouped join targets using (label)
    union
    select id, cve_id
    from (
      select id, cve_id, rank = min(rank) over (partition by id) as is_best
      from asserted where is_alias and not exists (select from grouped where grouped.id = asserted.id)
    ) as ranked
    where is_best
    union
    select id, cve_id from asserted
    where not is_alias and rank = 1 and exists (select from vulnerabilities where vulnerabilities.id = asserted.id)
    union
    select vulnerability_id, vulnerability_id from moved
    where is_new and not starts_with(vulnerability_id, 'CVE-')
    union
    select entry.euvd_id, entry.cve_id
    from moved join eu_exploited_entries as entry on entry.cve_id = moved.vulnerability_id
    where moved.is_new and starts_with(entry.euvd_id, 'EUVD-')`.execute(tx)
  await deleteAliases(
    tx,
    sql`select stored.alias, stored.vulnerability_id
      from reached join vulnerability_aliases as stored on stored.alias = reached.id
      where case when exists (select from wanted_aliases as wanted where wanted.alias = stored.alias)
        then not exists (
          select from wanted_aliases as wanted
          where wanted.alias = stored.alias and wanted.vulnerability_id = stored.vulnerability_id)
        else not exists (select from vulnerabilities where vulnerabilities.id = stored.alias) end`,
  )
  await sql`
    insert into vulnerability_aliases (alias, vulnerability_id)
    select alias, vulnerability_id from wanted_aliases
    union
    select vulnerability_id, vulnerability_id from moved where is_new
    union
    select former.alias, successor.vulnerability_id
    from moved as gone
    join vulnerability_aliases as former on former.vulnerability_id = gone.vulnerability_id
    join advisory_vulnerabilities as successor using (source, advisory_id)
    where ${isAbandoned}
    order by 1, 2
    on conflict do nothing`.execute(tx)
  await deleteAliases(
    tx,
    sql`select former.alias, former.vulnerability_id
      from moved as gone join vulnerability_aliases as former on former.vulnerability_id = gone.vulnerability_id
      where ${isAbandoned}`,
  )
}

async function deleteAliases(tx: Tx, chosen: RawBuilder<unknown>): Promise<void> {
  const gone = await readJson(tx, chosen)
  if (gone === undefined) return
  await sql`
    delete from vulnerability_aliases as stored
    using json_to_recordset(${gone}::json) as gone (alias text, vulnerability_id text)
    where stored.alias = gone.alias and stored.vulnerability_id = gone.vulnerability_id`.execute(tx)
}

/** A CVE id stays a vulnerability for ever, even if no advisory is evidence for it any more. */
const isAbandoned = sql`
  not gone.is_new and gone.vulnerability_id not like 'CVE-%' and not exists (
    select from advisory_vulnerabilities as link where link.vulnerability_id = gone.vulnerability_id)`
