-- Until when the maker promises to support what runs the firmware; null: nothing was promised.
alter table firmwares add column support_ends_on date;

-- A row is a date that people of a workspace state for components themselves (decision 78).
create table support_statements (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- By which components are chosen: exactly one of both.
  purl text,
  name text,
  -- The names of packages that it chooses: keys of package_keys.
  keys text[] not null,
  -- Versions from this one on, and before that one; null: any.
  version_from text,
  version_before text,
  -- The first day without fixes; null: no end is planned.
  ends_on date,
  link text,
  note text,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

-- A row says that a statement is about a package that the workspace has or had.
create table support_statement_packages (
  workspace_id uuid not null,
  package_id uuid not null,
  statement_id uuid not null,
  primary key (workspace_id, package_id, statement_id),
  foreign key (workspace_id, statement_id) references support_statements (workspace_id, id) on delete cascade
);
create index support_statement_packages_statement on support_statement_packages (workspace_id, statement_id);
