-- A row counts the active findings of a firmware version. It moves in the transactions that move what it counts.
create table firmware_version_counters (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  critical integer not null default 0,
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  none integer not null default 0,
  unknown integer not null default 0,
  -- Findings of exploited vulnerabilities.
  exploited integer not null default 0,
  -- Findings that nobody has decided: not assessed, or in triage.
  undecided_critical integer not null default 0,
  undecided_high integer not null default 0,
  -- Components that can be looked up, and those whose declarations allow no statement.
  judged_components integer not null default 0,
  silent_components integer not null default 0,
  -- When a match or decision last could have changed them.
  evaluated_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

-- A row is the counters of a firmware version as they stood at the end of a day (UTC), for trends.
create table firmware_version_daily_counters (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  day date not null,
  critical integer not null,
  high integer not null,
  medium integer not null,
  low integer not null,
  none integer not null,
  unknown integer not null,
  exploited integer not null,
  primary key (workspace_id, firmware_version_id, day),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
