-- A row is a roll-out of artifacts to a cohort.
create table deployments (
  workspace_id uuid not null,
  id uuid not null,
  cohort_id uuid not null,
  name text not null,
  note text,
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
  -- Its device updates by state.
  pending integer not null default 0,
  in_progress integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  -- Failures known when a person had the roll-out go on: only later ones stop it again.
  accepted_failures integer not null default 0,
  -- The maintenance window for which gateways were last signalled, so that they tell connected devices.
  window_signalled_at timestamptz(3),
  -- When each phase began, pauses, stops, and how it ended: [{type, at, phase, byEmail, reason, deploymentId}], oldest first; the last
  -- three may be null.
  events jsonb not null default '[]',
  primary key (workspace_id, id),
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id)
) with (fillfactor = 70);
create unique index deployments_active on deployments (workspace_id, cohort_id) where is_active;
create index deployments_cohort on deployments (workspace_id, cohort_id, created_at, id);

-- A row is a firmware version that a deployment rolls out.
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

-- A row is a deployment on one device. Every attempt has an update id and a number of its own, by which devices speak of it.
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
  created_at timestamptz(3) not null,
  -- null: its phase has not begun.
  released_at timestamptz(3),
  -- The device was told of this attempt: when it is cancelled, it has to be told of that too.
  offered_at timestamptz(3),
  started_at timestamptz(3),
  -- The device said it installed the update; it has yet to report that it runs it.
  installed_at timestamptz(3),
  finished_at timestamptz(3),
  deadline_at timestamptz(3),
  -- The run in which it was installed: a session of a later run tells whether the device came back with it.
  installed_run_id text,
  -- Taken at the client's word: it never reports versions.
  unconfirmed boolean not null default false,
  -- The cancellation was offered to the device, and it has yet to say that it stopped.
  cancel_offered boolean not null default false,
  primary key (workspace_id, deployment_id, device_id),
  unique (workspace_id, device_id, number),
  unique (workspace_id, update_id),
  foreign key (workspace_id, deployment_id) references deployments (workspace_id, id) on delete cascade,
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
) with (fillfactor = 70);
-- At most one update of a device is open.
create unique index device_updates_open on device_updates (workspace_id, device_id)
  where state in ('pending', 'inProgress');
create index device_updates_deadline on device_updates (workspace_id, deadline_at) where state in ('pending', 'inProgress');
create index device_updates_state on device_updates (workspace_id, deployment_id, state, device_id);
create index device_updates_stopping on device_updates (workspace_id, device_id) where cancel_offered;
