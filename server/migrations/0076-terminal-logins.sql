-- Programs that ask, without a browser of their own, to act for a person (RFC 8628). A row lives for ten minutes, or until its
-- key was collected. Of the code of the program only the SHA-256 is kept; the person's code opens nothing by itself.
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

-- The person who logged in: the key does no more than this member may at present. null: the key stands by itself.
alter table api_keys add column person_id uuid references people (id) on delete cascade;
create index api_keys_person on api_keys (person_id) where person_id is not null;
