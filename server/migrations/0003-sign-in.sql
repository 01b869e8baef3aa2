-- A row is a link that a person can use once. Of its token only the SHA-256 is kept.
create table one_time_links (
  token_hash bytea primary key,
  person_id uuid not null references people (id) on delete cascade,
  kind text not null check (kind in ('Setup', 'Invitation', 'PasswordReset', 'SignIn')),
  -- The workspace and id of the invitation.
  invited_to uuid references workspaces (id) on delete cascade,
  invitation_id uuid,
  -- Only the reader of the address has the link.
  mailed boolean not null default false,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index one_time_links_person on one_time_links (person_id);

-- A row is a person who has signed in, in one browser.
create table sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  person_id uuid not null references people (id) on delete cascade,
  method text not null check (method in ('Password', 'Passkey', 'Provider', 'Link')),
  second_factor text not null check (second_factor in ('None', 'Outstanding', 'Done')),
  -- When the session showed its second factor last.
  second_factor_at timestamptz,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  user_agent text,
  address text not null
);
create index sessions_person on sessions (person_id);

-- A row counts failed attempts to sign in, by the hash of what is counted: an account from an address, or an address.
create table sign_in_attempts (
  key bytea primary key,
  failures integer not null,
  last_at timestamptz(3) not null,
  blocked_until timestamptz(3) not null
);

-- A row is the secret of a person's app for one-time codes (RFC 6238).
create table totp_secrets (
  person_id uuid primary key references people (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz(3) not null,
  -- null: the person has not entered a code yet, and the secret is not in force.
  confirmed_at timestamptz(3),
  -- The time step of the last code that was accepted: it and earlier ones are refused (RFC 6238, section 5.2).
  last_step bigint
);

-- A row is a code that stands in once for the second factor.
create table recovery_codes (
  person_id uuid not null references people (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (person_id, code_hash)
);

-- A row is a passkey of a person (WebAuthn).
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

-- A row is a challenge of WebAuthn. Its first use deletes it.
create table passkey_challenges (
  challenge text collate "C" primary key,
  -- null: to sign in.
  person_id uuid references people (id) on delete cascade,
  expires_at timestamptz(3) not null
);

-- A row is an account at an OpenID provider, linked to one person.
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

-- A row is a program without a browser that asks to act for a person (RFC 8628). It lives for ten minutes, or until its key was
-- collected. Of the program's code only the SHA-256 is kept; the person's code opens nothing by itself.
create table terminal_logins (
  id uuid primary key,
  device_code_hash bytea not null unique,
  user_code text collate "C" not null unique,
  client text not null,
  host text not null,
  address text not null,
  state text not null check (state in ('Pending', 'Approved', 'Refused')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  interval_seconds integer not null,
  last_polled_at timestamptz(3),
  -- What was approved, by whom and where.
  person_id uuid references people (id) on delete cascade,
  workspace_id uuid references workspaces (id) on delete cascade,
  scopes text[],
  key_expires_at timestamptz(3),
  check (state <> 'Approved' or (person_id is not null and workspace_id is not null and scopes is not null
    and key_expires_at is not null))
);
create index terminal_logins_expiry on terminal_logins (expires_at);
