-- The fleet: devices and what they report, their keys and configuration, cohorts, deployments and device updates.
-- Locks are taken in one order everywhere: cohorts, device rows, device updates, deployments, firmware versions' device
-- counts; each by key.

alter table workspaces
  add column release_gate text not null default 'Warn' check (release_gate in ('Off', 'Warn', 'Block')),
  -- Which attribute of a hawkBit client's configData holds the version it runs; null: firmware.<slug>, else version.
  add column device_version_attribute text,
  add column device_polling_seconds integer not null default 300;

-- `part` is what hawkBit calls the type of a software module: bApp, os, or the user's own.
alter table firmwares add column part text not null default 'bApp';
alter table firmware_versions add column build_id text collate "C";
create unique index firmware_versions_build_id on firmware_versions (workspace_id, build_id);

create table deployment_cohorts (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text,
  -- {"all": [], "any": [], "none": []} of tags; null: hand-picked devices only.
  tag_rule jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

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
  -- Its own desired value, the effective one of the newest version, and that version.
  desired_log_severity text check (desired_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  effective_log_severity text not null check (effective_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  desired_version integer not null default 1,
  -- {logSeverity, compiledLogSeverity, acknowledgedDesiredConfigurationVersion} merged from all reports; null: none yet.
  reported_configuration jsonb,
  reported_configuration_version integer not null default 0,
  reported_configuration_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id)
) with (fillfactor = 70);
create index devices_cohort on devices (workspace_id, cohort_id, id) where cohort_id is not null;
create index devices_tags on devices using gin (tags);
create index devices_last_seen on devices (workspace_id, last_seen_at, id);
create index devices_connected on devices (workspace_id, gateway_id) where connected;

-- What a device says it runs, one row per firmware. A build id nobody knows has the slug ''.
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
);
create index device_firmwares_version on device_firmwares (workspace_id, firmware_version_id, device_id);
create index device_firmwares_blind on device_firmwares (workspace_id, slug, version, build_id)
  where firmware_version_id is null;

-- How many devices report a firmware version, by whether they are connected and the hour they were last seen in (hours
-- since 1970). Moved in the transaction that changes a device.
create table firmware_version_device_counts (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  connected boolean not null,
  seen_hour integer not null,
  devices integer not null,
  primary key (workspace_id, firmware_version_id, connected, seen_hour),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (fillfactor = 50);

-- One for a workspace's fleet (device_id null) or for one device; only the SHA-256 is kept.
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

-- Nodes that hold connections of devices. One that no longer beats has lost them.
create table gateways (
  id uuid primary key,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);

create table deployments (
  workspace_id uuid not null,
  id uuid not null,
  cohort_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  is_active boolean not null,
  -- Why it is no longer active, or not handing out updates at the moment.
  state text not null check (state in ('Scheduled', 'Running', 'Paused', 'Stopped', 'Superseded', 'Cancelled')),
  state_reason text,
  ended_at timestamptz(3),
  -- The deployment of the cohort before it: what a roll back restores.
  predecessor_id uuid,
  -- Of a roll back: the deployment it went back from, and the one whose artifacts it holds.
  rollback_of_id uuid,
  restores_id uuid,
  starts_at timestamptz(3),
  -- [{percent, waitSeconds, failureThresholdPercent, successThresholdPercent}]; the last has percent 100.
  phases jsonb not null default '[]',
  phase integer not null default 0,
  phase_began_at timestamptz(3),
  -- How it is offered to hawkBit clients, and other settings of the request as given.
  options jsonb not null default '{}',
  start_deadline_seconds integer not null,
  device_deadline_seconds integer not null,
  max_attempts integer not null,
  -- What the release gate found, and who acknowledged it with which reason.
  gate jsonb,
  pending integer not null default 0,
  in_progress integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id)
) with (fillfactor = 70);
create unique index deployments_active on deployments (workspace_id, cohort_id) where is_active;
create index deployments_cohort on deployments (workspace_id, cohort_id, created_at, id);

create table deployment_artifacts (
  workspace_id uuid not null,
  id uuid not null,
  deployment_id uuid not null,
  -- From 0, in the order given.
  position integer not null,
  firmware_version_id uuid not null,
  is_main boolean not null,
  primary key (workspace_id, id),
  unique (workspace_id, deployment_id, position),
  foreign key (workspace_id, deployment_id) references deployments (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id)
);
create index deployment_artifacts_version on deployment_artifacts (workspace_id, firmware_version_id);

-- A deployment on one device. Every attempt has an update id and a number of its own, by which devices speak of it.
create table device_updates (
  workspace_id uuid not null,
  deployment_id uuid not null,
  device_id text collate "C" not null,
  update_id uuid not null,
  -- hawkBit's action id: counts up per device.
  number integer not null,
  attempt integer not null default 1,
  state text not null check (state in ('pending', 'inProgress', 'succeeded', 'failed', 'cancelled')),
  reason text,
  progress integer,
  -- null: its phase has not begun.
  released_at timestamptz(3),
  started_at timestamptz(3),
  -- The device said it installed the update; it has yet to report that it runs it.
  installed_at timestamptz(3),
  finished_at timestamptz(3),
  deadline_at timestamptz(3),
  -- The run in which it was installed: a session of a later run tells whether the device came back with it.
  installed_run_id text,
  -- Taken at the client's word: it never reports versions.
  unconfirmed boolean not null default false,
  -- Cancelled, but the device has yet to say that it stopped.
  cancel_announced boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (workspace_id, deployment_id, device_id),
  unique (workspace_id, device_id, number),
  unique (workspace_id, update_id),
  foreign key (workspace_id, deployment_id) references deployments (workspace_id, id) on delete cascade,
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
) with (fillfactor = 70);
create index device_updates_open on device_updates (workspace_id, device_id) where state in ('pending', 'inProgress');
create index device_updates_deadline on device_updates (workspace_id, deadline_at) where state in ('pending', 'inProgress');
create index device_updates_state on device_updates (workspace_id, deployment_id, state, device_id);
