-- What deployments keep besides: whether a device was told of its update, and what people have accepted.

-- The device was told of this attempt: when it is cancelled, it has to be told of that too.
alter table device_updates add column offered_at timestamptz(3);

alter table deployments
  -- Failures known when a person had the roll-out go on: only later ones stop it again.
  add column accepted_failures integer not null default 0,
  -- The maintenance window connected devices were last told of.
  add column window_announced_at timestamptz(3);

-- At most one update of a device is open.
drop index device_updates_open;
create unique index device_updates_open on device_updates (workspace_id, device_id)
  where state in ('pending', 'inProgress');
create index device_updates_stopping on device_updates (workspace_id, device_id) where cancel_announced;
create index deployment_cohorts_rules on deployment_cohorts (workspace_id, created_at, id) where tag_rule is not null;
