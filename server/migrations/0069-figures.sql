-- Facts that figures of a past period need, and that nothing kept so far (decision 88).

-- A row is the day on which a vulnerability became public, as the workspace first learned it. Records may be dated anew later, and
-- the figures of a period that is over stay as they were.
create table disclosures (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  vulnerability_id text collate "C" not null,
  published_at timestamptz(3) not null,
  -- Figures of periods that ended before do not know the day.
  recorded_at timestamptz(3) not null,
  primary key (workspace_id, vulnerability_id)
);
-- What is known now counts for all the past: it was never written down when it was learned.
insert into disclosures (workspace_id, vulnerability_id, published_at, recorded_at)
select distinct pair.workspace_id, pair.vulnerability_id, vulnerability.published_at, vulnerability.published_at
from workspace_component_vulnerabilities as pair
join vulnerabilities as vulnerability on vulnerability.id = pair.vulnerability_id
where vulnerability.published_at is not null;

-- A row says that somebody was handed the VEX document of a firmware version, with what was decided until then. A document that says
-- the same as the one before adds no row.
create table vex_publications (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  published_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id, published_at),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
-- Since when that is kept; null: since the workspace began.
alter table workspaces add column vex_publications_since timestamptz(3);
update workspaces set vex_publications_since = now();

-- A row is the days by severity in which a workspace wanted findings decided, until it changed them. Those of now are in workspaces.
create table former_remediation_targets (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  until timestamptz(3) not null,
  target_days jsonb not null,
  primary key (workspace_id, until)
);
insert into former_remediation_targets (workspace_id, until, target_days)
select workspace_id, created_at, before -> 'remediationTargetDays'
from audit_log
where action = 'workspace.update' and before -> 'remediationTargetDays' is not null
  and before -> 'remediationTargetDays' is distinct from after -> 'remediationTargetDays'
on conflict do nothing;
