-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/reports/checks-store.ts findImpossibleDays
select day::text, count(*)::int as rows
from firmware_set_daily_devices
where workspace_id = $1
  and (
    day > (now() at time zone 'UTC')::date + 1 or devices <= 0
      or (exploited and worst in ('Clean', 'NotJudged'))
  )
group by day
order by day;

-- server/src/features/reports/checks-store.ts findImpossibleDays
select exists (
  select
  from firmware_version_counters
  where workspace_id = $1 and evaluated_at < now() - interval '2 days'
)
  and not exists (
    select
    from firmware_version_daily_counters
    where workspace_id = $2 and day >= (now() at time zone 'UTC')::date - 1
  ) as is_missing;

-- server/src/features/reports/checks-store.ts findImpossibleDays
select exists (
  select
  from device_firmwares
  where workspace_id = $1 and firmware_version_id is not null and since < now() - interval '2 hours'
)
  and not exists (
    select
    from firmware_set_daily_devices
    where workspace_id = $2 and day >= (now() at time zone 'UTC')::date - 1
  ) as is_missing;

-- server/src/features/reports/checks-store.ts findImpossibleDays
select day::text, count(*)::int as rows
from firmware_version_daily_counters
where workspace_id = $1
  and (
    day > (now() at time zone 'UTC')::date + 1
      or least(critical, high, medium, low, none, unknown, exploited) < 0
      or exploited > critical + high + medium + low + none + unknown
  )
group by day
order by day;

-- server/src/features/reports/diff/store.ts findPredecessorId
select coalesce(
  version.predecessor_id,
    (
      select earlier.id
      from firmware_versions as earlier
      where earlier.workspace_id = $1 and earlier.firmware_id = version.firmware_id
        and (earlier.created_at, earlier.id) < (version.created_at, version.id)
        and exists (
          select
          from sboms
          where sboms.workspace_id = $2 and sboms.firmware_version_id = earlier.id
            and sboms.parsing_state = 'Succeeded'
        ) and earlier.line_id is not distinct from version.line_id
      order by earlier.created_at desc, earlier.id desc
      limit 1
    ),
    (
      select earlier.id
      from firmware_versions as earlier
      where earlier.workspace_id = $3 and earlier.firmware_id = version.firmware_id
        and (earlier.created_at, earlier.id) < (version.created_at, version.id)
        and exists (
          select
          from sboms
          where sboms.workspace_id = $4 and sboms.firmware_version_id = earlier.id
            and sboms.parsing_state = 'Succeeded'
        )
      order by earlier.created_at desc, earlier.id desc
      limit 1
    )
) as id
from firmware_versions as version
where version.workspace_id = $5 and version.id = $6;

-- server/src/features/reports/diff/store.ts listComponents
select fact.package_id, fact.component_name as name,
  coalesce(fact.component_version, package.identity #>> '{pairs,0,version}') as version,
  fact.component_vendor as vendor, fact.component_purl as purl,
  array(
    select distinct pair ->> 'key'
    from jsonb_array_elements(package.identity -> 'pairs') as pair
    order by 1
  ) as keys
from firmware_version_packages as fact
join packages as package on package.id = fact.package_id
where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
union all select null::uuid, component.package_name, component.version, component.vendor,
  min(component.purl),
  array['declared:' || coalesce(component.vendor, '') || '/' || component.package_name]
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $3 and sbom.firmware_version_id = $4 and sbom.parsing_state = 'Succeeded'
  and component.package_id is null
group by component.package_name, component.version, component.vendor;

-- server/src/features/reports/diff/store.ts listHeldFindings
select fact.package_id, match.vulnerability_id, vulnerability.name, fact.component_name,
  coalesce(fact.component_version, package.identity #>> '{pairs,0,version}') as component_version,
  match.severity, match.score as cvss_score, vulnerability.is_known_exploit, match.confidence,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id
join packages as package on package.id = fact.package_id
join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
  and match.until is null;

-- server/src/features/reports/exposure/store.ts findFirstDay
select min(day)::text as day from firmware_set_daily_devices where workspace_id = $1;

-- server/src/features/reports/exposure/store.ts listAffectedDays
with found as materialized (
  select fact.firmware_version_id, greatest(fact.since, match.since) at time zone 'UTC' as since,
    least(
      coalesce(fact.until, 'infinity'), coalesce(match.until, 'infinity'), case
        when (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') not in (
              'NotAffected', 'FalsePositive', 'Resolved'
            )
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
            )
        ) then 'infinity' else decision.updated_at end
    ) at time zone 'UTC' as until
  from vulnerability_aliases as alias
  join package_matches as match on match.vulnerability_id = alias.vulnerability_id
  join firmware_version_packages as fact on fact.workspace_id = $1
    and fact.package_id = match.package_id
  left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where alias.alias = $2
    and (
      (
        not coalesce(decision.ignored, false)
          and coalesce(decision.assessment, 'NotAssessed') not in (
            'NotAffected', 'FalsePositive', 'Resolved'
          )
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
          )
      ) or decision.ignored or decision.assessment = any($3::text[])
    )
),
  affected as (
    select distinct each.day, each.firmware_version_ids, each.devices
    from (
      select day, firmware_version_ids, devices, worst, exploited
      from firmware_set_daily_devices
      where workspace_id = $4 and day >= ($5::timestamptz at time zone 'UTC')::date
        and day < ($6::timestamptz at time zone 'UTC')::date
      union all select ($7::timestamptz at time zone 'UTC')::date, present.*
      from (
        select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
        from (
          with known as materialized (
            select firmware_version_ids, devices
            from firmware_set_device_counts
            where workspace_id = $8 and devices > 0
          ),
            unknown as (
              select (select count(*) from devices where workspace_id = $9)::int - (
                select coalesce(sum(devices), 0) from known
              )::int as devices
            )
          select firmware_version_ids, devices
          from known
          union all select '{}'::uuid[], devices
          from unknown
          where devices > 0
        ) as sets
        cross join lateral (
          select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
            when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
            when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
            when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
            when coalesce(min(counters.judged_components), 0) = 0
            or max(counters.silent_components) > 0
            or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
            else 'Clean' end as worst
          from unnest(sets.firmware_version_ids) as running (id)
          join firmware_version_counters as counters on counters.workspace_id = $10
            and counters.firmware_version_id = running.id
        ) as risk
      ) as present
    ) as each
    cross join unnest(each.firmware_version_ids) as running (id)
    join found on found.firmware_version_id = running.id and found.since < each.day + 1
      and found.until >= least(each.day + 1, $11::timestamptz at time zone 'UTC')
    where true
  )
select day::text, sum(devices)::int as affected
from affected
group by day;

-- server/src/features/reports/exposure/store.ts listDailyRisks
select each.day::text, each.worst,
  coalesce(sum(each.devices) filter (where true), 0)::int as devices,
  coalesce(sum(each.devices) filter (where each.exploited and true), 0)::int as exploited
from (
  select day, firmware_version_ids, devices, worst, exploited
  from firmware_set_daily_devices
  where workspace_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
    and day < ($3::timestamptz at time zone 'UTC')::date
  union all select ($4::timestamptz at time zone 'UTC')::date, present.*
  from (
    select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
    from (
      with known as materialized (
        select firmware_version_ids, devices
        from firmware_set_device_counts
        where workspace_id = $5 and devices > 0
      ),
        unknown as (
          select (select count(*) from devices where workspace_id = $6)::int - (
            select coalesce(sum(devices), 0) from known
          )::int as devices
        )
      select firmware_version_ids, devices
      from known
      union all select '{}'::uuid[], devices
      from unknown
      where devices > 0
    ) as sets
    cross join lateral (
      select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
        when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
        when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
        when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
        when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
        or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
        else 'Clean' end as worst
      from unnest(sets.firmware_version_ids) as running (id)
      join firmware_version_counters as counters on counters.workspace_id = $7
        and counters.firmware_version_id = running.id
    ) as risk
  ) as present
) as each
group by each.day, each.worst
order by each.day;

-- server/src/features/reports/exposure/store.ts listDailyRisks
select each.day::text, each.worst,
  coalesce(
    sum(each.devices) filter (
      where each.firmware_version_ids && array(
        select version.id
        from firmware_versions as version
        where version.workspace_id = $1 and version.firmware_id = $2
      )
    ), 0
  )::int as devices,
  coalesce(
    sum(each.devices) filter (
      where each.exploited
        and each.firmware_version_ids && array(
          select version.id
          from firmware_versions as version
          where version.workspace_id = $3 and version.firmware_id = $4
        )
    ), 0
  )::int as exploited
from (
  select day, firmware_version_ids, devices, worst, exploited
  from firmware_set_daily_devices
  where workspace_id = $5 and day >= ($6::timestamptz at time zone 'UTC')::date
    and day < ($7::timestamptz at time zone 'UTC')::date
  union all select ($8::timestamptz at time zone 'UTC')::date, present.*
  from (
    select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
    from (
      with known as materialized (
        select firmware_version_ids, devices
        from firmware_set_device_counts
        where workspace_id = $9 and devices > 0
      ),
        unknown as (
          select (select count(*) from devices where workspace_id = $10)::int - (
            select coalesce(sum(devices), 0) from known
          )::int as devices
        )
      select firmware_version_ids, devices
      from known
      union all select '{}'::uuid[], devices
      from unknown
      where devices > 0
    ) as sets
    cross join lateral (
      select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
        when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
        when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
        when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
        when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
        or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
        else 'Clean' end as worst
      from unnest(sets.firmware_version_ids) as running (id)
      join firmware_version_counters as counters on counters.workspace_id = $11
        and counters.firmware_version_id = running.id
    ) as risk
  ) as present
) as each
group by each.day, each.worst
order by each.day;

-- server/src/features/reports/exposure/store.ts listReleases
select version.created_at as at, version.id as firmware_version_id, version.name as version,
  firmware.id as firmware_id, firmware.name as firmware_name
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.created_at >= $2
order by version.created_at desc, version.id desc
limit $3;

-- server/src/features/reports/exposure/store.ts listReleases
select version.created_at as at, version.id as firmware_version_id, version.name as version,
  firmware.id as firmware_id, firmware.name as firmware_name
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.created_at >= $2 and version.firmware_id = $3
order by version.created_at desc, version.id desc
limit $4;

-- server/src/features/reports/exposure/store.ts listRollouts
select deployment.id as deployment_id, cohort.id as deployment_cohort_id,
  cohort.name as cohort_name, installed.version_id as firmware_version_id, installed.firmware_name,
  installed.version_name as firmware_version_name,
  coalesce(deployment.starts_at, deployment.created_at) as started_at, deployment.ended_at,
  deployment.state, case
  when deployment.pending + deployment.in_progress + deployment.cancelled = 0 then (
    select max(device.finished_at)
    from device_updates as device
    where device.workspace_id = $1 and device.deployment_id = deployment.id
  ) end as finished_at, deployment.rollback_of_id is not null as is_rollback
from deployments as deployment
join deployment_cohorts as cohort on cohort.workspace_id = deployment.workspace_id
  and cohort.id = deployment.cohort_id
left join lateral (
  select version.id as version_id, version.name as version_name, firmware.name as firmware_name
  from deployment_artifacts as artifact
  join firmware_versions as version on version.workspace_id = $2
    and version.id = artifact.firmware_version_id
  join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = version.firmware_id
  where artifact.workspace_id = $4 and artifact.deployment_id = deployment.id
  order by artifact.is_main desc, artifact.position
  limit 1
) as installed on true
where deployment.workspace_id = $5 and deployment.state not in ('Scheduled', 'Cancelled')
  and coalesce(deployment.starts_at, deployment.created_at) between $6 and $7
order by started_at desc, deployment.id desc
limit $8;

-- server/src/features/reports/exposure/store.ts listRollouts
select deployment.id as deployment_id, cohort.id as deployment_cohort_id,
  cohort.name as cohort_name, installed.version_id as firmware_version_id, installed.firmware_name,
  installed.version_name as firmware_version_name,
  coalesce(deployment.starts_at, deployment.created_at) as started_at, deployment.ended_at,
  deployment.state, case
  when deployment.pending + deployment.in_progress + deployment.cancelled = 0 then (
    select max(device.finished_at)
    from device_updates as device
    where device.workspace_id = $1 and device.deployment_id = deployment.id
  ) end as finished_at, deployment.rollback_of_id is not null as is_rollback
from deployments as deployment
join deployment_cohorts as cohort on cohort.workspace_id = deployment.workspace_id
  and cohort.id = deployment.cohort_id
left join lateral (
  select version.id as version_id, version.name as version_name, firmware.name as firmware_name
  from deployment_artifacts as artifact
  join firmware_versions as version on version.workspace_id = $2
    and version.id = artifact.firmware_version_id
  join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = version.firmware_id
  where artifact.workspace_id = $4 and artifact.deployment_id = deployment.id and firmware.id = $5
  order by artifact.is_main desc, artifact.position
  limit 1
) as installed on true
where deployment.workspace_id = $6 and deployment.state not in ('Scheduled', 'Cancelled')
  and coalesce(deployment.starts_at, deployment.created_at) between $7 and $8
  and installed.version_id is not null
order by started_at desc, deployment.id desc
limit $9;

-- server/src/features/reports/exposure/store.ts readDeviceRisks
select worst, sum(devices)::int as devices,
  coalesce(sum(devices) filter (where exploited), 0)::int as exploited
from (
  select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
  from (
    select array(select json_array_elements_text(each."firmwareVersionIds")::uuid) as
      firmware_version_ids, each.devices
    from json_to_recordset($1::json) as each ("firmwareVersionIds" json, devices integer)
  ) as sets
  cross join lateral (
    select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
      when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
      when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
      when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
      when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
      or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
      else 'Clean' end as worst
    from unnest(sets.firmware_version_ids) as running (id)
    join firmware_version_counters as counters on counters.workspace_id = $2
      and counters.firmware_version_id = running.id
  ) as risk
) as each
group by worst;

-- server/src/features/reports/exposure/store.ts readPresentRisks
select worst, sum(devices)::int as devices,
  coalesce(sum(devices) filter (where exploited), 0)::int as exploited
from (
  select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
  from (
    with known as materialized (
      select firmware_version_ids, devices
      from firmware_set_device_counts
      where workspace_id = $1 and devices > 0
    ),
      unknown as (
        select (select count(*) from devices where workspace_id = $2)::int - (
          select coalesce(sum(devices), 0) from known
        )::int as devices
      )
    select firmware_version_ids, devices
    from known
    union all select '{}'::uuid[], devices
    from unknown
    where devices > 0
  ) as sets
  cross join lateral (
    select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
      when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
      when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
      when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
      when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
      or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
      else 'Clean' end as worst
    from unnest(sets.firmware_version_ids) as running (id)
    join firmware_version_counters as counters on counters.workspace_id = $3
      and counters.firmware_version_id = running.id
  ) as risk
) as each
group by worst;

-- server/src/features/reports/exposure/store.ts writeDailyDevices
with present as materialized (
  select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
  from (
    with known as materialized (
      select firmware_version_ids, devices
      from firmware_set_device_counts
      where workspace_id = $1 and devices > 0
    ),
      unknown as (
        select (select count(*) from devices where workspace_id = $2)::int - (
          select coalesce(sum(devices), 0) from known
        )::int as devices
      )
    select firmware_version_ids, devices
    from known
    union all select '{}'::uuid[], devices
    from unknown
    where devices > 0
  ) as sets
  cross join lateral (
    select coalesce(bool_or(counters.exploited > 0), false) as exploited, case
      when max(counters.critical) > 0 then 'Critical' when max(counters.high) > 0 then 'High'
      when max(counters.medium) > 0 then 'Medium' when max(counters.low) > 0 then 'Low'
      when max(counters."none") > 0 then 'None' when max(counters.unknown) > 0 then 'Unknown'
      when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
      or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged'
      else 'Clean' end as worst
    from unnest(sets.firmware_version_ids) as running (id)
    join firmware_version_counters as counters on counters.workspace_id = $3
      and counters.firmware_version_id = running.id
  ) as risk
),
  old as (
    delete from firmware_set_daily_devices
    where workspace_id = $4 and day < ($5::timestamptz at time zone 'UTC')::date - $6::int
  ),
  ended as (
    delete from firmware_set_daily_devices as stored
    where stored.workspace_id = $7 and stored.day = ($8::timestamptz at time zone 'UTC')::date
      and not exists (
        select from present where present.firmware_version_ids = stored.firmware_version_ids
      )
  )
insert into firmware_set_daily_devices as stored (
  workspace_id, day, firmware_version_ids, devices, worst, exploited
)
select $9, ($10::timestamptz at time zone 'UTC')::date, present.*
from present
order by present.firmware_version_ids
on conflict (workspace_id, day, firmware_version_ids)
do update
set devices = excluded.devices, worst = excluded.worst, exploited = excluded.exploited
where (stored.devices, stored.worst, stored.exploited) is distinct from (
  excluded.devices, excluded.worst, excluded.exploited
);

-- server/src/features/reports/firmware-overview/store.ts countDevices
select count(*)::int as total, (count(*) filter (where reported_at is null))::int as silent
from devices
where workspace_id = $1;

-- server/src/features/reports/firmware-overview/store.ts listDeviceSets
select firmware_version_ids, devices
from firmware_set_device_counts
where workspace_id = $1 and devices > $2;

-- server/src/features/reports/firmware-overview/store.ts listFirmwareNames
select id, slug, name from firmwares where workspace_id = $1 order by name, id;

-- server/src/features/reports/firmware-overview/store.ts listRollouts
select artifact.firmware_version_id,
  json_build_object(
    'deploymentId', deployment.id, 'deploymentCohortId', cohort.id, 'cohortName', cohort.name,
      'state', deployment.state, 'unfinished',
      deployment.pending + deployment.in_progress + deployment.failed
  ) as rollout
from deployments as deployment
join deployment_cohorts as cohort on cohort.workspace_id = $1 and cohort.id = deployment.cohort_id
join (
  select distinct deployment_id, firmware_version_id
  from deployment_artifacts
  where workspace_id = $2
) as artifact on artifact.deployment_id = deployment.id
where deployment.workspace_id = $3 and deployment.is_active
  and (
    deployment.state = 'Scheduled'
      or deployment.pending + deployment.in_progress + deployment.failed > 0
  )
order by cohort.name, deployment.id;

-- server/src/features/reports/firmware-overview/store.ts listUnregistered
with reported as materialized (
  select device_id, slug, version, build_id
  from device_firmwares
  where workspace_id = $1 and firmware_version_id is null
)
select slug, version, build_id, count(*)::int as device_count, (count(*) over ())::int as versions,
  (select count(distinct device_id)::int from reported) as devices
from reported
group by slug, version, build_id
order by count(*) desc, slug, version, coalesce(build_id, '')
limit $2;

-- server/src/features/reports/firmware-overview/store.ts listVersions
select version.id, version.name, version.firmware_id, version.created_at,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $1 and line.id = version.line_id
  ) as line, coalesce(running.devices, 0) as devices,
  json_build_object(
    'critical', coalesce(counters.critical, 0), 'high', coalesce(counters.high, 0), 'medium',
      coalesce(counters.medium, 0), 'low', coalesce(counters.low, 0), 'none',
      coalesce(counters."none", 0), 'unknown', coalesce(counters.unknown, 0)
  ) as counts, coalesce(read.sboms - read.pending_sboms - read.failed_sboms, 0) as read_sboms,
  json_build_array(
    coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
      coalesce(counters.undecided_high, 0), coalesce(counters.unknown, 0),
      coalesce(counters.judged_components, 0), coalesce(counters.silent_components, 0),
      coalesce(read.sboms, 0), coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
      (
        select count(*)::int
        from vulnerability_sources
        where last_success_at is not null and source = any($2::text[])
      )
  ) as mark_values
from firmware_versions as version
left join (
  select firmware_version_id, sum(devices)::int as devices
  from firmware_version_device_counts
  where workspace_id = $3
  group by firmware_version_id
) as running on running.firmware_version_id = version.id
left join firmware_version_counters as counters on counters.workspace_id = $4
  and counters.firmware_version_id = version.id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $5
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = version.id
where version.workspace_id = $6
order by version.created_at desc, version.id desc;

-- server/src/features/reports/overview/store.ts countRunning
select count(distinct running.device_id)::int as devices,
  coalesce(array_agg(distinct running.firmware_version_id), '{}') as firmware_version_ids
from device_firmwares as running
where running.workspace_id = $1 and running.firmware_version_id = any($2::uuid[]);

-- server/src/features/reports/overview/store.ts findExposureOfWeekAgo
select day::text, coalesce(sum(devices) filter (where exploited), 0)::int as exploited
from firmware_set_daily_devices
where workspace_id = $1 and day between ($2::timestamptz at time zone 'UTC')::date - 10
  and ($3::timestamptz at time zone 'UTC')::date - 7
group by day
order by firmware_set_daily_devices.day desc
limit 1;

-- server/src/features/reports/overview/store.ts listDailyDevices
select running.id as id, each.day::text, sum(each.devices)::int as devices
from firmware_set_daily_devices as each
cross join unnest(each.firmware_version_ids) as running (id)
where each.firmware_version_ids && $1::uuid[] and running.id = any($2::uuid[])
  and each.workspace_id = $3 and each.day = any($4::date[])
group by running.id, each.day
order by each.day;

-- server/src/features/reports/overview/store.ts listDailyDevices
select version.firmware_id as id, each.day::text, sum(each.devices)::int as devices
from firmware_set_daily_devices as each
cross join unnest(each.firmware_version_ids) as running (id)
join firmware_versions as version on version.workspace_id = $1 and version.id = running.id
where true and each.workspace_id = $2 and each.day = any($3::date[])
group by version.firmware_id, each.day
order by each.day;

-- server/src/features/reports/overview/store.ts listFailedSboms
select count(*)::int as count, (array_agg(sbom.id order by sbom.id desc))[1] as sbom_id,
  (array_agg(sbom.file_name order by sbom.id desc))[1] as file_name,
  version.id as firmware_version_id, version.name as version_name, firmware.name as firmware_name
from sboms as sbom
join firmware_versions as version on version.workspace_id = $1
  and version.id = sbom.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
where sbom.workspace_id = $3 and sbom.parsing_state = 'Failed'
group by version.id, version.name, firmware.name
order by sbom_id desc
limit $4;

-- server/src/features/reports/overview/store.ts listRiskiestVersions
with running as (
  select running.id, sum(sets.devices)::int as devices
  from firmware_set_device_counts as sets
  cross join unnest(sets.firmware_version_ids) as running (id)
  where sets.workspace_id = $1 and sets.devices > 0
  group by running.id
),
  chosen as materialized (
    select version.id, version.name, version.firmware_id, running.devices
    from firmware_versions as version
    left join running on running.id = version.id
    left join firmware_version_counters as counters on counters.workspace_id = version.workspace_id
      and counters.firmware_version_id = version.id
    where version.workspace_id = $2
    order by running.devices is not null desc, coalesce(counters.exploited, 0) > 0 desc,
      coalesce(counters.undecided_critical, 0) > 0 desc, coalesce(running.devices, 0) desc,
      coalesce(counters.critical, 0) desc, coalesce(counters.high, 0) desc, version.id desc
    limit $3
  ), placed as (select chosen.*, row_number() over () as place from chosen)
select version.id, version.name,
  json_build_object('id', firmware.id, 'name', firmware.name, 'slug', firmware.slug) as firmware,
  coalesce(version.devices, 0) as devices, coalesce(counters.exploited, 0) as exploited,
  json_build_object(
    'critical', coalesce(counters.critical, 0), 'high', coalesce(counters.high, 0), 'medium',
      coalesce(counters.medium, 0), 'low', coalesce(counters.low, 0), 'none',
      coalesce(counters."none", 0), 'unknown', coalesce(counters.unknown, 0)
  ) as counts
from placed as version
join firmwares as firmware on firmware.workspace_id = $4 and firmware.id = version.firmware_id
left join firmware_version_counters as counters on counters.workspace_id = $5
  and counters.firmware_version_id = version.id
order by version.place;

-- server/src/features/reports/overview/store.ts listStalledDeployments
select count(*) over ()::int as total, deployment.id, deployment.cohort_id,
  cohort.name as cohort_name, deployment.name, deployment.state, deployment.state_reason,
  deployment.pending + deployment.in_progress + deployment.failed as unfinished
from deployments as deployment
join deployment_cohorts as cohort on cohort.workspace_id = deployment.workspace_id
  and cohort.id = deployment.cohort_id
where deployment.workspace_id = $1 and deployment.is_active
  and deployment.state in ('Stopped', 'Paused')
order by unfinished desc, deployment.id
limit $2;

-- server/src/features/reports/overview/store.ts readFindingState
select concat_ws(
  ' ', max(evaluated_at), count(*), sum(exploited), sum(undecided_critical), sum(critical)
) as state
from firmware_version_counters
where workspace_id = $1;

-- server/src/features/reports/overview/store.ts readTotals
select (select count(*)::int from devices where workspace_id = $1) as devices,
  (select count(*)::int from firmware_versions where workspace_id = $2) as firmware_versions,
  exists (select from sboms where workspace_id = $3 and parsing_state = 'Succeeded') as has_sbom,
  exists (select from finding_decisions where workspace_id = $4) as has_decision,
  exists (select from deployments where workspace_id = $5) as has_deployment;

-- server/src/features/reports/search/store.ts searchAlertRules
select case when lower(name) = $1 then 0 when starts_with(lower(name), $2) then 1
  else 2 end as rank, id, name as title, type as subtitle
from alert_rules
where workspace_id = $3 and position($4 in lower(name)) > 0
order by 1, name, id
limit $5;

-- server/src/features/reports/search/store.ts searchCohorts
select case when lower(name) = $1 then 0 when starts_with(lower(name), $2) then 1
  else 2 end as rank, id, name as title, description as subtitle
from deployment_cohorts
where workspace_id = $3 and position($4 in lower(name)) > 0
order by 1, name, id
limit $5;

-- server/src/features/reports/search/store.ts searchComponents
select least(
  case when lower(component_name) = $1 then 0 when starts_with(lower(component_name), $2) then 1
    else 2 end, case
    when lower((component_name || ' ' || coalesce(component_version, ''))) = $3 then 0
    when starts_with(lower((component_name || ' ' || coalesce(component_version, ''))), $4) then 1
    else 2 end
) as rank, component_name as name, component_version as version,
  max(version_count)::int as version_count
from workspace_packages
where workspace_id = $5 and version_count > 0
  and (
    position($6 in lower(component_name)) > 0
      or position($7 in lower((component_name || ' ' || coalesce(component_version, '')))) > 0
  )
group by component_name, component_version
order by 1, 4 desc, 2, 3
limit $8;

-- server/src/features/reports/search/store.ts searchDevices
select case when lower(id) = $1 then 0 when starts_with(lower(id), $2) then 1 else 2 end as rank,
  id, id as title, description as subtitle
from devices
where workspace_id = $3
  and (position($4 in lower(id)) > 0 or position($5 in lower(description)) > 0)
order by 1, id
limit $6;

-- server/src/features/reports/search/store.ts searchFirmwares
select least(
  case when lower(slug) = $1 then 0 when starts_with(lower(slug), $2) then 1 else 2 end, case
    when lower(name) = $3 then 0 when starts_with(lower(name), $4) then 1 else 2 end
) as rank, id, name as title, slug as subtitle
from firmwares
where workspace_id = $5 and (position($6 in lower(slug)) > 0 or position($7 in lower(name)) > 0)
order by 1, slug
limit $8;

-- server/src/features/reports/search/store.ts searchVersions
select least(
  case when lower(version.name) = $1 then 0 when starts_with(lower(version.name), $2) then 1
    else 2 end, case when lower((firmware.slug || ' ' || version.name)) = $3 then 0
    when starts_with(lower((firmware.slug || ' ' || version.name)), $4) then 1 else 2 end
) as rank, version.id, version.name as title, firmware.name as subtitle, firmware.id as firmware_id
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $5
  and (
    position($6 in lower(version.name)) > 0
      or position($7 in lower((firmware.slug || ' ' || version.name))) > 0
      or lower(version.build_id) = $8
  )
order by 1, version.created_at desc, version.id
limit $9;

-- server/src/features/reports/search/store.ts searchVulnerabilities
select case when lower(counted.vulnerability_id) = $1 then 0
  when starts_with(lower(counted.vulnerability_id), $2) then 1 else 2 end as rank,
  counted.vulnerability_id as id, counted.vulnerability_id as title, known.name as subtitle
from (
  select distinct vulnerability_id from workspace_component_vulnerabilities where workspace_id = $3
) as counted
join vulnerabilities as known on known.id = counted.vulnerability_id
where (
  position($4 in lower(counted.vulnerability_id)) > 0 or position($5 in lower(known.name)) > 0
    or counted.vulnerability_id in (
      select vulnerability_id from vulnerability_aliases where alias = any($6::text[])
    )
)
order by 1, known.is_known_exploit desc, counted.vulnerability_id desc
limit $7;

-- server/src/features/reports/trend/store.ts listTrend
select day::text, sum(critical)::int as critical, sum(high)::int as high,
  sum(medium)::int as medium, sum(low)::int as low, sum(none)::int as none,
  sum(unknown)::int as unknown
from (
  select day, critical, high, medium, low, none, unknown
  from firmware_version_daily_counters
  where workspace_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
    and day < ($3::timestamptz at time zone 'UTC')::date
  union all select ($4::timestamptz at time zone 'UTC')::date, critical, high, medium, low, none,
    unknown
  from firmware_version_counters
  where workspace_id = $5
) as each
group by day
order by day;

-- server/src/features/reports/trend/store.ts listTrend
select day::text, sum(critical)::int as critical, sum(high)::int as high,
  sum(medium)::int as medium, sum(low)::int as low, sum(none)::int as none,
  sum(unknown)::int as unknown
from (
  select day, critical, high, medium, low, none, unknown
  from firmware_version_daily_counters
  where workspace_id = $1 and firmware_version_id = $2
    and day >= ($3::timestamptz at time zone 'UTC')::date
    and day < ($4::timestamptz at time zone 'UTC')::date
  union all select ($5::timestamptz at time zone 'UTC')::date, critical, high, medium, low, none,
    unknown
  from firmware_version_counters
  where workspace_id = $6 and firmware_version_id = $7
) as each
group by day
order by day;

-- server/src/features/reports/trend/store.ts writeDailyCounters
insert into firmware_version_daily_counters as stored (
  workspace_id, firmware_version_id, day, critical, high, medium, low, none, unknown, exploited
)
select workspace_id, firmware_version_id, ($1::timestamptz at time zone 'UTC')::date, critical,
  high, medium, low, none, unknown, exploited
from firmware_version_counters
where workspace_id = $2
order by firmware_version_id
on conflict (workspace_id, firmware_version_id, day)
do update
set critical = excluded.critical, high = excluded.high, medium = excluded.medium,
  low = excluded.low, none = excluded.none, unknown = excluded.unknown,
  exploited = excluded.exploited
where (
  stored.critical, stored.high, stored.medium, stored.low, stored.none, stored.unknown,
    stored.exploited
) is distinct from (
  excluded.critical, excluded.high, excluded.medium, excluded.low, excluded.none, excluded.unknown,
    excluded.exploited
);

-- server/src/features/reports/vulnerable-versions/store.ts listVersionsWithActiveFinding
select distinct fact.firmware_version_id as id
from vulnerability_aliases as alias
join package_matches as match on match.vulnerability_id = alias.vulnerability_id
  and match.until is null
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where alias.alias = any($2::text[])
  and (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  );

-- server/src/features/reports/vulnerable-versions/store.ts readVulnerableVersionsJson
select '[' || coalesce(
  string_agg(
    '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name) ||
      ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || '"' || to_char(
        version.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || ',"mark":' || chr(1) || json_build_array(
        coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
          coalesce(counters.undecided_high, 0), coalesce(counters.unknown, 0),
          coalesce(counters.judged_components, 0), coalesce(counters.silent_components, 0),
          coalesce(read.sboms, 0), coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
          (
            select count(*)::int
            from vulnerability_sources
            where last_success_at is not null and source = any($1::text[])
          )
      ) || version.id || chr(1) || ',"vulnerabilitySummary":{"totalActiveIssues":' || counters.critical
      + counters.high + counters.medium + counters.low + counters."none" + counters.unknown ||
      ',"countsBySeverity":[' || '{"severity":"Critical","count":' || counters.critical || '},' ||
      '{"severity":"High","count":' || counters.high || '},' || '{"severity":"Medium","count":' ||
      counters.medium || '},' || '{"severity":"Low","count":' || counters.low || '},' ||
      '{"severity":"None","count":' || counters."none" || '},' || '{"severity":"Unknown","count":'
      || counters.unknown || '}]' || coalesce(
        affected.json,
          ',"affectedDeviceCount":0,"affectedDevices":{"runningNow":0,"seenLastDay":0,"seenLastWeek":0,"older":0}'
      ) || ',"lastEvaluatedAt":' || '"' || to_char(
        greatest(counters.evaluated_at, synced.at) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || '}}', ','
    order by counters.critical desc, counters.high desc, counters.medium desc, counters.low desc,
      counters."none" desc, counters.unknown desc, version.id desc
  ), ''
) || ']' as json
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join (
  select firmware_version_id,
    ',"affectedDeviceCount":' || total || ',"affectedDevices":{"runningNow":' || running_now ||
    ',"seenLastDay":' || seen_last_day || ',"seenLastWeek":' || seen_last_week || ',"older":' ||
    older || '}' as json
  from (
    select counts.firmware_version_id, coalesce(sum(counts.devices), 0)::int as total,
      coalesce(sum(counts.devices) filter (where counts.connected), 0)::int as running_now,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour >= $2::int), 0
      )::int as seen_last_day,
      coalesce(
        sum(counts.devices) filter (
          where not counts.connected and counts.seen_hour < $3::int and counts.seen_hour >= $4::int
        ), 0
      )::int as seen_last_week,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour < $5::int), 0
      )::int as older
    from firmware_version_device_counts as counts
    where counts.workspace_id = $6
    group by counts.firmware_version_id
  ) as counted
) as affected on affected.firmware_version_id = counters.firmware_version_id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $7
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = counters.firmware_version_id
cross join (select max(last_success_at) as at from vulnerability_sources) as synced
where counters.workspace_id = $8
  and counters.critical + counters.high + counters.medium + counters.low + counters."none" +
  counters.unknown > 0;

-- server/src/features/reports/vulnerable-versions/store.ts readVulnerableVersionsJson
select '[' || coalesce(
  string_agg(
    '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name) ||
      ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || '"' || to_char(
        version.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || ',"mark":' || chr(1) || json_build_array(
        coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
          coalesce(counters.undecided_high, 0), coalesce(counters.unknown, 0),
          coalesce(counters.judged_components, 0), coalesce(counters.silent_components, 0),
          coalesce(read.sboms, 0), coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
          (
            select count(*)::int
            from vulnerability_sources
            where last_success_at is not null and source = any($1::text[])
          )
      ) || version.id || chr(1) || ',"vulnerabilitySummary":{"totalActiveIssues":' || counters.critical
      + counters.high + counters.medium + counters.low + counters."none" + counters.unknown ||
      ',"countsBySeverity":[' || '{"severity":"Critical","count":' || counters.critical || '},' ||
      '{"severity":"High","count":' || counters.high || '},' || '{"severity":"Medium","count":' ||
      counters.medium || '},' || '{"severity":"Low","count":' || counters.low || '},' ||
      '{"severity":"None","count":' || counters."none" || '},' || '{"severity":"Unknown","count":'
      || counters.unknown || '}]' || coalesce(
        affected.json,
          ',"affectedDeviceCount":0,"affectedDevices":{"runningNow":0,"seenLastDay":0,"seenLastWeek":0,"older":0}'
      ) || ',"lastEvaluatedAt":' || '"' || to_char(
        greatest(counters.evaluated_at, synced.at) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || '}}', ','
    order by counters.critical desc, counters.high desc, counters.medium desc, counters.low desc,
      counters."none" desc, counters.unknown desc, version.id desc
  ), ''
) || ']' as json
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join (
  select firmware_version_id,
    ',"affectedDeviceCount":' || total || ',"affectedDevices":{"runningNow":' || running_now ||
    ',"seenLastDay":' || seen_last_day || ',"seenLastWeek":' || seen_last_week || ',"older":' ||
    older || '}' as json
  from (
    select counts.firmware_version_id, coalesce(sum(counts.devices), 0)::int as total,
      coalesce(sum(counts.devices) filter (where counts.connected), 0)::int as running_now,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour >= $2::int), 0
      )::int as seen_last_day,
      coalesce(
        sum(counts.devices) filter (
          where not counts.connected and counts.seen_hour < $3::int and counts.seen_hour >= $4::int
        ), 0
      )::int as seen_last_week,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour < $5::int), 0
      )::int as older
    from firmware_version_device_counts as counts
    where counts.workspace_id = $6
    group by counts.firmware_version_id
  ) as counted
) as affected on affected.firmware_version_id = counters.firmware_version_id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $7
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = counters.firmware_version_id
cross join (select max(last_success_at) as at from vulnerability_sources) as synced
where counters.workspace_id = $8
  and counters.critical + counters.high + counters.medium + counters.low + counters."none" +
  counters.unknown > 0 and version.firmware_id = $9;

-- server/src/features/reports/workspace-metrics/store.ts chooseWorkspaces
select workspace.id, (count(*) over ())::int as total
from workspaces as workspace
left join workspace_usage as usage on usage.workspace_id = workspace.id and usage.quota = 'devices'
order by coalesce(usage.used, 0) desc, workspace.id
limit $1;

-- server/src/features/reports/workspace-metrics/store.ts countByPresence
select each.name, each.count
from (
  select (count(*) filter (where connected))::int as connected,
    (
      count(*) filter (
        where not connected
          and last_seen_at >= (
            date_trunc('hour', $1::timestamptz, 'UTC') - make_interval(hours => $2::int)
          )
      )
    )::int as last_day,
    (
      count(*) filter (
        where not connected
          and last_seen_at < (
            date_trunc('hour', $3::timestamptz, 'UTC') - make_interval(hours => $4::int)
          )
          and last_seen_at >= (
            date_trunc('hour', $5::timestamptz, 'UTC') - make_interval(hours => $6::int)
          )
      )
    )::int as last_week,
    (
      count(*) filter (
        where not connected
          and last_seen_at < (
            date_trunc('hour', $7::timestamptz, 'UTC') - make_interval(hours => $8::int)
          )
      )
    )::int as older, (count(*) filter (where last_seen_at is null))::int as never
  from devices
  where devices.workspace_id = $9
) as sums
cross join lateral (
  values ('connected', sums.connected), ('last_day', sums.last_day), ('last_week', sums.last_week),
    ('older', sums.older), ('never', sums.never)
) as each (name, count);

-- server/src/features/reports/workspace-metrics/store.ts countBySeverity
select each.name, coalesce(each.count, 0)::int as count
from (
  select sum(counters.critical) as critical, sum(counters.high) as high,
    sum(counters.medium) as medium, sum(counters.low) as low, sum(counters."none") as "none",
    sum(counters.unknown) as unknown
  from firmware_version_counters as counters
  where counters.workspace_id = $1
) as sums
cross join lateral (
  values ('critical', sums.critical), ('high', sums.high), ('medium', sums.medium),
    ('low', sums.low), ('none', sums."none"), ('unknown', sums.unknown)
) as each (name, count);

-- server/src/features/reports/workspace-metrics/store.ts countByUpdateState
select each.name, each.count
from (
  select coalesce(sum(pending), 0)::int as pending,
    coalesce(sum(in_progress), 0)::int as in_progress,
    coalesce(sum(succeeded), 0)::int as succeeded, coalesce(sum(failed), 0)::int as failed,
    coalesce(sum(cancelled), 0)::int as cancelled
  from deployments
  where deployments.workspace_id = $1 and deployments.is_active
) as sums
cross join lateral (
  values ('pending', sums.pending), ('in_progress', sums.in_progress),
    ('succeeded', sums.succeeded), ('failed', sums.failed), ('cancelled', sums.cancelled)
) as each (name, count);

-- server/src/features/reports/workspace-metrics/store.ts useOneProcessor
set local max_parallel_workers_per_gather = 0;
