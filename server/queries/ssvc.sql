-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/ssvc/conditions-store.ts listContexts
select distinct ssvc_contexts::text as contexts from workspace_versions where workspace_id = $1;

-- server/src/features/ssvc/conditions-store.ts readContextsOfVersions
select asked.id, coalesce(numbered.ssvc_contexts, -1)::text as contexts
from unnest($1::uuid[]) as asked (id) left join workspace_versions as numbered on numbered.workspace_id
  = $2 and numbered.firmware_version_id = asked.id;

-- server/src/features/ssvc/conditions-store.ts readRatedClass
select vulnerability.ssvc_class,
  (
    vulnerability.is_known_exploit
      or match.vulnerability_id in (select cve_id from eu_exploited_entries)
  ) as is_listed
from vulnerabilities as vulnerability
cross join lateral (select vulnerability.id as vulnerability_id) as match
where vulnerability.id = $1;

-- server/src/features/ssvc/contexts-store.ts areContextsOld
select ssvc_inputs <> coalesce(
  (
    select inputs_revision from ssvc_settings where workspace_id = $1 order by revision desc limit 1
  ), 0
) as are_old
from workspace_kept_locks
where workspace_id = $2;

-- server/src/features/ssvc/contexts-store.ts countClasses
select (pair.ssvc_class + 36 * pair.is_exploited::int) as rated_class,
  owned.contexts::text as contexts, owned.other_contexts::text as other_contexts,
  count(*)::int as count
from workspace_matches as match
join workspace_component_vulnerabilities as pair on pair.workspace_id = $1
  and pair.component_name = match.component_name and pair.vulnerability_id = match.vulnerability_id
join unnest($2::uuid[], $3::bigint[], $4::bigint[]) as owned (package_id, contexts, other_contexts)
  on owned.package_id = match.package_id
where match.workspace_id = $5
group by 1, 2, 3;

-- server/src/features/ssvc/contexts-store.ts listMisplaced
select package_id, ssvc_contexts::text as contexts
from workspace_packages
where workspace_id = $1 and version_count > 0;

-- server/src/features/ssvc/contexts-store.ts writeContexts
update workspace_packages as owned
set ssvc_contexts = now.contexts
from unnest($1::uuid[], $2::bigint[]) as now (id, contexts)
where owned.workspace_id = $3 and owned.package_id = now.id and owned.ssvc_contexts <> now.contexts;

-- server/src/features/ssvc/contexts-store.ts writeContexts
update workspace_versions as numbered
set ssvc_contexts = now.contexts
from unnest($1::uuid[], $2::bigint[]) as now (id, contexts)
where numbered.workspace_id = $3 and numbered.firmware_version_id = now.id
  and numbered.ssvc_contexts <> now.contexts;

-- server/src/features/ssvc/store.ts findSettings
select revision, inputs_revision, tree, many_devices, gate_from, changed_at, products as products,
  exposures as exposures, target_days as target_days
from ssvc_settings
where workspace_id = $1
order by revision desc
limit $2;

-- server/src/features/ssvc/store.ts findStated
select id
from firmwares
where workspace_id = $1 and id = any($2::uuid[])
union all select id
from deployment_cohorts
where workspace_id = $3 and id = any($4::uuid[]);

-- server/src/features/ssvc/store.ts findTree
select number, added_at, added_by, tables as tables
from ssvc_trees
where workspace_id = $1 and number = $2
order by number;

-- server/src/features/ssvc/store.ts insertSettings
insert into ssvc_settings (
  workspace_id, tree, many_devices, gate_from, revision, inputs_revision, products, exposures,
    target_days, changed_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- server/src/features/ssvc/store.ts insertTree
insert into ssvc_trees (workspace_id, number, added_at, added_by, tables)
values ($1, $2, $3, $4, $5);

-- server/src/features/ssvc/store.ts listFleetVersions
select numbered.firmware_version_id, version.firmware_id, numbered.number,
  coalesce(running.devices, 0)::int as devices
from workspace_versions as numbered
join firmware_versions as version on version.workspace_id = $1
  and version.id = numbered.firmware_version_id
left join (
  select held.id, sum(counts.devices) as devices
  from firmware_set_device_counts as counts
  cross join unnest(counts.firmware_version_ids) as held (id)
  where counts.workspace_id = $2
  group by held.id
) as running on running.id = numbered.firmware_version_id
where numbered.workspace_id = $3;

-- server/src/features/ssvc/store.ts listTrees
select number, added_at, added_by, tables as tables
from ssvc_trees
where workspace_id = $1
order by number;

-- server/src/features/ssvc/store.ts listVersionCohorts
select running.firmware_version_id, array_agg(distinct device.cohort_id) as cohort_ids
from device_firmwares as running
join devices as device on device.workspace_id = $1 and device.id = running.device_id
where running.workspace_id = $2 and running.firmware_version_id is not null
group by running.firmware_version_id;

-- server/src/features/ssvc/store.ts lockSettings
select pg_advisory_xact_lock(hashtext('ssvc'), hashtext($1));
