-- A row is a command that acknowledged, assigned or silenced many incidents, which can be taken back as a whole for a week.
create table alert_incident_batches (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  -- What it did to each incident that it changed, and what was there before.
  changes jsonb not null,
  -- Since when it is taken back.
  undone_at timestamptz(3),
  undone_by_email text,
  primary key (workspace_id, id)
);
