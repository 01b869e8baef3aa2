-- A row says that a vulnerability was reported to whoever makes or maintains the component (Article 13(6) of Regulation (EU) 2024/2847).
-- Names are those of then: the version may be deleted since.
create table upstream_reports (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  vulnerability_id text collate "C" not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  firmware_name text not null,
  version_name text not null,
  component_name text not null,
  component_version text,
  reported_at timestamptz(3) not null,
  recipient text not null,
  text text not null,
  -- What was shared to mend it; null: nothing.
  fix text,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index upstream_reports_vulnerability on upstream_reports (workspace_id, vulnerability_id);
