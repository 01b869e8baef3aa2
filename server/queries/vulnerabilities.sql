-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vulnerabilities/components/store.ts countComponents
with all_groups as (
  select distinct component_name
  from (
    select match.component_name, match.vulnerability_id, match.severity_rank, match.is_exploited,
      match.last_detected_at,
      coalesce(
        match.epss_score,
          (
            select known.score from epss_scores as known where known.cve_id = match.vulnerability_id
          ), '-1'::real
      ) as epss_score
    from workspace_component_vulnerabilities as match
    where match.workspace_id = $1 and match.states & $2::bigint <> 0
  ) as rated
)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts countComponents
with all_groups as (
  select distinct component_name
  from (
    select match.component_name, match.vulnerability_id, match.severity_rank, match.is_exploited,
      match.last_detected_at,
      coalesce(
        match.epss_score,
          (
            select known.score from epss_scores as known where known.cve_id = match.vulnerability_id
          ), '-1'::real
      ) as epss_score
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
        join firmware_version_packages as fact on decision.workspace_id = $6
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $7 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $8
          and fact.package_id = match.package_id
          and (fact.since <= $9 and (fact.until is null or fact.until > $10)) is true
          and (decision.recheck_reason is not null) = $11
      )
  ), all_groups as (select distinct component_name from rated)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts listComponents: the shortest and the longest of many variants
--   00f93cca 0212a209 0725ddbf 0d690b63 0f6f34fc 112d8cdb 17edbcec 1bafa235 1dcb55a7 1e43af7b
--   23768436 35e31c16 3c571824 475076e7 4946658d 4969897f 4d1571d6 4e748ac3 4eafe6cc 4eedebf8
--   5172f3d6 51f56762 5205d752 542ae683 55e83b6a 5a3fc74a 5ee00a9e 68e64dbc 6a6dc23d 6c4c2485
--   6e4a3de5 6fb13c71 72e87717 743d68d3 75176378 7565fa4f 758a0c76 77b621a0 7eaea597 7f98e1ad
--   7fe53308 80520fda 81946690 81ba6058 81feaaa9 84285062 8720ea51 87c0f2ce 897f9b21 8aad3c96
--   8bff9fdb 8cc8c4f6 964ec0ee 9a021206 a0386120 a5620506 a929a211 ac59a677 ad49ac84 ad552871
--   ad8b5b0d b2cf4e9b b882d17b be388196 bf78fa15 c11182e5 c1740f94 c6982365 c8cc1329 ca294b54
--   cb10b30c cd4f6c85 cf5a1857 d01f0471 d136979d d298ce33 d54cbef9 d6cfe240 da1e92cb dbd66dfd
--   e147689c e2fb8560 e426c012 e489348c e769bd5b e8cc32db ea36d90d eb88a386 f3df8e28 f5da54c2
--   f69a9e1e f7442e0c f87f3594 f9ca8661 fd7d0947 fdf2ad20
with rated as materialized (
  select match.component_name, match.vulnerability_id, match.severity_rank, match.is_exploited,
    match.last_detected_at,
    coalesce(
      match.epss_score,
        (select known.score from epss_scores as known where known.cve_id = match.vulnerability_id),
        '-1'::real
    ) as epss_score
  from workspace_component_vulnerabilities as match
  where match.workspace_id = $1
),
  all_groups as materialized (
    select rated.component_name as name, max(rated.severity_rank)::integer as severity_rank,
      bool_or(rated.is_exploited) as is_exploited, max(rated.last_detected_at) as detected_at,
      count(*)::integer as vulnerability_count, nullif(max(rated.epss_score), -1) as epss_score
    from rated
    group by rated.component_name
  ),
  run as (
    select component_name, max(device_magnitude)::integer as magnitude
    from workspace_packages
    where workspace_id = $2 and version_count > 0
    group by component_name
  ),
  grouped as not materialized (
    select all_groups.*, coalesce(run.magnitude, 0) as magnitude
    from all_groups
    left join run on run.component_name = all_groups.name
  ),
  page as materialized (
    select grouped.*, grouped.name collate "C" as sort_0
    from grouped
    where true and (grouped.name collate "C") > ($3::text collate "C")
    order by grouped.name collate "C" asc
    limit $4
  )
select name, versions[1:5] as versions, package_ids, severity_rank, is_exploited, epss_score,
  vulnerability_count, detected_at, json_build_array(sort_0) as sort_values, 0 as total
from page
join (
  select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
    coalesce(
      array_agg(distinct held.component_version) filter (where held.component_version is not null),
        '{}'
    ) as versions
  from (
    select chosen.name, owned.package_id, owned.component_version, chosen.ids
    from (
      select rated.component_name as name, array_agg(rated.vulnerability_id) as ids
      from rated
      where rated.component_name in (select name from page)
      group by rated.component_name
    ) as chosen
    join workspace_packages as owned on owned.workspace_id = $5
      and owned.component_name = chosen.name and owned.version_count > 0
    offset 0
  ) as held
  where exists (
    select
    from (select unnest(held.ids) as id) as rated
    cross join lateral (
      select *
      from workspace_matches as each
      where each.workspace_id = $6 and each.vulnerability_id = rated.id
        and each.package_id = held.package_id
      offset 0
    ) as match
    where true
    offset 0
  )
  group by held.name
) as described using (name)
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
            where fact.workspace_id = $12::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id = any($13::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
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
      and (
        match.confidence <> 'Low'
          or exists (
            select
            from finding_decisions as decision
            where decision.workspace_id = $16 and decision.package_id = match.package_id
              and decision.vulnerability_id = match.vulnerability_id
              and decision.assessment = any($17::text[])
          )
      )
      and exists (
        select
        from firmware_version_packages as fact
        left join lateral (
          select *
          from finding_decisions as decision
          where decision.workspace_id = $18
            and decision.firmware_version_id = fact.firmware_version_id
            and decision.package_id = fact.package_id
            and decision.vulnerability_id = match.vulnerability_id
          limit 1
        ) as decision on true
        where fact.workspace_id = $19 and fact.package_id = match.package_id
          and (fact.since <= $20 and (fact.until is null or fact.until > $21)) is true
          and fact.firmware_version_id = any($22::uuid[])
          and (
            fact.firmware_version_id in (
              select unnest(counts.firmware_version_ids)
              from firmware_set_device_counts as counts
              where counts.workspace_id = $23
            )
          ) is true
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') <> all($24::text[])
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') = any($25::text[])
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($26::text[])
      )
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
    left join unnest($27::uuid[], $28::int[]) as running (package_id, magnitude) on running.package_id
      = rated.package_id
    group by rated.component_name
  ), grouped as (select * from all_groups),
  page as materialized (
    select grouped.*, grouped.is_exploited::integer as sort_0, grouped.magnitude as sort_1,
      grouped.severity_rank as sort_2, coalesce(grouped.epss_score, '-1'::real) as sort_3,
      grouped.name collate "C" as sort_4
    from grouped
    where true
    order by grouped.is_exploited::integer desc, grouped.magnitude desc, grouped.severity_rank desc,
      coalesce(grouped.epss_score, '-1'::real) desc, grouped.name collate "C" desc
    limit $29
  )
select name, versions[1:5] as versions, package_ids, severity_rank, is_exploited, epss_score,
  vulnerability_count, detected_at,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4) as sort_values,
  (select count(*)::int from (select from all_groups limit 10001) as counted) as total
from page
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc;

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
),
  running as (
    select sets.devices, bool_or(found.active > 0) as is_active
    from firmware_set_device_counts as sets
    cross join lateral unnest(sets.firmware_version_ids) as run (id)
    join found on found.id = run.id
    where sets.workspace_id = $6
    group by sets.firmware_version_ids, sets.devices
  ),
  devices as (
    select coalesce(sum(devices), 0)::int as affected,
      coalesce(sum(devices) filter (where is_active), 0)::int as active
    from running
  )
select coalesce(sum(findings), 0)::int as finding_count,
  coalesce(sum(found.active), 0)::int as active_finding_count,
  count(*)::int as firmware_version_count,
  (count(*) filter (where found.active > 0))::int as active_firmware_version_count,
  (select affected from devices) as affected_device_count,
  (select active from devices) as active_device_count
from found;

-- server/src/features/vulnerabilities/detail/store.ts findVulnerability
select vulnerability.name, vulnerability.severity, vulnerability.primary_score,
  vulnerability.is_known_exploit, vulnerability.is_disputed, vulnerability.known_exploit_since,
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
--   30b14f15 30d920d9 34543dab 7c094fad 8a94c487 8f04d4f0 93f316aa 9772f368 a0223627 b6713873
--   d7257659 f1eda645
with chosen as not materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at, match.severity,
    match.score, match.is_exploited, match.device_magnitude,
    coalesce(
      match.name,
        (
          select known.name collate "C"
          from vulnerabilities as known
          where known.id = match.vulnerability_id
        )
    ) as name,
    coalesce(
      match.epss_score,
        (select known.score from epss_scores as known where known.cve_id = match.vulnerability_id),
        '-1'::real
    ) as epss_score
  from workspace_vulnerabilities as match
  where match.workspace_id = $1 and match.finding_count > 0 and match.states & $2::bigint <> 0
)
select (select count(*)::int from (select from chosen as page limit 10001) as counted) as total;

with chosen as not materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at, match.severity,
    match.score, match.is_exploited, match.device_magnitude,
    coalesce(
      match.name,
        (
          select known.name collate "C"
          from vulnerabilities as known
          where known.id = match.vulnerability_id
        )
    ) as name,
    coalesce(
      match.epss_score,
        (select known.score from epss_scores as known where known.cve_id = match.vulnerability_id),
        '-1'::real
    ) as epss_score
  from workspace_vulnerabilities as match
  where match.workspace_id = $1 and match.finding_count > 0 and match.states & $2::bigint <> 0
    and (
      match.severity = any($3::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $4
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $5
    )
    and match.vulnerability_id in (
      select vulnerability_id
      from finding_decisions
      where workspace_id = $6 and recheck_reason is not null
    )
)
select (
  select count(*)::int
  from (
    select
    from chosen as page
    cross join lateral (
      select
      from finding_decisions as decision
      join package_matches as match on match.package_id = decision.package_id
        and match.vulnerability_id = page.vulnerability_id
        and (match.since <= $7 and (match.until is null or match.until > $8)) is true
        and (
          match.severity = any($9::text[])
            and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >=
            $10
            and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <=
            $11
        )
      join firmware_version_packages as fact on decision.workspace_id = $12
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $13
        and (fact.since <= $14 and (fact.until is null or fact.until > $15)) is true
      where decision.workspace_id = $16 and decision.vulnerability_id = page.vulnerability_id
        and (
          not decision.ignored and decision.assessment <> all($17::text[])
            and (match.confidence <> 'Low' or decision.assessment = any($18::text[]))
        ) and (decision.recheck_reason is not null) = $19
      limit 1
    ) as probed
    limit 10001
  ) as counted
) as total;

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
  vulnerability.is_disputed,
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
  vulnerability.is_disputed,
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
  vulnerability.is_disputed,
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
  vulnerability.is_disputed,
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
--   00ce4618 0249eb37 05ed3da7 0635ce28 06705eed 071fca5f 097fe09c 0a26ff98 0c91fad5 0e5469e0
--   0ebe7740 0f64f5da 10673674 10834556 11180114 13bf96e3 154e627a 161946df 17bc49c3 1d56f212
--   1ea54945 1f78d3b9 2389b981 25a07656 2872881c 2d0705f8 2dad9f7b 311f8eb2 347e5d01 38f116d6
--   3bc8ef60 3fa59112 41126681 41d72dfa 440ea72d 49fd8bd2 4a9b5aab 4e136e70 4e54fdd5 4fc79389
--   50091918 529780b4 548c23c4 56f7362b 57eb9233 60afa113 610bdefe 625aa525 64c773e1 67d4cdb0
--   68d66eb4 6ad1cc2b 6b167b1a 6c6a94cf 6ec14921 73a96294 75731ac2 7cd95ff7 7fcd1cca 8dd8b85d
--   8fcc9954 9304a775 98e9d533 9903a008 9e869cc6 a4a36970 a78ee8eb a85bef39 a8971909 aa520d1e
--   ac8e92f4 af52294e b167efff b9d0c1d8 bb07141f bc5aefb9 bebdc75b c0f03bdb c28c932d c5337046
--   c5e7bbfb c8d10fdc cbdbbc5a cea10947 cee50670 cf72f612 d262355d d401c763 d440d186 d647478c
--   d9d2b0ad dab828f7 dd1051bf dd45de34 e67ca668 e6dcd5d3 ea8bc979 eafe2d6d eda4be0c ee0584e7
--   efbd2628 f12ab1d2 f1c4d8d9 f96bb237 fb4a53e2 fc31c7e6 fcf3b01b ffec74f2
with chosen as not materialized (
  select match.vulnerability_id, match.finding_count, match.detected_at, match.severity,
    match.score, match.is_exploited, match.device_magnitude,
    coalesce(
      match.name,
        (
          select known.name collate "C"
          from vulnerabilities as known
          where known.id = match.vulnerability_id
        )
    ) as name,
    coalesce(
      match.epss_score,
        (select known.score from epss_scores as known where known.cve_id = match.vulnerability_id),
        '-1'::real
    ) as epss_score
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
            where decision.workspace_id = $20
              and decision.firmware_version_id = fact.firmware_version_id
              and decision.package_id = fact.package_id
              and decision.vulnerability_id = match.vulnerability_id
            limit 1
          ) as decision on true
        where match.vulnerability_id = page.vulnerability_id
          and (match.since <= $21 and (match.until is null or match.until > $22)) is true
          and (
            match.confidence <> 'Low'
              or exists (
                select
                from finding_decisions as decision
                where decision.workspace_id = $23 and decision.package_id = match.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                  and decision.assessment = any($24::text[])
              )
          )
          and (
            fact.firmware_version_id in (
              select unnest(counts.firmware_version_ids)
              from firmware_set_device_counts as counts
              where counts.workspace_id = $25
            )
          ) is true
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') <> all($26::text[])
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') = any($27::text[])
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($28::text[])
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
      and fact.workspace_id = $29
      and (fact.since <= $30 and (fact.until is null or fact.until > $31)) is true
      and fact.firmware_version_id = any($32::uuid[]) left join lateral (
        select *
        from finding_decisions as decision
        where decision.workspace_id = $33
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
    where match.vulnerability_id = page.vulnerability_id
      and (match.since <= $34 and (match.until is null or match.until > $35)) is true
      and (
        match.confidence <> 'Low'
          or exists (
            select
            from finding_decisions as decision
            where decision.workspace_id = $36 and decision.package_id = match.package_id
              and decision.vulnerability_id = match.vulnerability_id
              and decision.assessment = any($37::text[])
          )
      )
      and (
        fact.firmware_version_id in (
          select unnest(counts.firmware_version_ids)
          from firmware_set_device_counts as counts
          where counts.workspace_id = $38
        )
      ) is true
      and (
        not coalesce(decision.ignored, false)
          and coalesce(decision.assessment, 'NotAssessed') <> all($39::text[])
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') = any($40::text[])
          )
      ) and coalesce(decision.assessment, 'NotAssessed') = any($41::text[])
    limit 1
  ) as probed
  order by sort_0 desc, sort_1 desc
  limit $42
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
