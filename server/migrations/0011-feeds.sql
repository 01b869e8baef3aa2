-- Sources belong to the operator (decision 28) and are fetched part by part: a year of NVD, an ecosystem of OSV.

-- A row is a source of vulnerability data, and how its syncs go.
create table vulnerability_sources (
  source text primary key check (source in ('cvelist', 'nvd', 'osv', 'csaf', 'kev', 'epss', 'euvd')),
  last_attempt_at timestamptz(3),
  last_success_at timestamptz(3),
  last_error text,
  -- The time the newest snapshot gives itself, where the source publishes snapshots (KEV, EPSS).
  snapshot_at timestamptz(3),
  record_count integer not null default 0,
  skipped_count integer not null default 0,
  skipped_reasons jsonb not null default '{}',
  -- Who fetches it, and until when nobody else does; the claim of a process that dies runs out.
  claimed_by uuid,
  claimed_until timestamptz(3),
  next_sync_at timestamptz(3),
  -- Until a worker begins what somebody asked for.
  requested_at timestamptz(3),
  -- Syncs in a row that failed.
  failures integer not null default 0,
  -- What runs now, or how far the last run came: part, bytes, records, parts done.
  phase text not null default 'Idle' check (phase in ('Idle', 'Fetching', 'Importing')),
  progress jsonb,
  -- What an operator should look at though nothing failed.
  notice text,
  -- What the last run did: SourceRun of the slice feeds.
  last_run jsonb,
  -- Another number each time that scores change, by which workspaces know that their copies are old.
  score_revision integer not null default 0
);

-- A row is a part of a source that is fetched and merged by itself.
create table vulnerability_source_parts (
  source text collate "C" not null references vulnerability_sources (source) on delete cascade,
  part text collate "C" not null,
  -- When all of it was last taken over; null: not yet.
  completed_at timestamptz(3),
  checked_at timestamptz(3),
  -- When a complete archive of it was last read.
  snapshot_read_at timestamptz(3),
  etag text,
  last_modified text,
  -- How far it was read, in the source's own terms: a checksum, a time, an archive's name.
  position text,
  record_count integer not null default 0,
  skipped_count integer not null default 0,
  skipped_reasons jsonb not null default '{}',
  last_error text,
  notice text,
  -- By which parser its records were read: after an upgrade of the parser the part is read again as if for the first time.
  parser_version integer,
  primary key (source, part)
);

-- A row is an ecosystem (`npm`, `Debian`) of which a source's archive was read to its end, as the source names it: it counts as loaded.
-- Single records tell nothing of what they do not name.
create table complete_ecosystems (
  source text collate "C" not null,
  ecosystem text collate "C" not null,
  completed_at timestamptz(3) not null,
  primary key (source, ecosystem)
);

-- A row is a distribution of which records are stored: `Ubuntu:22.04:LTS` as the records state it, or the namespace of the purl
-- (`wolfi`) where they are for all releases.
create table known_distributions (
  stated text collate "C" primary key,
  -- Counts pairs of record and package.
  amount integer not null check (amount > 0)
);

-- A row is a file that people of a workspace carried in, and how its import went.
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
