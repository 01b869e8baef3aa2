-- What the lists by component and by risk read. It is kept in the transactions that change findings
-- (docs/design/findings.md). With many matches this takes a while: about 20 seconds for a million.

-- How many digits the number of devices has that run the package, as last counted; 0: none. Of a vulnerability the most of
-- its packages.
alter table workspace_packages add column device_magnitude smallint not null default 0;
alter table workspace_vulnerabilities
  add column device_magnitude smallint not null default 0,
  -- A public list names it as exploited.
  add column is_exploited boolean not null default false;
-- What devices ran when they were counted, when that was, and when a job was last asked to count them.
alter table workspace_kept_locks
  add column devices_counted text,
  add column devices_counted_at timestamptz(3),
  add column devices_asked_at timestamptz(3);

update workspace_vulnerabilities as counted set is_exploited = true
where finding_count > 0 and exists (
  select from workspace_matches as kept
  join package_matches as match on match.package_id = kept.package_id
    and match.vulnerability_id = kept.vulnerability_id and match.until is null
  where kept.workspace_id = counted.workspace_id and kept.vulnerability_id = counted.vulnerability_id
    and match.is_exploited);

-- Matches are read by package too, in the order of their vulnerabilities.
create index workspace_matches_package on workspace_matches (workspace_id, package_id, vulnerability_id);

-- Each vulnerability of each component, in whatever versions of it, from the matches of the packages that are called so.
create table workspace_component_vulnerabilities (
  workspace_id uuid not null,
  component_name text collate "C" not null,
  vulnerability_id text collate "C" not null,
  -- Of the matches: when the first and when the last of them was detected, and the states of all.
  first_detected_at timestamptz(3) not null,
  last_detected_at timestamptz(3) not null,
  states bigint not null,
  -- 1 for Unknown to 6 for Critical.
  severity_rank smallint not null,
  is_exploited boolean not null,
  primary key (workspace_id, component_name, vulnerability_id)
) with (fillfactor = 90);
insert into workspace_component_vulnerabilities (workspace_id, component_name, vulnerability_id, first_detected_at,
  last_detected_at, states, severity_rank, is_exploited)
select kept.workspace_id, held.component_name, kept.vulnerability_id, min(kept.detected_at), max(kept.detected_at),
  bit_or(kept.states), max(array_position('{Unknown,None,Low,Medium,High,Critical}', match.severity)),
  bool_or(match.is_exploited)
from workspace_matches as kept
join workspace_packages as held on held.workspace_id = kept.workspace_id and held.package_id = kept.package_id
join package_matches as match on match.package_id = kept.package_id
  and match.vulnerability_id = kept.vulnerability_id and match.until is null
where held.component_name is not null
group by 1, 2, 3 order by 1, 2, 3;
