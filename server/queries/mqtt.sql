-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/mqtt/store.ts listDeviceIds
select id from devices where workspace_id = $1 and id > $2 order by id limit $3;

-- server/src/features/mqtt/store.ts listRefusedConnections
select connection.id
from json_to_recordset($1::json) as connection (id uuid, "deviceId" text, "keyId" uuid)
where not exists (
  select from devices where devices.workspace_id = $2 and devices.id = connection."deviceId"
)
  or not exists (
    select
    from device_keys as key
    where key.workspace_id = $3 and key.id = connection."keyId" and key.revoked_at is null
  );
