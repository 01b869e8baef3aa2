-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/telemetry/intake/sequences-store.ts insertMissingRuns
insert into device_run_sequences (workspace_id, device_id, run_id, seen, updated_at)
select $1, given.device_id, given.run_id, '{}', $2
from unnest($3::text[], $4::text[]) as given (device_id, run_id)
where not exists (
  select
  from device_run_sequences as run
  where run.workspace_id = $5 and run.device_id = given.device_id and run.run_id = given.run_id
)
order by given.device_id collate "C", given.run_id collate "C"
on conflict (workspace_id, device_id, run_id)
do nothing;

-- server/src/features/telemetry/intake/sequences-store.ts lockRuns
select run.device_id, run.run_id, run.seen
from device_run_sequences as run
where run.workspace_id = $1
  and (run.device_id, run.run_id) in (select * from unnest($2::text[], $3::text[]))
order by run.device_id, run.run_id
for no key update of run;

-- server/src/features/telemetry/intake/sequences-store.ts updateRuns
update device_run_sequences as run
set seen = given.seen::json, updated_at = $1
from unnest($2::text[], $3::text[], $4::text[]) as given (device_id, run_id, seen)
where run.workspace_id = $5 and run.device_id = given.device_id and run.run_id = given.run_id;

-- server/src/features/telemetry/intake/store.ts insertLineBatch
insert into device_logs (
  workspace_id, id, time, device_id, severity, message, labels, run_id, device_time
)
select $1, given.id::uuid, given.time::timestamptz, given.device_id, given.severity, given.message,
  given.labels::jsonb, given.run_id, given.device_time::timestamptz
from unnest(
  $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]
) as given (id, time, device_id, severity, message, labels, run_id, device_time);

-- server/src/features/telemetry/intake/store.ts insertPlainPoints
insert into metric_points (workspace_id, series_id, time, sum)
select $1, given.series_id, to_timestamp(given.time / 1000), given.sum
from unnest($2::bigint[], $3::float8[], $4::float8[]) as given (series_id, time, sum);

-- server/src/features/telemetry/intake/store.ts insertPointBatch
insert into metric_points (workspace_id, series_id, time, sum, count, min, max, device_time)
select $1, given.series_id, to_timestamp(given.time / 1000), given.sum, given.count, given.min,
  given.max, to_timestamp(given.device_time / 1000)
from unnest(
  $2::bigint[], $3::float8[], $4::float8[], $5::bigint[], $6::float8[], $7::float8[], $8::float8[]
) as given (series_id, time, sum, count, min, max, device_time);

-- server/src/features/telemetry/logs/store.ts findHorizon: the shortest and the longest of many variants
--   03dcb2b5 0d404316 232b3e8d 6c229e71 74181e2a 7a89a92d 7b34c495 bea5a86d bf12b7bf d2ab2fec
select line.time, line.id
from (
  select line.time, line.id
  from device_logs as line
  where line.workspace_id = $1
  order by line.time desc, line.id desc
  offset $2
  limit 1
) as line
order by line.time desc, line.id desc
limit 1;

select line.time, line.id
from unnest($1::text[]) as asked (id)
cross join lateral (
  select line.time, line.id
  from device_logs as line
  where line.workspace_id = $2 and line.device_id = asked.id and line.time <= $3
    and (line.time, line.id) < ($4, $5::uuid)
  order by line.time desc, line.id desc
  offset $6
  limit 1
) as line
order by line.time desc, line.id desc
limit 1;

-- server/src/features/telemetry/logs/store.ts findLastLine: the shortest and the longest of many variants
--   4d61b5e5 8f7f661e 9ab4b961 a6437895 b8e2b377 c421e921 ced7f915 d8cbde89 dc3fd08c ea7dad34
--   fd8ce401
select time, id, place::int as count
from (
  select time, id, row_number() over (order by time desc, id desc) as place
  from (
    select line.time, line.id
    from device_logs as line
    where line.workspace_id = $1
    order by line.time desc, line.id desc
    limit $2
  ) as line
) as placed
order by place desc
limit 1;

select time, id, place::int as count
from (
  select time, id, row_number() over (order by time desc, id desc) as place
  from (
    select line.time, line.id
    from device_logs as line
    where line.workspace_id = $1 and line.time <= $2 and (line.time, line.id) < ($3, $4::uuid)
      and line.time >= $5 and (line.time, line.id) >= ($6, $7::uuid)
    order by line.time desc, line.id desc
    limit $8
  ) as line
) as placed
order by place desc
limit 1;

-- server/src/features/telemetry/logs/store.ts findLogRetentionDays
select log_retention_days from workspaces where id = $1;

-- server/src/features/telemetry/logs/store.ts listErrorCounts
select asked.id as device_id, line.time, line.count
from unnest($1::text[]) as asked (id)
cross join lateral (
  select date_bin(make_interval(secs => $2), each.time, $3::timestamptz) as time,
    count(*)::int as count
  from device_logs as each
  where each.workspace_id = $4 and each.device_id = asked.id and each.time >= $5 and each.time < $6
    and each.severity in ('Error', 'Critical')
  group by 1
) as line;

-- server/src/features/telemetry/logs/store.ts listLines: the shortest and the longest of many variants
--   103f642d 10da1b87 122c39fd 28d1c5de 29d4b0c0 2d7bc17f 44d98b0c 550984f3 592c7af3 5de652df
--   701fd5e5 7f3e63c3 81ba02b3 999aed87 9a9d0e67 a5f95875 b8163837 c6382592 cb9bc6d9 d2c05a5d
--   d578c46f d58baeff df11d8ec e183e1e2 e7539898 f0e41ccd f24c92a7
select line.id, line.device_id, line.time, line.device_time, line.severity, line.message,
  line.labels, line.run_id
from (
  select line.*
  from device_logs as line
  where line.workspace_id = $1
  order by line.time desc, line.id desc
  limit $2
) as line
where exists (select from devices where workspace_id = $3 and devices.id = line.device_id)
  and not exists (
    select
    from deleted_devices as gone
    where gone.workspace_id = $4 and gone.device_id = line.device_id
      and line.id < gone.first_later_line
  )
order by line.time desc, line.id desc
limit $5;

select line.id, line.device_id, line.time, line.device_time, line.severity, line.message,
  line.labels, line.run_id
from unnest($1::text[]) as asked (id)
cross join lateral (
  select line.*
  from device_logs as line
  where line.workspace_id = $2 and line.device_id = asked.id and line.time <= $3
    and (line.time, line.id) < ($4, $5::uuid) and line.time >= $6
    and (line.time, line.id) >= ($7, $8::uuid)
  order by line.time desc, line.id desc
  limit $9
) as line
where exists (select from devices where workspace_id = $10 and devices.id = line.device_id)
  and not exists (
    select
    from deleted_devices as gone
    where gone.workspace_id = $11 and gone.device_id = line.device_id
      and line.id < gone.first_later_line
  ) and (strpos(lower(line.message), lower($12)) > 0)
order by line.time desc, line.id desc
limit $13;

-- server/src/features/telemetry/logs/store.ts listLoggingDevices
select asked.id
from unnest($1::text[]) as asked (id)
where exists (
  select from device_logs as line where line.workspace_id = $2 and line.device_id = asked.id
);

-- server/src/features/telemetry/logs/stretches-store.ts deleteStretches
delete from device_log_stretches where workspace_id = $1 and time = $2;

-- server/src/features/telemetry/logs/stretches-store.ts hasStretchesBefore
select from device_log_stretches where workspace_id = $1 and time < $2 limit 1;

-- server/src/features/telemetry/logs/stretches-store.ts insertStretch
insert into device_log_stretches (workspace_id, time, oldest_time, oldest_id, line_count, trigrams)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/telemetry/logs/stretches-store.ts listHoursWithUnreadLines
select hour, (lines.present - read)::int as unread
from (
  select stretch.time as hour, sum(stretch.line_count) as read
  from device_log_stretches as stretch
  where stretch.workspace_id = $1
    and not exists (
      select
      from device_log_unread_hours as unread
      where unread.workspace_id = $2 and unread.time = stretch.time
    )
  group by stretch.time
) as each
cross join lateral (
  select count(*) as present
  from device_logs as line
  where line.workspace_id = $3 and line.time >= each.hour
    and line.time < each.hour + interval '1 hour'
) as lines
where lines.present > read
order by hour;

-- server/src/features/telemetry/logs/stretches-store.ts listHoursWithUnreadLines
select hour, (lines.present - read)::int as unread
from (
  select stretch.time as hour, sum(stretch.line_count) as read
  from device_log_stretches as stretch
  where stretch.workspace_id = $1 and stretch.time >= $2
    and not exists (
      select
      from device_log_unread_hours as unread
      where unread.workspace_id = $3 and unread.time = stretch.time
    )
  group by stretch.time
) as each
cross join lateral (
  select count(*) as present
  from device_logs as line
  where line.workspace_id = $4 and line.time >= each.hour
    and line.time < each.hour + interval '1 hour'
) as lines
where lines.present > read
order by hour;

-- server/src/features/telemetry/logs/stretches-store.ts listStretches: the shortest and the longest of many variants
--   05243694 1840bed6 61a4d60b 67660813 828caf58 f0a422cb
select stretch.time as hour, stretch.oldest_time as time, stretch.oldest_id as id,
  false as may_match
from device_log_stretches as stretch
cross join lateral (select stretch.trigrams || ''::bytea as bits offset 0) as filter
where stretch.workspace_id = $1 and stretch.time > $2 and stretch.time < $3
  and not exists (
    select
    from device_log_unread_hours as unread
    where unread.workspace_id = $4 and unread.time = stretch.time
  )
order by stretch.time desc, stretch.oldest_time desc, stretch.oldest_id desc
limit $5;

select stretch.time as hour, stretch.oldest_time as time, stretch.oldest_id as id,
  not exists (
    select
    from unnest($1::int[]) as sought (position)
    where get_bit(filter.bits, sought.position % (8 * octet_length(filter.bits))) = 0
  ) as may_match
from device_log_stretches as stretch
cross join lateral (select stretch.trigrams || ''::bytea as bits offset 0) as filter
where stretch.workspace_id = $2 and stretch.time <= $3
  and (stretch.oldest_time, stretch.oldest_id) < ($4, $5::uuid)
  and not exists (
    select
    from device_log_unread_hours as unread
    where unread.workspace_id = $6 and unread.time = stretch.time
  )
order by stretch.time desc, stretch.oldest_time desc, stretch.oldest_id desc
limit $7;

-- server/src/features/telemetry/logs/stretches-store.ts listTexts
select time, id, lower(message) as text
from device_logs
where workspace_id = $1 and time >= $2 and time < $3
order by time, id
limit $4;

-- server/src/features/telemetry/logs/stretches-store.ts listTexts
select time, id, lower(message) as text
from device_logs
where workspace_id = $1 and time >= $2 and time < $3 and (time, id) > ($4, $5::uuid)
order by time, id
limit $6;

-- server/src/features/telemetry/logs/stretches-store.ts listWorkspacesToRead
select distinct workspace_id as id from device_log_unread_hours where ready_at <= $1 order by id;

-- server/src/features/telemetry/logs/stretches-store.ts lowerTexts
select lower(given.text) as text
from unnest($1::text[]) with ordinality as given (text, place)
order by given.place;

-- server/src/features/telemetry/logs/stretches-store.ts markHours
select pg_advisory_xact_lock_shared(
  hashtextextended('device_log_hour ' || $1::text || ' ' || extract(epoch from marked.time), 0)
)
from (select time from unnest($2::timestamptz[]) as given (time) order by time) as marked;

-- server/src/features/telemetry/logs/stretches-store.ts markHours
insert into device_log_unread_hours (workspace_id, time, ready_at)
select $1, given.time, given.ready_at
from unnest($2::timestamptz[], $3::timestamptz[]) as given (time, ready_at)
order by given.time
on conflict (workspace_id, time)
do nothing;

-- server/src/features/telemetry/logs/stretches-store.ts takeUnreadHour
delete from device_log_unread_hours where workspace_id = $1 and time = $2;

-- server/src/features/telemetry/logs/stretches-store.ts takeUnreadHour
select pg_advisory_xact_lock(
  hashtextextended('device_log_hour ' || $1::text || ' ' || extract(epoch from $2::timestamptz), 0)
);

-- server/src/features/telemetry/logs/stretches-store.ts takeUnreadHour
select time as hour
from device_log_unread_hours
where workspace_id = $1 and ready_at <= $2
order by time
limit 1
for update skip locked;

-- server/src/features/telemetry/query-timeout-service.ts readWithTimeout: not executed by tests

-- server/src/features/telemetry/retention/partitions-store.ts createPartition: the shortest and the longest of many variants
--   110f9a25 11d77e0b 2599617e 303f6ced 3a71611c 4d74c573 53004be4 6cc7e6a7 76a5a78f 78c42239
--   7f611a96 868ec0ca 8d051e13 945bee80 aab1e637 b0d67976 ca88e206 cbffbe70 d94ad8f3 e8d0c669
--   f51f5f3e f5823bb6 fa70f6fb ffd5ed46
lock table only device_logs_default in access exclusive mode;

with moved as (delete from device_log_stretches_default where time >= $1 and time < $2 returning *)
insert into device_log_stretches_day
select *
from moved;

-- server/src/features/telemetry/retention/partitions-store.ts deleteBatch: the shortest and the longest of many variants
--   0b8209eb 31e84caa 41b0d78b 6430f560 7f6bd394 907aa8bf 9ae3295a a7df0d71 bd19da32 cb548f0a
--   ce303cc4 fed63d93
delete from device_logs_day where workspace_id = $1;

select series_id::text as bound
from metric_packed_hours_day
where workspace_id = $1
order by series_id
offset $2
limit 1;

-- server/src/features/telemetry/retention/partitions-store.ts dropIfEmpty
lock table metric_hours_day in access exclusive mode;

-- server/src/features/telemetry/retention/partitions-store.ts dropIfEmpty
lock table only metric_hours in access exclusive mode;

-- server/src/features/telemetry/retention/partitions-store.ts dropPartition: the shortest and the longest of many variants
--   1ba0099b 47d86624 50b94799 67b764be ee9daa1d f8cf7445
drop table if exists device_logs_day;

drop table if exists device_log_stretches_day;

-- server/src/features/telemetry/retention/partitions-store.ts findHolder: the shortest and the longest of many variants
--   367b543f 3a239d34 7f08bc31 9012da96 b114793a
select workspace_id as id
from device_logs_day
where workspace_id = any($1::uuid[])
order by workspace_id
limit 1;

select workspace_id as id
from metric_packed_hours_day
where workspace_id = any($1::uuid[])
order by workspace_id
limit 1;

-- server/src/features/telemetry/retention/partitions-store.ts hasRows
select 1 as day from metric_hours_day limit 1;

-- server/src/features/telemetry/retention/partitions-store.ts listDefaultPartitionDays: the shortest and the longest of many variants
--   2f0cc074 53c9f5a3 62fc412b 6b63b025 dd7c1ba5 e4f5b873
select distinct floor(extract(epoch from time) / 86400)::int as day
from device_logs_default
order by day;

select distinct floor(extract(epoch from time) / 86400)::int as day
from device_log_stretches_default
order by day;

-- server/src/features/telemetry/retention/partitions-store.ts listPartitionDays
select child.relname as name
from pg_inherits
join pg_class as child on child.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = $1::regclass
order by child.relname;

-- server/src/features/telemetry/retention/partitions-store.ts lockPartitions
set local lock_timeout = '1s';

-- server/src/features/telemetry/retention/partitions-store.ts lockPartitions
select pg_advisory_xact_lock($1);

-- server/src/features/telemetry/retention/store.ts deleteDeletedDevices
delete from deleted_devices where workspace_id = $1 and device_id = any($2::text[]);

-- server/src/features/telemetry/retention/store.ts deleteLines
delete from device_logs
where workspace_id = $1
  and (time, id) in (
    select line.time, line.id
    from device_logs as line
    where line.workspace_id = $2 and line.device_id = $3
      and (
        not exists (select from devices where workspace_id = $4 and id = $5)
          or line.id < (
            select first_later_line from deleted_devices where workspace_id = $6 and device_id = $7
          )
      )
    limit $8
  );

-- server/src/features/telemetry/retention/store.ts deleteOldRuns
delete from device_run_sequences as run
where run.workspace_id = $1
  and (
    run.updated_at < $2
      or not exists (select from devices where workspace_id = $3 and id = run.device_id)
      or (run.device_id, run.run_id) in (
        select device_id, run_id
        from (
          select device_id, run_id,
            row_number() over (partition by device_id order by updated_at desc, run_id) as place
          from device_run_sequences
          where workspace_id = $4
        ) as placed
        where place > $5
      )
  );

-- server/src/features/telemetry/retention/store.ts deleteSeriesUnseenSince
delete from metric_series where workspace_id = $1 and seen_at < $2;

-- server/src/features/telemetry/retention/store.ts deleteValues
delete from metric_hours where workspace_id = $1 and series_id = any($2::bigint[]);

-- server/src/features/telemetry/retention/store.ts deleteValues
delete from metric_points where workspace_id = $1 and series_id = any($2::bigint[]);

-- server/src/features/telemetry/retention/store.ts deleteValues
delete from metric_packed_days where workspace_id = $1 and series_id = any($2::bigint[]);

-- server/src/features/telemetry/retention/store.ts deleteValues
delete from metric_packed_hours where workspace_id = $1 and series_id = any($2::bigint[]);

-- server/src/features/telemetry/retention/store.ts insertDeletedDevices
insert into deleted_devices (workspace_id, device_id, deleted_at, series_ids, first_later_line)
select $1, given.device_id, $2, given.series_ids::bigint[], $3
from unnest($4::text[], $5::text[]) as given (device_id, series_ids)
on conflict (workspace_id, device_id)
do update
set deleted_at = excluded.deleted_at,
  series_ids = deleted_devices.series_ids || excluded.series_ids,
  first_later_line = excluded.first_later_line;

-- server/src/features/telemetry/retention/store.ts listRetentions
select id as workspace_id, metric_retention_days, log_retention_days,
  greatest(metric_retention_days, metric_hour_retention_days) as metric_hour_retention_days
from workspaces
order by id;

-- server/src/features/telemetry/retention/store.ts listWorkspacesWithDeletions
select distinct workspace_id from deleted_devices where deleted_at < $1 order by workspace_id;

-- server/src/features/telemetry/retention/store.ts takeDeletedDevices
select device_id, series_ids
from deleted_devices
where workspace_id = $1 and deleted_at < $2
order by device_id
limit $3
for update skip locked;

-- server/src/features/telemetry/rollup/checks-store.ts findRolledUp
select packing.packed_until, workspaces.metric_retention_days,
  (select count(*)::int from metric_series where workspace_id = $1) as series_count
from metric_packing as packing
inner join workspaces on workspaces.id = packing.workspace_id
where packing.workspace_id = $2;

-- server/src/features/telemetry/rollup/checks-store.ts listHoursWithSums
select series_id, time, packed.points, case
  when hour.count is not null then json_build_object(
    'sum', hour.sum, 'count', hour.count, 'min', hour.min, 'max', hour.max, 'last', hour.last,
      'lastAt', (extract(epoch from hour.last_at) * 1000)::float8
  ) end as stored
from (
  select *
  from metric_packed_hours
  where workspace_id = $1 and time >= $2 and time < $3 and series_id = any($4::bigint[])
) as packed
full join (
  select *
  from metric_hours
  where workspace_id = $5 and time >= $6 and time < $7 and series_id = any($8::bigint[])
) as hour using (series_id, time)
order by time, series_id;

-- server/src/features/telemetry/rollup/checks-store.ts listSeriesAfter
select id from metric_series where workspace_id = $1 and id > $2 order by id limit $3;

-- server/src/features/telemetry/rollup/checks-store.ts sampleSeries
select id
from metric_series
where workspace_id = $1
  and id >= (
    select min(id) + random() * greatest(0, max(id) - min(id) - $2::int)
    from metric_series
    where workspace_id = $3
  )
order by id
limit $4;

-- server/src/features/telemetry/rollup/days-store.ts deletePackedDays
delete from metric_packed_days
where workspace_id = $1 and "time" = $2 and series_id = any($3::bigint[]);

-- server/src/features/telemetry/rollup/days-store.ts findLastSeriesOfDay
select series_id
from metric_hours
where workspace_id = $1 and time >= $2 and time < $3 and series_id > $4
order by series_id
offset $5
limit 1;

-- server/src/features/telemetry/rollup/days-store.ts hasOtherReleases
select id
from nodes
where version <> $1 and beat_at >= clock_timestamp() - interval '1 hour'
limit $2;

-- server/src/features/telemetry/rollup/days-store.ts listPackedDays
select series_id, sums
from metric_packed_days
where workspace_id = $1 and "time" = $2 and series_id = any($3::bigint[])
order by series_id;

-- server/src/features/telemetry/rollup/days-store.ts takeHours
with taken as (
  delete from metric_hours
  where workspace_id = $1 and time >= $2 and time < $3 and series_id > $4
  returning series_id, time, sum, count, min, max, last, last_at
)
select series_id,
  string_agg(
    timestamptz_send(time) || float8send(coalesce(sum, 'NaN')) || float8send(count) || float8send(
      min
    ) || float8send(max) || float8send(coalesce(last, 'NaN')) || timestamptz_send(last_at), ''
  ) as hours
from taken
group by series_id
order by series_id;

-- server/src/features/telemetry/rollup/days-store.ts writePackedDays
insert into metric_packed_days (workspace_id, series_id, time, sums)
select $1, given.series_id, $2, decode(given.sums, 'base64')
from unnest($3::bigint[], $4::text[]) as given (series_id, sums)
on conflict (workspace_id, series_id, time)
do update
set sums = excluded.sums;

-- server/src/features/telemetry/rollup/store.ts deleteHours
delete from metric_hours where workspace_id = $1 and "time" = $2 and series_id = any($3::bigint[]);

-- server/src/features/telemetry/rollup/store.ts findHourToPack
select "time" from metric_points where workspace_id = $1 and "time" < $2 order by "time" limit $3;

-- server/src/features/telemetry/rollup/store.ts findHourToPack
select "time"
from metric_points
where workspace_id = $1 and "time" < $2 and "time" >= $3
order by "time"
limit $4;

-- server/src/features/telemetry/rollup/store.ts findLastSeries
select series_id
from metric_points
where workspace_id = $1 and time >= $2 and time < $3 and series_id > $4
order by series_id
offset $5
limit 1;

-- server/src/features/telemetry/rollup/store.ts findWorkspaceWithSeries
select workspace_id from metric_series where workspace_id > $1 order by workspace_id limit $2;

-- server/src/features/telemetry/rollup/store.ts insertPacking
insert into metric_packing (workspace_id, packed_until)
values ($1, $2)
on conflict (workspace_id)
do nothing;

-- server/src/features/telemetry/rollup/store.ts listPackedHours
select series_id, points
from metric_packed_hours
where workspace_id = $1 and "time" = $2 and series_id = any($3::bigint[]);

-- server/src/features/telemetry/rollup/store.ts listWorkspacesWithMetrics
select workspace_id from metric_packing;

-- server/src/features/telemetry/rollup/store.ts lockPacking
select workspace_id from metric_packing where workspace_id = $1 for no key update skip locked;

-- server/src/features/telemetry/rollup/store.ts takePoints
with taken as (
  delete from metric_points
  where workspace_id = $1 and time >= $2 and time < $3 and series_id > $4
  returning series_id, time, sum, count, min, max, device_time
)
select series_id,
  string_agg(timestamptz_send(time), '') filter (
    where not (count is not null or device_time is not null)
  ) as times,
  string_agg(float8send(sum), '') filter (where not (count is not null or device_time is not null))
  as sums,
  json_agg(
    json_build_array(
      (extract(epoch from time) * 1000)::bigint, sum::text, count, min::text, max::text,
        (extract(epoch from device_time) * 1000)::bigint
    )
  ) filter (where count is not null or device_time is not null) as rich
from taken
group by series_id;

-- server/src/features/telemetry/rollup/store.ts updatePackedUntil
update metric_packing set packed_until = $1 where workspace_id = $2 and packed_until < $3;

-- server/src/features/telemetry/rollup/store.ts writeHours
insert into metric_hours (workspace_id, series_id, time, sum, count, min, max, last, last_at)
select $1, given.series_id, $2, given.sum, given.count, given.min, given.max, given.last,
  to_timestamp(given.last_at / 1000)
from unnest(
  $3::bigint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], $9::float8[]
) as given (series_id, sum, count, min, max, last, last_at)
on conflict (workspace_id, series_id, time)
do update
set sum = excluded.sum, count = excluded.count, min = excluded.min, max = excluded.max,
  last = excluded.last, last_at = excluded.last_at;

-- server/src/features/telemetry/rollup/store.ts writePackedHours
insert into metric_packed_hours (workspace_id, series_id, time, points)
select $1, given.series_id, $2, decode(given.points, 'base64')
from unnest($3::bigint[], $4::text[]) as given (series_id, points)
on conflict (workspace_id, series_id, time)
do update
set points = excluded.points;

-- server/src/features/telemetry/series/store.ts addOverflows
insert into metric_overflows (workspace_id, device_id, points, last_name, last_at)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id, device_id)
do update
set points = metric_overflows.points + excluded.points, last_name = excluded.last_name,
  last_at = excluded.last_at;

-- server/src/features/telemetry/series/store.ts countSeriesOfDevices
select device_id, count(*)::int as count
from metric_series
where workspace_id = $1 and device_id = any($2::text[])
group by device_id;

-- server/src/features/telemetry/series/store.ts deleteSeriesOfDevices
select id from devices where workspace_id = $1 and id = any($2::text[]) order by id for update;

-- server/src/features/telemetry/series/store.ts deleteSeriesOfDevices
delete from metric_series
where workspace_id = $1 and device_id = any($2::text[])
returning device_id, id;

-- server/src/features/telemetry/series/store.ts findSeries
select series.device_id, encode(series.digest, 'hex') as digest, series.id,
  series.seen_at < $1::timestamptz - interval '1 day' as is_old
from unnest($2::text[], $3::text[]) as asked (device_id, digest)
join metric_series as series on series.workspace_id = $4 and series.device_id = asked.device_id
  and series.digest = decode(asked.digest, 'hex');

-- server/src/features/telemetry/series/store.ts holdDevices
select id
from devices
where workspace_id = $1 and id = any($2::text[])
order by id
for key share skip locked;

-- server/src/features/telemetry/series/store.ts insertSeries
insert into metric_series (
  workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at
)
select $1, given.device_id, given.name, given.labels::jsonb,
  array(select jsonb_array_elements_text(given.label_names::jsonb)), decode(given.digest, 'hex'),
  $2, $3
from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as given (
  device_id, digest, name, labels, label_names
)
order by given.device_id collate "C", given.digest collate "C"
on conflict (workspace_id, device_id, digest)
do nothing;

-- server/src/features/telemetry/series/store.ts listReportingDevices
select device.id, device.created_at, device.run_ids[1:2] as run_ids,
  workspace.metric_retention_days, workspace.log_retention_days
from unnest($1::text[]) as asked (id)
join devices as device on device.workspace_id = $2 and device.id = asked.id
join workspaces as workspace on workspace.id = device.workspace_id;

-- server/src/features/telemetry/series/store.ts markSeen
update metric_series as series
set seen_at = $1
from (
  select id
  from metric_series
  where workspace_id = $2 and id = any($3::bigint[])
  order by id
  for no key update skip locked
) as free
where series.workspace_id = $4 and series.id = free.id;

-- server/src/features/telemetry/store.ts countDefaultRows: the shortest and the longest of many variants
--   126079c9 5e7754e1 63ecc2f7 6f252670 ce377df3 d3b2ef67
select count(*)::int as count from (select time from device_logs_default limit $1) as counted;

select count(*)::int as count
from (select time from device_log_stretches_default limit $1) as counted;

-- server/src/features/telemetry/store.ts findRolledUntil
select min(packed_until) as packed_until from metric_packing;

-- server/src/features/telemetry/store.ts limitTime
select set_config('statement_timeout', $1, true), set_config('cursor_tuple_fraction', '1', true);

-- server/src/features/telemetry/store.ts listDeviceSeries
select id, name as metric, seen_at, labels as labels
from metric_series
where workspace_id = $1 and device_id = $2
order by name, id
limit $3;

-- server/src/features/telemetry/store.ts listDeviceSeries
select id, name as metric, seen_at, labels as labels
from metric_series
where workspace_id = $1 and device_id = $2 and (name, id) > ($3::text collate "C", $4::bigint)
order by name, id
limit $5;

-- server/src/features/telemetry/store.ts listDroppedPoints
select workspace_id, sum(points)::float8 as points
from metric_overflows
group by workspace_id
order by workspace_id;

-- server/src/features/telemetry/store.ts listLabelValues
select distinct (series.labels ->> $1::text) collate "C" as value
from metric_series as series
where series.workspace_id = $2 and series.name = $3 and series.label_names @> array[$4]::text[]
order by value
limit $5;

-- server/src/features/telemetry/store.ts listLabelValues
select distinct (series.labels ->> $1::text) collate "C" as value
from metric_series as series
where series.workspace_id = $2 and series.name = $3 and series.label_names @> array[$4]::text[]
  and (series.labels ->> $5::text) collate "C" > $6
order by value
limit $7;

-- server/src/features/telemetry/store.ts listLastSeries
select id
from metric_series
where workspace_id = $1 and device_id = $2
order by seen_at desc
limit $3;

-- server/src/features/telemetry/store.ts listMetricNames
with recursive names (name) as (
  (select name from metric_series where workspace_id = $1 and name > $2 order by name limit 1)
  union all select (
    select name
    from metric_series
    where workspace_id = $3 and name > names.name
    order by name
    limit 1
  )
  from names
  where names.name is not null
)
select name,
  array(
    with recursive sets (labels) as (
      (
        select label_names
        from metric_series
        where workspace_id = $4 and name = names.name
        order by label_names
        limit 1
      )
      union all select (
        select label_names
        from metric_series
        where workspace_id = $5 and name = names.name and label_names > sets.labels
        order by label_names
        limit 1
      )
      from sets
      where sets.labels is not null
    )
    select distinct label
    from sets, unnest(labels) as label
    order by label
  ) as labels
from names
where name is not null
limit $6;

-- server/src/features/telemetry/store.ts listNewestPoints
(
  select time, device_time, null::timestamptz as hour, null::bytea as points
  from metric_points
  where workspace_id = $1 and series_id = $2 and time >= $3
  order by time desc
  limit 1
)
union all (
  select null, null, time, points
  from metric_packed_hours
  where workspace_id = $4 and series_id = $5 and time >= $6
  order by time desc
  limit 1
);

-- server/src/features/telemetry/store.ts listOverflows
select device_id, points, last_name, last_at
from metric_overflows
where workspace_id = $1
order by last_at desc, device_id
limit $2;

-- server/src/features/telemetry/store.ts listSeriesDevices
select distinct series.device_id
from metric_series as series
where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
order by series.device_id
limit $4;

-- server/src/features/telemetry/store.ts listSeriesDevices
select distinct series.device_id
from metric_series as series
where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
  and series.device_id = any($4::text[])
order by series.device_id
limit $5;

-- server/src/features/telemetry/store.ts listSeriesDevices
select distinct series.device_id
from metric_series as series
where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
  and series.device_id in (select id from devices where workspace_id = $4 and cohort_id = $5::uuid)
order by series.device_id
limit $6;

-- server/src/features/telemetry/store.ts listSeriesDevices
select distinct series.device_id
from metric_series as series
where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
  and series.device_id in (select id from devices where workspace_id = $4 and cohort_id = $5::uuid)
  and series.device_id > $6
order by series.device_id
limit $7;

-- server/src/features/telemetry/windows-store.ts fetchPacked: not executed by tests

-- server/src/features/telemetry/windows-store.ts listTotals: the shortest and the longest of many variants
--   03b3769d 0dfba668 0ef1af07 17604abe 1a66a5a5 1fe0c8ab 2391705d 26b4f029 28902c2d 2df91f7b
--   2f7be8d0 309c718f 3e6f5af6 4535eaba 45600de0 4f48ed8c 549c89c9 595bc6f2 66f64fe8 76f31d2a
--   7c4ca579 a470d710 a62973e3 a8311cce adc324bd b25b9050 b949f06e c7a1dd90 cf599a94 d5bb4085
--   da871565 dd6476b1 e65281ac ecb981e4 f62b43c7 fd8e77bc
select device_id, bool_and(is_plain) as is_plain, json_agg(value) as "values",
  json_agg(weight) as weights, json_agg((extract(epoch from "time") * 1000)::bigint) as times
from (
  select null::text as device_id,
    date_bin(make_interval(secs => $1), part.time, $2::timestamptz) as "time",
    max(part.max) as value, null as weight, bool_and(part.sum is not null) as is_plain
  from (
    select wanted.device_id, point.time, point.sum, coalesce(point.count, 1)::float8 as count,
      coalesce(point.min, point.sum) as min, coalesce(point.max, point.sum) as max,
      point.sum / coalesce(point.count, 1) as last, point.time as last_at
    from (
      select series.id, series.device_id
      from metric_series as series
      where series.workspace_id = $3 and series.name = $4 and series.labels @> $5::jsonb
    ) as wanted
    join metric_points as point on point.series_id = wanted.id
    where point.workspace_id = $6 and point.time >= $7 and point.time < $8
  ) as part
  group by 1, 2
) as binned
group by device_id
order by device_id;

select device_id, bool_and(is_plain) as is_plain, json_agg(value) as "values",
  json_agg(weight) as weights, json_agg((extract(epoch from "time") * 1000)::bigint) as times
from (
  select part.device_id as device_id,
    date_bin(make_interval(secs => $1), part.time, $2::timestamptz) as "time",
    (newest(array[extract(epoch from part.last_at)::float8 * 1000, part.last]))[2] as value,
    max(extract(epoch from part.last_at)::float8 * 1000) as weight,
    bool_and(part.sum is not null) as is_plain
  from (
    select wanted.device_id, point.time, point.sum, coalesce(point.count, 1)::float8 as count,
      coalesce(point.min, point.sum) as min, coalesce(point.max, point.sum) as max,
      point.sum / coalesce(point.count, 1) as last, point.time as last_at
    from (
      select series.id, series.device_id
      from metric_series as series
      where series.workspace_id = $3 and series.name = $4 and series.labels @> $5::jsonb
        and series.device_id = any($6::text[])
    ) as wanted
    join metric_points as point on point.series_id = wanted.id
    where point.workspace_id = $7 and point.time >= $8 and point.time < $9
  ) as part
  group by 1, 2
  union all select part.device_id as device_id,
    date_bin(make_interval(secs => $10), part.time, $11::timestamptz) as "time",
    (newest(array[extract(epoch from part.last_at)::float8 * 1000, part.last]))[2] as value,
    max(extract(epoch from part.last_at)::float8 * 1000) as weight,
    bool_and(part.sum is not null) as is_plain
  from (
    select wanted.device_id, hour.time, hour.sum, hour.count, hour.min, hour.max, hour.last,
      hour.last_at
    from (
      select series.id, series.device_id
      from metric_series as series
      where series.workspace_id = $12 and series.name = $13 and series.labels @> $14::jsonb
        and series.device_id = any($15::text[])
    ) as wanted
    join metric_hours as hour on hour.series_id = wanted.id
    where hour.workspace_id = $16 and hour.time >= $17 and hour.time < $18
  ) as part
  group by 1, 2
) as binned
group by device_id
order by device_id;

-- server/src/features/telemetry/windows-store.ts readPackedDays
declare packed_days no scroll cursor for
select wanted.device_id, day.time, day.sums
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
) as wanted
join metric_packed_days as day on day.series_id = wanted.id
where day.workspace_id = $4 and day.time > $5 and day.time < $6;

-- server/src/features/telemetry/windows-store.ts readPackedDays
declare packed_days no scroll cursor for
select wanted.device_id, day.time, day.sums
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
    and series.device_id = any($4::text[])
) as wanted
join metric_packed_days as day on day.series_id = wanted.id
where day.workspace_id = $5 and day.time > $6 and day.time < $7;

-- server/src/features/telemetry/windows-store.ts readPackedDays
declare packed_days no scroll cursor for
select wanted.device_id, day.time, day.sums
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
    and series.device_id in (
      select id from devices where workspace_id = $4 and cohort_id = $5::uuid
    )
) as wanted
join metric_packed_days as day on day.series_id = wanted.id
where day.workspace_id = $6 and day.time > $7 and day.time < $8;

-- server/src/features/telemetry/windows-store.ts readPackedHours
declare packed_hours no scroll cursor for
select wanted.device_id, hour.time, hour.points
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
) as wanted
join metric_packed_hours as hour on hour.series_id = wanted.id
where hour.workspace_id = $4 and hour.time > $5 and hour.time < $6;

-- server/src/features/telemetry/windows-store.ts readPackedHours
declare packed_hours no scroll cursor for
select wanted.device_id, hour.time, hour.points
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
    and series.device_id = any($4::text[])
) as wanted
join metric_packed_hours as hour on hour.series_id = wanted.id
where hour.workspace_id = $5 and hour.time > $6 and hour.time < $7;

-- server/src/features/telemetry/windows-store.ts readPackedHours
declare packed_hours no scroll cursor for
select wanted.device_id, hour.time, hour.points
from (
  select series.id, series.device_id
  from metric_series as series
  where series.workspace_id = $1 and series.name = $2 and series.labels @> $3::jsonb
    and series.device_id = any($4::text[])
    and series.device_id in (
      select id from devices where workspace_id = $5 and cohort_id = $6::uuid
    )
) as wanted
join metric_packed_hours as hour on hour.series_id = wanted.id
where hour.workspace_id = $7 and hour.time > $8 and hour.time < $9;
