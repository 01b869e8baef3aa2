-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/platform/calculator-process.ts calculate
set statement_timeout = 50;

-- server/src/platform/calculator-process.ts calculate
set statement_timeout = 20000;

-- server/src/platform/calculator-process.ts calculate
set statement_timeout = 120000;

-- server/src/platform/calculator-process.ts noticeLoss
set client_connection_check_interval = '1s';

-- server/src/platform/db/announcements.ts announce
select pg_notify($1, payload) from unnest($2::text[]) as payload;

-- server/src/platform/db/clock.ts readDatabaseTime
select clock_timestamp()::timestamptz(3) as at;

-- server/src/platform/db/fair-pool.ts limitStatements: not executed by tests

-- server/src/platform/db/lead.ts tryLock
select pg_try_advisory_lock(hashtextextended($1, 0)) as is_held;

-- server/src/platform/db/listen.ts listenOnce
listen plimsoll_changes;

-- server/src/platform/db/listen.ts listenOnce
listen plimsoll_devices;

-- server/src/platform/db/migrate.ts apply: not executed by tests

-- server/src/platform/db/migrate.ts applyMissing
select name, checksum from schema_migrations order by name;

-- server/src/platform/db/migrate.ts applyMissing
create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
);

-- server/src/platform/db/migrate.ts listMissingMigrations
select name from schema_migrations;

-- server/src/platform/db/migrate.ts migrate
set statement_timeout = 0;

-- server/src/platform/db/migrate.ts migrate
select pg_advisory_lock($1);

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select quota, used, true as is_there
  from workspace_usage as each
  where each.workspace_id = $1 and (used <> 0)
),
  expected as (
    select quota, used, true as is_there
    from (
      select quota, used
      from (
        select 'storedBytes' as quota, sum(size_bytes)::bigint as used
        from (
          select size_bytes
          from sboms
          where workspace_id = $2
          union all select size_bytes
          from firmware_artifacts
          where workspace_id = $3
        ) as file
        union all select 'devices', count(*)
        from devices
        where workspace_id = $4
        union all select 'metricSeries', count(*)
        from metric_series
        where workspace_id = $5
      ) as each
      where used <> 0
    ) as each
  )
insert into workspace_usage as kept (workspace_id, quota, used)
select $6, quota, coalesce(expected.used, 0) - coalesce(stored.used, 0)
from stored
full join expected using (quota)
where row(stored.is_there, stored.used) is distinct from row(expected.is_there, expected.used)
order by quota
on conflict (workspace_id, quota)
do update
set used = kept.used + excluded.used;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select firmware_version_ids, devices, true as is_there
  from firmware_set_device_counts as each
  where each.workspace_id = $1 and (true)
),
  expected as (
    select firmware_version_ids, devices, true as is_there
    from (
      select firmware_version_ids, count(*)::int as devices
      from (
        select device.id, device.connected,
          floor(extract(epoch from device.last_seen_at) / 3600)::int as seen_hour,
          array_agg(distinct running.firmware_version_id order by running.firmware_version_id) as
          firmware_version_ids
        from devices as device
        join device_firmwares as running on running.workspace_id = device.workspace_id
          and running.device_id = device.id
        where device.workspace_id = $2 and device.last_seen_at is not null
          and running.firmware_version_id is not null
        group by device.id, device.connected, device.last_seen_at
      ) as device
      group by 1
    ) as each
  )
insert into firmware_set_device_counts as kept (workspace_id, firmware_version_ids, devices)
select $3, firmware_version_ids, coalesce(expected.devices, 0) - coalesce(stored.devices, 0)
from stored
full join expected using (firmware_version_ids)
where row(stored.is_there, stored.devices) is distinct from row(
  expected.is_there, expected.devices
)
order by firmware_version_ids
on conflict (workspace_id, firmware_version_ids)
do update
set devices = kept.devices + excluded.devices;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select firmware_version_id, connected, seen_hour, devices, true as is_there
  from firmware_version_device_counts as each
  where each.workspace_id = $1 and (devices <> 0)
),
  expected as (
    select firmware_version_id, connected, seen_hour, devices, true as is_there
    from (
      select id as firmware_version_id, connected, seen_hour, count(*)::int as devices
      from (
        select unnest(firmware_version_ids) as id, connected, seen_hour
        from (
          select device.id, device.connected,
            floor(extract(epoch from device.last_seen_at) / 3600)::int as seen_hour,
            array_agg(distinct running.firmware_version_id order by running.firmware_version_id) as
            firmware_version_ids
          from devices as device
          join device_firmwares as running on running.workspace_id = device.workspace_id
            and running.device_id = device.id
          where device.workspace_id = $2 and device.last_seen_at is not null
            and running.firmware_version_id is not null
          group by device.id, device.connected, device.last_seen_at
        ) as device
      ) as running
      group by 1, 2, 3
    ) as each
  )
insert into firmware_version_device_counts as kept (
  workspace_id, firmware_version_id, connected, seen_hour, devices
)
select $3, firmware_version_id, connected, seen_hour,
  coalesce(expected.devices, 0) - coalesce(stored.devices, 0)
from stored
full join expected using (firmware_version_id, connected, seen_hour)
where row(stored.is_there, stored.devices) is distinct from row(
  expected.is_there, expected.devices
)
order by firmware_version_id, connected, seen_hour
on conflict (workspace_id, firmware_version_id, connected, seen_hour)
do update
set devices = kept.devices + excluded.devices;

-- server/src/platform/doctor/check.ts findDifferences: the shortest and the longest of many variants
--   0e66b249 1578574c 279cb5f6 2880b58a 2d2c2fe0 4cc670c6 4d2bfc6b 655cde40 845fade1 8722d5b5
--   87ab94a9 97f167be 9a63c054 a5df492a ab558fa4 d20c32b7
with stored as (
  select firmware_version_id, package_id, true as is_there
  from firmware_version_packages as each
  where each.workspace_id = $1 and (until is null)
),
  expected as (
    select firmware_version_id, package_id, true as is_there
    from (
      select distinct sbom.firmware_version_id, component.package_id
      from sboms as sbom
      join sbom_components as component on component.workspace_id = sbom.workspace_id
        and component.sbom_id = sbom.id
      where sbom.workspace_id = $2 and sbom.parsing_state = 'Succeeded'
        and component.package_id is not null
    ) as each
  )
select json_build_object(
  'firmware_version_id'::text, firmware_version_id, 'package_id'::text, package_id
) as key, case when stored.is_there then json_build_object() end as stored, case
  when expected.is_there then json_build_object() end as expected, (count(*) over ())::int as total
from stored
full join expected using (firmware_version_id, package_id)
where row(stored.is_there) is distinct from row(expected.is_there)
limit $3;

with stored as (
  select vulnerability_id, finding_count, detected_at, states, severity, score, is_exploited,
    device_magnitude, true as is_there
  from workspace_vulnerabilities as each
  where each.workspace_id = $1 and (finding_count <> 0 or detected_at is not null or states <> 0)
),
  expected as (
    select vulnerability_id, finding_count, detected_at, states, severity, score, is_exploited,
      device_magnitude, true as is_there
    from (
      select vulnerability_id, sum(match.version_count)::int as finding_count,
        min(detected_at) as detected_at, bit_or(states) as states,
        (array_agg(severity order by since desc))[1] as severity,
        (array_agg(score order by since desc))[1] as score, bool_or(is_exploited) as is_exploited,
        max(held.device_magnitude) as device_magnitude
      from (
        select match.vulnerability_id, match.package_id, match.since, match.severity, match.score,
          match.is_exploited, held.version_count,
          (
            select (
              coalesce(
                bit_or(
                  1::bigint << (
                    2 * (
                      array_position(
                        '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[
                          
                        ], decided.assessment
                      ) - 1
                    ) + decided.ignored::int
                  )
                ), 0
              ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
            ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
            from workspace_decisions as decided
            where decided.workspace_id = held.workspace_id
              and decided.vulnerability_id = match.vulnerability_id
              and decided.package_id = match.package_id and decided.finding_count > 0
          ) as states,
          (
            select min(
              case when held.open_since <= seen.since then seen.since
                when held.first_since >= seen.since then case
                when held.first_since < coalesce(seen.until, 'infinity') then held.first_since end
                else (
                  select min(greatest(fact.since, seen.since))
                  from firmware_version_packages as fact
                  where fact.workspace_id = $2 and fact.package_id = match.package_id
                    and greatest(fact.since, seen.since) < least(
                      coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                    )
                ) end
            )
            from package_matches as seen
            where seen.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and (seen.until is null or seen.until > seen.since)
          ) as detected_at
        from (
          select workspace_id, package_id,
            (count(*) filter (where until is null))::int as version_count,
            min(since) as first_since, min(since) filter (where until is null) as open_since
          from firmware_version_packages
          where workspace_id = $3 and (until is null or until > since)
          group by workspace_id, package_id
        ) as held
        join package_matches as match on match.package_id = held.package_id and match.until is null
        where held.version_count > 0
      ) as match
      join workspace_packages as held on held.workspace_id = $4
        and held.package_id = match.package_id
      group by vulnerability_id
    ) as each
  )
select json_build_object('vulnerability_id'::text, vulnerability_id) as key, case
  when stored.is_there then json_build_object(
    'finding_count'::text, stored.finding_count, 'detected_at'::text, stored.detected_at,
      'states'::text, stored.states, 'severity'::text, stored.severity, 'score'::text, stored.score,
      'is_exploited'::text, stored.is_exploited, 'device_magnitude'::text, stored.device_magnitude
  ) end as stored, case
  when expected.is_there then json_build_object(
    'finding_count'::text, expected.finding_count, 'detected_at'::text, expected.detected_at,
      'states'::text, expected.states, 'severity'::text, expected.severity, 'score'::text,
      expected.score, 'is_exploited'::text, expected.is_exploited, 'device_magnitude'::text,
      expected.device_magnitude
  ) end as expected, (count(*) over ())::int as total
from stored
full join expected using (vulnerability_id)
where row(
  stored.is_there, stored.finding_count, stored.detected_at, stored.states, stored.severity,
    stored.score, stored.is_exploited, stored.device_magnitude
) is distinct from row(
  expected.is_there, expected.finding_count, expected.detected_at, expected.states,
    expected.severity, expected.score, expected.is_exploited, expected.device_magnitude
)
limit $5;

-- server/src/platform/doctor/check.ts listDifferingKeys: the shortest and the longest of many variants
--   1571e1a9 4ce5142f 646d5f5c 64f1e379 66395d7a 9b3a9501
with stored as (
  select id, component_count, true as is_there
  from sboms as each
  where each.workspace_id = $1 and (parsing_state = 'Succeeded' and component_count <> 0)
),
  expected as (
    select id, component_count, true as is_there
    from (
      select sbom.id, count(*)::int as component_count
      from sboms as sbom
      join sbom_components as component on component.workspace_id = sbom.workspace_id
        and component.sbom_id = sbom.id
      where sbom.workspace_id = $2 and sbom.parsing_state = 'Succeeded'
      group by sbom.id
    ) as each
  )
select distinct id::text as id
from stored
full join expected using (id)
where row(stored.is_there, stored.component_count) is distinct from row(
  expected.is_there, expected.component_count
)
order by 1;

with stored as (
  select firmware_version_id, critical, high, medium, low, "none", unknown, exploited,
    undecided_critical, undecided_high, true as is_there
  from firmware_version_counters as each
  where each.workspace_id = $1
    and (
      critical <> 0 or high <> 0 or medium <> 0 or low <> 0 or "none" <> 0 or unknown <> 0
        or exploited <> 0 or undecided_critical <> 0 or undecided_high <> 0
    )
),
  expected as (
    select firmware_version_id, critical, high, medium, low, "none", unknown, exploited,
      undecided_critical, undecided_high, true as is_there
    from (
      select fact.firmware_version_id,
        coalesce(sum(amount) filter (where counter = $2), 0)::int as critical,
        coalesce(sum(amount) filter (where counter = $3), 0)::int as high,
        coalesce(sum(amount) filter (where counter = $4), 0)::int as medium,
        coalesce(sum(amount) filter (where counter = $5), 0)::int as low,
        coalesce(sum(amount) filter (where counter = $6), 0)::int as "none",
        coalesce(sum(amount) filter (where counter = $7), 0)::int as unknown,
        coalesce(sum(amount) filter (where counter = $8), 0)::int as exploited,
        coalesce(sum(amount) filter (where counter = $9), 0)::int as undecided_critical,
        coalesce(sum(amount) filter (where counter = $10), 0)::int as undecided_high
      from firmware_version_packages as fact
      join package_matches as match on match.package_id = fact.package_id and match.until is null
      left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      cross join lateral (
        values (match.severity, 1), ('Exploited', match.is_exploited::int * 1),
          (
            case when match.severity in ('Critical', 'High') then 'Undecided' || match.severity end,
              (coalesce(decision.assessment, 'NotAssessed') = any($11::text[]))::int
          )
      ) as each (counter, amount)
      where fact.workspace_id = $12 and fact.until is null
        and (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($13::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($14::text[])
            )
        )
      group by fact.firmware_version_id
    ) as each
  )
select distinct firmware_version_id::text as id
from stored
full join expected using (firmware_version_id)
where row(
  stored.is_there, stored.critical, stored.high, stored.medium, stored.low, stored."none",
    stored.unknown, stored.exploited, stored.undecided_critical, stored.undecided_high
) is distinct from row(
  expected.is_there, expected.critical, expected.high, expected.medium, expected.low,
    expected."none", expected.unknown, expected.exploited, expected.undecided_critical,
    expected.undecided_high
)
order by 1;

-- server/src/platform/doctor/check.ts withoutTimeLimit
select set_config('statement_timeout', '0', true);

-- server/src/platform/doctor/check.ts writeExpected: the shortest and the longest of many variants
--   1f821e1e 24f869bd 38c5622b 49a6cf5f 50658a0a 56900e5c 57dc5379 5c6bfe72 6da34d64 a0ae1538
--   b124a714 b53b7edc c2967688 d10bbc25
delete from workspace_package_versions as kept
where kept.workspace_id = $1
  and row(kept.package_id, kept.block) in (
    with stored as (
      select package_id, block, versions, true as is_there
      from workspace_package_versions as each
      where each.workspace_id = $2 and (true)
    ),
      expected as (
        select package_id, block, versions, true as is_there
        from (
          select fact.package_id, numbered.number / 32 as block,
            bit_or(1 << numbered.number % 32) as versions
          from firmware_version_packages as fact
          join workspace_versions as numbered on numbered.workspace_id = fact.workspace_id
            and numbered.firmware_version_id = fact.firmware_version_id
          where fact.workspace_id = $3 and fact.until is null
          group by fact.package_id, numbered.number / 32
        ) as each
      )
    select package_id, block
    from stored
    full join expected using (package_id, block)
    where stored.is_there and expected.is_there is null
  );

with stored as (
  select vulnerability_id, finding_count, detected_at, states, severity, score, is_exploited,
    device_magnitude, true as is_there
  from workspace_vulnerabilities as each
  where each.workspace_id = $1 and (finding_count <> 0 or detected_at is not null or states <> 0)
),
  expected as (
    select vulnerability_id, finding_count, detected_at, states, severity, score, is_exploited,
      device_magnitude, true as is_there
    from (
      select vulnerability_id, sum(match.version_count)::int as finding_count,
        min(detected_at) as detected_at, bit_or(states) as states,
        (array_agg(severity order by since desc))[1] as severity,
        (array_agg(score order by since desc))[1] as score, bool_or(is_exploited) as is_exploited,
        max(held.device_magnitude) as device_magnitude
      from (
        select match.vulnerability_id, match.package_id, match.since, match.severity, match.score,
          match.is_exploited, held.version_count,
          (
            select (
              coalesce(
                bit_or(
                  1::bigint << (
                    2 * (
                      array_position(
                        '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[
                          
                        ], decided.assessment
                      ) - 1
                    ) + decided.ignored::int
                  )
                ), 0
              ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
            ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
            from workspace_decisions as decided
            where decided.workspace_id = held.workspace_id
              and decided.vulnerability_id = match.vulnerability_id
              and decided.package_id = match.package_id and decided.finding_count > 0
          ) as states,
          (
            select min(
              case when held.open_since <= seen.since then seen.since
                when held.first_since >= seen.since then case
                when held.first_since < coalesce(seen.until, 'infinity') then held.first_since end
                else (
                  select min(greatest(fact.since, seen.since))
                  from firmware_version_packages as fact
                  where fact.workspace_id = $2 and fact.package_id = match.package_id
                    and greatest(fact.since, seen.since) < least(
                      coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                    )
                ) end
            )
            from package_matches as seen
            where seen.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and (seen.until is null or seen.until > seen.since)
          ) as detected_at
        from (
          select workspace_id, package_id,
            (count(*) filter (where until is null))::int as version_count,
            min(since) as first_since, min(since) filter (where until is null) as open_since
          from firmware_version_packages
          where workspace_id = $3 and (until is null or until > since)
          group by workspace_id, package_id
        ) as held
        join package_matches as match on match.package_id = held.package_id and match.until is null
        where held.version_count > 0
      ) as match
      join workspace_packages as held on held.workspace_id = $4
        and held.package_id = match.package_id
      group by vulnerability_id
    ) as each
  )
insert into workspace_vulnerabilities (
  workspace_id, vulnerability_id, finding_count, detected_at, states, severity, score, is_exploited,
    device_magnitude
)
select $5, vulnerability_id, expected.finding_count, expected.detected_at, expected.states,
  expected.severity, expected.score, expected.is_exploited, expected.device_magnitude
from stored
full join expected using (vulnerability_id)
where expected.is_there
  and row(
    stored.is_there, stored.finding_count, stored.detected_at, stored.states, stored.severity,
      stored.score, stored.is_exploited, stored.device_magnitude
  ) is distinct from row(
    expected.is_there, expected.finding_count, expected.detected_at, expected.states,
      expected.severity, expected.score, expected.is_exploited, expected.device_magnitude
  )
order by vulnerability_id
on conflict (workspace_id, vulnerability_id)
do update
set finding_count = excluded.finding_count, detected_at = excluded.detected_at,
  states = excluded.states, severity = excluded.severity, score = excluded.score,
  is_exploited = excluded.is_exploited, device_magnitude = excluded.device_magnitude;

-- server/src/platform/doctor/installation-checks.ts findForgetfulSettings
select name from pg_settings where name = any($1::text[]) and setting = 'off' order by name;

-- server/src/platform/doctor/installation-checks.ts findInvalidIndexes
select indexrelid::regclass::text as name
from pg_index
where not (indisvalid and indisready)
order by 1;

-- server/src/platform/jobs/late-jobs.ts listLateJobs
select name,
  (count(*) filter (where (state < 'active' and start_after < now() - interval '15 minutes')))::int
  as waiting,
  (count(*) filter (where (state = 'active' and heartbeat_on < now() - interval '5 minutes')))::int
  as silent,
  extract(
    epoch
    from now() - min(
      case when (state < 'active' and start_after < now() - interval '15 minutes') then start_after
        else heartbeat_on end
    )
  )::float8 as oldest_seconds
from pgboss.job
where (state < 'active' and start_after < now() - interval '15 minutes')
  or (state = 'active' and heartbeat_on < now() - interval '5 minutes')
group by name
order by name;

-- server/src/platform/management.ts isDatabaseThere
select 1;
