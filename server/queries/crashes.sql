-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/crashes/groups-store.ts countStacks
select count(*)::int as count from crash_stacks where workspace_id = $1;

-- server/src/features/crashes/groups-store.ts deleteEmptyGroups
select id from crash_groups where workspace_id = $1 and id = any($2::uuid[]) order by id for update;

-- server/src/features/crashes/groups-store.ts deleteEmptyGroups
delete from crash_groups as empty
where empty.workspace_id = $1 and empty.id = any($2::uuid[])
  and not exists (
    select from crash_stacks as stack where stack.workspace_id = $3 and stack.group_id = empty.id
  );

-- server/src/features/crashes/groups-store.ts holdGroups
insert into crash_groups as known (
  workspace_id, id, firmware_id, signature, reason, frames, build_id, created_at
)
select $1, given.id, given."firmwareId", given.signature, given.reason,
  array(select json_array_elements_text(given.frames)), given."buildId", $2
from json_to_recordset($3::json) as given (
  id uuid, "firmwareId" uuid, signature text, reason text, frames json, "buildId" text
)
order by given.signature collate "C"
on conflict (workspace_id, signature)
do update
set reason = known.reason
returning signature, id;

-- server/src/features/crashes/groups-store.ts insertStacks
insert into crash_stacks (
  workspace_id, id, signature, firmware_id, reason, build_id, addresses, group_id
)
select $1, given.id, given.signature, given."firmwareId", given.reason, given."buildId",
  array(select json_array_elements_text(given.addresses)), given."groupId"
from json_to_recordset($2::json) as given (
  id uuid, signature text, "firmwareId" uuid, reason text, "buildId" text, addresses json,
    "groupId" uuid
)
order by given.signature collate "C"
on conflict (workspace_id, signature)
do nothing;

-- server/src/features/crashes/groups-store.ts listGroupSignatures
select signature from crash_groups where workspace_id = $1 and signature = any($2::text[]);

-- server/src/features/crashes/groups-store.ts listPlacedStacks
select signature, id as stack_id, group_id
from crash_stacks
where workspace_id = $1 and signature = any($2::text[]);

-- server/src/features/crashes/groups-store.ts listStacksOfBuild
select stack.id, stack.firmware_id, stack.reason, stack.build_id, stack.addresses, stack.group_id,
  group_of.signature as group_signature,
  (
    select count(*)::int
    from crash_stacks as other
    where other.workspace_id = $1 and other.group_id = stack.group_id
  ) as group_size
from crash_stacks as stack
join crash_groups as group_of on group_of.workspace_id = $2 and group_of.id = stack.group_id
where stack.workspace_id = $3 and stack.build_id = $4
order by stack.id;

-- server/src/features/crashes/groups-store.ts lockGroups
select id
from crash_groups
where workspace_id = $1 and (id = any($2::uuid[]) or signature = any($3::text[]))
order by signature
for no key update;

-- server/src/features/crashes/groups-store.ts moveStacks
update crash_stacks as stack
set group_id = given.group_id
from unnest($1::uuid[], $2::uuid[]) as given (id, group_id)
where stack.workspace_id = $3 and stack.id = given.id;

-- server/src/features/crashes/groups-store.ts renameGroups
update crash_groups as known
set signature = given.signature, build_id = given."buildId",
  frames = array(select json_array_elements_text(given.frames))
from json_to_recordset($1::json) as given (id uuid, signature text, frames json, "buildId" text)
where known.workspace_id = $2 and known.id = given.id;

-- server/src/features/crashes/hours-store.ts listCrashCounts
select hours.device_id, sum(hours.kept_count + hours.dropped_count)::int as crash_count
from unnest($1::text[]) as asked (id)
join crash_device_hours as hours on hours.workspace_id = $2 and hours.device_id = asked.id
where hours.last_at >= $3 and hours.last_at < $4
group by hours.device_id
having sum(hours.kept_count + hours.dropped_count) > 0
order by hours.device_id;

-- server/src/features/crashes/hours-store.ts sumDeviceHours
select coalesce(sum(kept_count), 0)::int as kept_count,
  coalesce(sum(dropped_count), 0)::int as dropped_count,
  coalesce(sum(malformed_count), 0)::int as malformed_count,
  (array_agg(last_fault order by last_at desc) filter (where last_fault is not null))[1] as
  last_fault
from crash_device_hours
where workspace_id = $1;

-- server/src/features/crashes/hours-store.ts sumDeviceHours
select coalesce(sum(kept_count), 0)::int as kept_count,
  coalesce(sum(dropped_count), 0)::int as dropped_count,
  coalesce(sum(malformed_count), 0)::int as malformed_count,
  (array_agg(last_fault order by last_at desc) filter (where last_fault is not null))[1] as
  last_fault
from crash_device_hours
where workspace_id = $1 and device_id = $2;

-- server/src/features/crashes/hours-store.ts sumNotKept
select workspace_id, sum(dropped_count)::int as dropped, sum(malformed_count)::int as malformed
from crash_device_hours
group by workspace_id
having sum(dropped_count + malformed_count) > 0
order by workspace_id;

-- server/src/features/crashes/intake/store.ts addDailyCounts
insert into crash_counts as counted (
  workspace_id, stack_id, firmware_version_id, device_id, day, crash_count, last_at
)
select $1, given."stackId", given."firmwareVersionId", given."deviceId",
  (given.day at time zone 'UTC')::date, count(*)::int, max(given.time)
from json_to_recordset($2::json) as given (
  "stackId" uuid, "firmwareVersionId" uuid, "deviceId" text, day timestamptz, time timestamptz
)
group by 2, 3, 4, 5
order by 2, 3, 4, 5
on conflict (workspace_id, stack_id, firmware_version_id, device_id, day)
do update
set crash_count = counted.crash_count + excluded.crash_count,
  last_at = greatest(counted.last_at, excluded.last_at);

-- server/src/features/crashes/intake/store.ts addDeviceHours
insert into crash_device_hours as counted (
  workspace_id, device_id, hour, kept_count, dropped_count, malformed_count, last_fault, last_at
)
select $1, given."deviceId", given.hour, given."keptCount", given."droppedCount",
  given."malformedCount", given."lastFault", given."lastAt"
from json_to_recordset($2::json) as given (
  "deviceId" text, hour timestamptz, "keptCount" integer, "droppedCount" integer,
    "malformedCount" integer, "lastFault" text, "lastAt" timestamptz
)
where given."keptCount" + given."droppedCount" + given."malformedCount" > 0
order by given."deviceId" collate "C"
on conflict (workspace_id, device_id, hour)
do update
set kept_count = counted.kept_count + excluded.kept_count,
  dropped_count = counted.dropped_count + excluded.dropped_count,
  malformed_count = counted.malformed_count + excluded.malformed_count,
  last_fault = coalesce(excluded.last_fault, counted.last_fault), last_at = excluded.last_at;

-- server/src/features/crashes/intake/store.ts addVersionCounts
insert into crash_versions as counted (
  workspace_id, stack_id, firmware_version_id, crash_count, first_seen_at, last_seen_at,
    first_received_at
)
select $1, given."stackId", given."firmwareVersionId", count(*), min(given.time), max(given.time),
  $2
from json_to_recordset($3::json) as given (
  "stackId" uuid, "firmwareVersionId" uuid, time timestamptz
)
group by given."stackId", given."firmwareVersionId"
order by given."stackId", given."firmwareVersionId"
on conflict (workspace_id, stack_id, firmware_version_id)
do update
set crash_count = counted.crash_count + excluded.crash_count,
  first_seen_at = least(counted.first_seen_at, excluded.first_seen_at),
  last_seen_at = greatest(counted.last_seen_at, excluded.last_seen_at);

-- server/src/features/crashes/intake/store.ts deleteOlderReports
delete from crash_reports as report using (
  select distinct device_id, stack_id
  from unnest($1::text[], $2::uuid[]) as given (device_id, stack_id)
) as given
cross join lateral (
  select older.id
  from crash_reports as older
  where older.workspace_id = $3 and older.device_id = given.device_id
    and older.stack_id = given.stack_id
  order by older.time desc, older.id desc
  offset $4
) as over
where report.workspace_id = $5 and report.id = over.id;

-- server/src/features/crashes/intake/store.ts findVersionsOfBuilds
select version.id, version.firmware_id, firmware.slug, version.name, version.build_id
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
where version.workspace_id = $2 and version.build_id = any($3::text[])
order by version.id
for key share of version;

-- server/src/features/crashes/intake/store.ts insertReports
insert into crash_reports (
  workspace_id, id, stack_id, device_id, time, device_time, firmware_version_id, build_id, run_id,
    thread, frames
)
select $1, given.id, given."stackId", given."deviceId", given.time, given."deviceTime",
  given."firmwareVersionId", given."buildId", given."runId", given.thread, given.frames
from json_to_recordset($2::json) as given (
  id uuid, "stackId" uuid, "deviceId" text, time timestamptz, "deviceTime" timestamptz,
    "firmwareVersionId" uuid, "buildId" text, "runId" text, thread text, frames jsonb
);

-- server/src/features/crashes/intake/store.ts listRunning
select running.device_id, running.since, version.id, version.firmware_id, firmware.slug,
  version.name, version.build_id
from unnest($1::text[]) as asked (id)
join device_firmwares as running on running.workspace_id = $2 and running.device_id = asked.id
join firmware_versions as version on version.workspace_id = $3
  and version.id = running.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $4 and firmware.id = version.firmware_id
order by version.id, running.device_id
for key share of version;

-- server/src/features/crashes/intake/store.ts lockCrashingDevices
select device.id, device.run_ids[1:2] as run_ids,
  (select log_retention_days from workspaces where id = $1) as log_retention_days
from unnest($2::text[]) as asked (id)
join devices as device on device.workspace_id = $3 and device.id = asked.id
order by device.id
for key share of device skip locked;

-- server/src/features/crashes/intake/store.ts lockMemories
select memory.device_id, memory.runs, memory.hour, memory.taken
from unnest($1::text[]) as asked (id)
join crash_devices as memory on memory.workspace_id = $2 and memory.device_id = asked.id
order by memory.device_id
for no key update of memory;

-- server/src/features/crashes/intake/store.ts lockMemories
insert into crash_devices (workspace_id, device_id, hour)
select $1, given.device_id, $2
from unnest($3::text[]) as given (device_id)
where not exists (
  select
  from crash_devices as known
  where known.workspace_id = $4 and known.device_id = given.device_id
)
order by given.device_id collate "C"
on conflict (workspace_id, device_id)
do nothing;

-- server/src/features/crashes/intake/store.ts reopenReturned
update crash_groups as closed
set closed_at = null, closed_by_email = null, fixed_in_version_id = null, fixed_in = null,
  reopened_at = $1
from (
  select distinct on (group_of.id) group_of.id, group_of.fixed_in, version.name as version
  from unnest($2::uuid[]) as given (id)
  join crash_stacks as stack on stack.workspace_id = $3 and stack.id = given.id
  join crash_groups as group_of on group_of.workspace_id = $4 and group_of.id = stack.group_id
  join firmware_versions as fixed on fixed.workspace_id = $5
    and fixed.id = group_of.fixed_in_version_id
  join crash_versions as crashed on crashed.workspace_id = $6 and crashed.stack_id = stack.id
    and crashed.last_seen_at > group_of.closed_at
  join firmware_versions as version on version.workspace_id = $7
    and version.id = crashed.firmware_version_id
    and (version.created_at, version.id) >= (fixed.created_at, fixed.id)
  where group_of.closed_at is not null
  order by group_of.id, version.created_at desc
) as returned
where closed.workspace_id = $8 and closed.id = returned.id and closed.closed_at is not null
returning closed.id, returned.fixed_in, returned.version,
  closed.reason || coalesce(' in ' || closed.frames[1], '') as title;

-- server/src/features/crashes/intake/store.ts updateMemories
update crash_devices as memory
set runs = given.runs, hour = given.hour, taken = given.taken,
  reports_since = coalesce(memory.reports_since, $1), unknown_since = null
from json_to_recordset($2::json) as given (
  "deviceId" text, runs jsonb, hour timestamptz, taken integer
)
where memory.workspace_id = $3 and memory.device_id = given."deviceId";

-- server/src/features/crashes/lines/store.ts countLines
select count(*)::int as count from crash_lines where workspace_id = $1 and build_id = $2;

-- server/src/features/crashes/lines/store.ts deleteLines
delete from crash_lines where workspace_id = $1 and build_id = $2;

-- server/src/features/crashes/lines/store.ts findBuild
select lines_at, lines_by_email from crash_builds where workspace_id = $1 and build_id = $2;

-- server/src/features/crashes/lines/store.ts holdBuilds
select build_id
from crash_builds
where workspace_id = $1 and build_id = any($2::text[])
order by build_id
for share;

-- server/src/features/crashes/lines/store.ts holdBuilds
insert into crash_builds (workspace_id, build_id, created_at)
select $1, given.build_id, $2
from unnest($3::text[]) as given (build_id)
order by given.build_id collate "C"
on conflict (workspace_id, build_id)
do nothing;

-- server/src/features/crashes/lines/store.ts listAddresses
select used.address
from (
  select distinct frame ->> 'lookup' as address
  from crash_reports as report
  cross join lateral jsonb_array_elements(report.frames) as frame
  where report.workspace_id = $1 and report.build_id = $2 and frame ->> 'lookup' is not null
  union select address
  from crash_stacks as stack
  cross join lateral unnest(stack.addresses) as address
  where stack.workspace_id = $3 and stack.build_id = $4 and address is not null
) as used
where true
order by length(used.address), used.address
limit $5;

-- server/src/features/crashes/lines/store.ts listAddresses
select used.address
from (
  select distinct frame ->> 'lookup' as address
  from crash_reports as report
  cross join lateral jsonb_array_elements(report.frames) as frame
  where report.workspace_id = $1 and report.build_id = $2 and frame ->> 'lookup' is not null
  union select address
  from crash_stacks as stack
  cross join lateral unnest(stack.addresses) as address
  where stack.workspace_id = $3 and stack.build_id = $4 and address is not null
) as used
where not exists (
  select
  from crash_lines as line
  where line.workspace_id = $5 and line.build_id = $6 and line.address = used.address
)
order by length(used.address), used.address
limit $7;

-- server/src/features/crashes/lines/store.ts listBuilds
select build.build_id, build.lines_at, build.lines_by_email, address_count, open_count,
  (
    select json_build_object(
      'id', version.id, 'name', version.name, 'firmware',
        json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
    )
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
    where version.workspace_id = $2
      and (
        version.build_id = build.build_id or firmware.slug || '@' || version.name = build.build_id
      )
    order by version.build_id nulls last
    limit 1
  ) as firmware_version
from crash_builds as build
cross join lateral (
  select count(*)::int as address_count,
    count(*) filter (where line.address is null)::int as open_count
  from (
    select distinct frame ->> 'lookup' as address
    from crash_reports as report
    cross join lateral jsonb_array_elements(report.frames) as frame
    where report.workspace_id = $3 and report.build_id = build.build_id
      and frame ->> 'lookup' is not null
  ) as used
  left join crash_lines as line on line.workspace_id = $4 and line.build_id = build.build_id
    and line.address = used.address
) as counted
where build.workspace_id = $5
order by build.build_id
limit $6;

-- server/src/features/crashes/lines/store.ts listBuilds
select build.build_id, build.lines_at, build.lines_by_email, address_count, open_count,
  (
    select json_build_object(
      'id', version.id, 'name', version.name, 'firmware',
        json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
    )
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
    where version.workspace_id = $2
      and (
        version.build_id = build.build_id or firmware.slug || '@' || version.name = build.build_id
      )
    order by version.build_id nulls last
    limit 1
  ) as firmware_version
from crash_builds as build
cross join lateral (
  select count(*)::int as address_count,
    count(*) filter (where line.address is null)::int as open_count
  from (
    select distinct frame ->> 'lookup' as address
    from crash_reports as report
    cross join lateral jsonb_array_elements(report.frames) as frame
    where report.workspace_id = $3 and report.build_id = build.build_id
      and frame ->> 'lookup' is not null
  ) as used
  left join crash_lines as line on line.workspace_id = $4 and line.build_id = build.build_id
    and line.address = used.address
) as counted
where build.workspace_id = $5 and (open_count > 0) = $6
order by build.build_id
limit $7;

-- server/src/features/crashes/lines/store.ts listLines
select line.build_id, line.address, line.frames
from (
  select distinct build_id, address from unnest($1::text[], $2::text[]) as given (build_id, address)
) as given
join crash_lines as line on line.workspace_id = $3 and line.build_id = given.build_id
  and line.address = given.address;

-- server/src/features/crashes/lines/store.ts lockBuild
insert into crash_builds (workspace_id, build_id, created_at, lines_at, lines_by_email)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id, build_id)
do update
set lines_at = excluded.lines_at, lines_by_email = excluded.lines_by_email;

-- server/src/features/crashes/lines/store.ts upsertLines
insert into crash_lines (workspace_id, build_id, address, frames)
select $1, $2, given.address, given.frames
from json_to_recordset($3::json) as given (address text, frames jsonb)
on conflict (workspace_id, build_id, address)
do update
set frames = excluded.frames;

-- server/src/features/crashes/reporting/rates-store.ts listCrashRates
select version.id as firmware_version_id, version.name as version_name,
  json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
  rate.device_days, rate.crashed_device_days
from (
  select counted.firmware_version_id, sum(counted.device_days)::int as device_days,
    sum(counted.crashed_days)::int as crashed_device_days
  from (
    select firmware_version_id, device_count as device_days, crashed_device_count as crashed_days
    from crash_version_days
    where workspace_id = $1 and day between ($2::timestamptz at time zone 'UTC')::date - $3::int
      and ($4::timestamptz at time zone 'UTC')::date
    union all select unmarked.firmware_version_id, 1, 0
    from (
      select running.firmware_version_id, device.id as device_id, device.cohort_id, heard.day
      from crash_devices as reporter
      join devices as device on device.workspace_id = $5 and device.id = reporter.device_id
      cross join lateral (
        select (
          case when device.connected then $6::timestamptz
            else device.last_seen_at end at time zone 'UTC'
        )::date as day
      ) as heard
      join device_firmwares as running on running.workspace_id = $7
        and running.device_id = device.id and running.firmware_version_id is not null
      left join crash_device_days as marked on marked.workspace_id = $8
        and marked.firmware_version_id = running.firmware_version_id
        and marked.device_id = device.id
      where reporter.workspace_id = $9 and reporter.reports_since is not null
        and heard.day >= ($10::timestamptz at time zone 'UTC')::date - 1
        and (marked.days is null or not marked.days @> heard.day)
    ) as unmarked
    where unmarked.day between ($11::timestamptz at time zone 'UTC')::date - $12::int
      and ($13::timestamptz at time zone 'UTC')::date
      and ($14::uuid is null or unmarked.cohort_id = $15::uuid)
  ) as counted
  group by counted.firmware_version_id
  having sum(counted.device_days) > 0
) as rate
join firmware_versions as version on version.workspace_id = $16
  and version.id = rate.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $17 and firmware.id = version.firmware_id
where cardinality($18::uuid[]) = 0 or version.firmware_id = any($19::uuid[])
order by version.id;

-- server/src/features/crashes/reporting/rates-store.ts listCrashRates
select version.id as firmware_version_id, version.name as version_name,
  json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
  rate.device_days, rate.crashed_device_days
from (
  select counted.firmware_version_id, sum(counted.device_days)::int as device_days,
    sum(counted.crashed_days)::int as crashed_device_days
  from (
    select marked.firmware_version_id, counted.device_days, counted.crashed_days
    from devices as device
    join crash_device_days as marked on marked.workspace_id = $1 and marked.device_id = device.id
    cross join lateral (
      select (
        select coalesce(sum(upper(span) - lower(span)), 0)
        from unnest(
          marked.days * datemultirange(
            daterange(
              ($2::timestamptz at time zone 'UTC')::date - $3::int,
                ($4::timestamptz at time zone 'UTC')::date + 1
            )
          )
        ) as span
      ) as device_days,
        (
          select coalesce(sum(upper(span) - lower(span)), 0)
          from unnest(
            marked.crashed_days * datemultirange(
              daterange(
                ($5::timestamptz at time zone 'UTC')::date - $6::int,
                  ($7::timestamptz at time zone 'UTC')::date + 1
              )
            )
          ) as span
        ) as crashed_days
    ) as counted
    where device.workspace_id = $8 and device.cohort_id = $9::uuid
    union all select unmarked.firmware_version_id, 1, 0
    from (
      select running.firmware_version_id, device.id as device_id, device.cohort_id, heard.day
      from crash_devices as reporter
      join devices as device on device.workspace_id = $10 and device.id = reporter.device_id
      cross join lateral (
        select (
          case when device.connected then $11::timestamptz
            else device.last_seen_at end at time zone 'UTC'
        )::date as day
      ) as heard
      join device_firmwares as running on running.workspace_id = $12
        and running.device_id = device.id and running.firmware_version_id is not null
      left join crash_device_days as marked on marked.workspace_id = $13
        and marked.firmware_version_id = running.firmware_version_id
        and marked.device_id = device.id
      where reporter.workspace_id = $14 and reporter.reports_since is not null
        and heard.day >= ($15::timestamptz at time zone 'UTC')::date - 1
        and (marked.days is null or not marked.days @> heard.day)
    ) as unmarked
    where unmarked.day between ($16::timestamptz at time zone 'UTC')::date - $17::int
      and ($18::timestamptz at time zone 'UTC')::date
      and ($19::uuid is null or unmarked.cohort_id = $20::uuid)
  ) as counted
  group by counted.firmware_version_id
  having sum(counted.device_days) > 0
) as rate
join firmware_versions as version on version.workspace_id = $21
  and version.id = rate.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $22 and firmware.id = version.firmware_id
where cardinality($23::uuid[]) = 0 or version.firmware_id = any($24::uuid[])
order by version.id;

-- server/src/features/crashes/reporting/store.ts addDeviceDays
with given as materialized (
  select given."firmwareVersionId" as firmware_version_id, given."deviceId" as device_id,
    (given.day at time zone 'UTC')::date as day, sum(given."crashCount")::int as crash_count
  from json_to_recordset($1::json) as given (
    "firmwareVersionId" uuid, "deviceId" text, day timestamptz, "crashCount" integer
  )
  group by 1, 2, 3
),
  counted as materialized (
    select given.firmware_version_id, given.day, sum(given.crash_count)::int as crash_count,
      count(*) filter (where known.days is null or not known.days @> given.day)::int as device_count,
      count(*) filter (
        where given.crash_count > 0
          and (known.crashed_days is null or not known.crashed_days @> given.day)
      )::int as crashed_device_count
    from given
    left join crash_device_days as known on known.workspace_id = $2
      and known.firmware_version_id = given.firmware_version_id
      and known.device_id = given.device_id
    group by given.firmware_version_id, given.day
  ),
  marked as (
    insert into crash_device_days as known (
      workspace_id, firmware_version_id, device_id, days, crashed_days
    )
    select $3, given.firmware_version_id, given.device_id,
      range_agg(daterange(given.day, given.day + 1)),
      coalesce(
        range_agg(daterange(given.day, given.day + 1)) filter (where given.crash_count > 0), '{}'
      )
    from given
    group by given.firmware_version_id, given.device_id
    order by given.firmware_version_id, given.device_id
    on conflict (workspace_id, firmware_version_id, device_id)
    do update
    set days = known.days + excluded.days, crashed_days = known.crashed_days + excluded.crashed_days
  )
insert into crash_version_days as known (
  workspace_id, firmware_version_id, day, device_count, crashed_device_count, crash_count
)
select $4, counted.firmware_version_id, counted.day, counted.device_count,
  counted.crashed_device_count, counted.crash_count
from counted
order by counted.firmware_version_id, counted.day
on conflict (workspace_id, firmware_version_id, day)
do update
set device_count = known.device_count + excluded.device_count,
  crashed_device_count = known.crashed_device_count + excluded.crashed_device_count,
  crash_count = known.crash_count + excluded.crash_count;

-- server/src/features/crashes/reporting/store.ts countReporting
select count(*) filter (where reporter.reports_since is not null)::int as reporting_device_count,
  count(*) filter (where reporter.reports_since is null)::int as other_device_count,
  count(*) filter (where reporter.unknown_since is not null)::int as unknown_device_count
from devices as device
left join crash_devices as reporter on reporter.workspace_id = $1 and reporter.device_id = device.id
where device.workspace_id = $2;

-- server/src/features/crashes/reporting/store.ts countReporting
select count(*) filter (where reporter.reports_since is not null)::int as reporting_device_count,
  count(*) filter (where reporter.reports_since is null)::int as other_device_count,
  count(*) filter (where reporter.unknown_since is not null)::int as unknown_device_count
from devices as device
left join crash_devices as reporter on reporter.workspace_id = $1 and reporter.device_id = device.id
where device.workspace_id = $2
  and exists (
    select
    from device_firmwares as running
    join firmware_versions as version on version.workspace_id = $3
      and version.id = running.firmware_version_id
    where running.workspace_id = $4 and running.device_id = device.id
      and version.firmware_id = $5::uuid
  );

-- server/src/features/crashes/reporting/store.ts findDeviceReporting
select reports_since, unknown_since, says_so, is_crash_old, hour
from crash_devices
where workspace_id = $1 and device_id = $2;

-- server/src/features/crashes/reporting/store.ts forgetOldCrashes
with old as (
  select device_id, hour + make_interval(days => $1) as known_until
  from crash_devices
  where workspace_id = $2 and reports_since is not null and not says_so and hour < $3
  order by device_id
  for no key update skip locked
)
update crash_devices as known
set reports_since = null, unknown_since = old.known_until, is_crash_old = true
from old
where known.workspace_id = $4 and known.device_id = old.device_id;

-- server/src/features/crashes/reporting/store.ts hasCrashReporters
select exists (
  select
  from crash_devices as reporter
  where reporter.workspace_id = $1 and reporter.reports_since is not null
    and (
      cardinality($2::uuid[]) = 0
        or exists (
          select
          from device_firmwares as running
          join firmware_versions as version on version.workspace_id = $3
            and version.id = running.firmware_version_id
          where running.workspace_id = $4 and running.device_id = reporter.device_id
            and version.firmware_id = any($5::uuid[])
        )
    )
) as has;

-- server/src/features/crashes/reporting/store.ts isComparable
select not exists (
  select
  from firmware_versions as earlier
  where earlier.workspace_id = $1 and earlier.firmware_id = version.firmware_id
    and (earlier.created_at, earlier.id) < (version.created_at, version.id)
)
  or exists (
    select
    from firmware_versions as earlier
    where earlier.workspace_id = $2 and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id)
      and (
        exists (
          select
          from crash_version_days as measured
          where measured.workspace_id = $3 and measured.firmware_version_id = earlier.id
        )
          or exists (
            select
            from crash_versions as crashed
            where crashed.workspace_id = $4 and crashed.firmware_version_id = earlier.id
          )
      )
  ) as is_comparable
from firmware_versions as version
where version.workspace_id = $5 and version.id = $6::uuid;

-- server/src/features/crashes/reporting/store.ts listChangingClaims
select device.id as device_id
from unnest($1::text[], $2::boolean[]) as claim (device_id, says)
join devices as device on device.workspace_id = $3 and device.id = claim.device_id
left join crash_devices as known on known.workspace_id = $4 and known.device_id = claim.device_id
where case when claim.says is null then coalesce(known.says_so, false)
  else coalesce(known.says_so, false) <> claim.says
  or (known.reports_since is not null) <> claim.says or known.unknown_since is not null end;

-- server/src/features/crashes/reporting/store.ts listReportingOfVersions
select running.firmware_version_id,
  count(*) filter (where reporter.reports_since is not null)::int as reporting_device_count,
  count(*) filter (where reporter.reports_since is null)::int as other_device_count,
  count(*) filter (where reporter.unknown_since is not null)::int as unknown_device_count
from device_firmwares as running
left join crash_devices as reporter on reporter.workspace_id = $1
  and reporter.device_id = running.device_id
where running.workspace_id = $2 and running.firmware_version_id = any($3::uuid[])
group by running.firmware_version_id;

-- server/src/features/crashes/reporting/store.ts listReportingWorkspaces
select workspace.id
from workspaces as workspace
where exists (
  select
  from crash_devices as reporter
  where reporter.workspace_id = workspace.id and reporter.reports_since is not null
)
order by workspace.id;

-- server/src/features/crashes/reporting/store.ts listUnmarkedDays
select unmarked.firmware_version_id, unmarked.device_id,
  (unmarked.day::timestamp at time zone 'UTC') as day
from (
  select running.firmware_version_id, device.id as device_id, device.cohort_id, heard.day
  from crash_devices as reporter
  join devices as device on device.workspace_id = $1 and device.id = reporter.device_id
  cross join lateral (
    select (
      case when device.connected then $2::timestamptz
        else device.last_seen_at end at time zone 'UTC'
    )::date as day
  ) as heard
  join device_firmwares as running on running.workspace_id = $3 and running.device_id = device.id
    and running.firmware_version_id is not null
  left join crash_device_days as marked on marked.workspace_id = $4
    and marked.firmware_version_id = running.firmware_version_id and marked.device_id = device.id
  where reporter.workspace_id = $5 and reporter.reports_since is not null
    and heard.day >= ($6::timestamptz at time zone 'UTC')::date - 1
    and (marked.days is null or not marked.days @> heard.day) and reporter.device_id > $7
) as unmarked
order by unmarked.device_id fetch first $8 rows with ties;

-- server/src/features/crashes/reporting/store.ts lockReporters
select reporter.device_id
from crash_devices as reporter
where reporter.workspace_id = $1 and reporter.device_id = any($2::text[])
  and reporter.reports_since is not null
order by reporter.device_id
for no key update of reporter;

-- server/src/features/crashes/reporting/store.ts updateClaims
update crash_devices as known
set reports_since = case when given.says then coalesce(known.reports_since, given.at) end,
  unknown_since = case when given.says is null then given.at end, is_crash_old = false,
  says_so = coalesce(given.says, false)
from json_to_recordset($1::json) as given ("deviceId" text, says boolean, at timestamptz)
where known.workspace_id = $2 and known.device_id = given."deviceId";

-- server/src/features/crashes/retention/store.ts deleteDeviceCounts
delete from crash_device_hours where workspace_id = $1 and hour < $2;

-- server/src/features/crashes/retention/store.ts deleteDeviceCounts
delete from crash_device_days
where workspace_id = $1 and upper(days) <= ($2::timestamptz at time zone 'UTC')::date;

-- server/src/features/crashes/retention/store.ts deleteReports
delete from crash_reports where workspace_id = $1 and time < $2;

-- server/src/features/crashes/retention/store.ts listCrashRetentions
select workspace.id as workspace_id, workspace.log_retention_days, workspace.metric_retention_days
from workspaces as workspace
where exists (select from crash_devices as crashed where crashed.workspace_id = workspace.id)
order by workspace.id;

-- server/src/features/crashes/store.ts countGroups
select count(*)::int as count
from (
  select
  from crash_groups as crash
  join crash_group_totals as totals on totals.workspace_id = $1 and totals.group_id = crash.id
  where crash.workspace_id = $2 and crash.firmware_id = $3::uuid
  limit $4
) as counted;

-- server/src/features/crashes/store.ts findGroup
select crash.id, crash.reason, crash.frames, crash.build_id, crash.closed_at, crash.closed_by_email,
  crash.fixed_in, crash.fixed_in_version_id, crash.reopened_at,
  totals.crash_count::int as crash_count, totals.first_seen_at, totals.last_seen_at,
  totals.device_count,
  (
    select json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
    from firmwares as firmware
    where firmware.workspace_id = $1 and firmware.id = crash.firmware_id
  ) as firmware,
  (
    select json_build_object('id', version.id, 'name', version.name)
    from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = $2 and counted.stack_id = stack.id
    join firmware_versions as version on version.workspace_id = $3
      and version.id = counted.firmware_version_id
    where stack.workspace_id = $4 and stack.group_id = crash.id
    order by version.created_at asc, version.id asc
    limit 1
  ) as first_version,
  (
    select json_build_object('id', version.id, 'name', version.name)
    from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = $5 and counted.stack_id = stack.id
    join firmware_versions as version on version.workspace_id = $6
      and version.id = counted.firmware_version_id
    where stack.workspace_id = $7 and stack.group_id = crash.id
    order by version.created_at desc, version.id desc
    limit 1
  ) as last_version
from crash_groups as crash
join crash_group_totals as totals on totals.workspace_id = $8 and totals.group_id = crash.id
where crash.workspace_id = $9 and crash.id = $10::uuid;

-- server/src/features/crashes/store.ts hasDevice
select id from devices where workspace_id = $1 and id = $2;

-- server/src/features/crashes/store.ts listGroupDevices
select named.device_id, named.crash_count, named.last_at,
  (
    select coalesce(sum(hours.dropped_count), 0)::int
    from crash_device_hours as hours
    where hours.workspace_id = $1 and hours.device_id = named.device_id
  ) as dropped_count
from (
  select daily.device_id, sum(daily.crash_count)::int as crash_count, max(daily.last_at) as last_at
  from crash_stacks as stack
  join crash_counts as daily on daily.workspace_id = $2 and daily.stack_id = stack.id
  where stack.workspace_id = $3 and stack.group_id = $4
  group by daily.device_id
  order by last_at desc, daily.device_id
  limit 100
) as named
order by named.last_at desc, named.device_id;

-- server/src/features/crashes/store.ts listGroupVersions
select counted.crash_count, counted.first_seen_at, counted.last_seen_at, case
  when version.id is not null then json_build_object('id', version.id, 'name', version.name) end as
  firmware_version,
  (
    select count(distinct daily.device_id)::int
    from crash_stacks as stack
    join crash_counts as daily on daily.workspace_id = $1 and daily.stack_id = stack.id
    where stack.workspace_id = $2 and stack.group_id = $3
      and daily.firmware_version_id is not distinct from counted.firmware_version_id
  ) as device_count
from (
  select counted.firmware_version_id, sum(counted.crash_count)::int as crash_count,
    min(counted.first_seen_at) as first_seen_at, max(counted.last_seen_at) as last_seen_at
  from crash_stacks as stack
  join crash_versions as counted on counted.workspace_id = $4 and counted.stack_id = stack.id
  where stack.workspace_id = $5 and stack.group_id = $6
  group by counted.firmware_version_id
) as counted
left join firmware_versions as version on version.workspace_id = $7
  and version.id = counted.firmware_version_id
order by version.created_at desc nulls last, version.id desc
limit 200;

-- server/src/features/crashes/store.ts listGroups: the shortest and the longest of many variants
--   07a056ce 080f00d7 0bcf16ef 24d51a65 29c63132 60345c01 626047d0 753d5c91 781570c6 876aba19
--   9a157425 b956470d bc7cb04b bf4c0adf f0098f37
select paged.id, paged.reason, paged.frames, paged.build_id, paged.closed_at, paged.closed_by_email,
  paged.fixed_in, paged.fixed_in_version_id, paged.reopened_at, paged.crash_count,
  paged.first_seen_at, paged.last_seen_at, paged.device_count, paged.firmware, paged.first_version,
  paged.last_version, json_build_array(sort_0, sort_1) as sort_values
from (
  select crash.id, crash.reason, crash.frames, crash.build_id, crash.closed_at,
    crash.closed_by_email, crash.fixed_in, crash.fixed_in_version_id, crash.reopened_at,
    totals.crash_count::int as crash_count, totals.first_seen_at, totals.last_seen_at,
    totals.device_count,
    (
      select json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
      from firmwares as firmware
      where firmware.workspace_id = $1 and firmware.id = crash.firmware_id
    ) as firmware,
    (
      select json_build_object('id', version.id, 'name', version.name)
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = $2 and counted.stack_id = stack.id
      join firmware_versions as version on version.workspace_id = $3
        and version.id = counted.firmware_version_id
      where stack.workspace_id = $4 and stack.group_id = crash.id
      order by version.created_at asc, version.id asc
      limit 1
    ) as first_version,
    (
      select json_build_object('id', version.id, 'name', version.name)
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = $5 and counted.stack_id = stack.id
      join firmware_versions as version on version.workspace_id = $6
        and version.id = counted.firmware_version_id
      where stack.workspace_id = $7 and stack.group_id = crash.id
      order by version.created_at desc, version.id desc
      limit 1
    ) as last_version, totals.last_seen_at as sort_0, crash.id as sort_1
  from crash_groups as crash
  join crash_group_totals as totals on totals.workspace_id = $8 and totals.group_id = crash.id
  where crash.workspace_id = $9
  order by totals.last_seen_at desc, crash.id desc
  limit $10
) as paged
order by sort_0 desc, sort_1 desc;

select paged.id, paged.reason, paged.frames, paged.build_id, paged.closed_at, paged.closed_by_email,
  paged.fixed_in, paged.fixed_in_version_id, paged.reopened_at, paged.crash_count,
  paged.first_seen_at, paged.last_seen_at, paged.device_count, paged.firmware, paged.first_version,
  paged.last_version, json_build_array(sort_0, sort_1) as sort_values
from (
  select crash.id, crash.reason, crash.frames, crash.build_id, crash.closed_at,
    crash.closed_by_email, crash.fixed_in, crash.fixed_in_version_id, crash.reopened_at,
    totals.crash_count::int as crash_count, totals.first_seen_at, totals.last_seen_at,
    totals.device_count,
    (
      select json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
      from firmwares as firmware
      where firmware.workspace_id = $1 and firmware.id = crash.firmware_id
    ) as firmware,
    (
      select json_build_object('id', version.id, 'name', version.name)
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = $2 and counted.stack_id = stack.id
      join firmware_versions as version on version.workspace_id = $3
        and version.id = counted.firmware_version_id
      where stack.workspace_id = $4 and stack.group_id = crash.id
      order by version.created_at asc, version.id asc
      limit 1
    ) as first_version,
    (
      select json_build_object('id', version.id, 'name', version.name)
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = $5 and counted.stack_id = stack.id
      join firmware_versions as version on version.workspace_id = $6
        and version.id = counted.firmware_version_id
      where stack.workspace_id = $7 and stack.group_id = crash.id
      order by version.created_at desc, version.id desc
      limit 1
    ) as last_version, totals.last_seen_at as sort_0, crash.id as sort_1
  from crash_groups as crash
  join crash_group_totals as totals on totals.workspace_id = $8 and totals.group_id = crash.id
  where crash.workspace_id = $9 and crash.firmware_id = $10::uuid
    and crash.id in (
      select stack.group_id
      from firmware_versions as since
      join firmware_versions as version on version.workspace_id = $11
        and version.firmware_id = since.firmware_id
      join crash_versions as counted on counted.workspace_id = $12
        and counted.firmware_version_id = version.id
      join crash_stacks as stack on stack.workspace_id = $13 and stack.id = counted.stack_id
      where since.workspace_id = $14 and since.id = $15::uuid
      group by stack.group_id
      having bool_and((version.created_at, version.id) >= (since.created_at, since.id))
    )
  order by totals.last_seen_at desc, crash.id desc
  limit $16
) as paged
order by sort_0 desc, sort_1 desc;

-- server/src/features/crashes/store.ts listReports
select report.id, stack.group_id, report.device_id, stack.reason, report.time, report.device_time,
  report.build_id, report.run_id, report.thread, report.frames,
  (
    select json_build_object('id', version.id, 'name', version.name)
    from firmware_versions as version
    where version.workspace_id = $1 and version.id = report.firmware_version_id
  ) as firmware_version
from crash_reports as report
join crash_stacks as stack on stack.workspace_id = $2 and stack.id = report.stack_id
where report.workspace_id = $3 and report.device_id = $4
order by report.time desc, report.id desc
limit $5;

-- server/src/features/crashes/store.ts listReports
select report.id, stack.group_id, report.device_id, stack.reason, report.time, report.device_time,
  report.build_id, report.run_id, report.thread, report.frames,
  (
    select json_build_object('id', version.id, 'name', version.name)
    from firmware_versions as version
    where version.workspace_id = $1 and version.id = report.firmware_version_id
  ) as firmware_version
from crash_reports as report
join crash_stacks as stack on stack.workspace_id = $2 and stack.id = report.stack_id
where report.workspace_id = $3 and stack.group_id = $4::uuid
order by report.time desc, report.id desc
limit $5;

-- server/src/features/crashes/store.ts lockGroup
select from crash_groups where workspace_id = $1 and id = $2 for no key update;

-- server/src/features/crashes/store.ts updateClosing
update crash_groups
set closed_at = $1, closed_by_email = $2, fixed_in_version_id = $3, fixed_in = $4
where workspace_id = $5 and id = $6;

-- server/src/features/crashes/totals/store.ts addTotals
with given as materialized (
  select given."groupId" as group_id, given."deviceId" as device_id, given.time,
    (given.day at time zone 'UTC')::date as day
  from json_to_recordset($1::json) as given (
    "groupId" uuid, "deviceId" text, time timestamptz, day timestamptz
  )
),
  of_device as (
    select given.group_id, given.day, given.device_id, count(*) as crash_count
    from given
    group by given.group_id, given.day, given.device_id
  )
insert into crash_group_days as kept (workspace_id, group_id, day, crash_count, device_count)
select $2, given.group_id, given.day, sum(given.crash_count)::int,
  count(*) filter (
    where not exists (
      select
      from crash_stacks as stack
      join crash_counts as counted on counted.workspace_id = $3
        and counted.device_id = given.device_id and counted.stack_id = stack.id
      where stack.workspace_id = $4 and stack.group_id = given.group_id and counted.day = given.day
    )
  )::int
from of_device as given
group by given.group_id, given.day
order by given.group_id, given.day
on conflict (workspace_id, group_id, day)
do update
set crash_count = kept.crash_count + excluded.crash_count,
  device_count = kept.device_count + excluded.device_count;

-- server/src/features/crashes/totals/store.ts addTotals
with given as materialized (
  select given."groupId" as group_id, given."deviceId" as device_id, given.time,
    (given.day at time zone 'UTC')::date as day
  from json_to_recordset($1::json) as given (
    "groupId" uuid, "deviceId" text, time timestamptz, day timestamptz
  )
),
  of_device as (
    select given.group_id, given.device_id, count(*) as crash_count,
      min(given.time) as first_seen_at, max(given.time) as last_seen_at
    from given
    group by given.group_id, given.device_id
  )
insert into crash_group_totals as kept (
  workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at
)
select $2, given.group_id, sum(given.crash_count),
  count(*) filter (
    where not exists (
      select
      from crash_stacks as stack
      join crash_counts as counted on counted.workspace_id = $3
        and counted.device_id = given.device_id and counted.stack_id = stack.id
      where stack.workspace_id = $4 and stack.group_id = given.group_id
    )
  )::int, min(given.first_seen_at), max(given.last_seen_at)
from of_device as given
group by given.group_id
order by given.group_id
on conflict (workspace_id, group_id)
do update
set crash_count = kept.crash_count + excluded.crash_count,
  device_count = kept.device_count + excluded.device_count,
  first_seen_at = least(kept.first_seen_at, excluded.first_seen_at),
  last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at);

-- server/src/features/crashes/totals/store.ts deleteAgedCounts
delete from crash_counts as counted using crash_stacks as stack
where counted.workspace_id = $1 and counted.day < ($2::timestamptz at time zone 'UTC')::date
  and stack.workspace_id = $3 and stack.id = counted.stack_id and stack.group_id = any($4::uuid[]);

-- server/src/features/crashes/totals/store.ts deleteCountsOfDevices
delete from crash_group_days where workspace_id = $1 and crash_count = 0;

-- server/src/features/crashes/totals/store.ts deleteCountsOfDevices
with gone as (
  delete from crash_counts
  where workspace_id = $1 and device_id = any($2::text[])
  returning stack_id, device_id, day, crash_count
),
  placed as materialized (
    select stack.group_id, gone.device_id, gone.day, gone.crash_count
    from gone
    join crash_stacks as stack on stack.workspace_id = $3 and stack.id = gone.stack_id
  ),
  days as (
    update crash_group_days as kept
    set crash_count = kept.crash_count - taken.crash_count,
      device_count = kept.device_count - taken.device_count
    from (
      select group_id, day, sum(crash_count)::int as crash_count,
        count(distinct device_id)::int as device_count
      from placed
      group by group_id, day
    ) as taken
    where kept.workspace_id = $4 and kept.group_id = taken.group_id and kept.day = taken.day
    returning kept.group_id
  )
update crash_group_totals as kept
set device_count = kept.device_count - taken.device_count
from (select group_id, count(distinct device_id)::int as device_count from placed group by group_id)
  as taken
where kept.workspace_id = $5 and kept.group_id = taken.group_id;

-- server/src/features/crashes/totals/store.ts deleteCountsOfVersions
delete from crash_counts where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/crashes/totals/store.ts deleteCountsOfVersions
delete from crash_versions where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/crashes/totals/store.ts listAgedGroups
select distinct stack.group_id
from crash_counts as counted
join crash_stacks as stack on stack.workspace_id = $1 and stack.id = counted.stack_id
where counted.workspace_id = $2 and counted.day < ($3::timestamptz at time zone 'UTC')::date
order by stack.group_id
limit $4;

-- server/src/features/crashes/totals/store.ts listGroupsOfDevices
select distinct stack.group_id
from crash_counts as counted
join crash_stacks as stack on stack.workspace_id = $1 and stack.id = counted.stack_id
where counted.workspace_id = $2 and counted.device_id = any($3::text[]);

-- server/src/features/crashes/totals/store.ts listGroupsOfVersions
select distinct stack.group_id
from crash_versions as counted
join crash_stacks as stack on stack.workspace_id = $1 and stack.id = counted.stack_id
where counted.workspace_id = $2 and counted.firmware_version_id = any($3::uuid[]);

-- server/src/features/crashes/totals/store.ts recountGroups
delete from crash_group_days where workspace_id = $1 and group_id = any($2::uuid[]);

-- server/src/features/crashes/totals/store.ts recountGroups
delete from crash_group_totals where workspace_id = $1 and group_id = any($2::uuid[]);

-- server/src/features/crashes/totals/store.ts recountGroups
insert into crash_group_days (workspace_id, group_id, day, crash_count, device_count)
select $1, counted.group_id, counted.day, counted.crash_count, counted.device_count
from (
  select stack.group_id, daily.day, sum(daily.crash_count)::int as crash_count,
    count(distinct daily.device_id)::int as device_count
  from crash_stacks as stack
  join crash_counts as daily on daily.workspace_id = $2 and daily.stack_id = stack.id
  where stack.workspace_id = $3 and stack.group_id = any($4::uuid[])
  group by stack.group_id, daily.day
) as counted;

-- server/src/features/crashes/totals/store.ts recountGroups
insert into crash_group_totals (
  workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at
)
select $1, counted.group_id, counted.crash_count, counted.device_count, counted.first_seen_at,
  counted.last_seen_at
from (
  select counted.group_id, counted.crash_count, coalesce(reach.device_count, 0) as device_count,
    counted.first_seen_at, counted.last_seen_at
  from (
    select stack.group_id, sum(versioned.crash_count)::bigint as crash_count,
      min(versioned.first_seen_at) as first_seen_at, max(versioned.last_seen_at) as last_seen_at
    from crash_stacks as stack
    join crash_versions as versioned on versioned.workspace_id = $2
      and versioned.stack_id = stack.id
    where stack.workspace_id = $3 and stack.group_id = any($4::uuid[])
    group by stack.group_id
  ) as counted
  left join (
    select stack.group_id, count(distinct daily.device_id)::int as device_count
    from crash_stacks as stack
    join crash_counts as daily on daily.workspace_id = $5 and daily.stack_id = stack.id
    where stack.workspace_id = $6 and stack.group_id = any($7::uuid[])
    group by stack.group_id
  ) as reach using (group_id)
) as counted;

-- server/src/features/crashes/trend-store.ts listGroupDays
select group_id, day::text as day, crash_count, device_count
from crash_group_days
where workspace_id = $1 and group_id = any($2::uuid[])
  and day >= ($3::timestamptz at time zone 'UTC')::date - $4::int;

-- server/src/features/crashes/trend-store.ts listMeasuredDays
select version.firmware_id, measured.day::text as day,
  sum(measured.device_count)::int as device_count
from crash_version_days as measured
join firmware_versions as version on version.workspace_id = $1
  and version.id = measured.firmware_version_id
where measured.workspace_id = $2
  and measured.day >= ($3::timestamptz at time zone 'UTC')::date - $4::int
  and measured.device_count > 0
group by version.firmware_id, measured.day;

-- server/src/features/crashes/trend-store.ts listVersionDays
with measured as materialized (
  select firmware_version_id, day, device_count, crashed_device_count, crash_count
  from crash_version_days
  where workspace_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date - $3::int
  union all select unmarked.firmware_version_id, unmarked.day, 1, 0, 0
  from (
    select running.firmware_version_id, device.id as device_id, device.cohort_id, heard.day
    from crash_devices as reporter
    join devices as device on device.workspace_id = $4 and device.id = reporter.device_id
    cross join lateral (
      select (
        case when device.connected then $5::timestamptz
          else device.last_seen_at end at time zone 'UTC'
      )::date as day
    ) as heard
    join device_firmwares as running on running.workspace_id = $6 and running.device_id = device.id
      and running.firmware_version_id is not null
    left join crash_device_days as marked on marked.workspace_id = $7
      and marked.firmware_version_id = running.firmware_version_id and marked.device_id = device.id
    where reporter.workspace_id = $8 and reporter.reports_since is not null
      and heard.day >= ($9::timestamptz at time zone 'UTC')::date - 1
      and (marked.days is null or not marked.days @> heard.day)
  ) as unmarked
),
  compared as materialized (
    select other.id, other.name, other.created_at
    from firmware_versions as version
    join firmware_versions as other on other.workspace_id = $10
      and other.firmware_id = version.firmware_id
      and (other.created_at, other.id) <= (version.created_at, version.id)
    where version.workspace_id = $11 and version.id = $12::uuid
      and exists (select from measured where measured.firmware_version_id = other.id)
    order by other.created_at desc, other.id desc
    limit $13
  )
select compared.id as firmware_version_id, compared.name, measured.day::text as day,
  sum(measured.device_count)::int as reporting_device_count,
  sum(measured.crashed_device_count)::int as crashed_device_count,
  sum(measured.crash_count)::int as crash_count
from compared
join measured on measured.firmware_version_id = compared.id
group by compared.id, compared.name, compared.created_at, measured.day
having sum(measured.device_count) > 0
order by compared.created_at desc, compared.id desc, measured.day;

-- server/src/features/crashes/version-store.ts listRecentCrashes
select distinct firmware_version_id as id
from crash_versions
where workspace_id = $1 and firmware_version_id is not null and first_received_at >= $2
  and first_received_at < $3;

-- server/src/features/crashes/version-store.ts listVersionCrashes
select found.firmware_version_id, version.name as version_name,
  json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
  crash.id as group_id, crash.reason, crash.frames, crash.build_id, crash.closed_at,
  found.crash_count, found.first_seen_at, found.last_seen_at, found.first_received_at,
  (
    select count(distinct daily.device_id)::int
    from crash_stacks as stack
    join crash_counts as daily on daily.workspace_id = $1 and daily.stack_id = stack.id
    where stack.workspace_id = $2 and stack.group_id = crash.id
      and daily.firmware_version_id = found.firmware_version_id
  ) as device_count,
  exists (
    select
    from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = $3 and counted.stack_id = stack.id
    join firmware_versions as earlier on earlier.workspace_id = $4
      and earlier.id = counted.firmware_version_id
    where stack.workspace_id = $5 and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id)
      and stack.group_id = crash.id
  ) as is_known, case
  when exists (
    select
    from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = $6 and counted.stack_id = stack.id
    join firmware_versions as earlier on earlier.workspace_id = $7
      and earlier.id = counted.firmware_version_id
    where stack.workspace_id = $8 and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id)
      and stack.group_id = crash.id
  ) then null when crash.build_id is not null
  and exists (
    select
    from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = $9 and counted.stack_id = stack.id
    join firmware_versions as earlier on earlier.workspace_id = $10
      and earlier.id = counted.firmware_version_id
    where stack.workspace_id = $11 and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id)
      and stack.reason = crash.reason
  ) then 'LinesMissing' when not version.is_comparable then 'NotMeasured' end as unknown_because
from (
  select counted.firmware_version_id, stack.group_id, sum(counted.crash_count)::int as crash_count,
    min(counted.first_seen_at) as first_seen_at, max(counted.last_seen_at) as last_seen_at,
    min(counted.first_received_at) as first_received_at
  from crash_versions as counted
  join crash_stacks as stack on stack.workspace_id = $12 and stack.id = counted.stack_id
  where counted.workspace_id = $13 and counted.firmware_version_id = any($14::uuid[])
  group by counted.firmware_version_id, stack.group_id
) as found
join crash_groups as crash on crash.workspace_id = $15 and crash.id = found.group_id
join (
  select version.id, version.name, version.firmware_id, version.created_at,
    not exists (
      select
      from firmware_versions as earlier
      where earlier.workspace_id = $16 and earlier.firmware_id = version.firmware_id
        and (earlier.created_at, earlier.id) < (version.created_at, version.id)
    )
    or exists (
      select
      from firmware_versions as earlier
      where earlier.workspace_id = $17 and earlier.firmware_id = version.firmware_id
        and (earlier.created_at, earlier.id) < (version.created_at, version.id)
        and (
          exists (
            select
            from crash_version_days as measured
            where measured.workspace_id = $18 and measured.firmware_version_id = earlier.id
          )
            or exists (
              select
              from crash_versions as crashed
              where crashed.workspace_id = $19 and crashed.firmware_version_id = earlier.id
            )
        )
    ) as is_comparable
  from firmware_versions as version
  where version.workspace_id = $20 and version.id = any($21::uuid[])
) as version on version.id = found.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $22 and firmware.id = version.firmware_id
order by device_count desc, found.crash_count desc, crash.id
limit 1000;
