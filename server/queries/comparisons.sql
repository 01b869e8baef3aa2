-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/comparisons/due-store.ts claimComparison
insert into deployment_comparisons as compared (
  workspace_id, deployment_id, phase, checked_at, state
)
select workspace_id, id, $1, $2, 'Waiting'
from deployments
where workspace_id = $3 and id = $4
on conflict (workspace_id, deployment_id, phase)
do update
set checked_at = excluded.checked_at
where compared.checked_at <= $5 and compared.accepted is null
  and compared.state in ('Waiting', 'TooFew')
returning state, looks, looked_count, results;

-- server/src/features/comparisons/due-store.ts countProgress
select count(*) filter (
  where state = 'succeeded' and ($1::timestamptz is null or finished_at > $2) and finished_at <= $3
)::int as ready,
  count(*) filter (
    where state in ('inProgress', 'failed') and ($4::timestamptz is null or started_at > $5)
      and started_at <= $6
  )::int as begun,
  count(*) filter (
    where state = 'succeeded' and ($7::timestamptz is null or finished_at > $8) and finished_at > $9
  )::int as under_way,
  count(*) filter (where released_at is not null and state in ('pending', 'inProgress'))::int as
  open, count(*) filter (where released_at is null and state = 'pending')::int as waiting
from device_updates
where workspace_id = $10 and deployment_id = $11;

-- server/src/features/comparisons/due-store.ts listDueComparisons
select workspace_id, deployment_id, cohort_id, phase, phase_began_at, wait_seconds, plan,
  accepted_at
from (
  select deployment.workspace_id, deployment.id as deployment_id, deployment.cohort_id,
    deployment.phase, deployment.phase_began_at, current.plan, current.wait_seconds,
    compared.checked_at,
    (
      select max((earlier.accepted ->> 'at')::timestamptz)
      from deployment_comparisons as earlier
      where earlier.workspace_id = deployment.workspace_id and earlier.deployment_id = deployment.id
        and earlier.state = 'Worse'
    ) as accepted_at,
    row_number() over (
      partition by deployment.workspace_id order by compared.checked_at nulls first, deployment.id
    ) as turn
  from deployments as deployment
  cross join lateral (
    select deployment.phases -> deployment.phase -> 'comparison' as plan,
      coalesce((deployment.phases -> deployment.phase ->> 'waitSeconds')::int, 0) as wait_seconds
  ) as current
  left join deployment_comparisons as compared on compared.workspace_id = deployment.workspace_id
    and compared.deployment_id = deployment.id and compared.phase = deployment.phase
  where deployment.is_active and deployment.state = 'Running'
    and deployment.phase_began_at is not null and jsonb_typeof(current.plan) = 'object'
    and (
      compared.phase is null or compared.accepted is null
        and (
          compared.state = 'Waiting' and compared.checked_at <= $1 or compared.state = 'TooFew'
            and compared.checked_at <= $2
        )
    )
) as due
order by turn, checked_at nulls first, workspace_id
limit 200;

-- server/src/features/comparisons/due-store.ts listUpdatedDevices
select updates.device_id, updates.finished_at as at,
  (
    coalesce(updates.fell_back_at > updates.finished_at - make_interval(secs => $1), false)
      or exists (
        select
        from device_updates as earlier
        join deployment_artifacts as brought on brought.workspace_id = earlier.workspace_id
          and brought.deployment_id = earlier.deployment_id and brought.is_main
        join deployment_artifacts as artifact on artifact.workspace_id = brought.workspace_id
          and artifact.firmware_version_id = brought.firmware_version_id
        where earlier.workspace_id = $2 and earlier.device_id = updates.device_id
          and earlier.number < updates.number and artifact.deployment_id = $3 and artifact.is_main
          and (earlier.state = 'succeeded' or earlier.fell_back_at is not null) and case
          when earlier.state = 'succeeded' then coalesce(
            (
              select min(later.finished_at)
              from device_updates as later
              where later.workspace_id = $4 and later.device_id = updates.device_id
                and later.number > earlier.number and later.number < updates.number
                and later.state = 'succeeded'
            ), 'infinity'
          ) else earlier.fell_back_at end > updates.finished_at - make_interval(secs => $5)
      )
  ) as ran_it
from (
  select device_id, deployment_id, number, finished_at, fell_back_at
  from device_updates as updates
  where updates.workspace_id = $6 and updates.deployment_id = $7 and updates.state = 'succeeded'
    and updates.finished_at <= $8 and ($9::timestamptz is null or updates.finished_at > $10)
    and not exists (
      select
      from device_firmwares as running
      join deployment_artifacts as artifact on artifact.workspace_id = running.workspace_id
        and artifact.firmware_version_id = running.firmware_version_id
      where running.workspace_id = $11 and running.device_id = updates.device_id
        and artifact.deployment_id = $12 and artifact.is_main
        and (updates.state = 'pending' or running.since < updates.created_at)
    )
  order by md5(updates.device_id || updates.deployment_id::text)
  limit $13
) as updates
order by md5(updates.device_id || updates.deployment_id::text);

-- server/src/features/comparisons/due-store.ts listWaitingDevices
select updates.device_id,
  (
    coalesce(updates.fell_back_at > $1::timestamptz, false)
      or exists (
        select
        from device_updates as earlier
        join deployment_artifacts as brought on brought.workspace_id = earlier.workspace_id
          and brought.deployment_id = earlier.deployment_id and brought.is_main
        join deployment_artifacts as artifact on artifact.workspace_id = brought.workspace_id
          and artifact.firmware_version_id = brought.firmware_version_id
        where earlier.workspace_id = $2 and earlier.device_id = updates.device_id
          and earlier.number < updates.number and artifact.deployment_id = $3 and artifact.is_main
          and (earlier.state = 'succeeded' or earlier.fell_back_at is not null) and case
          when earlier.state = 'succeeded' then coalesce(
            (
              select min(later.finished_at)
              from device_updates as later
              where later.workspace_id = $4 and later.device_id = updates.device_id
                and later.number > earlier.number and later.number < updates.number
                and later.state = 'succeeded'
            ), 'infinity'
          ) else earlier.fell_back_at end > $5::timestamptz
      )
  ) as ran_it
from (
  select device_id, deployment_id, number, finished_at, fell_back_at
  from device_updates as updates
  where updates.workspace_id = $6 and updates.deployment_id = $7 and updates.state = 'pending'
    and updates.released_at is null
    and not exists (
      select
      from device_firmwares as running
      join deployment_artifacts as artifact on artifact.workspace_id = running.workspace_id
        and artifact.firmware_version_id = running.firmware_version_id
      where running.workspace_id = $8 and running.device_id = updates.device_id
        and artifact.deployment_id = $9 and artifact.is_main
        and (updates.state = 'pending' or running.since < updates.created_at)
    )
  order by md5(updates.device_id || updates.deployment_id::text)
  limit $10
) as updates
order by md5(updates.device_id || updates.deployment_id::text);

-- server/src/features/comparisons/due-store.ts saveComparison
update deployment_comparisons
set state = $1, looks = $2, looked_count = $3, reason = $4, results = $5, blind_to = $6
where workspace_id = $7 and deployment_id = $8 and phase = $9 and accepted is null;

-- server/src/features/comparisons/due-store.ts saveComparison
update deployment_comparisons
set state = $1, reason = $2, looks = $3, looked_count = $4, results = $5, blind_to = $6
where workspace_id = $7 and deployment_id = $8 and phase = $9 and accepted is null;

-- server/src/features/comparisons/presence-store.ts findRecordedSince
select min(at) as since from device_presence_changes where workspace_id = $1;

-- server/src/features/comparisons/presence-store.ts listConnectionChanges
select asked.id as device_id, change.at, change.kind = 'Connected' as connected
from unnest($1::text[]) as asked (id)
cross join lateral (
  (
    select id, at, kind
    from device_presence_changes as earlier
    where earlier.workspace_id = $2 and earlier.device_id = asked.id and earlier.at < $3
      and earlier.kind <> 'Started'
    order by earlier.at desc, earlier.id desc
    limit 1
  )
  union all (
    select id, at, kind
    from device_presence_changes as later
    where later.workspace_id = $4 and later.device_id = asked.id and later.at >= $5
      and later.at < $6 and later.kind <> 'Started'
  )
) as change
order by 1, change.at, change.id;

-- server/src/features/comparisons/presence-store.ts listCrashCounts
select device_id, date_bin(make_interval(secs => $1), hour, $2::timestamptz) as time,
  sum(kept_count + dropped_count)::int as count
from crash_device_hours
where workspace_id = $3 and device_id = any($4::text[]) and hour >= $5 and hour < $6
group by 1, 2;

-- server/src/features/comparisons/presence-store.ts listCrashReporters
select device_id, reports_since as since
from crash_devices
where workspace_id = $1 and device_id = any($2::text[]) and reports_since < $3;

-- server/src/features/comparisons/presence-store.ts listKnownDevices
select id as device_id, greatest(first_seen_at, $1::timestamptz) as known_since,
  cardinality(run_ids) > 0 as has_runs, connected, door = 'Mqtt' as has_connections
from devices
where workspace_id = $2 and id = any($3::text[]) and first_seen_at is not null;

-- server/src/features/comparisons/presence-store.ts listStartCounts
select device_id, date_bin(make_interval(secs => $1), at, $2::timestamptz) as time,
  count(*)::int as count
from device_presence_changes
where workspace_id = $3 and device_id = any($4::text[]) and kind = 'Started' and at >= $5
  and at < $6
group by 1, 2;

-- server/src/features/comparisons/silence-store.ts listContacts
(
  select updates.device_id, true as is_updated, case
    when updates.state = 'succeeded' then updates.finished_at
    else coalesce(updates.started_at, updates.offered_at) end as at, case
    when device.connected then $1::timestamptz else device.last_seen_at end as heard_at
  from device_updates as updates
  join devices as device on device.workspace_id = updates.workspace_id
    and device.id = updates.device_id
  where updates.workspace_id = $2 and updates.deployment_id = $3 and updates.state <> 'cancelled'
    and updates.released_at is not null and case
    when updates.state = 'succeeded' then updates.finished_at
    else coalesce(updates.started_at, updates.offered_at) end is not null
    and (
      $4::timestamptz is null or case when updates.state = 'succeeded' then updates.finished_at
        else coalesce(updates.started_at, updates.offered_at) end > $5
    ) and device.last_seen_at is not null
    and not exists (
      select
      from device_firmwares as running
      join deployment_artifacts as artifact on artifact.workspace_id = running.workspace_id
        and artifact.firmware_version_id = running.firmware_version_id
      where running.workspace_id = $6 and running.device_id = updates.device_id
        and artifact.deployment_id = $7 and artifact.is_main
        and (updates.state = 'pending' or running.since < updates.created_at)
    )
  order by md5(updates.device_id || updates.deployment_id::text)
  limit $8
)
union all (
  select updates.device_id, false as is_updated, null as at, case
    when device.connected then $9::timestamptz else device.last_seen_at end as heard_at
  from device_updates as updates
  join devices as device on device.workspace_id = updates.workspace_id
    and device.id = updates.device_id
  where updates.workspace_id = $10 and updates.deployment_id = $11 and updates.state = 'pending'
    and updates.released_at is null and device.last_seen_at is not null
    and not exists (
      select
      from device_firmwares as running
      join deployment_artifacts as artifact on artifact.workspace_id = running.workspace_id
        and artifact.firmware_version_id = running.firmware_version_id
      where running.workspace_id = $12 and running.device_id = updates.device_id
        and artifact.deployment_id = $13 and artifact.is_main
        and (updates.state = 'pending' or running.since < updates.created_at)
    )
  order by md5(updates.device_id || updates.deployment_id::text)
  limit $14
);

-- server/src/features/comparisons/store.ts acceptComparison
update deployment_comparisons
set accepted = $1
where workspace_id = $2 and deployment_id = $3 and phase = $4 and state <> $5 and accepted is null
returning phase;

-- server/src/features/comparisons/store.ts deleteComparisons: not executed by tests

-- server/src/features/comparisons/store.ts findPlans
select phases as phases from deployments where workspace_id = $1 and cohort_id = $2 and id = $3;

-- server/src/features/comparisons/store.ts listComparisons
select phase, checked_at, state, reason, looks, looked_count, blind_to, results as results,
  accepted as accepted
from deployment_comparisons
where workspace_id = $1 and deployment_id = $2
order by phase;
