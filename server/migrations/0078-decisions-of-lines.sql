-- The release line that a decision holds for: it is carried over to versions of this line alone. null: to whatever version follows. What is
-- decided about a finding and that it is ignored may hold differently far. No key refers to the line: what was said of a line that is gone
-- was said of no other.
alter table finding_decisions add column assessed_line_id uuid;
alter table finding_decisions add column ignored_line_id uuid;
-- Of what the entry decided.
alter table finding_timeline add column line_id uuid;

-- A row is a decision as in standing_decisions, for findings to come in the versions of one release line. It has a table of its own, as
-- older nodes read standing_decisions and would make it hold for all lines.
create table line_decisions (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  line_id uuid not null,
  vulnerability_id text collate "C" not null,
  -- null: in whatever component.
  component_name text,
  -- null: findings are only ignored.
  assessment text,
  ignored boolean not null,
  acceptance jsonb,
  justification text,
  responses text[] not null default '{}',
  detail text,
  source text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique nulls not distinct (workspace_id, line_id, vulnerability_id, component_name),
  foreign key (workspace_id, line_id) references firmware_lines (workspace_id, id) on delete cascade
);
create index line_decisions_vulnerability on line_decisions (vulnerability_id);
