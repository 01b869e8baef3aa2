-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/advisories/bundles/store.ts listSourceStates
select source, last_success_at, snapshot_at, record_count,
  array(
    select ecosystem
    from complete_ecosystems as known
    where known.source = vulnerability_sources.source
    order by ecosystem
  ) as complete
from vulnerability_sources
order by source;

-- server/src/features/advisories/bundles/store.ts streamAdvisoryLines
select id,
  json_build_object(
    'source', source, 'hash', encode(content_hash, 'hex'), 'record',
      (
        select json_strip_nulls(stored.record)
        from advisory_records as stored
        where stored.source = advisories.source and stored.advisory_id = advisories.id
      ), 'affected',
      (
        select coalesce(
          json_agg(json_build_object('key', key, 'statements', statements) order by key), '[]'
        )
        from advisory_affected as affected
        where affected.source = advisories.source and affected.advisory_id = advisories.id
      ), 'feedAt', to_char(feed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )::text as line
from advisories
where source = $1 and id > $2
order by id
limit $3;

-- server/src/features/advisories/bundles/store.ts streamEpssLines
select cve_id as id,
  json_build_object('source', 'epss', 'cveId', cve_id, 'score', score, 'percentile', percentile)::text
  as line
from epss_scores
where cve_id > $1
order by cve_id
limit $2;

-- server/src/features/advisories/bundles/store.ts streamEuvdLines
select cve_id as id,
  json_build_object('source', 'euvd', 'cveId', cve_id, 'euvdId', euvd_id, 'dateAdded', date_added)::text
  as line
from eu_exploited_entries
where cve_id > $1
order by cve_id
limit $2;

-- server/src/features/advisories/bundles/store.ts streamKevLines
select cve_id as id,
  json_build_object(
    'source', 'kev', 'cveId', cve_id, 'dateAdded', date_added, 'dueDate', due_date, 'details',
      details
  )::text as line
from kev_entries
where cve_id > $1
order by cve_id
limit $2;

-- server/src/features/advisories/bundles/store.ts streamSupportLines
select name as id,
  json_build_object(
    'source', 'endoflife', 'name', name, 'label', label, 'link', link, 'identifiers', identifiers,
      'cycles', cycles, 'goneAt',
      to_char(gone_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )::text as line
from support_products
where name > $1
order by name
limit $2;

-- server/src/features/advisories/checks-store.ts listMiscounted
select stated, known.amount, recount.amount as expected
from known_distributions as known
full join (
  select stated, count(*)::int as amount
  from advisory_affected as affected
  cross join lateral (
    select distinct coalesce(statement ->> 'distro', split_part(affected.key, '/', 2)) as stated
    from json_array_elements(affected.statements) as statement
  ) as distributions
  where affected.source not in ('cvelist', 'nvd') and affected.key ~ '^purl:(deb|rpm|apk)/'
  group by stated
) as recount using (stated)
where known.amount is distinct from recount.amount
order by stated;

-- server/src/features/advisories/checks-store.ts listMisflagged
select id
from vulnerabilities
where is_known_exploit <> exists (select from kev_entries where cve_id = vulnerabilities.id)
order by id;

-- server/src/features/advisories/checks-store.ts listMislinked
with named as (
  select distinct source, id as advisory_id, unnest(cve_ids) as vulnerability_id, true as is_named
  from advisories
),
  linked as (
    select link.*, true as is_linked
    from advisory_vulnerabilities as link
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
    where advisory.cve_ids <> '{}'
  ),
  bare as (
    select advisory.source, advisory.id, advisory.linked_ids,
      array(
        select vulnerability_id
        from advisory_vulnerabilities as link
        where link.source = advisory.source and link.advisory_id = advisory.id
        order by 1
      ) as vulnerability_ids
    from advisories as advisory
    where advisory.cve_ids = '{}'
  )
select source || ' ' || advisory_id || case
  when is_named then ' names ' || vulnerability_id || ' and is no evidence for it'
  else ' is evidence for ' || vulnerability_id || ' and does not name it' end as fault
from named
full join linked using (source, advisory_id, vulnerability_id)
where is_named is null or is_linked is null
union all select source || ' ' || id || ' is evidence for nothing'
from bare
where linked_ids <> '{}' and vulnerability_ids = '{}'
union all select 'advisories that share the id ' || shared.id ||
  ' are evidence for different vulnerabilities'
from bare
cross join lateral unnest(linked_ids) as shared (id)
group by shared.id
having count(distinct vulnerability_ids) > 1
union all select distinct link.vulnerability_id || ' is not found by its own name'
from advisory_vulnerabilities as link
where not exists (
  select
  from vulnerability_aliases as known
  where known.alias = link.vulnerability_id and known.vulnerability_id = link.vulnerability_id
)
union all select alias || ' is a name of ' || vulnerability_id || ', which does not exist'
from vulnerability_aliases as known
where not exists (select from vulnerabilities where vulnerabilities.id = known.vulnerability_id)
order by fault;

-- server/src/features/advisories/checks-store.ts recountDistributions
delete from known_distributions;

-- server/src/features/advisories/checks-store.ts recountDistributions
insert into known_distributions (stated, amount)
select stated, count(*)::int as amount
from advisory_affected as affected
cross join lateral (
  select distinct coalesce(statement ->> 'distro', split_part(affected.key, '/', 2)) as stated
  from json_array_elements(affected.statements) as statement
) as distributions
where affected.source not in ('cvelist', 'nvd') and affected.key ~ '^purl:(deb|rpm|apk)/'
group by stated;

-- server/src/features/advisories/merging/advisories-service.ts AdvisoryMerge.commit: not executed by tests

-- server/src/features/advisories/merging/advisories-service.ts AdvisoryMerge.rollBack: not executed by tests

-- server/src/features/advisories/merging/links-store.ts chooseTargets
insert into targets (label, vulnerability_id) with ranked as (
  select distinct grouped.label, asserted.cve_id,
    asserted.rank = min(asserted.rank) over (partition by grouped.label) as is_best
  from grouped
  join asserted using (id)
)
select distinct label, cve_id
from ranked
where is_best
union all select grouped.label, min(bare.id collate "C")
from grouped
join bare on bare.id = grouped.id
where not exists (select from ranked where ranked.label = grouped.label)
group by grouped.label;

-- server/src/features/advisories/merging/links-store.ts chooseTargets
insert into asserted (id, cve_id, rank, is_alias)
select reached.id, cve.id, case when advisory.id = reached.id then 1
  when cardinality(advisory.cve_ids) = 1 then 2 else 3 end,
  (array[advisory.id::text] || advisory.aliases) && advisory.cve_ids
from reached
cross join lateral (
  select advisory.source, advisory.id, advisory.aliases, advisory.linked_ids, advisory.cve_ids
  from advisory_linked_ids as link
  cross join lateral (
    select source, id, aliases, linked_ids, cve_ids
    from advisories
    where advisories.source = link.source and advisories.id = link.advisory_id
    offset 0
  ) as advisory
  where link.linked_id = reached.id
  offset 0
) as advisory
cross join lateral unnest(advisory.cve_ids) as cve (id);

-- server/src/features/advisories/merging/links-store.ts deleteAliases
delete from vulnerability_aliases as stored using json_to_recordset($1::json) as gone (
  alias text, vulnerability_id text
)
where stored.alias = gone.alias and stored.vulnerability_id = gone.vulnerability_id;

-- server/src/features/advisories/merging/links-store.ts deleteLinks
delete from advisory_vulnerabilities as link using json_to_recordset($1::json) as gone (
  source text, advisory_id text, vulnerability_id text
)
where link.source = gone.source and link.advisory_id = gone.advisory_id
  and link.vulnerability_id = gone.vulnerability_id;

-- server/src/features/advisories/merging/links-store.ts labelGroups
insert into grouped (id, label)
select distinct linked.id, linked.id
from bare
cross join lateral unnest(bare.linked_ids) as linked (id);

-- server/src/features/advisories/merging/links-store.ts labelGroups
with least_of_advisory as (
  select bare.linked_ids, min(grouped.label) as label
  from bare
  cross join lateral unnest(bare.linked_ids) as linked (id)
  join grouped on grouped.id = linked.id
  where cardinality(bare.linked_ids) > 1
  group by bare.source, bare.id, bare.linked_ids
),
  least_of_id as (
    select linked.id, min(label) as label
    from least_of_advisory
    cross join lateral unnest(linked_ids) as linked (id)
    group by linked.id
  )
update grouped
set label = least_of_id.label
from least_of_id
where grouped.id = least_of_id.id and least_of_id.label < grouped.label;

-- server/src/features/advisories/merging/links-store.ts reachGroups
insert into reached (id, round)
select distinct linked.id, $1::integer
from bare
cross join lateral unnest(bare.linked_ids) as linked (id)
where bare.round = $2
on conflict
do nothing;

-- server/src/features/advisories/merging/links-store.ts reachGroups
insert into bare (source, id, linked_ids, round)
select distinct on (advisory.source, advisory.id) advisory.source, advisory.id, advisory.linked_ids,
  $1::integer
from reached
cross join lateral (
  select advisory.source, advisory.id, advisory.aliases, advisory.linked_ids, advisory.cve_ids
  from advisory_linked_ids as link
  cross join lateral (
    select source, id, aliases, linked_ids, cve_ids
    from advisories
    where advisories.source = link.source and advisories.id = link.advisory_id
    offset 0
  ) as advisory
  where link.linked_id = reached.id
  offset 0
) as advisory
where reached.round = $2 and advisory.cve_ids = '{}'
on conflict
do nothing;

-- server/src/features/advisories/merging/links-store.ts recordSplits
insert into vulnerability_partings as stored (vulnerability_id, part_id, parted_at)
select distinct gone.vulnerability_id, part.vulnerability_id, $1::timestamptz
from moved as gone
join moved as part using (source, advisory_id)
where not gone.is_new and part.is_new and part.vulnerability_id not like 'CVE-%'
order by 1, 2
on conflict (vulnerability_id, part_id)
do update
set parted_at = excluded.parted_at;

-- server/src/features/advisories/merging/links-store.ts seedRelinking
insert into relinked (source, id)
select $1, changed.id
from changed
join staged_advisories as staged using (ordinal)
where changed.is_relinked and not (changed.is_new and staged.linked_ids = '{}');

-- server/src/features/advisories/merging/links-store.ts seedRelinking
delete from advisory_linked_ids as link using json_to_recordset($1::json) as former (
  source text, id text, linked_id text
)
where link.linked_id = former.linked_id and link.source = former.source
  and link.advisory_id = former.id;

-- server/src/features/advisories/merging/links-store.ts seedRelinking
insert into moved (source, advisory_id, vulnerability_id, is_new)
select $1, staged.id, cve.id, true
from changed
join staged_advisories as staged using (ordinal)
cross join lateral unnest(staged.cve_ids) as cve (id)
where changed.is_new and staged.linked_ids = '{}';

-- server/src/features/advisories/merging/links-store.ts seedRelinking
insert into reached (id, round)
select distinct linked.id, 0
from (
  select stored.linked_ids
  from (select id from changed where is_relinked and not is_new) as known
  cross join lateral (
    select advisories.id, advisories.linked_ids
    from advisories
    where advisories.source = $1 and advisories.id = known.id
    offset 0
  ) as stored
  union all select staged.linked_ids
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_relinked
) as sides
cross join lateral unnest(sides.linked_ids) as linked (id);

-- server/src/features/advisories/merging/links-store.ts writeAliases
insert into vulnerability_aliases (alias, vulnerability_id)
select alias, vulnerability_id
from wanted_aliases
union select vulnerability_id, vulnerability_id
from moved
where is_new
union select former.alias, successor.vulnerability_id
from moved as gone
join vulnerability_aliases as former on former.vulnerability_id = gone.vulnerability_id
join advisory_vulnerabilities as successor using (source, advisory_id)
where not gone.is_new and gone.vulnerability_id not like 'CVE-%'
  and not exists (
    select from advisory_vulnerabilities as link where link.vulnerability_id = gone.vulnerability_id
  )
order by 1, 2
on conflict
do nothing;

-- server/src/features/advisories/merging/links-store.ts writeAliases
insert into wanted_aliases (alias, vulnerability_id)
select grouped.id, targets.vulnerability_id
from grouped
join targets using (label)
union select id, cve_id
from (
  select id, cve_id, rank = min(rank) over (partition by id) as is_best
  from asserted
  where is_alias and not exists (select from grouped where grouped.id = asserted.id)
) as ranked
where is_best
union select id, cve_id
from asserted
where not is_alias and rank = 1
  and exists (select from vulnerabilities where vulnerabilities.id = asserted.id)
union select vulnerability_id, vulnerability_id
from moved
where is_new and not starts_with(vulnerability_id, 'CVE-')
union select entry.euvd_id, entry.cve_id
from moved
join eu_exploited_entries as entry on entry.cve_id = moved.vulnerability_id
where moved.is_new and starts_with(entry.euvd_id, 'EUVD-');

-- server/src/features/advisories/merging/links-store.ts writeLinkedIds
analyze relinked, reached;

-- server/src/features/advisories/merging/links-store.ts writeLinkedIds
insert into advisory_linked_ids (linked_id, source, advisory_id)
select linked.id, advisory.source, advisory.id
from relinked
cross join lateral (
  select source, id, linked_ids, cve_ids
  from advisories
  where advisories.source = relinked.source and advisories.id = relinked.id
  offset 0
) as advisory
cross join lateral unnest(advisory.linked_ids) as linked (id)
order by linked.id, advisory.id;

-- server/src/features/advisories/merging/links-store.ts writeLinks
insert into relinked (source, id) select source, id from bare on conflict do nothing;

-- server/src/features/advisories/merging/links-store.ts writeLinks
insert into advisory_vulnerabilities (source, advisory_id, vulnerability_id)
select source, advisory_id, vulnerability_id
from moved
where is_new
order by source, advisory_id, vulnerability_id;

-- server/src/features/advisories/merging/links-store.ts writeLinks
insert into links (source, advisory_id, vulnerability_id)
select relinked.source, relinked.id, cve.id
from relinked
cross join lateral (
  select source, id, linked_ids, cve_ids
  from advisories
  where advisories.source = relinked.source and advisories.id = relinked.id
  offset 0
) as advisory
cross join lateral unnest(advisory.cve_ids) as cve (id)
union select bare.source, bare.id, targets.vulnerability_id
from bare
join grouped on grouped.id = bare.linked_ids[1]
join targets using (label);

-- server/src/features/advisories/merging/links-store.ts writeLinks
insert into moved (source, advisory_id, vulnerability_id, is_new)
select source, advisory_id, vulnerability_id, links.source is not null
from (
  select link.source, link.advisory_id, link.vulnerability_id, true as is_stored
  from relinked
  cross join lateral (
    select source, advisory_id, vulnerability_id
    from advisory_vulnerabilities
    where source = relinked.source and advisory_id = relinked.id
    offset 0
  ) as link
) as stored
full join links using (source, advisory_id, vulnerability_id)
where stored.is_stored is null or links.source is null;

-- server/src/features/advisories/merging/parts-store.ts chooseMissing
analyze read_ids;

-- server/src/features/advisories/merging/parts-store.ts chooseMissing
select (select count(*)::int from missing) as missing,
  (select count(*)::int from advisory_parts where source = $1 and part = $2) as known;

-- server/src/features/advisories/merging/parts-store.ts chooseMissing
insert into missing (id, is_orphan)
select held.advisory_id,
  not exists (
    select
    from advisory_parts as other
    where other.source = held.source and other.advisory_id = held.advisory_id
      and other.part <> held.part
  )
from advisory_parts as held
where held.source = $1 and held.part = $2
  and (select true from read_ids where read_ids.id = held.advisory_id) is null;

-- server/src/features/advisories/merging/parts-store.ts chooseWithdrawn
insert into missing (id, is_orphan)
select id, true
from advisories
where source = $1 and withdrawn_at is null and id >= $2 and id < $3 and (id = any($4::text[])) = $5;

-- server/src/features/advisories/merging/parts-store.ts chooseWithdrawn
select (select count(*)::int from missing) as missing,
  (
    select count(*)::int
    from advisories
    where source = $1 and withdrawn_at is null and id >= $2 and id < $3
  ) as known;

-- server/src/features/advisories/merging/parts-store.ts deleteMissing
delete from advisory_parts as held using json_to_recordset($1::json) as missing (
  source text, part text, id text
)
where held.source = missing.source and held.part = missing.part and held.advisory_id = missing.id;

-- server/src/features/advisories/merging/parts-store.ts findKnownCount
select coalesce(
  (
    select record_count
    from vulnerability_source_parts
    where source = $1 and part = $2 and snapshot_read_at is not null
  ), case when $3 then (select record_count from vulnerability_sources where source = $4) end, 0
) as known;

-- server/src/features/advisories/merging/parts-store.ts leaveWithdrawn
delete from staged_advisories where source = $1 and id = any($2::text[]);

-- server/src/features/advisories/merging/parts-store.ts leaveWithdrawn
select id from advisories where source = $1 and id = any($2::text[]) and withdrawn_at is not null;

-- server/src/features/advisories/merging/parts-store.ts recordComplete
select stated from known_distributions;

-- server/src/features/advisories/merging/parts-store.ts recordComplete
select ecosystem
from unnest($1::text[]) as named (ecosystem)
where not exists (select from complete_ecosystems as known where known.ecosystem = named.ecosystem);

-- server/src/features/advisories/merging/parts-store.ts recordComplete
insert into complete_ecosystems (source, ecosystem, completed_at)
select $1, ecosystem, $2
from unnest($3::text[]) as named (ecosystem)
on conflict (source, ecosystem)
do update
set completed_at = excluded.completed_at;

-- server/src/features/advisories/merging/parts-store.ts recordPart: the shortest and the longest of many variants
--   15504547 207e19ef 3778c9d1 4bd07ea8 6aacb213 a885b496 e5601d78
insert into vulnerability_source_parts (
  source, part, completed_at, checked_at, etag, skipped_count, skipped_reasons, notice,
    parser_version, record_count
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (source, part)
do update
set completed_at = $11, checked_at = $12, etag = $13, skipped_count = $14, skipped_reasons = $15,
  notice = $16, parser_version = $17, last_error = $18;

insert into vulnerability_source_parts (
  source, part, completed_at, checked_at, snapshot_read_at, etag, "position", skipped_count,
    skipped_reasons, notice, parser_version, record_count
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict (source, part)
do update
set completed_at = $13, checked_at = $14, snapshot_read_at = $15, etag = $16, "position" = $17,
  skipped_count = $18, skipped_reasons = $19, notice = $20, parser_version = $21,
  record_count = $22, last_error = $23;

-- server/src/features/advisories/merging/parts-store.ts rememberRead
insert into read_ids (id)
select id
from (select distinct id from staged_advisories where source = $1) as staged
order by id
on conflict
do nothing;

-- server/src/features/advisories/merging/parts-store.ts replaceMembers
insert into advisory_parts (source, part, advisory_id)
select $1, $2, id
from read_ids
order by id
on conflict
do nothing;

-- server/src/features/advisories/merging/parts-store.ts stageMissing
insert into staged_advisories (
  ordinal, source, id, content_hash, aliases, cve_ids, linked_ids, record, name, primary_score,
    stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class,
    affected
)
select -row_number() over (order by advisories.id), advisories.source, advisories.id,
  sha256(content_hash || 'withdrawn'::bytea), aliases, cve_ids, linked_ids,
  jsonb_set(stored.record::jsonb, '{withdrawnAt}', to_jsonb($1::text))::text, name,
  primary_score::text, stated_severity, published_at, modified_at, feed_at, $2, is_disputed,
  ssvc_class, '[]'
from missing
cross join lateral (
  select * from advisories where advisories.source = $3 and advisories.id = missing.id offset 0
) as advisories
cross join lateral (
  select record from advisory_records where source = $4 and advisory_id = missing.id offset 0
) as stored
where missing.is_orphan and advisories.withdrawn_at is null;

-- server/src/features/advisories/merging/store.ts chooseChanges: the shortest and the longest of many variants
--   371a9fc6 589cd82e bc965987 bdb94cf3 d80c5de7
analyze changed;

with compared as materialized (
  select newest.id, newest.ordinal, newest.text_hash, stored.id is null as is_new, stored.id is null
    or stored.aliases is distinct from newest.aliases
    or stored.cve_ids is distinct from newest.cve_ids
    or stored.linked_ids is distinct from newest.linked_ids as is_relinked,
    newest.withdrawn_at is not null and stored.withdrawn_at is null as is_withdrawal,
    coalesce(stored.written_by = pg_current_xact_id()::xid and stored.changed_at = $1, false) as
    is_repeated, stored.content_hash = newest.content_hash
    and stored.text_hash is distinct from newest.text_hash as is_otherwise_written,
    stored.id is null
    or (
      stored.content_hash <> newest.content_hash
        and (
          coalesce(newest.modified_at, newest.feed_at, '-infinity'::timestamptz),
            newest.modified_at is not null
        ) >= (
          coalesce(stored.modified_at, stored.feed_at, '-infinity'::timestamptz),
            stored.modified_at is not null
        )
        and (newest.modified_at = stored.modified_at and newest.feed_at < stored.feed_at) is not
        true
        and not exists (
          select
          from unread_advisories as unread
          where unread.id = newest.id and unread.source = newest.source
            and (
              coalesce(stored.modified_at, unread.feed_at, '-infinity'),
                stored.modified_at is not null, coalesce(unread.feed_at, '-infinity'),
                unread.ordinal
            ) > (
              coalesce(newest.modified_at, newest.feed_at, '-infinity'::timestamptz),
                newest.modified_at is not null, coalesce(newest.feed_at, '-infinity'),
                newest.ordinal
            )
        )
    ) as is_changed, false as is_deferred
  from (
    select distinct on (id) source, id, ordinal, content_hash, text_hash, aliases, cve_ids,
      linked_ids, modified_at, feed_at, withdrawn_at
    from staged_advisories
    where source = $2
    order by id,
      coalesce(staged_advisories.modified_at, staged_advisories.feed_at, '-infinity'::timestamptz)
      desc, modified_at is null, feed_at desc nulls last, ordinal desc
  ) as newest
  left join lateral (
    select id, content_hash, text_hash, aliases, cve_ids, linked_ids, modified_at, feed_at,
      withdrawn_at, changed_at, xmin as written_by
    from advisories
    where advisories.source = $3 and advisories.id = newest.id
    offset 0
  ) as stored on true
),
  known_texts as (
    insert into otherwise_written (id, text_hash)
    select id, text_hash
    from compared
    where is_otherwise_written and text_hash is not null
  ),
  put_off as (
    insert into deferred (ordinal) select ordinal from compared where is_changed and is_deferred
  )
insert into changed (id, ordinal, is_new, is_relinked, is_withdrawal, is_repeated)
select id, ordinal, is_new, is_relinked, is_withdrawal, is_repeated
from compared
where is_changed and not is_deferred;

-- server/src/features/advisories/merging/store.ts lockMerges
select pg_advisory_xact_lock($1);

-- server/src/features/advisories/merging/store.ts noteChangedKeys
with key_pairs as (
  select key, product_key, '*' as vulnerability_id
  from changed_affected
  union select affected.key, affected.product_key, '*'
  from (
    select source, advisory_id
    from moved
    union select link.source, link.advisory_id
    from rescored
    cross join lateral (
      select each.source, each.advisory_id
      from advisory_vulnerabilities as each
      where each.vulnerability_id = rescored.vulnerability_id
      offset 0
    ) as link
    except select $1, id
    from changed
    where is_new
  ) as concerned
  cross join lateral (
    select key, product_key
    from advisory_affected as affected
    where affected.source = concerned.source and affected.advisory_id = concerned.advisory_id
    offset 0
  ) as affected
)
insert into changed_keys (key, vulnerability_id)
select key, vulnerability_id
from key_pairs
union select product_key, vulnerability_id
from key_pairs
where product_key is not null
on conflict
do nothing;

-- server/src/features/advisories/merging/store.ts noteChangedKeys
with key_pairs as (
  select affected.key, affected.product_key, link.vulnerability_id
  from changed_affected as affected
  cross join lateral (
    select vulnerability_id
    from advisory_vulnerabilities
    where source = $1 and advisory_id = affected.advisory_id
    offset 0
  ) as link
  union select affected.key, affected.product_key, moved.vulnerability_id
  from changed_affected as affected
  join moved on moved.source = $2 and moved.advisory_id = affected.advisory_id
  union select affected.key, affected.product_key, moved.vulnerability_id
  from moved
  cross join lateral (
    select key, product_key
    from advisory_affected
    where source = moved.source and advisory_id = moved.advisory_id
    offset 0
  ) as affected
  union select affected.key, affected.product_key, rescored.vulnerability_id
  from rescored
  cross join lateral (
    select each.source, each.advisory_id
    from advisory_vulnerabilities as each
    where each.vulnerability_id = rescored.vulnerability_id
    offset 0
  ) as link
  cross join lateral (
    select key, product_key
    from advisory_affected
    where source = link.source and advisory_id = link.advisory_id
    offset 0
  ) as affected
)
insert into changed_keys (key, vulnerability_id)
select key, vulnerability_id
from key_pairs
union select product_key, vulnerability_id
from key_pairs
where product_key is not null
on conflict
do nothing;

-- server/src/features/advisories/merging/store.ts readJson: the shortest and the longest of many variants
--   30d46e08 57fa774a 6ab03439 746f2f55 911e5228 bb0c98db c2e3c24b
select json_agg(each)::text as json
from (select $1::text as source, $2::text as part, id from missing) as each;

select json_agg(each)::text as json
from (
  select stored.alias, stored.vulnerability_id
  from reached
  join vulnerability_aliases as stored on stored.alias = reached.id
  where case
    when exists (select from wanted_aliases as wanted where wanted.alias = stored.alias) then not
    exists (
      select
      from wanted_aliases as wanted
      where wanted.alias = stored.alias and wanted.vulnerability_id = stored.vulnerability_id
    ) else not exists (select from vulnerabilities where vulnerabilities.id = stored.alias) end
) as each;

-- server/src/features/advisories/merging/store.ts rememberTexts
update advisories as stored
set text_hash = decode(news.text_hash, 'hex')
from json_to_recordset($1::json) as news (source text, id text, text_hash text)
where stored.source = news.source and stored.id = news.id;

-- server/src/features/advisories/merging/store.ts tryLockMerges
select pg_try_advisory_xact_lock($1) as is_locked;

-- server/src/features/advisories/merging/store.ts writeChanges
select nextval('knowledge_revision') as revision;

-- server/src/features/advisories/merging/store.ts writeChanges
insert into knowledge_changes (revision, key, vulnerability_id)
select $1::bigint, key, vulnerability_id
from (
  select key, vulnerability_id
  from changed_keys
  union select 'distribution:' || distribution, '*'
  from unnest($2::text[]) as distribution
  union select 'registry:' || registry, '*'
  from unnest($3::text[]) as registry
) as pairs
order by key, vulnerability_id;

-- server/src/features/advisories/merging/store.ts writeChanges
insert into knowledge_changes (revision, key, vulnerability_id)
select $1::bigint, key, vulnerability_id
from (
  select distinct named.key, link.vulnerability_id
  from advisory_vulnerabilities as link
  join advisory_affected as affected on affected.source = link.source
    and affected.advisory_id = link.advisory_id
  cross join lateral (values (affected.key), (affected.product_key)) as named (key)
  where link.vulnerability_id = any($2::text[]) and named.key is not null
) as pairs
order by key, vulnerability_id;

-- server/src/features/advisories/merging/writing-store.ts areMostlyNew
select 10 * count(stored.id) < count(*) as are_mostly_new
from staged_advisories as staged
left join lateral (
  select id from advisories where advisories.source = $1 and advisories.id = staged.id offset 0
) as stored on true
where staged.source = $2;

-- server/src/features/advisories/merging/writing-store.ts chooseChangedAffected
truncate incoming_affected;

-- server/src/features/advisories/merging/writing-store.ts chooseChangedAffected
analyze incoming_affected (advisory_id, key);

-- server/src/features/advisories/merging/writing-store.ts chooseChangedAffected
insert into incoming_affected (advisory_id, key, product_key, statements)
select changed.id, item ->> 'key', item ->> 'productKey', item -> 'statements'
from changed
join staged_advisories as staged using (ordinal)
cross join lateral json_array_elements(staged.affected::json) as item
where not changed.is_new and (changed.id > $1 and changed.id <= $2);

-- server/src/features/advisories/merging/writing-store.ts chooseChangedAffected
insert into range_affected (advisory_id, key, product_key, is_gone)
select coalesce(incoming.advisory_id, stored.advisory_id), coalesce(incoming.key, stored.key),
  coalesce(incoming.product_key, stored.product_key), incoming.key is null
from (
  select affected.*
  from changed
  cross join lateral (
    select advisory_id, key, product_key, statements
    from advisory_affected
    where source = $1 and advisory_id = changed.id
    offset 0
  ) as affected
  where not changed.is_new and (changed.id > $2 and changed.id <= $3)
) as stored
full join incoming_affected as incoming on incoming.advisory_id = stored.advisory_id
  and incoming.key = stored.key
where stored.key is null or incoming.key is null
  or stored.statements::jsonb is distinct from incoming.statements::jsonb;

-- server/src/features/advisories/merging/writing-store.ts countDistributions
insert into moved_distributions (stated, amount)
select stated, $1::int * count(*)
from range_affected as changed
cross join lateral (
  select statements
  from advisory_affected
  where source = $2 and advisory_id = changed.advisory_id and key = changed.key
  offset 0
) as stored
cross join lateral (
  select distinct coalesce(statement ->> 'distro', split_part(changed.key, '/', 2)) as stated
  from json_array_elements(stored.statements) as statement
) as distributions
where changed.key ~ '^purl:(deb|rpm|apk)/'
group by stated;

-- server/src/features/advisories/merging/writing-store.ts deleteGone
delete from advisory_affected as affected using json_to_recordset($1::json) as gone (
  source text, advisory_id text, key text
)
where affected.source = gone.source and affected.advisory_id = gone.advisory_id
  and affected.key = gone.key;

-- server/src/features/advisories/merging/writing-store.ts findKnown
select known.id
from unnest($1::text[]) as given (id)
cross join lateral (
  select id from advisories where advisories.source = $2 and advisories.id = given.id offset 0
) as known
union select id
from staged_advisories
where source = $3 and id = any($4::text[]);

-- server/src/features/advisories/merging/writing-store.ts listRanges
select lag(max(id), 1, '') over (order by range) as after, max(id) as last, count(*)::int as size,
  sum(count(*)) over (order by range)::int as done, total::int as total,
  count(*) filter (where not is_new)::int as known
from (
  select id, is_new, (row_number() over (order by id) - 1) / $1::int as range,
    count(*) over () as total
  from changed
) as numbered
group by range, total
order by range;

-- server/src/features/advisories/merging/writing-store.ts noteKeys
insert into changed_keys (key, vulnerability_id)
select key, '*'
from unnest($1::text[]) as given (key)
order by key collate "C"
on conflict
do nothing;

-- server/src/features/advisories/merging/writing-store.ts noteNew
analyze changed, moved;

-- server/src/features/advisories/merging/writing-store.ts noteNew
insert into moved (source, advisory_id, vulnerability_id, is_new)
select $1, id, id, true
from changed;

-- server/src/features/advisories/merging/writing-store.ts noteNew
insert into changed (id, is_new, is_relinked, is_withdrawal, is_repeated)
select id, true, true, is_withdrawn, false
from unnest($1::text[], $2::boolean[]) as given (id, is_withdrawn)
order by id collate "C";

-- server/src/features/advisories/merging/writing-store.ts rememberNew
insert into read_ids (id) select id from changed order by id on conflict do nothing;

-- server/src/features/advisories/merging/writing-store.ts updateKnownDistributions
delete from known_distributions where stated = any($1::text[]);

-- server/src/features/advisories/merging/writing-store.ts updateKnownDistributions
insert into known_distributions (stated, amount)
select stated, amount
from unnest($1::text[], $2::int[]) as held (stated, amount)
on conflict (stated)
do update
set amount = excluded.amount;

-- server/src/features/advisories/merging/writing-store.ts updateKnownDistributions
select moved.stated, known.amount as known, coalesce(known.amount, 0) + moved.amount as amount
from (
  select stated, sum(amount)::int as amount
  from moved_distributions
  group by stated
  having sum(amount) <> 0
) as moved
left join known_distributions as known on known.stated = moved.stated
order by moved.stated;

-- server/src/features/advisories/merging/writing-store.ts writeAdvisories
truncate range_affected;

-- server/src/features/advisories/merging/writing-store.ts writeAdvisories
analyze changed_affected;

-- server/src/features/advisories/merging/writing-store.ts writeAdvisories
insert into changed_affected (advisory_id, key, product_key, is_gone)
select advisory_id, key, product_key, is_gone
from range_affected;

-- server/src/features/advisories/merging/writing-store.ts writeKnown
insert into advisory_records (source, advisory_id, record)
select $1, id, record::json
from (
  select staged.*
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_new = $2 and (changed.id > $3 and changed.id <= $4)
  order by changed.id
  offset 0
) as news
on conflict (source, advisory_id)
do update
set record = excluded.record;

-- server/src/features/advisories/merging/writing-store.ts writeKnown
insert into advisory_affected (source, advisory_id, key, product_key, statements, vulnerable_code)
select $1, news.advisory_id, news.key, incoming.product_key, incoming.statements,
  nullif((incoming.statements -> 0 -> 'vulnerableCode')::jsonb, '[]')
from range_affected as news
join incoming_affected as incoming using (advisory_id, key)
where not news.is_gone
order by news.advisory_id, news.key
on conflict (source, advisory_id, key)
do update
set product_key = excluded.product_key, statements = excluded.statements,
  vulnerable_code = excluded.vulnerable_code;

-- server/src/features/advisories/merging/writing-store.ts writeKnown
insert into advisories (
  source, id, content_hash, text_hash, aliases, cve_ids, linked_ids, name, primary_score,
    stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class,
    first_seen_at, changed_at
)
select $1, id, content_hash, text_hash, aliases, cve_ids, linked_ids, name, primary_score::jsonb,
  stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class, $2, $3
from (
  select staged.*
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_new = $4 and (changed.id > $5 and changed.id <= $6)
  order by changed.id
  offset 0
) as news
on conflict (source, id)
do update
set content_hash = excluded.content_hash, text_hash = excluded.text_hash,
  aliases = excluded.aliases, cve_ids = excluded.cve_ids, linked_ids = excluded.linked_ids,
  name = excluded.name, primary_score = excluded.primary_score,
  stated_severity = excluded.stated_severity, published_at = excluded.published_at,
  modified_at = excluded.modified_at, feed_at = excluded.feed_at,
  withdrawn_at = excluded.withdrawn_at, is_disputed = excluded.is_disputed,
  ssvc_class = excluded.ssvc_class, changed_at = excluded.changed_at;

-- server/src/features/advisories/merging/writing-store.ts writeNew
insert into advisory_records (source, advisory_id, record)
select $1, id, record::json
from (
  select staged.*
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_new = $2 and (changed.id > $3 and changed.id <= $4)
  order by changed.id
  offset 0
) as news;

-- server/src/features/advisories/merging/writing-store.ts writeNew
insert into range_affected (advisory_id, key, product_key, is_gone)
select written.advisory_id, written.key, written.product_key, false
from changed
cross join lateral (
  select advisory_id, key, product_key
  from advisory_affected
  where source = $1 and advisory_id = changed.id
  offset 0
) as written
where changed.is_new and (changed.id > $2 and changed.id <= $3);

-- server/src/features/advisories/merging/writing-store.ts writeNew
insert into advisory_affected (source, advisory_id, key, product_key, statements, vulnerable_code)
select $1, news.id, item ->> 'key', item ->> 'productKey', item -> 'statements',
  nullif((item -> 'statements' -> 0 -> 'vulnerableCode')::jsonb, '[]')
from (
  select changed.id, staged.affected
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_new and (changed.id > $2 and changed.id <= $3)
  order by changed.id
  offset 0
) as news
cross join lateral json_array_elements(news.affected::json) as item;

-- server/src/features/advisories/merging/writing-store.ts writeNew
insert into advisories (
  source, id, content_hash, text_hash, aliases, cve_ids, linked_ids, name, primary_score,
    stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class,
    first_seen_at, changed_at
)
select $1, id, content_hash, text_hash, aliases, cve_ids, linked_ids, name, primary_score::jsonb,
  stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class, $2, $3
from (
  select staged.*
  from changed
  join staged_advisories as staged using (ordinal)
  where changed.is_new = $4 and (changed.id > $5 and changed.id <= $6)
  order by changed.id
  offset 0
) as news;

-- server/src/features/advisories/rating/exploits-store.ts countEuExploited
select (select count(distinct cve_id)::int from staged_euvd) as incoming,
  (select count(*)::int from eu_exploited_entries) as known;

-- server/src/features/advisories/rating/exploits-store.ts deleteOtherEuEntries
delete from eu_exploited_entries where cve_id = any($1::text[]);

-- server/src/features/advisories/rating/exploits-store.ts deleteOtherEuEntries
select cve_id
from eu_exploited_entries as stored
where not exists (select from staged_euvd where staged_euvd.cve_id = stored.cve_id);

-- server/src/features/advisories/rating/exploits-store.ts deleteOtherKevEntries
delete from kev_entries where cve_id = any($1::text[]);

-- server/src/features/advisories/rating/exploits-store.ts deleteOtherKevEntries
select cve_id
from kev_entries as stored
where not exists (
  select from staged_kev where staged_kev.cve_id = stored.cve_id and staged_kev.feed_at = $1
);

-- server/src/features/advisories/rating/exploits-store.ts findEpssTimes
select (select max(feed_at) from staged_epss) as feed_at,
  (select snapshot_at from vulnerability_sources where source = 'epss') as snapshot_at;

-- server/src/features/advisories/rating/exploits-store.ts findKevSnapshot
with newest as (select max(feed_at) as feed_at from staged_kev)
select newest.feed_at,
  (
    select count(distinct cve_id)::int
    from staged_kev
    where staged_kev.feed_at is not distinct from newest.feed_at
  ) as incoming, (select count(*)::int from kev_entries) as stored,
  (select snapshot_at from vulnerability_sources where source = 'kev') as snapshot_at
from newest;

-- server/src/features/advisories/rating/exploits-store.ts flagKnownExploits
update vulnerabilities
set is_known_exploit = not is_known_exploit, known_exploit_since = case
  when not is_known_exploit then $1::timestamptz end, updated_at = $2
where is_known_exploit <> exists (select from kev_entries where cve_id = vulnerabilities.id)
returning id;

-- server/src/features/advisories/rating/exploits-store.ts mergeEpss
select count(*) filter (where is_new)::int as added,
  count(*) filter (where not is_new)::int as changed
from changed_scores;

-- server/src/features/advisories/rating/exploits-store.ts mergeEpss
insert into epss_scores (cve_id, score, percentile)
select cve_id, score, percentile
from changed_scores
order by cve_id
on conflict (cve_id)
do update
set score = excluded.score, percentile = excluded.percentile;

-- server/src/features/advisories/rating/exploits-store.ts mergeEpss
create temporary table changed_scores on commit drop as
select newest.*, stored.cve_id is null as is_new
from (
  select distinct on (cve_id) cve_id, score, percentile
  from staged_epss
  where (feed_at < (select snapshot_at from vulnerability_sources where source = 'epss')) is not
    true
  order by cve_id, feed_at desc nulls last, ordinal desc
) as newest
left join epss_scores as stored on stored.cve_id = newest.cve_id
where (stored.score, stored.percentile) is distinct from (newest.score, newest.percentile);

-- server/src/features/advisories/rating/exploits-store.ts mergeEuExploited
insert into eu_exploited_entries as stored (cve_id, euvd_id, date_added)
select distinct on (cve_id) cve_id, euvd_id, date_added
from staged_euvd
order by cve_id, ordinal desc
on conflict (cve_id)
do update
set euvd_id = excluded.euvd_id, date_added = excluded.date_added
where (stored.euvd_id, stored.date_added) is distinct from (excluded.euvd_id, excluded.date_added)
returning cve_id, xmax = 0 as is_new;

-- server/src/features/advisories/rating/exploits-store.ts mergeKev
insert into kev_entries as stored (cve_id, date_added, due_date, details)
select distinct on (cve_id) cve_id, date_added, due_date, details::jsonb
from staged_kev
where feed_at is not distinct from $1::timestamptz
order by cve_id, ordinal desc
on conflict (cve_id)
do update
set date_added = excluded.date_added, due_date = excluded.due_date, details = excluded.details
where (stored.date_added, stored.due_date, stored.details) is distinct from (
  excluded.date_added, excluded.due_date, excluded.details
)
returning xmax = 0 as is_new;

-- server/src/features/advisories/rating/exploits-store.ts replaceEuAliases
delete from vulnerability_aliases as stored
where stored.alias >= 'EUVD-' and stored.alias < 'EUVD.'
  and not exists (
    select
    from eu_exploited_entries as entry
    where entry.cve_id = stored.vulnerability_id and entry.euvd_id = stored.alias
  );

-- server/src/features/advisories/rating/exploits-store.ts replaceEuAliases
insert into vulnerability_aliases (alias, vulnerability_id)
select entry.euvd_id, entry.cve_id
from eu_exploited_entries as entry
join vulnerabilities on vulnerabilities.id = entry.cve_id
where starts_with(entry.euvd_id, 'EUVD-')
order by 1, 2
on conflict
do nothing;

-- server/src/features/advisories/rating/exploits-store.ts tellOfRatings
update vulnerability_sources set score_revision = score_revision + 1 where source = $1;

-- server/src/features/advisories/rating/store.ts findBatch
select max(vulnerability_id) as last, count(*)::int as count
from (
  select vulnerability_id
  from touched
  where vulnerability_id > $1
  order by vulnerability_id
  limit $2
) as batch;

-- server/src/features/advisories/rating/store.ts insertUntouched
insert into vulnerabilities (
  id, name, severity, primary_score, is_disputed, ssvc_class, is_known_exploit, known_exploit_since,
    published_at, modified_at, updated_at
)
select moved.vulnerability_id, coalesce(rated.name, moved.vulnerability_id), case
  when rated.score is null then coalesce(rated.stated, 'Unknown') else case
  when starts_with((rated.score ->> 'version'), '2') then case
  when (rated.score ->> 'baseScore')::numeric < 4 then 'Low'
  when (rated.score ->> 'baseScore')::numeric < 7 then 'Medium' else 'High' end else case
  when (rated.score ->> 'baseScore')::numeric < 0.1 then 'None'
  when (rated.score ->> 'baseScore')::numeric < 4 then 'Low'
  when (rated.score ->> 'baseScore')::numeric < 7 then 'Medium'
  when (rated.score ->> 'baseScore')::numeric < 9 then 'High' else 'Critical' end end end,
  (rated.score ->> 'baseScore')::real, rated.is_disputed, rated.ssvc_class,
  known.cve_id is not null, case when known.cve_id is not null then $1::timestamptz end,
  rated.published_at, rated.modified_at, $2
from moved
cross join lateral (
  select name, primary_score as score, stated_severity as stated, is_disputed, ssvc_class,
    published_at, modified_at
  from advisories
  where advisories.source = moved.source and advisories.id = moved.advisory_id
  offset 0
) as rated
left join kev_entries as known on known.cve_id = moved.vulnerability_id
where (select true from touched where touched.vulnerability_id = moved.vulnerability_id) is null
order by 1;

-- server/src/features/advisories/rating/store.ts rateVulnerabilities: the shortest and the longest of many variants
--   21aaae30 4b636c4c 67de10bc 90f53360 bcd19de5
truncate news;

insert into news (
  id, name, severity, primary_score, is_disputed, ssvc_class, published_at, modified_at
)
select touched.vulnerability_id, coalesce(rated.name, touched.vulnerability_id), case
  when rated.score is null then coalesce(rated.stated, 'Unknown') else case
  when starts_with((rated.score ->> 'version'), '2') then case
  when (rated.score ->> 'baseScore')::numeric < 4 then 'Low'
  when (rated.score ->> 'baseScore')::numeric < 7 then 'Medium' else 'High' end else case
  when (rated.score ->> 'baseScore')::numeric < 0.1 then 'None'
  when (rated.score ->> 'baseScore')::numeric < 4 then 'Low'
  when (rated.score ->> 'baseScore')::numeric < 7 then 'Medium'
  when (rated.score ->> 'baseScore')::numeric < 9 then 'High' else 'Critical' end end end,
  (rated.score ->> 'baseScore')::real, rated.is_disputed, coalesce(rated.ssvc_class, 0),
  rated.published_at, rated.modified_at
from touched
cross join lateral (
  select count(*) as advisories, min(published_at) as published_at, max(modified_at) as modified_at,
    bool_or(is_disputed) as is_disputed,
    (
      array_agg(
        name
        order by array_position('{cvelist,nvd,osv,csaf}'::text[], source),
          not starts_with(id, 'GHSA-'), id
      ) filter (where name is not null)
    )[1] as name,
    (
      array_agg(
        primary_score
        order by primary_score ->> 'version' collate "C" desc, case
          when (primary_score ->> 'source') = 'nvd@nist.gov' then 0
          when starts_with((primary_score ->> 'source'), 'osv:') then 3
          when (primary_score ->> 'source') in ('CISA-ADP', '134c704f-9b21-4f2e-91b3-4a467353bcc0')
          then 2 else 1 end, (primary_score ->> 'baseScore')::numeric desc,
          primary_score ->> 'vectorString' collate "C"
      ) filter (where primary_score is not null)
    )[1] as score,
    (
      array_agg(
        stated_severity
        order by array_position('{cvelist,nvd,osv,csaf}'::text[], source),
          not starts_with(id, 'GHSA-'), id
      ) filter (where stated_severity is not null)
    )[1] as stated,
    (
      array_agg(
        ssvc_class
        order by array_position('{cvelist,nvd,osv,csaf}'::text[], source),
          not starts_with(id, 'GHSA-'), id
      ) filter (where ssvc_class > 0)
    )[1] as ssvc_class
  from (
    select advisory.*, bool_and(withdrawn_at is not null) over () as are_withdrawn
    from advisory_vulnerabilities as link
    cross join lateral (
      select source, id, name, primary_score, stated_severity, is_disputed, ssvc_class,
        published_at, modified_at, withdrawn_at
      from advisories
      where advisories.source = link.source and advisories.id = link.advisory_id
      offset 0
    ) as advisory
    where link.vulnerability_id = touched.vulnerability_id
  ) as known
  where withdrawn_at is null or are_withdrawn
) as rated
where touched.vulnerability_id > $1 and touched.vulnerability_id <= $2 and rated.advisories > 0
order by touched.vulnerability_id;

-- server/src/features/advisories/rating/store.ts refreshVulnerabilities
update vulnerability_sources set score_revision = score_revision + 1 where source = $1;

-- server/src/features/advisories/rating/store.ts refreshVulnerabilities
insert into touched (vulnerability_id)
select vulnerability_id
from moved
where not (
  moved.is_new
    and (select true from vulnerabilities as stored where stored.id = moved.vulnerability_id) is
    null
    and (
      select true
      from advisory_vulnerabilities as other
      where other.vulnerability_id = moved.vulnerability_id
        and (other.source <> moved.source or other.advisory_id <> moved.advisory_id)
      limit 1
    ) is null
)
union select link.vulnerability_id
from (select id from changed where not is_new) as known
cross join lateral (
  select vulnerability_id
  from advisory_vulnerabilities
  where source = $1 and advisory_id = known.id
  offset 0
) as link;

-- server/src/features/advisories/reading/known-texts-store.ts loadKnownTexts
select string_agg(substr(text_hash, 2), ''::bytea order by text_hash) as hashes,
  string_agg(id, ' ' order by text_hash) as ids
from advisories
where source = $1 and get_byte(text_hash, 0) = $2;

-- server/src/features/advisories/reading/known-texts-store.ts noteUnread
insert into unread_advisories (source, id, ordinal, feed_at)
select $1, id, ordinal, feed_at
from unnest($2::text[], $3::bigint[], $4::timestamptz[]) as given (id, ordinal, feed_at);

-- server/src/features/advisories/reading/known-texts-store.ts rememberUnread
insert into read_ids (id)
select id
from (select distinct id from unread_advisories where source = $1) as unread
order by id
on conflict
do nothing;

-- server/src/features/advisories/staging/store.ts StagingSession.#analyze: the shortest and the longest of many variants
--   103a71b5 1d132398 2b185a75 9383d6e5 edb8cb4f
analyze staged_kev (cve_id);

analyze staged_advisories (ordinal, source, id);

-- server/src/features/advisories/staging/store.ts analyzeStaged
analyze staged_advisories (ordinal, source, id);

-- server/src/features/advisories/staging/store.ts areAnyStaged
select from staged_advisories limit 1;

-- server/src/features/advisories/staging/store.ts clearMerged
truncate changed, incoming_affected, changed_affected, range_affected, relinked, reached, bare,
  asserted, grouped, targets, links, moved, wanted_aliases, touched, news, rescored;

-- server/src/features/advisories/staging/store.ts clearStaged
truncate staged_advisories;

-- server/src/features/advisories/staging/store.ts clearStaged
delete from staged_advisories as staged
where not exists (select from deferred where deferred.ordinal = staged.ordinal);

-- server/src/features/advisories/staging/store.ts copy: the shortest and the longest of many variants
--   0725c187 2fac9ac7 4271b2f9 596a7e37 8419de1f 8fa4865b d90d91f9 f845aa02
copy advisory_records (source, advisory_id, record) from stdin;

copy staged_advisories (
  ordinal, source, id, content_hash, text_hash, aliases, cve_ids, linked_ids, name, primary_score,
    stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class,
    record, affected
)
from stdin;

-- server/src/features/advisories/staging/store.ts empty
do
  $$
      declare
        name text;
      begin
        foreach name in array array['staged_advisories', 'staged_kev', 'staged_epss', 'staged_euvd', 'staged_support'] loop
          if pg_relation_size(name::regclass) > 1048576 then execute 'truncate ' || name;
          elsif pg_relation_size(name::regclass) > 0 then execute 'delete from ' || name;
          end if;
        end loop;
      end $$;

-- server/src/features/advisories/staging/store.ts empty
do
  $$
      declare
        name text;
      begin
        foreach name in array array['changed', 'incoming_affected', 'changed_affected', 'range_affected', 'relinked', 'reached', 'bare', 'asserted', 'grouped', 'targets', 'links', 'moved', 'wanted_aliases', 'touched', 'news', 'rescored', 'read_ids', 'changed_keys', 'missing', 'moved_distributions'] loop
          if pg_relation_size(name::regclass) > 1048576 then execute 'truncate ' || name;
          elsif pg_relation_size(name::regclass) > 0 then execute 'delete from ' || name;
          end if;
        end loop;
      end $$;

-- server/src/features/advisories/staging/store.ts openStaging
do
  $$ begin
    set wal_compression = off;
  exception when insufficient_privilege then null;
  end $$;
set statement_timeout = 0;
set idle_in_transaction_session_timeout = 0;
set jit = off;
set work_mem = '64MB';
set temp_buffers = '64MB';
set client_min_messages = warning; create temporary table staged_advisories (
  ordinal bigint, source text collate "C", id text collate "C", content_hash bytea, text_hash bytea,
    aliases text[], cve_ids text[], linked_ids text[], record text, name text, primary_score text,
    stated_severity text, published_at timestamptz(3), modified_at timestamptz(3),
    feed_at timestamptz(3), withdrawn_at timestamptz(3), is_disputed boolean, ssvc_class smallint,
    affected text
) with (toast_tuple_target = 8160); alter table staged_advisories alter record
set storage external, alter affected
set storage external; create index on staged_advisories (ordinal); create temporary table
  unread_advisories (
    source text collate "C", id text collate "C", ordinal bigint, feed_at timestamptz(3)
  ); create index on unread_advisories (id); create temporary table deferred (
    ordinal bigint primary key
  ); create temporary table otherwise_written (id text collate "C" primary key, text_hash bytea);
  create temporary table staged_kev (
    ordinal bigint, cve_id text collate "C", date_added date, due_date date, details text,
      feed_at timestamptz(3)
  ); create temporary table staged_epss (
    ordinal bigint, cve_id text collate "C", score real, percentile real, feed_at timestamptz(3)
  ); create temporary table staged_euvd (
    ordinal bigint, cve_id text collate "C", euvd_id text, date_added date
  ); create temporary table staged_support (
    ordinal bigint, name text collate "C", label text, link text, identifiers jsonb, cycles jsonb,
      gone_at timestamptz(3), feed_at timestamptz(3)
  ); create temporary table read_ids (id text collate "C" primary key); create temporary table
  changed_keys (
    key text collate "C", vulnerability_id text collate "C", primary key (key, vulnerability_id)
  ); create temporary table changed (
    id text collate "C" primary key, ordinal bigint, is_new boolean, is_relinked boolean,
      is_withdrawal boolean, is_repeated boolean
  ); create temporary table missing (id text collate "C" primary key, is_orphan boolean); create
  temporary table incoming_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C",
      statements json
  ); create temporary table changed_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C",
      is_gone boolean
  ); create temporary table range_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C",
      is_gone boolean
  ); create temporary table moved_distributions (stated text, amount integer); create temporary
  table relinked (source text collate "C", id text collate "C", primary key (source, id)); create
  temporary table reached (id text collate "C" primary key, round integer); create temporary table
  bare (
    source text collate "C", id text collate "C", linked_ids text[], round integer,
      primary key (source, id)
  ); create temporary table asserted (
    id text collate "C", cve_id text collate "C", rank integer, is_alias boolean
  ); create temporary table grouped (id text collate "C" primary key, label text collate "C");
  create temporary table targets (
    label text collate "C", vulnerability_id text collate "C", primary key (label, vulnerability_id)
  ); create temporary table links (
    source text collate "C", advisory_id text collate "C", vulnerability_id text collate "C",
      primary key (source, advisory_id, vulnerability_id)
  ); create temporary table moved (
    source text collate "C", advisory_id text collate "C", vulnerability_id text collate "C",
      is_new boolean
  ); create temporary table wanted_aliases (
    alias text collate "C", vulnerability_id text collate "C", primary key (alias, vulnerability_id)
  ); create temporary table touched (vulnerability_id text collate "C" primary key); create
  temporary table news (
    id text collate "C", name text, severity text, primary_score real, is_disputed boolean,
      ssvc_class smallint, published_at timestamptz(3), modified_at timestamptz(3)
  ); create temporary table rescored (vulnerability_id text collate "C" primary key);

-- server/src/features/advisories/store.ts analyzeKnowledge
analyze advisory_affected;

-- server/src/features/advisories/store.ts analyzeKnowledge
analyze advisories, advisory_records, advisory_vulnerabilities;

-- server/src/features/advisories/store.ts analyzeKnowledge
analyze vulnerabilities, vulnerability_aliases, kev_entries, epss_scores;

-- server/src/features/advisories/store.ts findSupportTimes
select (select max(feed_at) from staged_support) as feed_at,
  (select snapshot_at from vulnerability_sources where source = 'endoflife') as snapshot_at;

-- server/src/features/advisories/store.ts findVulnerabilityId
select vulnerability_id as id
from vulnerability_aliases
where alias = any($1::text[])
order by vulnerability_id = alias desc, vulnerability_id
limit 1;

-- server/src/features/advisories/store.ts listVulnerabilityIdsOf
select alias, vulnerability_id as id
from vulnerability_aliases
where alias = any($1::text[])
order by vulnerability_id = alias, vulnerability_id desc;

-- server/src/features/advisories/store.ts markGone
update support_products
set gone_at = $1, changed_at = $2
where gone_at is null
  and not exists (select from staged_support where staged_support.name = support_products.name);

-- server/src/features/advisories/store.ts mergeSupportProducts
insert into support_products as stored (
  name, label, link, identifiers, cycles, first_seen_at, changed_at, gone_at
)
select distinct on (name) name, label, link, identifiers, cycles, $1::timestamptz, $2::timestamptz,
  gone_at
from staged_support
order by name, feed_at desc nulls last, ordinal desc
on conflict (name)
do update
set label = excluded.label, link = excluded.link, identifiers = excluded.identifiers,
  cycles = excluded.cycles, changed_at = excluded.changed_at, gone_at = excluded.gone_at
where (stored.label, stored.link, stored.identifiers, stored.cycles, stored.gone_at) is distinct
  from (excluded.label, excluded.link, excluded.identifiers, excluded.cycles, excluded.gone_at)
returning name, xmax = 0 as is_new;

-- server/src/features/advisories/store.ts pruneKnowledgeChanges
delete from knowledge_changes where revision = $1;

-- server/src/features/advisories/store.ts recordAttempt
insert into vulnerability_sources (source, last_attempt_at)
values ($1, $2)
on conflict (source)
do update
set last_attempt_at = $3;

-- server/src/features/advisories/store.ts recordFailure
update vulnerability_sources set last_error = $1 where source = $2;

-- server/src/features/advisories/store.ts recordPartImported: the shortest and the longest of many variants
--   074a5917 181e98e3 51f802d8 9329409e c412e4f2
update vulnerability_sources as source
set record_count = record_count + $1::int, skipped_count = parts.skipped,
  skipped_reasons = parts.reasons, snapshot_at = greatest(snapshot_at, $2::timestamptz)
from (
  select coalesce(sum(skipped_count), 0) as skipped,
    coalesce(
      (
        select jsonb_object_agg(reason, count)
        from (
          select reason, sum(count::int) as count
          from vulnerability_source_parts as part
          cross join lateral jsonb_each_text(part.skipped_reasons) as entry (reason, count)
          where part.source = $3
          group by reason
          order by reason
        ) as reasons
      ), '{}'
    ) as reasons
  from vulnerability_source_parts
  where vulnerability_source_parts.source = $4
) as parts
where source.source = $5;

update vulnerability_sources as source
set record_count = (select count(*) from support_products where gone_at is null),
  skipped_count = parts.skipped, skipped_reasons = parts.reasons,
  snapshot_at = greatest(snapshot_at, $1::timestamptz)
from (
  select coalesce(sum(skipped_count), 0) as skipped,
    coalesce(
      (
        select jsonb_object_agg(reason, count)
        from (
          select reason, sum(count::int) as count
          from vulnerability_source_parts as part
          cross join lateral jsonb_each_text(part.skipped_reasons) as entry (reason, count)
          where part.source = $2
          group by reason
          order by reason
        ) as reasons
      ), '{}'
    ) as reasons
  from vulnerability_source_parts
  where vulnerability_source_parts.source = $3
) as parts
where source.source = $4;

-- server/src/features/advisories/store.ts recordSuccess: the shortest and the longest of many variants
--   162d0c03 24edcbae 4844f79e 4b51f648 db17669e
update vulnerability_sources
set last_success_at = greatest(last_success_at, $1::timestamptz), last_error = $2,
  skipped_count = $3, skipped_reasons = $4, notice = $5,
  snapshot_at = greatest(snapshot_at, $6::timestamptz), record_count = record_count + $7::int
where source = $8;

update vulnerability_sources
set last_success_at = greatest(last_success_at, $1::timestamptz), last_error = $2,
  skipped_count = $3, skipped_reasons = $4, notice = $5,
  snapshot_at = greatest(snapshot_at, $6::timestamptz),
  record_count = (select count(*) from support_products where gone_at is null)
where source = $7;

-- server/src/features/advisories/store.ts writeCycles
delete from support_cycles where product = any($1::text[]);

-- server/src/features/advisories/store.ts writeCycles
insert into support_cycles (
  product, cycle, codename, released_on, is_lts, ends_on, has_ended, active_ends_on,
    extended_ends_on, latest, link, fault
)
select product.name, stated.name, stated.codename, stated."releasedOn", stated."isLts",
  stated."endsOn", stated."hasEnded", stated."activeEndsOn", stated."extendedEndsOn", stated.latest,
  stated.link, stated.fault
from support_products as product
cross join lateral jsonb_to_recordset(product.cycles) as stated (
  name text, codename text, "releasedOn" date, "isLts" boolean, "endsOn" date, "hasEnded" boolean,
    "activeEndsOn" date, "extendedEndsOn" date, latest text, link text, fault text
)
where product.name = any($1::text[]);
