-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vulnerabilities/detail/store.ts countFindings
with found as materialized (
  select fact.firmware_version_id as id, count(*)::int as findings,
    (
      count(*) filter (
        where (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($1::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($2::text[])
            )
        )
      )
    )::int as active
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $3
    and fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = $4
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where match.vulnerability_id = $5 and match.until is null
  group by fact.firmware_version_id
)
select coalesce(sum(findings), 0)::int as finding_count,
  coalesce(sum(active), 0)::int as active_finding_count, count(*)::int as firmware_version_count,
  (count(*) filter (where active > 0))::int as active_firmware_version_count,
  (
    select coalesce(sum(sets.devices), 0)::int
    from firmware_set_device_counts as sets
    where sets.workspace_id = $6
      and exists (
        select
        from unnest(sets.firmware_version_ids) as running (id)
        join found using (id)
        where found.active > 0
      )
  ) as affected_device_count
from found;

-- server/src/features/vulnerabilities/detail/store.ts findVulnerability
select vulnerability.name, vulnerability.severity, vulnerability.primary_score,
  vulnerability.is_known_exploit, vulnerability.known_exploit_since,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = vulnerability.id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = vulnerability.id
    ) as listed
  ) as exploited_sources, vulnerability.published_at, vulnerability.modified_at,
  epss.score as epss_score, epss.percentile as epss_percentile,
  array(
    select alias
    from vulnerability_aliases as known
    where known.vulnerability_id = vulnerability.id and known.alias <> vulnerability.id
    order by alias
  ) as aliases,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', advisory.source, 'id', advisory.id, 'record', advisory.record, 'isWithdrawn',
            advisory.withdrawn_at is not null
        )
        order by advisory.source, advisory.id
      ), '[]'
    )
    from advisory_vulnerabilities as link
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
    where link.vulnerability_id = vulnerability.id
  ) as records
from vulnerabilities as vulnerability
left join epss_scores as epss on epss.cve_id = vulnerability.id
where vulnerability.id = $1;

-- server/src/features/vulnerabilities/detail/store.ts findVulnerabilityId
select vulnerability_id as id
from vulnerability_aliases
where alias = any($1::text[])
order by vulnerability_id = alias desc, vulnerability_id
limit 1;

-- server/src/features/vulnerabilities/detail/store.ts isHere
select finding_count
from workspace_vulnerabilities
where workspace_id = $1 and vulnerability_id = $2 and finding_count > $3;

-- server/src/features/vulnerabilities/detail/store.ts listFindings
with found as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    coalesce(decision.assessment, 'NotAssessed') as assessment,
    coalesce(decision.ignored, false) as ignored,
    (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') <> all($1::text[])
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') = any($2::text[])
        )
    ) as is_active, decision.recheck_reason, match.confidence
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $3
    and fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = $4
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where match.vulnerability_id = $5 and match.until is null
),
  running as (
    select counts.firmware_version_id, sum(counts.devices)::int as devices
    from firmware_version_device_counts as counts
    where counts.workspace_id = $6
      and counts.firmware_version_id in (select firmware_version_id from found)
    group by counts.firmware_version_id
  )
select found.package_id,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version,
  json_build_object('name', found.component_name, 'version', found.component_version) as component,
  found.assessment, found.ignored, found.is_active, found.recheck_reason, found.confidence,
  coalesce(running.devices, 0) as device_count
from found
join firmware_versions as version on version.workspace_id = $7
  and version.id = found.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $8 and firmware.id = version.firmware_id
left join running on running.firmware_version_id = found.firmware_version_id
order by found.is_active desc, device_count desc, version.created_at desc, version.id,
  found.package_id
limit $9;

-- server/src/features/vulnerabilities/detail/store.ts listFixedVersions
with found as materialized (
  select version.firmware_id, fact.firmware_version_id as id, fact.component_name,
    version.created_at
  from (
    select fact.firmware_version_id, fact.component_name
    from package_matches as match
    join firmware_version_packages as fact on fact.workspace_id = $1
      and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = $2
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where match.vulnerability_id = $3 and match.until is null
  ) as fact
  join firmware_versions as version on version.workspace_id = $4
    and version.id = fact.firmware_version_id
),
  first as (
    select firmware_id, min(created_at) as created_at, array_agg(distinct component_name) as names
    from found
    group by firmware_id
  ),
  chosen as materialized (
    select version.*, first.names
    from first
    join firmware_versions as version on version.workspace_id = $5
      and version.firmware_id = first.firmware_id and version.created_at > first.created_at
    where version.id not in (select id from found)
      and exists (
        select
        from sboms
        where workspace_id = $6 and firmware_version_id = version.id and parsing_state = 'Succeeded'
      )
    order by version.created_at desc, version.id
    limit $7
  )
select json_build_object(
  'id', version.id, 'name', version.name, 'firmware',
    json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
) as firmware_version, holding.component
from chosen as version
join firmwares as firmware on firmware.workspace_id = $8 and firmware.id = version.firmware_id
left join lateral (
  select json_build_object('name', fact.component_name, 'version', fact.component_version) as
    component
  from firmware_version_packages as fact
  where fact.workspace_id = $9 and fact.firmware_version_id = version.id and fact.until is null
    and fact.component_name = any(version.names)
  order by fact.component_name, fact.component_version desc
  limit 1
) as holding on true
order by version.created_at desc, version.id;

-- server/src/features/vulnerabilities/detail/store.ts readLookedAt
select (select count(*)::int from firmware_version_counters where workspace_id = $1) as
  firmware_version_count,
  (select count(*)::int from workspace_packages where workspace_id = $2 and version_count > 0) as
  package_count,
  (select max(created_at) from sboms where workspace_id = $3 and parsing_state = 'Succeeded') as
  newest_sbom_at;

-- server/src/features/vulnerabilities/store.ts countVulnerabilities: the shortest and the longest of many variants
--   335b02d8 3a0b185c 7a7ad639 7f1a5a0c a2165665 ad76c7d7 b0277dac badc9092 d0e24fcb db983438
--   e8e92ce9 f472b060 f83b0148
with chosen as materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at
  from (
    select counted.vulnerability_id, counted.finding_count, counted.detected_at,
      vulnerability.severity, vulnerability.primary_score as score
    from workspace_vulnerabilities as counted
    join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
    and (
      match.severity = any($2::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $3
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $4
    )
)
select (select count(*)::int from (select from chosen as page limit 10001) as counted) as total;

with chosen as materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at
  from (
    select counted.vulnerability_id, counted.finding_count, counted.detected_at,
      vulnerability.severity, vulnerability.primary_score as score
    from workspace_vulnerabilities as counted
    join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
    and (
      match.severity = any($2::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $3
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $4
    )
    and match.vulnerability_id in (
      select id
      from vulnerabilities
      where is_known_exploit
      union select cve_id
      from eu_exploited_entries
    )
)
select (
  select count(*)::int
  from (
    select
    from chosen as page
    cross join lateral (
      select
      where case
        when (
          select coalesce(
            bool_or(
              (
                not decision.ignored and decision.assessment <> all($5::text[])
                  and ('High' <> 'Low' or decision.assessment = any($6::text[]))
              )
            ), false
          )
            or (
              (
                not false and 'NotAssessed' <> all($7::text[])
                  and ('High' <> 'Low' or 'NotAssessed' = any($8::text[]))
              ) and page.finding_count > coalesce(sum(decision.finding_count), 0)
            )
          from workspace_decisions as decision
          where decision.workspace_id = $9 and decision.vulnerability_id = page.vulnerability_id
            and decision.finding_count > 0
        ) then (
          select true
          from workspace_matches as kept
          join workspace_packages as fact on fact.workspace_id = $10
            and fact.package_id = kept.package_id
          cross join lateral (
            select *
            from package_matches as one
            where one.package_id = kept.package_id and one.vulnerability_id = kept.vulnerability_id
              and one.until is null
            limit 1
          ) as match
          where kept.workspace_id = $11 and kept.vulnerability_id = page.vulnerability_id
            and (match.since <= $12 and (match.until is null or match.until > $13)) is true
            and (
              match.severity = any($14::text[])
                and array_position(
                  '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
                ) >= $15
                and array_position(
                  '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
                ) <= $16
            )
            and match.vulnerability_id in (
              select id
              from vulnerabilities
              where is_known_exploit
              union select cve_id
              from eu_exploited_entries
            )
            and (
              select coalesce(
                bool_or(
                  (
                    not decision.ignored and decision.assessment <> all($17::text[])
                      and (match.confidence <> 'Low' or decision.assessment = any($18::text[]))
                  )
                ), false
              )
                or (
                  (
                    not false and 'NotAssessed' <> all($19::text[])
                      and (match.confidence <> 'Low' or 'NotAssessed' = any($20::text[]))
                  ) and fact.version_count > coalesce(sum(decision.finding_count), 0)
                )
              from workspace_decisions as decision
              where decision.workspace_id = $21
                and decision.vulnerability_id = match.vulnerability_id
                and decision.package_id = match.package_id and decision.finding_count > 0
            )
          limit 1
        ) is true else false end
    ) as probed
    limit 10001
  ) as counted
) as total;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities
with asked as materialized (select * from unnest($1::text[]) as asked (vulnerability_id)),
  match as materialized (
    select kept.vulnerability_id, kept.package_id, kept.detected_at, match.confidence,
      held.version_count
    from asked
    join workspace_matches as kept on kept.workspace_id = $2
      and kept.vulnerability_id = asked.vulnerability_id
    join workspace_packages as held on held.workspace_id = $3 and held.package_id = kept.package_id
    cross join lateral (
      select one.confidence
      from package_matches as one
      where one.package_id = kept.package_id and one.vulnerability_id = kept.vulnerability_id
        and one.until is null
      limit 1
    ) as match
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment,
      sum(decision.finding_count)::int as count,
      sum(
        decision.finding_count * (
          (
            not decision.ignored and decision.assessment <> all($4::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($5::text[]))
          )::int - (match.confidence <> 'Low')::int
        )
      )::int as active
    from match
    join workspace_decisions as decision on decision.workspace_id = $6
      and decision.vulnerability_id = match.vulnerability_id
      and decision.package_id = match.package_id
    where decision.finding_count > 0
    group by decision.vulnerability_id, decision.assessment
  ),
  counted as (
    select vulnerability_id, sum(version_count)::int as findings,
      coalesce(sum(version_count) filter (where confidence <> 'Low'), 0)::int as active,
      min(detected_at) as detected_at, array_agg(package_id) as package_ids
    from match
    group by vulnerability_id
  )
select vulnerability.id as cve_id, vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = vulnerability.id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = vulnerability.id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, counted.detected_at,
  counted.findings as finding_count,
  counted.active + coalesce(decided.active, 0) as active_finding_count,
  coalesce(decided.assessments, '[]') as assessments, counted.package_ids
from counted
join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
left join epss_scores as epss on epss.cve_id = counted.vulnerability_id
left join (
  select vulnerability_id, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from decided
  group by vulnerability_id
) as decided on decided.vulnerability_id = counted.vulnerability_id;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities
with asked as materialized (select * from unnest($1::text[]) as asked (vulnerability_id)),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.confidence
    from asked
    join package_matches as match on match.vulnerability_id = asked.vulnerability_id
      and (match.since <= $2 and (match.until is null or match.until > $3)) is true
    join workspace_packages as owned on owned.workspace_id = $4
      and owned.package_id = match.package_id
  ),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $5 and (fact.until is null or fact.until > $6)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $7
    group by fact.package_id
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($8::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($9::text[])
            )
        )::int - (match.confidence <> 'Low')::int
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $10
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
    where true
    group by decision.vulnerability_id, decision.assessment
  ),
  counted as (
    select match.vulnerability_id, sum(held.version_count)::int as findings,
      coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
      min(
        (
          case when first_seen.since <= held.held_since
            and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
            when first_seen.until is null
            and first_seen.since >= held.open_since then first_seen.since
            else (
              select min(greatest(fact.since, seen.since))
              from firmware_version_packages as fact
              join package_matches as seen on seen.package_id = fact.package_id
              where fact.workspace_id = $13::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id and held.version_count > 0
    cross join lateral (
      select seen.since, seen.until
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since
      limit 1
    ) as first_seen
    group by match.vulnerability_id
  )
select vulnerability.id as cve_id, vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = vulnerability.id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = vulnerability.id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, counted.detected_at,
  counted.findings as finding_count,
  counted.active + coalesce(decided.active, 0) as active_finding_count,
  coalesce(decided.assessments, '[]') as assessments, counted.package_ids
from counted
join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
left join epss_scores as epss on epss.cve_id = counted.vulnerability_id
left join (
  select vulnerability_id, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from decided
  group by vulnerability_id
) as decided on decided.vulnerability_id = counted.vulnerability_id;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities
with asked as materialized (select * from unnest($1::text[]) as asked (vulnerability_id)),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.confidence
    from asked
    join package_matches as match on match.vulnerability_id = asked.vulnerability_id
      and (match.since <= $2 and (match.until is null or match.until > $3)) is true
    join workspace_packages as owned on owned.workspace_id = $4
      and owned.package_id = match.package_id
  ),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $5 and (fact.until is null or fact.until > $6)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $7 and fact.firmware_version_id = any($8::uuid[])
    group by fact.package_id
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($9::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($10::text[])
            )
        )::int - (match.confidence <> 'Low')::int
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $11
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $12 and (fact.until is null or fact.until > $13)) is true
    where true and fact.firmware_version_id = any($14::uuid[])
    group by decision.vulnerability_id, decision.assessment
  ),
  counted as (
    select match.vulnerability_id, sum(held.version_count)::int as findings,
      coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
      min(
        (
          case when first_seen.since <= held.held_since
            and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
            when first_seen.until is null
            and first_seen.since >= held.open_since then first_seen.since
            else (
              select min(greatest(fact.since, seen.since))
              from firmware_version_packages as fact
              join package_matches as seen on seen.package_id = fact.package_id
              where fact.workspace_id = $15::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id = any($16::uuid[])
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id and held.version_count > 0
    cross join lateral (
      select seen.since, seen.until
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since
      limit 1
    ) as first_seen
    group by match.vulnerability_id
  )
select vulnerability.id as cve_id, vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = vulnerability.id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = vulnerability.id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, counted.detected_at,
  counted.findings as finding_count,
  counted.active + coalesce(decided.active, 0) as active_finding_count,
  coalesce(decided.assessments, '[]') as assessments, counted.package_ids
from counted
join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
left join epss_scores as epss on epss.cve_id = counted.vulnerability_id
left join (
  select vulnerability_id, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from decided
  group by vulnerability_id
) as decided on decided.vulnerability_id = counted.vulnerability_id;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities
with asked as materialized (select * from unnest($1::text[]) as asked (vulnerability_id)),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.confidence
    from asked
    join package_matches as match on match.vulnerability_id = asked.vulnerability_id
      and (match.since <= $2 and (match.until is null or match.until > $3)) is true
    join workspace_packages as owned on owned.workspace_id = $4
      and owned.package_id = match.package_id
  ),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $5 and (fact.until is null or fact.until > $6)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $7
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $8 and version.firmware_id = any($9::uuid[])
      )
    group by fact.package_id
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($10::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($11::text[])
            )
        )::int - (match.confidence <> 'Low')::int
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $12
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $13 and (fact.until is null or fact.until > $14)) is true
    where true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $15 and version.firmware_id = any($16::uuid[])
      )
    group by decision.vulnerability_id, decision.assessment
  ),
  counted as (
    select match.vulnerability_id, sum(held.version_count)::int as findings,
      coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
      min(
        (
          case when first_seen.since <= held.held_since
            and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
            when first_seen.until is null
            and first_seen.since >= held.open_since then first_seen.since
            else (
              select min(greatest(fact.since, seen.since))
              from firmware_version_packages as fact
              join package_matches as seen on seen.package_id = fact.package_id
              where fact.workspace_id = $17::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id in (
                  select version.id
                  from firmware_versions as version
                  where version.workspace_id = $18 and version.firmware_id = any($19::uuid[])
                )
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id and held.version_count > 0
    cross join lateral (
      select seen.since, seen.until
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since
      limit 1
    ) as first_seen
    group by match.vulnerability_id
  )
select vulnerability.id as cve_id, vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = vulnerability.id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = vulnerability.id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, counted.detected_at,
  counted.findings as finding_count,
  counted.active + coalesce(decided.active, 0) as active_finding_count,
  coalesce(decided.assessments, '[]') as assessments, counted.package_ids
from counted
join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
left join epss_scores as epss on epss.cve_id = counted.vulnerability_id
left join (
  select vulnerability_id, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from decided
  group by vulnerability_id
) as decided on decided.vulnerability_id = counted.vulnerability_id;

-- server/src/features/vulnerabilities/store.ts listVulnerabilities: the shortest and the longest of many variants
--   02a6b4a9 0589dea0 059acdee 05cb711c 08983cd9 09ef2c43 0a67965d 0b624ef6 0ffe6ee7 1073a45f
--   130710ad 15682a21 15912b3a 167a88b5 1949c7aa 1a0031d8 1f0e9761 1f895038 255d733e 25afa906
--   2a51f4b4 2aab3985 33896618 364e2d48 368de00a 37fb1e76 38629fc8 3aa5cb3c 3bcce0c7 3c40ff12
--   3c57c71d 3dce7208 3f1f32b4 44155db5 462946fb 495fd492 497044aa 4e3db759 4f907d93 50680575
--   527724e2 54cc6c07 552dfd4f 55c2c876 56037bf1 57540d7d 59837ff5 5ba6a6e4 5d4452b1 5d8e4605
--   5ddf0a46 5e962d8d 618cc595 6686842a 6b73bb75 6be743e0 6ef3f86b 700ddf95 72b3629b 76eec5ff
--   7b4f6c92 7b7f967c 7e12bbb7 7f61108a 81371141 852f3bd8 87e5b966 8bc50cc6 8d051b2c 8ecb477f
--   9626b754 9989841f 9bf11d8a a3567dd1 a357dd60 a3604c58 a4b703f8 a8a2c6bd adcfc9f3 b8f020d0
--   ba39a140 baa48028 bbd6dfa1 c777a2d5 cd2d39f8 ce06cd86 d0828322 d24d1ecf d717722a d8df743e
--   d9303c5d da0e03dd dc0e1458 e06c239e e07da11d e4f9c2d3 e6373cab e916a1d8 ea52cea9 f1d808bd
--   f46212de f7e371ab fafd2d1b fdc02d1b fe489cd3
with chosen as materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at
  from (
    select counted.vulnerability_id, counted.finding_count, counted.detected_at
    from workspace_vulnerabilities as counted
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
)
select page.vulnerability_id as cve_id, rated.severity, rated.primary_score as cvss_score,
  json_build_array(sort_0) as sort_values, 0 as total
from (
  select page.*
  from (
    select match.vulnerability_id, match.vulnerability_id as sort_0
    from (select * from chosen) as match
    where true and (match.vulnerability_id) > ($2::text collate "C")
    order by match.vulnerability_id asc
    limit $3
  ) as page
  order by sort_0 asc
  limit $4
) as page
cross join lateral (
  select * from vulnerabilities as known where known.id = page.vulnerability_id limit 1
) as rated
order by sort_0 asc;

with chosen as materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at
  from (
    select counted.vulnerability_id, counted.finding_count, counted.detected_at,
      vulnerability.severity, vulnerability.primary_score as score
    from workspace_vulnerabilities as counted
    join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
    and (
      match.severity = any($2::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $3
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $4
    )
    and match.vulnerability_id in (
      select id
      from vulnerabilities
      where is_known_exploit
      union select cve_id
      from eu_exploited_entries
    )
)
select page.vulnerability_id as cve_id, rated.severity, rated.primary_score as cvss_score,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4, sort_5) as sort_values,
  (
    select count(*)::int
    from (
      select
      from chosen as page
      cross join lateral (
        select
        where case
          when (
            select coalesce(
              bool_or(
                (
                  not decision.ignored and decision.assessment <> all($5::text[])
                    and ('High' <> 'Low' or decision.assessment = any($6::text[]))
                )
              ), false
            )
              or (
                (
                  not false and 'NotAssessed' <> all($7::text[])
                    and ('High' <> 'Low' or 'NotAssessed' = any($8::text[]))
                ) and page.finding_count > coalesce(sum(decision.finding_count), 0)
              )
            from workspace_decisions as decision
            where decision.workspace_id = $9 and decision.vulnerability_id = page.vulnerability_id
              and decision.finding_count > 0
          ) then (
            select true
            from workspace_matches as kept
            join workspace_packages as fact on fact.workspace_id = $10
              and fact.package_id = kept.package_id
            cross join lateral (
              select *
              from package_matches as one
              where one.package_id = kept.package_id
                and one.vulnerability_id = kept.vulnerability_id and one.until is null
              limit 1
            ) as match
            where kept.workspace_id = $11 and kept.vulnerability_id = page.vulnerability_id
              and (match.since <= $12 and (match.until is null or match.until > $13)) is true
              and (
                match.severity = any($14::text[])
                  and array_position(
                    '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
                  ) >= $15
                  and array_position(
                    '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
                  ) <= $16
              )
              and match.vulnerability_id in (
                select id
                from vulnerabilities
                where is_known_exploit
                union select cve_id
                from eu_exploited_entries
              )
              and (
                select coalesce(
                  bool_or(
                    (
                      not decision.ignored and decision.assessment <> all($17::text[])
                        and (match.confidence <> 'Low' or decision.assessment = any($18::text[]))
                    )
                  ), false
                )
                  or (
                    (
                      not false and 'NotAssessed' <> all($19::text[])
                        and (match.confidence <> 'Low' or 'NotAssessed' = any($20::text[]))
                    ) and fact.version_count > coalesce(sum(decision.finding_count), 0)
                  )
                from workspace_decisions as decision
                where decision.workspace_id = $21
                  and decision.vulnerability_id = match.vulnerability_id
                  and decision.package_id = match.package_id and decision.finding_count > 0
              )
            limit 1
          ) is true else false end
      ) as probed
      limit 10001
    ) as counted
  ) as total
from (
  select page.*
  from (
    select match.vulnerability_id, match.finding_count,
      (
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
      )::integer as sort_0, coalesce(running.magnitude, 0) as sort_1,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as sort_2,
      coalesce(epss.score, '-1'::real) as sort_3, coalesce(match.score, '-1'::real) as sort_4,
      match.vulnerability_id as sort_5
    from (
      select chosen.*, vulnerability.name, vulnerability.severity,
        vulnerability.primary_score as score, vulnerability.is_known_exploit
      from chosen
      join vulnerabilities as vulnerability on vulnerability.id = chosen.vulnerability_id
    ) as match
    left join epss_scores as epss on epss.cve_id = match.vulnerability_id
    left join (
      select match.vulnerability_id, max(running.magnitude) as magnitude
      from unnest($22::uuid[], $23::int[]) as running (package_id, magnitude)
      join package_matches as match on match.package_id = running.package_id
        and (match.since <= $24 and (match.until is null or match.until > $25)) is true
      group by match.vulnerability_id
    ) as running on running.vulnerability_id = match.vulnerability_id
    where true
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
    )::integer desc, coalesce(running.magnitude, 0) desc,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
      coalesce(epss.score, '-1'::real) desc, coalesce(match.score, '-1'::real) desc,
      match.vulnerability_id desc
    offset 0
  ) as page
  cross join lateral (
    select
    where case
      when (
        select coalesce(
          bool_or(
            (
              not decision.ignored and decision.assessment <> all($26::text[])
                and ('High' <> 'Low' or decision.assessment = any($27::text[]))
            )
          ), false
        )
          or (
            (
              not false and 'NotAssessed' <> all($28::text[])
                and ('High' <> 'Low' or 'NotAssessed' = any($29::text[]))
            ) and page.finding_count > coalesce(sum(decision.finding_count), 0)
          )
        from workspace_decisions as decision
        where decision.workspace_id = $30 and decision.vulnerability_id = page.vulnerability_id
          and decision.finding_count > 0
      ) then (
        select true
        from workspace_matches as kept
        join workspace_packages as fact on fact.workspace_id = $31
          and fact.package_id = kept.package_id
        cross join lateral (
          select *
          from package_matches as one
          where one.package_id = kept.package_id and one.vulnerability_id = kept.vulnerability_id
            and one.until is null
          limit 1
        ) as match
        where kept.workspace_id = $32 and kept.vulnerability_id = page.vulnerability_id
          and (match.since <= $33 and (match.until is null or match.until > $34)) is true
          and (
            match.severity = any($35::text[])
              and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)
              >= $36
              and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)
              <= $37
          )
          and match.vulnerability_id in (
            select id
            from vulnerabilities
            where is_known_exploit
            union select cve_id
            from eu_exploited_entries
          )
          and (
            select coalesce(
              bool_or(
                (
                  not decision.ignored and decision.assessment <> all($38::text[])
                    and (match.confidence <> 'Low' or decision.assessment = any($39::text[]))
                )
              ), false
            )
              or (
                (
                  not false and 'NotAssessed' <> all($40::text[])
                    and (match.confidence <> 'Low' or 'NotAssessed' = any($41::text[]))
                ) and fact.version_count > coalesce(sum(decision.finding_count), 0)
              )
            from workspace_decisions as decision
            where decision.workspace_id = $42 and decision.vulnerability_id = match.vulnerability_id
              and decision.package_id = match.package_id and decision.finding_count > 0
          )
        limit 1
      ) is true else false end
  ) as probed
  order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc
  limit $43
) as page
cross join lateral (
  select * from vulnerabilities as known where known.id = page.vulnerability_id limit 1
) as rated
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc;

-- server/src/features/vulnerabilities/store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id
    and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;

-- server/src/features/vulnerabilities/store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id
    and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    and fact.firmware_version_id = any($5::uuid[])
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;

-- server/src/features/vulnerabilities/store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id
    and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    and fact.firmware_version_id in (
      select version.id
      from firmware_versions as version
      where version.workspace_id = $5 and version.firmware_id = any($6::uuid[])
    )
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;
