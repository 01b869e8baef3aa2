-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/device-keys/key-ages-store.ts countAskedSince
select count(*)::int as count
from device_key_rotations as rotation
where rotation.workspace_id = $1 and rotation.is_scheduled and rotation.asked_at > $2;

-- server/src/features/device-keys/key-ages-store.ts countKeyAges
select age.state, count(*)::int as devices, min(age.oldest_at) as oldest_at
from (
  select device.id, wanted.days, key.oldest_at, case when device.door = 'Ddi' then 'hawkbit'
    when key.oldest_at is null then 'withoutOwnKey'
    when rotation.fetched_at is not null then 'fetched'
    when key.oldest_at > $1::timestamptz - wanted.days * interval '1 day' then 'young'
    when rotation.refused_at is not null
    or device.last_seen_at > rotation.told_at + interval '1 hour' then 'unable'
    when rotation.told_at is not null then 'told' when rotation.asked_at is not null then 'asked'
    when device.connected or device.last_seen_at > $2::timestamptz - interval '1 day' then 'due'
    else 'away' end as state
  from devices as device
  join workspaces as workspace on workspace.id = device.workspace_id
  left join deployment_cohorts as cohort on cohort.workspace_id = $3
    and cohort.id = device.cohort_id
  cross join lateral (
    select case when $4 and device.cohort_id is not distinct from $5::uuid or $6
      and cohort.key_rotation_days is null then $7::int
      else coalesce(cohort.key_rotation_days, workspace.device_key_rotation_days, 0) end as days
  ) as wanted
  left join device_key_rotations as rotation on rotation.workspace_id = $8
    and rotation.device_id = device.id and rotation.done_at is null
  left join (
    select own.device_id, min(own.created_at) as oldest_at
    from device_keys as own
    where own.workspace_id = $9 and own.device_id is not null and own.issuer_id is null
      and own.revoked_at is null and not own.is_next
    group by own.device_id
  ) as key on key.device_id = device.id
  where device.workspace_id = $10 and wanted.days > 0
) as age
group by age.state;

-- server/src/features/device-keys/key-ages-store.ts countKeyOwners
select count(*)::int as devices, max(owner.device_id) as last_id
from (
  select distinct key.device_id
  from device_keys as key
  where key.workspace_id = $1 and key.device_id > $2::text collate "C" and key.issuer_id is null
    and key.revoked_at is null
  order by key.device_id
  limit $3
) as owner;

-- server/src/features/device-keys/key-ages-store.ts deleteUnwanted
delete from device_key_rotations as rotation
where rotation.workspace_id = $1 and rotation.device_id = any($2::text[]) and rotation.is_scheduled
  and rotation.done_at is null and rotation.fetched_at is null
  and not exists (
    select
    from (
      select device.id, wanted.days, key.oldest_at, case when device.door = 'Ddi' then 'hawkbit'
        when key.oldest_at is null then 'withoutOwnKey'
        when rotation.fetched_at is not null then 'fetched'
        when key.oldest_at > $3::timestamptz - wanted.days * interval '1 day' then 'young'
        when rotation.refused_at is not null
        or device.last_seen_at > rotation.told_at + interval '1 hour' then 'unable'
        when rotation.told_at is not null then 'told'
        when rotation.asked_at is not null then 'asked' when device.connected
        or device.last_seen_at > $4::timestamptz - interval '1 day' then 'due'
        else 'away' end as state
      from devices as device
      join workspaces as workspace on workspace.id = device.workspace_id
      left join deployment_cohorts as cohort on cohort.workspace_id = $5
        and cohort.id = device.cohort_id
      cross join lateral (
        select case when $6 and device.cohort_id is not distinct from $7::uuid or $8
          and cohort.key_rotation_days is null then $9::int
          else coalesce(cohort.key_rotation_days, workspace.device_key_rotation_days, 0) end as days
      ) as wanted
      left join device_key_rotations as rotation on rotation.workspace_id = $10
        and rotation.device_id = device.id and rotation.done_at is null
      left join (
        select own.device_id, min(own.created_at) as oldest_at
        from device_keys as own
        where own.workspace_id = $11 and own.device_id is not null and own.issuer_id is null
          and own.revoked_at is null and not own.is_next and own.device_id = any($12::text[])
        group by own.device_id
      ) as key on key.device_id = device.id
      where device.workspace_id = $13 and wanted.days > 0 and device.id = any($14::text[])
    ) as age
    where age.id = rotation.device_id and age.state not in ('young', 'hawkbit', 'withoutOwnKey')
  )
returning rotation.device_id;

-- server/src/features/device-keys/key-ages-store.ts listDueDevices
select age.id as device_id, age.oldest_at as made_at
from (
  select device.id, wanted.days, key.oldest_at, case when device.door = 'Ddi' then 'hawkbit'
    when key.oldest_at is null then 'withoutOwnKey'
    when rotation.fetched_at is not null then 'fetched'
    when key.oldest_at > $1::timestamptz - wanted.days * interval '1 day' then 'young'
    when rotation.refused_at is not null
    or device.last_seen_at > rotation.told_at + interval '1 hour' then 'unable'
    when rotation.told_at is not null then 'told' when rotation.asked_at is not null then 'asked'
    when device.connected or device.last_seen_at > $2::timestamptz - interval '1 day' then 'due'
    else 'away' end as state
  from devices as device
  join workspaces as workspace on workspace.id = device.workspace_id
  left join deployment_cohorts as cohort on cohort.workspace_id = $3
    and cohort.id = device.cohort_id
  cross join lateral (
    select case when $4 and device.cohort_id is not distinct from $5::uuid or $6
      and cohort.key_rotation_days is null then $7::int
      else coalesce(cohort.key_rotation_days, workspace.device_key_rotation_days, 0) end as days
  ) as wanted
  left join device_key_rotations as rotation on rotation.workspace_id = $8
    and rotation.device_id = device.id and rotation.done_at is null
  left join (
    select own.device_id, min(own.created_at) as oldest_at
    from device_keys as own
    where own.workspace_id = $9 and own.device_id is not null and own.issuer_id is null
      and own.revoked_at is null and not own.is_next and own.device_id = any($10::text[])
    group by own.device_id
  ) as key on key.device_id = device.id
  where device.workspace_id = $11 and wanted.days > 0 and device.id = any($12::text[])
) as age
where age.state = 'due'
order by age.oldest_at, age.id
limit $13;

-- server/src/features/device-keys/key-ages-store.ts listOldKeys
select key.created_at as made_at, key.device_id
from device_keys as key
where key.workspace_id = $1 and key.device_id is not null and key.issuer_id is null
  and key.revoked_at is null and not key.is_next and key.created_at <= $2
order by key.created_at, key.device_id
limit $3;

-- server/src/features/device-keys/key-ages-store.ts listOldKeys
select key.created_at as made_at, key.device_id
from device_keys as key
where key.workspace_id = $1 and key.device_id is not null and key.issuer_id is null
  and key.revoked_at is null and not key.is_next and key.created_at <= $2
  and (key.created_at, key.device_id) > ($3::timestamptz, $4::text collate "C")
order by key.created_at, key.device_id
limit $5;

-- server/src/features/device-keys/key-ages-store.ts listOpenScheduled
select rotation.device_id
from device_key_rotations as rotation
where rotation.workspace_id = $1 and rotation.device_id > $2::text collate "C"
  and rotation.done_at is null and rotation.is_scheduled
order by rotation.device_id
limit $3;

-- server/src/features/device-keys/key-ages-store.ts listWorkspacesWithAges
select workspace.id as workspace_id, wanted.days as fewest_days
from workspaces as workspace
cross join lateral (
  select least(workspace.device_key_rotation_days, min(cohort.key_rotation_days)) as days
  from deployment_cohorts as cohort
  where cohort.workspace_id = workspace.id and cohort.key_rotation_days > 0
) as wanted
where wanted.days is not null
  or exists (
    select
    from device_key_rotations as rotation
    where rotation.workspace_id = workspace.id and rotation.done_at is null
      and rotation.is_scheduled
  )
order by workspace.id;

-- server/src/features/device-keys/key-ages-store.ts tryLockAsking
select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_locked;

-- server/src/features/device-keys/store.ts countRotations
select count(*)::int as count from device_key_rotations where workspace_id = $1 and batch_id = $2;

-- server/src/features/device-keys/store.ts deleteRotation
delete from device_key_rotations where workspace_id = $1 and device_id = $2;

-- server/src/features/device-keys/store.ts deleteUnfetched
delete from device_key_rotations
where workspace_id = $1 and batch_id = $2 and fetched_at is null
returning device_id;

-- server/src/features/device-keys/store.ts insertRotations
insert into device_key_rotations as rotation (
  workspace_id, device_id, batch_id, is_scheduled, asked_at, asked_by_email
)
select $1, device.id, $2, $3, $4, $5
from devices as device
where device.workspace_id = $6 and device.id = any($7::text[])
order by device.id
on conflict (workspace_id, device_id)
do update
set batch_id = excluded.batch_id, is_scheduled = excluded.is_scheduled,
  asked_at = excluded.asked_at, asked_by_email = excluded.asked_by_email, told_at = null,
  refused_at = null, fetched_at = null, done_at = null
where rotation.done_at is not null
returning rotation.device_id;

-- server/src/features/device-keys/store.ts listCandidates
select device.id, coalesce(device.door = 'Ddi', false) as is_hawkbit,
  exists (
    select
    from device_key_rotations as rotation
    where rotation.workspace_id = $1 and rotation.device_id = device.id and rotation.done_at is null
  ) as is_open,
  (
    select count(*)::int
    from device_keys as key
    where key.workspace_id = $2 and key.device_id = device.id and key.issuer_id is null
      and key.revoked_at is null and not key.is_next
  ) as own_keys
from devices as device
where device.workspace_id = $3 and device.id = any($4::text[])
order by device.id;

-- server/src/features/device-keys/store.ts listOpenRotations
select device_id, told_at
from device_key_rotations
where workspace_id = $1 and device_id = any($2::text[]) and done_at is null;

-- server/src/features/device-keys/store.ts lockRotation
select batch_id, fetched_at, done_at
from device_key_rotations
where workspace_id = $1 and device_id = $2
for update;

-- server/src/features/device-keys/store.ts updateRotation
update device_key_rotations
set done_at = $1
where workspace_id = $2 and device_id = $3 and done_at is null;

-- server/src/features/device-keys/store.ts updateRotation
update device_key_rotations
set refused_at = $1
where workspace_id = $2 and device_id = $3 and done_at is null;

-- server/src/features/device-keys/store.ts updateRotation
update device_key_rotations
set fetched_at = $1, refused_at = $2
where workspace_id = $3 and device_id = $4 and done_at is null;

-- server/src/features/device-keys/store.ts updateTold
update device_key_rotations
set told_at = $1
where workspace_id = $2 and device_id = any($3::text[]) and told_at is null;
