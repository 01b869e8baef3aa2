-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/mqtt/store.ts judgeConnections
select judged.id, judged.is_refused, judged.valid_until
from (
  select connection.id, ended.at as valid_until, device.id is null or key.id is null
    or coalesce(ended.at <= $1, false) as is_refused
  from json_to_recordset($2::json) as connection (id uuid, "deviceId" text, "keyId" uuid) left join
    devices as device on device.workspace_id = $3 and device.id = connection."deviceId"
  left join device_keys as key on key.workspace_id = $4 and key.id = connection."keyId"
    and key.revoked_at is null
  left join device_issuers as issuer on issuer.workspace_id = $5 and issuer.id = key.issuer_id
  cross join lateral (
    select least(
      key.expires_at, issuer.not_after, case
        when not issuer.accepts_after_crl_end then issuer.crl_next_update end
    ) as at
  ) as ended
) as judged
where judged.is_refused or judged.valid_until is not null;

-- server/src/features/mqtt/store.ts listDeviceIds
select id from devices where workspace_id = $1 and id > $2 order by id limit $3;
