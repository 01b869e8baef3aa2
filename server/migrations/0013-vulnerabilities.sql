-- A row is what advisories that are aliases of each other describe, with its rating. It is known by its CVE id, else by the first of
-- its ids.
create table vulnerabilities (
  id text collate "C" primary key,
  name text not null,
  severity text not null check (severity in ('Critical', 'High', 'Medium', 'Low', 'None', 'Unknown')),
  primary_score real,
  is_known_exploit boolean not null default false,
  -- Since when it is known to be exploited; null while it is not.
  known_exploit_since timestamptz(3),
  is_disputed boolean not null default false,
  published_at timestamptz(3),
  modified_at timestamptz(3),
  updated_at timestamptz(3) not null
);
create index vulnerabilities_known_exploit on vulnerabilities (id) where is_known_exploit;
create index vulnerabilities_known_exploit_since on vulnerabilities (known_exploit_since) where is_known_exploit;
create index vulnerabilities_disputed on vulnerabilities (id) where is_disputed;

-- A row says that the advisory describes the vulnerability.
create table advisory_vulnerabilities (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  vulnerability_id text collate "C" not null,
  primary key (source, advisory_id, vulnerability_id)
);
create index advisory_vulnerabilities_vulnerability on advisory_vulnerabilities (vulnerability_id);

-- A row is an id by which a vulnerability is or was known, so that ids handed out keep leading to it. Most have no other than their own.
create table vulnerability_aliases (
  alias text collate "C" not null,
  vulnerability_id text collate "C" not null,
  primary key (alias, vulnerability_id)
);
create index vulnerability_aliases_vulnerability on vulnerability_aliases (vulnerability_id);
create index vulnerability_aliases_others on vulnerability_aliases (vulnerability_id, alias)
  where alias <> vulnerability_id;

-- A row is a vulnerability whose advisories left another one, which keeps what was decided until then.
create table vulnerability_partings (
  vulnerability_id text collate "C" not null,
  part_id text collate "C" not null,
  parted_at timestamptz(3) not null,
  primary key (vulnerability_id, part_id)
);

-- Numbers the merges that changed something.
create sequence knowledge_revision;

-- A row is a key that a merge changed: the keys (and product keys) of every advisory that it added, changed, withdrew or moved to
-- another vulnerability, old ones and new ones. Packages that have one of them are matched again.
create table knowledge_changes (
  revision bigint not null,
  key text collate "C" not null,
  -- Of which vulnerability the key says something else; `*`: of every one.
  vulnerability_id text collate "C" not null default '*',
  primary key (revision, key, vulnerability_id)
);

-- A row is a vulnerability in CISA's list of exploited ones (KEV).
create table kev_entries (
  cve_id text collate "C" primary key,
  date_added date not null,
  due_date date,
  details jsonb not null
);

-- A row is a vulnerability in ENISA's list of exploited ones (EUVD).
create table eu_exploited_entries (
  cve_id text collate "C" primary key,
  euvd_id text,
  date_added date not null
);

-- A row is the present EPSS score of a vulnerability.
create table epss_scores (
  cve_id text collate "C" primary key,
  score real not null,
  -- Absent from some mirrors' snapshots.
  percentile real
);
-- Lists of a workspace by risk read vulnerabilities of one severity by EPSS score.
create index epss_scores_score on epss_scores (score, cve_id);
