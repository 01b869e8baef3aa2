-- Triage: what people decide about findings and how that lasts; and the counters that every change moves.

alter table workspaces add column carry_over_assessments boolean not null default true;

alter table firmware_versions
  add column purl text,
  add column cpe text,
  add column predecessor_id uuid,
  add foreign key (workspace_id, predecessor_id) references firmware_versions (workspace_id, id)
    on delete set null (predecessor_id);
create index firmware_versions_predecessor on firmware_versions (workspace_id, predecessor_id)
  where predecessor_id is not null;

-- What lists sort and count by stands in the narrow row; the evidence apart, as it was last.
create table package_match_evidence (
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  evidence jsonb not null,
  primary key (package_id, vulnerability_id)
);
insert into package_match_evidence
select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, evidence
from package_matches order by package_id, vulnerability_id, since desc;
alter table package_matches
  drop column evidence,
  add column severity text check (severity in ('Critical', 'High', 'Medium', 'Low', 'None', 'Unknown')),
  add column score real;
update package_matches as match set severity = vulnerability.severity, score = vulnerability.primary_score
from vulnerabilities as vulnerability where vulnerability.id = match.vulnerability_id;
alter table package_matches alter column severity set not null;

-- Of which vulnerability nothing could be told for the package, and why.
create table package_undecided (
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  reason text not null,
  primary key (package_id, vulnerability_id)
);

create index packages_match_rules on packages (match_rules_version, id);

-- Which vulnerability a changed key says something else of; `*`: every one.
alter table knowledge_changes
  add column vulnerability_id text collate "C" not null default '*',
  drop constraint knowledge_changes_pkey,
  add primary key (revision, key, vulnerability_id);

-- Since when it is known to be exploited; null while it is not.
alter table vulnerabilities add column known_exploit_since timestamptz(3);
update vulnerabilities set known_exploit_since = updated_at where is_known_exploit;

alter table finding_decisions
  add column justification text,
  add column responses text[] not null default '{}',
  add column detail text,
  add column source text not null default 'User'
    check (source in ('User', 'ApiKey', 'Vex', 'CarriedOver', 'System')),
  add column decided_by_email text,
  -- When the assessment was last set; null while only ignoring was decided.
  add column assessed_at timestamptz(3),
  -- Of the evidence the assessment was made on.
  add column evidence_hash text,
  -- Why a person should look at it again; null when nobody has to.
  add column recheck_reason text,
  -- The VEX statement the assessment follows.
  add column statement_id uuid;
create index finding_decisions_match on finding_decisions (package_id, vulnerability_id);

-- Everything that was ever decided, with the state it led to.
create table finding_timeline (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  id uuid not null,
  type text not null check (type in ('Assessment', 'Ignored', 'Unignored')),
  created_at timestamptz(3) not null,
  source text not null check (source in ('User', 'ApiKey', 'Vex', 'CarriedOver', 'System')),
  created_by_email text,
  assessment text not null check (assessment in
    ('NotAssessed', 'InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')),
  ignored boolean not null,
  justification text,
  responses text[] not null default '{}',
  detail text,
  recheck_reason text,
  statement_id uuid,
  primary key (workspace_id, firmware_version_id, package_id, vulnerability_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);

-- In this firmware version a package is identified otherwise by now: ids of its findings lead to the successor's.
create table firmware_version_package_successors (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  successor_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id, package_id, successor_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);

-- Packages a workspace holds or held; whether it does is in the facts.
create table workspace_packages (
  workspace_id uuid not null,
  package_id uuid not null,
  primary key (workspace_id, package_id)
);
insert into workspace_packages select distinct workspace_id, package_id from firmware_version_packages;

-- Active findings by severity, moved in the transaction that moves them.
create table firmware_version_counters (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  critical integer not null default 0,
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  none integer not null default 0,
  unknown integer not null default 0,
  -- When a match or decision last could have changed them.
  evaluated_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (fillfactor = 70);
insert into firmware_version_counters
  (workspace_id, firmware_version_id, critical, high, medium, low, none, unknown, evaluated_at)
select fact.workspace_id, fact.firmware_version_id,
  count(*) filter (where match.severity = 'Critical'), count(*) filter (where match.severity = 'High'),
  count(*) filter (where match.severity = 'Medium'), count(*) filter (where match.severity = 'Low'),
  count(*) filter (where match.severity = 'None'), count(*) filter (where match.severity = 'Unknown'), now()
from firmware_version_packages as fact
left join package_matches as match
  on match.package_id = fact.package_id and match.until is null and match.confidence <> 'Low'
where fact.until is null
group by fact.workspace_id, fact.firmware_version_id;

-- The counters as they stood at the end of each day (UTC), for trends.
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
  primary key (workspace_id, firmware_version_id, day),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
