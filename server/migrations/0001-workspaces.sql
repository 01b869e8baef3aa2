-- A row is a workspace, the tenant to which everything but people and knowledge belongs, with its settings. Each table of tenants
-- begins its keys with workspace_id. Global tables have no foreign keys to tables of tenants.
create table workspaces (
  id uuid primary key,
  name text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- People must sign in with a second factor.
  require_second_factor boolean not null default false,

  -- Findings.
  remediation_target_days jsonb not null default '{"Critical": 7, "High": 30, "Medium": 90, "Low": 180}',
  carry_over_assessments boolean not null default true,
  -- Whether lists have the crashes that OSS-Fuzz found and that nobody has judged: records without CVE and score.
  list_fuzzing_findings boolean not null default true,
  -- `Last`: the order by risk puts findings of disputed vulnerabilities last.
  disputed_findings text not null default 'Normal' check (disputed_findings in ('Normal', 'Last')),
  -- The authors whose VEX documents decide over people. Nobody, unless the workspace says so.
  deciding_vex_authors text[] not null default '{}',
  -- For how long the files of replaced SBOMs are kept.
  replaced_sbom_days integer not null default 30 check (replaced_sbom_days between 0 and 3650),
  -- Its people may read sources and carry files in (decision 31).
  keeps_sources boolean not null default false,

  -- Devices.
  device_auto_registration boolean not null default false,
  device_polling_seconds integer not null default 300,
  -- The attribute of a hawkBit client's configData that holds the version it runs; null: firmware.<slug>, else version.
  device_version_attribute text,
  default_log_severity text not null default 'Info'
    check (default_log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  release_gate text not null default 'Warn' check (release_gate in ('Off', 'Warn', 'Block')),
  metric_retention_days integer not null default 30,
  -- Sums of hours are kept for longer than points.
  metric_hour_retention_days integer not null default 400,
  log_retention_days integer not null default 30
);
