-- People of some workspaces read sources and carry files in (decision 31). Defaults and nullable columns: nothing here takes long.
alter table workspaces add column keeps_sources boolean not null default false;

alter table vulnerability_sources
  -- Until a worker begins what somebody asked for.
  add column requested_at timestamptz(3),
  -- What the last run did: SourceRun of the slice feeds.
  add column last_run jsonb;

-- Files that people of a workspace carried in, and what became of them.
create table source_imports (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  file_name text not null,
  size_bytes bigint not null,
  state text not null check (state in ('Waiting', 'Importing', 'Succeeded', 'Failed')),
  -- What is done at the moment, in words.
  progress text,
  -- Counts of each source: SourceImport of the slice advisories.
  sources jsonb,
  error text,
  created_at timestamptz(3) not null,
  created_by_email text,
  ended_at timestamptz(3),
  primary key (workspace_id, id)
);
