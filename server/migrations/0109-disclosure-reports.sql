-- How a workspace takes reports of vulnerabilities from outside. Without a row it takes none (decision 104).
create table disclosure_policies (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  is_public boolean not null,
  -- What people wrote for the page; null: the text of the product.
  policy text,
  shows_product_lines boolean not null,
  -- Working days until a person answers, and until it is assessed; days until it is disclosed.
  answer_days integer not null check (answer_days between 1 and 365),
  assessment_days integer not null check (assessment_days between 1 and 365),
  disclosure_days integer not null check (disclosure_days between 1 and 3650),
  most_per_day integer not null check (most_per_day between 1 and 10000),
  updated_at timestamptz(3) not null
);

-- A row is what somebody outside reported, as it was sent. It is never changed; what follows are its events.
create table disclosure_reports (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- SHA-256 of the token in the link that whoever reported keeps.
  token_hash text collate "C" not null,
  -- As it was chosen; the line may be deleted since. Without it the product is not known.
  product_line_id uuid,
  product_line_name text,
  title text not null,
  text text not null,
  contact text,
  -- Under which name whoever reported wants to be thanked.
  credit text,
  received_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index disclosure_reports_token on disclosure_reports (token_hash);
create index disclosure_reports_newest on disclosure_reports (workspace_id, received_at, id);

-- A row is what happened to a report. State and due times follow from these.
create table disclosure_report_events (
  workspace_id uuid not null,
  id uuid not null,
  report_id uuid not null,
  kind text not null,
  recorded_at timestamptz(3) not null,
  -- null: whoever reported.
  by_type text,
  by_id text,
  by_email text,
  text text,
  instant timestamptz(3),
  -- What else its kind has: `EventDetail` in disclosure-reports/standing.ts.
  detail jsonb not null default '{}',
  primary key (workspace_id, id),
  foreign key (workspace_id, report_id) references disclosure_reports (workspace_id, id) on delete cascade
);
create index disclosure_report_events_report on disclosure_report_events (workspace_id, report_id, recorded_at, id);

-- Up to which report those who answer were told that reports wait, and when.
create table disclosure_report_mails (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  told_until timestamptz(3) not null,
  sent_at timestamptz(3) not null
);

-- A case can begin by a report from outside.
alter table cases drop constraint cases_origin_check;
alter table cases add constraint cases_origin_check check (origin in ('Finding', 'Person', 'Report'));
