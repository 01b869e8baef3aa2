-- What the mark of a firmware version is drawn from, moved in the transactions that move what it counts
-- (docs/design/findings.md). Counting what is stored takes about 10 seconds for 10 million findings of critical, high
-- and exploited vulnerabilities.

-- Whether a public list names the vulnerability of an open match as exploited. It changes in place: the lists know since when.
alter table package_matches add column is_exploited boolean not null default false;
update package_matches set is_exploited = true
where until is null and vulnerability_id in (
  select id from vulnerabilities where is_known_exploit union select cve_id from eu_exploited_entries);

alter table firmware_version_counters
  -- Active findings of exploited vulnerabilities.
  add column exploited integer not null default 0,
  -- Active findings that nobody has decided: not assessed, or in triage.
  add column undecided_critical integer not null default 0,
  add column undecided_high integer not null default 0,
  -- Components that can be looked up, and those whose declarations allow no statement.
  add column judged_components integer not null default 0,
  add column silent_components integer not null default 0;

update firmware_version_counters as counters
set exploited = now.exploited, undecided_critical = now.undecided_critical, undecided_high = now.undecided_high
from (
  select fact.workspace_id, fact.firmware_version_id, count(*) filter (where match.is_exploited) as exploited,
    count(*) filter (where match.severity = 'Critical' and state.undecided) as undecided_critical,
    count(*) filter (where match.severity = 'High' and state.undecided) as undecided_high
  from package_matches as match
  join firmware_version_packages as fact on fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
    and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
    and decision.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(decision.assessment, 'NotAssessed') in ('NotAssessed', 'InTriage') as undecided
  ) as state
  where match.until is null and (match.is_exploited or match.severity in ('Critical', 'High'))
    and coalesce(decision.ignored, false) = false
    and coalesce(decision.assessment, '') not in ('NotAffected', 'FalsePositive', 'Resolved')
    and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))
  group by fact.workspace_id, fact.firmware_version_id
) as now
where now.workspace_id = counters.workspace_id and now.firmware_version_id = counters.firmware_version_id;

update firmware_version_counters as counters
set judged_components = now.judged, silent_components = now.silent
from (
  select sbom.workspace_id, sbom.firmware_version_id,
    count(*) filter (where component.not_matched_reason is null) as judged,
    count(*) filter (where component.not_matched_reason !~ '^(scope |ignored|built from other components$)') as silent
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
  where sbom.parsing_state = 'Succeeded'
  group by sbom.workspace_id, sbom.firmware_version_id
) as now
where now.workspace_id = counters.workspace_id and now.firmware_version_id = counters.firmware_version_id;

-- null: the day was before exploited findings were counted.
alter table firmware_version_daily_counters add column exploited integer;
