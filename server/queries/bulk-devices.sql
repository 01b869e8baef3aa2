-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

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
