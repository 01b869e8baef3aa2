-- Global rows: workspaces, people, keys (found by hash), secrets. Tenant tables begin their keys with workspace_id.

create table workspaces (
  id uuid primary key,
  name text not null,
  default_log_severity text not null default 'Info'
    check (default_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  device_auto_registration boolean not null default false,
  remediation_target_days jsonb not null default '{"Critical": 7, "High": 30, "Medium": 90, "Low": 180}',
  metric_retention_days integer not null default 90,
  log_retention_days integer not null default 30,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table people (
  id uuid primary key,
  email text collate "C" not null unique check (email = lower(email)),
  display_name text not null,
  password_hash text,
  created_at timestamptz(3) not null
);

-- One-time links with which a person sets the first password; only the token's SHA-256 is kept.
create table setup_links (
  token_hash bytea primary key,
  person_id uuid not null references people (id) on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  scopes text[] not null,
  key_hash bytea not null unique,
  created_by_email text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);
create index api_keys_workspace on api_keys (workspace_id);

create table secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz(3) not null
);

create table members (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  subject_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('Owner', 'Admin', 'Engineer', 'Viewer')),
  joined_at timestamptz(3) not null,
  primary key (workspace_id, subject_id)
);

create table audit_log (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  created_at timestamptz(3) not null,
  actor_type text not null check (actor_type in ('User', 'ApiKey', 'Operator', 'System')),
  actor_id text,
  actor_email text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  primary key (workspace_id, id)
);
create index audit_log_time on audit_log (workspace_id, created_at, id);

create table firmwares (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  slug text collate "C" not null,
  name text not null,
  description text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, slug)
);

create table firmware_versions (
  workspace_id uuid not null,
  id uuid not null,
  firmware_id uuid not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, firmware_id, name),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
