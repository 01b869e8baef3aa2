-- Locks are taken in one order everywhere: cohorts, device rows, device updates, deployments, firmware versions' device counts; each
-- by key.

-- A row is a group of devices that are updated together.
create table deployment_cohorts (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text,
  -- {"all": [], "any": [], "none": []} of tags; null: hand-picked devices only.
  tag_rule jsonb,
  -- What its devices are asked to log, unless they have a value of their own; null: as the workspace has it.
  log_severity text check (log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);
create index deployment_cohorts_rules on deployment_cohorts (workspace_id, created_at, id) where tag_rule is not null;

-- A row is a device with its presence and its configuration.
create table devices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  description text,
  tags text[] not null default '{}',
  attributes jsonb not null default '{}',
  cohort_id uuid,
  -- The cohort's tag rule put the device there, and may take it out again.
  cohort_by_rule boolean not null default false,
  created_at timestamptz(3) not null,

  -- Written at most once a minute, and whenever a session begins or a connection comes or goes.
  first_seen_at timestamptz(3),
  last_seen_at timestamptz(3),
  -- The door it was last seen at, and what its client calls itself there.
  door text check (door in ('Mqtt', 'Http', 'Ddi')),
  client text,
  connected boolean not null default false,
  -- The connection that made it connected: the end of an older one changes nothing.
  connection_id uuid,
  gateway_id uuid,
  -- The runs it reported, newest first: a session of one that is not the first is a replay.
  run_ids text[] not null default '{}',
  -- What was last reported, also before anything was resolved; null: it never reported what it runs.
  reported_at timestamptz(3),
  -- What of its reports went back to the value before: {"serial": {"before": "A", "returns": 1, "at": "…"}}. Two devices with one id
  -- (a copied disk) report in turn.
  alternations jsonb not null default '{}',

  -- Its own desired value, the effective one of the newest version, that version, and when it last changed; null: it is as it was when
  -- the device was registered.
  desired_log_severity text check (desired_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  effective_log_severity text not null check (effective_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  desired_version integer not null default 1,
  desired_changed_at timestamptz(3),
  -- {logSeverity, compiledLogSeverity, acknowledgedDesiredConfigurationVersion} merged from all reports; null: none yet.
  reported_configuration jsonb,
  reported_configuration_version integer not null default 0,
  reported_configuration_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id)
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index devices_cohort on devices (workspace_id, cohort_id, id) where cohort_id is not null;
create index devices_tags on devices using gin (tags);
-- Those never seen come before all others.
create index devices_last_seen on devices (workspace_id, (coalesce(last_seen_at, '-infinity'::timestamptz)), id);
create index devices_connected on devices (workspace_id, gateway_id) where connected;
-- Those that are connected and say nothing are not away.
create index devices_away on devices (workspace_id, last_seen_at) where not connected;

-- A row is a firmware that a device says it runs. A build id nobody knows has the slug ''.
create table device_firmwares (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  slug text collate "C" not null,
  version text collate "C" not null,
  build_id text collate "C",
  -- null: a blind spot, as no firmware version has this slug and name, or this build id.
  firmware_version_id uuid,
  -- False: taken from a client's word that it installed something, not from a report of what runs.
  confirmed boolean not null default true,
  since timestamptz(3) not null,
  primary key (workspace_id, device_id, slug),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id)
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index device_firmwares_version on device_firmwares (workspace_id, firmware_version_id, device_id);
create index device_firmwares_blind on device_firmwares (workspace_id, slug, version, build_id)
  where firmware_version_id is null;

-- A row is a key of a workspace's fleet (device_id null) or of one device. Of the key only its SHA-256 is kept.
create table device_keys (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  device_id text collate "C",
  name text not null,
  key_hash bytea not null,
  created_by_email text,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, key_hash)
);
create index device_keys_device on device_keys (workspace_id, device_id) where device_id is not null;

-- A row is a node that holds connections of devices. One that no longer beats has lost them.
create table gateways (
  id uuid primary key,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);

-- A row is what the hawkBit door knows of a device beside what all doors know.
create table ddi_devices (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  -- Its configData: what was sent last, after merging.
  attributes jsonb not null default '{}',
  attributes_at timestamptz(3),
  -- It installed something since, or never sent any.
  attributes_wanted boolean not null default true,
  -- Its attributes tell which version runs, so that its own word on an installation is not needed.
  states_versions boolean not null default false,
  -- null: deployments that ask for confirmation wait for it.
  auto_confirm_at timestamptz(3),
  auto_confirm_initiator text,
  auto_confirm_remark text,
  -- The action it answered last, and how.
  answered_number integer,
  answer text check (answer in ('confirmed', 'denied')),
  answer_details text,
  -- Its latest action of which it said something, and the last lines of that.
  feedback_number integer,
  feedback text[] not null default '{}',
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);

-- A row is a deleted device whose values of metrics and log lines are still to be deleted; a worker does it.
create table deleted_devices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  device_id text collate "C" not null,
  deleted_at timestamptz(3) not null,
  -- The series it had.
  series_ids bigint[] not null,
  -- Its lines have smaller ids than those of a device that gets its id afterwards.
  first_later_line uuid not null,
  primary key (workspace_id, device_id)
);
