-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/device-issuers/certificate-store.ts findCertificate
select key.id, key.device_id, key.revoked_at, key.last_used_at, workspace.device_auto_registration,
  issuer.id as issuer_id, issuer.not_after as issuer_not_after, case
  when not issuer.accepts_after_crl_end then issuer.crl_next_update end as refused_from,
  exists (select from devices where devices.workspace_id = $1 and devices.id = $2) as
  is_device_there,
  exists (
    select
    from device_revocations as revocation
    where revocation.workspace_id = $3 and revocation.issuer_id = key.issuer_id
      and revocation.serial = key.serial
  ) as is_revoked
from device_keys as key
join workspaces as workspace on workspace.id = key.workspace_id
join device_issuers as issuer on issuer.workspace_id = key.workspace_id
  and issuer.id = key.issuer_id
where key.workspace_id = $4 and key.key_hash = $5;

-- server/src/features/device-issuers/certificate-store.ts listIssuersOfDevices
select issuer.id, issuer.certificate, issuer.device_id_field, issuer.device_id_prefix,
  issuer.device_id_suffix, workspace.device_auto_registration,
  exists (select from devices where devices.workspace_id = $1 and devices.id = $2) as
  is_device_there,
  exists (
    select
    from device_revocations as revocation
    where revocation.workspace_id = $3 and revocation.issuer_id = issuer.id
      and revocation.serial = $4
  ) as is_revoked
from device_issuers as issuer
join workspaces as workspace on workspace.id = issuer.workspace_id
where issuer.workspace_id = $5
order by issuer.created_at, issuer.id;

-- server/src/features/device-issuers/ends-store.ts hasDeviceIssuers
select id from device_issuers where workspace_id = $1 limit $2;

-- server/src/features/device-issuers/ends-store.ts listIssuerEnds
with latest as (
  select distinct on (key.device_id) key.issuer_id, key.expires_at
  from device_keys as key
  where key.workspace_id = $1 and key.issuer_id is not null and key.revoked_at is null
  order by key.device_id, key.expires_at desc
),
  devices as (
    select latest.issuer_id, count(*)::int as device_count,
      (count(*) filter (where latest.expires_at > $2 and latest.expires_at <= $3))::int as
      ending_count, min(latest.expires_at) filter (where latest.expires_at > $4) as first_ends_at,
      (count(*) filter (where latest.expires_at <= $5))::int as ended_count,
      max(latest.expires_at) filter (where latest.expires_at <= $6) as last_ended_at
    from latest
    group by latest.issuer_id
  )
select issuer.id, issuer.name, issuer.not_after as ends_at,
  coalesce(devices.device_count, 0) as device_count,
  coalesce(devices.ending_count, 0) as ending_count, devices.first_ends_at,
  coalesce(devices.ended_count, 0) as ended_count, devices.last_ended_at
from device_issuers as issuer
left join devices on devices.issuer_id = issuer.id
where issuer.workspace_id = $7
  and (
    devices.device_count > 0
      or not exists (
        select
        from device_issuers as later
        where later.workspace_id = $8 and later.not_after > issuer.not_after
          and later.subject = issuer.subject
      )
  )
order by issuer.not_after, issuer.id;

-- server/src/features/device-issuers/store.ts claimKey
select workspace_id from device_issuer_keys where key_hash = $1;

-- server/src/features/device-issuers/store.ts claimKey
insert into device_issuer_keys (workspace_id, key_hash) values ($1, $2) on conflict do nothing;

-- server/src/features/device-issuers/store.ts deleteIssuer
delete from device_issuer_keys where key_hash = $1 and workspace_id = $2;

-- server/src/features/device-issuers/store.ts deleteIssuer
delete from device_issuers where workspace_id = $1 and id = $2 returning key_hash;

-- server/src/features/device-issuers/store.ts insertIssuer
insert into device_issuers (
  workspace_id, id, key_hash, certificate, accepts_after_crl_end, name, subject, device_id_field,
    device_id_prefix, device_id_suffix, not_before, not_after, created_at, created_by_email,
    updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- server/src/features/device-issuers/store.ts listIssuers
select issuer.id, issuer.name, issuer.certificate, issuer.subject, issuer.not_before,
  issuer.not_after, issuer.device_id_field, issuer.device_id_prefix, issuer.device_id_suffix,
  issuer.accepts_after_crl_end, issuer.crl_number::text as crl_number, issuer.crl_this_update,
  issuer.crl_next_update, issuer.created_at, issuer.created_by_email, issuer.updated_at,
  revocations.listed_count, revocations.revoked_count, certificates.device_count,
  certificates.next_end
from device_issuers as issuer
cross join lateral (
  select (count(*) filter (where revocation.is_listed))::int as listed_count,
    (count(*) filter (where not revocation.is_listed))::int as revoked_count
  from device_revocations as revocation
  where revocation.workspace_id = $1 and revocation.issuer_id = issuer.id
) as revocations
cross join lateral (
  select count(distinct key.device_id)::int as device_count, min(key.expires_at) as next_end
  from device_keys as key
  where key.workspace_id = $2 and key.issuer_id = issuer.id and key.revoked_at is null
    and key.expires_at > $3
) as certificates
where issuer.workspace_id = $4 and true
order by lower(issuer.name), issuer.id;

-- server/src/features/device-issuers/store.ts listIssuers
select issuer.id, issuer.name, issuer.certificate, issuer.subject, issuer.not_before,
  issuer.not_after, issuer.device_id_field, issuer.device_id_prefix, issuer.device_id_suffix,
  issuer.accepts_after_crl_end, issuer.crl_number::text as crl_number, issuer.crl_this_update,
  issuer.crl_next_update, issuer.created_at, issuer.created_by_email, issuer.updated_at,
  revocations.listed_count, revocations.revoked_count, certificates.device_count,
  certificates.next_end
from device_issuers as issuer
cross join lateral (
  select (count(*) filter (where revocation.is_listed))::int as listed_count,
    (count(*) filter (where not revocation.is_listed))::int as revoked_count
  from device_revocations as revocation
  where revocation.workspace_id = $1 and revocation.issuer_id = issuer.id
) as revocations
cross join lateral (
  select count(distinct key.device_id)::int as device_count, min(key.expires_at) as next_end
  from device_keys as key
  where key.workspace_id = $2 and key.issuer_id = issuer.id and key.revoked_at is null
    and key.expires_at > $3
) as certificates
where issuer.workspace_id = $4 and issuer.id = $5
order by lower(issuer.name), issuer.id;

-- server/src/features/device-issuers/store.ts listRevocations
select revocation.serial, revocation.is_listed, revocation.revoked_at, revocation.revoked_by_email,
  (
    select min(key.device_id)
    from device_keys as key
    where key.workspace_id = $1 and key.issuer_id = $2 and key.serial = revocation.serial
  ) as device_id
from device_revocations as revocation
where revocation.workspace_id = $3 and revocation.issuer_id = $4
order by revocation.revoked_at desc, revocation.serial
limit $5;

-- server/src/features/device-issuers/store.ts lockIssuers
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- server/src/features/device-issuers/store.ts updateIssuer
update device_issuers
set name = $1, accepts_after_crl_end = $2, updated_at = $3
where workspace_id = $4 and id = $5;

-- server/src/features/device-issuers/store.ts updateRevocationList
update device_issuers
set crl_number = $1, crl_this_update = $2, crl_next_update = $3
where workspace_id = $4 and id = $5;
