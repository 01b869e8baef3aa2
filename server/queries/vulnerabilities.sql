-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vulnerabilities/components/store.ts countComponents
with all_groups as (
  select distinct component_name
  from (
    select match.*
    from workspace_component_vulnerabilities as match
    where match.workspace_id = $1 and match.states & $2::bigint <> 0
  ) as rated
)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts countComponents
with all_groups as (
  select distinct component_name
  from (
    select match.*
    from workspace_component_vulnerabilities as match
    where match.workspace_id = $1 and match.states & $2::bigint <> 0 and match.is_exploited = $3
  ) as rated
)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts countComponents
with fact as materialized (
  select package_id, component_name, component_version, version_count, held_since, open_since
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0
), held as (select * from fact),
  rated as materialized (
    select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
      severity_rank,
      match.vulnerability_id in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      ) as is_exploited, kept.detected_at as detected_at
    from fact
    cross join lateral (
      select * from package_matches as each where each.package_id = fact.package_id offset 0
    ) as match
    join workspace_matches as kept on kept.workspace_id = $2
      and kept.vulnerability_id = match.vulnerability_id and kept.package_id = match.package_id
    where (match.since <= $3 and (match.until is null or match.until > $4)) is true
      and (match.package_id, match.vulnerability_id) in (
        select package_id, vulnerability_id
        from finding_decisions
        where workspace_id = $5 and recheck_reason is not null
      )
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $6 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $7
          and fact.package_id = match.package_id
          and (fact.since <= $8 and (fact.until is null or fact.until > $9)) is true
          and (decision.recheck_reason is not null) = $10
      )
  ), all_groups as (select distinct component_name from rated)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts listComponents: the shortest and the longest of many variants
--   006613b3 01b73de8 0a3b1735 0d3297de 1385cbb6 179387bb 1e7647a2 1eae7aa6 1f3f772b 238df585
--   2390311f 288bac49 29050ad9 2ce3541d 2de5e073 2f7493ae 340d0065 3481b059 34ecc860 3750e404
--   38c7e68e 3a4f8fcd 3f54ca4b 43ca7513 442ef9b6 44427b6d 44d1b179 49cb4e0d 4b13930c 544d5976
--   56212668 58bae85f 58dd93d4 5cbd0e89 5ebf8581 633d940d 685ffd92 6abac694 700a5239 73bbb7dd
--   744142b0 756d89f2 775265ef 77ce5555 788d299f 78b26f55 80770587 809d372a 84012193 84235c85
--   85bbdc1f 86215e45 89a2f52c 8a7a66dd 934649bc 946d3834 994d1939 9b90aa97 9c6ed509 a356e09f
--   a7c12e15 ab0445ac ad972ffb b0dc708c b143947d b412ad25 b6e918d8 b902b0a9 b9598a80 bc793c0d
--   bcbabf2f c53b0bee c6760e45 cac89fb9 cc76ea18 cd2ef2eb cd9f8079 d67d4eb0 d73488ca d7bfe5ff
--   d85bd9bf deab0c4c df5eee30 e8ac3845 e8dbe327 e9e2cb87 ea8169d2 ea9fa466 eac4078b f0ef5478
--   f2e57152 f6763e1f fb8a1a38 fe42d7db fe6fcc1e
with all_groups as materialized (
  select rated.component_name as name, max(rated.severity_rank)::integer as severity_rank,
    bool_or(rated.is_exploited) as is_exploited, max(rated.last_detected_at) as detected_at,
    count(*)::integer as vulnerability_count, max(epss.score) as epss_score
  from (
    select match.* from workspace_component_vulnerabilities as match where match.workspace_id = $1
  ) as rated
  left join epss_scores as epss on epss.cve_id = rated.vulnerability_id
  group by rated.component_name
),
  run as (
    select component_name, max(device_magnitude)::integer as magnitude
    from workspace_packages
    where workspace_id = $2 and version_count > 0
    group by component_name
  ),
  weighed as not materialized (
    select all_groups.*, coalesce(run.magnitude, 0) as magnitude
    from all_groups
    left join run on run.component_name = all_groups.name
  ), grouped as not materialized (select * from weighed),
  page as materialized (
    select grouped.*, coalesce(grouped.epss_score, '-1'::real) as sort_0,
      grouped.name collate "C" as sort_1
    from grouped
    where true
    order by coalesce(grouped.epss_score, '-1'::real) asc, grouped.name collate "C" asc
    limit $3
  )
select name, versions[1:5] as versions, package_ids, severity_rank, is_exploited,
  page.epss_score as epss_score, vulnerability_count, detected_at,
  json_build_array(sort_0, sort_1) as sort_values,
  (select count(*)::int from (select from all_groups limit 10001) as counted) as total
from page
join (
  select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
    coalesce(
      array_agg(distinct held.component_version) filter (where held.component_version is not null),
        '{}'
    ) as versions
  from (
    select page.name, owned.package_id, owned.component_version
    from page
    join workspace_packages as owned on owned.workspace_id = $4 and owned.component_name = page.name
      and owned.version_count > 0
    offset 0
  ) as held
  where exists (
    select
    from workspace_matches as match
    where match.workspace_id = $5 and match.package_id = held.package_id
    offset 0
  )
  group by held.name
) as described using (name)
order by sort_0 asc, sort_1 asc;

with fact as materialized (
  select owned.package_id, newest.component_name, newest.component_version
  from workspace_packages as owned
  cross join lateral (
    select fact.component_name, fact.component_version
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.package_id = owned.package_id
      and (fact.since <= $2 and (fact.until is null or fact.until > $3)) is true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $4 and version.firmware_id = any($5::uuid[])
      )
    order by fact.firmware_version_id desc
    limit 1
  ) as newest
  where owned.workspace_id = $6
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $7
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $8 and version.firmware_id = any($9::uuid[])
        )
    )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (
        where (fact.since <= $10 and (fact.until is null or fact.until > $11)) is true
      )::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from firmware_version_packages as fact
    where fact.workspace_id = $12
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $13 and version.firmware_id = any($14::uuid[])
      )
    group by fact.package_id
  ),
  ended as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where until is not null and until > since and package_id in (select package_id from fact)
    order by package_id, vulnerability_id, since
  ),
  rated as materialized (
    select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
      severity_rank,
      match.vulnerability_id in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      ) as is_exploited,
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
              and fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $16 and version.firmware_id = any($17::uuid[])
              )
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at
    from fact
    cross join lateral (
      select * from package_matches as each where each.package_id = fact.package_id offset 0
    ) as match
    left join (
      select counted.vulnerability_id
      from workspace_vulnerabilities as counted
      cross join lateral (
        select known.name
        from vulnerabilities as known
        where known.id = counted.vulnerability_id
        offset 0
      ) as known
      where counted.workspace_id = $18 and lower(known.name) collate "C" like any($19::text[])
      union select known.vulnerability_id
      from workspace_vulnerabilities as counted
      join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
      where counted.workspace_id = $20 and lower(known.alias) collate "C" like any($21::text[])
    ) as named on named.vulnerability_id = match.vulnerability_id
    left join (
      select distinct known.package_id
      from workspace_packages as held
      join package_keys as known on known.package_id = held.package_id
      where held.workspace_id = $22
        and substring(known.key from '[^:/]*$') collate "C" like any($23::text[])
    ) as keyed on keyed.package_id = match.package_id
    join held on held.package_id = match.package_id
    left join ended on ended.package_id = match.package_id
      and ended.vulnerability_id = match.vulnerability_id
    cross join lateral (
      select coalesce(ended.since, match.since) as since,
        coalesce(ended.until, match.until) as until
    ) as first_seen
    where (match.since <= $24 and (match.until is null or match.until > $25)) is true
      and match.confidence = any($26::text[])
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($27::text[])
      ) and match.package_id = any($28::uuid[])
      and match.vulnerability_id not in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      )
      and (
        named.vulnerability_id is not null or keyed.package_id is not null
          or lower(fact.component_name) collate "C" like any($29::text[])
      )
      and exists (
        select
        from workspace_matches as late
        where late.workspace_id = $30 and late.vulnerability_id = match.vulnerability_id
          and late.package_id = match.package_id and late.detected_at < case match.severity
          when $31 then $32::timestamptz when $33 then $34::timestamptz
          when $35 then $36::timestamptz when $37 then $38::timestamptz end
      ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $39
      and (match.package_id, match.vulnerability_id) in (
        select package_id, vulnerability_id
        from finding_decisions
        where workspace_id = $40 and recheck_reason is not null
      )
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $41 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $42
          and fact.package_id = match.package_id
          and (fact.since <= $43 and (fact.until is null or fact.until > $44)) is true
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $45 and version.firmware_id = any($46::uuid[])
          )
          and (
            not decision.ignored and decision.assessment <> all($47::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($48::text[]))
          ) and decision.assessment = any($49::text[]) and decision.ignored = $50
          and (decision.recheck_reason is not null) = $51
          and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $52
      )
      and (
        case when first_seen.since <= held.held_since
          and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
          when first_seen.until is null
          and first_seen.since >= held.open_since then first_seen.since
          else (
            select min(greatest(fact.since, seen.since))
            from firmware_version_packages as fact
            join package_matches as seen on seen.package_id = fact.package_id
            where fact.workspace_id = $53::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $54 and version.firmware_id = any($55::uuid[])
              )
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) >= $56::timestamptz
  ),
  all_groups as materialized (
    select rated.component_name as name, max(rated.severity_rank) as severity_rank,
      bool_or(rated.is_exploited) as is_exploited, max(rated.detected_at) as detected_at,
      max(epss.score) as epss_score, coalesce(max(running.magnitude), 0) as magnitude,
      count(distinct rated.vulnerability_id)::int as vulnerability_count,
      array_agg(distinct rated.package_id) as package_ids,
      coalesce(
        array_agg(distinct rated.component_version) filter (
          where rated.component_version is not null
        ), '{}'
      ) as versions
    from rated
    left join epss_scores as epss on epss.cve_id = rated.vulnerability_id
    left join unnest($57::uuid[], $58::int[]) as running (package_id, magnitude) on running.package_id
      = rated.package_id
    group by rated.component_name
  ), grouped as (select * from all_groups),
  page as materialized (
    select grouped.*, grouped.name collate "C" as sort_0
    from grouped
    where true
    order by grouped.name collate "C" desc
    limit $59
  )
select name, versions[1:5] as versions, package_ids, severity_rank, is_exploited,
  page.epss_score as epss_score, vulnerability_count, detected_at,
  json_build_array(sort_0) as sort_values,
  (select count(*)::int from (select from all_groups limit 10001) as counted) as total
from page
order by sort_0 desc;

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
        where true
      )
  ) as affected_device_count,
  (
    select coalesce(sum(sets.devices), 0)::int
    from firmware_set_device_counts as sets
    where sets.workspace_id = $7
      and exists (
        select
        from unnest(sets.firmware_version_ids) as running (id)
        join found using (id)
        where found.active > 0
      )
  ) as active_device_count
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
          'source', advisory.source, 'id', advisory.id, 'record', stored.record, 'isWithdrawn',
            advisory.withdrawn_at is not null
        )
        order by advisory.source, advisory.id
      ), '[]'
    )
    from advisory_vulnerabilities as link
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
    join advisory_records as stored on stored.source = link.source
      and stored.advisory_id = link.advisory_id
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
--   0d709c34 49b6584b 59b7ea46 5a00cb52 5dd0d97b 60cef051 67c47de1 8da12f70 97980b35 988a8d5c
--   9f4172f8 a384d0b7 ae8b83e3 c8ec41a1 e79d7354 f4330cec f512dc70
with chosen as not materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at, match.severity,
    match.score, match.is_exploited, match.device_magnitude
  from workspace_vulnerabilities as match
  where match.workspace_id = $1 and match.finding_count > 0 and match.states & $2::bigint <> 0
)
select (select count(*)::int from (select from chosen as page limit 10001) as counted) as total;

with fact as materialized (
  select owned.package_id, newest.component_name, newest.component_version
  from workspace_packages as owned
  cross join lateral (
    select fact.component_name, fact.component_version
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.package_id = owned.package_id
      and (fact.since <= $2 and (fact.until is null or fact.until > $3)) is true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $4 and version.firmware_id = any($5::uuid[])
      ) and fact.firmware_version_id = any($6::uuid[])
    order by fact.firmware_version_id desc
    limit 1
  ) as newest
  where owned.workspace_id = $7
    and (
      owned.package_id in (
        select member.package_id
        from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = $8 and sbom.parsing_state = 'Succeeded'
          and member.package_id is not null and member.package_name collate "C" = $9
          and member.version = $10
      )
        or owned.package_id in (
          select member.package_id
          from sbom_components as member
          join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
          where member.workspace_id = $11 and sbom.parsing_state = 'Succeeded'
            and member.package_id is not null and member.vendor = $12
            and member.package_name collate "C" = $13 and member.version = $14
        )
        or owned.package_id in (
          select member.package_id
          from sbom_components as member
          join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
          where member.workspace_id = $15 and sbom.parsing_state = 'Succeeded'
            and member.package_id is not null and member.vendor = $16 and member.version = $17
        )
    )
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $18
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $19 and version.firmware_id = any($20::uuid[])
        ) and fact.firmware_version_id = any($21::uuid[])
    )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (
        where (fact.since <= $22 and (fact.until is null or fact.until > $23)) is true
      )::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from firmware_version_packages as fact
    where fact.workspace_id = $24
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $25 and version.firmware_id = any($26::uuid[])
      ) and fact.firmware_version_id = any($27::uuid[])
    group by fact.package_id
  ),
  ended as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where until is not null and until > since and package_id in (select package_id from fact)
    order by package_id, vulnerability_id, since
  ),
  chosen as materialized (
    select match.vulnerability_id, min(match.severity) as severity, min(match.score) as score,
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
              where fact.workspace_id = $28::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id in (
                  select version.id
                  from firmware_versions as version
                  where version.workspace_id = $29 and version.firmware_id = any($30::uuid[])
                ) and fact.firmware_version_id = any($31::uuid[])
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at
    from fact
    cross join lateral (
      select * from package_matches as each where each.package_id = fact.package_id offset 0
    ) as match
    left join (
      select counted.vulnerability_id
      from workspace_vulnerabilities as counted
      cross join lateral (
        select known.name
        from vulnerabilities as known
        where known.id = counted.vulnerability_id
        offset 0
      ) as known
      where counted.workspace_id = $32 and lower(known.name) collate "C" like any($33::text[])
      union select known.vulnerability_id
      from workspace_vulnerabilities as counted
      join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
      where counted.workspace_id = $34 and lower(known.alias) collate "C" like any($35::text[])
    ) as named on named.vulnerability_id = match.vulnerability_id
    left join (
      select distinct known.package_id
      from workspace_packages as held
      join package_keys as known on known.package_id = held.package_id
      where held.workspace_id = $36
        and substring(known.key from '[^:/]*$') collate "C" like any($37::text[])
    ) as keyed on keyed.package_id = match.package_id
    join held on held.package_id = match.package_id
    left join ended on ended.package_id = match.package_id
      and ended.vulnerability_id = match.vulnerability_id
    cross join lateral (
      select coalesce(ended.since, match.since) as since,
        coalesce(ended.until, match.until) as until
    ) as first_seen
    where (match.since <= $38 and (match.until is null or match.until > $39)) is true
      and (
        match.severity = any($40::text[])
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >=
          $41
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <=
          $42
      ) and match.confidence = any($43::text[])
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($44::text[])
      ) and match.package_id = any($45::uuid[])
      and match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)
      and match.vulnerability_id in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      )
      and (
        named.vulnerability_id is not null or keyed.package_id is not null
          or lower(fact.component_name) collate "C" like any($46::text[])
      )
      and exists (
        select
        from workspace_matches as late
        where late.workspace_id = $47 and late.vulnerability_id = match.vulnerability_id
          and late.package_id = match.package_id and late.detected_at < case match.severity
          when $48 then $49::timestamptz when $50 then $51::timestamptz
          when $52 then $53::timestamptz when $54 then $55::timestamptz end
      ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $56
      and (match.package_id, match.vulnerability_id) in (
        select package_id, vulnerability_id
        from finding_decisions
        where workspace_id = $57 and recheck_reason is not null
      )
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $58 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $59
          and fact.package_id = match.package_id
          and (fact.since <= $60 and (fact.until is null or fact.until > $61)) is true
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $62 and version.firmware_id = any($63::uuid[])
          ) and fact.firmware_version_id = any($64::uuid[])
          and fact.firmware_version_id in (
            select unnest(counts.firmware_version_ids)
            from firmware_set_device_counts as counts
            where counts.workspace_id = $65
          )
          and (
            not decision.ignored and decision.assessment <> all($66::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($67::text[]))
          ) and decision.assessment = any($68::text[]) and decision.ignored = $69
          and (decision.recheck_reason is not null) = $70
          and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $71
          and decision.previous_decision ->> 'assessment' = any($72::text[])
      )
    group by match.vulnerability_id
    having min(
      (
        case when first_seen.since <= held.held_since
          and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
          when first_seen.until is null
          and first_seen.since >= held.open_since then first_seen.since
          else (
            select min(greatest(fact.since, seen.since))
            from firmware_version_packages as fact
            join package_matches as seen on seen.package_id = fact.package_id
            where fact.workspace_id = $73::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $74 and version.firmware_id = any($75::uuid[])
              ) and fact.firmware_version_id = any($76::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      )
    ) >= $77::timestamptz
  )
select (select count(*)::int from (select from chosen as page limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities
with asked as materialized (select * from unnest($1::text[]) as asked (vulnerability_id)),
  match as materialized (
    select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states,
      held.version_count, case when kept.states & $2::bigint <> 0 then 'Low'
      else 'High' end as confidence
    from asked
    join workspace_matches as kept on kept.workspace_id = $3
      and kept.vulnerability_id = asked.vulnerability_id
    join workspace_packages as held on held.workspace_id = $4 and held.package_id = kept.package_id
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment,
      sum(decision.finding_count)::int as count,
      sum(
        decision.finding_count * (
          (
            not decision.ignored and decision.assessment <> all($5::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($6::text[]))
          )::int - (match.confidence <> 'Low')::int
        )
      )::int as active
    from match
    join workspace_decisions as decision on decision.workspace_id = $7
      and decision.vulnerability_id = match.vulnerability_id
      and decision.package_id = match.package_id
    where decision.finding_count > 0 and match.states & ~$8::bigint <> 0
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
--   01e53583 07d54475 082dabea 0999a1f7 0ae49f73 0bbb67cb 0ca1451c 0f6314a2 11975068 1a4b8b22
--   1cd36568 232b394f 25a07656 26726963 277ef71c 290337b4 35298f3a 36838abf 369b38b0 394f9434
--   39ac8911 39fe6dec 3a8e5697 3b2a2cce 3b550ebc 3c883ff0 3efdcf4a 3fa59112 4410e92f 44e15277
--   4560a86b 46aa1442 484febfa 49c75c86 4accae5d 4b8d5f44 54669e3c 54c97750 57ab265a 57f50567
--   58314be4 5d8307a4 642118e2 6ca9a839 6d015017 6ec14921 7084156b 733d6e09 741d95bb 75bd978b
--   790b1983 7a6fdd4d 7c025609 7cd95ff7 80eca5cc 81473669 850b50be 85496a9c 86e3f4ed 8abfd661
--   8cf3c115 8e06d3f7 8eea7713 9035db5c 94b44634 9730e6c4 9945e360 9cc8518d a0b1e533 a617e513
--   a688344d b1c9619d b264f10d b398810d b5368562 b6fd9475 bc5aefb9 bc64b786 bcbec206 bce78bc7
--   c0d8a587 c558ab7f c8bed466 ca8182a5 cb350855 cb5ede88 cbdb922b cc973e9a cce47ffe cee50670
--   d45a0093 d9e4ac15 dbbbc2ac df07faf9 e0545b51 e12c81f6 e4bc3969 e5631dcb e567e8de e776316b
--   ed829103 f3ff0ea6 fae4c511 fb1e24e3
with chosen as not materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at, match.severity,
    match.score, match.is_exploited, match.device_magnitude
  from workspace_vulnerabilities as match
  where match.workspace_id = $1 and match.finding_count > 0
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

with fact as materialized (
  select owned.package_id, newest.component_name, newest.component_version
  from workspace_packages as owned
  cross join lateral (
    select fact.component_name, fact.component_version
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.package_id = owned.package_id
      and (fact.since <= $2 and (fact.until is null or fact.until > $3)) is true
      and fact.firmware_version_id = any($4::uuid[])
    order by fact.firmware_version_id desc
    limit 1
  ) as newest
  where owned.workspace_id = $5
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $6 and fact.firmware_version_id = any($7::uuid[])
    )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $8 and (fact.until is null or fact.until > $9)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from firmware_version_packages as fact
    where fact.workspace_id = $10 and fact.firmware_version_id = any($11::uuid[])
    group by fact.package_id
  ),
  ended as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where until is not null and until > since and package_id in (select package_id from fact)
    order by package_id, vulnerability_id, since
  ),
  chosen as materialized (
    select match.vulnerability_id, min(match.severity) as severity, min(match.score) as score,
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
              where fact.workspace_id = $12::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id = any($13::uuid[])
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at
    from package_matches as match
    join fact on fact.package_id = match.package_id
    join held on held.package_id = match.package_id
    left join ended on ended.package_id = match.package_id
      and ended.vulnerability_id = match.vulnerability_id
    cross join lateral (
      select coalesce(ended.since, match.since) as since,
        coalesce(ended.until, match.until) as until
    ) as first_seen
    where (match.since <= $14 and (match.until is null or match.until > $15)) is true
    group by match.vulnerability_id
  )
select page.vulnerability_id as cve_id, rated.severity, rated.primary_score as cvss_score,
  json_build_array(sort_0, sort_1) as sort_values,
  (
    select count(*)::int
    from (
      select
      from chosen as page
      cross join lateral (
        select
        from package_matches as match
        join firmware_version_packages as fact on fact.package_id = match.package_id
          and fact.workspace_id = $16
          and (fact.since <= $17 and (fact.until is null or fact.until > $18)) is true
          and fact.firmware_version_id = any($19::uuid[]) left join lateral (
            select *
            from finding_decisions as decision
            where decision.workspace_id = fact.workspace_id
              and decision.firmware_version_id = fact.firmware_version_id
              and decision.package_id = fact.package_id
              and decision.vulnerability_id = match.vulnerability_id
            limit 1
          ) as decision on true
        where match.vulnerability_id = page.vulnerability_id
          and (match.since <= $20 and (match.until is null or match.until > $21)) is true
          and (
            match.confidence <> 'Low'
              or exists (
                select
                from finding_decisions as decision
                where decision.workspace_id = $22 and decision.package_id = match.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                  and decision.assessment = any($23::text[])
              )
          )
          and fact.firmware_version_id in (
            select unnest(counts.firmware_version_ids)
            from firmware_set_device_counts as counts
            where counts.workspace_id = $24
          )
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') <> all($25::text[])
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') = any($26::text[])
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($27::text[])
        limit 1
      ) as probed
      limit 10001
    ) as counted
  ) as total
from (
  select page.*
  from (
    select match.vulnerability_id, match.detected_at as sort_0, match.vulnerability_id as sort_1
    from (select * from chosen) as match
    where true
    order by match.detected_at desc, match.vulnerability_id desc
    offset 0
  ) as page
  cross join lateral (
    select
    from package_matches as match
    join firmware_version_packages as fact on fact.package_id = match.package_id
      and fact.workspace_id = $28
      and (fact.since <= $29 and (fact.until is null or fact.until > $30)) is true
      and fact.firmware_version_id = any($31::uuid[]) left join lateral (
        select *
        from finding_decisions as decision
        where decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
    where match.vulnerability_id = page.vulnerability_id
      and (match.since <= $32 and (match.until is null or match.until > $33)) is true
      and (
        match.confidence <> 'Low'
          or exists (
            select
            from finding_decisions as decision
            where decision.workspace_id = $34 and decision.package_id = match.package_id
              and decision.vulnerability_id = match.vulnerability_id
              and decision.assessment = any($35::text[])
          )
      )
      and fact.firmware_version_id in (
        select unnest(counts.firmware_version_ids)
        from firmware_set_device_counts as counts
        where counts.workspace_id = $36
      )
      and (
        not coalesce(decision.ignored, false)
          and coalesce(decision.assessment, 'NotAssessed') <> all($37::text[])
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') = any($38::text[])
          )
      ) and coalesce(decision.assessment, 'NotAssessed') = any($39::text[])
    limit 1
  ) as probed
  order by sort_0 desc, sort_1 desc
  limit $40
) as page
cross join lateral (
  select * from vulnerabilities as known where known.id = page.vulnerability_id limit 1
) as rated
order by sort_0 desc, sort_1 desc;

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
