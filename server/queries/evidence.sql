-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/evidence/keys-store.ts deactivateKey
update evidence_keys set secret = $1, retired_at = $2 where workspace_id = $3 and retired_at is null;

-- server/src/features/evidence/keys-store.ts findSigningKey
select id, secret from evidence_keys where workspace_id = $1 and retired_at is null;

-- server/src/features/evidence/keys-store.ts insertKey
insert into evidence_keys (workspace_id, id, public_key, fingerprint, secret, created_at)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/evidence/keys-store.ts listKeys
select id, public_key, fingerprint, created_at, retired_at
from evidence_keys
where workspace_id = $1
order by created_at desc, id desc;

-- server/src/features/evidence/keys-store.ts lockKeys
select pg_advisory_xact_lock(hashtextextended('evidence-keys:' || $1, 0));

-- server/src/features/evidence/reports-store.ts countUnassignedReports
select count(*)::int as count
from disclosure_reports as report
where report.workspace_id = $1 and report.received_at < $2 and report.product_line_id is null
  and not exists (
    select
    from disclosure_report_events as event
    where event.workspace_id = $3 and event.report_id = report.id and event.kind = 'Joined'
  );

-- server/src/features/evidence/reports-store.ts listReportIds
select report.id
from disclosure_reports as report
where report.workspace_id = $1 and report.received_at < $2
  and (
    report.product_line_id = $3
      or exists (
        select
        from disclosure_report_events as event
        where event.workspace_id = $4 and event.report_id = report.id and event.kind = 'Joined'
          and event.detail ->> 'caseId' = any($5::text[])
      )
  )
order by report.received_at, report.id;

-- server/src/features/evidence/store.ts listCaseIds
select held.id
from case_lines as part
join cases as held on held.workspace_id = $1 and held.id = part.case_id
where part.workspace_id = $2 and part.product_line_id = $3 and held.created_at < $4
order by held.created_at, held.id;

-- server/src/features/evidence/store.ts listSboms
select *
from (
  select id, file_name, format, size_bytes, sha256, created_at, null::timestamptz as replaced_at
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and created_at < $3
  union all select id, file_name, format, size_bytes, sha256, created_at, replaced_at
  from replaced_sboms
  where workspace_id = $4 and firmware_version_id = $5 and created_at < $6
) as held
order by created_at, id;

-- server/src/features/evidence/store.ts listVersions
select version.id, firmware.name as firmware, firmware.slug as firmware_slug,
  version.name as version, version.created_at,
  (
    select min(deployment.created_at)
    from deployment_artifacts as part
    join deployments as deployment on deployment.workspace_id = $1
      and deployment.id = part.deployment_id
    where part.workspace_id = $2 and part.firmware_version_id = version.id
      and deployment.created_at < $3
  ) as first_deployed_at,
  (
    select coalesce(sum(counted.devices), 0)::int
    from firmware_version_device_counts as counted
    where counted.workspace_id = $4 and counted.firmware_version_id = version.id
  ) as device_count
from product_line_firmwares as part
join firmwares as firmware on firmware.workspace_id = $5 and firmware.id = part.firmware_id
join firmware_versions as version on version.workspace_id = $6 and version.firmware_id = firmware.id
where part.workspace_id = $7 and part.product_line_id = $8 and version.created_at < $9
order by firmware.name, version.created_at, version.id;

-- server/src/features/evidence/store.ts readRows: the shortest and the longest of many variants
--   43acf4d5 5d8d4b24 7a526692 93908198 d4789666 e0ce296f
declare bundled no scroll cursor for
select id, vulnerability_id, firmware_name, version_name, component_name, component_version,
  reported_at, recipient, text, fix, created_at, created_by_email, updated_at
from upstream_reports
where workspace_id = $1 and reported_at < $2 and firmware_version_id = any($3::uuid[])
order by reported_at, id;

declare bundled no scroll cursor for
select match.vulnerability_id, fact.component_name, fact.component_version, fact.component_purl,
  match.severity, match.score, match.confidence, greatest(fact.since, match.since) as detected_at,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.source,
  decision.decided_by_email, decision.updated_at as decided_at
from firmware_version_packages as fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id
    and (match.since <= $1 and (match.until is null or match.until > $2)) is true
  offset 0
) as match
left join lateral (
  select newest.assessment, newest.ignored, newest.source,
    newest.created_by_email as decided_by_email, newest.created_at as updated_at,
    reason.justification, reason.responses, reason.detail,
    nullif(mark.recheck_reason, '') as recheck_reason
  from (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $3 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $4 and true
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as newest
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $5 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $6 and entry.type = 'Assessment'
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as reason on true
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $8 and (entry.type = 'Assessment' or entry.recheck_reason = '')
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as mark on true
) as decision on true
cross join (select null::real as score) as epss
where fact.workspace_id = $9 and fact.firmware_version_id = $10
  and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
  and (match.since <= $13 and (match.until is null or match.until > $14)) is true;
