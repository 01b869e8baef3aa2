-- What lists of a workspace by EPSS score, and of what devices run, compare. It takes about 5 seconds for a million rows of each.

-- A copy of the score beside what the workspace keeps: to look up all of them takes longer than all else. -1: EPSS has none; null:
-- not copied yet.
alter table workspace_vulnerabilities add column epss_score real;
alter table workspace_component_vulnerabilities
  add column epss_score real,
  -- Of the packages of the component that have the vulnerability, the most.
  add column device_magnitude smallint not null default 0;

update workspace_vulnerabilities as counted set epss_score = coalesce((
  select epss.score from epss_scores as epss where epss.cve_id = counted.vulnerability_id), -1);
update workspace_component_vulnerabilities as kept set epss_score = counted.epss_score, device_magnitude = run.magnitude
from workspace_vulnerabilities as counted, (
  select held.workspace_id, held.component_name, match.vulnerability_id, max(held.device_magnitude) as magnitude
  from workspace_packages as held
  join workspace_matches as match on match.workspace_id = held.workspace_id and match.package_id = held.package_id
  where held.component_name is not null
  group by 1, 2, 3
) as run
where counted.workspace_id = kept.workspace_id and counted.vulnerability_id = kept.vulnerability_id
  and run.workspace_id = kept.workspace_id and run.component_name = kept.component_name
  and run.vulnerability_id = kept.vulnerability_id;

-- Another number each time that scores change, and the number as of which a workspace has copied them.
alter table vulnerability_sources add column score_revision integer not null default 0;
alter table workspace_kept_locks add column score_revision integer;
update workspace_kept_locks set score_revision = 0;
