/**
 * Which vulnerabilities an advisory is evidence for (DESIGN 5.3), for the advisories a merge touched.
 *
 * An advisory that names CVEs is evidence for each of them. Those that name none are united by the ids they share; a
 * group of them is evidence for the CVEs of the advisories it shares an id with, else a vulnerability of its own, known
 * by the least of its ids. Two CVEs are never united, since only advisories that name none are.
 */
import { sql } from 'kysely'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { Tx } from '../../platform/db/connect.ts'

/** Remembers the ids whose groups may change, old ones and new ones. To be called before the advisories are written. */
export async function seedRelinking(tx: Tx, source: AdvisorySource): Promise<void> {
  await sql`
    insert into relinked (source, id) select ${source}, id from changed where is_relinked`.execute(
    tx,
  )
  await sql`
    insert into reached (id, round)
    select distinct linked.id, 0
    from (
      select stored.linked_ids from changed
      join advisories as stored on stored.source = ${source} and stored.id = changed.id
      where changed.is_relinked
      union all
      select staged.linked_ids from changed join staged_advisories as staged using (ordinal)
      where changed.is_relinked
    ) as sides
    cross join lateral unnest(sides.linked_ids) as linked (id)`.execute(tx)
  await sql`
    delete from advisory_linked_ids as link
    using changed
    join advisories as stored on stored.source = ${source} and stored.id = changed.id
    cross join lateral unnest(stored.linked_ids) as former (id)
    where changed.is_relinked
      and link.linked_id = former.id and link.source = ${source} and link.advisory_id = stored.id`.execute(
    tx,
  )
}

/** Finds the groups and what they are evidence for, and writes where that differs from what is stored. */
export async function relink(tx: Tx): Promise<void> {
  await writeLinkedIds(tx)
  await reachGroups(tx)
  await labelGroups(tx)
  await chooseTargets(tx)
  await writeLinks(tx)
  await writePartings(tx)
  await writeAliases(tx)
}

async function writeLinkedIds(tx: Tx): Promise<void> {
  await sql`
    insert into advisory_linked_ids (linked_id, source, advisory_id)
    select linked.id, advisory.source, advisory.id
    from relinked
    join advisories as advisory using (source, id)
    cross join lateral unnest(advisory.linked_ids) as linked (id)
    order by linked.id, advisory.id`.execute(tx)
  await sql`analyze relinked, reached`.execute(tx)
}

/** From the ids that changed to all advisories without a CVE that share one, to their other ids, and on. */
async function reachGroups(tx: Tx): Promise<void> {
  for (let round = 0; ; round++) {
    await sql`
      insert into bare (source, id, linked_ids, round)
      select distinct on (advisory.source, advisory.id)
        advisory.source, advisory.id, advisory.linked_ids, ${round}::integer
      from reached
      join advisory_linked_ids as link on link.linked_id = reached.id
      join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
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

/** Every id gets the least id of its group: the least of all that its advisories name, until nothing moves. */
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
 * What an id stands for is best said by the advisory of that id, next by one that names a single CVE; one that names
 * several (one record for many fixes) says it only where nothing better does.
 */
async function chooseTargets(tx: Tx): Promise<void> {
  await sql`
    insert into asserted (id, cve_id, rank, is_alias)
    select reached.id, cve.id,
      case when advisory.id = reached.id then 1 when cardinality(advisory.cve_ids) = 1 then 2 else 3 end,
      (array[advisory.id::text] || advisory.aliases) && advisory.cve_ids
    from reached
    join advisory_linked_ids as link on link.linked_id = reached.id
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
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
    select distinct label, label from grouped
    where not exists (select from ranked where ranked.label = grouped.label)`.execute(tx)
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
    join advisories as advisory using (source, id)
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
      join advisory_vulnerabilities as link
        on link.source = relinked.source and link.advisory_id = relinked.id
    ) as stored
    full join links using (source, advisory_id, vulnerability_id)
    where stored.is_stored is null or links.source is null`.execute(tx)
  await sql`
    delete from advisory_vulnerabilities as link using moved
    where not moved.is_new and link.source = moved.source and link.advisory_id = moved.advisory_id
      and link.vulnerability_id = moved.vulnerability_id`.execute(tx)
  await sql`
    insert into advisory_vulnerabilities (source, advisory_id, vulnerability_id)
    select source, advisory_id, vulnerability_id from moved where is_new
    order by source, advisory_id, vulnerability_id`.execute(tx)
}

/** What was decided about the whole holds for a part that gets an id of its own. One CVE says nothing about another. */
async function writePartings(tx: Tx): Promise<void> {
  await sql`
    insert into vulnerability_partings as stored (vulnerability_id, part_id, parted_at)
    select distinct gone.vulnerability_id, part.vulnerability_id, now()
    from moved as gone
    join moved as part using (source, advisory_id)
    where not gone.is_new and part.is_new and part.vulnerability_id not like 'CVE-%'
    order by 1, 2
    on conflict (vulnerability_id, part_id) do update set parted_at = excluded.parted_at`.execute(
    tx,
  )
}

/** An id that once was a vulnerability's goes on leading to where its advisories went, whoever still uses it. */
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
    select vulnerability_id, vulnerability_id from moved where is_new`.execute(tx)
  await sql`
    delete from vulnerability_aliases as stored using reached
    where stored.alias = reached.id
      and case when exists (select from wanted_aliases as wanted where wanted.alias = stored.alias)
        then not exists (
          select from wanted_aliases as wanted
          where wanted.alias = stored.alias and wanted.vulnerability_id = stored.vulnerability_id)
        else not exists (select from vulnerabilities where vulnerabilities.id = stored.alias) end`.execute(
    tx,
  )
  await sql`
    insert into vulnerability_aliases (alias, vulnerability_id)
    select alias, vulnerability_id from wanted_aliases
    union
    select former.alias, successor.vulnerability_id
    from moved as gone
    join vulnerability_aliases as former on former.vulnerability_id = gone.vulnerability_id
    join advisory_vulnerabilities as successor using (source, advisory_id)
    where ${isAbandoned}
    order by 1, 2
    on conflict do nothing`.execute(tx)
  await sql`
    delete from vulnerability_aliases as former using moved as gone
    where former.vulnerability_id = gone.vulnerability_id and ${isAbandoned}`.execute(tx)
}

/** A CVE id is one for ever, whether or not an advisory still speaks of it. */
const isAbandoned = sql`
  not gone.is_new and gone.vulnerability_id not like 'CVE-%' and not exists (
    select from advisory_vulnerabilities as link where link.vulnerability_id = gone.vulnerability_id)`
