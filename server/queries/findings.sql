-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/findings/checks-store.ts listForgottenSboms
select id, firmware_version_id
from sboms as sbom
where sbom.workspace_id = $1 and parsing_state = $2 and vulnerabilities_parsed_at is null
  and not exists (
    select
    from pgboss.job as job
    where job.name = any($3::text[]) and job.state <= 'active' and job.data ->> 'workspaceId' = $4
      and (
        job.data ->> 'sbomId' = sbom.id::text
          or job.data ->> 'firmwareVersionId' = sbom.firmware_version_id::text
      )
  )
order by id;

-- server/src/features/findings/checks-store.ts lockAllKept
select count(*)
from (
  select
  from packages
  where id in (
    select package_id from firmware_version_packages where workspace_id = $1 and until is null
  )
  order by id
  for share
) as locked;

-- server/src/features/findings/counters-store.ts readCounters
select critical, high, medium, low, "none", unknown
from firmware_version_counters
where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/findings/counters-store.ts recountFirmwareVersion
insert into firmware_version_counters (
  workspace_id, firmware_version_id, critical, high, medium, low, "none", unknown, exploited,
    undecided_critical, undecided_high, evaluated_at, judged_components, silent_components
)
select $1, $2, coalesce(sum(amount) filter (where counter = $3), 0)::int as critical,
  coalesce(sum(amount) filter (where counter = $4), 0)::int as high,
  coalesce(sum(amount) filter (where counter = $5), 0)::int as medium,
  coalesce(sum(amount) filter (where counter = $6), 0)::int as low,
  coalesce(sum(amount) filter (where counter = $7), 0)::int as "none",
  coalesce(sum(amount) filter (where counter = $8), 0)::int as unknown,
  coalesce(sum(amount) filter (where counter = $9), 0)::int as exploited,
  coalesce(sum(amount) filter (where counter = $10), 0)::int as undecided_critical,
  coalesce(sum(amount) filter (where counter = $11), 0)::int as undecided_high, $12,
  (
    select count(*)
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    where sbom.workspace_id = $13 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = $14 and component.not_matched_reason is null
  ),
  (
    select count(*)
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    where sbom.workspace_id = $15 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = $16 and component.not_matched_reason !~ $17
  )
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id and match.until is null
left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
cross join lateral (
  values (match.severity, 1), ('Exploited', match.is_exploited::int * 1),
    (
      case when match.severity in ('Critical', 'High') then 'Undecided' || match.severity end,
        (coalesce(decision.assessment, 'NotAssessed') = any($18::text[]))::int
    )
) as each (counter, amount)
where fact.workspace_id = $19 and fact.until is null
  and (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') <> all($20::text[])
      and (
        match.confidence <> 'Low' or coalesce(decision.assessment, 'NotAssessed') = any($21::text[])
      )
  ) and fact.firmware_version_id = $22
on conflict (workspace_id, firmware_version_id)
do update
set critical = excluded.critical, high = excluded.high, medium = excluded.medium,
  low = excluded.low, "none" = excluded."none", unknown = excluded.unknown,
  exploited = excluded.exploited, undecided_critical = excluded.undecided_critical,
  undecided_high = excluded.undecided_high, evaluated_at = excluded.evaluated_at,
  judged_components = excluded.judged_components, silent_components = excluded.silent_components;

-- server/src/features/findings/counters-store.ts updateCountersOfMatches
with changed as materialized (
  select "packageId" as package_id, "vulnerabilityId" as vulnerability_id,
    "oldConfidence" as old_confidence, "oldSeverity" as old_severity,
    "oldExploited" as old_exploited, "newConfidence" as new_confidence,
    "newSeverity" as new_severity, "newExploited" as new_exploited
  from json_to_recordset($1::json) as input (
    "packageId" uuid, "vulnerabilityId" text, "oldConfidence" text, "oldSeverity" text,
      "oldExploited" boolean, "newConfidence" text, "newSeverity" text, "newExploited" boolean
  )
),
  by_package as (
    select package_id, counter, sum(amount)::int as amount
    from (
      select changed.package_id, each.*
      from changed
      cross join lateral (
        values (changed.old_severity, -1),
          ('Exploited', coalesce(changed.old_exploited, false)::int * -1),
          (
            case
              when changed.old_severity in ('Critical', 'High') then 'Undecided' || changed.old_severity
              end, -1
          )
      ) as each (counter, amount)
      where (old_confidence <> 'Low')
      union all select changed.package_id, each.*
      from changed
      cross join lateral (
        values (changed.new_severity, 1),
          ('Exploited', coalesce(changed.new_exploited, false)::int * 1),
          (
            case
              when changed.new_severity in ('Critical', 'High') then 'Undecided' || changed.new_severity
              end, 1
          )
      ) as each (counter, amount)
      where (new_confidence <> 'Low')
    ) as each
    where counter is not null
    group by package_id, counter
    having sum(amount) <> 0
  ),
  touched as (
    select fact.workspace_id, fact.firmware_version_id, fact.package_id
    from (select distinct package_id from changed) as package
    join firmware_version_packages as fact using (package_id)
    where fact.until is null
  ),
  moved as (
    select touched.workspace_id, touched.firmware_version_id, by_package.counter, by_package.amount
    from touched
    left join by_package using (package_id)
    union all select decision.workspace_id, decision.firmware_version_id, each.counter, each.amount
    from changed
    join finding_decisions as decision using (package_id, vulnerability_id)
    join touched using (workspace_id, firmware_version_id, package_id)
    cross join lateral (
      values (
        changed.old_severity,
          (
            case when changed.old_confidence is null then 0
              else -1 * (
                (
                  not decision.ignored and decision.assessment <> all($2::text[])
                    and (changed.old_confidence <> 'Low' or decision.assessment = any($3::text[]))
                )::int - (changed.old_confidence <> 'Low')::int
              ) end
          )
      ),
        (
          'Exploited',
            coalesce(changed.old_exploited, false)::int * (
              case when changed.old_confidence is null then 0
                else -1 * (
                  (
                    not decision.ignored and decision.assessment <> all($4::text[])
                      and (changed.old_confidence <> 'Low' or decision.assessment = any($5::text[]))
                  )::int - (changed.old_confidence <> 'Low')::int
                ) end
            )
        ),
        (
          case
            when changed.old_severity in ('Critical', 'High') then 'Undecided' || changed.old_severity
            end,
            (
              case when changed.old_confidence is null then 0
                else -1 * (
                  (
                    (
                      not decision.ignored and decision.assessment <> all($6::text[])
                        and (
                          changed.old_confidence <> 'Low' or decision.assessment = any($7::text[])
                        )
                    ) and (decision.assessment = any($8::text[]))
                  )::int - (changed.old_confidence <> 'Low')::int
                ) end
            )
        ),
        (
          changed.new_severity,
            (
              case when changed.new_confidence is null then 0
                else 1 * (
                  (
                    not decision.ignored and decision.assessment <> all($9::text[])
                      and (
                        changed.new_confidence <> 'Low' or decision.assessment = any($10::text[])
                      )
                  )::int - (changed.new_confidence <> 'Low')::int
                ) end
            )
        ),
        (
          'Exploited',
            coalesce(changed.new_exploited, false)::int * (
              case when changed.new_confidence is null then 0
                else 1 * (
                  (
                    not decision.ignored and decision.assessment <> all($11::text[])
                      and (
                        changed.new_confidence <> 'Low' or decision.assessment = any($12::text[])
                      )
                  )::int - (changed.new_confidence <> 'Low')::int
                ) end
            )
        ),
        (
          case
            when changed.new_severity in ('Critical', 'High') then 'Undecided' || changed.new_severity
            end,
            (
              case when changed.new_confidence is null then 0
                else 1 * (
                  (
                    (
                      not decision.ignored and decision.assessment <> all($13::text[])
                        and (
                          changed.new_confidence <> 'Low' or decision.assessment = any($14::text[])
                        )
                    ) and (decision.assessment = any($15::text[]))
                  )::int - (changed.new_confidence <> 'Low')::int
                ) end
            )
        )
    ) as each (counter, amount)
  ),
  totals as (
    select workspace_id, firmware_version_id,
      coalesce(sum(amount) filter (where counter = $16), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $17), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $18), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $19), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $20), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $21), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $22), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $23), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $24), 0)::int as undecided_high
    from moved
    group by workspace_id, firmware_version_id
  ),
  held as (
    select counters.workspace_id, counters.firmware_version_id
    from firmware_version_counters as counters
    join totals using (workspace_id, firmware_version_id)
    order by counters.workspace_id, counters.firmware_version_id
    for no key update of counters
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $25), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
join held using (workspace_id, firmware_version_id)
where counters.workspace_id = totals.workspace_id
  and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/decisions-store.ts listTimeline
select type, created_at, source, created_by_email, assessment, ignored, justification, responses,
  detail, recheck_reason
from finding_timeline
where workspace_id = $1 and firmware_version_id = $2 and package_id = $3 and vulnerability_id = $4
order by created_at, id;

-- server/src/features/findings/decisions-store.ts lockPackagesShared
select id from packages where id = any($1::uuid[]) order by id for share;

-- server/src/features/findings/decisions-store.ts writeDecisions
with input as materialized (
  select given.*, decision.package_id is not null as was_decided,
    coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed,
    (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
    ) as clears_mark, coalesce(given."decidedAt", $1) as decided_at,
    match.confidence as match_confidence, match.severity as match_severity,
    match.is_exploited as match_exploited, md5(evidence.evidence::text) as evidence_hash
  from json_to_recordset($2::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, "createdByEmail" text, "recheckReason" text, "statementId" uuid,
      "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean
  ) left join finding_decisions as decision on decision.workspace_id = $3
    and decision.firmware_version_id = given."firmwareVersionId"
    and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  left join package_match_evidence as evidence on evidence.package_id = given."packageId"
    and evidence.vulnerability_id = given."vulnerabilityId"
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
),
  decided as (
    insert into finding_decisions as decision (
      workspace_id, firmware_version_id, package_id, vulnerability_id, assessment, ignored,
        updated_at, justification, responses, detail, source, decided_by_email, assessed_at,
        evidence_hash, recheck_reason, previous_decision, statement_id
    )
    select $4, "firmwareVersionId", "packageId", "vulnerabilityId", assessment, ignored, decided_at,
      justification, coalesce(responses, '{}'), detail, source, "createdByEmail", case
      when is_assessed then decided_at end, evidence_hash, "recheckReason", "previousDecision",
      "statementId"
    from input
    order by "firmwareVersionId", "packageId", "vulnerabilityId"
    on conflict (workspace_id, firmware_version_id, package_id, vulnerability_id)
    do update
    set ignored = excluded.ignored, updated_at = excluded.updated_at, assessment = case
      when excluded.assessed_at is null then decision.assessment else excluded.assessment end,
      justification = case when excluded.assessed_at is null then decision.justification
      else excluded.justification end, responses = case
      when excluded.assessed_at is null then decision.responses else excluded.responses end,
      detail = case when excluded.assessed_at is null then decision.detail else excluded.detail end,
      source = case when excluded.assessed_at is null then decision.source else excluded.source end,
      decided_by_email = case when excluded.assessed_at is null then decision.decided_by_email
      else excluded.decided_by_email end, assessed_at = case
      when excluded.assessed_at is null then decision.assessed_at else excluded.assessed_at end,
      evidence_hash = case when excluded.assessed_at is null then decision.evidence_hash
      else excluded.evidence_hash end, statement_id = case
      when excluded.assessed_at is null then decision.statement_id else excluded.statement_id end,
      recheck_reason = case when excluded.assessed_at is null and excluded.ignored
      and decision.previous_decision ->> 'ignored' = 'true' then null
      when excluded.assessed_at is null then decision.recheck_reason
      else excluded.recheck_reason end, previous_decision = case when excluded.assessed_at is null
      and excluded.ignored and decision.previous_decision ->> 'ignored' = 'true' then null
      when excluded.assessed_at is null then decision.previous_decision
      else excluded.previous_decision end
  ),
  timeline as (
    insert into finding_timeline (
      workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
        created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
        statement_id
    )
    select $5, "firmwareVersionId", "packageId", "vulnerabilityId", id, case
      when is_assessed then 'Assessment' when ignored then 'Ignored' else 'Unignored' end, $6,
      source, "createdByEmail", assessment, ignored, justification, coalesce(responses, '{}'),
      detail, case when clears_mark then $7 else "recheckReason" end, "statementId"
    from input
    where coalesce("needsEntry", true)
    order by "firmwareVersionId", "packageId", "vulnerabilityId", id
  ),
  open as (
    select input.*, fact.workspace_id
    from input
    join firmware_version_packages as fact on fact.workspace_id = $8
      and fact.firmware_version_id = input."firmwareVersionId"
      and fact.package_id = input."packageId" and fact.until is null
  ),
  kept as (
    insert into workspace_decisions as kept (
      workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
    )
    select workspace_id, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
    from (
      select input.workspace_id, input."vulnerabilityId" as vulnerability_id,
        input."packageId" as package_id, each.*
      from open as input
      cross join lateral (
        values (input.assessment, input.ignored, 1),
          (input.old_assessment, input.old_ignored, -input.was_decided::int)
      ) as each (assessment, ignored, amount)
      where input.match_confidence is not null
    ) as moved
    group by workspace_id, package_id, vulnerability_id, assessment, ignored
    having sum(amount) <> 0
    order by workspace_id, package_id, vulnerability_id, assessment, ignored
    on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
    do update
    set finding_count = kept.finding_count + excluded.finding_count
  ),
  moved as (
    select input.workspace_id, input."firmwareVersionId" as firmware_version_id, each.counter,
      each.amount
    from open as input
    cross join lateral (
      values (
        input.match_severity,
          (
            (
              not input.ignored and input.assessment <> all($9::text[])
                and (input.match_confidence <> 'Low' or input.assessment = any($10::text[]))
            )::int - (
              not input.old_ignored and input.old_assessment <> all($11::text[])
                and (input.match_confidence <> 'Low' or input.old_assessment = any($12::text[]))
            )::int
          )
      ),
        (
          'Exploited',
            input.match_exploited::int * (
              (
                not input.ignored and input.assessment <> all($13::text[])
                  and (input.match_confidence <> 'Low' or input.assessment = any($14::text[]))
              )::int - (
                not input.old_ignored and input.old_assessment <> all($15::text[])
                  and (input.match_confidence <> 'Low' or input.old_assessment = any($16::text[]))
              )::int
            )
        ),
        (
          case
            when input.match_severity in ('Critical', 'High') then 'Undecided' || input.match_severity
            end,
            (
              (
                (
                  not input.ignored and input.assessment <> all($17::text[])
                    and (input.match_confidence <> 'Low' or input.assessment = any($18::text[]))
                ) and (input.assessment = any($19::text[]))
              )::int - (
                (
                  not input.old_ignored and input.old_assessment <> all($20::text[])
                    and (input.match_confidence <> 'Low' or input.old_assessment = any($21::text[]))
                ) and (input.old_assessment = any($22::text[]))
              )::int
            )
        )
    ) as each (counter, amount)
    where input.match_confidence is not null
  ),
  totals as (
    select workspace_id, firmware_version_id,
      coalesce(sum(amount) filter (where counter = $23), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $24), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $25), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $26), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $27), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $28), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $29), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $30), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $31), 0)::int as undecided_high
    from moved
    group by workspace_id, firmware_version_id
  ),
  held as (
    select counters.workspace_id, counters.firmware_version_id
    from firmware_version_counters as counters
    join totals using (workspace_id, firmware_version_id)
    order by counters.workspace_id, counters.firmware_version_id
    for no key update of counters
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $32), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
join held using (workspace_id, firmware_version_id)
where counters.workspace_id = totals.workspace_id
  and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/detail/store.ts findFinding
with recursive named (place, firmware_version_id, package_id, vulnerability_id) as (
  select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[])
),
  package (place, firmware_version_id, id) as (
    select place, firmware_version_id, package_id
    from named
    union select package.place, package.firmware_version_id, successor.successor_id
    from package
    join firmware_version_package_successors as successor on successor.workspace_id = $5
      and successor.firmware_version_id = package.firmware_version_id
      and successor.package_id = package.id
  ),
  wanted as (
    select package.place, package.firmware_version_id, package.id as package_id,
      known.id as vulnerability_id,
      (package.id, known.id) = (named.package_id, named.vulnerability_id) as is_named
    from package
    join named using (place)
    cross join lateral (
      select vulnerability_id as id
      from vulnerability_aliases
      where alias = named.vulnerability_id
      union select named.vulnerability_id
    ) as known
  ),
  ever as (
    select wanted.*, greatest(held.since, seen.since) as since,
      least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')) as until, case
      when held.since > seen.since then held.cause else seen.cause end as cause, case
      when coalesce(held.until, 'infinity') <= coalesce(seen.until, 'infinity') then held.ended_cause
      else seen.ended_cause end as ended_cause, held.since as held_since, seen.since as seen_since
    from wanted
    join firmware_version_packages as held on held.workspace_id = $6
      and held.firmware_version_id = wanted.firmware_version_id
      and held.package_id = wanted.package_id
    join package_matches as seen on seen.package_id = wanted.package_id
      and seen.vulnerability_id = wanted.vulnerability_id
    where greatest(held.since, seen.since) < least(
      coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')
    )
  ), span as (select * from ever),
  latest as (
    select distinct on (place) *
    from span
    order by place, until desc, is_named desc, since desc, vulnerability_id, package_id
  )
select latest.package_id, latest.vulnerability_id, vulnerability.name, match.severity,
  match.score as primary_score, vulnerability.is_known_exploit as is_known_exploit,
  vulnerability.published_at, vulnerability.modified_at, epss.score as epss_score, case
  when not $7 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision, match.confidence, evidence.evidence, fact.component_name,
  fact.component_version, fact.component_vendor, fact.component_purl, fact.component_cpe,
  workspace.remediation_target_days,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version,
  (
    select json_build_object(
      'dateAdded', date_added, 'dueDate', due_date, 'vendorProject', details -> 'vendorProject',
        'product', details -> 'product', 'ransomware', details -> 'ransomware', 'notes',
        details -> 'notes'
    )
    from kev_entries
    where cve_id = latest.vulnerability_id and vulnerability.is_known_exploit
  ) as known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = latest.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = latest.vulnerability_id
    ) as listed
  ) as exploited_sources,
  (
    select json_agg(
      json_build_object(
        'since', since, 'cause', cause, 'until', nullif(until, 'infinity'), 'endedCause',
          ended_cause
      )
      order by since
    )
    from span
    where span.vulnerability_id = latest.vulnerability_id and span.package_id = latest.package_id
  ) as spans,
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
    where link.vulnerability_id = latest.vulnerability_id
  ) as records,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', affected.source, 'advisoryId', affected.advisory_id, 'key', affected.key,
            'statements', affected.statements
        )
        order by affected.source, affected.advisory_id, affected.key
      ), '[]'
    )
    from advisory_affected as affected
    where (affected.source, affected.advisory_id, affected.key) in (
      select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
      from jsonb_array_elements(evidence.evidence) as item
    )
  ) as affected
from latest
join firmware_version_packages as fact on fact.workspace_id = $8 and fact.firmware_version_id = $9
  and fact.package_id = latest.package_id and fact.since = latest.held_since
join package_matches as match on match.package_id = latest.package_id
  and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
join package_match_evidence as evidence on evidence.package_id = latest.package_id
  and evidence.vulnerability_id = latest.vulnerability_id
join vulnerabilities as vulnerability on vulnerability.id = latest.vulnerability_id
join workspaces as workspace on workspace.id = $10
join firmware_versions as version on version.workspace_id = $11 and version.id = $12
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join epss_scores as epss on epss.cve_id = latest.vulnerability_id
left join finding_decisions as decision on decision.workspace_id = $13
  and decision.firmware_version_id = $14 and decision.package_id = latest.package_id
  and decision.vulnerability_id = latest.vulnerability_id;

-- server/src/features/findings/detail/store.ts findFinding
with recursive named (place, firmware_version_id, package_id, vulnerability_id) as (
  select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[])
),
  package (place, firmware_version_id, id) as (
    select place, firmware_version_id, package_id
    from named
    union select package.place, package.firmware_version_id, successor.successor_id
    from package
    join firmware_version_package_successors as successor on successor.workspace_id = $5
      and successor.firmware_version_id = package.firmware_version_id
      and successor.package_id = package.id
  ),
  wanted as (
    select package.place, package.firmware_version_id, package.id as package_id,
      known.id as vulnerability_id,
      (package.id, known.id) = (named.package_id, named.vulnerability_id) as is_named
    from package
    join named using (place)
    cross join lateral (
      select vulnerability_id as id
      from vulnerability_aliases
      where alias = named.vulnerability_id
      union select named.vulnerability_id
    ) as known
  ),
  ever as (
    select wanted.*, greatest(held.since, seen.since) as since,
      least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')) as until, case
      when held.since > seen.since then held.cause else seen.cause end as cause, case
      when coalesce(held.until, 'infinity') <= coalesce(seen.until, 'infinity') then held.ended_cause
      else seen.ended_cause end as ended_cause, held.since as held_since, seen.since as seen_since
    from wanted
    join firmware_version_packages as held on held.workspace_id = $6
      and held.firmware_version_id = wanted.firmware_version_id
      and held.package_id = wanted.package_id
    join package_matches as seen on seen.package_id = wanted.package_id
      and seen.vulnerability_id = wanted.vulnerability_id
    where greatest(held.since, seen.since) < least(
      coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')
    )
  ),
  span as (
    select place, firmware_version_id, package_id, vulnerability_id, is_named, since, case
      when until > $7 then 'infinity' else until end as until, cause, case when until > $8 then null
      else ended_cause end as ended_cause, held_since, seen_since
    from ever
    where since <= $9
  ),
  latest as (
    select distinct on (place) *
    from span
    order by place, until desc, is_named desc, since desc, vulnerability_id, package_id
  )
select latest.package_id, latest.vulnerability_id, vulnerability.name, match.severity,
  match.score as primary_score,
  (
    vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
      and vulnerability.known_exploit_since <= $10
  ) as is_known_exploit, vulnerability.published_at, vulnerability.modified_at,
  null::real as epss_score, case when not $11 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision, match.confidence, evidence.evidence, fact.component_name,
  fact.component_version, fact.component_vendor, fact.component_purl, fact.component_cpe,
  workspace.remediation_target_days,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version,
  (
    select json_build_object(
      'dateAdded', date_added, 'dueDate', due_date, 'vendorProject', details -> 'vendorProject',
        'product', details -> 'product', 'ransomware', details -> 'ransomware', 'notes',
        details -> 'notes'
    )
    from kev_entries
    where cve_id = latest.vulnerability_id
      and (
        vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
          and vulnerability.known_exploit_since <= $12
      )
  ) as known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = latest.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = latest.vulnerability_id
    ) as listed
    where date_added <= $13
  ) as exploited_sources,
  (
    select json_agg(
      json_build_object(
        'since', since, 'cause', cause, 'until', nullif(until, 'infinity'), 'endedCause',
          ended_cause
      )
      order by since
    )
    from span
    where span.vulnerability_id = latest.vulnerability_id and span.package_id = latest.package_id
  ) as spans,
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
    where link.vulnerability_id = latest.vulnerability_id
  ) as records,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', affected.source, 'advisoryId', affected.advisory_id, 'key', affected.key,
            'statements', affected.statements
        )
        order by affected.source, affected.advisory_id, affected.key
      ), '[]'
    )
    from advisory_affected as affected
    where (affected.source, affected.advisory_id, affected.key) in (
      select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
      from jsonb_array_elements(evidence.evidence) as item
    )
  ) as affected
from latest
join firmware_version_packages as fact on fact.workspace_id = $14 and fact.firmware_version_id = $15
  and fact.package_id = latest.package_id and fact.since = latest.held_since
join package_matches as match on match.package_id = latest.package_id
  and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
join package_match_evidence as evidence on evidence.package_id = latest.package_id
  and evidence.vulnerability_id = latest.vulnerability_id
join vulnerabilities as vulnerability on vulnerability.id = latest.vulnerability_id
join workspaces as workspace on workspace.id = $16
join firmware_versions as version on version.workspace_id = $17 and version.id = $18
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join epss_scores as epss on epss.cve_id = latest.vulnerability_id
left join (
  select workspace_id, firmware_version_id, package_id, vulnerability_id,
    (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
    (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
    nullif(
      (
        jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
          where type = 'Assessment' or recheck_reason = $19
        )
      ) -> 0 #>> '{}', $20
    ) as recheck_reason, null::jsonb as previous_decision,
    (jsonb_agg(justification order by created_at desc, id desc) filter (where type = 'Assessment'))
    -> 0 #>> '{}' as justification,
    (jsonb_agg(detail order by created_at desc, id desc) filter (where type = 'Assessment')) -> 0
    #>> '{}' as detail,
    array(
      select jsonb_array_elements_text(
        coalesce(
          (
            jsonb_agg(responses order by created_at desc, id desc) filter (
              where type = 'Assessment'
            )
          ) -> 0, '[]'
        )
      )
    ) as responses
  from finding_timeline
  where workspace_id = $21 and firmware_version_id = $22 and created_at <= $23
  group by workspace_id, firmware_version_id, package_id, vulnerability_id
) as decision on decision.workspace_id = $24 and decision.firmware_version_id = $25
  and decision.package_id = latest.package_id
  and decision.vulnerability_id = latest.vulnerability_id;

-- server/src/features/findings/detail/store.ts findNewestStatement
select document.id as document_id, document.author, statement.assessment, statement.justification,
  statement.detail, statement.responses, statement.stated_at
from vulnerability_aliases as alias
join vex_statement_targets as target on target.workspace_id = $1 and target.firmware_version_id = $2
  and target.vulnerability = alias.alias
join vex_statements as statement on statement.workspace_id = target.workspace_id
  and statement.id = target.statement_id
join vex_documents as document on document.workspace_id = statement.workspace_id
  and document.id = statement.document_id
where alias.vulnerability_id = $3 and case
  when target.package_id is not null then target.package_id = $4
  when target.sbom_id is not null then exists (
    select
    from sbom_components as component
    where component.workspace_id = target.workspace_id and component.sbom_id = target.sbom_id
      and component.package_id = $5
  ) else true end
order by statement.stated_at desc, statement.received_at desc, statement.id desc
limit 1;

-- server/src/features/findings/detail/store.ts listMembers
select sbom.id as sbom_id, sbom.file_name, component.node, component.package_name as name,
  component.version, component.vendor, component.purl, component.cpes[1] as cpe
from sbom_components as component
inner join sboms as sbom on sbom.workspace_id = component.workspace_id
  and sbom.id = component.sbom_id
where component.workspace_id = $1 and component.package_id = $2 and sbom.firmware_version_id = $3
  and sbom.parsing_state = $4
order by sbom.created_at, sbom.id, component.node;

-- server/src/features/findings/finding-keys-store.ts findFindingKeys
with recursive named (place, firmware_version_id, package_id, vulnerability_id) as (
  select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[])
),
  package (place, firmware_version_id, id) as (
    select place, firmware_version_id, package_id
    from named
    union select package.place, package.firmware_version_id, successor.successor_id
    from package
    join firmware_version_package_successors as successor on successor.workspace_id = $5
      and successor.firmware_version_id = package.firmware_version_id
      and successor.package_id = package.id
  ),
  wanted as (
    select package.place, package.firmware_version_id, package.id as package_id,
      known.id as vulnerability_id,
      (package.id, known.id) = (named.package_id, named.vulnerability_id) as is_named
    from package
    join named using (place)
    cross join lateral (
      select vulnerability_id as id
      from vulnerability_aliases
      where alias = named.vulnerability_id
      union select named.vulnerability_id
    ) as known
  ),
  span as (
    select wanted.*, greatest(held.since, seen.since) as since,
      least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')) as until, case
      when held.since > seen.since then held.cause else seen.cause end as cause, case
      when coalesce(held.until, 'infinity') <= coalesce(seen.until, 'infinity') then held.ended_cause
      else seen.ended_cause end as ended_cause, held.since as held_since, seen.since as seen_since
    from wanted
    join firmware_version_packages as held on held.workspace_id = $6
      and held.firmware_version_id = wanted.firmware_version_id
      and held.package_id = wanted.package_id
    join package_matches as seen on seen.package_id = wanted.package_id
      and seen.vulnerability_id = wanted.vulnerability_id
    where greatest(held.since, seen.since) < least(
      coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')
    )
  )
select place, firmware_version_id, package_id, vulnerability_id
from (
  select distinct on (place) *
  from span
  order by place, until desc, is_named desc, since desc, vulnerability_id, package_id
) as latest;

-- server/src/features/findings/finding-keys-store.ts listPossiblePackageIds
with recursive named (place, firmware_version_id, package_id, vulnerability_id) as (
  select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[])
),
  package (place, firmware_version_id, id) as (
    select place, firmware_version_id, package_id
    from named
    union select package.place, package.firmware_version_id, successor.successor_id
    from package
    join firmware_version_package_successors as successor on successor.workspace_id = $5
      and successor.firmware_version_id = package.firmware_version_id
      and successor.package_id = package.id
  ),
  wanted as (
    select package.place, package.firmware_version_id, package.id as package_id,
      known.id as vulnerability_id,
      (package.id, known.id) = (named.package_id, named.vulnerability_id) as is_named
    from package
    join named using (place)
    cross join lateral (
      select vulnerability_id as id
      from vulnerability_aliases
      where alias = named.vulnerability_id
      union select named.vulnerability_id
    ) as known
  )
select distinct id
from package
order by id;

-- server/src/features/findings/list/store.ts countActiveFindings
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
)
select match.severity, count(*)::int as count
from fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id
    and (match.since <= $9 and (match.until is null or match.until > $10)) is true
  offset 0
) as match
left join lateral (
  select decision.*
  from (
    select workspace_id, firmware_version_id, package_id, vulnerability_id,
      (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
      (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
      nullif(
        (
          jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
            where type = 'Assessment' or recheck_reason = $11
          )
        ) -> 0 #>> '{}', $12
      ) as recheck_reason, null::jsonb as previous_decision,
      (
        jsonb_agg(justification order by created_at desc, id desc) filter (
          where type = 'Assessment'
        )
      ) -> 0 #>> '{}' as justification,
      (jsonb_agg(detail order by created_at desc, id desc) filter (where type = 'Assessment')) -> 0
      #>> '{}' as detail,
      array(
        select jsonb_array_elements_text(
          coalesce(
            (
              jsonb_agg(responses order by created_at desc, id desc) filter (
                where type = 'Assessment'
              )
            ) -> 0, '[]'
          )
        )
      ) as responses
    from finding_timeline
    where workspace_id = $13 and firmware_version_id = $14 and created_at <= $15
    group by workspace_id, firmware_version_id, package_id, vulnerability_id
  ) as decision
  where decision.workspace_id = $16 and decision.firmware_version_id = $17
    and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true
where (
  not coalesce(decision.ignored, false)
    and coalesce(decision.assessment, 'NotAssessed') <> all($18::text[])
    and (
      match.confidence <> 'Low' or coalesce(decision.assessment, 'NotAssessed') = any($19::text[])
    )
)
group by match.severity;

-- server/src/features/findings/list/store.ts countFindings
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
)
select count(*)::int as count
from (
  select
  from fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $9 and (match.until is null or match.until > $10)) is true
    offset 0
  ) as match
  where true
  limit $11
) as counted;

-- server/src/features/findings/list/store.ts countFindings
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
)
select count(*)::int as count
from (
  select
  from fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $9 and (match.until is null or match.until > $10)) is true
    offset 0
  ) as match
  left join lateral (
    select decision.*
    from finding_decisions as decision
    where decision.workspace_id = $11 and decision.firmware_version_id = $12
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    limit 1
  ) as decision on true
  where true and coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
  limit $14
) as counted;

-- server/src/features/findings/list/store.ts countFindings
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
)
select count(*)::int as count
from (
  select
  from fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $9 and (match.until is null or match.until > $10)) is true
    offset 0
  ) as match
  left join lateral (
    select decision.*
    from finding_decisions as decision
    where decision.workspace_id = $11 and decision.firmware_version_id = $12
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    limit 1
  ) as decision on true
  where true and coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
    and coalesce(decision.ignored, false) = $14
  limit $15
) as counted;

-- server/src/features/findings/list/store.ts countFindings
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
    and (
      fact.package_id = any(
        array(
          select distinct member.package_id
          from sboms as sbom
          join sbom_components as member on member.workspace_id = sbom.workspace_id
            and member.sbom_id = sbom.id
          where sbom.workspace_id = $7 and sbom.firmware_version_id = $8
            and sbom.parsing_state = 'Succeeded' and member.package_id is not null
            and member.package_name = $9
        )
      )
    )
  group by fact.package_id
  having bool_or((fact.since <= $10 and (fact.until is null or fact.until > $11)) is true)
)
select count(*)::int as count
from (
  select
  from fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $12 and (match.until is null or match.until > $13)) is true
    offset 0
  ) as match
  where true
  limit $14
) as counted;

-- server/src/features/findings/list/store.ts countUnassessedFuzzing
select count(*)::int as count
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id and match.until is null
  and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')
where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
  and not exists (
    select
    from finding_decisions as decision
    where decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
      and decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.assessment <> 'NotAssessed'
  );

-- server/src/features/findings/list/store.ts listFindings: the shortest and the longest of many variants
--   003c9945 0cf9349a 0e14ad49 0ed27112 17225e89 1cb44608 1d8d8b3a 1fd26df3 257793bb 27416352
--   298156e4 2e0c04f1 31bba5e3 3548296e 355b69a6 37814d16 38e48806 42242cf2 43fcf388 4c092d3d
--   4d263af1 5423afe5 5b4ae90a 5bfec3e5 602e6a18 63212a3a 65fe715d 6d1c1241 70d4d68f 71036cfc
--   833d3401 84c8a09f 851a0246 87ba9b17 8b0134a1 8b3a8a73 8fd980cf 97ea6e2b 9815f494 98330889
--   99837556 9df44180 a18c9847 a5636a9a a789dfc6 afa800eb b5d5e33f b689f415 b8a54dc5 ba4fed8f
--   bb0a0d77 bb9f8dbd c27bc33f c337a4c4 c6cdbe35 c75cbc46 cc24143f cd7d44aa d992c93a d9bed488
--   de6a31d3 e2e9b1f8 e52cd2c9 e6516ee4 ee9291e1 eea836a8 f4b344e2 f6910dfc f76a87bc f8168937
with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
),
  page as materialized (
    select chosen.*, json_build_array(sort_0, sort_1) as sort_values,
      row_number() over (order by sort_0 asc, sort_1 asc) as place
    from (
      select fact.package_id, fact.component_name, fact.component_version, fact.sinces, fact.untils,
        match.vulnerability_id, match.severity, match.score, match.confidence,
        match.vulnerability_id as sort_0, fact.package_id as sort_1
      from fact
      cross join lateral (
        select match.*
        from package_matches as match
        where match.package_id = fact.package_id
          and (match.since <= $9 and (match.until is null or match.until > $10)) is true
        offset 0
      ) as match
      where true
      order by match.vulnerability_id asc, fact.package_id asc
      limit $11
    ) as chosen
  )
select match.package_id, match.vulnerability_id, vulnerability.name, match.component_name,
  match.component_version, match.severity,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, vulnerability.is_known_exploit as is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, match.score as cvss_score, epss.score as epss_score, match.confidence,
  decision.recheck_reason,
  (
    select min(greatest(held.since, seen.since))
    from package_matches as seen
    cross join unnest(match.sinces, match.untils) as held (since, until)
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity'))
  ) as detected_at, match.sort_values
from page as match
cross join lateral (
  select vulnerability.name, vulnerability.is_known_exploit, vulnerability.known_exploit_since
  from vulnerabilities as vulnerability
  where vulnerability.id = match.vulnerability_id
  limit 1
) as vulnerability
left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true
left join lateral (
  select decision.*
  from finding_decisions as decision
  where decision.workspace_id = $12 and decision.firmware_version_id = $13
    and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true
order by match.place;

with fact as materialized (
  select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
    array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
    max(fact.component_name) filter (
      where (fact.since <= $1 and (fact.until is null or fact.until > $2)) is true
    ) as component_name,
    max(fact.component_version) filter (
      where (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    ) as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $5 and fact.firmware_version_id = $6
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
),
  page as materialized (
    select chosen.*, json_build_array(sort_0, sort_1) as sort_values,
      row_number() over (order by sort_0 asc, sort_1 asc) as place
    from (
      select fact.package_id, fact.component_name, fact.component_version, fact.sinces, fact.untils,
        match.vulnerability_id, match.severity, match.score, match.confidence,
        match.vulnerability_id as sort_0, fact.package_id as sort_1
      from fact
      cross join lateral (
        select match.*
        from package_matches as match
        where match.package_id = fact.package_id
          and (match.since <= $9 and (match.until is null or match.until > $10)) is true
        offset 0
      ) as match
      left join lateral (
        select decision.*
        from finding_decisions as decision
        where decision.workspace_id = $11 and decision.firmware_version_id = $12
          and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      where true
        and (
          coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
            and jsonb_exists(
              (
                select coalesce(
                  jsonb_object_agg(package_id || ' ' || vulnerability_id, true), '{}'
                )
                from (
                  with sbom as materialized (
                    select id
                    from sboms
                    where workspace_id = $14 and firmware_version_id = $15
                      and parsing_state = 'Succeeded'
                  ),
                    member as materialized (
                      select component.sbom_id, component.package_id, component.node,
                        list.id as list_id, cardinality(list.files) as file_count,
                        list.component_id is not null as is_uploaded
                      from sbom
                      join source_file_lists as list on list.workspace_id = $16
                        and list.sbom_id = sbom.id
                      cross join unnest(list.nodes) as listed (node)
                      join sbom_components as component on component.workspace_id = $17
                        and component.sbom_id = list.sbom_id and component.node = listed.node
                      where component.package_id is not null
                        and coalesce(list.component_id, component.id) = component.id
                    ),
                    listed as materialized (
                      select sbom_id, package_id, bool_or(is_uploaded) as is_uploaded,
                        max(file_count) as file_count,
                        count(distinct node) filter (where not is_uploaded) as component_count
                      from member
                      group by sbom_id, package_id
                    ),
                    declared as (
                      select component.sbom_id, component.package_id, count(*) as component_count
                      from sbom
                      join sbom_components as component on component.workspace_id = $18
                        and component.sbom_id = sbom.id
                      where component.package_id in (select package_id from listed)
                      group by component.sbom_id, component.package_id
                    ),
                    covered as materialized (
                      select declared.package_id
                      from declared
                      left join listed using (sbom_id, package_id)
                      group by declared.package_id
                      having bool_and(
                        coalesce(
                          listed.is_uploaded
                            or (
                              listed.component_count = declared.component_count
                                and listed.file_count > 0
                            ), false
                        )
                      )
                    ),
                    chosen as (
                      select distinct member.package_id, member.sbom_id, member.list_id,
                        member.file_count
                      from covered
                      join member using (package_id)
                      join listed using (sbom_id, package_id)
                      where member.is_uploaded = listed.is_uploaded
                    ),
                    compiled as materialized (
                      select chosen.package_id, key
                      from chosen
                      join source_file_lists as list on list.workspace_id = $19
                        and list.sbom_id = chosen.sbom_id and list.id = chosen.list_id
                      cross join unnest(list.keys) as key
                    ),
                    named as materialized (
                      select package_id, array_agg(key) as keys
                      from covered
                      join package_keys using (package_id)
                      group by package_id
                    ),
                    code as materialized (
                      select match.package_id, match.vulnerability_id, path, case
                        when not (match.package_id, '*/' || substring(path from '[^/]*/?$')) in (
                          select package_id, key from compiled
                        ) then false
                        when not (match.package_id, '*/' || split_part(path, '/', 1) || '/') in (
                          select package_id, key from compiled
                        ) then true
                        else (match.package_id, substring(path from '[^/]*/[^/]*/?$')) in (
                          select package_id, key from compiled
                        )
                        or (match.package_id, substring(path from '[^/]*/?$')) in (
                          select package_id, key from compiled
                        ) end as is_compiled
                      from named
                      join package_matches as match on match.package_id = named.package_id
                        and match.until is null
                      join advisory_affected as affected on affected.source = 'cvelist'
                        and affected.advisory_id = match.vulnerability_id
                        and (
                          affected.key = any(named.keys) or affected.product_key = any(named.keys)
                        ) and affected.key not like 'repo:%'
                      cross join jsonb_array_elements_text(
                        coalesce(affected.vulnerable_code, '[null]')
                      ) as path
                    )
                  select package_id, vulnerability_id
                  from code
                  group by package_id, vulnerability_id
                  having bool_and(path is not null and not is_compiled)
                ) as proposed
              ), fact.package_id || ' ' || match.vulnerability_id
            )
        ) = $20
      order by match.vulnerability_id asc, fact.package_id asc
      limit $21
    ) as chosen
  )
select match.package_id, match.vulnerability_id, vulnerability.name, match.component_name,
  match.component_version, match.severity,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, vulnerability.is_known_exploit as is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, match.score as cvss_score, epss.score as epss_score, match.confidence,
  decision.recheck_reason,
  (
    select min(greatest(held.since, seen.since))
    from package_matches as seen
    cross join unnest(match.sinces, match.untils) as held (since, until)
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity'))
  ) as detected_at, match.sort_values
from page as match
cross join lateral (
  select vulnerability.name, vulnerability.is_known_exploit, vulnerability.known_exploit_since
  from vulnerabilities as vulnerability
  where vulnerability.id = match.vulnerability_id
  limit 1
) as vulnerability
left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true
left join lateral (
  select decision.*
  from finding_decisions as decision
  where decision.workspace_id = $22 and decision.firmware_version_id = $23
    and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true
order by match.place;

-- server/src/features/findings/proposals-store.ts findProposal
with sbom as materialized (
  select id
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and parsing_state = 'Succeeded'
),
  member as materialized (
    select component.sbom_id, component.package_id, component.node, list.id as list_id,
      cardinality(list.files) as file_count, list.component_id is not null as is_uploaded
    from sbom
    join source_file_lists as list on list.workspace_id = $3 and list.sbom_id = sbom.id
    cross join unnest(list.nodes) as listed (node)
    join sbom_components as component on component.workspace_id = $4
      and component.sbom_id = list.sbom_id and component.node = listed.node
    where component.package_id is not null
      and coalesce(list.component_id, component.id) = component.id
  ),
  listed as materialized (
    select sbom_id, package_id, bool_or(is_uploaded) as is_uploaded, max(file_count) as file_count,
      count(distinct node) filter (where not is_uploaded) as component_count
    from member
    group by sbom_id, package_id
  ),
  declared as (
    select component.sbom_id, component.package_id, count(*) as component_count
    from sbom
    join sbom_components as component on component.workspace_id = $5 and component.sbom_id = sbom.id
    where component.package_id in (select package_id from listed)
    group by component.sbom_id, component.package_id
  ),
  covered as materialized (
    select declared.package_id
    from declared
    left join listed using (sbom_id, package_id)
    group by declared.package_id
    having bool_and(
      coalesce(
        listed.is_uploaded
          or (listed.component_count = declared.component_count and listed.file_count > 0), false
      )
    )
  ),
  chosen as (
    select distinct member.package_id, member.sbom_id, member.list_id, member.file_count
    from covered
    join member using (package_id)
    join listed using (sbom_id, package_id)
    where member.is_uploaded = listed.is_uploaded
  ),
  compiled as materialized (
    select chosen.package_id, key
    from chosen
    join source_file_lists as list on list.workspace_id = $6 and list.sbom_id = chosen.sbom_id
      and list.id = chosen.list_id
    cross join unnest(list.keys) as key
  ),
  named as materialized (
    select package_id, array_agg(key) as keys
    from covered
    join package_keys using (package_id)
    group by package_id
  ),
  code as materialized (
    select match.package_id, match.vulnerability_id, path, case
      when not exists (
        select
        from chosen
        join source_file_lists as list on list.workspace_id = $7 and list.sbom_id = chosen.sbom_id
          and list.id = chosen.list_id
        where chosen.package_id = match.package_id
          and '*/' || substring(path from '[^/]*/?$') = any(list.keys)
      ) then false
      when not exists (
        select
        from chosen
        join source_file_lists as list on list.workspace_id = $8 and list.sbom_id = chosen.sbom_id
          and list.id = chosen.list_id
        where chosen.package_id = match.package_id
          and '*/' || split_part(path, '/', 1) || '/' = any(list.keys)
      ) then true
      else exists (
        select
        from chosen
        join source_file_lists as list on list.workspace_id = $9 and list.sbom_id = chosen.sbom_id
          and list.id = chosen.list_id
        where chosen.package_id = match.package_id
          and substring(path from '[^/]*/[^/]*/?$') = any(list.keys)
      )
      or exists (
        select
        from chosen
        join source_file_lists as list on list.workspace_id = $10 and list.sbom_id = chosen.sbom_id
          and list.id = chosen.list_id
        where chosen.package_id = match.package_id
          and substring(path from '[^/]*/?$') = any(list.keys)
      ) end as is_compiled
    from named
    join package_matches as match on match.package_id = named.package_id and match.until is null
      and match.package_id = $11 and match.vulnerability_id = $12
    join advisory_affected as affected on affected.source = 'cvelist'
      and affected.advisory_id = match.vulnerability_id
      and (affected.key = any(named.keys) or affected.product_key = any(named.keys))
      and affected.key not like 'repo:%'
    cross join jsonb_array_elements_text(coalesce(affected.vulnerable_code, '[null]')) as path
  )
select array_agg(distinct path order by path) as vulnerable_files,
  (select sum(file_count)::int from chosen where package_id = $13) as source_file_count
from code
having bool_and(path is not null and not is_compiled);

-- server/src/features/findings/proposals-store.ts hasSourceFiles
select sbom.id
from sboms as sbom
inner join source_file_lists as list on list.workspace_id = sbom.workspace_id
  and list.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
limit $3;

-- server/src/features/findings/proposals-store.ts listSourceFileHints
with fact as materialized (
  select fact.package_id, fact.component_name, fact.component_version, found.count,
    array(select key from package_keys where package_keys.package_id = fact.package_id) as keys
  from firmware_version_packages as fact
  cross join lateral (
    select count(*)::int as count
    from package_matches as match
    where match.package_id = fact.package_id and match.until is null
  ) as found
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
    and found.count >= $3
),
  sbom as materialized (
    select id
    from sboms
    where workspace_id = $4 and firmware_version_id = $5 and parsing_state = 'Succeeded'
  ),
  member as materialized (
    select component.sbom_id, component.package_id, component.node, list.id as list_id,
      cardinality(list.files) as file_count, list.component_id is not null as is_uploaded
    from sbom
    join source_file_lists as list on list.workspace_id = $6 and list.sbom_id = sbom.id
    cross join unnest(list.nodes) as listed (node)
    join sbom_components as component on component.workspace_id = $7
      and component.sbom_id = list.sbom_id and component.node = listed.node
    where component.package_id is not null
      and coalesce(list.component_id, component.id) = component.id
  ),
  listed as materialized (
    select sbom_id, package_id, bool_or(is_uploaded) as is_uploaded, max(file_count) as file_count,
      count(distinct node) filter (where not is_uploaded) as component_count
    from member
    group by sbom_id, package_id
  ),
  declared as (
    select component.sbom_id, component.package_id, count(*) as component_count
    from sbom
    join sbom_components as component on component.workspace_id = $8 and component.sbom_id = sbom.id
    where component.package_id in (select package_id from listed)
    group by component.sbom_id, component.package_id
  ),
  covered as materialized (
    select declared.package_id
    from declared
    left join listed using (sbom_id, package_id)
    group by declared.package_id
    having bool_and(
      coalesce(
        listed.is_uploaded
          or (listed.component_count = declared.component_count and listed.file_count > 0), false
      )
    )
  )
select fact.component_name, fact.component_version, fact.count as finding_count,
  (
    select count(*)
    from package_matches as match
    where match.package_id = fact.package_id and match.until is null
      and (
        select true
        from advisory_affected as affected
        where affected.source = 'cvelist' and affected.advisory_id = match.vulnerability_id
          and (affected.key = any(fact.keys) or affected.product_key = any(fact.keys))
          and jsonb_array_length(affected.vulnerable_code) > 0
          and not affected.vulnerable_code @> '[null]'
        limit 1
      )
  )::int as comparable_finding_count
from fact
where fact.package_id not in (select package_id from covered)
order by fact.count desc, fact.component_name;

-- server/src/features/findings/store.ts deleteInventories
with gone as (
  delete from firmware_version_packages
  where workspace_id = $1 and firmware_version_id = any($2::uuid[])
  returning package_id, since, until
)
select package_id, -(count(*) filter (where until is null))::int as amount,
  min(since) as ended_since
from gone
group by package_id
order by package_id;

-- server/src/features/findings/store.ts findFirmwareVersionOfSbom
select firmware_version_id from sboms where workspace_id = $1 and id = $2;

-- server/src/features/findings/store.ts listInvolvedPackageIds
select package_id
from firmware_version_packages
where workspace_id = $1 and firmware_version_id = $2 and until is null
union select component.package_id
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $3 and sbom.firmware_version_id = $4 and sbom.parsing_state = 'Succeeded'
  and component.package_id is not null;

-- server/src/features/findings/store.ts listUnmatchedPackageIds
select distinct package.id
from sboms as sbom
inner join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
inner join packages as package on package.id = component.package_id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = $3
  and package.matched_at is null
order by package.id;

-- server/src/features/findings/store.ts replaceInventory
with members as (
  select component.*,
    row_number() over (
      partition by component.package_id
      order by length(component.package_name), component.package_name collate "C",
        component.version collate "C", component.purl collate "C", component.sbom_id, component.node
    ) as place
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id
    and component.sbom_id = sbom.id
  where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
    and sbom.parsing_state = 'Succeeded' and component.package_id is not null
),
  present as (
    select package_id,
      coalesce(min(source_name collate "C"), (array_agg(package_name order by place))[1]) as
      component_name,
      (array_agg(version order by place) filter (where version is not null))[1] as component_version,
      (array_agg(vendor order by place) filter (where vendor is not null))[1] as component_vendor,
      (array_agg(purl order by place) filter (where purl is not null))[1] as component_purl,
      (array_agg(cpes[1] order by place) filter (where cpes[1] is not null))[1] as component_cpe
    from members
    group by package_id
  ),
  ended as (
    update firmware_version_packages
    set until = greatest($3, since), ended_cause = $4
    where workspace_id = $5 and firmware_version_id = $6 and until is null
      and package_id not in (select package_id from present)
    returning package_id, since
  ),
  renamed as (
    update firmware_version_packages as fact
    set component_name = present.component_name, component_version = present.component_version,
      component_vendor = present.component_vendor, component_purl = present.component_purl,
      component_cpe = present.component_cpe
    from present
    where workspace_id = $7 and firmware_version_id = $8 and fact.until is null
      and fact.package_id = present.package_id
      and (
        fact.component_name, fact.component_version, fact.component_vendor, fact.component_purl,
          fact.component_cpe
      ) is distinct from (
        present.component_name, present.component_version, present.component_vendor,
          present.component_purl, present.component_cpe
      )
    returning fact.package_id
  ),
  begun as (
    insert into firmware_version_packages as fact (
      workspace_id, firmware_version_id, package_id, since, cause, component_name,
        component_version, component_vendor, component_purl, component_cpe
    )
    select $9, $10, package_id, $11, $12, component_name, component_version, component_vendor,
      component_purl, component_cpe
    from present
    where package_id not in (
      select package_id
      from firmware_version_packages
      where workspace_id = $13 and firmware_version_id = $14 and until is null
    )
    order by package_id
    on conflict (workspace_id, firmware_version_id, package_id, since)
    do update
    set until = null, ended_cause = null
    returning package_id
  )
select package_id, -1 as amount, since as ended_since
from ended
union all select package_id, 1, null
from begun
union all select package_id, 0, null
from renamed
order by package_id;

-- server/src/features/findings/store.ts updateEvaluatedSboms
update sboms as sbom
set vulnerabilities_parsed_at = $1
where sbom.workspace_id = $2 and sbom.firmware_version_id = $3 and sbom.parsing_state = $4
  and sbom.vulnerabilities_parsed_at is null
  and not exists (
    select
    from sbom_components as component
    inner join packages as package on package.id = component.package_id
    where component.workspace_id = $5 and component.sbom_id = sbom.id and package.matched_at is null
  );

-- server/src/features/findings/vulnerable-versions/store.ts listVersionsWithActiveFinding
select distinct fact.firmware_version_id as id
from vulnerability_aliases as alias
join package_matches as match on match.vulnerability_id = alias.vulnerability_id
  and match.until is null
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where alias.alias = any($2::text[])
  and (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') <> all($3::text[])
      and (
        match.confidence <> 'Low' or coalesce(decision.assessment, 'NotAssessed') = any($4::text[])
      )
  );

-- server/src/features/findings/vulnerable-versions/store.ts readVulnerableVersionsJson
select '[' || coalesce(
  string_agg(
    '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name) ||
      ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || '"' || to_char(
        version.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || ',"mark":' || chr(1) || json_build_array(
        coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
          coalesce(counters.undecided_high, 0), coalesce(counters.judged_components, 0),
          coalesce(counters.silent_components, 0), coalesce(read.sboms, 0),
          coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
          (
            select count(*)::int
            from vulnerability_sources
            where last_success_at is not null and source = any($1::text[])
          )
      ) || chr(1) || ',"vulnerabilitySummary":{"totalActiveIssues":' || counters.critical + counters.high
      + counters.medium + counters.low + counters."none" + counters.unknown ||
      ',"countsBySeverity":[' || '{"severity":"Critical","count":' || counters.critical || '},' ||
      '{"severity":"High","count":' || counters.high || '},' || '{"severity":"Medium","count":' ||
      counters.medium || '},' || '{"severity":"Low","count":' || counters.low || '},' ||
      '{"severity":"None","count":' || counters."none" || '},' || '{"severity":"Unknown","count":'
      || counters.unknown || '}]' || coalesce(
        affected.json,
          ',"affectedDeviceCount":0,"affectedDevices":{"runningNow":0,"seenLastDay":0,"seenLastWeek":0,"older":0}'
      ) || ',"lastEvaluatedAt":' || '"' || to_char(
        greatest(counters.evaluated_at, synced.at) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || '}}', ','
    order by counters.critical desc, counters.high desc, counters.medium desc, counters.low desc,
      counters."none" desc, counters.unknown desc, version.id desc
  ), ''
) || ']' as json
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join (
  select firmware_version_id,
    ',"affectedDeviceCount":' || total || ',"affectedDevices":{"runningNow":' || running_now ||
    ',"seenLastDay":' || seen_last_day || ',"seenLastWeek":' || seen_last_week || ',"older":' ||
    older || '}' as json
  from (
    select counts.firmware_version_id, coalesce(sum(counts.devices), 0)::int as total,
      coalesce(sum(counts.devices) filter (where counts.connected), 0)::int as running_now,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour >= $2::int), 0
      )::int as seen_last_day,
      coalesce(
        sum(counts.devices) filter (
          where not counts.connected and counts.seen_hour < $3::int and counts.seen_hour >= $4::int
        ), 0
      )::int as seen_last_week,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour < $5::int), 0
      )::int as older
    from firmware_version_device_counts as counts
    where counts.workspace_id = $6
    group by counts.firmware_version_id
  ) as counted
) as affected on affected.firmware_version_id = counters.firmware_version_id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $7
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = counters.firmware_version_id
cross join (select max(last_success_at) as at from vulnerability_sources) as synced
where counters.workspace_id = $8
  and counters.critical + counters.high + counters.medium + counters.low + counters."none" +
  counters.unknown > 0;

-- server/src/features/findings/vulnerable-versions/store.ts readVulnerableVersionsJson
select '[' || coalesce(
  string_agg(
    '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name) ||
      ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || '"' || to_char(
        version.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || ',"mark":' || chr(1) || json_build_array(
        coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
          coalesce(counters.undecided_high, 0), coalesce(counters.judged_components, 0),
          coalesce(counters.silent_components, 0), coalesce(read.sboms, 0),
          coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
          (
            select count(*)::int
            from vulnerability_sources
            where last_success_at is not null and source = any($1::text[])
          )
      ) || chr(1) || ',"vulnerabilitySummary":{"totalActiveIssues":' || counters.critical + counters.high
      + counters.medium + counters.low + counters."none" + counters.unknown ||
      ',"countsBySeverity":[' || '{"severity":"Critical","count":' || counters.critical || '},' ||
      '{"severity":"High","count":' || counters.high || '},' || '{"severity":"Medium","count":' ||
      counters.medium || '},' || '{"severity":"Low","count":' || counters.low || '},' ||
      '{"severity":"None","count":' || counters."none" || '},' || '{"severity":"Unknown","count":'
      || counters.unknown || '}]' || coalesce(
        affected.json,
          ',"affectedDeviceCount":0,"affectedDevices":{"runningNow":0,"seenLastDay":0,"seenLastWeek":0,"older":0}'
      ) || ',"lastEvaluatedAt":' || '"' || to_char(
        greatest(counters.evaluated_at, synced.at) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ) || '"' || '}}', ','
    order by counters.critical desc, counters.high desc, counters.medium desc, counters.low desc,
      counters."none" desc, counters.unknown desc, version.id desc
  ), ''
) || ']' as json
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join (
  select firmware_version_id,
    ',"affectedDeviceCount":' || total || ',"affectedDevices":{"runningNow":' || running_now ||
    ',"seenLastDay":' || seen_last_day || ',"seenLastWeek":' || seen_last_week || ',"older":' ||
    older || '}' as json
  from (
    select counts.firmware_version_id, coalesce(sum(counts.devices), 0)::int as total,
      coalesce(sum(counts.devices) filter (where counts.connected), 0)::int as running_now,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour >= $2::int), 0
      )::int as seen_last_day,
      coalesce(
        sum(counts.devices) filter (
          where not counts.connected and counts.seen_hour < $3::int and counts.seen_hour >= $4::int
        ), 0
      )::int as seen_last_week,
      coalesce(
        sum(counts.devices) filter (where not counts.connected and counts.seen_hour < $5::int), 0
      )::int as older
    from firmware_version_device_counts as counts
    where counts.workspace_id = $6
    group by counts.firmware_version_id
  ) as counted
) as affected on affected.firmware_version_id = counters.firmware_version_id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $7
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = counters.firmware_version_id
cross join (select max(last_success_at) as at from vulnerability_sources) as synced
where counters.workspace_id = $8
  and counters.critical + counters.high + counters.medium + counters.low + counters."none" +
  counters.unknown > 0 and version.firmware_id = $9;

-- server/src/features/findings/workspace-list/device-counts-store.ts findCountedDevices
select devices_counted, devices_counted_at, devices_asked_at
from workspace_kept_locks
where workspace_id = $1;

-- server/src/features/findings/workspace-list/device-counts-store.ts hasFewRunningVersions
select distinct unnest(counts.firmware_version_ids)
from firmware_set_device_counts as counts
where counts.workspace_id = $1
limit $2;

-- server/src/features/findings/workspace-list/device-counts-store.ts readDeviceState
select count(*) as sets, sum(devices) as devices
from firmware_set_device_counts
where workspace_id = $1;

-- server/src/features/findings/workspace-list/device-counts-store.ts readKeptMagnitudes
select package_id, device_magnitude
from workspace_packages
where workspace_id = $1 and device_magnitude > $2 and version_count > $3;

-- server/src/features/findings/workspace-list/device-counts-store.ts readVersionNumbers: the shortest and the longest of many variants
--   08c12b3a 1990ec6d 2789ad45 5ffd566d 9922d6e2 ab077461 fac69f72 fb5605f2 fd789689
with member as materialized (
  select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
  from (
    select firmware_version_ids, devices, row_number() over () as place
    from firmware_set_device_counts
    where workspace_id = $1
  ) as counts
),
  fact as materialized (
    select fact.package_id, fact.firmware_version_id
    from (select distinct unnest($2::uuid[]) as package_id) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $3
      and (fact.since <= $4 and (fact.until is null or fact.until > $5)) is true
  ),
  numbered as materialized (
    select firmware_version_id, row_number() over () as number
    from (select distinct firmware_version_id from fact) as each
  )
select null::uuid as package_id, string_agg(numbers, ';') as numbers
from (
  select member.devices || ',' || string_agg(numbered.number::text, ',') as numbers
  from member
  join numbered using (firmware_version_id)
  group by member.place, member.devices
) as each
having count(*) > 0
union all select fact.package_id, string_agg(numbered.number::text, ',')
from fact
join numbered using (firmware_version_id)
group by fact.package_id;

with member as materialized (
  select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
  from (
    select firmware_version_ids, devices, row_number() over () as place
    from firmware_set_device_counts
    where workspace_id = $1
  ) as counts
),
  fact as materialized (
    select fact.package_id, fact.firmware_version_id
    from (select package_id from workspace_packages where workspace_id = $2) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $3
      and (fact.since <= $4 and (fact.until is null or fact.until > $5)) is true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $6 and version.firmware_id = any($7::uuid[])
      ) and fact.firmware_version_id in (select firmware_version_id from member)
  ),
  numbered as materialized (
    select firmware_version_id, row_number() over () as number
    from (select distinct firmware_version_id from fact) as each
  )
select null::uuid as package_id, string_agg(numbers, ';') as numbers
from (
  select member.devices || ',' || string_agg(numbered.number::text, ',') as numbers
  from member
  join numbered using (firmware_version_id)
  group by member.place, member.devices
) as each
having count(*) > 0
union all select fact.package_id, string_agg(numbered.number::text, ',')
from fact
join numbered using (firmware_version_id)
group by fact.package_id;

-- server/src/features/findings/workspace-list/device-counts-store.ts sumUpMagnitudes
update workspace_vulnerabilities as counted
set device_magnitude = now.magnitude
from (
  select kept.vulnerability_id, max(held.device_magnitude) as magnitude
  from workspace_matches as kept
  join workspace_packages as held on held.workspace_id = $1 and held.package_id = kept.package_id
  where kept.workspace_id = $2
  group by kept.vulnerability_id
) as now
where counted.workspace_id = $3 and counted.vulnerability_id = now.vulnerability_id
  and counted.device_magnitude <> now.magnitude;

-- server/src/features/findings/workspace-list/device-counts-store.ts tryLockKept
select from workspace_kept_locks where workspace_id = $1 for update skip locked;

-- server/src/features/findings/workspace-list/device-counts-store.ts tryLockKept
insert into workspace_kept_locks (workspace_id) values ($1) on conflict do nothing;

-- server/src/features/findings/workspace-list/device-counts-store.ts updateDevicesAsked
update workspace_kept_locks set devices_asked_at = $1 where workspace_id = $2;

-- server/src/features/findings/workspace-list/device-counts-store.ts writeMagnitudes
update workspace_kept_locks
set devices_counted = $1, devices_counted_at = $2
where workspace_id = $3;

-- server/src/features/findings/workspace-list/device-counts-store.ts writeMagnitudes
update workspace_packages as owned
set device_magnitude = now.magnitude
from (
  select each.package_id, coalesce(counted.magnitude, 0) as magnitude
  from workspace_packages as each
  left join unnest($1::uuid[], $2::smallint[]) as counted (package_id, magnitude) on counted.package_id
    = each.package_id
  where each.workspace_id = $3
) as now
where owned.workspace_id = $4 and owned.package_id = now.package_id
  and owned.device_magnitude <> now.magnitude;

-- server/src/features/findings/workspace-list/facts-store.ts findMeant: the shortest and the longest of many variants
--   10ca5b4c 398144ca 834e4501 a2ae314a bb142320 e981af9d f0ea0c59
with named as materialized (
  select owned.package_id
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0 and false
), described as materialized (select null::text as vulnerability_id where false)
select array(select package_id from named) as package_ids,
  array(select vulnerability_id from described) as vulnerability_ids,
  (
    select count(*)::int
    from (
      select
      from named
      cross join lateral (
        select from package_matches as match where match.package_id = named.package_id offset 0
      ) as match
      union all select
      from described
      cross join lateral (
        select
        from package_matches as match
        where match.vulnerability_id = described.vulnerability_id
        offset 0
      ) as match
      limit $2
    ) as counted
  ) as match_count;

with named as materialized (
  select owned.package_id
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0
    and (
      strpos(lower(owned.component_name) collate "C", $2::text) > 0
        or exists (
          select
          from package_keys as known
          where known.package_id = owned.package_id and case
            when strpos(known.key collate "C", $3::text) > 0 then strpos(
              substring(known.key from '[^:/]*$') collate "C", $4::text
            ) > 0 else false end
        )
    )
),
  described as materialized (
    select counted.vulnerability_id
    from workspace_vulnerabilities as counted
    cross join lateral (
      select known.name
      from vulnerabilities as known
      where known.id = counted.vulnerability_id
      offset 0
    ) as known
    where counted.workspace_id = $5 and strpos(lower(known.name) collate "C", $6::text) > 0
    union select known.vulnerability_id
    from unnest($7::text[], $8::text[]) as range (from_id, to_id)
    cross join lateral (
      select each.vulnerability_id
      from vulnerability_aliases as each
      where each.alias >= range.from_id collate "C" and each.alias < range.to_id collate "C"
        and strpos(lower(each.alias) collate "C", $9::text) > 0
      offset 0
    ) as known
    where exists (
      select
      from workspace_vulnerabilities as counted
      where counted.workspace_id = $10 and counted.vulnerability_id = known.vulnerability_id
      offset 0
    )
  )
select array(select package_id from named) as package_ids,
  array(select vulnerability_id from described) as vulnerability_ids,
  (
    select count(*)::int
    from (
      select
      from named
      cross join lateral (
        select from package_matches as match where match.package_id = named.package_id offset 0
      ) as match
      union all select
      from described
      cross join lateral (
        select
        from package_matches as match
        where match.vulnerability_id = described.vulnerability_id
        offset 0
      ) as match
      limit $11
    ) as counted
  ) as match_count;

-- server/src/features/findings/workspace-list/kept-store.ts announceChangedMatches
select distinct workspace_id
from workspace_packages
where package_id = any($1::uuid[]) and version_count > 0;

-- server/src/features/findings/workspace-list/kept-store.ts countHeldVersions
insert into workspace_packages as owned (workspace_id, package_id, version_count)
select $1, package_id, amount
from unnest($2::uuid[], $3::int[]) as changed (package_id, amount)
order by package_id
on conflict (workspace_id, package_id)
do update
set version_count = owned.version_count + excluded.version_count
returning package_id, version_count as count;

-- server/src/features/findings/workspace-list/kept-store.ts deleteMatches
with gone as (
  delete from workspace_matches as kept using (
    select held.*, coalesce(named.called, held.component_name) as called, match.*
    from workspace_packages as held
    left join unnest($1::uuid[], $2::text[]) as named (named_id, called) on named.named_id = held.package_id
    cross join lateral (
      select each.vulnerability_id, each.since, each.confidence, each.severity, each.is_exploited
      from package_matches as each
      where each.package_id = held.package_id and each.until is null
      offset 0
    ) as match
    where held.workspace_id = $3 and held.package_id = any($4::uuid[])
  ) as held
  where kept.workspace_id = held.workspace_id and kept.vulnerability_id = held.vulnerability_id
    and kept.package_id = held.package_id
  returning kept.workspace_id, kept.vulnerability_id, kept.detected_at, kept.states, held.called,
    held.device_magnitude
)
select gone.workspace_id, gone.vulnerability_id, gone.called, bit_or(gone.states)::text as lost,
  min(gone.detected_at) as first_detected_at, max(gone.detected_at) as last_detected_at,
  bool_or(
    gone.detected_at <= counted.detected_at or gone.device_magnitude > 0
      and gone.device_magnitude >= counted.device_magnitude
  ) as is_first
from gone
join workspace_vulnerabilities as counted on counted.workspace_id = gone.workspace_id
  and counted.vulnerability_id = gone.vulnerability_id
group by gone.workspace_id, gone.vulnerability_id, gone.called;

-- server/src/features/findings/workspace-list/kept-store.ts deleteMatches
with gone as (
  delete from workspace_matches as kept using (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as held
  where kept.workspace_id = held.workspace_id and kept.vulnerability_id = held.vulnerability_id
    and kept.package_id = held.package_id
  returning kept.workspace_id, kept.vulnerability_id, kept.detected_at, kept.states, held.called,
    held.device_magnitude
)
select gone.workspace_id, gone.vulnerability_id, gone.called, bit_or(gone.states)::text as lost,
  min(gone.detected_at) as first_detected_at, max(gone.detected_at) as last_detected_at,
  bool_or(
    gone.detected_at <= counted.detected_at or gone.device_magnitude > 0
      and gone.device_magnitude >= counted.device_magnitude
  ) as is_first
from gone
join workspace_vulnerabilities as counted on counted.workspace_id = gone.workspace_id
  and counted.vulnerability_id = gone.vulnerability_id
group by gone.workspace_id, gone.vulnerability_id, gone.called;

-- server/src/features/findings/workspace-list/kept-store.ts keepChangedMatches
insert into workspace_vulnerabilities as counted (
  workspace_id, vulnerability_id, finding_count, severity, score, is_exploited
)
select workspace_id, vulnerability_id, sum(amount)::int, min(severity), min(score),
  coalesce(bool_or(is_exploited), false)
from (
  select match.workspace_id, match.vulnerability_id, $1::int * match.version_count as amount,
    match.severity, match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($2::uuid[], $3::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as match
  union all select match.workspace_id, match.vulnerability_id,
    $4::int * match.version_count as amount, match.severity, match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($5::uuid[], $6::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as match
  union all select match.workspace_id, match.vulnerability_id,
    $7::int * match.version_count as amount, match.severity, match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($8::uuid[], $9::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as match
) as moved
group by workspace_id, vulnerability_id
order by workspace_id, vulnerability_id
on conflict (workspace_id, vulnerability_id)
do update
set finding_count = counted.finding_count + excluded.finding_count,
  severity = coalesce(excluded.severity, counted.severity), score = case
  when excluded.severity is null then counted.score else excluded.score end, is_exploited = case
  when excluded.severity is null then counted.is_exploited else excluded.is_exploited end;

-- server/src/features/findings/workspace-list/kept-store.ts lockKept
insert into workspace_kept_locks as held (workspace_id)
select workspace_id
from (select $1::uuid) as each (workspace_id)
order by workspace_id
on conflict (workspace_id)
do update
set workspace_id = held.workspace_id;

-- server/src/features/findings/workspace-list/kept-store.ts lockKept
insert into workspace_kept_locks as held (workspace_id)
select workspace_id
from (
  select distinct workspace_id
  from workspace_packages
  where package_id = any($1::uuid[]) and version_count > 0
) as each (workspace_id)
order by workspace_id
on conflict (workspace_id)
do update
set workspace_id = held.workspace_id;

-- server/src/features/findings/workspace-list/kept-store.ts readFirstDetected
update workspace_vulnerabilities as counted
set detected_at = first.detected_at, device_magnitude = first.device_magnitude
from (
  select each.workspace_id, each.vulnerability_id, now.*
  from (
    select distinct workspace_id, vulnerability_id
    from (select * from unnest($1::uuid[], $2::text[]) as gone (workspace_id, vulnerability_id)) as
      each
  ) as each
  cross join lateral (
    select min(kept.detected_at) as detected_at,
      coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as kept
    join workspace_packages as held on held.workspace_id = kept.workspace_id
      and held.package_id = kept.package_id
    where kept.workspace_id = each.workspace_id and kept.vulnerability_id = each.vulnerability_id
  ) as now
) as first
where counted.workspace_id = first.workspace_id
  and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is distinct from first.detected_at
      or counted.device_magnitude <> first.device_magnitude
  );

-- server/src/features/findings/workspace-list/kept-store.ts readFirstDetected
update workspace_vulnerabilities as counted
set detected_at = first.detected_at, device_magnitude = first.device_magnitude
from (
  select each.workspace_id, each.vulnerability_id, now.*
  from (
    select distinct workspace_id, vulnerability_id
    from (
      select held.*, coalesce(named.called, held.component_name) as called, match.*
      from workspace_packages as held
      left join unnest($1::uuid[], $2::text[]) as named (named_id, called) on named.named_id = held.package_id
      cross join lateral (
        select each.vulnerability_id, each.since, each.confidence, each.severity, each.is_exploited
        from package_matches as each
        where each.package_id = held.package_id and each.until is null
        offset 0
      ) as match
      where held.workspace_id = $3 and held.package_id = any($4::uuid[])
    ) as each
  ) as each
  cross join lateral (
    select min(kept.detected_at) as detected_at,
      coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as kept
    join workspace_packages as held on held.workspace_id = kept.workspace_id
      and held.package_id = kept.package_id
    where kept.workspace_id = each.workspace_id and kept.vulnerability_id = each.vulnerability_id
  ) as now
) as first
where counted.workspace_id = first.workspace_id
  and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is distinct from first.detected_at
      or counted.device_magnitude <> first.device_magnitude
  );

-- server/src/features/findings/workspace-list/kept-store.ts updateFirstHeld
with moved as (
  update workspace_packages as owned
  set component_name = now.component_name, component_version = now.component_version,
    held_since = now.held_since, open_since = now.open_since
  from (
    select changed.package_id, changed.ended_since, known.component_name as called,
      newest.component_name, newest.component_version, case
      when earliest.is_moved then earliest.held_since
      when changed.amount > 0 then least(known.held_since, $1)
      else known.held_since end as held_since, case when earliest.is_moved then earliest.open_since
      when changed.amount > 0 then least(known.open_since, $2)
      else known.open_since end as open_since
    from unnest($3::uuid[], $4::int[], $5::timestamptz[]) as changed (
      package_id, amount, ended_since
    )
    join workspace_packages as known on known.workspace_id = $6
      and known.package_id = changed.package_id
    left join lateral (
      select fact.component_name, fact.component_version
      from firmware_version_packages as fact
      where fact.workspace_id = $7 and fact.package_id = changed.package_id and fact.until is null
      order by fact.firmware_version_id desc
      limit 1
    ) as newest on true
    left join lateral (
      select true as is_moved,
        min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
        min(fact.since) filter (where fact.until is null) as open_since
      from firmware_version_packages as fact
      where fact.workspace_id = $8 and fact.package_id = changed.package_id
      having changed.ended_since <= coalesce(known.open_since, known.held_since)
    ) as earliest on true
  ) as now
  where owned.workspace_id = $9 and owned.package_id = now.package_id
  returning owned.package_id, owned.version_count > 0
    and owned.open_since > now.ended_since as is_later, case
    when now.called <> coalesce(now.component_name, '') then now.called end as called
)
select *
from moved
where is_later or called is not null
order by package_id;

-- server/src/features/findings/workspace-list/kept-store.ts writeMatches
with input as materialized (
  select match.workspace_id, match.vulnerability_id, match.package_id, match.called,
    match.device_magnitude,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank, match.is_exploited,
    (
      select (
        coalesce(
          bit_or(
            1::bigint << (
              2 * (
                array_position(
                  '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                    decided.assessment
                ) - 1
              ) + decided.ignored::int
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = held.workspace_id
        and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as states,
    (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
        else (
          select min(greatest(fact.since, seen.since))
          from firmware_version_packages as fact
          join package_matches as seen on seen.package_id = fact.package_id
          where fact.workspace_id = match.workspace_id and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) as detected_at
  from (
    select held.*, coalesce(named.called, held.component_name) as called, match.*
    from workspace_packages as held
    left join unnest($1::uuid[], $2::text[]) as named (named_id, called) on named.named_id = held.package_id
    cross join lateral (
      select each.vulnerability_id, each.since, each.confidence, each.severity, each.is_exploited
      from package_matches as each
      where each.package_id = held.package_id and each.until is null
      offset 0
    ) as match
    where held.workspace_id = $3 and held.package_id = any($4::uuid[])
  ) as match
  left join lateral (
    select seen.since, seen.until
    from package_matches as seen
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and seen.until > seen.since
    order by seen.since
    limit 1
  ) as ended on true
  cross join lateral (select coalesce(ended.since, match.since) as since, ended.until) as first_seen
  cross join lateral (
    select match.workspace_id, match.version_count, match.held_since, match.open_since
  ) as held
),
  written as (
    insert into workspace_matches as kept (
      workspace_id, vulnerability_id, package_id, detected_at, states
    )
    select workspace_id, vulnerability_id, package_id, detected_at, states
    from input
    order by workspace_id, vulnerability_id, package_id
    on conflict (workspace_id, vulnerability_id, package_id)
    do update
    set detected_at = excluded.detected_at
    where kept.detected_at <> excluded.detected_at
  ),
  of_components as (
    insert into workspace_component_vulnerabilities as kept (
      workspace_id, component_name, vulnerability_id, first_detected_at, last_detected_at, states,
        severity_rank, is_exploited
    )
    select workspace_id, called, vulnerability_id, min(detected_at), max(detected_at),
      bit_or(states), max(severity_rank), bool_or(is_exploited)
    from (select * from input) as added
    where called is not null
    group by workspace_id, called, vulnerability_id
    order by workspace_id, called, vulnerability_id
    on conflict (workspace_id, component_name, vulnerability_id)
    do update
    set first_detected_at = least(kept.first_detected_at, excluded.first_detected_at),
      last_detected_at = greatest(kept.last_detected_at, excluded.last_detected_at),
      states = kept.states | excluded.states, severity_rank = excluded.severity_rank,
      is_exploited = excluded.is_exploited
  )
update workspace_vulnerabilities as counted
set detected_at = least(counted.detected_at, first.detected_at),
  states = counted.states | first.states,
  device_magnitude = greatest(counted.device_magnitude, first.device_magnitude)
from (
  select workspace_id, vulnerability_id, min(detected_at) as detected_at, bit_or(states) as states,
    max(device_magnitude) as device_magnitude
  from input
  group by workspace_id, vulnerability_id
) as first
where counted.workspace_id = first.workspace_id
  and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is null or counted.detected_at > first.detected_at
      or counted.device_magnitude < first.device_magnitude
      or counted.states | first.states <> counted.states
  );

-- server/src/features/findings/workspace-list/kept-store.ts writeMatches
with input as materialized (
  select match.workspace_id, match.vulnerability_id, match.package_id, match.called,
    match.device_magnitude,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank, match.is_exploited,
    (
      select (
        coalesce(
          bit_or(
            1::bigint << (
              2 * (
                array_position(
                  '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                    decided.assessment
                ) - 1
              ) + decided.ignored::int
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = held.workspace_id
        and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as states,
    (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
        else (
          select min(greatest(fact.since, seen.since))
          from firmware_version_packages as fact
          join package_matches as seen on seen.package_id = fact.package_id
          where fact.workspace_id = match.workspace_id and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) as detected_at
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as match
  left join lateral (
    select seen.since, seen.until
    from package_matches as seen
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and seen.until > seen.since
    order by seen.since
    limit 1
  ) as ended on true
  cross join lateral (select coalesce(ended.since, match.since) as since, ended.until) as first_seen
  cross join lateral (
    select match.workspace_id, match.version_count, match.held_since, match.open_since
  ) as held
),
  written as (
    insert into workspace_matches as kept (
      workspace_id, vulnerability_id, package_id, detected_at, states
    )
    select workspace_id, vulnerability_id, package_id, detected_at, states
    from input
    order by workspace_id, vulnerability_id, package_id
    on conflict (workspace_id, vulnerability_id, package_id)
    do update
    set detected_at = excluded.detected_at
    where kept.detected_at <> excluded.detected_at
  ),
  of_components as (
    insert into workspace_component_vulnerabilities as kept (
      workspace_id, component_name, vulnerability_id, first_detected_at, last_detected_at, states,
        severity_rank, is_exploited
    )
    select workspace_id, called, vulnerability_id, min(detected_at), max(detected_at),
      bit_or(states), max(severity_rank), bool_or(is_exploited)
    from (select * from input) as added
    where called is not null
    group by workspace_id, called, vulnerability_id
    order by workspace_id, called, vulnerability_id
    on conflict (workspace_id, component_name, vulnerability_id)
    do update
    set first_detected_at = least(kept.first_detected_at, excluded.first_detected_at),
      last_detected_at = greatest(kept.last_detected_at, excluded.last_detected_at),
      states = kept.states | excluded.states, severity_rank = excluded.severity_rank,
      is_exploited = excluded.is_exploited
  )
update workspace_vulnerabilities as counted
set detected_at = least(counted.detected_at, first.detected_at),
  states = counted.states | first.states,
  device_magnitude = greatest(counted.device_magnitude, first.device_magnitude)
from (
  select workspace_id, vulnerability_id, min(detected_at) as detected_at, bit_or(states) as states,
    max(device_magnitude) as device_magnitude
  from input
  group by workspace_id, vulnerability_id
) as first
where counted.workspace_id = first.workspace_id
  and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is null or counted.detected_at > first.detected_at
      or counted.device_magnitude < first.device_magnitude
      or counted.states | first.states <> counted.states
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts countFindingsOfPackages
insert into workspace_vulnerabilities as counted (
  workspace_id, vulnerability_id, finding_count, severity, score, is_exploited
)
select workspace_id, vulnerability_id, sum(amount)::int, min(severity), min(score),
  coalesce(bool_or(is_exploited), false)
from (
  select $1::uuid as workspace_id, match.vulnerability_id, changed.amount, match.severity,
    match.score, match.is_exploited
  from unnest($2::uuid[], $3::int[]) as changed (package_id, amount)
  cross join lateral (
    select each.vulnerability_id, each.severity, each.score, each.is_exploited
    from package_matches as each
    where each.package_id = changed.package_id and each.until is null
    offset 0
  ) as match
) as moved
group by workspace_id, vulnerability_id
order by workspace_id, vulnerability_id
on conflict (workspace_id, vulnerability_id)
do update
set finding_count = counted.finding_count + excluded.finding_count,
  severity = coalesce(excluded.severity, counted.severity), score = case
  when excluded.severity is null then counted.score else excluded.score end, is_exploited = case
  when excluded.severity is null then counted.is_exploited else excluded.is_exploited end;

-- server/src/features/findings/workspace-list/kept-sums-store.ts deleteDecisions
delete from workspace_decisions as kept using (
  select held.*, held.component_name as called, changed.vulnerability_id, match.since,
    match.confidence, match.severity, match.score, match.is_exploited
  from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
  cross join lateral (
    select holding.*
    from workspace_packages as holding
    where holding.package_id = changed.package_id and holding.version_count > 0
    offset 0
  ) as held
  left join lateral (
    select *
    from package_matches as each
    where each.package_id = changed.package_id and each.vulnerability_id = changed.vulnerability_id
      and each.until is null
    limit 1
  ) as match on true
) as held
where kept.workspace_id = held.workspace_id and kept.vulnerability_id = held.vulnerability_id
  and kept.package_id = held.package_id;

-- server/src/features/findings/workspace-list/kept-sums-store.ts dropDecisionsOfVersions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select workspace_id, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.workspace_id, decision.vulnerability_id, decision.package_id, decision.assessment,
    decision.ignored, -1 as amount
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  where decision.workspace_id = $1 and decision.firmware_version_id = any($2::uuid[])
    and fact.until is null
    and exists (
      select
      from package_matches as match
      where match.package_id = decision.package_id
        and match.vulnerability_id = decision.vulnerability_id and match.until is null
    )
) as moved
group by workspace_id, package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by workspace_id, package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/kept-sums-store.ts keepDecisionsOfVersion
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select workspace_id, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.*
  from unnest($1::uuid[], $2::int[]) as changed (package_id, amount)
  cross join lateral (
    select each.workspace_id, each.vulnerability_id, each.package_id, each.assessment, each.ignored,
      changed.amount
    from finding_decisions as each
    where each.workspace_id = $3 and each.firmware_version_id = $4
      and each.package_id = changed.package_id
    offset 0
  ) as decision
  where exists (
    select
    from package_matches as match
    where match.package_id = decision.package_id
      and match.vulnerability_id = decision.vulnerability_id and match.until is null
  )
) as moved
group by workspace_id, package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by workspace_id, package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/kept-sums-store.ts rateInComponents
update workspace_component_vulnerabilities as kept
set severity_rank = rated.severity_rank, is_exploited = rated.is_exploited
from (
  select workspace_id, called, vulnerability_id,
    max(array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)) as
    severity_rank, bool_or(is_exploited) as is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as match
  group by workspace_id, called, vulnerability_id
) as rated
where kept.workspace_id = rated.workspace_id and kept.component_name = rated.called
  and kept.vulnerability_id = rated.vulnerability_id
  and (kept.severity_rank, kept.is_exploited) is distinct from (
    rated.severity_rank, rated.is_exploited
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct workspace_id, called, vulnerability_id
    from (
      select $1::uuid as workspace_id, called, vulnerability_id
      from (
        select match.*, named.called, held.component_name
        from unnest($2::uuid[], $3::text[]) as named (package_id, called)
        join workspace_packages as held on held.workspace_id = $4
          and held.package_id = named.package_id
        cross join lateral (
          select each.*
          from workspace_matches as each
          where each.workspace_id = $5 and each.package_id = named.package_id
          offset 0
        ) as match
      ) as match
    ) as each
  ) as touched
  cross join lateral (
    select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
      bit_or(match.states) as states
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = match.workspace_id and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = touched.workspace_id
      and match.vulnerability_id = touched.vulnerability_id and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = now.workspace_id and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states
from now
where kept.workspace_id = now.workspace_id and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states) is distinct from (
    now.first_detected_at, now.last_detected_at, now.states
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct workspace_id, called, vulnerability_id
    from (
      select held.*, coalesce(named.called, held.component_name) as called, match.*
      from workspace_packages as held
      left join unnest($1::uuid[], $2::text[]) as named (named_id, called) on named.named_id = held.package_id
      cross join lateral (
        select each.vulnerability_id, each.since, each.confidence, each.severity, each.is_exploited
        from package_matches as each
        where each.package_id = held.package_id and each.until is null
        offset 0
      ) as match
      where held.workspace_id = $3 and held.package_id = any($4::uuid[])
    ) as each
  ) as touched
  cross join lateral (
    select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
      bit_or(match.states) as states
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = match.workspace_id and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = touched.workspace_id
      and match.vulnerability_id = touched.vulnerability_id and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = now.workspace_id and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states
from now
where kept.workspace_id = now.workspace_id and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states) is distinct from (
    now.first_detected_at, now.last_detected_at, now.states
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct workspace_id, called, vulnerability_id
    from (
      select workspace_id, called, vulnerability_id
      from unnest(
        $1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[]
      ) as left_over (workspace_id, called, vulnerability_id, lost, first_at, last_at)
      where not (
        exists (
          select
          from workspace_matches as other
          cross join lateral (
            select *
            from workspace_packages as one
            where one.workspace_id = other.workspace_id and one.package_id = other.package_id
            limit 1
          ) as held
          where other.workspace_id = left_over.workspace_id
            and other.vulnerability_id = left_over.vulnerability_id
            and held.component_name = left_over.called
            and other.states & left_over.lost = left_over.lost
          offset 0
        )
          and (
            left_over.first_at is null
              or exists (
                select
                from workspace_matches as other
                cross join lateral (
                  select *
                  from workspace_packages as one
                  where one.workspace_id = other.workspace_id and one.package_id = other.package_id
                  limit 1
                ) as held
                where other.workspace_id = left_over.workspace_id
                  and other.vulnerability_id = left_over.vulnerability_id
                  and held.component_name = left_over.called
                  and other.detected_at <= left_over.first_at
                offset 0
              )
          )
          and (
            left_over.last_at is null
              or exists (
                select
                from workspace_matches as other
                cross join lateral (
                  select *
                  from workspace_packages as one
                  where one.workspace_id = other.workspace_id and one.package_id = other.package_id
                  limit 1
                ) as held
                where other.workspace_id = left_over.workspace_id
                  and other.vulnerability_id = left_over.vulnerability_id
                  and held.component_name = left_over.called
                  and other.detected_at >= left_over.last_at
                offset 0
              )
          )
      )
    ) as each
  ) as touched
  cross join lateral (
    select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
      bit_or(match.states) as states
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = match.workspace_id and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = touched.workspace_id
      and match.vulnerability_id = touched.vulnerability_id and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = now.workspace_id and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states
from now
where kept.workspace_id = now.workspace_id and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states) is distinct from (
    now.first_detected_at, now.last_detected_at, now.states
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts readDecisions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select workspace_id, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.workspace_id, decision.vulnerability_id, decision.package_id, decision.assessment,
    decision.ignored, 1 as amount
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as held
  cross join lateral (
    select each.*
    from finding_decisions as each
    where each.package_id = held.package_id and each.vulnerability_id = held.vulnerability_id
      and each.workspace_id = held.workspace_id
    offset 0
  ) as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  where fact.until is null
) as moved
group by workspace_id, package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by workspace_id, package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/kept-sums-store.ts renameInComponents
insert into workspace_component_vulnerabilities as kept (
  workspace_id, component_name, vulnerability_id, first_detected_at, last_detected_at, states,
    severity_rank, is_exploited
)
select workspace_id, called, vulnerability_id, min(detected_at), max(detected_at), bit_or(states),
  max(severity_rank), bool_or(is_exploited)
from (
  select kept.workspace_id, kept.component_name as called, kept.vulnerability_id, kept.detected_at,
    kept.states,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank, match.is_exploited
  from (
    select match.*, named.called, held.component_name
    from unnest($1::uuid[], $2::text[]) as named (package_id, called)
    join workspace_packages as held on held.workspace_id = $3 and held.package_id = named.package_id
    cross join lateral (
      select each.*
      from workspace_matches as each
      where each.workspace_id = $4 and each.package_id = named.package_id
      offset 0
    ) as match
  ) as kept
  cross join lateral (
    select *
    from package_matches as one
    where one.package_id = kept.package_id and one.vulnerability_id = kept.vulnerability_id
      and one.until is null
    limit 1
  ) as match
) as added
where called is not null
group by workspace_id, called, vulnerability_id
order by workspace_id, called, vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set first_detected_at = least(kept.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(kept.last_detected_at, excluded.last_detected_at),
  states = kept.states | excluded.states, severity_rank = excluded.severity_rank,
  is_exploited = excluded.is_exploited;

-- server/src/features/findings/workspace-list/rows-store.ts countKeptRows: the shortest and the longest of many variants
--   1103c350 2173c843 4d6bb76f 4f2c82f0 678ee7bf a1e52875 afa2514b b23bbbfa b371f299 bac66a13
--   c95d91af
select count(*)::int as count
from (select from workspace_matches as match where match.workspace_id = $1 limit $2) as counted;

select count(*)::int as count
from (
  select
  from (
    select kept.*, rated.severity
    from workspace_matches as kept
    join workspace_vulnerabilities as rated on rated.workspace_id = kept.workspace_id
      and rated.vulnerability_id = kept.vulnerability_id and kept.workspace_id = $1
  ) as match
  where match.workspace_id = $2 and match.states & $3::bigint <> 0
    and (
      match.severity = any($4::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $5
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $6
    ) and match.detected_at < case match.severity when $7 then $8::timestamptz
    when $9 then $10::timestamptz when $11 then $12::timestamptz when $13 then $14::timestamptz end
  limit $15
) as counted;

-- server/src/features/findings/workspace-list/rows-store.ts countWorkspaceRows: the shortest and the longest of many variants
--   1786f035 2b1de702 6abcb42a 6c4c09ee 729753a4 76520fe5 768d8d64 a777311d b03f268a
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
)
select count(*)::int as count
from (
  select
  from package_matches as match
  join fact on fact.package_id = match.package_id
  where (match.since <= $8 and (match.until is null or match.until > $9)) is true
  limit $10
) as counted;

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
  where owned.workspace_id = $6 and false
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
  )
select count(*)::int as count
from (
  select
  from fact
  cross join lateral (
    select * from package_matches as each where each.package_id = fact.package_id offset 0
  ) as match
  join held on held.package_id = match.package_id
  left join ended on ended.package_id = match.package_id
    and ended.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
  ) as first_seen
  where (match.since <= $15 and (match.until is null or match.until > $16)) is true
    and (
      match.severity = any($17::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $18
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $19
    ) and match.confidence = any($20::text[])
    and match.vulnerability_id in (
      select vulnerability_id from vulnerability_aliases where alias = any($21::text[])
    ) and match.package_id = any($22::uuid[])
    and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
    and match.vulnerability_id not in (
      select id
      from vulnerabilities
      where is_known_exploit
      union select cve_id
      from eu_exploited_entries
    )
    and exists (
      select
      from workspace_matches as late
      where late.workspace_id = $23 and late.vulnerability_id = match.vulnerability_id
        and late.package_id = match.package_id and late.detected_at < case match.severity
        when $24 then $25::timestamptz when $26 then $27::timestamptz when $28 then $29::timestamptz
        when $30 then $31::timestamptz end
    ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $32
    and (match.package_id, match.vulnerability_id) in (
      select package_id, vulnerability_id
      from finding_decisions
      where workspace_id = $33 and recheck_reason is not null
    )
    and exists (
      select
      from finding_decisions as decision
      join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      where decision.workspace_id = $34 and decision.package_id = match.package_id
        and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $35
        and fact.package_id = match.package_id
        and (fact.since <= $36 and (fact.until is null or fact.until > $37)) is true
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $38 and version.firmware_id = any($39::uuid[])
        )
        and (
          not decision.ignored and decision.assessment <> all($40::text[])
            and (match.confidence <> 'Low' or decision.assessment = any($41::text[]))
        ) and decision.assessment = any($42::text[]) and decision.ignored = $43
        and (decision.recheck_reason is not null) = $44
        and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $45
        and decision.previous_decision ->> 'assessment' = any($46::text[])
    )
    and (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
        else (
          select min(greatest(fact.since, seen.since))
          from firmware_version_packages as fact
          join package_matches as seen on seen.package_id = fact.package_id
          where fact.workspace_id = $47::uuid and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and fact.firmware_version_id in (
              select version.id
              from firmware_versions as version
              where version.workspace_id = $48 and version.firmware_id = any($49::uuid[])
            )
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) >= $50::timestamptz
  limit $51
) as counted;

-- server/src/features/findings/workspace-list/rows-store.ts listWorkspaceRows: the shortest and the longest of many variants
--   010a2798 0342daa5 037d0d07 038da265 05c4ff52 06060913 072d5286 07a8f8e9 09611580 096ed4a1
--   0a7685ce 0b4ebc22 0bc34b9d 0bd1f9f6 0d56fa5a 0ea9f7c2 0f5c7516 0f9d7c09 143d0e26 14db156b
--   15073fc8 16537da4 16ab69f1 16ac1a39 192c9c34 1a3ad78e 1b89bffb 1c00aaeb 1c21cd4c 1c3076fd
--   1c459f3c 1c6d49ff 1db22bc5 1eb3ba2f 1ec84eb3 20b866ca 21e73de1 24c63a98 2501e9b9 262cd10e
--   281091e3 2838f988 2876f613 28aa3593 28e719f4 29c7487d 2d0c3817 2db39978 2e506731 2ee2708b
--   32508557 32b302f7 32d61082 34520fe5 359088cc 35f94c22 3826d2fb 385086e2 387048c8 38d228f7
--   38f590c9 392efba8 3a7187c2 3ac2ba55 3c621fd6 3cc86143 3ce1e03e 3d130bfe 3d82a3ef 3dfa68f3
--   3e3c73cf 3ec957bc 3f0ba8c5 3f1f8cad 3f28af92 407dc6f1 4083587f 4336e9ee 444f3855 44ef884f
--   44f81368 475e3bf4 4774d392 478d6590 47b4939b 486b0c0d 4894404a 48db38c1 49f740a7 4a1d5354
--   4a3f957c 4ac168e1 4c42bc07 4d4321b8 4d7769e2 4d96dd2d 4e79ba7f 4fbf99e0 4fc9c50e 5093a3d3
--   50ea0ba6 50f14f50 514c208d 51c03d9f 52a5fb42 534e4d6b 537eb502 53ecdf47 5497eb75 54f90300
--   555479f0 557a8256 56b6c47e 57f883b9 587c8778 58ca077f 5957b80f 597a55eb 59f877d0 5b0ed605
--   5bab4529 5bc37318 5d9fcb36 5e27f126 5f42fb32 5f85a2e2 5ffdaa04 60f83978 6135ff96 61cffe6d
--   6262c3c0 62bf2866 62f2cf93 6317d03a 638cac3a 657d1749 659aef9b 65ccc979 6666c799 6671c435
--   668cd4eb 670e6f48 67362ec7 68287dd4 682fce55 683a18ca 68a3ae76 69af3fe1 69ce8354 6a0e5da9
--   6a4a3486 6a5089b1 6afac4cc 6cf88211 6d0a9102 6d18cd20 6d2b743f 6dc23ef9 6e4469a7 6ec4ea84
--   6f500bac 701c999a 708b30d1 70d0030f 71657e05 71bad57c 71d2e678 72632ecd 72a3c6e6 72bce615
--   72d4b483 730de37b 73c57752 7574493e 75acb8ac 76136071 76f892a9 7750365f 77c0ef07 78f3f910
--   79ca8805 7a2de49b 7b07fa82 7c3a1010 7cba61fb 7d63fa36 7dd2724e 7ee0b7c2 7ef14450 7f0b9cfd
--   8093b244 8096c6f9 81258a9a 82030b6d 83b27f45 83ef74e4 8432a3c1 867e6cdc 87d72bbf 8912b3cf
--   8922e3e3 89757ca2 8a0e2b70 8a75b784 8ab4d710 8ae17e08 8ba77967 8c45bcdd 8e4a1709 8e4ceef3
--   8ec5d8f0 90ee0737 927b099a 93059d19 9348ca5f 940dc396 94b436b5 95a3c082 95ba5346 960b826d
--   976cab43 99035263 99dcacd7 99ec5201 9a393f70 9ac4f6a1 9bfa592b 9c556280 9e1eb4d0 a05f77d7
--   a0e71035 a3891961 a3d4c698 a4c93015 a4f747ca a5626834 a617a964 a6593215 a6a79fcb a7e95245
--   a85bada3 a867b28e a911f519 aa99ea4e ad33e41c b0eb8a94 b1342ffe b1a3ec26 b1e8d75e b2118490
--   b3aeaad7 b4c9622e b695c7ad b6c00bda b77b09ee b7aec86e b7af39a5 ba275c48 ba694ffe baebbd62
--   bc5c2ee1 bd290c97 bd549c09 bd66dbfe beab1ea8 c1b16ba6 c1c18ec9 c47d08cb c541c78c c61c4e3d
--   c8f42d21 cc60712c cc70e2d7 cd5e4ca1 d0e059e2 d22e3332 d238e828 d2e399e0 d2f658e0 d346b008
--   d3d28414 d3e4d947 d41b2eee d4850e77 d55521fd d70581a0 d72bed14 d841ff93 d878bf57 d8c3c193
--   d9f5e115 da0ac0bb da0bfb05 da256f64 da62449b db0e65f7 db37b922 dbeb465f dc55068c de13d235
--   de20448b e1717241 e24e64fe e2b5f5a3 e2cb1250 e3fbd321 e425c4aa e57f86bb e61ce31f e6af6c6e
--   e87f1c2e e98d0b33 e9b7507c e9f65036 ea01684a ea86bdcf eaeeb62f eaf8ecd5 eb28f948 ed781306
--   ede111c5 ee24bff7 ee2b30c4 ee2f6a4f eead4664 eeb05b0e efd4772b f10c525e f343276c f3fcbbe1
--   f4160009 f42652c2 f6f7deee f7a79451 f7ced3a3 f7ee9f84 f807433c f84bd3cb f896c693 f8b80939
--   fb66f67c fbfe1c9b fcd17186 fdd828ab feb86d9d ff66e150 ff8beda9
select package_id, vulnerability_id, component_name, component_version, severity, cvss_score,
  confidence, json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
    match.severity, match.score as cvss_score, match.confidence,
    coalesce(match.score, '-1'::real) as sort_0, match.vulnerability_id as sort_1,
    match.package_id as sort_2
  from package_matches as match
  cross join lateral (
    select *
    from workspace_packages as owned
    where owned.workspace_id = $1 and owned.package_id = match.package_id
      and owned.version_count > 0
    offset 0
  ) as fact
  where (match.since <= $2 and (match.until is null or match.until > $3)) is true
  order by coalesce(match.score, '-1'::real) asc, match.vulnerability_id asc, match.package_id asc
  limit $4
) as chosen
order by sort_0 asc, sort_1 asc, sort_2 asc;

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
    and (
      owned.package_id in (
        select member.package_id
        from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = $7 and sbom.parsing_state = 'Succeeded'
          and member.package_id is not null and member.vendor = $8
          and member.package_name collate "C" = $9 and member.version = $10
      )
    )
    and owned.package_id in (
      select fact.package_id
      from firmware_version_packages as fact
      where fact.workspace_id = $11
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $12 and version.firmware_id = any($13::uuid[])
        )
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
    where fact.workspace_id = $16
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $17 and version.firmware_id = any($18::uuid[])
      )
    group by fact.package_id
  ),
  ended as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where until is not null and until > since and package_id in (select package_id from fact)
    order by package_id, vulnerability_id, since
  )
select package_id, vulnerability_id, component_name, component_version, severity, cvss_score,
  confidence, json_build_array(sort_0, sort_1) as sort_values
from (
  select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
    match.severity, match.score as cvss_score, match.confidence, match.vulnerability_id as sort_0,
    match.package_id as sort_1
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
    where counted.workspace_id = $19 and lower(known.name) collate "C" like any($20::text[])
    union select known.vulnerability_id
    from workspace_vulnerabilities as counted
    join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
    where counted.workspace_id = $21 and lower(known.alias) collate "C" like any($22::text[])
  ) as named on named.vulnerability_id = match.vulnerability_id
  left join (
    select distinct known.package_id
    from workspace_packages as held
    join package_keys as known on known.package_id = held.package_id
    where held.workspace_id = $23
      and substring(known.key from '[^:/]*$') collate "C" like any($24::text[])
  ) as keyed on keyed.package_id = match.package_id
  join held on held.package_id = match.package_id
  left join ended on ended.package_id = match.package_id
    and ended.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
  ) as first_seen
  where (match.since <= $25 and (match.until is null or match.until > $26)) is true
    and (
      match.severity = any($27::text[])
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) >= $28
        and array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) <= $29
    ) and match.confidence = any($30::text[])
    and match.vulnerability_id in (
      select vulnerability_id from vulnerability_aliases where alias = any($31::text[])
    ) and match.vulnerability_id not in (select id from vulnerabilities where is_known_exploit)
    and match.vulnerability_id in (
      select id
      from vulnerabilities
      where is_known_exploit
      union select cve_id
      from eu_exploited_entries
    )
    and (
      named.vulnerability_id is not null or keyed.package_id is not null
        or lower(fact.component_name) collate "C" like any($32::text[])
    )
    and exists (
      select
      from workspace_matches as late
      where late.workspace_id = $33 and late.vulnerability_id = match.vulnerability_id
        and late.package_id = match.package_id and late.detected_at < case match.severity
        when $34 then $35::timestamptz when $36 then $37::timestamptz when $38 then $39::timestamptz
        when $40 then $41::timestamptz end
    ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $42
    and (match.package_id, match.vulnerability_id) in (
      select package_id, vulnerability_id
      from finding_decisions
      where workspace_id = $43 and recheck_reason is not null
    )
    and exists (
      select
      from finding_decisions as decision
      join firmware_version_packages as fact on decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      where decision.workspace_id = $44 and decision.package_id = match.package_id
        and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $45
        and fact.package_id = match.package_id
        and (fact.since <= $46 and (fact.until is null or fact.until > $47)) is true
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $48 and version.firmware_id = any($49::uuid[])
        )
        and (
          not decision.ignored and decision.assessment <> all($50::text[])
            and (match.confidence <> 'Low' or decision.assessment = any($51::text[]))
        ) and decision.assessment = any($52::text[]) and decision.ignored = $53
        and (decision.recheck_reason is not null) = $54
    )
    and (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
        else (
          select min(greatest(fact.since, seen.since))
          from firmware_version_packages as fact
          join package_matches as seen on seen.package_id = fact.package_id
          where fact.workspace_id = $55::uuid and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and fact.firmware_version_id in (
              select version.id
              from firmware_versions as version
              where version.workspace_id = $56 and version.firmware_id = any($57::uuid[])
            )
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) >= $58::timestamptz
  order by match.vulnerability_id desc, match.package_id desc
  limit $59
) as chosen
order by sort_0 desc, sort_1 desc;

-- server/src/features/findings/workspace-list/states-store.ts moveStates
update workspace_vulnerabilities as counted
set states = now.states
from (
  select moved.workspace_id, moved.vulnerability_id, case when moved.lost = 0
    or exists (
      select
      from workspace_matches as other
      where other.workspace_id = moved.workspace_id
        and other.vulnerability_id = moved.vulnerability_id
        and other.states & moved.lost = moved.lost
    ) then known.states | moved.gained
    else coalesce(
      (
        select bit_or(other.states)
        from workspace_matches as other
        where other.workspace_id = moved.workspace_id
          and other.vulnerability_id = moved.vulnerability_id
      ), 0
    ) end as states
  from (
    select workspace_id, vulnerability_id, bit_or(gained) as gained, bit_or(lost) as lost
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) as each (
      workspace_id, vulnerability_id, gained, lost
    )
    group by workspace_id, vulnerability_id
  ) as moved
  cross join lateral (
    select *
    from workspace_vulnerabilities as one
    where one.workspace_id = moved.workspace_id and one.vulnerability_id = moved.vulnerability_id
    limit 1
  ) as known
) as now
where counted.workspace_id = now.workspace_id and counted.vulnerability_id = now.vulnerability_id
  and counted.states <> now.states;

-- server/src/features/findings/workspace-list/states-store.ts moveStatesOfComponents
update workspace_component_vulnerabilities as kept
set states = kept.states | moved.gained
from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as moved (
  workspace_id, called, vulnerability_id, gained
)
where kept.workspace_id = moved.workspace_id and kept.component_name = moved.called
  and kept.vulnerability_id = moved.vulnerability_id and kept.states | moved.gained <> kept.states;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*, held.component_name as called,
    (
      select (
        coalesce(
          bit_or(
            1::bigint << (
              2 * (
                array_position(
                  '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                    decided.assessment
                ) - 1
              ) + decided.ignored::int
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = held.workspace_id
        and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select distinct $1::uuid as workspace_id, vulnerability_id, package_id
    from unnest($2::text[], $3::uuid[]) as decided (vulnerability_id, package_id)
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = touched.workspace_id
      and one.vulnerability_id = touched.vulnerability_id and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select *
    from workspace_packages as one
    where one.workspace_id = touched.workspace_id and one.package_id = touched.package_id
    limit 1
  ) as held
  cross join lateral (
    select *
    from package_matches as one
    where one.package_id = touched.package_id and one.vulnerability_id = touched.vulnerability_id
      and one.until is null
    limit 1
  ) as match
),
  written as (
    insert into workspace_matches as kept (
      workspace_id, vulnerability_id, package_id, detected_at, states
    )
    select workspace_id, vulnerability_id, package_id, detected_at, now_states
    from now
    where states <> now_states
    order by workspace_id, vulnerability_id, package_id
    on conflict (workspace_id, vulnerability_id, package_id)
    do update
    set states = excluded.states
  )
select workspace_id, vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by workspace_id, vulnerability_id, called
order by 1, 2;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*, held.component_name as called,
    (
      select (
        coalesce(
          bit_or(
            1::bigint << (
              2 * (
                array_position(
                  '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                    decided.assessment
                ) - 1
              ) + decided.ignored::int
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = held.workspace_id
        and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select distinct decided.workspace_id, decided.vulnerability_id, decided.package_id
    from unnest($1::uuid[]) as changed (package_id)
    cross join lateral (
      select *
      from workspace_decisions as each
      where each.workspace_id = $2 and each.package_id = changed.package_id
      offset 0
    ) as decided
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = touched.workspace_id
      and one.vulnerability_id = touched.vulnerability_id and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select *
    from workspace_packages as one
    where one.workspace_id = touched.workspace_id and one.package_id = touched.package_id
    limit 1
  ) as held
  cross join lateral (
    select *
    from package_matches as one
    where one.package_id = touched.package_id and one.vulnerability_id = touched.vulnerability_id
      and one.until is null
    limit 1
  ) as match
),
  written as (
    insert into workspace_matches as kept (
      workspace_id, vulnerability_id, package_id, detected_at, states
    )
    select workspace_id, vulnerability_id, package_id, detected_at, now_states
    from now
    where states <> now_states
    order by workspace_id, vulnerability_id, package_id
    on conflict (workspace_id, vulnerability_id, package_id)
    do update
    set states = excluded.states
  )
select workspace_id, vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by workspace_id, vulnerability_id, called
order by 1, 2;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*, held.component_name as called,
    (
      select (
        coalesce(
          bit_or(
            1::bigint << (
              2 * (
                array_position(
                  '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                    decided.assessment
                ) - 1
              ) + decided.ignored::int
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = held.workspace_id
        and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.package_id = changed.package_id and holding.version_count > 0
      offset 0
    ) as held
    left join lateral (
      select *
      from package_matches as each
      where each.package_id = changed.package_id
        and each.vulnerability_id = changed.vulnerability_id and each.until is null
      limit 1
    ) as match on true
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = touched.workspace_id
      and one.vulnerability_id = touched.vulnerability_id and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select *
    from workspace_packages as one
    where one.workspace_id = touched.workspace_id and one.package_id = touched.package_id
    limit 1
  ) as held
  cross join lateral (
    select *
    from package_matches as one
    where one.package_id = touched.package_id and one.vulnerability_id = touched.vulnerability_id
      and one.until is null
    limit 1
  ) as match
),
  written as (
    insert into workspace_matches as kept (
      workspace_id, vulnerability_id, package_id, detected_at, states
    )
    select workspace_id, vulnerability_id, package_id, detected_at, now_states
    from now
    where states <> now_states
    order by workspace_id, vulnerability_id, package_id
    on conflict (workspace_id, vulnerability_id, package_id)
    do update
    set states = excluded.states
  )
select workspace_id, vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by workspace_id, vulnerability_id, called
order by 1, 2;

-- server/src/features/findings/workspace-list/store.ts describeRows: the shortest and the longest of many variants
--   0decfaa3 275c1028 2f0b4b66 2fc454fc 3cae0b55 40b2541a 477d1a94 65e5ced6 6b8fc097 78dc0727
--   7accc2fa cc0820fc cfe09e02 ebc85f83 f3570b10
with match as materialized (
  select *
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as match (
    package_id, vulnerability_id, confidence, place
  )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $4 and (fact.until is null or fact.until > $5)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $6
    group by fact.package_id
  )
select vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, epss.score as epss_score,
  (
    case when first_seen.since <= held.held_since
      and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
      when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
      else (
        select min(greatest(fact.since, seen.since))
        from firmware_version_packages as fact
        join package_matches as seen on seen.package_id = fact.package_id
        where fact.workspace_id = $7::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id
          and greatest(fact.since, seen.since) < least(
            coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
          )
      ) end
  ) as detected_at, held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
  when match.confidence = 'Low' then 0
  else held.version_count - coalesce(decided.count, 0) end as active_firmware_version_count,
  coalesce(decided.assessments, '[]') as assessments, shown.versions as firmware_versions
from match
join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
join held on held.package_id = match.package_id
cross join lateral (
  select seen.since, seen.until
  from package_matches as seen
  where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
    and (seen.until is null or seen.until > seen.since)
  order by seen.since
  limit 1
) as first_seen
left join epss_scores as epss on epss.cve_id = match.vulnerability_id
cross join lateral (
  select sum(count)::int as count, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from (
    select decision.assessment, count(*)::int as count,
      count(*) filter (
        where (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($8::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($9::text[])
            )
        )
      )::int as active
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $10 and (fact.until is null or fact.until > $11)) is true
    where decision.workspace_id = $12 and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    group by decision.assessment
  ) as each
) as decided
cross join lateral (
  select coalesce(
    json_agg(
      json_build_object(
        'id', id, 'name', name, 'firmwareId', firmware_id, 'firmwareName', firmware_name
      )
    ), '[]'
  ) as versions
  from (
    select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = fact.workspace_id
      and version.id = fact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = $13 and fact.package_id = match.package_id
      and (fact.since <= $14 and (fact.until is null or fact.until > $15)) is true
    order by fact.firmware_version_id desc
    limit 5
  ) as each
) as shown
order by match.place;

with match as materialized (
  select *
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as match (
    package_id, vulnerability_id, confidence, place
  )
),
  held as materialized (
    select fact.package_id,
      count(*) filter (where (fact.since <= $4 and (fact.until is null or fact.until > $5)) is true)::int
      as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $6
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $7 and version.firmware_id = any($8::uuid[])
      )
    group by fact.package_id
  )
select vulnerability.name, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, epss.score as epss_score,
  (
    case when first_seen.since <= held.held_since
      and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
      when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
      else (
        select min(greatest(fact.since, seen.since))
        from firmware_version_packages as fact
        join package_matches as seen on seen.package_id = fact.package_id
        where fact.workspace_id = $9::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $10 and version.firmware_id = any($11::uuid[])
          )
          and greatest(fact.since, seen.since) < least(
            coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
          )
      ) end
  ) as detected_at, held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
  when match.confidence = 'Low' then 0
  else held.version_count - coalesce(decided.count, 0) end as active_firmware_version_count,
  coalesce(decided.assessments, '[]') as assessments, shown.versions as firmware_versions
from match
join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
join held on held.package_id = match.package_id
cross join lateral (
  select seen.since, seen.until
  from package_matches as seen
  where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
    and (seen.until is null or seen.until > seen.since)
  order by seen.since
  limit 1
) as first_seen
left join epss_scores as epss on epss.cve_id = match.vulnerability_id
cross join lateral (
  select sum(count)::int as count, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from (
    select decision.assessment, count(*)::int as count,
      count(*) filter (
        where (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($12::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
            )
        )
      )::int as active
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $14 and (fact.until is null or fact.until > $15)) is true
    where decision.workspace_id = $16 and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $17 and version.firmware_id = any($18::uuid[])
      )
    group by decision.assessment
  ) as each
) as decided
cross join lateral (
  select coalesce(
    json_agg(
      json_build_object(
        'id', id, 'name', name, 'firmwareId', firmware_id, 'firmwareName', firmware_name
      )
    ), '[]'
  ) as versions
  from (
    select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = fact.workspace_id
      and version.id = fact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = $19 and fact.package_id = match.package_id
      and (fact.since <= $20 and (fact.until is null or fact.until > $21)) is true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $22 and version.firmware_id = any($23::uuid[])
      )
    order by fact.firmware_version_id desc
    limit 5
  ) as each
) as shown
order by match.place;

-- server/src/features/findings/workspace-list/store.ts hasChangedSince
select evaluated_at
from firmware_version_counters
where workspace_id = $1 and evaluated_at >= $2
limit $3;

-- server/src/features/findings/workspace-list/store.ts hasFewerDecided
select count(*)::int as count
from (
  select
  from workspace_decisions as decided
  where decided.workspace_id = $1 and decided.finding_count > 0
    and decided.assessment = any($2::text[])
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/store.ts hasFewerDecided
select count(*)::int as count
from (
  select
  from workspace_decisions as decided
  where decided.workspace_id = $1 and decided.finding_count > 0
    and decided.assessment = any($2::text[]) and decided.ignored = $3
  limit $4
) as counted;

-- server/src/features/findings/workspace-list/store.ts hasFewerDetected
select count(*)::int as count
from (
  select
  from workspace_matches as recent
  where workspace_id = $1 and recent.detected_at < $2::timestamptz
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/store.ts hasFewerDetected
select count(*)::int as count
from (
  select
  from workspace_matches as recent
  where workspace_id = $1 and recent.detected_at >= $2::timestamptz
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/store.ts hasFewerDetected
select count(*)::int as count
from (
  select
  from workspace_matches as recent
  where workspace_id = $1 and recent.detected_at >= $2::timestamptz
    and recent.detected_at < $3::timestamptz
  limit $4
) as counted;

-- server/src/features/findings/workspace-list/store.ts hasFewerMatches
select count(*)::int as count
from (
  select
  from workspace_packages as owned
  cross join lateral (
    select
    from package_matches as match
    where match.package_id = owned.package_id and match.until is null
    offset 0
  ) as match
  where owned.workspace_id = $1 and owned.version_count > 0
  limit $2
) as counted;
