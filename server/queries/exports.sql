-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/exports/store.ts readInOneSnapshot: not executed by tests

-- server/src/features/exports/store.ts readRows
declare exported no scroll cursor for
select vulnerability.id, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score, described.description, described.source_url
from vulnerabilities as vulnerability
left join lateral (
  select stored.record ->> 'description' as description, stored.record ->> 'sourceUrl' as source_url
  from advisory_vulnerabilities as link
  join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
  join advisory_records as stored on stored.source = link.source
    and stored.advisory_id = link.advisory_id
  where link.vulnerability_id = vulnerability.id
  order by stored.record ->> 'description' is null, advisory.withdrawn_at is not null,
    array_position('{cvelist,nvd,osv,csaf}'::text[], advisory.source),
    not starts_with(advisory.id, 'GHSA-'), advisory.id
  limit 1
) as described on true
where vulnerability.id in (
  select match.vulnerability_id
  from firmware_version_packages as fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id and match.until is null
    offset 0
  ) as match
  left join lateral (
    select decision.*
    from finding_decisions as decision
    where decision.workspace_id = $1 and decision.firmware_version_id = $2
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    limit 1
  ) as decision on true
  left join lateral (
    select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
  ) as epss on true
  where fact.workspace_id = $3 and fact.firmware_version_id = $4 and fact.until is null
  order by (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) desc,
    (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          'High' <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) desc, match.is_exploited desc,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
    epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
    fact.package_id desc
  limit $5
)
order by vulnerability.id;

-- server/src/features/exports/store.ts readRows
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
  discussed as (
    select jsonb_object_agg(vulnerability_id, said) as all_said
    from (
      select alias.vulnerability_id,
        jsonb_build_object(
          'assignee', (array_agg(said.email order by said.at desc nulls last))[1], 'comments',
            count(said.comment_id)
        ) as said
      from (
        select given.vulnerability_id, person.email, given.assigned_at as at,
          null::uuid as comment_id
        from vulnerability_assignees as given
        join people as person on person.id = given.person_id
        where given.workspace_id = $3
        union all select comment.vulnerability_id, null, null, comment.id
        from vulnerability_comments as comment
        where comment.workspace_id = $4
      ) as said
      join vulnerability_aliases as alias on alias.alias = said.vulnerability_id
      group by alias.vulnerability_id
    ) as each
  ),
  fact as materialized (
    select fact.*,
      (select jsonb_object_agg(package_id, file_name) from declared) ->> fact.package_id::text as
      file_name
    from firmware_version_packages as fact
    where fact.workspace_id = $5 and fact.firmware_version_id = $6 and fact.until is null
  )
select fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
  match.score as cvss_score, epss.score as epss_score, vulnerability.is_known_exploit,
  vulnerability.is_disputed, vulnerability.ssvc_class,
  (
    vulnerability.is_known_exploit
      or match.vulnerability_id in (select cve_id from eu_exploited_entries)
  ) as is_listed, coalesce(decision.assessment, 'NotAssessed') as assessment,
  decision.justification, coalesce(decision.responses, '{}') as responses, decision.detail,
  coalesce(decision.ignored, false) as ignored, decision.acceptance,
  (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) as is_active, match.confidence, fact.component_name, fact.component_version,
  fact.component_vendor, fact.component_purl, fact.component_cpe, fact.file_name,
  (
    select min(greatest(held.since, seen.since))
    from firmware_version_packages as held
    join package_matches as seen on seen.package_id = held.package_id
    where held.workspace_id = $7 and held.firmware_version_id = $8
      and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(
        coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')
      )
  ) as detected_at,
  count(*) over (partition by match.vulnerability_id, fact.component_name) > 1 as is_ambiguous,
  row_number() over (
    order by (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) desc,
      (
        not coalesce(decision.ignored, false)
          and coalesce(decision.assessment, 'NotAssessed') not in (
            'NotAffected', 'FalsePositive', 'Resolved'
          )
          and (
            'High' <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
          )
      ) desc, match.is_exploited desc,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
      epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
      fact.package_id desc
  )::int as place,
  (select all_said from discussed) -> match.vulnerability_id ->> 'assignee' as assignee,
  coalesce(((select all_said from discussed) -> match.vulnerability_id -> 'comments')::int, 0) as
  comment_count
from fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id and match.until is null
  offset 0
) as match
left join lateral (
  select decision.*
  from finding_decisions as decision
  where decision.workspace_id = $9 and decision.firmware_version_id = $10
    and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true
left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true
cross join lateral (
  select vulnerability.name, vulnerability.is_known_exploit, vulnerability.is_disputed,
    vulnerability.ssvc_class
  from vulnerabilities as vulnerability
  where vulnerability.id = match.vulnerability_id
  limit 1
) as vulnerability
order by match.is_exploited desc,
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
  epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
  fact.package_id desc;
