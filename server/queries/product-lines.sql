-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/product-lines/retention-store.ts keepFirstDeployments
update firmware_versions as version
set first_deployed_at = least(version.first_deployed_at, rolled.first_at)
from (
  select part.firmware_version_id as id, min(deployment.created_at) as first_at
  from deployments as deployment
  join deployment_artifacts as part on part.workspace_id = $1 and part.deployment_id = deployment.id
  where deployment.workspace_id = $2 and deployment.cohort_id = $3
  group by part.firmware_version_id
) as rolled
where version.workspace_id = $4 and version.id = rolled.id;

-- server/src/features/product-lines/retention-store.ts keepRetention
update firmware_versions as version
set retained_until = kept.until, retained_by_line = $1, retained_by_name = kept.name
from unnest($2::uuid[], $3::timestamptz[], $4::text[]) as kept (id, until, name)
where version.workspace_id = $5 and version.id = kept.id;

-- server/src/features/product-lines/retention-store.ts listRetained
select *
from (
  select distinct on (version.id) version.id as firmware_version_id, firmware.name as firmware,
    version.name as version, line.id as product_line_id, line.name as product_line, line.is_in_line,
    deployed.first_at as first_deployed_at, kept.until
  from firmwares as firmware
  join firmware_versions as version on version.workspace_id = $1
    and version.firmware_id = firmware.id
  cross join lateral (
    select line.id, line.name, line.first_placed_on, line.support_ends_in,
      null::timestamptz as until, true as is_in_line
    from product_line_firmwares as part
    join product_lines as line on line.workspace_id = $2 and line.id = part.product_line_id
    where part.workspace_id = $3 and part.firmware_id = firmware.id
    union all select version.retained_by_line, version.retained_by_name, null, null,
      version.retained_until, false
    where version.retained_until is not null
  ) as line
  cross join lateral (
    select least(
      version.first_deployed_at,
        (
          select min(deployment.created_at)
          from deployment_artifacts as rolled
          join deployments as deployment on deployment.workspace_id = $4
            and deployment.id = rolled.deployment_id
          where rolled.workspace_id = $5 and rolled.firmware_version_id = version.id
        )
    ) as first_at
  ) as deployed
  cross join lateral (
    select coalesce(
      line.until,
        greatest(
          (deployed.first_at at time zone 'UTC' + interval '10 years') at time zone 'UTC',
            (line.first_placed_on + interval '10 years') at time zone 'UTC',
            (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month') at time zone 'UTC'
        )
    ) as until
  ) as kept
  where firmware.workspace_id = $6 and deployed.first_at is not null and kept.until > $7 and true
    and true
  order by version.id, kept.until desc
) as held
order by until desc, firmware_version_id;

-- server/src/features/product-lines/retention-store.ts listRetained
select *
from (
  select distinct on (version.id) version.id as firmware_version_id, firmware.name as firmware,
    version.name as version, line.id as product_line_id, line.name as product_line, line.is_in_line,
    deployed.first_at as first_deployed_at, kept.until
  from firmwares as firmware
  join firmware_versions as version on version.workspace_id = $1
    and version.firmware_id = firmware.id
  cross join lateral (
    select line.id, line.name, line.first_placed_on, line.support_ends_in,
      null::timestamptz as until, true as is_in_line
    from product_line_firmwares as part
    join product_lines as line on line.workspace_id = $2 and line.id = part.product_line_id
    where part.workspace_id = $3 and part.firmware_id = firmware.id
    union all select version.retained_by_line, version.retained_by_name, null, null,
      version.retained_until, false
    where version.retained_until is not null
  ) as line
  cross join lateral (
    select least(
      version.first_deployed_at,
        (
          select min(deployment.created_at)
          from deployment_artifacts as rolled
          join deployments as deployment on deployment.workspace_id = $4
            and deployment.id = rolled.deployment_id
          where rolled.workspace_id = $5 and rolled.firmware_version_id = version.id
        )
    ) as first_at
  ) as deployed
  cross join lateral (
    select coalesce(
      line.until,
        greatest(
          (deployed.first_at at time zone 'UTC' + interval '10 years') at time zone 'UTC',
            (line.first_placed_on + interval '10 years') at time zone 'UTC',
            (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month') at time zone 'UTC'
        )
    ) as until
  ) as kept
  where firmware.workspace_id = $6 and deployed.first_at is not null and kept.until > $7 and true
    and version.id = any($8::uuid[])
  order by version.id, kept.until desc
) as held
order by until desc, firmware_version_id;

-- server/src/features/product-lines/retention-store.ts listRetained
select *
from (
  select distinct on (version.id) version.id as firmware_version_id, firmware.name as firmware,
    version.name as version, line.id as product_line_id, line.name as product_line, line.is_in_line,
    deployed.first_at as first_deployed_at, kept.until
  from firmwares as firmware
  join firmware_versions as version on version.workspace_id = $1
    and version.firmware_id = firmware.id
  cross join lateral (
    select line.id, line.name, line.first_placed_on, line.support_ends_in,
      null::timestamptz as until, true as is_in_line
    from product_line_firmwares as part
    join product_lines as line on line.workspace_id = $2 and line.id = part.product_line_id
    where part.workspace_id = $3 and part.firmware_id = firmware.id
    union all select version.retained_by_line, version.retained_by_name, null, null,
      version.retained_until, false
    where version.retained_until is not null
  ) as line
  cross join lateral (
    select least(
      version.first_deployed_at,
        (
          select min(deployment.created_at)
          from deployment_artifacts as rolled
          join deployments as deployment on deployment.workspace_id = $4
            and deployment.id = rolled.deployment_id
          where rolled.workspace_id = $5 and rolled.firmware_version_id = version.id
        )
    ) as first_at
  ) as deployed
  cross join lateral (
    select coalesce(
      line.until,
        greatest(
          (deployed.first_at at time zone 'UTC' + interval '10 years') at time zone 'UTC',
            (line.first_placed_on + interval '10 years') at time zone 'UTC',
            (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month') at time zone 'UTC'
        )
    ) as until
  ) as kept
  where firmware.workspace_id = $6 and deployed.first_at is not null and kept.until > $7
    and firmware.id = any($8::uuid[]) and true
  order by version.id, kept.until desc
) as held
order by until desc, firmware_version_id;

-- server/src/features/product-lines/retention-store.ts releaseRetention
update firmware_versions
set retained_until = null, retained_by_line = null, retained_by_name = null
where workspace_id = $1 and firmware_id = any($2::uuid[]) and retained_until is not null
  and retained_by_line = $3;

-- server/src/features/product-lines/store.ts countLines
select count(*)::int as count from product_lines where workspace_id = $1;

-- server/src/features/product-lines/store.ts deleteLine
delete from product_lines where workspace_id = $1 and id = $2;

-- server/src/features/product-lines/store.ts findFirmwares
select firmware.id, firmware.name, line.id as line_id, line.name as line_name
from firmwares as firmware
left join product_line_firmwares as held on held.workspace_id = firmware.workspace_id
  and held.firmware_id = firmware.id
left join product_lines as line on line.workspace_id = held.workspace_id
  and line.id = held.product_line_id
where firmware.workspace_id = $1 and firmware.id = any($2::uuid[]);

-- server/src/features/product-lines/store.ts insertLine
insert into product_lines (
  workspace_id, id, role, product_class, category, coordinator_state, time_zone, first_placed_on,
    support_ends_in, expected_use_years, expected_use_reason, contact, name, manufacturer,
    member_states, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- server/src/features/product-lines/store.ts isInCases: not executed by tests

-- server/src/features/product-lines/store.ts listFirmwaresWithoutLine
select firmware.id, firmware.name
from firmwares as firmware
where firmware.workspace_id = $1
  and not exists (
    select
    from product_line_firmwares as held
    where held.workspace_id = $2 and held.firmware_id = firmware.id
  )
order by firmware.name, firmware.id;

-- server/src/features/product-lines/store.ts listLines
select line.id, line.name, line.manufacturer, line.role, line.product_class, line.category,
  line.member_states, line.coordinator_state, line.time_zone,
  line.first_placed_on::text as first_placed_on, line.support_ends_in, line.expected_use_years,
  line.expected_use_reason, line.contact, line.created_at, line.updated_at,
  coalesce(
    (
      select json_agg(
        json_build_object('id', firmware.id, 'name', firmware.name)
        order by firmware.name, firmware.id
      )
      from product_line_firmwares as held
      join firmwares as firmware on firmware.workspace_id = held.workspace_id
        and firmware.id = held.firmware_id
      where held.workspace_id = $1 and held.product_line_id = line.id
    ), '[]'
  ) as firmwares
from product_lines as line
where line.workspace_id = $2 and true
order by lower(line.name), line.id;

-- server/src/features/product-lines/store.ts listLines
select line.id, line.name, line.manufacturer, line.role, line.product_class, line.category,
  line.member_states, line.coordinator_state, line.time_zone,
  line.first_placed_on::text as first_placed_on, line.support_ends_in, line.expected_use_years,
  line.expected_use_reason, line.contact, line.created_at, line.updated_at,
  coalesce(
    (
      select json_agg(
        json_build_object('id', firmware.id, 'name', firmware.name)
        order by firmware.name, firmware.id
      )
      from product_line_firmwares as held
      join firmwares as firmware on firmware.workspace_id = held.workspace_id
        and firmware.id = held.firmware_id
      where held.workspace_id = $1 and held.product_line_id = line.id
    ), '[]'
  ) as firmwares
from product_lines as line
where line.workspace_id = $2 and line.id = any($3::uuid[])
order by lower(line.name), line.id;

-- server/src/features/product-lines/store.ts lockLines
select pg_advisory_xact_lock(hashtextextended('product-lines:' || $1, 0));

-- server/src/features/product-lines/store.ts replaceFirmwares
delete from product_line_firmwares
where workspace_id = $1 and product_line_id = $2 and firmware_id <> all($3::uuid[]);

-- server/src/features/product-lines/store.ts replaceFirmwares
insert into product_line_firmwares (workspace_id, firmware_id, product_line_id)
select $1, firmware_id, $2
from unnest($3::uuid[]) as given (firmware_id)
on conflict
do nothing;

-- server/src/features/product-lines/store.ts updateLine
update product_lines
set role = $1, product_class = $2, category = $3, coordinator_state = $4, time_zone = $5,
  first_placed_on = $6, support_ends_in = $7, expected_use_years = $8, expected_use_reason = $9,
  contact = $10, name = $11, manufacturer = $12, member_states = $13, updated_at = $14
where workspace_id = $15 and id = $16;

-- server/src/features/product-lines/support-ends-store.ts hasSupportEnds
select exists (select from product_lines where workspace_id = $1 and support_ends_in is not null)
  or exists (select from firmware_lines where workspace_id = $2 and support_ends_on is not null)
  or exists (select from firmwares where workspace_id = $3 and support_ends_on is not null) as
  is_stated;

-- server/src/features/product-lines/support-ends-store.ts listSupportEnds
with ends as (
  select 'product-line' as kind, line.id, line.name, null as line_name, null::uuid as firmware_id,
    (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on,
    array(
      select part.firmware_id
      from product_line_firmwares as part
      where part.workspace_id = $1 and part.product_line_id = line.id
    ) as firmware_ids
  from product_lines as line
  where line.workspace_id = $2 and line.support_ends_in is not null
  union all select 'release-line', line.id, firmware.name, line.name, firmware.id,
    line.support_ends_on, array[firmware.id]
  from firmware_lines as line
  join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = line.firmware_id
  where line.workspace_id = $4 and line.support_ends_on is not null
  union all select 'firmware', firmware.id, firmware.name, null, firmware.id,
    firmware.support_ends_on, array[firmware.id]
  from firmwares as firmware
  where firmware.workspace_id = $5 and firmware.support_ends_on is not null
)
select ends.kind, ends.id, ends.name, ends.line_name, ends.firmware_id,
  ends.ends_on::text as ends_on, devices.count as device_count
from ends
cross join lateral (
  select count(distinct running.device_id)::int as count
  from firmware_versions as version
  join device_firmwares as running on running.workspace_id = $6
    and running.firmware_version_id = version.id
  where version.workspace_id = $7 and version.firmware_id = any(ends.firmware_ids)
    and ends.ends_on <= $8::date and (ends.kind <> 'release-line' or version.line_id = ends.id)
) as devices
order by ends.ends_on, ends.kind, ends.id;
