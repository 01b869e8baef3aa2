-- An upload may replace SBOMs of its firmware version. What it replaces goes when the upload is read, in one transaction.
alter table sboms
  -- Counts the uploads of a firmware version; files of one upload share the number.
  add column upload_number integer not null default 0,
  -- What the upload asked to replace.
  add column replaces text check (replaces in ('serial', 'file', 'all')),
  -- Read, but it counts only when all files of its upload are read. Its statements wait until then.
  add column staged_statements jsonb;

-- SBOMs that others replaced: the file is kept for as long as the workspace states.
create table replaced_sboms (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  file_name text not null,
  format text,
  spec_version text,
  parsing_state text not null,
  component_count integer not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null,
  replaced_by uuid not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index replaced_sboms_firmware_version on replaced_sboms (workspace_id, firmware_version_id, replaced_at);
create index replaced_sboms_replaced on replaced_sboms (workspace_id, replaced_at);

alter table workspaces add column replaced_sbom_days integer not null default 30
  check (replaced_sbom_days between 0 and 3650);
