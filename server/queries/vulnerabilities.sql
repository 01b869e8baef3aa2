-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vulnerabilities/components/store.ts countComponents: the shortest and the longest of many variants
--   22a49e8a 790f6b5d bfa18c71 ca276d0e edf4ee09
with all_groups as (
  select distinct component_name
  from (
    select match.*
    from workspace_component_vulnerabilities as match
    where match.workspace_id = $1 and match.states & $2::bigint <> 0
  ) as rated
)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

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
    and (
      owned.package_id in (
        select member.package_id
        from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = $6 and sbom.parsing_state = 'Succeeded'
          and member.package_id is not null and member.vendor = $7 and member.version = $8
      )
        or owned.package_id in (
          select member.package_id
          from sbom_components as member
          join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
          where member.workspace_id = $9 and sbom.parsing_state = 'Succeeded'
            and member.package_id is not null and member.package_name collate "C" = $10
            and member.version = $11
        )
    )
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $12 and fact.firmware_version_id = any($13::uuid[])
    )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (
        where (fact.since <= $14 and (fact.until is null or fact.until > $15)) is true
      )::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from firmware_version_packages as fact
    where fact.workspace_id = $16 and fact.firmware_version_id = any($17::uuid[])
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
            where fact.workspace_id = $18::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id = any($19::uuid[])
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
      where counted.workspace_id = $20
        and lower(
          coalesce(
            counted.name,
              (
                select known.name collate "C"
                from vulnerabilities as known
                where known.id = counted.vulnerability_id
              )
          ) collate "C"
        ) collate "C" like any($21::text[])
      union select known.vulnerability_id
      from workspace_vulnerabilities as counted
      join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
      where counted.workspace_id = $22
        and lower(known.alias collate "C") collate "C" like any($23::text[])
    ) as named on named.vulnerability_id = match.vulnerability_id
    left join (
      select distinct known.package_id
      from workspace_packages as held
      join package_keys as known on known.package_id = held.package_id
      where held.workspace_id = $24
        and substring(known.key from '[^:/]*$') collate "C" like any($25::text[])
    ) as keyed on keyed.package_id = match.package_id
    join held on held.package_id = match.package_id
    left join ended on ended.package_id = match.package_id
      and ended.vulnerability_id = match.vulnerability_id
    cross join lateral (
      select coalesce(ended.since, match.since) as since,
        coalesce(ended.until, match.until) as until
    ) as first_seen
    where (match.since <= $26 and (match.until is null or match.until > $27)) is true
      and (
        match.severity = any($28::text[])
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >=
          $29
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <=
          $30
      ) and match.confidence = any($31::text[])
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($32::text[])
      ) and match.package_id = any($33::uuid[])
      and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
      and match.vulnerability_id in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      )
      and (
        named.vulnerability_id is not null or keyed.package_id is not null
          or lower(fact.component_name collate "C") collate "C" like any($34::text[])
      )
      and exists (
        select
        from workspace_matches as late
        where late.workspace_id = $35 and late.vulnerability_id = match.vulnerability_id
          and late.package_id = match.package_id and late.detected_at < case match.severity
          when $36 then $37::timestamptz when $38 then $39::timestamptz
          when $40 then $41::timestamptz when $42 then $43::timestamptz end
      ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $44
      and (match.package_id, match.vulnerability_id) in (
        select package_id, vulnerability_id
        from finding_decisions
        where workspace_id = $45 and recheck_reason is not null
      )
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $46 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $47
          and fact.package_id = match.package_id
          and (fact.since <= $48 and (fact.until is null or fact.until > $49)) is true
          and fact.firmware_version_id = any($50::uuid[])
          and (
            not decision.ignored and decision.assessment <> all($51::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($52::text[]))
          ) and decision.assessment = any($53::text[]) and decision.ignored = $54
          and (decision.recheck_reason is not null) = $55
          and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $56
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
            where fact.workspace_id = $57::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id = any($58::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) >= $59::timestamptz
  ), all_groups as (select distinct component_name from rated)
select (select count(*)::int from (select from all_groups limit 10001) as counted) as total;

-- server/src/features/vulnerabilities/components/store.ts listComponents: the shortest and the longest of many variants
--   01b73de8 03dd7ad0 0450dab9 04c51398 04cb90fb 04dee082 064ceb6c 067f6221 0a5544be 12d8c048
--   1385cbb6 138fa224 1be86c12 216d528f 219fe8eb 238df585 2390311f 23c85461 26c2a530 27fd4597
--   288bac49 2c7cf914 2d066341 2e6d5ed4 2f6e1888 2f7493ae 3f54ca4b 46b63543 4b0fe750 4b7d7929
--   4e2abddf 539454d1 56212668 58dd93d4 5cbd0e89 5cdebb24 60ff3053 633d940d 64c57481 6ab3a527
--   6abac694 6e0ecd1c 77ce5555 78b26f55 795ba858 79d38a4e 7c7fb49f 80770587 84012193 84235c85
--   85bbdc1f 86371846 8795fec2 89a2f52c 8c07e9cf 8c2c0635 968b66b2 9c6ed509 9d4c160c 9f2efc0a
--   a7c12e15 aaa7193a ad972ffb ae829103 b10b4a13 b7034f1d b902b0a9 bc793c0d bcbabf2f bf66ed21
--   c197dbe2 c44b434c c984908b caafb04f cc76ea18 cff549f0 d67d4eb0 d73488ca d85bd9bf da6b8a2a
--   df5eee30 df9aa25e e11bc0a0 e3a3efcb e3d9202f e7b80001 e8ac3845 ea8169d2 ef3a652d f2554b37
--   f2e57152 f9887cba fb8a1a38 fed55055
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
    select page.name, owned.package_id, owned.component_version, chosen.ids
    from page
    cross join lateral (
      select array_agg(rated.vulnerability_id) as ids
      from (
        select match.*
        from workspace_component_vulnerabilities as match
        where match.workspace_id = $4 and match.component_name = page.name
      ) as rated
    ) as chosen
    join workspace_packages as owned on owned.workspace_id = $5 and owned.component_name = page.name
      and owned.version_count > 0
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
order by sort_0 asc, sort_1 asc;

with all_groups as materialized (
  select rated.component_name as name, max(rated.severity_rank)::integer as severity_rank,
    bool_or(rated.is_exploited) as is_exploited, max(rated.last_detected_at) as detected_at,
    count(*)::integer as vulnerability_count, null::real as epss_score
  from (
    select match.*
    from workspace_component_vulnerabilities as match
    where match.workspace_id = $1 and match.states & $2::bigint <> 0
      and (
        match.component_name in (
          select owned.component_name
          from workspace_packages as owned
          where owned.workspace_id = $3 and owned.version_count > 0
          group by owned.component_name
          having bool_and(owned.device_magnitude > 0)
        ) and match.states & ~$4::bigint = 0
          or match.component_name in (
            select owned.component_name
            from workspace_packages as owned
            where owned.workspace_id = $5 and owned.version_count > 0
            group by owned.component_name
            having bool_or(owned.device_magnitude > 0)
          )
          and exists (
            select
            from workspace_matches as each
            cross join lateral (
              select *
              from workspace_packages as one
              where one.workspace_id = $6 and one.package_id = each.package_id
              limit 1
            ) as held
            where each.workspace_id = $7 and each.vulnerability_id = match.vulnerability_id
              and held.component_name = match.component_name and held.device_magnitude > 0
              and each.states & $8::bigint <> 0
              and (
                each.states & ~$9::bigint = 0
                  or exists (
                    select
                    from firmware_version_packages as fact
                    left join lateral (
                      select *
                      from finding_decisions as decision
                      where decision.workspace_id = fact.workspace_id
                        and decision.firmware_version_id = fact.firmware_version_id
                        and decision.package_id = fact.package_id
                        and decision.vulnerability_id = each.vulnerability_id
                      limit 1
                    ) as decision on true
                    where fact.workspace_id = $10 and fact.package_id = each.package_id
                      and fact.until is null
                      and (
                        fact.firmware_version_id in (
                          select unnest(counts.firmware_version_ids)
                          from firmware_set_device_counts as counts
                          where counts.workspace_id = $11
                        )
                      ) is true
                      and (
                        not coalesce(decision.ignored, false)
                          and coalesce(decision.assessment, 'NotAssessed') <> all($12::text[])
                          and (
                            case when each.states & $13::bigint <> 0 then 'Low'
                              else 'High' end <> 'Low'
                              or coalesce(decision.assessment, 'NotAssessed') = any($14::text[])
                          )
                      ) and coalesce(decision.assessment, 'NotAssessed') = any($15::text[])
                  )
              )
            offset 0
          )
      )
  ) as rated
  group by rated.component_name
),
  run as (
    select component_name, max(device_magnitude)::integer as magnitude
    from workspace_packages
    where workspace_id = $16 and version_count > 0
    group by component_name
  ),
  weighed as not materialized (
    select all_groups.*, coalesce(run.magnitude, 0) as magnitude
    from all_groups
    left join run on run.component_name = all_groups.name
  ),
  grouped as not materialized (
    select name, severity_rank, is_exploited, detected_at, vulnerability_count, magnitude,
      (
        select max(epss.score)
        from (
          select match.*
          from workspace_component_vulnerabilities as match
          where match.workspace_id = $17 and match.component_name = first.name
            and match.states & $18::bigint <> 0
            and (
              match.component_name in (
                select owned.component_name
                from workspace_packages as owned
                where owned.workspace_id = $19 and owned.version_count > 0
                group by owned.component_name
                having bool_and(owned.device_magnitude > 0)
              ) and match.states & ~$20::bigint = 0
                or match.component_name in (
                  select owned.component_name
                  from workspace_packages as owned
                  where owned.workspace_id = $21 and owned.version_count > 0
                  group by owned.component_name
                  having bool_or(owned.device_magnitude > 0)
                )
                and exists (
                  select
                  from workspace_matches as each
                  cross join lateral (
                    select *
                    from workspace_packages as one
                    where one.workspace_id = $22 and one.package_id = each.package_id
                    limit 1
                  ) as held
                  where each.workspace_id = $23 and each.vulnerability_id = match.vulnerability_id
                    and held.component_name = match.component_name and held.device_magnitude > 0
                    and each.states & $24::bigint <> 0
                    and (
                      each.states & ~$25::bigint = 0
                        or exists (
                          select
                          from firmware_version_packages as fact
                          left join lateral (
                            select *
                            from finding_decisions as decision
                            where decision.workspace_id = fact.workspace_id
                              and decision.firmware_version_id = fact.firmware_version_id
                              and decision.package_id = fact.package_id
                              and decision.vulnerability_id = each.vulnerability_id
                            limit 1
                          ) as decision on true
                          where fact.workspace_id = $26 and fact.package_id = each.package_id
                            and fact.until is null
                            and (
                              fact.firmware_version_id in (
                                select unnest(counts.firmware_version_ids)
                                from firmware_set_device_counts as counts
                                where counts.workspace_id = $27
                              )
                            ) is true
                            and (
                              not coalesce(decision.ignored, false)
                                and coalesce(decision.assessment, 'NotAssessed') <> all(
                                  $28::text[]
                                )
                                and (
                                  case when each.states & $29::bigint <> 0 then 'Low'
                                    else 'High' end <> 'Low'
                                    or coalesce(decision.assessment, 'NotAssessed') = any(
                                      $30::text[]
                                    )
                                )
                            ) and coalesce(decision.assessment, 'NotAssessed') = any($31::text[])
                        )
                    )
                  offset 0
                )
            )
        ) as rated
        join epss_scores as epss on epss.cve_id = rated.vulnerability_id
      ) as epss_score
    from (
      select *
      from weighed
      order by is_exploited desc, magnitude desc, severity_rank desc fetch first $32 rows with ties
    ) as first
  ),
  page as materialized (
    select grouped.*, grouped.is_exploited::integer as sort_0, grouped.magnitude as sort_1,
      grouped.severity_rank as sort_2, coalesce(grouped.epss_score, '-1'::real) as sort_3,
      grouped.name collate "C" as sort_4
    from grouped
    where true
    order by grouped.is_exploited::integer desc, grouped.magnitude desc, grouped.severity_rank desc,
      coalesce(grouped.epss_score, '-1'::real) desc, grouped.name collate "C" desc
    limit $33
  )
select name, versions[1:5] as versions, package_ids, severity_rank, is_exploited,
  page.epss_score as epss_score, vulnerability_count, detected_at,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4) as sort_values,
  (select count(*)::int from (select from all_groups limit 10001) as counted) as total
from page
join (
  select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
    coalesce(
      array_agg(distinct held.component_version) filter (where held.component_version is not null),
        '{}'
    ) as versions
  from (
    select page.name, owned.package_id, owned.component_version, chosen.ids
    from page
    cross join lateral (
      select array_agg(rated.vulnerability_id) as ids
      from (
        select match.*
        from workspace_component_vulnerabilities as match
        where match.workspace_id = $34 and match.component_name = page.name
          and match.states & $35::bigint <> 0
          and (
            match.component_name in (
              select owned.component_name
              from workspace_packages as owned
              where owned.workspace_id = $36 and owned.version_count > 0
              group by owned.component_name
              having bool_and(owned.device_magnitude > 0)
            ) and match.states & ~$37::bigint = 0
              or match.component_name in (
                select owned.component_name
                from workspace_packages as owned
                where owned.workspace_id = $38 and owned.version_count > 0
                group by owned.component_name
                having bool_or(owned.device_magnitude > 0)
              )
              and exists (
                select
                from workspace_matches as each
                cross join lateral (
                  select *
                  from workspace_packages as one
                  where one.workspace_id = $39 and one.package_id = each.package_id
                  limit 1
                ) as held
                where each.workspace_id = $40 and each.vulnerability_id = match.vulnerability_id
                  and held.component_name = match.component_name and held.device_magnitude > 0
                  and each.states & $41::bigint <> 0
                  and (
                    each.states & ~$42::bigint = 0
                      or exists (
                        select
                        from firmware_version_packages as fact
                        left join lateral (
                          select *
                          from finding_decisions as decision
                          where decision.workspace_id = fact.workspace_id
                            and decision.firmware_version_id = fact.firmware_version_id
                            and decision.package_id = fact.package_id
                            and decision.vulnerability_id = each.vulnerability_id
                          limit 1
                        ) as decision on true
                        where fact.workspace_id = $43 and fact.package_id = each.package_id
                          and fact.until is null
                          and (
                            fact.firmware_version_id in (
                              select unnest(counts.firmware_version_ids)
                              from firmware_set_device_counts as counts
                              where counts.workspace_id = $44
                            )
                          ) is true
                          and (
                            not coalesce(decision.ignored, false)
                              and coalesce(decision.assessment, 'NotAssessed') <> all($45::text[])
                              and (
                                case when each.states & $46::bigint <> 0 then 'Low'
                                  else 'High' end <> 'Low'
                                  or coalesce(decision.assessment, 'NotAssessed') = any(
                                    $47::text[]
                                  )
                              )
                          ) and coalesce(decision.assessment, 'NotAssessed') = any($48::text[])
                      )
                  )
                offset 0
              )
          )
      ) as rated
    ) as chosen
    join workspace_packages as owned on owned.workspace_id = $49
      and owned.component_name = page.name and owned.version_count > 0
    where owned.device_magnitude > 0
    offset 0
  ) as held
  where exists (
    select
    from (select unnest(held.ids) as id) as rated
    cross join lateral (
      select *
      from workspace_matches as each
      where each.workspace_id = $50 and each.vulnerability_id = rated.id
        and each.package_id = held.package_id
      offset 0
    ) as match
    where true and match.states & $51::bigint <> 0
    offset 0
  )
  group by held.name
) as described using (name)
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
--   1355a741 508535a2 5b593402 5ceb9fd4 7258c0c5 764f12e6 7c342e0a 8150b697 83e435f8 9d68aaca
--   a2228742 b947f6f3 cfe08782 d3f34ef5 dee57f5b e541c063
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
    ) as name
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
    ) as name
  from workspace_vulnerabilities as match
  where match.workspace_id = $1 and match.finding_count > 0
    and (
      not (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')
        or match.vulnerability_id in (
          select assessed.vulnerability_id
          from finding_decisions as assessed
          where assessed.workspace_id = $2 and assessed.assessment <> 'NotAssessed'
            and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'
        )
    )
    and match.vulnerability_id in (
      select vulnerability_id
      from finding_decisions
      where workspace_id = $3 and recheck_reason is not null
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
        and (match.since <= $4 and (match.until is null or match.until > $5)) is true
        and (
          not (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')
            or match.vulnerability_id in (
              select assessed.vulnerability_id
              from finding_decisions as assessed
              where assessed.workspace_id = $6 and assessed.assessment <> 'NotAssessed'
                and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'
            )
        )
      join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $7
        and (fact.since <= $8 and (fact.until is null or fact.until > $9)) is true
      where decision.workspace_id = $10 and decision.vulnerability_id = page.vulnerability_id
        and (decision.recheck_reason is not null) = $11
      limit 1
    ) as probed
    limit 10001
  ) as counted
) as total;

-- server/src/features/vulnerabilities/store.ts describeVulnerabilities: the shortest and the longest of many variants
--   58464762 703a371c 8608e5ef 974b4523 9b55f756
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
      ) and fact.firmware_version_id = any($10::uuid[])
    group by fact.package_id
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($11::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($12::text[])
            )
        )::int - (match.confidence <> 'Low')::int
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $13
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $14 and (fact.until is null or fact.until > $15)) is true
    where true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $16 and version.firmware_id = any($17::uuid[])
      ) and fact.firmware_version_id = any($18::uuid[])
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
              where fact.workspace_id = $19::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id in (
                  select version.id
                  from firmware_versions as version
                  where version.workspace_id = $20 and version.firmware_id = any($21::uuid[])
                ) and fact.firmware_version_id = any($22::uuid[])
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
--   02262e01 05113840 0999a1f7 0c455f9d 0c8f25af 0f6314a2 119620c2 1224b5f1 145d228c 148742e8
--   18d718a5 19a94622 1a4b8b22 2312f723 232b394f 234cc400 239cbaf4 25a07656 2b58f539 33cd705e
--   387ad511 3ae09b1a 3b68c820 3cf1ab46 3efdcf4a 3fa59112 40512931 432fbd90 49c75c86 4c6cd672
--   51c90557 54669e3c 54c97750 57ab265a 58ccda9a 58f41181 5ed77f7f 5ff32e80 618bdab7 61f78764
--   68653b9a 6b097997 6e899e7c 6ec14921 7084156b 72532d82 756a3c0d 75bda1c1 790b1983 7994a97e
--   7a04eb95 7c238ee0 7cd95ff7 7d584098 7d59ac26 822247fa 850fe1bb 86852ee0 87d72f6c 88021e3f
--   8ad24a1a 8b7b92aa 8da5887c 91e17bc4 92d3f739 98987bd3 9aaf1711 9c2ba1d0 9de46f4c a0a24e46
--   a0d7e280 a3cbb257 a453c8f6 a4aa0ac3 a9f20eea b264f10d b4765a0c b4eebbb2 b617bbc3 b82af329
--   ba55cc63 bc5aefb9 bcbec206 bce78bc7 be24135a c02c4a7c c2dd76ce c301b1e3 c38b2cb5 c4d9d54b
--   cc973e9a cee50670 d3e8b3c0 d45a0093 d5a93e20 d890e2da db164e56 db76c11f dca98004 e567e8de
--   e96a1228 eae1ccc6 eda7b7aa fa919ff4 fe3b5ef8
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
    ) as name
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
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $4 and version.firmware_id = any($5::uuid[])
      ) and fact.firmware_version_id = any($6::uuid[])
    order by fact.firmware_version_id desc
    limit 1
  ) as newest
  where owned.workspace_id = $7
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $8
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $9 and version.firmware_id = any($10::uuid[])
        ) and fact.firmware_version_id = any($11::uuid[])
    )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (
        where (fact.since <= $12 and (fact.until is null or fact.until > $13)) is true
      )::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from firmware_version_packages as fact
    where fact.workspace_id = $14
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $15 and version.firmware_id = any($16::uuid[])
      ) and fact.firmware_version_id = any($17::uuid[])
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
              where fact.workspace_id = $18::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id
                and fact.firmware_version_id in (
                  select version.id
                  from firmware_versions as version
                  where version.workspace_id = $19 and version.firmware_id = any($20::uuid[])
                ) and fact.firmware_version_id = any($21::uuid[])
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
      where counted.workspace_id = $22
        and lower(
          coalesce(
            counted.name,
              (
                select known.name collate "C"
                from vulnerabilities as known
                where known.id = counted.vulnerability_id
              )
          ) collate "default"
        ) collate "C" like any($23::text[])
      union select known.vulnerability_id
      from workspace_vulnerabilities as counted
      join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
      where counted.workspace_id = $24
        and lower(known.alias collate "default") collate "C" like any($25::text[])
    ) as named on named.vulnerability_id = match.vulnerability_id
    left join (
      select distinct known.package_id
      from workspace_packages as held
      join package_keys as known on known.package_id = held.package_id
      where held.workspace_id = $26
        and substring(known.key from '[^:/]*$') collate "C" like any($27::text[])
    ) as keyed on keyed.package_id = match.package_id
    join held on held.package_id = match.package_id
    left join ended on ended.package_id = match.package_id
      and ended.vulnerability_id = match.vulnerability_id
    cross join lateral (
      select coalesce(ended.since, match.since) as since,
        coalesce(ended.until, match.until) as until
    ) as first_seen
    where (match.since <= $28 and (match.until is null or match.until > $29)) is true
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($30::text[])
      ) and match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)
      and match.vulnerability_id not in (
        select id
        from vulnerabilities
        where is_known_exploit
        union select cve_id
        from eu_exploited_entries
      )
      and (
        named.vulnerability_id is not null or keyed.package_id is not null
          or lower(fact.component_name collate "default") collate "C" like any($31::text[])
      )
      and exists (
        select
        from workspace_matches as late
        where late.workspace_id = $32 and late.vulnerability_id = match.vulnerability_id
          and late.package_id = match.package_id and late.detected_at < case match.severity
          when $33 then $34::timestamptz when $35 then $36::timestamptz
          when $37 then $38::timestamptz when $39 then $40::timestamptz end
      ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $41
      and (match.package_id, match.vulnerability_id) in (
        select package_id, vulnerability_id
        from finding_decisions
        where workspace_id = $42 and recheck_reason is not null
      )
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where decision.workspace_id = $43 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $44
          and fact.package_id = match.package_id
          and (fact.since <= $45 and (fact.until is null or fact.until > $46)) is true
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $47 and version.firmware_id = any($48::uuid[])
          ) and fact.firmware_version_id = any($49::uuid[])
          and (
            not decision.ignored and decision.assessment <> all($50::text[])
              and (match.confidence <> 'Low' or decision.assessment = any($51::text[]))
          ) and decision.assessment = any($52::text[]) and decision.ignored = $53
          and (decision.recheck_reason is not null) = $54
          and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $55
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
            where fact.workspace_id = $56::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $57 and version.firmware_id = any($58::uuid[])
              ) and fact.firmware_version_id = any($59::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      )
    ) >= $60::timestamptz
  )
select page.vulnerability_id as cve_id, rated.severity, rated.primary_score as cvss_score,
  json_build_array(sort_0, sort_1, sort_2) as sort_values,
  (select count(*)::int from (select from chosen as page limit 10001) as counted) as total
from (
  select page.*
  from (
    select match.vulnerability_id,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as sort_0,
      coalesce(match.score, '-1'::real) as sort_1, match.vulnerability_id as sort_2
    from (select * from chosen) as match
    where true
    order by array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
      coalesce(match.score, '-1'::real) desc, match.vulnerability_id desc
    limit $61
  ) as page
  order by sort_0 desc, sort_1 desc, sort_2 desc
  limit $62
) as page
cross join lateral (
  select * from vulnerabilities as known where known.id = page.vulnerability_id limit 1
) as rated
order by sort_0 desc, sort_1 desc, sort_2 desc;

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
    ) and fact.firmware_version_id = any($7::uuid[])
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;
