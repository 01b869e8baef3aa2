-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/reports/diff/store.ts findPredecessorId
select earlier.id
from firmware_versions as version
join firmware_versions as earlier on earlier.workspace_id = version.workspace_id and case
  when version.predecessor_id is not null then earlier.id = version.predecessor_id
  else earlier.firmware_id = version.firmware_id
  and (earlier.created_at, earlier.id) < (version.created_at, version.id)
  and exists (
    select
    from sboms as sbom
    where sbom.workspace_id = earlier.workspace_id and sbom.firmware_version_id = earlier.id
      and sbom.parsing_state = 'Succeeded'
  ) end
where version.workspace_id = $1 and version.id = $2
order by earlier.created_at desc, earlier.id desc
limit 1;

-- server/src/features/reports/diff/store.ts listComponents
select fact.package_id, fact.component_name as name,
  coalesce(fact.component_version, package.identity #>> '{pairs,0,version}') as version,
  fact.component_vendor as vendor, fact.component_purl as purl,
  array(
    select distinct pair ->> 'key'
    from jsonb_array_elements(package.identity -> 'pairs') as pair
    order by 1
  ) as keys
from firmware_version_packages as fact
join packages as package on package.id = fact.package_id
where fact.workspace_id = $1 and fact.firmware_version_id = $2
  and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
union all select null::uuid, component.package_name, component.version, component.vendor,
  min(component.purl),
  array['declared:' || coalesce(component.vendor, '') || '/' || component.package_name]
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $5 and sbom.firmware_version_id = $6 and sbom.parsing_state = 'Succeeded'
  and component.package_id is null
group by component.package_name, component.version, component.vendor;

-- server/src/features/reports/diff/store.ts listHeldFindings
select fact.package_id, match.vulnerability_id, vulnerability.name, fact.component_name,
  coalesce(fact.component_version, package.identity #>> '{pairs,0,version}') as component_version,
  match.severity, match.score as cvss_score, vulnerability.is_known_exploit, match.confidence,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id
join packages as package on package.id = fact.package_id
join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where fact.workspace_id = $1 and fact.firmware_version_id = $2
  and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
  and (match.since <= $5 and (match.until is null or match.until > $6)) is true;

-- server/src/features/reports/export/store.ts inOneSnapshot: not executed by tests

-- server/src/features/reports/export/store.ts readRows
close exported;

-- server/src/features/reports/export/store.ts readRows
fetch 1000 from exported;

-- server/src/features/reports/export/store.ts readRows
declare exported no scroll cursor for
select vulnerability.id, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score, described.description, described.source_url
from vulnerabilities as vulnerability
left join lateral (
  select advisory.record ->> 'description' as description,
    advisory.record ->> 'sourceUrl' as source_url
  from advisory_vulnerabilities as link
  join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
  where link.vulnerability_id = vulnerability.id
  order by advisory.record ->> 'description' is null, advisory.withdrawn_at is not null,
    array_position('{cvelist,nvd,osv}'::text[], advisory.source), advisory.id not like 'GHSA-%',
    advisory.id
  limit 1
) as described on true
where vulnerability.id in (
  select match.vulnerability_id
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
    and fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
)
order by vulnerability.id;

-- server/src/features/reports/export/store.ts readRows
declare exported no scroll cursor for with declared as (
  select component.package_id,
    (array_agg(sbom.file_name order by sbom.created_at, sbom.id))[1] as file_name
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id
    and component.sbom_id = sbom.id
  where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
    and sbom.parsing_state = 'Succeeded' and component.package_id is not null
  group by component.package_id
),
  fact as materialized (
    select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
      array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
      (select jsonb_object_agg(package_id, file_name) from declared) ->> fact.package_id::text as
      file_name, max(fact.component_name) filter (where fact.until is null) as component_name,
      max(fact.component_version) filter (where fact.until is null) as component_version,
      max(fact.component_vendor) filter (where fact.until is null) as component_vendor,
      max(fact.component_purl) filter (where fact.until is null) as component_purl,
      max(fact.component_cpe) filter (where fact.until is null) as component_cpe
    from firmware_version_packages as fact
    where fact.workspace_id = $3 and fact.firmware_version_id = $4
    group by fact.package_id
    having bool_or(fact.until is null)
  )
select fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
  match.score as cvss_score, epss.score as epss_score, vulnerability.is_known_exploit,
  coalesce(decision.assessment, 'NotAssessed') as assessment, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail,
  coalesce(decision.ignored, false) as ignored,
  (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') <> all($5::text[])
      and (
        match.confidence <> 'Low' or coalesce(decision.assessment, 'NotAssessed') = any($6::text[])
      )
  ) as is_active, match.confidence, fact.component_name, fact.component_version,
  fact.component_vendor, fact.component_purl, fact.component_cpe, fact.file_name,
  (
    select min(greatest(held.since, seen.since))
    from package_matches as seen
    cross join unnest(fact.sinces, fact.untils) as held (since, until)
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity'))
  ) as detected_at
from fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id and match.until is null
  offset 0
) as match
cross join lateral (
  select vulnerability.name, vulnerability.is_known_exploit
  from vulnerabilities as vulnerability
  where vulnerability.id = match.vulnerability_id
  limit 1
) as vulnerability
left join lateral (
  select decision.*
  from finding_decisions as decision
  where decision.workspace_id = $7 and decision.firmware_version_id = $8
    and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true
left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true
order by (
  (
    (
      select true
      from vulnerabilities as known
      where known.id = match.vulnerability_id and known.is_known_exploit
      limit 1
    ) is true
  )
    or (
      select true
      from eu_exploited_entries as listed
      where listed.cve_id = match.vulnerability_id
      limit 1
    ) is true
) desc, array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
  epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
  fact.package_id desc;

-- server/src/features/reports/trend/store.ts listTrend
select day::text, sum(critical)::int as critical, sum(high)::int as high,
  sum(medium)::int as medium, sum(low)::int as low, sum(none)::int as none,
  sum(unknown)::int as unknown
from (
  select day, critical, high, medium, low, none, unknown
  from firmware_version_daily_counters
  where workspace_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
    and day < ($3::timestamptz at time zone 'UTC')::date
  union all select ($4::timestamptz at time zone 'UTC')::date, critical, high, medium, low, none,
    unknown
  from firmware_version_counters
  where workspace_id = $5
) as each
group by day
order by day;

-- server/src/features/reports/trend/store.ts listTrend
select day::text, sum(critical)::int as critical, sum(high)::int as high,
  sum(medium)::int as medium, sum(low)::int as low, sum(none)::int as none,
  sum(unknown)::int as unknown
from (
  select day, critical, high, medium, low, none, unknown
  from firmware_version_daily_counters
  where workspace_id = $1 and firmware_version_id = $2
    and day >= ($3::timestamptz at time zone 'UTC')::date
    and day < ($4::timestamptz at time zone 'UTC')::date
  union all select ($5::timestamptz at time zone 'UTC')::date, critical, high, medium, low, none,
    unknown
  from firmware_version_counters
  where workspace_id = $6 and firmware_version_id = $7
) as each
group by day
order by day;

-- server/src/features/reports/trend/store.ts writeDailyCounters
insert into firmware_version_daily_counters as stored (
  workspace_id, firmware_version_id, day, critical, high, medium, low, none, unknown
)
select workspace_id, firmware_version_id, ($1::timestamptz at time zone 'UTC')::date, critical,
  high, medium, low, none, unknown
from firmware_version_counters
where workspace_id = $2
order by firmware_version_id
on conflict (workspace_id, firmware_version_id, day)
do update
set critical = excluded.critical, high = excluded.high, medium = excluded.medium,
  low = excluded.low, none = excluded.none, unknown = excluded.unknown
where (stored.critical, stored.high, stored.medium, stored.low, stored.none, stored.unknown) is
  distinct from (
    excluded.critical, excluded.high, excluded.medium, excluded.low, excluded.none, excluded.unknown
  );
