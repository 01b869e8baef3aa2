-- Locks: the rule's row first, then its series and incident.

-- A row is an alert rule: what is watched, how often, and how its evaluations stand.
create table alert_rules (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text,
  state text not null check (state in ('Enabled', 'Disabled')),
  type text not null check (type in ('MetricFixedThreshold', 'MetricPercentualThreshold', 'NewVulnerabilityFinding',
    'VulnerabilitySourceStale', 'DeviceOffline', 'DeploymentFailureRate')),
  -- What the type asks for, complete with its defaults.
  condition jsonb not null,
  evaluation_frequency text not null check (evaluation_frequency in ('1m', '5m', '15m', '30m', '1h', '6h', '1d')),
  -- While an incident lasts, people are told again so often; null: never.
  repeat_interval_seconds integer,
  notify_resolved boolean not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  -- When it was last enabled or its condition changed: what happened before is no news.
  effective_since timestamptz(3) not null,
  -- The next instant of its schedule; null while it is disabled.
  next_evaluation_at timestamptz(3),
  -- The end of the last window that was evaluated.
  evaluated_until timestamptz(3),
  -- What became true from here on is not wholly looked at: there was more than one evaluation takes down. null: it is, up to where the
  -- last window ended.
  findings_from timestamptz(3),
  -- What is not over: the rule is firing.
  incident_id uuid,
  -- Its last evaluation failed: until one does not, it is evaluated on its own.
  is_failing boolean not null default false,
  primary key (workspace_id, id)
) with (fillfactor = 70);
create index alert_rules_due on alert_rules (next_evaluation_at) where next_evaluation_at is not null;

-- A row is a notification target or a webhook that a rule names.
create table alert_rule_targets (
  workspace_id uuid not null,
  rule_id uuid not null,
  -- As they were given.
  position integer not null,
  notification_target_id uuid,
  webhook_id uuid,
  primary key (workspace_id, rule_id, position),
  check (num_nonnulls(notification_target_id, webhook_id) = 1),
  foreign key (workspace_id, rule_id) references alert_rules (workspace_id, id) on delete cascade,
  foreign key (workspace_id, notification_target_id)
    references notification_targets (workspace_id, id) on delete cascade,
  foreign key (workspace_id, webhook_id) references webhooks (workspace_id, id) on delete cascade
);
create index alert_rule_targets_target on alert_rule_targets (workspace_id, notification_target_id)
  where notification_target_id is not null;
create index alert_rule_targets_webhook on alert_rule_targets (workspace_id, webhook_id) where webhook_id is not null;

-- A row is a firmware version that devices ran when a rule about findings was last evaluated: all findings of one that devices begin to
-- run are new to the fleet.
create table alert_running_versions (
  workspace_id uuid not null,
  rule_id uuid not null,
  firmware_version_id uuid not null,
  primary key (workspace_id, rule_id, firmware_version_id),
  foreign key (workspace_id, rule_id) references alert_rules (workspace_id, id) on delete cascade
);

-- A row is an evaluation of a rule at one instant of its schedule.
create table alert_evaluations (
  workspace_id uuid not null,
  rule_id uuid not null,
  scheduled_at timestamptz(3) not null,
  id uuid not null,
  evaluated_at timestamptz(3) not null,
  window_start timestamptz(3) not null,
  window_end timestamptz(3) not null,
  status text not null check (status in ('Ok', 'Firing', 'NoData', 'Failed')),
  -- Why it failed.
  reason text,
  -- How many series there were, had a value, and fire since or still.
  series_count integer not null,
  value_count integer not null,
  firing_count integer not null,
  lowest double precision,
  highest double precision,
  primary key (workspace_id, rule_id, scheduled_at),
  foreign key (workspace_id, rule_id) references alert_rules (workspace_id, id) on delete cascade
);

-- A row is an incident: the time from the first firing of a rule to its resolution. It outlives its rule, and holds what that was called
-- and asked for when the incident began.
create table alert_incidents (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  rule_type text not null,
  condition jsonb not null,
  began_at timestamptz(3) not null,
  ended_at timestamptz(3),
  ended_cause text check (ended_cause in ('Recovered', 'NoData', 'RuleChanged', 'RuleDisabled', 'RuleDeleted')),
  acknowledged_at timestamptz(3),
  acknowledged_by_email text,
  -- When people are told again, unless somebody acknowledges it before.
  reminder_at timestamptz(3),
  -- When somebody was first notified; null: nobody was, and nobody is notified of its end.
  notified_at timestamptz(3),
  -- How many different series it had; null while it lasts, and counted when asked for.
  series_count integer,
  primary key (workspace_id, id)
) with (fillfactor = 70);
create index alert_incidents_began on alert_incidents (workspace_id, began_at, id);
create index alert_incidents_open on alert_incidents (workspace_id, began_at, id) where ended_at is null;
create index alert_incidents_rule on alert_incidents (workspace_id, rule_id, began_at, id);
create index alert_incidents_reminders on alert_incidents (reminder_at) where reminder_at is not null;

-- A row is a time in which a series of an incident fired. A series is a device, or all of them together (''), a finding, a
-- vulnerability source, a deployment.
create table alert_series (
  workspace_id uuid not null,
  rule_id uuid not null,
  incident_id uuid not null,
  series text collate "C" not null,
  since timestamptz(3) not null,
  until timestamptz(3),
  -- What a person calls it, where the series alone does not say.
  label text,
  -- When it began to fire.
  value double precision,
  primary key (workspace_id, incident_id, series, since)
) with (fillfactor = 80);
create unique index alert_series_open on alert_series (workspace_id, rule_id, series) where until is null;
