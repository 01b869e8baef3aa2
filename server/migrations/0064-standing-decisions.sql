-- What was decided about a vulnerability for all findings to come: in all components, or in those of one name. It becomes
-- the decision of each finding that begins and that nobody has decided.
create table standing_decisions (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  vulnerability_id text collate "C" not null,
  -- null: in whatever component.
  component_name text,
  -- null: findings are only ignored.
  assessment text,
  ignored boolean not null,
  justification text,
  responses text[] not null default '{}',
  detail text,
  source text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique nulls not distinct (workspace_id, vulnerability_id, component_name)
);
create index standing_decisions_vulnerability on standing_decisions (vulnerability_id);
