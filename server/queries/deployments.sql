-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/deployments/checks-store.ts repairCounters
select id from deployments where workspace_id = $1 and id = $2 for no key update;

-- server/src/features/deployments/checks-store.ts repairCounters
update deployments as deployment
set pending = recount.pending, in_progress = recount.in_progress, succeeded = recount.succeeded,
  failed = recount.failed, cancelled = recount.cancelled
from (
  select (count(*) filter (where state = $1))::int as pending,
    (count(*) filter (where state = $2))::int as in_progress,
    (count(*) filter (where state = $3))::int as succeeded,
    (count(*) filter (where state = $4))::int as failed,
    (count(*) filter (where state = $5))::int as cancelled
  from device_updates
  where workspace_id = $6 and deployment_id = $7
) as recount
where deployment.workspace_id = $8 and deployment.id = $9;

-- server/src/features/deployments/device-updates/bulk-store.ts cancelUpdatesOfDeployment
update device_updates
set state = $1, reason = $2, finished_at = $3, deadline_at = $4,
  cancel_offered = state = 'inProgress' or offered_at is not null
where workspace_id = $5 and deployment_id = $6 and state in ($7);

-- server/src/features/deployments/device-updates/bulk-store.ts cancelUpdatesOfDevices
update device_updates
set state = $1, reason = $2, finished_at = $3, deadline_at = $4,
  cancel_offered = state = 'inProgress' or offered_at is not null
where workspace_id = $5 and device_id = any($6::text[]) and state in ($7);

-- server/src/features/deployments/device-updates/bulk-store.ts cancelUpdatesOfDevices
select deployment_id, state, count(*)::int as devices
from (
  select deployment_id, state
  from device_updates
  where workspace_id = $1 and device_id = any($2::text[]) and state in ('pending', 'inProgress')
  order by device_id
  for no key update
) as locked
group by deployment_id, state;

-- server/src/features/deployments/device-updates/bulk-store.ts countReleased
select count(*)::int as released, count(*) filter (where state = 'succeeded')::int as succeeded,
  count(*) filter (where state = 'failed')::int as failed
from device_updates
where workspace_id = $1 and deployment_id = $2 and released_at is not null and state <> $3;

-- server/src/features/deployments/device-updates/bulk-store.ts extendStartDeadlines
update device_updates
set deadline_at = $1
where workspace_id = $2 and deployment_id = $3 and state = 'pending' and released_at is not null;

-- server/src/features/deployments/device-updates/bulk-store.ts extendStartDeadlines
select count(*)
from (
  select
  from device_updates
  where workspace_id = $1 and deployment_id = $2 and state = 'pending' and released_at is not null
  order by device_id
  for no key update
) as locked;

-- server/src/features/deployments/device-updates/bulk-store.ts findLastToRelease
with counted as (
  select least(
    count(*) filter (where released_at is null and state = 'pending'),
      ceil(count(*) * $1::integer / 100.0)::integer - count(released_at)
  ) as wanted
  from device_updates
  where workspace_id = $2 and deployment_id = $3 and state <> 'cancelled'
)
select md5(deployment_id::text || device_id) as last
from device_updates
where workspace_id = $4 and deployment_id = $5 and state = 'pending' and released_at is null
order by 1
offset (select greatest(wanted - 1, 0) from counted)
limit (select case when wanted > 0 then 1 else 0 end from counted);

-- server/src/features/deployments/device-updates/bulk-store.ts insertJoiningUpdates
insert into device_updates (
  workspace_id, deployment_id, device_id, update_id, number, state, released_at, deadline_at,
    created_at
)
select device.workspace_id, $1, device.id, gen_random_uuid(),
  1 + coalesce(
    (
      select max(earlier.number)
      from device_updates as earlier
      where earlier.workspace_id = $2 and earlier.device_id = device.id
    ), 0
  ), 'pending', $3, $4, $5
from devices as device
where device.workspace_id = $6 and device.id = any($7::text[])
order by device.id
on conflict (workspace_id, deployment_id, device_id)
do update
set update_id = excluded.update_id, number = excluded.number, state = 'pending', attempt = 1,
  reason = null, progress = null, released_at = excluded.released_at, started_at = null,
  installed_at = null, installed_run_id = null, finished_at = null,
  deadline_at = excluded.deadline_at, unconfirmed = false, cancel_offered = false, offered_at = null;

-- server/src/features/deployments/device-updates/bulk-store.ts insertUpdatesOfCohort
insert into device_updates (
  workspace_id, deployment_id, device_id, update_id, number, state, released_at, deadline_at,
    created_at
)
select device.workspace_id, $1, device.id, gen_random_uuid(),
  1 + coalesce(
    (
      select max(earlier.number)
      from device_updates as earlier
      where earlier.workspace_id = $2 and earlier.device_id = device.id
    ), 0
  ), 'pending', $3, $4, $5
from devices as device
where device.workspace_id = $6 and device.cohort_id = $7
order by device.id;

-- server/src/features/deployments/device-updates/bulk-store.ts lockStates
select deployment_id, state, count(*)::int as devices
from (
  select deployment_id, state
  from device_updates
  where workspace_id = $1 and deployment_id = $2 and device_id = any($3::text[])
  order by device_id
  for no key update
) as locked
group by deployment_id, state;

-- server/src/features/deployments/device-updates/bulk-store.ts lockStatesOfDevices
select deployment_id, state, count(*)::int as devices
from (
  select deployment_id, state
  from device_updates
  where workspace_id = $1 and device_id = any($2::text[])
  order by device_id, deployment_id
  for no key update
) as locked
group by deployment_id, state;

-- server/src/features/deployments/device-updates/bulk-store.ts lockUpdatesOfDeployment
select count(*)
from (
  select
  from device_updates
  where workspace_id = $1 and deployment_id = $2
  order by device_id
  for no key update
) as locked;

-- server/src/features/deployments/device-updates/bulk-store.ts releaseUpdates
update device_updates
set released_at = $1, deadline_at = $2
where workspace_id = $3 and deployment_id = $4 and state = 'pending' and released_at is null
  and md5(deployment_id::text || device_id) <= $5;

-- server/src/features/deployments/device-updates/bulk-store.ts releaseUpdates
select count(*)
from (
  select
  from device_updates
  where workspace_id = $1 and deployment_id = $2 and state = 'pending' and released_at is null
    and md5(deployment_id::text || device_id) <= $3
  order by device_id
  for no key update
) as locked;

-- server/src/features/deployments/device-updates/bulk-store.ts retryFailedUpdates
update device_updates as updates
set update_id = fresh.id, attempt = updates.attempt + 1, state = 'pending', progress = null,
  number = (
    select 1 + max(other.number)
    from device_updates as other
    where other.workspace_id = $1 and other.device_id = updates.device_id
  ), released_at = coalesce(updates.released_at, $2), offered_at = null, started_at = null,
  installed_at = null, installed_run_id = null, finished_at = null, deadline_at = $3
from unnest($4::text[], $5::uuid[]) as fresh (device_id, id)
where updates.workspace_id = $6 and updates.deployment_id = $7
  and updates.device_id = fresh.device_id;

-- server/src/features/deployments/device-updates/bulk-store.ts retryFailedUpdates
select updates.device_id
from device_updates as updates
join devices as device on device.workspace_id = updates.workspace_id
  and device.id = updates.device_id
where updates.workspace_id = $1 and updates.deployment_id = $2 and updates.state = 'failed'
  and device.cohort_id = $3 and ($4 or coalesce(updates.reason, '') = any($5::text[]))
  and (
    $6
      or (
        updates.state = 'failed'
          and (
            exists (
              select
              from device_firmwares as changed
              where changed.workspace_id = $7 and changed.device_id = updates.device_id
                and changed.since > updates.finished_at
            )
              or updates.finished_at < (
                select max(stored.created_at)
                from firmware_artifacts as stored
                where stored.workspace_id = $8 and stored.firmware_version_id = any($9::uuid[])
              )
          )
      )
  )
order by updates.device_id
for no key update of updates;

-- server/src/features/deployments/device-updates/counters-store.ts updateCounters
select id
from deployments
where workspace_id = $1 and id = any($2::uuid[])
order by id
for no key update;

-- server/src/features/deployments/device-updates/counters-store.ts updateCounters
update deployments as deployment
set pending = deployment.pending + moved.pending,
  in_progress = deployment.in_progress + moved.in_progress,
  succeeded = deployment.succeeded + moved.succeeded, failed = deployment.failed + moved.failed,
  cancelled = deployment.cancelled + moved.cancelled
from unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
  as moved (id, pending, in_progress, succeeded, failed, cancelled)
where deployment.workspace_id = $7 and deployment.id = moved.id;

-- server/src/features/deployments/device-updates/offers-store.ts countOffers
select running.firmware_version_id as base_version_id, least(updates.attempt, 2) as attempt,
  deployment.rollback_of_id is not null as is_rollback, deployment.created_at as deployed_at,
  device.door, device.client, count(*)::int as device_count
from deployment_artifacts as held
join deployments as deployment on deployment.workspace_id = $1
  and deployment.id = held.deployment_id
join device_updates as updates on updates.workspace_id = $2
  and updates.deployment_id = deployment.id
join devices as device on device.workspace_id = $3 and device.id = updates.device_id
left join device_firmwares as running on running.workspace_id = $4
  and running.device_id = updates.device_id and running.firmware_version_id = any($5::uuid[])
  and running.confirmed
where held.workspace_id = $6 and held.firmware_version_id = $7
  and updates.state in ('pending', 'inProgress') and updates.released_at is not null
  and updates.installed_at is null and deployment.is_active
  and (updates.state = 'inProgress' or deployment.state = 'Running')
  and exists (
    select
    from deployment_artifacts as artifact
    where artifact.workspace_id = $8 and artifact.deployment_id = deployment.id
      and not exists (
        select
        from device_firmwares as firmware
        where firmware.workspace_id = $9 and firmware.device_id = updates.device_id
          and firmware.firmware_version_id = artifact.firmware_version_id
      )
  )
group by running.firmware_version_id, least(updates.attempt, 2), is_rollback, deployment.created_at,
  device.door, device.client;

-- server/src/features/deployments/device-updates/offers-store.ts countRunning
select firmware_version_id as version_id, count(*)::int as device_count
from device_firmwares
where workspace_id = $1 and firmware_version_id = any($2::uuid[]) and confirmed
group by firmware_version_id;

-- server/src/features/deployments/device-updates/offers-store.ts findImage
select version.id as firmware_version_id, version.name as version, firmware.slug, firmware.name,
  firmware.part, file.blob_id, file.file_name, file.size_bytes, file.sha256, file.sha1, file.md5,
  exists (
    select
    from firmware_role_artifacts as further
    where further.workspace_id = $1 and further.firmware_version_id = version.id
  ) as has_roles
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
inner join firmware_artifacts as file on file.workspace_id = version.workspace_id
  and file.firmware_version_id = version.id
where version.workspace_id = $2 and version.id = $3;

-- server/src/features/deployments/device-updates/offers-store.ts listCancelNotices
select distinct on (device_id) device_id, update_id
from device_updates
where workspace_id = $1 and device_id = any($2::text[]) and cancel_offered and state = $3
  and finished_at > $4
order by device_id, number desc;

-- server/src/features/deployments/device-updates/offers-store.ts listDeployedArtifacts
select version.id as firmware_version_id, version.name as version, firmware.slug, firmware.name,
  firmware.part, file.blob_id, file.file_name, file.size_bytes, file.sha256, file.sha1, file.md5,
  exists (
    select
    from firmware_role_artifacts as further
    where further.workspace_id = $1 and further.firmware_version_id = version.id
  ) as has_roles, held.deployment_id, held."position", held.is_main,
  deployment.created_at as deployed_at
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
inner join firmware_artifacts as file on file.workspace_id = version.workspace_id
  and file.firmware_version_id = version.id
inner join deployment_artifacts as held on held.workspace_id = version.workspace_id
  and held.firmware_version_id = version.id
inner join deployments as deployment on deployment.workspace_id = held.workspace_id
  and deployment.id = held.deployment_id
where version.workspace_id = $2 and held.deployment_id = any($3::uuid[])
order by held.deployment_id, held."position";

-- server/src/features/deployments/device-updates/offers-store.ts listOpenUpdates
select updates.device_id, updates.deployment_id, updates.update_id, updates.number, updates.attempt,
  updates.state, updates.offered_at is not null as was_offered,
  deployment.rollback_of_id is not null as is_rollback, deployment.options
from device_updates as updates
join deployments as deployment on deployment.workspace_id = updates.workspace_id
  and deployment.id = updates.deployment_id
where updates.workspace_id = $1 and updates.device_id = any($2::text[])
  and updates.state in ('pending', 'inProgress') and updates.released_at is not null
  and updates.installed_at is null and deployment.is_active
  and (updates.state = 'inProgress' or deployment.state = 'Running')
  and exists (
    select
    from deployment_artifacts as artifact
    where artifact.workspace_id = $3 and artifact.deployment_id = deployment.id
      and not exists (
        select
        from device_firmwares as firmware
        where firmware.workspace_id = $4 and firmware.device_id = updates.device_id
          and firmware.firmware_version_id = artifact.firmware_version_id
      )
  );

-- server/src/features/deployments/device-updates/offers-store.ts listRoleFiles
select file.id as artifact_id, file.firmware_version_id, file.role, file.base_version_id,
  base.name as base_version, file.blob_id, file.file_name, file.size_bytes, file.sha256, file.sha1,
  file.md5, file.offered_from
from firmware_role_artifacts as file
left join firmware_versions as base on base.workspace_id = file.workspace_id
  and base.id = file.base_version_id
where file.workspace_id = $1 and file.firmware_version_id = any($2::uuid[])
order by file.role, file.id;

-- server/src/features/deployments/device-updates/offers-store.ts listRunningOf
select device_id, array_agg(firmware_version_id)::text[] as version_ids
from device_firmwares
where workspace_id = $1 and device_id = any($2::text[]) and firmware_version_id = any($3::uuid[])
  and confirmed
group by device_id;

-- server/src/features/deployments/device-updates/offers-store.ts markOffered
with locked as materialized (
  select deployment_id, device_id
  from device_updates
  where workspace_id = $1 and update_id = any($2::uuid[]) and state in ('pending', 'inProgress')
  order by device_id, deployment_id
  for no key update
)
update device_updates as updates
set offered_at = $3
from locked
where updates.workspace_id = $4 and updates.deployment_id = locked.deployment_id
  and updates.device_id = locked.device_id
returning updates.update_id;

-- server/src/features/deployments/device-updates/store.ts listAffectedUpdates
select updates.deployment_id, updates.device_id
from devices as device
join deployments as deployment on deployment.workspace_id = device.workspace_id
  and deployment.cohort_id = device.cohort_id and deployment.is_active
join device_updates as updates on updates.workspace_id = deployment.workspace_id
  and updates.deployment_id = deployment.id and updates.device_id = device.id
cross join lateral (
  select bool_and(firmware.device_id is not null) as runs,
    coalesce(bool_or(not firmware.confirmed), false) as unconfirmed
  from deployment_artifacts as artifact
  left join device_firmwares as firmware on firmware.workspace_id = artifact.workspace_id
    and firmware.device_id = device.id
    and firmware.firmware_version_id = artifact.firmware_version_id
  where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
) as target
where device.workspace_id = $2 and device.id = any($3::text[]) and device.reported_at is not null
  and case updates.state when 'succeeded' then not target.runs
  or (updates.unconfirmed and not target.unconfirmed) when 'inProgress' then target.runs
  or updates.installed_at is not null else updates.state <> 'cancelled' and target.runs end;

-- server/src/features/deployments/device-updates/store.ts listUpdatesById
select updates.deployment_id, updates.device_id
from unnest($1::uuid[], $2::text[]) as reported (update_id, device_id)
join device_updates as updates on updates.workspace_id = $3
  and updates.update_id = reported.update_id and updates.device_id = reported.device_id;

-- server/src/features/deployments/device-updates/store.ts listUpdatesOfDevice
select updates.number, updates.update_id, updates.state, updates.attempt, updates.reason,
  updates.progress, updates.unconfirmed, updates.created_at, updates.released_at,
  updates.started_at, updates.installed_at, updates.finished_at, updates.deadline_at,
  json_build_object(
    'id', deployment.id, 'name', deployment.name, 'cohort',
      json_build_object('id', cohort.id, 'name', cohort.name), 'firmwareVersions',
      coalesce(
        (
          select json_agg(
            json_build_object(
              'id', version.id, 'name', version.name, 'firmware',
                json_build_object('id', firmware.id, 'name', firmware.name)
            )
            order by artifact.position
          )
          from deployment_artifacts as artifact
          join firmware_versions as version on version.workspace_id = artifact.workspace_id
            and version.id = artifact.firmware_version_id
          join firmwares as firmware on firmware.workspace_id = version.workspace_id
            and firmware.id = version.firmware_id
          where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
        ), '[]'
      )
  ) as deployment
from device_updates as updates
join deployments as deployment on deployment.workspace_id = updates.workspace_id
  and deployment.id = updates.deployment_id
join deployment_cohorts as cohort on cohort.workspace_id = deployment.workspace_id
  and cohort.id = deployment.cohort_id
where updates.workspace_id = $2 and updates.device_id = $3 and updates.number < $4
order by updates.number desc
limit $5;

-- server/src/features/deployments/device-updates/store.ts lockOverdueUpdates
with due as materialized (
  select updates.deployment_id, updates.device_id
  from device_updates as updates
  join deployments as deployment on deployment.workspace_id = updates.workspace_id
    and deployment.id = updates.deployment_id
  where updates.workspace_id = $1 and updates.state in ('pending', 'inProgress')
    and updates.deadline_at <= $2 and (updates.state = 'inProgress' or deployment.state = 'Running')
  order by updates.deadline_at
  limit $3
)
select updates.deployment_id, updates.device_id, updates.update_id, updates.state, updates.attempt,
  updates.reason, updates.progress, updates.started_at, updates.installed_at,
  updates.installed_run_id, updates.finished_at, updates.deadline_at, updates.unconfirmed,
  updates.cancel_offered, deployment.start_deadline_seconds, deployment.device_deadline_seconds,
  deployment.max_attempts
from due
join device_updates as updates on updates.workspace_id = $4
  and updates.deployment_id = due.deployment_id and updates.device_id = due.device_id
join deployments as deployment on deployment.workspace_id = updates.workspace_id
  and deployment.id = updates.deployment_id
order by updates.device_id, updates.deployment_id
for no key update of updates skip locked;

-- server/src/features/deployments/device-updates/store.ts lockUpdates
select updates.deployment_id, updates.device_id, updates.update_id, updates.state, updates.attempt,
  updates.reason, updates.progress, updates.started_at, updates.installed_at,
  updates.installed_run_id, updates.finished_at, updates.deadline_at, updates.unconfirmed,
  updates.cancel_offered, deployment.start_deadline_seconds, deployment.device_deadline_seconds,
  deployment.max_attempts, deployment.is_active
  and deployment.cohort_id is not distinct from device.cohort_id as is_current,
  deployment.state as deployment_state, device.reported_at is not null as has_reported,
  device.run_ids[1] as run_id, target.runs as runs_target, target.unconfirmed as runs_unconfirmed,
  (
    select coalesce(
      json_agg(
        json_build_object('slug', firmware.slug, 'version', running.version)
        order by artifact.position
      ), '[]'
    )
    from deployment_artifacts as artifact
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    left join device_firmwares as running on running.workspace_id = artifact.workspace_id
      and running.device_id = device.id and running.slug = firmware.slug
    where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
      and running.firmware_version_id is distinct from artifact.firmware_version_id
  ) as other_versions
from unnest($2::uuid[], $3::text[]) as named (deployment_id, device_id)
join device_updates as updates on updates.workspace_id = $4
  and updates.deployment_id = named.deployment_id and updates.device_id = named.device_id
join deployments as deployment on deployment.workspace_id = updates.workspace_id
  and deployment.id = updates.deployment_id
join devices as device on device.workspace_id = updates.workspace_id
  and device.id = updates.device_id
cross join lateral (
  select bool_and(firmware.device_id is not null) as runs,
    coalesce(bool_or(not firmware.confirmed), false) as unconfirmed
  from deployment_artifacts as artifact
  left join device_firmwares as firmware on firmware.workspace_id = artifact.workspace_id
    and firmware.device_id = device.id
    and firmware.firmware_version_id = artifact.firmware_version_id
  where artifact.workspace_id = $5 and artifact.deployment_id = deployment.id
) as target
order by updates.device_id, updates.deployment_id
for no key update of updates;

-- server/src/features/deployments/device-updates/store.ts writeUpdates
update device_updates as updates
set update_id = coalesce(changed.new_update_id, updates.update_id), number = case
  when changed.new_update_id is null then updates.number
  else (
    select max(other.number) + 1
    from device_updates as other
    where other.workspace_id = $1 and other.device_id = updates.device_id
  ) end, offered_at = case when changed.new_update_id is null then updates.offered_at end,
  state = changed.state, attempt = changed.attempt, reason = changed.reason,
  progress = changed.progress, started_at = changed.started_at, installed_at = changed.installed_at,
  installed_run_id = changed.installed_run_id, finished_at = changed.finished_at,
  deadline_at = changed.deadline_at, unconfirmed = changed.unconfirmed,
  cancel_offered = changed.cancel_offered, fell_back_at = case when updates.state = 'succeeded'
  and changed.state = 'failed' then changed.finished_at else updates.fell_back_at end
from json_to_recordset($2::json) as changed (
  deployment_id uuid, device_id text, new_update_id uuid, state text, attempt integer, reason text,
    progress integer, started_at timestamptz, installed_at timestamptz, installed_run_id text,
    finished_at timestamptz, deadline_at timestamptz, unconfirmed boolean, cancel_offered boolean
)
where updates.workspace_id = $3 and updates.deployment_id = changed.deployment_id
  and updates.device_id = changed.device_id;

-- server/src/features/deployments/readiness/store.ts countHawkbitClients
select client, count(*)::int as devices
from devices
where workspace_id = $1 and cohort_id = $2 and door = $3
group by client
order by count(*) desc;

-- server/src/features/deployments/readiness/store.ts listParts
select version.id, firmware.part
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.id = any($2::uuid[]);

-- server/src/features/deployments/readiness/store.ts listVersions
select version.id, version.firmware_id, firmware.slug, version.name
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.id = any($2::uuid[]);

-- server/src/features/deployments/readiness/store.ts listWithoutArtifact
select version.id
from firmware_versions as version
left join firmware_artifacts as artifact on artifact.workspace_id = version.workspace_id
  and artifact.firmware_version_id = version.id
where version.workspace_id = $1 and version.id = any($2::uuid[])
  and artifact.firmware_version_id is null;

-- server/src/features/deployments/readiness/store.ts lockArtifactsShared
select id
from firmware_versions
where workspace_id = $1 and id = any($2::uuid[])
order by id
for key share;

-- server/src/features/deployments/readiness/store.ts lockArtifactsShared
select firmware_version_id as id
from firmware_artifacts
where workspace_id = $1 and firmware_version_id = any($2::uuid[])
order by firmware_version_id
for share;

-- server/src/features/deployments/readiness/store.ts readSample
with meant as materialized (
  select device.id
  from devices as device
  where device.workspace_id = $1 and device.cohort_id = $2 and device.last_seen_at is null
)
select count(*)::int as device_count, array(select id from meant order by id limit 20) as device_ids
from meant;

-- server/src/features/deployments/readiness/store.ts readSample
with meant as materialized (
  select device.id
  from devices as device
  where device.workspace_id = $1 and device.cohort_id = $2 and device.door = 'Ddi'
    and device.client is not distinct from $3::text
)
select count(*)::int as device_count, array(select id from meant order by id limit 20) as device_ids
from meant;

-- server/src/features/deployments/readiness/store.ts readSample
with meant as materialized (
  select device.id
  from devices as device
  where device.workspace_id = $1 and device.cohort_id = $2
    and exists (
      select
      from device_firmwares as running
      where running.workspace_id = $3 and running.device_id = device.id
    )
    and not exists (
      select
      from device_firmwares as running
      where running.workspace_id = $4 and running.device_id = device.id
        and running.slug = any($5::text[])
    )
)
select count(*)::int as device_count, array(select id from meant order by id limit 20) as device_ids
from meant;

-- server/src/features/deployments/risk/store.ts countDeviceStates
select count(*) filter (where device_state = $1)::int as reporting,
  count(*) filter (where device_state = $2)::int as installing,
  count(*) filter (where device_state = $3)::int as failed,
  count(*) filter (where device_state = $4)::int as waiting,
  count(*) filter (where device_state = $5)::int as cancelled,
  count(*) filter (where device_state = $6)::int as moved_on,
  count(*) filter (where device_state = $7)::int as "left"
from (
  select updates.device_id, updates.number, updates.reason, updates.attempt,
    (
      updates.state = 'failed'
        and (
          exists (
            select
            from device_firmwares as changed
            where changed.workspace_id = $8 and changed.device_id = updates.device_id
              and changed.since > updates.finished_at
          )
            or updates.finished_at < (
              select max(stored.created_at)
              from firmware_artifacts as stored
              where stored.workspace_id = $9 and stored.firmware_version_id = any($10::uuid[])
            )
        )
    ) as has_changed, case when member.id is null then 'left'
    when running.device_id is not null then 'reporting'
    when updates.state = 'inProgress' then 'installing'
    when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
    else updates.state end as device_state
  from device_updates as updates
  left join (
    select device.id
    from devices as device
    where device.workspace_id = $11 and device.cohort_id = $12::uuid
  ) as member on member.id = updates.device_id
  left join (
    select distinct running.device_id
    from device_firmwares as running
    where running.workspace_id = $13 and running.firmware_version_id = $14
  ) as running on running.device_id = updates.device_id
  where updates.workspace_id = $15 and updates.deployment_id = $16 and true
) as told;

-- server/src/features/deployments/risk/store.ts countDeviceStates
select count(*) filter (where device_state = $1)::int as reporting,
  count(*) filter (where device_state = $2)::int as installing,
  count(*) filter (where device_state = $3)::int as failed,
  count(*) filter (where device_state = $4)::int as waiting,
  count(*) filter (where device_state = $5)::int as cancelled,
  count(*) filter (where device_state = $6)::int as moved_on,
  count(*) filter (where device_state = $7)::int as "left"
from (
  select updates.device_id, updates.number, updates.reason, updates.attempt,
    (
      updates.state = 'failed'
        and (
          exists (
            select
            from device_firmwares as changed
            where changed.workspace_id = $8 and changed.device_id = updates.device_id
              and changed.since > updates.finished_at
          )
            or updates.finished_at < (
              select max(stored.created_at)
              from firmware_artifacts as stored
              where stored.workspace_id = $9 and stored.firmware_version_id = any($10::uuid[])
            )
        )
    ) as has_changed, case when member.id is null then 'left'
    when running.device_id is not null then 'reporting'
    when updates.state = 'inProgress' then 'installing'
    when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
    else updates.state end as device_state
  from device_updates as updates
  left join (
    select device.id
    from devices as device
    where device.workspace_id = $11 and device.cohort_id = $12::uuid
  ) as member on member.id = updates.device_id
  left join (
    select running.device_id
    from device_firmwares as running
    where running.workspace_id = $13 and running.firmware_version_id = any($14::uuid[])
    group by running.device_id
    having count(distinct running.firmware_version_id) = $15
  ) as running on running.device_id = updates.device_id
  where updates.workspace_id = $16 and updates.deployment_id = $17 and true
) as told;

-- server/src/features/deployments/risk/store.ts countFailureReasons
select coalesce(reason, '') as reason, count(*)::int as count
from (
  select updates.device_id, updates.number, updates.reason, updates.attempt,
    (
      updates.state = 'failed'
        and (
          exists (
            select
            from device_firmwares as changed
            where changed.workspace_id = $1 and changed.device_id = updates.device_id
              and changed.since > updates.finished_at
          )
            or updates.finished_at < (
              select max(stored.created_at)
              from firmware_artifacts as stored
              where stored.workspace_id = $2 and stored.firmware_version_id = any($3::uuid[])
            )
        )
    ) as has_changed, case when member.id is null then 'left'
    when running.device_id is not null then 'reporting'
    when updates.state = 'inProgress' then 'installing'
    when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
    else updates.state end as device_state
  from device_updates as updates
  left join (
    select device.id
    from devices as device
    where device.workspace_id = $4 and device.cohort_id = $5::uuid
  ) as member on member.id = updates.device_id
  left join (
    select distinct running.device_id
    from device_firmwares as running
    where running.workspace_id = $6 and running.firmware_version_id = $7
  ) as running on running.device_id = updates.device_id
  where updates.workspace_id = $8 and updates.deployment_id = $9 and updates.state = 'failed'
) as told
where device_state = 'failed'
group by 1
order by count desc, 1
limit 20;

-- server/src/features/deployments/risk/store.ts findUpdatePage
select updates.device_id, updates.update_id, updates.state, case
  when device.cohort_id is distinct from $1::uuid then 'left'
  when (
    select count(distinct running.firmware_version_id) = $2
    from device_firmwares as running
    where running.workspace_id = $3 and running.device_id = updates.device_id
      and running.firmware_version_id = any($4::uuid[])
  ) then 'reporting' when updates.state = 'inProgress' then 'installing'
  when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
  else updates.state end as device_state, updates.attempt, updates.reason, updates.progress,
  updates.unconfirmed, updates.created_at, updates.released_at, updates.started_at,
  updates.installed_at, updates.finished_at, updates.deadline_at,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'slug', running.slug, 'version', running.version, 'firmwareVersionId',
            running.firmware_version_id
        )
        order by running.slug
      ), '[]'
    )
    from device_firmwares as running
    where running.workspace_id = $5 and running.device_id = updates.device_id
      and running.slug in (
        select firmware.slug
        from firmware_versions as version
        join firmwares as firmware on firmware.workspace_id = version.workspace_id
          and firmware.id = version.firmware_id
        where version.workspace_id = $6 and version.id = any($7::uuid[])
      )
  ) as reports
from device_updates as updates
join devices as device on device.workspace_id = updates.workspace_id
  and device.id = updates.device_id
where updates.workspace_id = $8 and updates.deployment_id = $9 and updates.device_id > $10
  and ($11 or updates.state = any($12::text[]))
  and ($13 or coalesce(updates.reason, '') = any($14::text[]))
  and (
    $15 or case when device.cohort_id is distinct from $16::uuid then 'left'
      when (
        select count(distinct running.firmware_version_id) = $17
        from device_firmwares as running
        where running.workspace_id = $18 and running.device_id = updates.device_id
          and running.firmware_version_id = any($19::uuid[])
      ) then 'reporting' when updates.state = 'inProgress' then 'installing'
      when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
      else updates.state end = any($20::text[])
  )
order by updates.device_id
limit $21;

-- server/src/features/deployments/risk/store.ts listLastUses
select version.id as firmware_version_id, held.is_active, held.ended_at,
  (
    select coalesce(sum(counted.devices), 0)::int
    from firmware_version_device_counts as counted
    where counted.workspace_id = $1 and counted.firmware_version_id = version.id
  ) as running_device_count
from firmware_versions as version
cross join lateral (
  select coalesce(bool_or(deployment.is_active), false) as is_active,
    max(deployment.ended_at) as ended_at
  from deployment_artifacts as artifact
  join deployments as deployment on deployment.workspace_id = artifact.workspace_id
    and deployment.id = artifact.deployment_id
  where artifact.workspace_id = $2 and artifact.firmware_version_id = version.id
) as held
where version.workspace_id = $3 and version.id = any($4::uuid[]);

-- server/src/features/deployments/risk/store.ts listRunning
select firmware.id as firmware_id, version.id, version.name, count(*)::int as device_count
from devices as device
join device_firmwares as running on running.workspace_id = device.workspace_id
  and running.device_id = device.id
left join firmware_versions as version on version.workspace_id = running.workspace_id
  and version.id = running.firmware_version_id
join firmwares as firmware on firmware.workspace_id = running.workspace_id and case
  when version.id is null then firmware.slug = running.slug
  else firmware.id = version.firmware_id end
where device.workspace_id = $1 and device.cohort_id = $2 and firmware.id = any($3::uuid[])
group by firmware.id, version.id, version.name
order by device_count desc, version.id;

-- server/src/features/deployments/risk/store.ts listRunningSets
select grouped.*,
  (
    select coalesce(
      json_agg(json_build_object('id', version.id, 'firmwareId', version.firmware_id)), '[]'
    )
    from firmware_versions as version
    where version.workspace_id = $1 and version.id = any(grouped.firmware_version_ids)
  ) as versions
from (
  select cohort_id, firmware_version_ids, firmware_ids, count(*)::int as devices
  from (
    select device.cohort_id,
      coalesce(array_agg(distinct version.id) filter (where version.id is not null), '{}') as
      firmware_version_ids,
      coalesce(array_agg(distinct firmware.id) filter (where firmware.id is not null), '{}') as
      firmware_ids
    from devices as device
    join device_firmwares as running on running.workspace_id = device.workspace_id
      and running.device_id = device.id
    left join firmware_versions as version on version.workspace_id = running.workspace_id
      and version.id = running.firmware_version_id
    left join firmwares as firmware on firmware.workspace_id = running.workspace_id and case
      when version.id is null then firmware.slug = running.slug
      else firmware.id = version.firmware_id end
    where device.workspace_id = $2 and device.cohort_id = any($3::uuid[])
    group by device.cohort_id, device.id
  ) as each
  group by cohort_id, firmware_version_ids, firmware_ids
) as grouped;

-- server/src/features/deployments/rollback/store.ts countRollbackDevices
select count(*) filter (where kind = 'installing')::int as installing,
  count(*) filter (where kind = 'reporting')::int as reporting,
  count(*) filter (where kind = 'staying')::int as staying,
  count(*) filter (where kind = 'other')::int as other,
  count(*) filter (where kind = 'unknown')::int as unknown
from (
  select case when updates.state = 'inProgress' and left_by.device_id is null then 'installing'
    when left_by.device_id is not null then 'reporting'
    when restored.device_id is not null then 'staying' when known.device_id is not null then 'other'
    else 'unknown' end as kind
  from devices as device
  left join device_updates as updates on updates.workspace_id = device.workspace_id
    and updates.deployment_id = $1 and updates.device_id = device.id
  left join (
    select distinct running.device_id
    from device_firmwares as running
    where running.workspace_id = $2 and running.firmware_version_id = $3
  ) as left_by on left_by.device_id = device.id
  left join (
    select distinct running.device_id
    from device_firmwares as running
    where running.workspace_id = $4 and running.firmware_version_id = $5
  ) as restored on restored.device_id = device.id
  left join (
    select running.device_id
    from device_firmwares as running
    join firmware_versions as version on version.workspace_id = running.workspace_id
      and version.id = running.firmware_version_id
    where running.workspace_id = $6
      and version.firmware_id in (
        select wanted.firmware_id
        from firmware_versions as wanted
        where wanted.workspace_id = $7 and wanted.id = any($8::uuid[])
      )
    group by running.device_id
    having count(distinct version.firmware_id) = $9
  ) as known on known.device_id = device.id
  where device.workspace_id = $10 and device.cohort_id = $11
) as device;

-- server/src/features/deployments/rollback/store.ts findPredecessor
select (
  select id
  from deployments
  where workspace_id = $1 and cohort_id = $2 and state <> $3
  order by created_at desc, id desc
  limit $4
) as predecessor_id,
  (select max(created_at) as at from deployments where workspace_id = $5 and cohort_id = $6) as
  newest_at;

-- server/src/features/deployments/rollback/store.ts listHistory
with reported as materialized (
  select distinct running.firmware_version_id as id
  from devices as device
  join device_firmwares as running on running.workspace_id = device.workspace_id
    and running.device_id = device.id
  where device.workspace_id = $1 and device.cohort_id = $2
    and running.firmware_version_id is not null
)
select deployment.id, deployment.name, deployment.created_at,
  deployment.state = 'Cancelled' as is_cancelled, deployment.rollback_of_id, deployment.restores_id,
  held.versions, deployment.succeeded > 0 or held.is_reported as is_taken,
  deployment.succeeded + deployment.failed > 0
  or exists (
    select
    from device_updates as updates
    where updates.workspace_id = $3 and updates.deployment_id = deployment.id
      and updates.started_at is not null
  ) as is_tried
from deployments as deployment
join deployments as latest on latest.workspace_id = deployment.workspace_id and latest.id = $4
cross join lateral (
  select json_agg(
    json_build_object('firmwareId', version.firmware_id, 'firmwareVersionId', version.id)
  ) as versions, bool_and(version.id in (select id from reported)) as is_reported
  from deployment_artifacts as artifact
  join firmware_versions as version on version.workspace_id = artifact.workspace_id
    and version.id = artifact.firmware_version_id
  where artifact.workspace_id = $5 and artifact.deployment_id = deployment.id
) as held
where deployment.workspace_id = $6 and deployment.cohort_id = $7
  and (deployment.created_at, deployment.id) <= (latest.created_at, latest.id)
order by deployment.created_at desc, deployment.id desc;

-- server/src/features/deployments/schedule/store.ts claimWindow
update deployments
set window_signalled_at = $1
where workspace_id = $2 and id = $3 and (window_signalled_at is null or window_signalled_at < $4)
returning id;

-- server/src/features/deployments/schedule/store.ts listDueDeployments
select workspace_id, cohort_id, id as deployment_id
from deployments
where is_active
  and (
    (state = $1 and starts_at <= $2)
      or (
        state = $3
          and (
            phase < jsonb_array_length(phases) - 1
              and phase_began_at + make_interval(
                secs => coalesce(phases -> phase ->> 'waitSeconds', '0')::float8
              ) <= $4 or failed > accepted_failures
              and (failed - accepted_failures) * 100 >= (
                phases -> phase ->> 'failureThresholdPercent'
              )::float8 * (
                select count(*)
                from device_updates as updates
                where updates.workspace_id = deployments.workspace_id
                  and updates.deployment_id = deployments.id and updates.released_at is not null
                  and updates.state <> 'cancelled'
              )
              or exists (
                select
                from deployment_comparisons as compared
                where compared.workspace_id = deployments.workspace_id
                  and compared.deployment_id = deployments.id and compared.phase = deployments.phase
                  and compared.state in ('Worse', 'TooFew') and compared.accepted is null
              ) or options ->> 'maintenanceWindow' is not null
          )
      )
  )
order by workspace_id, id;

-- server/src/features/deployments/schedule/store.ts listOverdueWorkspaces
select active.workspace_id
from (select distinct workspace_id from deployments where is_active) as active
where exists (
  select
  from device_updates as updates
  join deployments as deployment on deployment.workspace_id = updates.workspace_id
    and deployment.id = updates.deployment_id
  where updates.workspace_id = active.workspace_id and updates.state in ('pending', 'inProgress')
    and updates.deadline_at <= $1 and (updates.state = 'inProgress' or deployment.state = 'Running')
)
order by 1;

-- server/src/features/deployments/store.ts deleteDeploymentsOfCohort
delete from deployments where workspace_id = $1 and cohort_id = $2;

-- server/src/features/deployments/store.ts deleteDeploymentsOfCohort
select count(*)
from (
  select
  from device_updates as updates
  join deployments as deployment on deployment.workspace_id = updates.workspace_id
    and deployment.id = updates.deployment_id
  where updates.workspace_id = $1 and deployment.cohort_id = $2
  order by updates.device_id, updates.deployment_id
  for update of updates
) as locked;

-- server/src/features/deployments/store.ts endDeployment
update deployments
set state = $1, state_reason = $2, ended_at = $3, ended_device_counts = $4,
  events = events || $5::jsonb, is_active = $6, cancelled = cancelled + pending + in_progress,
  pending = 0, in_progress = 0
where workspace_id = $7 and id = $8;

-- server/src/features/deployments/store.ts findActiveDeployments
select deployment.id, deployment.name, deployment.cohort_id, deployment.created_at,
  deployment.created_by_email, deployment.is_active, deployment.state, deployment.state_reason,
  deployment.ended_at, deployment.predecessor_id, deployment.rollback_of_id, deployment.restores_id,
  deployment.starts_at,
  (
    select coalesce(
      jsonb_agg('{"comparison": null}'::jsonb || each.phase order by each.place), '[]'
    )
    from jsonb_array_elements(deployment.phases) with ordinality as each (phase, place)
  ) as phases, deployment.phase, deployment.phase_began_at, deployment.options as options,
  deployment.start_deadline_seconds, deployment.device_deadline_seconds, deployment.max_attempts,
  deployment.accepted_failures, deployment.note, deployment.events as events,
  deployment.gate as gate, deployment.pending, deployment.in_progress, deployment.succeeded,
  deployment.failed, deployment.cancelled, deployment.ended_device_counts as ended_device_counts,
  (
    select json_agg(
      json_build_object(
        'id', artifact.id, 'order', artifact.position, 'firmware',
          json_build_object(
            'isMain', artifact.is_main, 'slug', firmware.slug, 'firmwareVersion',
              json_build_object(
                'id', version.id, 'name', version.name, 'firmware',
                  json_build_object('id', firmware.id, 'name', firmware.name)
              )
          )
      )
      order by artifact.position
    )
    from deployment_artifacts as artifact
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
  ) as artifacts,
  (
    select json_agg(
      json_build_object(
        'phase', compared.phase, 'state', compared.state, 'reason', compared.reason, 'checkedAt',
          compared.checked_at, 'blindTo', compared.blind_to, 'accepted', compared.accepted
      )
      order by compared.phase
    )
    from deployment_comparisons as compared
    where compared.workspace_id = $2 and compared.deployment_id = deployment.id
  ) as comparisons
from deployments as deployment
where deployment.workspace_id = $3 and deployment.cohort_id = any($4::uuid[])
  and deployment.is_active
order by deployment.id;

-- server/src/features/deployments/store.ts findDeployment
select deployment.id, deployment.name, deployment.cohort_id, deployment.created_at,
  deployment.created_by_email, deployment.is_active, deployment.state, deployment.state_reason,
  deployment.ended_at, deployment.predecessor_id, deployment.rollback_of_id, deployment.restores_id,
  deployment.starts_at,
  (
    select coalesce(
      jsonb_agg('{"comparison": null}'::jsonb || each.phase order by each.place), '[]'
    )
    from jsonb_array_elements(deployment.phases) with ordinality as each (phase, place)
  ) as phases, deployment.phase, deployment.phase_began_at, deployment.options as options,
  deployment.start_deadline_seconds, deployment.device_deadline_seconds, deployment.max_attempts,
  deployment.accepted_failures, deployment.note, deployment.events as events,
  deployment.gate as gate, deployment.pending, deployment.in_progress, deployment.succeeded,
  deployment.failed, deployment.cancelled, deployment.ended_device_counts as ended_device_counts,
  (
    select json_agg(
      json_build_object(
        'id', artifact.id, 'order', artifact.position, 'firmware',
          json_build_object(
            'isMain', artifact.is_main, 'slug', firmware.slug, 'firmwareVersion',
              json_build_object(
                'id', version.id, 'name', version.name, 'firmware',
                  json_build_object('id', firmware.id, 'name', firmware.name)
              )
          )
      )
      order by artifact.position
    )
    from deployment_artifacts as artifact
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
  ) as artifacts,
  (
    select json_agg(
      json_build_object(
        'phase', compared.phase, 'state', compared.state, 'reason', compared.reason, 'checkedAt',
          compared.checked_at, 'blindTo', compared.blind_to, 'accepted', compared.accepted
      )
      order by compared.phase
    )
    from deployment_comparisons as compared
    where compared.workspace_id = $2 and compared.deployment_id = deployment.id
  ) as comparisons
from deployments as deployment
where deployment.workspace_id = $3 and deployment.cohort_id = $4 and deployment.id = $5;

-- server/src/features/deployments/store.ts insertArtifacts
insert into deployment_artifacts (
  workspace_id, deployment_id, "position", firmware_version_id, is_main, id
)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/deployments/store.ts insertDeployment
insert into deployments (
  cohort_id, name, note, starts_at, phases, options, start_deadline_seconds,
    device_deadline_seconds, max_attempts, predecessor_id, rollback_of_id, restores_id, gate,
    workspace_id, id, created_at, created_by_email, state, phase_began_at, events, is_active
)
values (
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21
);

-- server/src/features/deployments/store.ts insertDeployment
insert into deployments (
  cohort_id, name, starts_at, phases, options, start_deadline_seconds, device_deadline_seconds,
    max_attempts, predecessor_id, rollback_of_id, restores_id, note, gate, workspace_id, id,
    created_at, created_by_email, state, phase_began_at, events, is_active
)
values (
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21
);

-- server/src/features/deployments/store.ts listDeployments
select deployment.id, deployment.name, deployment.cohort_id, deployment.created_at,
  deployment.created_by_email, deployment.is_active, deployment.state, deployment.state_reason,
  deployment.ended_at, deployment.predecessor_id, deployment.rollback_of_id, deployment.restores_id,
  deployment.starts_at,
  (
    select coalesce(
      jsonb_agg('{"comparison": null}'::jsonb || each.phase order by each.place), '[]'
    )
    from jsonb_array_elements(deployment.phases) with ordinality as each (phase, place)
  ) as phases, deployment.phase, deployment.phase_began_at, deployment.options as options,
  deployment.start_deadline_seconds, deployment.device_deadline_seconds, deployment.max_attempts,
  deployment.accepted_failures, deployment.note, deployment.events as events,
  deployment.gate as gate, deployment.pending, deployment.in_progress, deployment.succeeded,
  deployment.failed, deployment.cancelled, deployment.ended_device_counts as ended_device_counts,
  (
    select json_agg(
      json_build_object(
        'id', artifact.id, 'order', artifact.position, 'firmware',
          json_build_object(
            'isMain', artifact.is_main, 'slug', firmware.slug, 'firmwareVersion',
              json_build_object(
                'id', version.id, 'name', version.name, 'firmware',
                  json_build_object('id', firmware.id, 'name', firmware.name)
              )
          )
      )
      order by artifact.position
    )
    from deployment_artifacts as artifact
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
  ) as artifacts,
  (
    select json_agg(
      json_build_object(
        'phase', compared.phase, 'state', compared.state, 'reason', compared.reason, 'checkedAt',
          compared.checked_at, 'blindTo', compared.blind_to, 'accepted', compared.accepted
      )
      order by compared.phase
    )
    from deployment_comparisons as compared
    where compared.workspace_id = $2 and compared.deployment_id = deployment.id
  ) as comparisons
from deployments as deployment
where deployment.workspace_id = $3 and deployment.cohort_id = $4
order by deployment.created_at desc, deployment.id desc
limit $5;

-- server/src/features/deployments/store.ts listDeployments
select deployment.id, deployment.name, deployment.cohort_id, deployment.created_at,
  deployment.created_by_email, deployment.is_active, deployment.state, deployment.state_reason,
  deployment.ended_at, deployment.predecessor_id, deployment.rollback_of_id, deployment.restores_id,
  deployment.starts_at,
  (
    select coalesce(
      jsonb_agg('{"comparison": null}'::jsonb || each.phase order by each.place), '[]'
    )
    from jsonb_array_elements(deployment.phases) with ordinality as each (phase, place)
  ) as phases, deployment.phase, deployment.phase_began_at, deployment.options as options,
  deployment.start_deadline_seconds, deployment.device_deadline_seconds, deployment.max_attempts,
  deployment.accepted_failures, deployment.note, deployment.events as events,
  deployment.gate as gate, deployment.pending, deployment.in_progress, deployment.succeeded,
  deployment.failed, deployment.cancelled, deployment.ended_device_counts as ended_device_counts,
  (
    select json_agg(
      json_build_object(
        'id', artifact.id, 'order', artifact.position, 'firmware',
          json_build_object(
            'isMain', artifact.is_main, 'slug', firmware.slug, 'firmwareVersion',
              json_build_object(
                'id', version.id, 'name', version.name, 'firmware',
                  json_build_object('id', firmware.id, 'name', firmware.name)
              )
          )
      )
      order by artifact.position
    )
    from deployment_artifacts as artifact
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where artifact.workspace_id = $1 and artifact.deployment_id = deployment.id
  ) as artifacts,
  (
    select json_agg(
      json_build_object(
        'phase', compared.phase, 'state', compared.state, 'reason', compared.reason, 'checkedAt',
          compared.checked_at, 'blindTo', compared.blind_to, 'accepted', compared.accepted
      )
      order by compared.phase
    )
    from deployment_comparisons as compared
    where compared.workspace_id = $2 and compared.deployment_id = deployment.id
  ) as comparisons
from deployments as deployment
where deployment.workspace_id = $3 and deployment.cohort_id = $4
  and (deployment.created_at, deployment.id) < ($5::timestamptz, $6::uuid)
order by deployment.created_at desc, deployment.id desc
limit $7;

-- server/src/features/deployments/store.ts updateDeployment: the shortest and the longest of many variants
--   013c5617 0ce1bafd 1693dd61 393264f2 6afb9afc f71ba36d
update deployments set pending = $1 where workspace_id = $2 and id = $3;

update deployments
set state = $1, state_reason = $2, phase = $3, phase_began_at = $4, accepted_failures = $5,
  events = events || $6::jsonb
where workspace_id = $7 and id = $8;

-- server/src/features/deployments/store.ts updatePlan
update deployments
set name = $1, note = $2, starts_at = $3, start_deadline_seconds = $4, device_deadline_seconds = $5,
  max_attempts = $6, phases = $7, options = $8
where workspace_id = $9 and id = $10;
