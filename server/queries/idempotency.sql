-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/idempotency/store.ts deleteKey
delete from idempotency_keys where workspace_id = $1 and actor_id = $2 and key = $3;

-- server/src/features/idempotency/store.ts deleteKeysBefore
delete from idempotency_keys where created_at < $1;

-- server/src/features/idempotency/store.ts findKey
select fingerprint, status, body, body_digest, headers as headers
from idempotency_keys
where workspace_id = $1 and actor_id = $2 and key = $3;

-- server/src/features/idempotency/store.ts insertKey
insert into idempotency_keys (workspace_id, actor_id, key, fingerprint, created_at)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id, actor_id, key)
do nothing
returning key;

-- server/src/features/idempotency/store.ts keepAnswer
update idempotency_keys
set status = $1, headers = $2, body = $3, body_digest = $4
where workspace_id = $5 and actor_id = $6 and key = $7;
