-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/auth/links/store.ts deleteOldLinks
delete from one_time_links where expires_at < $1;

-- server/src/features/auth/links/store.ts findLink
select link.kind, link.person_id, link.expires_at, link.mailed, link.invitation_id, link.invited_to,
  person.email, person.display_name
from one_time_links as link
inner join people as person on person.id = link.person_id
where link.token_hash = $1 and link.used_at is null and link.expires_at > $2;

-- server/src/features/auth/links/store.ts insertLink
insert into one_time_links (
  token_hash, kind, person_id, created_at, expires_at, mailed, invited_to, invitation_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/auth/links/store.ts useLink
update one_time_links set used_at = $1 where token_hash = $2 and used_at is null and expires_at > $3;

-- server/src/features/auth/links/store.ts voidInvitationLinks
update one_time_links
set used_at = $1
where invited_to = $2 and invitation_id = $3 and used_at is null;

-- server/src/features/auth/links/store.ts voidLinks
update one_time_links set used_at = $1 where person_id = $2 and kind in ($3) and used_at is null;

-- server/src/features/auth/sessions/store.ts deleteOldSessions
delete from sessions where (expires_at <= $1 or last_used_at <= $2);

-- server/src/features/auth/sessions/store.ts deleteSession
delete from sessions where person_id = $1 and id = $2;

-- server/src/features/auth/sessions/store.ts deleteSessions
delete from sessions where person_id = $1;

-- server/src/features/auth/sessions/store.ts deleteSessions
delete from sessions where person_id = $1 and id != $2;

-- server/src/features/auth/sessions/store.ts findSessionByHash
select session.id, session.person_id, person.email, person.display_name, session.method,
  session.second_factor, session.second_factor_at, session.last_used_at, session.expires_at
from sessions as session
join people as person on person.id = session.person_id
where session.token_hash = $1;

-- server/src/features/auth/sessions/store.ts insertSession
insert into sessions (
  id, token_hash, person_id, method, second_factor, second_factor_at, created_at, last_used_at,
    expires_at, user_agent, address
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/auth/sessions/store.ts listSessions
select id, method, created_at, last_used_at, expires_at, user_agent, address
from sessions
where person_id = $1 and second_factor != $2 and expires_at > $3 and last_used_at > $4
order by last_used_at desc, id;

-- server/src/features/auth/sessions/store.ts markSecondFactor
update sessions set second_factor = $1, second_factor_at = $2 where id = $3;

-- server/src/features/auth/sessions/store.ts updateSessionUse
update sessions set last_used_at = $1 where id = $2;

-- server/src/features/auth/sessions/store.ts weakenSessions
update sessions
set second_factor = $1, second_factor_at = $2
where person_id = $3 and second_factor = $4 and method in ($5);

-- server/src/features/auth/store.ts deleteEndedSigningKeys: not executed by tests

-- server/src/features/auth/store.ts findApiKey
select id, workspace_id, name, scopes, created_by_email, created_at, expires_at, revoked_at,
  person_id
from api_keys
where id = $1;

-- server/src/features/auth/store.ts findApiKeyByHash
select key.id, key.workspace_id, key.scopes, key.created_by_email, key.expires_at, key.revoked_at,
  key.last_used_at, key.person_id
from api_keys as key
where key.key_hash = $1;

-- server/src/features/auth/store.ts findMembership
select member.role, workspace.require_second_factor
from members as member
join workspaces as workspace on workspace.id = member.workspace_id
where member.workspace_id = $1 and member.subject_id = $2;

-- server/src/features/auth/store.ts findOrCreatePerson
select id, email from people where email = $1;

-- server/src/features/auth/store.ts findOrCreatePerson
insert into people (id, email, display_name, created_at)
values ($1, $2, $3, $4)
on conflict (email)
do nothing;

-- server/src/features/auth/store.ts findSecret
select value from secrets where name = $1;

-- server/src/features/auth/store.ts insertApiKey
insert into api_keys (
  id, workspace_id, name, scopes, created_by_email, created_at, expires_at, person_id, key_hash
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/auth/store.ts insertFirstSigningKey
insert into secrets (name, value, created_at) values ($1, $2, $3) on conflict (name) do nothing;

-- server/src/features/auth/store.ts insertSigningKey: not executed by tests

-- server/src/features/auth/store.ts listApiKeys
select person.email
from members as member
inner join people as person on person.id = member.subject_id
where member.workspace_id = $1 and person.email = any($2::text[]);

-- server/src/features/auth/store.ts listApiKeys
select id, name, scopes, created_by_email, created_at, expires_at, revoked_at, last_used_at,
  person_id is not null as is_login
from api_keys
where workspace_id = $1
order by created_at desc, id desc;

-- server/src/features/auth/store.ts listKeysOfMaker
select key.id, key.name
from api_keys as key
inner join people as maker on maker.email = key.created_by_email
where key.workspace_id = $1 and maker.id = $2 and key.person_id is null and key.revoked_at is null
order by key.id;

-- server/src/features/auth/store.ts listMemberships
select workspace_id from members where subject_id = $1 order by workspace_id;

-- server/src/features/auth/store.ts listSigningKeys
select name, value, begins_at, ends_at
from secrets
where name like $1
order by begins_at nulls first;

-- server/src/features/auth/store.ts lockSecrets
lock table secrets in share row exclusive mode;

-- server/src/features/auth/store.ts markEmailVerified
update people set email_verified_at = $1 where id = $2 and email_verified_at is null;

-- server/src/features/auth/store.ts replaceSecret
insert into secrets (name, value, created_at)
values ($1, $2, $3)
on conflict (name)
do update
set value = $4;

-- server/src/features/auth/store.ts revokeApiKey
update api_keys set revoked_at = $1 where id = $2 and revoked_at is null;

-- server/src/features/auth/store.ts revokeLoginKeys
update api_keys set revoked_at = $1 where person_id = $2 and revoked_at is null;

-- server/src/features/auth/store.ts revokeLoginKeys
update api_keys
set revoked_at = $1
where person_id = $2 and workspace_id = $3 and revoked_at is null;

-- server/src/features/auth/store.ts updateApiKeyUse
update api_keys set last_used_at = $1 where id = $2;

-- server/src/features/auth/store.ts updatePassword
update people set password_hash = $1 where id = $2;
