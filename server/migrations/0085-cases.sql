-- A row is a case of Article 14 of Regulation (EU) 2024/2847: a vulnerability or a severe incident in products of one manufacturer. Whatever
-- happens in it is a fact; its state and its due times follow from these (decision 97).
create table cases (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  type text not null check (type in ('Vulnerability', 'Incident')),
  title text not null,
  vulnerability_id text collate "C",
  -- That of its product lines; empty while it has none.
  manufacturer text not null,
  is_drill boolean not null,
  origin text not null check (origin in ('Finding', 'Person')),
  -- The first day on which CISA or ENISA listed the vulnerability as exploited.
  listed_on date,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id)
);
create unique index cases_vulnerability on cases (workspace_id, vulnerability_id, lower(manufacturer))
  where not is_drill and vulnerability_id is not null;
create index cases_newest on cases (workspace_id, created_at, id);

create table case_lines (
  workspace_id uuid not null,
  case_id uuid not null,
  product_line_id uuid not null,
  primary key (workspace_id, case_id, product_line_id),
  foreign key (workspace_id, case_id) references cases (workspace_id, id) on delete cascade,
  foreign key (workspace_id, product_line_id) references product_lines (workspace_id, id)
);
create index case_lines_line on case_lines (workspace_id, product_line_id);

-- A row is an affected version with its component, as it was called when the case got to know it. It stays when the version is deleted.
create table case_versions (
  workspace_id uuid not null,
  case_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  firmware_id uuid not null,
  firmware_name text not null,
  version_name text not null,
  component_name text not null,
  component_version text,
  added_at timestamptz(3) not null,
  primary key (workspace_id, case_id, firmware_version_id, package_id),
  foreign key (workspace_id, case_id) references cases (workspace_id, id) on delete cascade
);
create index case_versions_version on case_versions (workspace_id, firmware_version_id);

-- A row is something that happened, or that somebody stated. Rows are never changed: a correction is a row that names another one.
create table case_facts (
  workspace_id uuid not null,
  id uuid not null,
  case_id uuid not null,
  kind text not null,
  -- When it was recorded, and by whom.
  recorded_at timestamptz(3) not null,
  by_type text not null,
  by_id text,
  by_email text,
  -- The instant that it states.
  instant timestamptz(3),
  is_estimate boolean not null default false,
  -- What was written: a reason, or the exact text of a report.
  text text,
  -- What else its kind has: `FactDetail` in cases/case-facts.ts.
  detail jsonb not null default '{}',
  corrects_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, case_id) references cases (workspace_id, id) on delete cascade
);
create index case_facts_case on case_facts (workspace_id, case_id, recorded_at, id);
