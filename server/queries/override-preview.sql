-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/override-preview/store.ts listDecisions
select firmware_version_id, package_id, vulnerability_id, ignored as is_ignored,
  assessment <> 'NotAssessed' as is_assessed
from finding_decisions
where workspace_id = $1 and package_id = any($2::uuid[])
  and (assessment <> 'NotAssessed' or ignored);

-- server/src/features/override-preview/store.ts listHeld
select sbom.firmware_version_id, component.package_id, count(*)::int as component_count
from sbom_components as component
inner join sboms as sbom on sbom.workspace_id = component.workspace_id
  and sbom.id = component.sbom_id
where component.workspace_id = $1 and component.package_id = any($2::uuid[])
  and sbom.firmware_version_id = any($3::uuid[]) and sbom.parsing_state = $4
group by sbom.firmware_version_id, component.package_id;

-- server/src/features/override-preview/store.ts listRatings
select vulnerability.id, vulnerability.severity, vulnerability.primary_score as cvss_score,
  epss.score as epss_score, vulnerability.is_known_exploit
  or exists (select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id) as
  is_exploited
from vulnerabilities as vulnerability
left join epss_scores as epss on epss.cve_id = vulnerability.id
where vulnerability.id = any($1::text[]);

-- server/src/features/override-preview/store.ts listShownVersions
select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.id = any($2::uuid[]);

-- server/src/features/override-preview/store.ts listStoredMatches
select package.id as package_id, package.is_named,
  (
    select coalesce(
      json_agg(
        json_build_object('vulnerabilityId', match.vulnerability_id, 'confidence', match.confidence)
      ), '[]'
    )
    from package_matches as match
    where match.package_id = package.id and match.until is null
  ) as matches
from packages as package
where package.id = any($1::uuid[]) and package.matched_at is not null;

-- server/src/features/override-preview/store.ts listStoredNames
select id, jsonb_path_query_array(identity, '$.pairs[*]') as names
from packages
where id = any($1::uuid[]);

-- server/src/features/override-preview/store.ts listUnmatched
select identity as identity from packages where id = any($1::uuid[]) and matched_at is null;
