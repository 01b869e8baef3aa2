-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/watches/store.ts claimWatches
update vulnerability_watches as watch
set looked_at = $1
from people as person
where watch.workspace_id = $2 and watch.person_id = $3 and watch.looked_at <= $4
  and person.id = watch.person_id
returning watch.vulnerability_id, person.email, watch.known;

-- server/src/features/watches/store.ts deleteWatch
delete from vulnerability_watches as watch
where watch.workspace_id = $1 and watch.person_id = $2::uuid
  and (
    watch.vulnerability_id = $3
      or watch.vulnerability_id in (
        select alias from vulnerability_aliases where vulnerability_id = $4
      )
  );

-- server/src/features/watches/store.ts insertWatch
insert into vulnerability_watches (
  workspace_id, person_id, vulnerability_id, watched_at, looked_at, known
)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/watches/store.ts listDueWatchers
select workspace_id, person_id
from vulnerability_watches
where looked_at <= $1
group by workspace_id, person_id
order by min(looked_at)
limit $2;

-- server/src/features/watches/store.ts listWatches
select coalesce(alias.vulnerability_id, watch.vulnerability_id) as cve_id, watch.watched_at,
  watch.told_at
from vulnerability_watches as watch
left join vulnerability_aliases as alias on alias.alias = watch.vulnerability_id
where watch.workspace_id = $1 and watch.person_id = $2::uuid
order by watch.watched_at desc, cve_id;

-- server/src/features/watches/store.ts lockWatches
select from members where workspace_id = $1 and subject_id = $2::uuid for update;

-- server/src/features/watches/store.ts readWatch
select count(distinct watch.person_id)::int as watcher_count,
  min(watch.watched_at) filter (where watch.person_id = $1::uuid) as watched_at,
  max(watch.told_at) filter (where watch.person_id = $2::uuid) as told_at
from vulnerability_watches as watch
where watch.workspace_id = $3
  and (
    watch.vulnerability_id = $4
      or watch.vulnerability_id in (
        select alias from vulnerability_aliases where vulnerability_id = $5
      )
  );

-- server/src/features/watches/store.ts recordTold
update vulnerability_watches as watch
set known = told.known, told_at = coalesce($1::timestamptz, watch.told_at)
from json_to_recordset($2::json) as told (id text, known jsonb)
where watch.workspace_id = $3 and watch.person_id = $4 and watch.vulnerability_id = told.id;
