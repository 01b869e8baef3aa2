-- A row is what was decided about a finding. Findings without a row are not assessed.
create table finding_decisions (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  assessment text not null default 'NotAssessed' check (assessment in
    ('NotAssessed', 'InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')),
  ignored boolean not null default false,
  justification text,
  responses text[] not null default '{}',
  detail text,
  source text not null default 'User' check (source in ('User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System')),
  -- Whose word it is. `source` says it of all but decisions that were carried over or taken up from another finding: these keep here
  -- whose they were. `originOf` in findings/decisions-store.ts reads both.
  origin text check (origin in ('Person', 'Document', 'Build')),
  -- The VEX statement the assessment follows.
  statement_id uuid,
  -- The document behind it as it was then, also after it is deleted: its name, author, time, who imported it.
  stated_in jsonb,
  decided_by_email text,
  updated_at timestamptz(3) not null,
  -- When the assessment was last set; null while only ignoring was decided.
  assessed_at timestamptz(3),
  -- Of the evidence the assessment was made on.
  evidence_hash text,
  -- Why a person should look at it again; null when nobody has to.
  recheck_reason text,
  -- What was decided about this finding before, and holds no longer; null once somebody has looked at it again.
  previous_decision jsonb,
  primary key (workspace_id, firmware_version_id, package_id, vulnerability_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
-- A decision is looked up by its whole key, whichever index the planner prefers before it knows the table.
create index finding_decisions_match
  on finding_decisions (package_id, vulnerability_id, workspace_id, firmware_version_id);
-- What findings that begin take up is looked up by version and vulnerability, never by reading all that was decided.
create index finding_decisions_vulnerability
  on finding_decisions (workspace_id, firmware_version_id, vulnerability_id);
create index finding_decisions_recheck on finding_decisions (workspace_id, package_id, vulnerability_id)
  where recheck_reason is not null;
-- Lists of a workspace look for findings with certain decisions, vulnerability by vulnerability.
create index finding_decisions_assessed
  on finding_decisions (workspace_id, assessment, ignored, vulnerability_id, package_id);

-- A row is something that was ever decided about a finding, with the state it led to.
create table finding_timeline (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  id uuid not null,
  type text not null check (type in ('Assessment', 'Ignored', 'Unignored')),
  created_at timestamptz(3) not null,
  created_by_email text,
  source text not null check (source in ('User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System')),
  origin text check (origin in ('Person', 'Document', 'Build')),
  statement_id uuid,
  stated_in jsonb,
  assessment text not null check (assessment in
    ('NotAssessed', 'InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')),
  ignored boolean not null,
  justification text,
  responses text[] not null default '{}',
  detail text,
  recheck_reason text,
  primary key (workspace_id, firmware_version_id, package_id, vulnerability_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index finding_timeline_created on finding_timeline (workspace_id, created_at);

-- A row is what was decided about a vulnerability for all findings to come: in all components, or in those of one name. It becomes the
-- decision of each finding that begins and that nobody has decided.
create table standing_decisions (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  vulnerability_id text collate "C" not null,
  -- null: in whatever component.
  component_name text,
  -- null: findings are only ignored.
  assessment text,
  ignored boolean not null,
  justification text,
  responses text[] not null default '{}',
  detail text,
  source text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique nulls not distinct (workspace_id, vulnerability_id, component_name)
);
create index standing_decisions_vulnerability on standing_decisions (vulnerability_id);
