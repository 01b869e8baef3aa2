-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/cases/drafts/store.ts findEuvdId
select euvd_id as id
from eu_exploited_entries
where cve_id = $1 and euvd_id is not null
union all select alias
from vulnerability_aliases
where vulnerability_id = $2 and alias like 'EUVD-%'
limit 1;

-- server/src/features/cases/drafts/store.ts listDecisions
select held.firmware_name || ' ' || held.version_name as version, decision.assessment,
  decision.detail
from case_versions as held
join finding_decisions as decision on decision.workspace_id = $1
  and decision.firmware_version_id = held.firmware_version_id
  and decision.package_id = held.package_id and decision.vulnerability_id = $2
  and decision.assessment <> 'NotAssessed'
where held.workspace_id = $3 and held.case_id = $4
order by decision.updated_at desc, held.firmware_version_id, held.package_id
limit $5;

-- server/src/features/cases/drafts/store.ts listDeviceCountries
select upper(device.attributes ->> 'country') as country,
  count(distinct device.id)::int as device_count
from device_firmwares as running
join devices as device on device.workspace_id = $1 and device.id = running.device_id
where running.workspace_id = $2
  and running.firmware_version_id in (
    select firmware_version_id from case_versions where workspace_id = $3 and case_id = $4
  ) and device.attributes ? 'country'
group by 1
order by 2 desc, 1
limit $5;

-- server/src/features/cases/drafts/store.ts listOrderedVersions
select named.firmware_version_id as id, min(named.firmware_name) as firmware, null as line_id,
  min(named.version_name) as version, true as is_affected
from case_versions as named
where named.workspace_id = $1 and named.case_id = $2
  and not exists (
    select
    from firmware_versions as version
    where version.workspace_id = $3 and version.id = named.firmware_version_id
  )
group by named.firmware_version_id
order by firmware, version;

-- server/src/features/cases/drafts/store.ts listOrderedVersions
with named as materialized (
  select firmware_version_id, package_id, firmware_id, firmware_name, version_name, added_at
  from case_versions
  where workspace_id = $1 and case_id = $2
), concerned as materialized (select distinct firmware_id from named),
  pairs as (
    select firmware_version_id, package_id
    from named
    union select fact.firmware_version_id, fact.package_id
    from package_matches as match
    join firmware_version_packages as fact on fact.workspace_id = $3
      and fact.package_id = match.package_id and fact.until is null
    join firmware_versions as version on version.workspace_id = $4
      and version.id = fact.firmware_version_id
      and version.firmware_id in (select firmware_id from concerned) left join finding_decisions as
      decision on decision.workspace_id = $5
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where match.vulnerability_id = $6 and match.until is null
      and (match.confidence <> 'Low' or decision.assessment = any($7::text[]))
  ),
  held as (
    select pairs.firmware_version_id as id,
      not bool_and(coalesce(decision.assessment = any($8::text[]), false)) as is_affected
    from pairs
    left join finding_decisions as decision on decision.workspace_id = $9
      and decision.firmware_version_id = pairs.firmware_version_id
      and decision.package_id = pairs.package_id and decision.vulnerability_id = $10
    group by pairs.firmware_version_id
  )
select version.id, firmware.name as firmware, version.line_id, version.name as version,
  coalesce(held.is_affected, false) as is_affected
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $11 and firmware.id = version.firmware_id
left join held on held.id = version.id
where version.workspace_id = $12 and version.firmware_id in (select firmware_id from concerned)
order by firmware.name, version.created_at, version.id;

-- server/src/features/cases/proposals-store.ts listAdoptedCases
select held.workspace_id, held.id as case_id, min(line.manufacturer) as manufacturer
from cases as held
join case_versions as version on version.workspace_id = $1 and version.case_id = held.id
join product_line_firmwares as part on part.workspace_id = $2
  and part.firmware_id = version.firmware_id
join product_lines as line on line.workspace_id = $3 and line.id = part.product_line_id
where held.workspace_id = $4 and held.manufacturer = ''
group by held.workspace_id, held.id
having count(distinct lower(line.manufacturer)) = 1
  and not bool_or(
    exists (
      select
      from cases as other
      where other.workspace_id = $5 and other.vulnerability_id = held.vulnerability_id
        and not other.is_drill and not held.is_drill
        and lower(other.manufacturer) = lower(line.manufacturer)
    )
  );

-- server/src/features/cases/proposals-store.ts listMissingLines
select distinct held.workspace_id, held.id as case_id, line.id as line_id, line.name as line_name
from cases as held
join case_versions as version on version.workspace_id = $1 and version.case_id = held.id
join product_line_firmwares as part on part.workspace_id = $2
  and part.firmware_id = version.firmware_id
join product_lines as line on line.workspace_id = $3 and line.id = part.product_line_id
  and lower(line.manufacturer) = lower(held.manufacturer)
where held.workspace_id = $4
  and not exists (
    select
    from case_lines as known
    where known.workspace_id = $5 and known.case_id = held.id and known.product_line_id = line.id
  )
  and not exists (
    select
    from case_facts as removal
    where removal.workspace_id = $6 and removal.case_id = held.id and removal.kind = 'LinesRemoved'
      and removal.detail ->> 'lineId' = line.id::text
  );

-- server/src/features/cases/proposals-store.ts listProposedVersions
with listed as (
  select coalesce(alias.vulnerability_id, entry.cve_id) as vulnerability_id,
    min(entry.date_added)::text as listed_on, array_agg(distinct entry.source) as sources
  from (
    select cve_id, date_added, 'CISA' as source
    from kev_entries
    union all select cve_id, date_added, 'ENISA'
    from eu_exploited_entries
  ) as entry
  left join vulnerability_aliases as alias on alias.alias = entry.cve_id
  group by 1
)
select fact.workspace_id, match.vulnerability_id, listed.listed_on, listed.sources,
  fact.firmware_version_id, fact.package_id, version.firmware_id, firmware.name as firmware_name,
  version.name as version_name, fact.component_name, fact.component_version, line.id as line_id,
  line.name as line_name, coalesce(line.manufacturer, '') as manufacturer
from listed
join package_matches as match on match.vulnerability_id = listed.vulnerability_id
  and match.until is null
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
join firmware_versions as version on version.workspace_id = $2
  and version.id = fact.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = version.firmware_id
left join product_line_firmwares as part on part.workspace_id = $4
  and part.firmware_id = firmware.id
left join product_lines as line on line.workspace_id = $5 and line.id = part.product_line_id
left join finding_decisions as decision on decision.workspace_id = $6
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where (match.confidence <> 'Low' or decision.assessment = any($7::text[]))
  and (
    exists (
      select
      from deployment_artifacts as deployed
      where deployed.workspace_id = $8 and deployed.firmware_version_id = fact.firmware_version_id
    )
      or exists (
        select
        from firmware_version_device_counts as counted
        where counted.workspace_id = $9 and counted.firmware_version_id = fact.firmware_version_id
          and counted.devices > 0
      )
  )
  and not exists (
    select
    from case_versions as known
    join cases as held on held.workspace_id = $10 and held.id = known.case_id
    left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
    where known.workspace_id = $11 and known.firmware_version_id = fact.firmware_version_id
      and known.package_id = fact.package_id and not held.is_drill
      and coalesce(alias.vulnerability_id, held.vulnerability_id) = match.vulnerability_id
  )
order by match.vulnerability_id, firmware.name, version.name, fact.package_id
limit $12;

-- server/src/features/cases/proposals-store.ts listVersionsWithFinding
select fact.firmware_version_id, fact.package_id, version.firmware_id,
  firmware.name as firmware_name, version.name as version_name, fact.component_name,
  fact.component_version
from package_matches as match
join firmware_version_packages as fact on fact.package_id = match.package_id and fact.until is null
join firmware_versions as version on version.workspace_id = fact.workspace_id
  and version.id = fact.firmware_version_id
join firmwares as firmware on firmware.workspace_id = fact.workspace_id
  and firmware.id = version.firmware_id
where fact.workspace_id = $1 and match.until is null and match.confidence <> 'Low'
  and match.vulnerability_id in (
    $2, (select vulnerability_id from vulnerability_aliases where alias = $3)
  )
  and (
    cardinality($4::uuid[]) = 0
      or exists (
        select
        from product_line_firmwares as part
        where part.workspace_id = $5 and part.firmware_id = firmware.id
          and part.product_line_id = any($6::uuid[])
      )
  )
limit 5000;

-- server/src/features/cases/proposals-store.ts listWorkspacesToSweep
with listed as (
  select distinct coalesce(alias.vulnerability_id, entry.cve_id) as vulnerability_id
  from (select cve_id from kev_entries union select cve_id from eu_exploited_entries) as entry
  left join vulnerability_aliases as alias on alias.alias = entry.cve_id
),
  exploited as materialized (
    select match.package_id, match.vulnerability_id, match.confidence
    from listed
    join package_matches as match on match.vulnerability_id = listed.vulnerability_id
      and match.until is null
  ),
  held as materialized (
    select fact.workspace_id, fact.firmware_version_id, fact.package_id
    from (select distinct package_id from exploited) as package
    join firmware_version_packages as fact on fact.package_id = package.package_id
      and fact.until is null
    where exists (
      select
      from deployment_artifacts as deployed
      where deployed.workspace_id = fact.workspace_id
        and deployed.firmware_version_id = fact.firmware_version_id
    )
      or exists (
        select
        from firmware_version_device_counts as counted
        where counted.workspace_id = fact.workspace_id
          and counted.firmware_version_id = fact.firmware_version_id and counted.devices > 0
      )
  ),
  known as materialized (
    select version.workspace_id, version.firmware_version_id, version.package_id,
      coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id
    from cases as held
    join case_versions as version on version.workspace_id = held.workspace_id
      and version.case_id = held.id
    left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
    where not held.is_drill and held.vulnerability_id is not null
  )
select workspace_id, bool_or(proposes) as proposes, bool_or(has_cases) as has_cases
from (
  select held.workspace_id, true as proposes, false as has_cases
  from held
  join exploited on exploited.package_id = held.package_id
  left join finding_decisions as decision on decision.workspace_id = held.workspace_id
    and decision.firmware_version_id = held.firmware_version_id
    and decision.package_id = held.package_id
    and decision.vulnerability_id = exploited.vulnerability_id
  left join known on known.workspace_id = held.workspace_id
    and known.firmware_version_id = held.firmware_version_id and known.package_id = held.package_id
    and known.vulnerability_id = exploited.vulnerability_id
  where known.workspace_id is null
    and (exploited.confidence <> 'Low' or decision.assessment = any($1::text[]))
  union all select distinct workspace_id, false, true
  from cases
) as swept
group by workspace_id
order by workspace_id;

-- server/src/features/cases/store.ts addLines
insert into case_lines (workspace_id, case_id, product_line_id)
select $1, $2, id
from unnest($3::uuid[]) as given (id)
on conflict
do nothing;

-- server/src/features/cases/store.ts addVersions
insert into case_versions (
  workspace_id, case_id, firmware_version_id, package_id, firmware_id, firmware_name, version_name,
    component_name, component_version, added_at
)
select $1, $2, firmware_version_id, package_id, firmware_id, firmware_name, version_name,
  component_name, component_version, $3
from json_to_recordset($4::json) as given (
  firmware_version_id uuid, package_id uuid, firmware_id uuid, firmware_name text,
    version_name text, component_name text, component_version text
)
on conflict
do nothing;

-- server/src/features/cases/store.ts countDevices
select coalesce(sum(sets.devices), 0)::int as count
from firmware_set_device_counts as sets
where sets.workspace_id = $1 and sets.firmware_version_ids && $2::uuid[];

-- server/src/features/cases/store.ts findCaseOf
select held.id, held.title
from cases as held
where held.workspace_id = $1 and not held.is_drill and lower(held.manufacturer) = lower($2)
  and (
    held.vulnerability_id = $3
      or held.vulnerability_id in (
        select alias
        from vulnerability_aliases
        where vulnerability_id = (
          select vulnerability_id from vulnerability_aliases where alias = $4
        )
      )
  )
order by held.created_at
limit 1;

-- server/src/features/cases/store.ts insertCase
insert into cases (
  workspace_id, id, type, title, manufacturer, is_drill, listed_on, created_at, created_by_email,
    origin, vulnerability_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/cases/store.ts insertCase
insert into cases (
  workspace_id, id, type, title, vulnerability_id, manufacturer, is_drill, origin, listed_on,
    created_at, created_by_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/cases/store.ts insertFact
insert into case_facts (
  workspace_id, id, case_id, kind, recorded_at, by_type, by_id, by_email, instant, is_estimate,
    text, detail, corrects_id
)
select $1::uuid, $2::uuid, $3::uuid, $4::text,
  greatest($5::timestamptz, max(known.recorded_at) + interval '1 millisecond'), $6::text, $7::text,
  $8::text, $9::timestamptz, $10::boolean, $11::text, $12::jsonb, $13::uuid
from case_facts as known
where known.workspace_id = $14 and known.case_id = $15;

-- server/src/features/cases/store.ts listCases
select held.id, held.type, held.title,
  coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id, held.manufacturer,
  held.is_drill, held.origin, held.listed_on::text as listed_on, held.created_at,
  held.created_by_email,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', line.id, 'name', line.name, 'manufacturer', line.manufacturer, 'role', line.role,
            'timeZone', line.time_zone, 'memberStates', line.member_states, 'coordinatorState',
            line.coordinator_state
        )
        order by lower(line.name), line.id
      )
      from case_lines as part
      join product_lines as line on line.workspace_id = part.workspace_id
        and line.id = part.product_line_id
      where part.workspace_id = $1 and part.case_id = held.id
    ), '[]'
  ) as lines
from cases as held
left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
where held.workspace_id = $2 and true
order by held.created_at desc, held.id desc
limit $3;

-- server/src/features/cases/store.ts listCases
select held.id, held.type, held.title,
  coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id, held.manufacturer,
  held.is_drill, held.origin, held.listed_on::text as listed_on, held.created_at,
  held.created_by_email,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', line.id, 'name', line.name, 'manufacturer', line.manufacturer, 'role', line.role,
            'timeZone', line.time_zone, 'memberStates', line.member_states, 'coordinatorState',
            line.coordinator_state
        )
        order by lower(line.name), line.id
      )
      from case_lines as part
      join product_lines as line on line.workspace_id = part.workspace_id
        and line.id = part.product_line_id
      where part.workspace_id = $1 and part.case_id = held.id
    ), '[]'
  ) as lines
from cases as held
left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
where held.workspace_id = $2 and held.id = $3
order by held.created_at desc, held.id desc
limit $4;

-- server/src/features/cases/store.ts listFacts
select case_id, id, kind, recorded_at, by_type, by_id, by_email, instant, is_estimate, text as text,
  detail as detail, corrects_id
from case_facts
where workspace_id = $1 and case_id = any($2::uuid[]) and ($3 or kind <> 'Field')
order by recorded_at, id;

-- server/src/features/cases/store.ts listFacts
select case_id, id, kind, recorded_at, by_type, by_id, by_email, instant, is_estimate, case
  when kind <> 'Report' then text end as text, detail - 'fields' as detail, corrects_id
from case_facts
where workspace_id = $1 and case_id = any($2::uuid[]) and ($3 or kind <> 'Field')
order by recorded_at, id;

-- server/src/features/cases/store.ts listVersions
select held.firmware_version_id, min(held.firmware_name) as firmware,
  min(held.version_name) as version,
  coalesce(
    json_agg(
      json_build_object(
        'name', held.component_name, 'version', held.component_version, 'assessment',
          decision.assessment
      )
      order by held.component_name, held.package_id
    ) filter (where held.component_name <> ''), '[]'
  ) as components, case
  when present.id is not null then (
    select coalesce(sum(counted.devices), 0)::int
    from firmware_version_device_counts as counted
    where counted.workspace_id = $1 and counted.firmware_version_id = held.firmware_version_id
  ) end as device_count,
  exists (
    select
    from deployment_artifacts as deployed
    where deployed.workspace_id = $2 and deployed.firmware_version_id = held.firmware_version_id
  ) as is_deployed, min(held.added_at) as added_at
from case_versions as held
left join firmware_versions as present on present.workspace_id = held.workspace_id
  and present.id = held.firmware_version_id
left join finding_decisions as decision on decision.workspace_id = held.workspace_id
  and decision.firmware_version_id = held.firmware_version_id
  and decision.package_id = held.package_id and decision.vulnerability_id = $3
where held.workspace_id = $4 and held.case_id = $5
group by held.firmware_version_id, present.id
order by firmware, version, held.firmware_version_id;

-- server/src/features/cases/store.ts lockCase
select id from cases where workspace_id = $1 and id = $2 for update;

-- server/src/features/cases/store.ts lockCases
select pg_advisory_xact_lock(hashtextextended('cases:' || $1, 0));

-- server/src/features/cases/store.ts removeLine
delete from case_lines where workspace_id = $1 and case_id = $2 and product_line_id = $3;

-- server/src/features/cases/store.ts updateManufacturer
update cases set manufacturer = $1 where workspace_id = $2 and id = $3;

-- server/src/features/cases/versions-store.ts listFixDeployments
select deployment.name, cohort.name as cohort, firmware.name as firmware, version.name as version,
  coalesce(deployment.starts_at, deployment.created_at) as started_at, deployment.ended_at,
  deployment.state, deployment.succeeded, deployment.failed,
  deployment.pending + deployment.in_progress + deployment.succeeded + deployment.failed +
  deployment.cancelled as total
from deployments as deployment
join deployment_cohorts as cohort on cohort.workspace_id = $1 and cohort.id = deployment.cohort_id
join deployment_artifacts as artifact on artifact.workspace_id = deployment.workspace_id
  and artifact.deployment_id = deployment.id
join firmware_versions as version on version.workspace_id = artifact.workspace_id
  and version.id = artifact.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where deployment.workspace_id = $2
  and version.firmware_id in (
    select firmware_id from case_versions where workspace_id = $3 and case_id = $4
  )
  and version.id not in (
    select firmware_version_id from case_versions where workspace_id = $5 and case_id = $6
  )
  and exists (
    select
    from firmware_version_packages as held
    where held.workspace_id = $7 and held.firmware_version_id = version.id and held.until is null
  )
  and not exists (
    select
    from firmware_version_packages as held
    join package_matches as match on match.package_id = held.package_id and match.until is null
    where held.workspace_id = $8 and held.firmware_version_id = version.id and held.until is null
      and match.vulnerability_id = $9
  )
  and version.created_at > (
    select min(affected.created_at)
    from firmware_versions as affected
    join case_versions as named on named.workspace_id = affected.workspace_id
      and named.firmware_version_id = affected.id
    where affected.workspace_id = $10 and named.case_id = $11
      and affected.firmware_id = version.firmware_id
  )
order by started_at, version.id
limit $12;

-- server/src/features/cases/versions-store.ts listNamedVersions
select version.id as firmware_version_id, $1::uuid as package_id, version.firmware_id,
  firmware.name as firmware_name, version.name as version_name, '' as component_name,
  null as component_version,
  exists (
    select
    from case_versions as known
    where known.workspace_id = $2 and known.case_id = $3 and known.firmware_version_id = version.id
  ) as is_known
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $4 and firmware.id = version.firmware_id
where version.workspace_id = $5 and version.id = any($6::uuid[])
order by firmware.name, version.created_at, version.id;
