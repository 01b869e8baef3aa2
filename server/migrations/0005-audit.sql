-- A row is a change that somebody made in a workspace.
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
