-- People sign in: sessions, second factors, passkeys, providers, one-time links, invitations. All of these tables are
-- small; nothing here takes long.

-- null: nobody has shown that the person reads this address, so that its credentials may be somebody else's.
alter table people add column email_verified_at timestamptz(3);

alter table workspaces add column require_second_factor boolean not null default false;

create table sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  person_id uuid not null references people (id) on delete cascade,
  method text not null check (method in ('Password', 'Passkey', 'Provider', 'Link')),
  second_factor text not null check (second_factor in ('None', 'Outstanding', 'Done')),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  user_agent text,
  address text not null
);
create index sessions_person on sessions (person_id);

-- Attempts to sign in, by the hash of what is counted: account and address, or address.
create table sign_in_attempts (
  key bytea primary key,
  failures integer not null,
  last_at timestamptz(3) not null,
  blocked_until timestamptz(3) not null
);

create table totp_secrets (
  person_id uuid primary key references people (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz(3) not null,
  -- null: the person has not entered a code yet, and the secret is not in force.
  confirmed_at timestamptz(3),
  -- The time step of the last code that was taken: it and earlier ones are refused (RFC 6238, section 5.2).
  last_step bigint
);

create table recovery_codes (
  person_id uuid not null references people (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (person_id, code_hash)
);

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  credential_id text collate "C" not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkeys_person on passkeys (person_id);

-- Challenges of WebAuthn; each is deleted by its first use.
create table passkey_challenges (
  challenge text collate "C" primary key,
  -- null: to sign in.
  person_id uuid references people (id) on delete cascade,
  expires_at timestamptz(3) not null
);

-- Accounts at OpenID providers, each linked to one person.
create table person_identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null references people (id) on delete cascade,
  email text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index person_identities_person on person_identities (person_id);

-- Links of the new kinds. The old ones set a first password.
alter table setup_links rename to one_time_links;
alter table one_time_links
  add column kind text not null default 'Setup' check (kind in ('Setup', 'Invitation', 'PasswordReset', 'SignIn')),
  -- The workspace and id of the invitation. Global tables have no keys into tables of tenants.
  add column invited_to uuid references workspaces (id) on delete cascade,
  add column invitation_id uuid,
  -- Only the reader of the address has the link.
  add column mailed boolean not null default false;
alter table one_time_links alter column kind drop default;
create index one_time_links_person on one_time_links (person_id);

create table invitations (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  person_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('Owner', 'Admin', 'Engineer', 'Viewer')),
  invited_by_email text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  sent_at timestamptz(3),
  ended_at timestamptz(3),
  -- null: open.
  outcome text check (outcome in ('Accepted', 'Revoked')),
  primary key (workspace_id, id)
);
create unique index invitations_open on invitations (workspace_id, person_id) where outcome is null;
create index members_person on members (subject_id);
