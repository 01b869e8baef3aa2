-- Which states the findings of a match, and of a vulnerability, have: a bit for each confidence, assessment, ignored or not.
-- So lists of a workspace compare one column instead of reading decisions. They are kept in the transactions that change
-- findings (docs/design/findings.md). With many matches this takes a while: about 15 seconds for a million.
alter table workspace_matches add column states bigint not null default 0;
alter table workspace_vulnerabilities
  add column states bigint not null default 0,
  -- As the newest of its open matches is rated; null: it never had one.
  add column severity text,
  add column score real;

-- Bit 12 × confidence + 2 × assessment + ignored.
update workspace_matches as kept set states = now.states
from (
  select held.workspace_id, match.vulnerability_id, match.package_id,
    (coalesce(decided.states, 0) | (held.version_count > coalesce(decided.finding_count, 0))::int)
      << (12 * (array_position('{High,Medium,Low}', match.confidence) - 1)) as states
  from workspace_packages as held
  join package_matches as match on match.package_id = held.package_id and match.until is null
  left join (
    select workspace_id, vulnerability_id, package_id, sum(finding_count) as finding_count, bit_or(1::bigint << (2 *
        (array_position('{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}', assessment) - 1)
        + ignored::int)) as states
    from workspace_decisions where finding_count > 0
    group by workspace_id, vulnerability_id, package_id
  ) as decided on decided.workspace_id = held.workspace_id and decided.vulnerability_id = match.vulnerability_id
    and decided.package_id = match.package_id
) as now
where kept.workspace_id = now.workspace_id and kept.vulnerability_id = now.vulnerability_id
  and kept.package_id = now.package_id;

update workspace_vulnerabilities as counted set states = now.states, severity = now.severity, score = now.score
from (
  select kept.workspace_id, kept.vulnerability_id, bit_or(kept.states) as states,
    (array_agg(match.severity order by match.since desc))[1] as severity,
    (array_agg(match.score order by match.since desc))[1] as score
  from workspace_matches as kept
  join package_matches as match on match.package_id = kept.package_id
    and match.vulnerability_id = kept.vulnerability_id and match.until is null
  group by kept.workspace_id, kept.vulnerability_id
) as now
where counted.workspace_id = now.workspace_id and counted.vulnerability_id = now.vulnerability_id;

-- Decisions are read by package: what versions hold changes package by package.
alter table workspace_decisions drop constraint workspace_decisions_pkey,
  add primary key (workspace_id, package_id, vulnerability_id, assessment, ignored);
