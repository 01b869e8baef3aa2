-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/people/factors/store.ts deleteSecret
delete from totp_secrets where person_id = $1;

-- server/src/features/people/factors/store.ts deleteSecret
delete from recovery_codes where person_id = $1;

-- server/src/features/people/factors/store.ts lockSecret
update totp_secrets
set last_step = last_step
where person_id = $1
returning secret, confirmed_at, last_step;

-- server/src/features/people/factors/store.ts putSecret
insert into totp_secrets (person_id, secret, created_at)
values ($1, $2, $3)
on conflict (person_id)
do update
set secret = $4, created_at = $5
where totp_secrets.confirmed_at is null;

-- server/src/features/people/factors/store.ts replaceRecoveryCodes
delete from recovery_codes where person_id = $1;

-- server/src/features/people/factors/store.ts replaceRecoveryCodes
insert into recovery_codes (person_id, code_hash, created_at) values ($1, $2, $3);

-- server/src/features/people/factors/store.ts updateSecret
update totp_secrets set last_step = $1, confirmed_at = $2 where person_id = $3;

-- server/src/features/people/factors/store.ts useRecoveryCode
update recovery_codes set used_at = $1 where person_id = $2 and code_hash = $3 and used_at is null;

-- server/src/features/people/oidc/store.ts findPersonOfIdentity
select person.id, person.email
from person_identities as identity
inner join people as person on person.id = identity.person_id
where identity.issuer = $1 and identity.subject = $2;

-- server/src/features/people/oidc/store.ts insertIdentity
insert into person_identities (issuer, subject, person_id, email, created_at, last_used_at)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/people/oidc/store.ts updateIdentityUse
update person_identities set last_used_at = $1 where issuer = $2 and subject = $3;

-- server/src/features/people/passkeys/store.ts deleteOldChallenges
delete from passkey_challenges where expires_at <= $1;

-- server/src/features/people/passkeys/store.ts deletePasskey
delete from passkeys where person_id = $1 and id = $2 returning name;

-- server/src/features/people/passkeys/store.ts findPasskey
select passkey.id, passkey.person_id, passkey.credential_id, passkey.public_key, passkey.counter,
  person.email
from passkeys as passkey
inner join people as person on person.id = passkey.person_id
where passkey.credential_id = $1;

-- server/src/features/people/passkeys/store.ts insertChallenge
insert into passkey_challenges (challenge, person_id, expires_at) values ($1, $2, $3);

-- server/src/features/people/passkeys/store.ts insertPasskey
insert into passkeys (
  id, person_id, credential_id, public_key, counter, transports, name, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (credential_id)
do nothing;

-- server/src/features/people/passkeys/store.ts listPasskeys
select id, name, credential_id, transports, created_at, last_used_at
from passkeys
where person_id = $1
order by created_at, id;

-- server/src/features/people/passkeys/store.ts updatePasskeyUse
update passkeys set counter = $1, last_used_at = $2 where id = $3 and counter < $4;

-- server/src/features/people/passkeys/store.ts useChallenge
delete from passkey_challenges
where challenge = $1 and person_id is not distinct from $2
returning expires_at;

-- server/src/features/people/resets/store.ts deleteIdentities
delete from person_identities where person_id = $1 returning issuer;

-- server/src/features/people/resets/store.ts forgetCredentials
update people set password_hash = $1 where id = $2;

-- server/src/features/people/resets/store.ts forgetSecondFactors
delete from passkeys where person_id = $1;

-- server/src/features/people/resets/store.ts forgetSecondFactors
delete from totp_secrets where person_id = $1;

-- server/src/features/people/resets/store.ts forgetSecondFactors
delete from recovery_codes where person_id = $1;

-- server/src/features/people/resets/store.ts listPeople
select person.id, person.email, person.display_name, member.workspace_id,
  workspace.name as workspace_name, member.role
from people as person
left join members as member on member.subject_id = person.id
left join workspaces as workspace on workspace.id = member.workspace_id
where member.workspace_id = $1
order by person.email, workspace.name;

-- server/src/features/people/sign-in/attempts-store.ts countAttempt
insert into sign_in_attempts as attempt (key, failures, last_at, blocked_until)
values ($1, 1, $2, $3)
on conflict (key)
do update
set failures = case when attempt.last_at < $4 then 1 else attempt.failures + 1 end, last_at = $5,
  blocked_until = ($6::timestamptz[])[
    1 + least(
      greatest(case when attempt.last_at < $7 then 1 else attempt.failures + 1 end - $8::int, 0),
        $9::int
    )
  ]
where attempt.blocked_until <= $10
returning failures;

-- server/src/features/people/sign-in/attempts-store.ts deleteAttempts
delete from sign_in_attempts where key = $1;

-- server/src/features/people/sign-in/attempts-store.ts deleteOldAttempts
delete from sign_in_attempts where last_at < $1;

-- server/src/features/people/sign-in/attempts-store.ts findBlockEnd
select max(blocked_until) as until from sign_in_attempts where key in ($1);

-- server/src/features/people/sign-in/attempts-store.ts uncountAttempt
update sign_in_attempts set failures = greatest(failures - 1, 0), blocked_until = $1 where key = $2;

-- server/src/features/people/store.ts findPerson
select id, email, display_name, password_hash, email_verified_at from people where id = $1;

-- server/src/features/people/store.ts findPersonByEmail
select id, email, display_name, password_hash, email_verified_at from people where email = $1;

-- server/src/features/people/store.ts listIdentities
select issuer, subject, email, created_at, last_used_at
from person_identities
where person_id = $1
order by created_at;

-- server/src/features/people/store.ts listWorkspacesOfPerson
select workspace.id, workspace.name, member.role, workspace.require_second_factor
from members as member
inner join workspaces as workspace on workspace.id = member.workspace_id
where member.subject_id = $1
order by workspace.name, workspace.id;

-- server/src/features/people/store.ts lockPerson
update people set display_name = display_name where id = $1;

-- server/src/features/people/store.ts readCredentials
select person.password_hash is not null as has_password,
  exists (
    select person_id from totp_secrets where person_id = person.id and confirmed_at is not null
  ) as totp,
  (
    select cast(count(*) as integer) as count
    from recovery_codes
    where person_id = person.id and used_at is null
  ) as recovery_codes_left,
  (select cast(count(*) as integer) as count from passkeys where person_id = person.id) as passkeys,
  (select cast(count(*) as integer) as count from person_identities where person_id = person.id) as
  identities
from people as person
where person.id = $1;

-- server/src/features/people/store.ts updateDisplayName
update people set display_name = $1 where id = $2;

-- server/src/features/people/terminal-logins/store.ts decideLogin
update terminal_logins set state = $1 where id = $2 and state = $3 and expires_at > $4;

-- server/src/features/people/terminal-logins/store.ts decideLogin
update terminal_logins
set state = $1, person_id = $2, workspace_id = $3, scopes = $4, key_expires_at = $5
where id = $6 and state = $7 and expires_at > $8;

-- server/src/features/people/terminal-logins/store.ts deleteLogin
delete from terminal_logins where id = $1;

-- server/src/features/people/terminal-logins/store.ts deleteLoginsOfPerson
delete from terminal_logins where person_id = $1;

-- server/src/features/people/terminal-logins/store.ts deleteOldLogins
delete from terminal_logins where expires_at < $1;

-- server/src/features/people/terminal-logins/store.ts findOpenLogin
select id, user_code, client, host, address, created_at, expires_at
from terminal_logins
where user_code = $1 and state = $2 and expires_at > $3;

-- server/src/features/people/terminal-logins/store.ts insertTerminalLogin
insert into terminal_logins (
  id, device_code_hash, user_code, client, host, address, state, created_at, expires_at,
    interval_seconds
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- server/src/features/people/terminal-logins/store.ts listLoginKeys
select key.id, key.name, key.scopes, key.created_at, key.expires_at, key.last_used_at,
  key.workspace_id, workspace.name as workspace_name
from api_keys as key
inner join workspaces as workspace on workspace.id = key.workspace_id
where key.person_id = $1 and key.revoked_at is null
  and (key.expires_at is null or key.expires_at > $2)
order by key.created_at desc, key.id desc;

-- server/src/features/people/terminal-logins/store.ts lockLogin
update terminal_logins
set state = state
where device_code_hash = $1
returning id, state, host, expires_at, interval_seconds, last_polled_at, person_id, workspace_id,
  scopes, key_expires_at;

-- server/src/features/people/terminal-logins/store.ts updatePoll
update terminal_logins set last_polled_at = $1, interval_seconds = $2 where id = $3;
