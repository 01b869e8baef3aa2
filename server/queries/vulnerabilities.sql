-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

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
              where fact.workspace_id = $13 and fact.package_id = match.package_id
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
              where fact.workspace_id = $15 and fact.package_id = match.package_id
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
              where fact.workspace_id = $17 and fact.package_id = match.package_id
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
--   0a07beae 0a306ae4 1667aa8d 1f326daf 1fa71a66 20e69a61 250be604 2a84bf34 2ab95e37 2bf21a9b
--   2db370a6 2de47ae5 2ea24302 2f196dc9 2fc09b91 36c6c407 37880b55 4055fcb3 46cc1a07 4c5a7b40
--   4d5f7f78 4ef3ae28 4f0da182 58b97a4e 6739b3a0 6991ca67 6f6956a6 76cf8133 7b624b4c 7e2b17bf
--   7e7b607f 7f269719 849ea88b 8f422ea0 9562ea61 99a5d501 a08cc5ee a1604c17 a79ac7bc a9877485
--   ade47d05 b26a2ed5 b5d01ae9 b91eeca3 bba23a15 be4fee2f cca6b1f9 d2d1fbf9 dadcbb03 dd3ef9a3
--   ebdca35d ec650909 ed54123e f0de4845 f28416c3 fc158133 fd634fde fd854047
with chosen as materialized (
  select match.vulnerability_id, match.finding_count
  from (
    select counted.vulnerability_id, counted.finding_count
    from workspace_vulnerabilities as counted
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
)
select vulnerability_id as cve_id, severity, score as cvss_score,
  json_build_array(sort_0) as sort_values, 0 as total
from (
  select page.*
  from (
    select match.vulnerability_id, match.severity, match.score, match.vulnerability_id as sort_0
    from (
      select chosen.*, vulnerability.name, vulnerability.severity,
        vulnerability.primary_score as score, vulnerability.is_known_exploit
      from chosen
      join vulnerabilities as vulnerability on vulnerability.id = chosen.vulnerability_id
    ) as match
    where true and (match.vulnerability_id) > ($2::text collate "C")
    order by match.vulnerability_id asc
    limit $3
  ) as page
  order by sort_0 asc
  limit $4
) as page
order by sort_0 asc;

with chosen as materialized (
  select match.vulnerability_id, match.finding_count
  from (
    select counted.vulnerability_id, counted.finding_count, vulnerability.severity,
      vulnerability.primary_score as score
    from workspace_vulnerabilities as counted
    join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
    where counted.workspace_id = $1 and counted.finding_count > 0
  ) as match
  where true
    and (
      match.severity = any($2::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $3
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $4
    ) and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
)
select vulnerability_id as cve_id, severity, score as cvss_score,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4, sort_5) as sort_values,
  (
    select count(*)::int
    from (
      select
      from chosen as page
      cross join lateral (
        select
        from package_matches as match
        join firmware_version_packages as fact on fact.package_id = match.package_id
          and fact.workspace_id = $5
          and (fact.since <= $6 and (fact.until is null or fact.until > $7)) is true
        left join lateral (
          select *
          from finding_decisions as decision
          where decision.workspace_id = fact.workspace_id
            and decision.firmware_version_id = fact.firmware_version_id
            and decision.package_id = fact.package_id
            and decision.vulnerability_id = match.vulnerability_id
          limit 1
        ) as decision on true
        where match.vulnerability_id = page.vulnerability_id
          and (match.since <= $8 and (match.until is null or match.until > $9)) is true
          and (
            match.severity = any($10::text[])
              and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)
              >= $11
              and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)
              <= $12
          )
          and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
          and (
            match.confidence <> 'Low'
              or exists (
                select
                from finding_decisions as decision
                where decision.workspace_id = $13 and decision.package_id = match.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                  and decision.assessment = any($14::text[])
              )
          )
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') <> all($15::text[])
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') = any($16::text[])
              )
          )
        limit 1
      ) as probed
      limit 10001
    ) as counted
  ) as total
from (
  select page.*
  from (
    select match.vulnerability_id, match.severity, match.score,
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
      from unnest($17::uuid[], $18::int[]) as running (package_id, magnitude)
      join package_matches as match on match.package_id = running.package_id
        and (match.since <= $19 and (match.until is null or match.until > $20)) is true
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
    from package_matches as match
    join firmware_version_packages as fact on fact.package_id = match.package_id
      and fact.workspace_id = $21
      and (fact.since <= $22 and (fact.until is null or fact.until > $23)) is true
    left join lateral (
      select *
      from finding_decisions as decision
      where decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      limit 1
    ) as decision on true
    where match.vulnerability_id = page.vulnerability_id
      and (match.since <= $24 and (match.until is null or match.until > $25)) is true
      and (
        match.severity = any($26::text[])
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >=
          $27
          and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <=
          $28
      ) and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
      and (
        match.confidence <> 'Low'
          or exists (
            select
            from finding_decisions as decision
            where decision.workspace_id = $29 and decision.package_id = match.package_id
              and decision.vulnerability_id = match.vulnerability_id
              and decision.assessment = any($30::text[])
          )
      )
      and (
        not coalesce(decision.ignored, false)
          and coalesce(decision.assessment, 'NotAssessed') <> all($31::text[])
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') = any($32::text[])
          )
      )
    limit 1
  ) as probed
  order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc
  limit $33
) as page
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
