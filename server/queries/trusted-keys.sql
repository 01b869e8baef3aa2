-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/trusted-keys/store.ts deleteTrustedKey
delete from trusted_keys where workspace_id = $1 and id = $2;

-- server/src/features/trusted-keys/store.ts findTaken
select digest = $1 as is_same
from trusted_keys
where workspace_id = $2 and (digest = $3 or name = $4) and true
order by is_same desc
limit 1;

-- server/src/features/trusted-keys/store.ts findTaken
select digest = $1 as is_same
from trusted_keys
where workspace_id = $2 and (digest = $3 or name = $4) and id <> $5
order by is_same desc
limit 1;

-- server/src/features/trusted-keys/store.ts findTrustedKey
select id, name, purpose, kind, pem, fingerprint, algorithm, minisign_key_id, subject, begins_at,
  ends_at, created_at, created_by_email, updated_at
from trusted_keys
where workspace_id = $1 and id = $2;

-- server/src/features/trusted-keys/store.ts hasTrustedCertificates
select id from trusted_keys where workspace_id = $1 and ends_at is not null limit $2;

-- server/src/features/trusted-keys/store.ts insertTrustedKey
insert into trusted_keys (
  workspace_id, id, name, purpose, kind, pem, fingerprint, algorithm, minisign_key_id, subject,
    begins_at, ends_at, digest, created_at, created_by_email, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- server/src/features/trusted-keys/store.ts listCertificateEnds
select trusted.id, trusted.name, trusted.ends_at
from trusted_keys as trusted
where trusted.workspace_id = $1 and trusted.ends_at is not null
  and not exists (
    select
    from trusted_keys as later
    where later.workspace_id = $2 and later.ends_at > trusted.ends_at
      and (later.fingerprint = trusted.fingerprint or later.subject = trusted.subject)
  )
order by trusted.ends_at, trusted.id;

-- server/src/features/trusted-keys/store.ts listTrustedKeys
select id, name, purpose, kind, pem, fingerprint, algorithm, minisign_key_id, subject, begins_at,
  ends_at, created_at, created_by_email, updated_at
from trusted_keys
where workspace_id = $1
order by name, id;

-- server/src/features/trusted-keys/store.ts lockTrustedKeys
select pg_advisory_xact_lock(hashtextextended('trusted-keys:' || $1, 0));

-- server/src/features/trusted-keys/store.ts updateTrustedKey
update trusted_keys set name = $1, purpose = $2, updated_at = $3 where workspace_id = $4 and id = $5;
