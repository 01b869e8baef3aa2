-- The rows of the list over a workspace: what the packages match that it holds now, and when each row was detected first.
-- They are kept in the transactions that change inventories and matches (docs/design/findings.md). With many findings this
-- takes a while: about 20 seconds for a million rows.
create table workspace_matches (
  workspace_id uuid not null,
  vulnerability_id text collate "C" not null,
  package_id uuid not null,
  detected_at timestamptz(3) not null,
  primary key (workspace_id, vulnerability_id, package_id) include (detected_at)
);
insert into workspace_matches (workspace_id, vulnerability_id, package_id, detected_at)
select owned.workspace_id, match.vulnerability_id, match.package_id,
  case
    when first_seen.since <= owned.held_since and owned.held_since < coalesce(first_seen.until, 'infinity')
      then owned.held_since
    when first_seen.until is null and first_seen.since >= owned.open_since then first_seen.since
    else (
      select min(greatest(fact.since, seen.since))
      from firmware_version_packages as fact
      join package_matches as seen on seen.package_id = fact.package_id
      where fact.workspace_id = owned.workspace_id and fact.package_id = match.package_id
        and seen.vulnerability_id = match.vulnerability_id
        and greatest(fact.since, seen.since) < least(coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity'))
    ) end
from workspace_packages as owned
join package_matches as match on match.package_id = owned.package_id and match.until is null
left join (
  select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
  from package_matches
  where until > since
  order by package_id, vulnerability_id, since
) as ended on ended.package_id = match.package_id and ended.vulnerability_id = match.vulnerability_id
cross join lateral (
  select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
) as first_seen
where owned.version_count > 0
order by owned.workspace_id, match.vulnerability_id, match.package_id;

create index workspace_matches_detected on workspace_matches (workspace_id, detected_at, vulnerability_id, package_id);

-- The first of these; null: the workspace has no finding of it.
alter table workspace_vulnerabilities add column detected_at timestamptz(3);
update workspace_vulnerabilities as counted set detected_at = first.detected_at
from (
  select workspace_id, vulnerability_id, min(detected_at) as detected_at
  from workspace_matches group by workspace_id, vulnerability_id
) as first
where first.workspace_id = counted.workspace_id and first.vulnerability_id = counted.vulnerability_id;
