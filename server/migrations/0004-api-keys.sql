-- A row is an API key of a workspace. Of the key only its SHA-256 is kept.
create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  scopes text[] not null,
  key_hash bytea not null unique,
  -- The person who logged in with a terminal: the key does no more than this member may at present. null: the key stands by itself.
  person_id uuid references people (id) on delete cascade,
  created_by_email text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);
create index api_keys_workspace on api_keys (workspace_id);
create index api_keys_person on api_keys (person_id) where person_id is not null;

-- A row is a secret of the installation, made at its first start.
create table secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz(3) not null
);
