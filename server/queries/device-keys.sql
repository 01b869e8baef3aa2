-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

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
  workspace_id, device_id, batch_id, asked_at, asked_by_email
)
select $1, device.id, $2, $3, $4
from devices as device
where device.workspace_id = $5 and device.id = any($6::text[])
order by device.id
on conflict (workspace_id, device_id)
do update
set batch_id = excluded.batch_id, asked_at = excluded.asked_at,
  asked_by_email = excluded.asked_by_email, told_at = null, refused_at = null, fetched_at = null,
  done_at = null
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
