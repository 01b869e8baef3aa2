-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/auth/store.ts findApiKey
select id, workspace_id, name, scopes, created_by_email, created_at, expires_at, revoked_at
from api_keys
where id = $1;

-- server/src/features/auth/store.ts findApiKeyByHash
select id, workspace_id, scopes, created_by_email, expires_at, revoked_at, last_used_at
from api_keys
where key_hash = $1;

-- server/src/features/auth/store.ts findOrCreatePerson
select id, email from people where email = $1;

-- server/src/features/auth/store.ts findOrCreatePerson
insert into people (id, email, display_name, created_at)
values ($1, $2, $3, $4)
on conflict (email)
do nothing;

-- server/src/features/auth/store.ts findOrCreateSecret
select value from secrets where name = $1;

-- server/src/features/auth/store.ts findOrCreateSecret
insert into secrets (name, value, created_at) values ($1, $2, $3) on conflict (name) do nothing;

-- server/src/features/auth/store.ts insertApiKey
insert into api_keys (
  id, workspace_id, name, scopes, created_by_email, created_at, expires_at, key_hash
)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/auth/store.ts insertSetupLink
insert into setup_links (token_hash, person_id, created_at, expires_at) values ($1, $2, $3, $4);

-- server/src/features/auth/store.ts isSetupLinkValid
select person_id from setup_links where token_hash = $1 and used_at is null and expires_at > $2;

-- server/src/features/auth/store.ts listMemberships
select members.workspace_id, people.email
from members
inner join people on people.id = members.subject_id
where members.subject_id = $1
order by members.workspace_id;

-- server/src/features/auth/store.ts revokeApiKey
update api_keys set revoked_at = $1 where id = $2 and revoked_at is null;

-- server/src/features/auth/store.ts updateApiKeyUse
update api_keys set last_used_at = $1 where id = $2;

-- server/src/features/auth/store.ts updatePassword
update people set password_hash = $1 where id = $2;

-- server/src/features/auth/store.ts useSetupLink
update setup_links set used_at = $1 where person_id = $2 and used_at is null;

-- server/src/features/auth/store.ts useSetupLink
update setup_links
set used_at = $1
where token_hash = $2 and used_at is null and expires_at > $3
returning person_id;
