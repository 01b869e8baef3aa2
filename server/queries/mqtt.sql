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
    left join device_issuers as issuer on issuer.workspace_id = $3 and issuer.id = key.issuer_id
    where key.workspace_id = $4 and key.id = connection."keyId" and key.revoked_at is null
      and (
        key.issuer_id is null
          or (
            key.expires_at > $5 and issuer.not_after > $6
              and (issuer.accepts_after_crl_end or coalesce(issuer.crl_next_update > $7, true))
          )
      )
  );
