-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/bulk-devices/batches-store.ts completeBatch
with changed as (
  update device_batch_devices as entry
  set tags_after = device.tags, cohort_id_after = device.cohort_id,
    cohort_by_rule_after = device.cohort_by_rule
  from devices as device
  where entry.workspace_id = $1 and entry.batch_id = $2 and device.workspace_id = $3
    and device.id = entry.device_id
    and (device.tags, device.cohort_id, device.cohort_by_rule) is distinct from (
      entry.tags_before, entry.cohort_id_before, entry.cohort_by_rule_before
    )
  returning entry.device_id
),
  unchanged as (
    delete from device_batch_devices as entry using devices as device
    where entry.workspace_id = $4 and entry.batch_id = $5 and device.workspace_id = $6
      and device.id = entry.device_id
      and not (device.tags, device.cohort_id, device.cohort_by_rule) is distinct from (
        entry.tags_before, entry.cohort_id_before, entry.cohort_by_rule_before
      )
  )
select count(*)::int as changed
from changed;

-- server/src/features/bulk-devices/batches-store.ts deleteBatch
delete from device_batches where workspace_id = $1 and id = $2;

-- server/src/features/bulk-devices/batches-store.ts deleteBatchesBefore
delete from device_batches where workspace_id = $1 and created_at < $2;

-- server/src/features/bulk-devices/batches-store.ts insertBatch
insert into device_batches (workspace_id, id, created_at, created_by_email, act)
values ($1, $2, $3, $4, $5);

-- server/src/features/bulk-devices/batches-store.ts insertBatch
insert into device_batch_devices (
  workspace_id, batch_id, device_id, tags_before, cohort_id_before, cohort_by_rule_before,
    tags_after, cohort_id_after, cohort_by_rule_after
)
select workspace_id, $1, id, tags, cohort_id, cohort_by_rule, tags, cohort_id, cohort_by_rule
from devices
where workspace_id = $2 and id = any($3::text[]);

-- server/src/features/bulk-devices/batches-store.ts listBatchDevices
select device_id
from device_batch_devices
where workspace_id = $1 and batch_id = $2
order by device_id;

-- server/src/features/bulk-devices/batches-store.ts listRestorable
select entry.device_id as id, entry.cohort_id_before as cohort_id,
  entry.cohort_by_rule_before as by_rule, device.id is not null
  and (device.tags, device.cohort_id, device.cohort_by_rule) is not distinct from (
    entry.tags_after, entry.cohort_id_after, entry.cohort_by_rule_after
  ) and (entry.cohort_id_before is null or cohort.id is not null) as is_restorable
from device_batch_devices as entry
left join devices as device on device.workspace_id = entry.workspace_id
  and device.id = entry.device_id
left join deployment_cohorts as cohort on cohort.workspace_id = entry.workspace_id
  and cohort.id = entry.cohort_id_before
where entry.workspace_id = $1 and entry.batch_id = $2
order by entry.device_id;

-- server/src/features/bulk-devices/batches-store.ts lockBatch
select undone_at, undone_by_email
from device_batches
where workspace_id = $1 and id = $2 and act = $3
for update;

-- server/src/features/bulk-devices/batches-store.ts restoreTags
update devices as device
set tags = entry.tags_before
from device_batch_devices as entry
where entry.workspace_id = $1 and entry.batch_id = $2 and entry.device_id = any($3::text[])
  and device.workspace_id = $4 and device.id = entry.device_id and device.tags <> entry.tags_before;

-- server/src/features/bulk-devices/store.ts changeTags
with changed as materialized (
  select device.id,
    array(
      select distinct tag collate "C"
      from unnest(device.tags || $1::text[]) as tag
      where tag <> all($2::text[])
      order by 1
    ) as tags
  from devices as device
  where device.workspace_id = $3 and device.id = any($4::text[])
)
update devices as device
set tags = changed.tags
from changed
where device.workspace_id = $5 and device.id = changed.id
  and not (device.tags @> changed.tags and changed.tags @> device.tags)
returning device.id;

-- server/src/features/bulk-devices/store.ts findOverfull
select device.id
from devices as device
where device.workspace_id = $1 and device.id = any($2::text[])
  and cardinality(
    array(
      select distinct tag collate "C"
      from unnest(device.tags || $3::text[]) as tag
      where tag <> all($4::text[])
      order by 1
    )
  ) > $5
order by device.id
limit 1;

-- server/src/features/bulk-devices/store.ts listPresent
select id, connected from devices where workspace_id = $1 and id = any($2::text[]) order by id;
