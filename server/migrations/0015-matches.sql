-- A row says that the package is affected by the vulnerability, and when that held. It has what lists sort and count by, and is narrow;
-- the evidence is in a table of its own. Neither packages nor vulnerabilities are ever deleted, and checking a foreign key would lock a
-- row of both for each match.
create table package_matches (
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  since timestamptz(3) not null,
  until timestamptz(3),
  cause text not null,
  ended_cause text,
  confidence text not null check (confidence in ('High', 'Medium', 'Low')),
  severity text not null check (severity in ('Critical', 'High', 'Medium', 'Low', 'None', 'Unknown')),
  score real,
  -- Whether a public list names the vulnerability of an open match as exploited. It changes in place: the lists know since when.
  is_exploited boolean not null default false,
  primary key (package_id, vulnerability_id, since)
);
create unique index package_matches_open on package_matches (package_id, vulnerability_id) where until is null;
-- The first time that a match held, where it is not the present one.
create index package_matches_ended on package_matches (package_id, vulnerability_id, since) where until is not null;
create index package_matches_vulnerability on package_matches (vulnerability_id, package_id);
create index package_matches_since on package_matches (since);
-- By severity and score over all matches, so that a workspace's first rows are found without its other ones.
create index package_matches_worst on package_matches (
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], severity), coalesce(score, '-1'::real),
  vulnerability_id, package_id);
create index package_matches_score on package_matches (
  coalesce(score, '-1'::real), vulnerability_id, package_id);

-- A row is the evidence of a match, as it was last.
create table package_match_evidence (
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  evidence jsonb not null,
  primary key (package_id, vulnerability_id)
);

-- A row is a vulnerability of which nothing could be told for the package, and why.
create table package_undecided (
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  reason text not null,
  primary key (package_id, vulnerability_id)
);
