-- A row is a firmware: software for a kind of device, known by its slug.
create table firmwares (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  slug text collate "C" not null,
  name text not null,
  description text,
  -- What hawkBit calls the type of a software module: bApp, os, or the user's own.
  part text not null default 'bApp',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, slug)
);

-- A row is a version of a firmware.
--
-- Autovacuum analyses a table once a tenth of it has changed. Beside large workspaces a small one is never a tenth: the planner would
-- take it for one row, and its lists for minutes. So this table, and those of SBOMs, findings and devices with the same settings, are
-- analysed after 5,000 changes, however large they are (decision 42).
create table firmware_versions (
  workspace_id uuid not null,
  id uuid not null,
  firmware_id uuid not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null,
  -- How VEX documents and SBOMs of others name it.
  purl text,
  cpe text,
  -- How devices name it that do not report its name.
  build_id text collate "C",
  -- The version that it replaces, where somebody stated it.
  predecessor_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade,
  foreign key (workspace_id, predecessor_id) references firmware_versions (workspace_id, id)
    on delete set null (predecessor_id)
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index firmware_versions_newest on firmware_versions (workspace_id, firmware_id, created_at, id);
create index firmware_versions_predecessor on firmware_versions (workspace_id, predecessor_id)
  where predecessor_id is not null;
-- A unique index without a condition makes its columns a key: changing one locks the row against new rows that refer to it. Renaming
-- a version would wait for devices whose counts wait for the version, and one of both would fail by a deadlock. The conditions always
-- hold for names, and for all build ids that are there.
create unique index firmware_versions_name on firmware_versions (workspace_id, firmware_id, name)
  where name is not null;
create unique index firmware_versions_build_id on firmware_versions (workspace_id, build_id)
  where build_id is not null;
