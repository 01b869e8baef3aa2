-- How many findings of the workspace that hold now have each decision, by vulnerability and package. It is kept in the
-- transactions that change decisions and inventories (docs/design/findings.md). With many decisions this takes a while:
-- about 10 seconds for a million.
create table workspace_decisions (
  workspace_id uuid not null,
  vulnerability_id text collate "C" not null,
  package_id uuid not null,
  assessment text collate "C" not null,
  ignored boolean not null,
  finding_count integer not null,
  primary key (workspace_id, vulnerability_id, package_id, assessment, ignored)
) with (fillfactor = 90);
insert into workspace_decisions (workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count)
select decision.workspace_id, decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, count(*)
from finding_decisions as decision
join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
  and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
join package_matches as match
  on match.package_id = decision.package_id and match.vulnerability_id = decision.vulnerability_id
where fact.until is null and match.until is null
group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5;

create index workspace_decisions_state on workspace_decisions (workspace_id, assessment, ignored, vulnerability_id, package_id);

-- Whoever changes decisions or inventories of a workspace locks its row, so that what is kept of it changes one by one.
create table workspace_kept_locks (
  workspace_id uuid primary key
);
