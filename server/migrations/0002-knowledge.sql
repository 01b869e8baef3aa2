-- Knowledge is global: what feeds publish, the packages that components stand for, and the matches of the two.

create sequence knowledge_revision;

create table vulnerability_sources (
  source text primary key check (source in ('cvelist', 'nvd', 'osv', 'kev', 'epss')),
  last_attempt_at timestamptz(3),
  last_success_at timestamptz(3),
  last_error text,
  -- The time the newest snapshot gives itself, where the source publishes snapshots (KEV, EPSS).
  snapshot_at timestamptz(3),
  record_count integer not null default 0,
  skipped_count integer not null default 0
);

-- One record of one feed as last published. `record` is the advisory without its affected packages; of that the
-- columns from `name` on are what its vulnerabilities' rows are made of.
create table advisories (
  source text collate "C" not null check (source in ('cvelist', 'nvd', 'osv')),
  id text collate "C" not null,
  content_hash bytea not null,
  aliases text[] not null,
  -- The CVE ids the record is evidence for: those it names, else those it says it is derived from.
  cve_ids text[] not null,
  -- Its own id and aliases that are no CVE ids: what unites records that name no CVE.
  linked_ids text[] not null,
  record jsonb not null,
  name text,
  primary_score jsonb,
  stated_severity text,
  published_at timestamptz(3),
  modified_at timestamptz(3),
  -- When the file the record came in says it was made: decides between two texts modified at one time.
  feed_at timestamptz(3),
  withdrawn_at timestamptz(3),
  first_seen_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  primary key (source, id)
);
create index advisories_id on advisories (id);

-- `linked_ids` the other way round, to find who shares one.
create table advisory_linked_ids (
  linked_id text collate "C" not null,
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  primary key (linked_id, source, advisory_id),
  foreign key (source, advisory_id) references advisories (source, id) on delete cascade
);

-- What an advisory says about one key; `product_key` is the same under any vendor (cpe:*:product).
create table advisory_affected (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  key text collate "C" not null,
  product_key text collate "C",
  statements jsonb not null,
  primary key (source, advisory_id, key),
  foreign key (source, advisory_id) references advisories (source, id) on delete cascade
);
create index advisory_affected_key on advisory_affected (key);
create index advisory_affected_product_key on advisory_affected (product_key) where product_key is not null;

-- What advisories that are aliases of each other describe: known by its CVE id, else by the first of its ids.
create table vulnerabilities (
  id text collate "C" primary key,
  name text not null,
  severity text not null check (severity in ('Critical', 'High', 'Medium', 'Low', 'None', 'Unknown')),
  primary_score real,
  is_known_exploit boolean not null default false,
  published_at timestamptz(3),
  modified_at timestamptz(3),
  updated_at timestamptz(3) not null
);

create table advisory_vulnerabilities (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  vulnerability_id text collate "C" not null references vulnerabilities (id) deferrable initially deferred,
  primary key (source, advisory_id, vulnerability_id),
  foreign key (source, advisory_id) references advisories (source, id) on delete cascade
);
create index advisory_vulnerabilities_vulnerability on advisory_vulnerabilities (vulnerability_id);

-- Every id a vulnerability is or was known by, so that ids handed out keep leading to it.
create table vulnerability_aliases (
  alias text collate "C" not null,
  vulnerability_id text collate "C" not null references vulnerabilities (id) deferrable initially deferred,
  primary key (alias, vulnerability_id)
);
create index vulnerability_aliases_vulnerability on vulnerability_aliases (vulnerability_id);

-- What a merge changed, by key: the keys (and product keys) of every advisory it added, changed, withdrew or moved to
-- another vulnerability, old ones and new ones. Packages that have one of them are matched again.
create table knowledge_changes (
  revision bigint not null,
  key text collate "C" not null,
  primary key (revision, key)
);

create table kev_entries (
  cve_id text collate "C" primary key,
  date_added date not null,
  due_date date,
  details jsonb not null
);

create table epss_scores (
  cve_id text collate "C" primary key,
  score real not null,
  -- Absent from some mirrors' snapshots.
  percentile real
);

-- The upstream software in one version: a canonical set of (key, version), matched once. The id is its hash.
create table packages (
  id uuid primary key,
  identity jsonb not null,
  created_at timestamptz(3) not null,
  matched_at timestamptz(3),
  matched_revision bigint,
  match_rules_version integer,
  -- How many advisories gave no verdict, by reason.
  undecided jsonb not null default '{}'
);
create index packages_unmatched on packages (id) where matched_at is null;

-- Every key an advisory may name the package by; for a package of any vendor also its cpe:*:product.
-- Written with its package in one statement and never apart, so that no foreign key has to be checked for each row.
create table package_keys (
  key text collate "C" not null,
  package_id uuid not null,
  primary key (key, package_id)
);

create table package_matches (
  package_id uuid not null references packages (id) on delete cascade,
  vulnerability_id text collate "C" not null references vulnerabilities (id),
  since timestamptz(3) not null,
  until timestamptz(3),
  cause text not null,
  ended_cause text,
  confidence text not null check (confidence in ('High', 'Medium', 'Low')),
  evidence jsonb not null,
  primary key (package_id, vulnerability_id, since)
);
create unique index package_matches_open on package_matches (package_id, vulnerability_id) where until is null;
create index package_matches_vulnerability on package_matches (vulnerability_id);
