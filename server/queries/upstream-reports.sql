-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/upstream-reports/store.ts countUpstreamReports
select count(*)::int as count from upstream_reports where workspace_id = $1;

-- server/src/features/upstream-reports/store.ts deleteUpstreamReport
delete from upstream_reports where workspace_id = $1 and id = $2;

-- server/src/features/upstream-reports/store.ts findNamedFinding
select match.vulnerability_id, fact.firmware_version_id, fact.package_id,
  firmware.name as firmware_name, version.name as version_name, fact.component_name,
  fact.component_version
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id and match.vulnerability_id = $1
  and match.until is null
join firmware_versions as version on version.workspace_id = $2
  and version.id = fact.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = version.firmware_id
where fact.workspace_id = $4 and fact.firmware_version_id = $5 and fact.package_id = $6
  and fact.until is null
limit 1;

-- server/src/features/upstream-reports/store.ts insertUpstreamReport
insert into upstream_reports (
  workspace_id, id, vulnerability_id, firmware_version_id, package_id, firmware_name, version_name,
    component_name, component_version, reported_at, recipient, text, fix, created_at,
    created_by_email, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- server/src/features/upstream-reports/store.ts listUpstreamReports
select report.id, coalesce(alias.vulnerability_id, report.vulnerability_id) as vulnerability_id,
  report.firmware_version_id, report.package_id, report.firmware_name, report.version_name,
  report.component_name, report.component_version, report.reported_at, report.recipient,
  report.text, report.fix, report.created_at, report.created_by_email, report.updated_at
from upstream_reports as report
left join vulnerability_aliases as alias on alias.alias = report.vulnerability_id
where report.workspace_id = $1 and true and true
order by report.reported_at desc, report.id desc
limit $2;

-- server/src/features/upstream-reports/store.ts listUpstreamReports
select report.id, coalesce(alias.vulnerability_id, report.vulnerability_id) as vulnerability_id,
  report.firmware_version_id, report.package_id, report.firmware_name, report.version_name,
  report.component_name, report.component_version, report.reported_at, report.recipient,
  report.text, report.fix, report.created_at, report.created_by_email, report.updated_at
from upstream_reports as report
left join vulnerability_aliases as alias on alias.alias = report.vulnerability_id
where report.workspace_id = $1 and report.id = $2 and true
order by report.reported_at desc, report.id desc
limit $3;

-- server/src/features/upstream-reports/store.ts listUpstreamReports
select report.id, coalesce(alias.vulnerability_id, report.vulnerability_id) as vulnerability_id,
  report.firmware_version_id, report.package_id, report.firmware_name, report.version_name,
  report.component_name, report.component_version, report.reported_at, report.recipient,
  report.text, report.fix, report.created_at, report.created_by_email, report.updated_at
from upstream_reports as report
left join vulnerability_aliases as alias on alias.alias = report.vulnerability_id
where report.workspace_id = $1 and true
  and coalesce(alias.vulnerability_id, report.vulnerability_id) in (
    $2, (select vulnerability_id from vulnerability_aliases where alias = $3)
  )
order by report.reported_at desc, report.id desc
limit $4;

-- server/src/features/upstream-reports/store.ts lockUpstreamReports
select pg_advisory_xact_lock(hashtextextended('upstream-reports:' || $1, 0));

-- server/src/features/upstream-reports/store.ts updateUpstreamReport
update upstream_reports
set reported_at = $1, recipient = $2, text = $3, fix = $4, updated_at = $5
where workspace_id = $6 and id = $7;
