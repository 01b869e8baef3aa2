-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/findings/checks-store.ts listForgottenSboms
select id, firmware_version_id
from sboms
where workspace_id = $1 and parsing_state = $2 and vulnerabilities_parsed_at is null
order by id;

-- server/src/features/findings/checks-store.ts lockAllKept
select distinct package_id from firmware_version_packages where workspace_id = $1 and until is null;

-- server/src/features/findings/counters-store.ts listChangedWorkspaces
select workspace_id, array_agg(package_id) as package_ids
from (
  select workspace_id, package_id
  from workspace_packages
  where package_id = any($1::uuid[]) and version_count > 0
  union select workspace_id, package_id
  from finding_decisions
  where package_id = any($2::uuid[])
) as each
group by workspace_id
order by workspace_id;

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
    left join packages as package on package.id = component.package_id
    where sbom.workspace_id = $13 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = $14
      and coalesce(component.not_matched_reason, package.gap) is null
  ),
  (
    select count(*)
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    left join packages as package on package.id = component.package_id
    where sbom.workspace_id = $15 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = $16
      and coalesce(component.not_matched_reason, package.gap) !~ $17
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
        (coalesce(decision.assessment, 'NotAssessed') in ('NotAssessed', 'InTriage'))::int
    )
) as each (counter, amount)
where fact.workspace_id = $18 and fact.until is null
  and (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) and fact.firmware_version_id = $19
on conflict (workspace_id, firmware_version_id)
do update
set critical = excluded.critical, high = excluded.high, medium = excluded.medium,
  low = excluded.low, "none" = excluded."none", unknown = excluded.unknown,
  exploited = excluded.exploited, undecided_critical = excluded.undecided_critical,
  undecided_high = excluded.undecided_high, evaluated_at = excluded.evaluated_at,
  revision = firmware_version_counters.revision + 1, judged_components = excluded.judged_components,
  silent_components = excluded.silent_components;

-- server/src/features/findings/counters-store.ts updateCountersOfComponents
with moved as (
  select sbom.firmware_version_id, sum(changed.amount)::int as amount
  from unnest($1::uuid[], $2::int[]) as changed (package_id, amount)
  join sbom_components as component on component.workspace_id = $3
    and component.package_id = changed.package_id
  join sboms as sbom on sbom.workspace_id = $4 and sbom.id = component.sbom_id
    and sbom.parsing_state = 'Succeeded'
  where component.not_matched_reason is null
  group by sbom.firmware_version_id
)
update firmware_version_counters as counters
set judged_components = judged_components + moved.amount,
  silent_components = silent_components - moved.amount
from moved
where counters.workspace_id = $5 and counters.firmware_version_id = moved.firmware_version_id;

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
    select fact.firmware_version_id, fact.package_id
    from (select distinct package_id from changed) as package
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $2 and fact.until is null
  ),
  moved as (
    select touched.firmware_version_id, by_package.counter, by_package.amount
    from touched
    left join by_package using (package_id)
    union all select decision.firmware_version_id, each.counter, each.amount
    from changed
    join finding_decisions as decision on decision.workspace_id = $3
      and decision.package_id = changed.package_id
      and decision.vulnerability_id = changed.vulnerability_id
    join touched on touched.firmware_version_id = decision.firmware_version_id
      and touched.package_id = decision.package_id
    cross join lateral (
      values (
        changed.old_severity,
          (
            case when changed.old_confidence is null then 0
              else -1 * (
                (
                  not decision.ignored
                    and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                    and (
                      changed.old_confidence <> 'Low'
                        or decision.assessment in ('Exploitable', 'InTriage')
                    )
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
                    not decision.ignored
                      and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                      and (
                        changed.old_confidence <> 'Low'
                          or decision.assessment in ('Exploitable', 'InTriage')
                      )
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
                      not decision.ignored
                        and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                        and (
                          changed.old_confidence <> 'Low'
                            or decision.assessment in ('Exploitable', 'InTriage')
                        )
                    ) and (decision.assessment in ('NotAssessed', 'InTriage'))
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
                    not decision.ignored
                      and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                      and (
                        changed.new_confidence <> 'Low'
                          or decision.assessment in ('Exploitable', 'InTriage')
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
                    not decision.ignored
                      and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                      and (
                        changed.new_confidence <> 'Low'
                          or decision.assessment in ('Exploitable', 'InTriage')
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
                      not decision.ignored
                        and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                        and (
                          changed.new_confidence <> 'Low'
                            or decision.assessment in ('Exploitable', 'InTriage')
                        )
                    ) and (decision.assessment in ('NotAssessed', 'InTriage'))
                  )::int - (changed.new_confidence <> 'Low')::int
                ) end
            )
        )
    ) as each (counter, amount)
  ),
  totals as (
    select firmware_version_id,
      coalesce(sum(amount) filter (where counter = $4), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $5), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $6), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $7), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $8), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $9), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $10), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $11), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $12), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $13), revision = counters.revision + 1,
  critical = counters.critical + totals.critical, high = counters.high + totals.high,
  medium = counters.medium + totals.medium, low = counters.low + totals.low,
  "none" = counters."none" + totals."none", unknown = counters.unknown + totals.unknown,
  exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $14 and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/decisions-store.ts listTimeline
select type, created_at, source, created_by_email, assessment, ignored, justification, responses,
  detail, recheck_reason, origin, stated_in as stated_in, acceptance as acceptance, case
  when line_id is not null then json_build_object(
    'id', line_id, 'name',
      (
        select line.name
        from firmware_lines as line
        where line.workspace_id = $1 and line.id = line_id
      )
  ) end as line, undone_batch_id is not null as is_undo
from finding_timeline
where workspace_id = $2 and firmware_version_id = $3 and package_id = $4 and vulnerability_id = $5
order by created_at, id;

-- server/src/features/findings/decisions-store.ts writeDecisions
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in, batch_id, before, acceptance, line_id
)
select $1::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", id, case
  when is_assessed then 'Assessment' when ignored then 'Ignored' else 'Unignored' end,
  $2::timestamptz, source, "createdByEmail", assessment, ignored, justification,
  coalesce(responses, '{}'), detail, case when clears_mark then $3 when is_assessed
  or "isEnd" then recheck_reason end, "statementId", origin, "statedIn", "batchId", case
  when "batchId" is not null then replaced end, acceptance, case
  when is_assessed then "assessedLineId" when ignored then ignored_line_id end
from (
  select given.*, decision.package_id is not null as was_decided, true as is_decided,
    to_jsonb(decision) as replaced, coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed,
    (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and (
          coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
            or coalesce(decision.acceptance -> 'ended' is not null, false)
        )
    ) as clears_mark, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."recheckReason", decision.recheck_reason)
    when (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and (
          coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
            or coalesce(decision.acceptance -> 'ended' is not null, false)
        )
    ) then null when given."newAssessment" is null and decision.package_id is not null
    and not coalesce(given."isEnd", false) then decision.recheck_reason
    else given."recheckReason" end as recheck_reason, case
    when given."newAcceptance" is not null then given."newAcceptance" when given."newIgnored"
    and not coalesce(decision.ignored, false) then null when not given."newIgnored"
    and decision.ignored then decision.acceptance || jsonb_build_object(
      'ended',
        jsonb_build_object(
          'at', $4::text, 'causes', jsonb_build_array('Person'), 'byEmail', given."createdByEmail"
        )
    ) else decision.acceptance end as acceptance, case
    when not coalesce(given."newIgnored", decision.ignored, false) then null when given."newIgnored"
    and (given."isLineSaid" or not coalesce(decision.ignored, false)) then given."ignoredLineId"
    else decision.ignored_line_id end as ignored_line_id, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."previousDecision", decision.previous_decision)
    else given."previousDecision" end as previous_decision,
    coalesce(given."decidedAt", $5) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset($6::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean,
      "batchId" uuid, "newAcceptance" jsonb, "isEnd" boolean, "assessedLineId" uuid,
      "ignoredLineId" uuid, "isLineSaid" boolean
  ) left join finding_decisions as decision on decision.workspace_id = $7
    and decision.firmware_version_id = given."firmwareVersionId"
    and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
    or (
      given."newAcceptance" is not null
        and given."newAcceptance" is distinct from decision.acceptance
    )
    or (
      given."newIgnored" and given."isLineSaid"
        and given."ignoredLineId" is distinct from decision.ignored_line_id
    )
) as input
where coalesce("needsEntry", true)
order by "firmwareVersionId", "packageId", "vulnerabilityId", id;

-- server/src/features/findings/decisions-store.ts writeDecisions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select input."vulnerabilityId" as vulnerability_id, input."packageId" as package_id, each.*
  from (
    select input.*
    from (
      select given.*, decision.package_id is not null as was_decided, true as is_decided,
        to_jsonb(decision) as replaced,
        coalesce(decision.assessment, 'NotAssessed') as old_assessment,
        coalesce(decision.ignored, false) as old_ignored,
        coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
        coalesce(given."newIgnored", decision.ignored, false) as ignored,
        given."newAssessment" is not null as is_assessed,
        (
          given."newAssessment" is null and coalesce(given."newIgnored", false)
            and (
              coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
                or coalesce(decision.acceptance -> 'ended' is not null, false)
            )
        ) as clears_mark, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."recheckReason", decision.recheck_reason)
        when (
          given."newAssessment" is null and coalesce(given."newIgnored", false)
            and (
              coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
                or coalesce(decision.acceptance -> 'ended' is not null, false)
            )
        ) then null when given."newAssessment" is null and decision.package_id is not null
        and not coalesce(given."isEnd", false) then decision.recheck_reason
        else given."recheckReason" end as recheck_reason, case
        when given."newAcceptance" is not null then given."newAcceptance" when given."newIgnored"
        and not coalesce(decision.ignored, false) then null when not given."newIgnored"
        and decision.ignored then decision.acceptance || jsonb_build_object(
          'ended',
            jsonb_build_object(
              'at', $2::text, 'causes', jsonb_build_array('Person'), 'byEmail',
                given."createdByEmail"
            )
        ) else decision.acceptance end as acceptance, case
        when not coalesce(given."newIgnored", decision.ignored, false) then null
        when given."newIgnored"
        and (given."isLineSaid" or not coalesce(decision.ignored, false)) then given."ignoredLineId"
        else decision.ignored_line_id end as ignored_line_id, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."previousDecision", decision.previous_decision)
        else given."previousDecision" end as previous_decision,
        coalesce(given."decidedAt", $3) as decided_at, match.confidence as match_confidence,
        match.severity as match_severity, match.is_exploited as match_exploited
      from json_to_recordset($4::json) as given (
        id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
          "newAssessment" text, justification text, responses text[], detail text,
          "newIgnored" boolean, source text, origin text, "statedIn" jsonb, "createdByEmail" text,
          "recheckReason" text, "statementId" uuid, "previousDecision" jsonb,
          "decidedAt" timestamptz, "needsEntry" boolean, "batchId" uuid, "newAcceptance" jsonb,
          "isEnd" boolean, "assessedLineId" uuid, "ignoredLineId" uuid, "isLineSaid" boolean
      ) left join finding_decisions as decision on decision.workspace_id = $5
        and decision.firmware_version_id = given."firmwareVersionId"
        and decision.package_id = given."packageId"
        and decision.vulnerability_id = given."vulnerabilityId"
      left join package_matches as match on match.package_id = given."packageId"
        and match.vulnerability_id = given."vulnerabilityId" and match.until is null
      where given."newAssessment" is not null
        or coalesce(decision.ignored, false) is distinct from given."newIgnored"
        or (
          given."newAcceptance" is not null
            and given."newAcceptance" is distinct from decision.acceptance
        )
        or (
          given."newIgnored" and given."isLineSaid"
            and given."ignoredLineId" is distinct from decision.ignored_line_id
        )
    ) as input
    join firmware_version_packages as fact on fact.workspace_id = $6
      and fact.firmware_version_id = input."firmwareVersionId"
      and fact.package_id = input."packageId" and fact.until is null
    where input.match_confidence is not null
  ) as input
  cross join lateral (
    values (input.assessment, input.ignored, input.is_decided::int),
      (input.old_assessment, input.old_ignored, -input.was_decided::int)
  ) as each (assessment, ignored, amount)
) as moved
group by package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/decisions-store.ts writeDecisions
insert into finding_decisions as decision (
  workspace_id, firmware_version_id, package_id, vulnerability_id, assessment, ignored, updated_at,
    justification, responses, detail, source, decided_by_email, assessed_at, evidence_hash,
    recheck_reason, previous_decision, statement_id, origin, stated_in, acceptance,
    assessed_line_id, ignored_line_id
)
select $1::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", assessment, ignored,
  decided_at, justification, coalesce(responses, '{}'), detail, source, "createdByEmail", case
  when is_assessed then decided_at end, md5(evidence.evidence::text), recheck_reason,
  previous_decision, "statementId", origin, "statedIn", acceptance, "assessedLineId",
  ignored_line_id
from (
  select given.*, decision.package_id is not null as was_decided, true as is_decided,
    to_jsonb(decision) as replaced, coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed,
    (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and (
          coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
            or coalesce(decision.acceptance -> 'ended' is not null, false)
        )
    ) as clears_mark, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."recheckReason", decision.recheck_reason)
    when (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and (
          coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
            or coalesce(decision.acceptance -> 'ended' is not null, false)
        )
    ) then null when given."newAssessment" is null and decision.package_id is not null
    and not coalesce(given."isEnd", false) then decision.recheck_reason
    else given."recheckReason" end as recheck_reason, case
    when given."newAcceptance" is not null then given."newAcceptance" when given."newIgnored"
    and not coalesce(decision.ignored, false) then null when not given."newIgnored"
    and decision.ignored then decision.acceptance || jsonb_build_object(
      'ended',
        jsonb_build_object(
          'at', $2::text, 'causes', jsonb_build_array('Person'), 'byEmail', given."createdByEmail"
        )
    ) else decision.acceptance end as acceptance, case
    when not coalesce(given."newIgnored", decision.ignored, false) then null when given."newIgnored"
    and (given."isLineSaid" or not coalesce(decision.ignored, false)) then given."ignoredLineId"
    else decision.ignored_line_id end as ignored_line_id, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."previousDecision", decision.previous_decision)
    else given."previousDecision" end as previous_decision,
    coalesce(given."decidedAt", $3) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset($4::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean,
      "batchId" uuid, "newAcceptance" jsonb, "isEnd" boolean, "assessedLineId" uuid,
      "ignoredLineId" uuid, "isLineSaid" boolean
  ) left join finding_decisions as decision on decision.workspace_id = $5
    and decision.firmware_version_id = given."firmwareVersionId"
    and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
    or (
      given."newAcceptance" is not null
        and given."newAcceptance" is distinct from decision.acceptance
    )
    or (
      given."newIgnored" and given."isLineSaid"
        and given."ignoredLineId" is distinct from decision.ignored_line_id
    )
) as input
left join package_match_evidence as evidence on evidence.package_id = input."packageId"
  and evidence.vulnerability_id = input."vulnerabilityId"
order by "firmwareVersionId", "packageId", "vulnerabilityId"
on conflict (workspace_id, firmware_version_id, package_id, vulnerability_id)
do update
set ignored = excluded.ignored, acceptance = excluded.acceptance, updated_at = excluded.updated_at,
  ignored_line_id = excluded.ignored_line_id, recheck_reason = excluded.recheck_reason,
  assessment = case when excluded.assessed_at is null then decision.assessment
  else excluded.assessment end, justification = case
  when excluded.assessed_at is null then decision.justification else excluded.justification end,
  responses = case when excluded.assessed_at is null then decision.responses
  else excluded.responses end, detail = case when excluded.assessed_at is null then decision.detail
  else excluded.detail end, source = case when excluded.assessed_at is null then decision.source
  else excluded.source end, decided_by_email = case
  when excluded.assessed_at is null then decision.decided_by_email
  else excluded.decided_by_email end, assessed_at = case
  when excluded.assessed_at is null then decision.assessed_at else excluded.assessed_at end,
  evidence_hash = case when excluded.assessed_at is null then decision.evidence_hash
  else excluded.evidence_hash end, statement_id = case
  when excluded.assessed_at is null then decision.statement_id else excluded.statement_id end,
  origin = case when excluded.assessed_at is null then decision.origin else excluded.origin end,
  stated_in = case when excluded.assessed_at is null then decision.stated_in
  else excluded.stated_in end, assessed_line_id = case
  when excluded.assessed_at is null then decision.assessed_line_id
  else excluded.assessed_line_id end, previous_decision = case when excluded.assessed_at is null
  and excluded.ignored and decision.previous_decision ->> 'ignored' = 'true' then null
  when excluded.assessed_at is null then decision.previous_decision
  else excluded.previous_decision end;

-- server/src/features/findings/decisions-store.ts writeDecisions
with moved as (
  select input."firmwareVersionId" as firmware_version_id, each.counter, each.amount
  from (
    select input.*
    from (
      select given.*, decision.package_id is not null as was_decided, true as is_decided,
        to_jsonb(decision) as replaced,
        coalesce(decision.assessment, 'NotAssessed') as old_assessment,
        coalesce(decision.ignored, false) as old_ignored,
        coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
        coalesce(given."newIgnored", decision.ignored, false) as ignored,
        given."newAssessment" is not null as is_assessed,
        (
          given."newAssessment" is null and coalesce(given."newIgnored", false)
            and (
              coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
                or coalesce(decision.acceptance -> 'ended' is not null, false)
            )
        ) as clears_mark, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."recheckReason", decision.recheck_reason)
        when (
          given."newAssessment" is null and coalesce(given."newIgnored", false)
            and (
              coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
                or coalesce(decision.acceptance -> 'ended' is not null, false)
            )
        ) then null when given."newAssessment" is null and decision.package_id is not null
        and not coalesce(given."isEnd", false) then decision.recheck_reason
        else given."recheckReason" end as recheck_reason, case
        when given."newAcceptance" is not null then given."newAcceptance" when given."newIgnored"
        and not coalesce(decision.ignored, false) then null when not given."newIgnored"
        and decision.ignored then decision.acceptance || jsonb_build_object(
          'ended',
            jsonb_build_object(
              'at', $1::text, 'causes', jsonb_build_array('Person'), 'byEmail',
                given."createdByEmail"
            )
        ) else decision.acceptance end as acceptance, case
        when not coalesce(given."newIgnored", decision.ignored, false) then null
        when given."newIgnored"
        and (given."isLineSaid" or not coalesce(decision.ignored, false)) then given."ignoredLineId"
        else decision.ignored_line_id end as ignored_line_id, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."previousDecision", decision.previous_decision)
        else given."previousDecision" end as previous_decision,
        coalesce(given."decidedAt", $2) as decided_at, match.confidence as match_confidence,
        match.severity as match_severity, match.is_exploited as match_exploited
      from json_to_recordset($3::json) as given (
        id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
          "newAssessment" text, justification text, responses text[], detail text,
          "newIgnored" boolean, source text, origin text, "statedIn" jsonb, "createdByEmail" text,
          "recheckReason" text, "statementId" uuid, "previousDecision" jsonb,
          "decidedAt" timestamptz, "needsEntry" boolean, "batchId" uuid, "newAcceptance" jsonb,
          "isEnd" boolean, "assessedLineId" uuid, "ignoredLineId" uuid, "isLineSaid" boolean
      ) left join finding_decisions as decision on decision.workspace_id = $4
        and decision.firmware_version_id = given."firmwareVersionId"
        and decision.package_id = given."packageId"
        and decision.vulnerability_id = given."vulnerabilityId"
      left join package_matches as match on match.package_id = given."packageId"
        and match.vulnerability_id = given."vulnerabilityId" and match.until is null
      where given."newAssessment" is not null
        or coalesce(decision.ignored, false) is distinct from given."newIgnored"
        or (
          given."newAcceptance" is not null
            and given."newAcceptance" is distinct from decision.acceptance
        )
        or (
          given."newIgnored" and given."isLineSaid"
            and given."ignoredLineId" is distinct from decision.ignored_line_id
        )
    ) as input
    join firmware_version_packages as fact on fact.workspace_id = $5
      and fact.firmware_version_id = input."firmwareVersionId"
      and fact.package_id = input."packageId" and fact.until is null
    where input.match_confidence is not null
  ) as input
  cross join lateral (
    values (
      input.match_severity,
        (
          (
            not input.ignored
              and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
              and (
                input.match_confidence <> 'Low' or input.assessment in ('Exploitable', 'InTriage')
              )
          )::int - (
            not input.old_ignored
              and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
              and (
                input.match_confidence <> 'Low'
                  or input.old_assessment in ('Exploitable', 'InTriage')
              )
          )::int
        )
    ),
      (
        'Exploited',
          input.match_exploited::int * (
            (
              not input.ignored
                and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                and (
                  input.match_confidence <> 'Low' or input.assessment in ('Exploitable', 'InTriage')
                )
            )::int - (
              not input.old_ignored
                and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                and (
                  input.match_confidence <> 'Low'
                    or input.old_assessment in ('Exploitable', 'InTriage')
                )
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
                not input.ignored
                  and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                  and (
                    input.match_confidence <> 'Low'
                      or input.assessment in ('Exploitable', 'InTriage')
                  )
              ) and (input.assessment in ('NotAssessed', 'InTriage'))
            )::int - (
              (
                not input.old_ignored
                  and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                  and (
                    input.match_confidence <> 'Low'
                      or input.old_assessment in ('Exploitable', 'InTriage')
                  )
              ) and (input.old_assessment in ('NotAssessed', 'InTriage'))
            )::int
          )
      )
  ) as each (counter, amount)
),
  totals as (
    select firmware_version_id,
      coalesce(sum(amount) filter (where counter = $6), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $7), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $8), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $9), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $10), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $11), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $12), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $13), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $14), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $15), revision = counters.revision + 1,
  critical = counters.critical + totals.critical, high = counters.high + totals.high,
  medium = counters.medium + totals.medium, low = counters.low + totals.low,
  "none" = counters."none" + totals."none", unknown = counters.unknown + totals.unknown,
  exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $16 and counters.firmware_version_id = totals.firmware_version_id;

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
  ),
  ground as materialized (
    select workspace.remediation_target_days,
      json_build_object(
        'id', version.id, 'name', version.name, 'firmware',
          json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
      ) as firmware_version,
      (
        select json_build_object('id', line.id, 'name', line.name)
        from firmware_lines as line
        where line.workspace_id = $7 and line.id = version.line_id
      ) as line
    from workspaces as workspace
    join firmware_versions as version on version.workspace_id = workspace.id and version.id = $8
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where workspace.id = $9
  ),
  matched as materialized (
    select latest.package_id, latest.vulnerability_id, fact.component_name, fact.component_version,
      fact.component_vendor, fact.component_purl, fact.component_cpe, match.severity, match.score,
      match.confidence, evidence.evidence
    from latest
    join firmware_version_packages as fact on fact.workspace_id = $10
      and fact.firmware_version_id = $11 and fact.package_id = latest.package_id
      and fact.since = latest.held_since
    join package_matches as match on match.package_id = latest.package_id
      and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
    join package_match_evidence as evidence on evidence.package_id = latest.package_id
      and evidence.vulnerability_id = latest.vulnerability_id
  )
select matched.package_id, matched.vulnerability_id, vulnerability.name, matched.severity,
  matched.score as primary_score, vulnerability.is_known_exploit as is_known_exploit,
  vulnerability.is_disputed, vulnerability.published_at, vulnerability.modified_at,
  epss.score as epss_score, case when not $12 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) as origin, coalesce(decision.ignored, false) as ignored, decision.acceptance,
  decision.justification, coalesce(decision.responses, '{}') as responses, decision.detail,
  decision.recheck_reason, decision.previous_decision, case
  when coalesce(decision.assessed_line_id, decision.ignored_line_id) is not null then
  json_build_object(
    'id', coalesce(decision.assessed_line_id, decision.ignored_line_id), 'name',
      (
        select line.name
        from firmware_lines as line
        where line.workspace_id = $13
          and line.id = coalesce(decision.assessed_line_id, decision.ignored_line_id)
      )
  ) end as decided_line, matched.confidence, matched.evidence, matched.component_name,
  matched.component_version, matched.component_vendor, matched.component_purl,
  matched.component_cpe, ground.remediation_target_days, ground.firmware_version, ground.line,
  (
    select json_build_object(
      'dateAdded', date_added, 'dueDate', due_date, 'vendorProject', details -> 'vendorProject',
        'product', details -> 'product', 'ransomware', details -> 'ransomware', 'notes',
        details -> 'notes'
    )
    from kev_entries
    where cve_id = matched.vulnerability_id and vulnerability.is_known_exploit
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
      where cve_id = matched.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = matched.vulnerability_id
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
    where span.vulnerability_id = matched.vulnerability_id and span.package_id = matched.package_id
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
    where link.vulnerability_id = matched.vulnerability_id
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
      from jsonb_array_elements(matched.evidence) as item
    )
  ) as affected
from matched
cross join ground
join vulnerabilities as vulnerability on vulnerability.id = matched.vulnerability_id
left join epss_scores as epss on epss.cve_id = matched.vulnerability_id
left join finding_decisions as decision on decision.workspace_id = $14
  and decision.firmware_version_id = $15 and decision.package_id = matched.package_id
  and decision.vulnerability_id = matched.vulnerability_id;

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
  ),
  ground as materialized (
    select workspace.remediation_target_days,
      json_build_object(
        'id', version.id, 'name', version.name, 'firmware',
          json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
      ) as firmware_version,
      (
        select json_build_object('id', line.id, 'name', line.name)
        from firmware_lines as line
        where line.workspace_id = $10 and line.id = version.line_id
      ) as line
    from workspaces as workspace
    join firmware_versions as version on version.workspace_id = workspace.id and version.id = $11
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where workspace.id = $12
  ),
  matched as materialized (
    select latest.package_id, latest.vulnerability_id, fact.component_name, fact.component_version,
      fact.component_vendor, fact.component_purl, fact.component_cpe, match.severity, match.score,
      match.confidence, evidence.evidence
    from latest
    join firmware_version_packages as fact on fact.workspace_id = $13
      and fact.firmware_version_id = $14 and fact.package_id = latest.package_id
      and fact.since = latest.held_since
    join package_matches as match on match.package_id = latest.package_id
      and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
    join package_match_evidence as evidence on evidence.package_id = latest.package_id
      and evidence.vulnerability_id = latest.vulnerability_id
  )
select matched.package_id, matched.vulnerability_id, vulnerability.name, matched.severity,
  matched.score as primary_score,
  (
    vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
      and vulnerability.known_exploit_since <= $15
  ) as is_known_exploit, vulnerability.is_disputed, vulnerability.published_at,
  vulnerability.modified_at, null::real as epss_score, case
  when not $16 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment, null as origin,
  coalesce(decision.ignored, false) as ignored, decision.acceptance, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision, case
  when coalesce(decision.assessed_line_id, decision.ignored_line_id) is not null then
  json_build_object(
    'id', coalesce(decision.assessed_line_id, decision.ignored_line_id), 'name',
      (
        select line.name
        from firmware_lines as line
        where line.workspace_id = $17
          and line.id = coalesce(decision.assessed_line_id, decision.ignored_line_id)
      )
  ) end as decided_line, matched.confidence, matched.evidence, matched.component_name,
  matched.component_version, matched.component_vendor, matched.component_purl,
  matched.component_cpe, ground.remediation_target_days, ground.firmware_version, ground.line,
  (
    select json_build_object(
      'dateAdded', date_added, 'dueDate', due_date, 'vendorProject', details -> 'vendorProject',
        'product', details -> 'product', 'ransomware', details -> 'ransomware', 'notes',
        details -> 'notes'
    )
    from kev_entries
    where cve_id = matched.vulnerability_id
      and (
        vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
          and vulnerability.known_exploit_since <= $18
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
      where cve_id = matched.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = matched.vulnerability_id
    ) as listed
    where date_added <= $19
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
    where span.vulnerability_id = matched.vulnerability_id and span.package_id = matched.package_id
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
    where link.vulnerability_id = matched.vulnerability_id
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
      from jsonb_array_elements(matched.evidence) as item
    )
  ) as affected
from matched
cross join ground
join vulnerabilities as vulnerability on vulnerability.id = matched.vulnerability_id
left join epss_scores as epss on epss.cve_id = matched.vulnerability_id
left join (
  select workspace_id, firmware_version_id, package_id, vulnerability_id,
    (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
    (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
    (array_agg(acceptance order by created_at desc, id desc))[1] as acceptance,
    (array_agg(line_id order by created_at desc, id desc) filter (where type = 'Assessment'))[1] as
    assessed_line_id, case
    when (array_agg(ignored order by created_at desc, id desc))[1] then (
      array_agg(line_id order by created_at desc, id desc) filter (where ignored)
    )[1] end as ignored_line_id,
    nullif(
      (
        jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
          where type = 'Assessment' or recheck_reason = $20
            or (type = 'Unignored' and recheck_reason is not null)
        )
      ) -> 0 #>> '{}', $21
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
  where workspace_id = $22 and firmware_version_id = $23 and created_at <= $24
  group by workspace_id, firmware_version_id, package_id, vulnerability_id
) as decision on decision.workspace_id = $25 and decision.firmware_version_id = $26
  and decision.package_id = matched.package_id
  and decision.vulnerability_id = matched.vulnerability_id;

-- server/src/features/findings/detail/store.ts listMembers
select sbom.id as sbom_id, sbom.file_name, component.node, component.package_name as name,
  component.source_name, component.version, component.vendor, component.purl,
  component.cpes[1] as cpe
from sbom_components as component
inner join sboms as sbom on sbom.workspace_id = component.workspace_id
  and sbom.id = component.sbom_id
where component.workspace_id = $1 and component.package_id = $2 and sbom.firmware_version_id = $3
  and sbom.parsing_state = $4
order by sbom.created_at, sbom.id, component.node;

-- server/src/features/findings/detail/store.ts listStatementsAbout
select distinct on (statement.stated_at, statement.received_at, statement.id) statement.id as
  statement_id, statement.assessment, statement.justification, statement.detail,
  statement.responses, statement.received_at as since,
  jsonb_build_object(
    'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
      'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
      document.received_by_email, 'sbomFileName', sbom.file_name
  ) as stated_in
from vulnerability_aliases as alias
join vex_statement_targets as target on target.workspace_id = $1 and target.firmware_version_id = $2
  and target.vulnerability = alias.alias
join vex_statements as statement on statement.workspace_id = target.workspace_id
  and statement.id = target.statement_id
join vex_documents as document on document.workspace_id = statement.workspace_id
  and document.id = statement.document_id
left join sboms as sbom on sbom.workspace_id = document.workspace_id and sbom.id = document.sbom_id
where statement.origin = 'Document' and alias.vulnerability_id = $3 and case
  when target.package_id is not null then target.package_id = $4
  when target.sbom_id is not null then exists (
    select
    from sbom_components as component
    where component.workspace_id = $5 and component.sbom_id = target.sbom_id
      and component.package_id = $6
  ) else true end
order by statement.stated_at desc, statement.received_at desc, statement.id desc;

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
  where fact.workspace_id = $5 and fact.firmware_version_id = $6 and true
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
)
select match.severity, count(*)::int as count
from fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id
    and (match.since <= $9 and (match.until is null or match.until > $10)) is true and true
  offset 0
) as match
left join lateral (
  select decision.*
  from (
    select workspace_id, firmware_version_id, package_id, vulnerability_id,
      (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
      (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
      (array_agg(acceptance order by created_at desc, id desc))[1] as acceptance,
      (array_agg(line_id order by created_at desc, id desc) filter (where type = 'Assessment'))[1]
      as assessed_line_id, case
      when (array_agg(ignored order by created_at desc, id desc))[1] then (
        array_agg(line_id order by created_at desc, id desc) filter (where ignored)
      )[1] end as ignored_line_id,
      nullif(
        (
          jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
            where type = 'Assessment' or recheck_reason = $11
              or (type = 'Unignored' and recheck_reason is not null)
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
where true
  and (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  )
group by match.severity;

-- server/src/features/findings/list/store.ts countFindings: the shortest and the longest of many variants
--   0c8bccea 3f805fa6 8c913847 e203efc9 e4db5bec
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
  where fact.workspace_id = $5 and fact.firmware_version_id = $6 and true
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
      and (match.since <= $9 and (match.until is null or match.until > $10)) is true and true
    offset 0
  ) as match
  where true
  limit $11
) as counted;

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
            and sbom.parsing_state = 'Succeeded' and member.package_id is not null and true
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
      and (match.since <= $12 and (match.until is null or match.until > $13)) is true and true
    offset 0
  ) as match
  where true
  limit $14
) as counted;

-- server/src/features/findings/list/store.ts listFindings: the shortest and the longest of many variants
--   0141e921 041c998b 0451eae5 07850bd1 093fb982 0e03341a 0e113062 0ec2552a 106415e0 1217296d
--   1f7f5848 216d14e3 250b821f 25d654f9 25e84c74 2682eb9a 29489510 2c7d6aa8 39ba5fd9 3be27e4b
--   3e7a843c 407a2324 42a625e1 4445df22 4913ebf2 4b190132 4c45064b 4c5c13d8 4dc49154 53366ad4
--   59814791 5a6e9f86 5a8ccd7e 5baa30ad 5c1818d1 5fe8a2c3 6404a6b9 658ad8cc 6639e944 6842a50f
--   69fb25a7 6a10be2d 6bafa83f 6cff0bcd 76bab123 7748be37 77e92c31 7bc24ec4 7bd2f14c 80d1c009
--   8115d30a 82274baa 83b3f0cf 84e2c56b 850ba60e 866475b1 8739fab7 873fe2e2 8890622e 8a390bcf
--   8a728bb3 8ac71ef3 8be7fddf 8e81659d 90bf9602 90e2984d 92c7f908 9a761957 9d8050d3 a70bf531
--   a889d20d a8d5f8f7 aee718ee b22a1217 b3eee7ec b60f81b7 b65522ca b995202e bbc03869 bc9f6d84
--   bcb595de bd4e96ff c1987464 c1deef39 c2281656 c233d20e c8523e9e ca50b52b cbc90bc5 d00f0c8e
--   d49574f8 d50ffbd9 d54e1387 d567b7c9 d593e003 d77f497d dcfeb59c e1eb0dad e4121a47 e74bfe19
--   e8bbdf9b e9d5fe45 eb3d7fd4 f13403c0 f1d99c3f f32e475e f88063bc
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
  where fact.workspace_id = $5 and fact.firmware_version_id = $6 and true
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
          and (match.since <= $9 and (match.until is null or match.until > $10)) is true and true
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
  ) as exploited_sources, vulnerability.is_disputed, match.score as cvss_score,
  epss.score as epss_score, vulnerability.ssvc_class,
  (
    vulnerability.is_known_exploit
      or match.vulnerability_id in (select cve_id from eu_exploited_entries)
  ) as is_listed, match.confidence, decision.recheck_reason,
  (
    select min(greatest(held.since, seen.since))
    from package_matches as seen
    cross join unnest(match.sinces, match.untils) as held (since, until)
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity'))
  ) as detected_at, match.sort_values
from page as match
cross join lateral (
  select vulnerability.name, vulnerability.is_disputed, vulnerability.is_known_exploit,
    vulnerability.known_exploit_since, vulnerability.ssvc_class
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
  where fact.workspace_id = $5 and fact.firmware_version_id = $6 and true
  group by fact.package_id
  having bool_or((fact.since <= $7 and (fact.until is null or fact.until > $8)) is true)
),
  page as materialized (
    select chosen.*,
      json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4, sort_5) as sort_values,
      row_number() over (
        order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc
      ) as place
    from (
      select fact.package_id, fact.component_name, fact.component_version, fact.sinces, fact.untils,
        match.vulnerability_id, match.severity, match.score, match.confidence,
        match.sort_0 as sort_0, match.sort_1 as sort_1, coalesce(null::real, '-1'::real) as sort_2,
        coalesce(match.score, '-1'::real) as sort_3, match.vulnerability_id as sort_4,
        fact.package_id as sort_5
      from (
        select fact.*, match.vulnerability_id, match.severity, match.score, match.confidence,
          (
            (
              (
                select true
                from vulnerabilities as known
                where known.id = match.vulnerability_id and known.is_known_exploit
                  and known.known_exploit_since <= $9
                limit 1
              ) is true
            )
              or (
                select true
                from eu_exploited_entries as listed
                where listed.cve_id = match.vulnerability_id and listed.date_added <= $10
                limit 1
              ) is true
          )::integer as sort_0,
          array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
          sort_1
        from fact
        cross join lateral (
          select match.*
          from package_matches as match
          where match.package_id = fact.package_id
            and (match.since <= $11 and (match.until is null or match.until > $12)) is true and true
          offset 0
        ) as match
        left join lateral (
          select decision.*
          from (
            select workspace_id, firmware_version_id, package_id, vulnerability_id,
              (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
              (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
              (array_agg(acceptance order by created_at desc, id desc))[1] as acceptance,
              (
                array_agg(line_id order by created_at desc, id desc) filter (
                  where type = 'Assessment'
                )
              )[1] as assessed_line_id, case
              when (array_agg(ignored order by created_at desc, id desc))[1] then (
                array_agg(line_id order by created_at desc, id desc) filter (where ignored)
              )[1] end as ignored_line_id,
              nullif(
                (
                  jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
                    where type = 'Assessment' or recheck_reason = $13
                      or (type = 'Unignored' and recheck_reason is not null)
                  )
                ) -> 0 #>> '{}', $14
              ) as recheck_reason, null::jsonb as previous_decision,
              (
                jsonb_agg(justification order by created_at desc, id desc) filter (
                  where type = 'Assessment'
                )
              ) -> 0 #>> '{}' as justification,
              (
                jsonb_agg(detail order by created_at desc, id desc) filter (
                  where type = 'Assessment'
                )
              ) -> 0 #>> '{}' as detail,
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
            where workspace_id = $15 and firmware_version_id = $16 and created_at <= $17
            group by workspace_id, firmware_version_id, package_id, vulnerability_id
          ) as decision
          where decision.workspace_id = $18 and decision.firmware_version_id = $19
            and decision.package_id = match.package_id
            and decision.vulnerability_id = match.vulnerability_id
          limit 1
        ) as decision on true
        where true
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($20::text[]) and true
        order by sort_0 desc, sort_1 desc
        offset 0
      ) as match
      cross join lateral (
        select match.package_id, match.component_name, match.component_version, match.sinces,
          match.untils
      ) as fact
      where true
      order by match.sort_0 desc, match.sort_1 desc, coalesce(null::real, '-1'::real) desc,
        coalesce(match.score, '-1'::real) desc, match.vulnerability_id desc, fact.package_id desc
      limit $21
    ) as chosen
  )
select match.package_id, match.vulnerability_id, vulnerability.name, match.component_name,
  match.component_version, match.severity,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored,
  (
    vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
      and vulnerability.known_exploit_since <= $22
  ) as is_known_exploit,
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
    where date_added <= $23
  ) as exploited_sources, vulnerability.is_disputed, match.score as cvss_score,
  null::real as epss_score, vulnerability.ssvc_class,
  (
    vulnerability.is_known_exploit
      or match.vulnerability_id in (select cve_id from eu_exploited_entries)
  ) as is_listed, match.confidence, decision.recheck_reason,
  (
    select min(greatest(held.since, seen.since))
    from package_matches as seen
    cross join unnest(match.sinces, match.untils) as held (since, until)
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity'))
  ) as detected_at, match.sort_values
from page as match
cross join lateral (
  select vulnerability.name, vulnerability.is_disputed, vulnerability.is_known_exploit,
    vulnerability.known_exploit_since, vulnerability.ssvc_class
  from vulnerabilities as vulnerability
  where vulnerability.id = match.vulnerability_id
  limit 1
) as vulnerability
left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true
left join lateral (
  select decision.*
  from (
    select workspace_id, firmware_version_id, package_id, vulnerability_id,
      (array_agg(assessment order by created_at desc, id desc))[1] as assessment,
      (array_agg(ignored order by created_at desc, id desc))[1] as ignored,
      (array_agg(acceptance order by created_at desc, id desc))[1] as acceptance,
      (array_agg(line_id order by created_at desc, id desc) filter (where type = 'Assessment'))[1]
      as assessed_line_id, case
      when (array_agg(ignored order by created_at desc, id desc))[1] then (
        array_agg(line_id order by created_at desc, id desc) filter (where ignored)
      )[1] end as ignored_line_id,
      nullif(
        (
          jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
            where type = 'Assessment' or recheck_reason = $24
              or (type = 'Unignored' and recheck_reason is not null)
          )
        ) -> 0 #>> '{}', $25
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
    where workspace_id = $26 and firmware_version_id = $27 and created_at <= $28
    group by workspace_id, firmware_version_id, package_id, vulnerability_id
  ) as decision
  where decision.workspace_id = $29 and decision.firmware_version_id = $30
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

-- server/src/features/findings/proposals-store.ts listCompiledFindings
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
    join package_matches as match on match.package_id = named.package_id and match.until is null
    join advisory_affected as affected on affected.source = 'cvelist'
      and affected.advisory_id = match.vulnerability_id
      and (affected.key = any(named.keys) or affected.product_key = any(named.keys))
      and affected.key not like 'repo:%'
    cross join jsonb_array_elements_text(coalesce(affected.vulnerable_code, '[null]')) as path
  )
select distinct package_id, vulnerability_id
from code
join unnest($7::uuid[], $8::text[]) as asked (package_id, vulnerability_id) using (
  package_id, vulnerability_id
)
where path is not null and is_compiled;

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

-- server/src/features/findings/store.ts beginPackages
insert into firmware_version_packages as fact (
  workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version,
    component_vendor, component_purl, component_cpe
)
select $1::uuid, $2::uuid, package_id, $3::timestamptz, $4, component_name, component_version,
  component_vendor, component_purl, component_cpe
from (
  select package_id,
    coalesce(min(source_name collate "C"), (array_agg(package_name order by place))[1]) as
    component_name,
    (array_agg(version order by place) filter (where version is not null))[1] as component_version,
    (array_agg(vendor order by place) filter (where vendor is not null))[1] as component_vendor,
    (array_agg(purl order by place) filter (where purl is not null))[1] as component_purl,
    (array_agg(cpes[1] order by place) filter (where cpes[1] is not null))[1] as component_cpe
  from (
    select component.*,
      row_number() over (
        partition by component.package_id
        order by length(component.package_name), component.package_name collate "C",
          component.version collate "C", component.purl collate "C", component.sbom_id,
          component.node
      ) as place
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    where sbom.workspace_id = $5 and sbom.firmware_version_id = $6
      and sbom.parsing_state = 'Succeeded' and component.package_id is not null
  ) as member
  group by package_id
) as present
where package_id not in (
  select held.package_id
  from firmware_version_packages as held
  where held.workspace_id = $7 and held.firmware_version_id = $8 and held.until is null
)
order by package_id
on conflict (workspace_id, firmware_version_id, package_id, since)
do update
set until = null, ended_cause = null
returning package_id, 1 as amount, null::timestamptz as ended_since;

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

-- server/src/features/findings/store.ts endPackages
update firmware_version_packages as fact
set until = greatest($1, since), ended_cause = $2
where fact.workspace_id = $3 and fact.firmware_version_id = $4 and until is null
  and package_id not in (
    select component.package_id
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    where sbom.workspace_id = $5 and sbom.firmware_version_id = $6
      and sbom.parsing_state = 'Succeeded' and component.package_id is not null
  )
returning package_id, -1 as amount, since as ended_since;

-- server/src/features/findings/store.ts findFirmwareVersionOfSbom
select firmware_version_id from sboms where workspace_id = $1 and id = $2;

-- server/src/features/findings/store.ts holdsPackages
select
from firmware_version_packages as fact
where fact.workspace_id = $1 and fact.firmware_version_id = $2 and until is null
limit 1;

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

-- server/src/features/findings/store.ts renamePackages
insert into firmware_version_packages as fact (
  workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version,
    component_vendor, component_purl, component_cpe
)
select $1::uuid, $2::uuid, present.package_id, held.since, $3, present.component_name,
  present.component_version, present.component_vendor, present.component_purl, present.component_cpe
from (
  select package_id,
    coalesce(min(source_name collate "C"), (array_agg(package_name order by place))[1]) as
    component_name,
    (array_agg(version order by place) filter (where version is not null))[1] as component_version,
    (array_agg(vendor order by place) filter (where vendor is not null))[1] as component_vendor,
    (array_agg(purl order by place) filter (where purl is not null))[1] as component_purl,
    (array_agg(cpes[1] order by place) filter (where cpes[1] is not null))[1] as component_cpe
  from (
    select component.*,
      row_number() over (
        partition by component.package_id
        order by length(component.package_name), component.package_name collate "C",
          component.version collate "C", component.purl collate "C", component.sbom_id,
          component.node
      ) as place
    from sboms as sbom
    join sbom_components as component on component.workspace_id = sbom.workspace_id
      and component.sbom_id = sbom.id
    where sbom.workspace_id = $4 and sbom.firmware_version_id = $5
      and sbom.parsing_state = 'Succeeded' and component.package_id is not null
  ) as member
  group by package_id
) as present
cross join lateral (
  select *
  from firmware_version_packages as held
  where held.workspace_id = $6 and held.firmware_version_id = $7
    and held.package_id = present.package_id and held.until is null
  offset 0
) as held
where (
  held.component_name, held.component_version, held.component_vendor, held.component_purl,
    held.component_cpe
) is distinct from (
  present.component_name, present.component_version, present.component_vendor,
    present.component_purl, present.component_cpe
)
order by present.package_id
on conflict (workspace_id, firmware_version_id, package_id, since)
do update
set component_name = excluded.component_name, component_version = excluded.component_version,
  component_vendor = excluded.component_vendor, component_purl = excluded.component_purl,
  component_cpe = excluded.component_cpe
returning package_id, 0 as amount, null::timestamptz as ended_since;

-- server/src/features/findings/undo-store.ts countRestorable
with each as materialized (
  select entry.id, entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
    coalesce(
      decision.updated_at = entry.created_at
        and not exists (
          select
          from finding_timeline as later
          where later.workspace_id = $1 and later.firmware_version_id = entry.firmware_version_id
            and later.package_id = entry.package_id
            and later.vulnerability_id = entry.vulnerability_id
            and (later.created_at, later.id) > (entry.created_at, entry.id)
            and later.undone_batch_id is null
            and not exists (
              select
              from finding_timeline as undo
              where undo.workspace_id = $2 and undo.firmware_version_id = later.firmware_version_id
                and undo.package_id = later.package_id
                and undo.vulnerability_id = later.vulnerability_id
                and undo.undone_batch_id = later.batch_id
            )
        ), false
    ) as is_newest, decision.assessment, decision.ignored
  from finding_timeline as entry
  left join finding_decisions as decision on decision.workspace_id = $3
    and decision.firmware_version_id = entry.firmware_version_id
    and decision.package_id = entry.package_id
    and decision.vulnerability_id = entry.vulnerability_id
  where entry.workspace_id = $4 and entry.batch_id = $5
), entries as materialized (select distinct on (id) * from each order by id, is_newest desc)
select count(*) filter (where is_newest)::int as restored,
  count(*) filter (where not is_newest)::int as "left",
  coalesce(
    (
      select json_agg(named order by "firmwareVersionName", "vulnerabilityId")
      from (
        select kept.firmware_version_id as "firmwareVersionId", kept.package_id as "packageId",
          kept.vulnerability_id as "vulnerabilityId", version.name as "firmwareVersionName",
          coalesce(kept.assessment, 'NotAssessed') as assessment,
          coalesce(kept.ignored, false) as ignored
        from entries as kept
        join firmware_versions as version on version.workspace_id = $6
          and version.id = kept.firmware_version_id
        where not kept.is_newest
        order by version.name, kept.vulnerability_id
        limit $7
      ) as named
    ), '[]'
  ) as left_findings
from entries;

-- server/src/features/findings/undo-store.ts listRestorableAcceptances
select distinct on (entry.firmware_version_id, entry.package_id, entry.vulnerability_id) entry.firmware_version_id,
  entry.package_id, entry.vulnerability_id, earlier.acceptance
from finding_timeline as entry
join finding_decisions as decision on decision.workspace_id = $1
  and decision.firmware_version_id = entry.firmware_version_id
  and decision.package_id = entry.package_id and decision.vulnerability_id = entry.vulnerability_id
left join lateral jsonb_populate_record(null::finding_decisions, entry.before) as earlier on not (
  (earlier.source in ('Vex', 'Build') and earlier.stated_in ->> 'sbomFileName' is not null)
    and not exists (
      select
      from vex_statement_targets as target
      where target.workspace_id = $2 and target.statement_id = earlier.statement_id
    )
)
where entry.workspace_id = $3 and entry.batch_id = $4 and decision.updated_at = entry.created_at
  and not exists (
    select
    from finding_timeline as later
    where later.workspace_id = $5 and later.firmware_version_id = entry.firmware_version_id
      and later.package_id = entry.package_id and later.vulnerability_id = entry.vulnerability_id
      and (later.created_at, later.id) > (entry.created_at, entry.id)
      and later.undone_batch_id is null
      and not exists (
        select
        from finding_timeline as undo
        where undo.workspace_id = $6 and undo.firmware_version_id = later.firmware_version_id
          and undo.package_id = later.package_id and undo.vulnerability_id = later.vulnerability_id
          and undo.undone_batch_id = later.batch_id
      )
  ) and earlier.ignored and earlier.acceptance is not null
order by entry.firmware_version_id, entry.package_id, entry.vulnerability_id;

-- server/src/features/findings/undo-store.ts restoreDecisions
select distinct id from finding_timeline where workspace_id = $1 and batch_id = $2 order by id;

-- server/src/features/findings/undo-store.ts restorePart: the shortest and the longest of many variants
--   01663302 4e6ab00a 6dbe2c6d 72b6d949 e4a1962e
delete from finding_decisions as decision using (
  select entry.*
  from finding_timeline as entry
  cross join lateral (
    select
    from finding_timeline as undo
    where undo.workspace_id = $1 and undo.firmware_version_id = entry.firmware_version_id
      and undo.package_id = entry.package_id and undo.vulnerability_id = entry.vulnerability_id
      and undo.undone_batch_id = $2
    limit 1
  ) as undo
  where entry.workspace_id = $3 and entry.batch_id = $4 and entry.id = any($5::uuid[])
) as entry
left join lateral jsonb_populate_record(null::finding_decisions, entry.before) as earlier on not (
  (earlier.source in ('Vex', 'Build') and earlier.stated_in ->> 'sbomFileName' is not null)
    and not exists (
      select
      from vex_statement_targets as target
      where target.workspace_id = $6 and target.statement_id = earlier.statement_id
    )
)
where decision.workspace_id = $7 and decision.firmware_version_id = entry.firmware_version_id
  and decision.package_id = entry.package_id and decision.vulnerability_id = entry.vulnerability_id
  and earlier.package_id is null;

with moved as (
  select input."firmwareVersionId" as firmware_version_id, each.counter, each.amount
  from (
    select input.*
    from (
      select entry.firmware_version_id as "firmwareVersionId", entry.package_id as "packageId",
        entry.vulnerability_id as "vulnerabilityId", entry.created_at as decided_at,
        decision.assessment as old_assessment, decision.ignored as old_ignored, true as was_decided,
        coalesce(earlier.assessment, 'NotAssessed') as assessment,
        coalesce(earlier.ignored, false) as ignored, earlier.package_id is not null as is_decided,
        earlier.justification, earlier.responses, earlier.detail, earlier.recheck_reason,
        earlier.statement_id, earlier.origin, earlier.stated_in, earlier.acceptance,
        coalesce(earlier.assessed_line_id, earlier.ignored_line_id) as line_id,
        match.confidence as match_confidence, match.severity as match_severity,
        match.is_exploited as match_exploited
      from finding_timeline as entry
      join finding_decisions as decision on decision.workspace_id = $1
        and decision.firmware_version_id = entry.firmware_version_id
        and decision.package_id = entry.package_id
        and decision.vulnerability_id = entry.vulnerability_id
      left join lateral jsonb_populate_record(null::finding_decisions, entry.before) as earlier on
        not (
          (earlier.source in ('Vex', 'Build') and earlier.stated_in ->> 'sbomFileName' is not null)
            and not exists (
              select
              from vex_statement_targets as target
              where target.workspace_id = $2 and target.statement_id = earlier.statement_id
            )
        ) left join package_matches as match on match.package_id = entry.package_id
        and match.vulnerability_id = entry.vulnerability_id and match.until is null
      where entry.workspace_id = $3 and entry.batch_id = $4 and entry.id = any($5::uuid[])
        and decision.updated_at = entry.created_at
        and not exists (
          select
          from finding_timeline as later
          where later.workspace_id = $6 and later.firmware_version_id = entry.firmware_version_id
            and later.package_id = entry.package_id
            and later.vulnerability_id = entry.vulnerability_id
            and (later.created_at, later.id) > (entry.created_at, entry.id)
            and later.undone_batch_id is null
            and not exists (
              select
              from finding_timeline as undo
              where undo.workspace_id = $7 and undo.firmware_version_id = later.firmware_version_id
                and undo.package_id = later.package_id
                and undo.vulnerability_id = later.vulnerability_id
                and undo.undone_batch_id = later.batch_id
            )
        )
    ) as input
    join firmware_version_packages as fact on fact.workspace_id = $8
      and fact.firmware_version_id = input."firmwareVersionId"
      and fact.package_id = input."packageId" and fact.until is null
    where input.match_confidence is not null
  ) as input
  cross join lateral (
    values (
      input.match_severity,
        (
          (
            not input.ignored
              and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
              and (
                input.match_confidence <> 'Low' or input.assessment in ('Exploitable', 'InTriage')
              )
          )::int - (
            not input.old_ignored
              and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
              and (
                input.match_confidence <> 'Low'
                  or input.old_assessment in ('Exploitable', 'InTriage')
              )
          )::int
        )
    ),
      (
        'Exploited',
          input.match_exploited::int * (
            (
              not input.ignored
                and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                and (
                  input.match_confidence <> 'Low' or input.assessment in ('Exploitable', 'InTriage')
                )
            )::int - (
              not input.old_ignored
                and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                and (
                  input.match_confidence <> 'Low'
                    or input.old_assessment in ('Exploitable', 'InTriage')
                )
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
                not input.ignored
                  and input.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                  and (
                    input.match_confidence <> 'Low'
                      or input.assessment in ('Exploitable', 'InTriage')
                  )
              ) and (input.assessment in ('NotAssessed', 'InTriage'))
            )::int - (
              (
                not input.old_ignored
                  and input.old_assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
                  and (
                    input.match_confidence <> 'Low'
                      or input.old_assessment in ('Exploitable', 'InTriage')
                  )
              ) and (input.old_assessment in ('NotAssessed', 'InTriage'))
            )::int
          )
      )
  ) as each (counter, amount)
),
  totals as (
    select firmware_version_id,
      coalesce(sum(amount) filter (where counter = $9), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $10), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $11), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $12), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $13), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $14), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $15), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $16), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $17), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $18), revision = counters.revision + 1,
  critical = counters.critical + totals.critical, high = counters.high + totals.high,
  medium = counters.medium + totals.medium, low = counters.low + totals.low,
  "none" = counters."none" + totals."none", unknown = counters.unknown + totals.unknown,
  exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $19 and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts countFindings
update workspace_component_vulnerabilities as pair
set finding_count = pair.finding_count + moved.amount
from (
  select kept.component_name, kept.vulnerability_id, sum(changed.amount)::int as amount
  from unnest($1::uuid[], $2::int[]) as changed (package_id, amount)
  cross join lateral (
    select one.component_name, one.vulnerability_id
    from workspace_matches as one
    where one.workspace_id = $3 and one.package_id = changed.package_id
    offset 0
  ) as kept
  group by kept.component_name, kept.vulnerability_id
) as moved
where pair.workspace_id = $4 and pair.component_name = moved.component_name
  and pair.vulnerability_id = moved.vulnerability_id;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts deleteMatches
with deleted as (
  delete from workspace_matches as kept using (
    select * from unnest($1::uuid[], $2::int[]) as held (package_id, version_count)
  ) as held
  where kept.workspace_id = $3 and kept.package_id = held.package_id
    and kept.package_id = any($4::uuid[])
  returning kept.*, held.version_count
),
  gone as (
    select component_name, vulnerability_id, array_agg(package_id) as package_ids,
      bit_or(states) as states, min(detected_at) as first_at, max(detected_at) as last_at,
      max(device_magnitude) as magnitude, sum(version_count)::int as finding_count
    from deleted
    group by component_name, vulnerability_id
  ),
  now as materialized (
    select gone.component_name, gone.vulnerability_id,
      pair.finding_count - gone.finding_count as finding_count, found.*
    from gone
    cross join lateral (
      select *
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $5 and one.component_name = gone.component_name
        and one.vulnerability_id = gone.vulnerability_id
      limit 1
    ) as pair
    cross join lateral (
      select pair.finding_count > gone.finding_count
        and (
          gone.first_at <= pair.first_detected_at or gone.last_at >= pair.last_detected_at
            or (gone.magnitude > 0 and gone.magnitude >= pair.device_magnitude)
            or not exists (
              select
              from workspace_matches as other
              where other.workspace_id = $6 and other.vulnerability_id = gone.vulnerability_id
                and other.component_name = gone.component_name
                and other.package_id <> all(gone.package_ids)
                and other.states & gone.states = gone.states
            )
        ) as is_read
      offset 0
    ) as changed
    cross join lateral (
      select min(other.detected_at) as first_detected_at,
        max(other.detected_at) as last_detected_at, bit_or(other.states) as states,
        max(other.device_magnitude) as device_magnitude
      from (
        select other.*
        from workspace_matches as other
        where other.workspace_id = $7 and other.vulnerability_id = gone.vulnerability_id
          and other.component_name = gone.component_name
          and other.package_id <> all(gone.package_ids) and changed.is_read
      ) as other
    ) as found
  ),
  emptied as (
    delete from workspace_component_vulnerabilities as pair using now
    where pair.workspace_id = $8 and pair.component_name = now.component_name
      and pair.vulnerability_id = now.vulnerability_id and now.finding_count = 0
  )
update workspace_component_vulnerabilities as pair
set finding_count = now.finding_count, states = coalesce(now.states, pair.states),
  first_detected_at = coalesce(now.first_detected_at, pair.first_detected_at),
  last_detected_at = coalesce(now.last_detected_at, pair.last_detected_at),
  device_magnitude = coalesce(now.device_magnitude, pair.device_magnitude)
from now
where pair.workspace_id = $9 and pair.component_name = now.component_name
  and pair.vulnerability_id = now.vulnerability_id and now.finding_count > 0;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts deleteMatches
with deleted as (
  delete from workspace_matches as kept using (
    select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
      match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $3 and holding.package_id = changed.package_id
        and holding.version_count > 0
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
  where kept.workspace_id = $4 and kept.vulnerability_id = held.vulnerability_id
    and kept.package_id = held.package_id
  returning kept.*, held.version_count
),
  gone as (
    select component_name, vulnerability_id, array_agg(package_id) as package_ids,
      bit_or(states) as states, min(detected_at) as first_at, max(detected_at) as last_at,
      max(device_magnitude) as magnitude, sum(version_count)::int as finding_count
    from deleted
    group by component_name, vulnerability_id
  ),
  now as materialized (
    select gone.component_name, gone.vulnerability_id,
      pair.finding_count - gone.finding_count as finding_count, found.*
    from gone
    cross join lateral (
      select *
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $5 and one.component_name = gone.component_name
        and one.vulnerability_id = gone.vulnerability_id
      limit 1
    ) as pair
    cross join lateral (
      select pair.finding_count > gone.finding_count
        and (
          gone.first_at <= pair.first_detected_at or gone.last_at >= pair.last_detected_at
            or (gone.magnitude > 0 and gone.magnitude >= pair.device_magnitude)
            or not exists (
              select
              from workspace_matches as other
              where other.workspace_id = $6 and other.vulnerability_id = gone.vulnerability_id
                and other.component_name = gone.component_name
                and other.package_id <> all(gone.package_ids)
                and other.states & gone.states = gone.states
            )
        ) as is_read
      offset 0
    ) as changed
    cross join lateral (
      select min(other.detected_at) as first_detected_at,
        max(other.detected_at) as last_detected_at, bit_or(other.states) as states,
        max(other.device_magnitude) as device_magnitude
      from (
        select other.*
        from workspace_matches as other
        where other.workspace_id = $7 and other.vulnerability_id = gone.vulnerability_id
          and other.component_name = gone.component_name
          and other.package_id <> all(gone.package_ids) and changed.is_read
      ) as other
    ) as found
  ),
  emptied as (
    delete from workspace_component_vulnerabilities as pair using now
    where pair.workspace_id = $8 and pair.component_name = now.component_name
      and pair.vulnerability_id = now.vulnerability_id and now.finding_count = 0
  )
update workspace_component_vulnerabilities as pair
set finding_count = now.finding_count, states = coalesce(now.states, pair.states),
  first_detected_at = coalesce(now.first_detected_at, pair.first_detected_at),
  last_detected_at = coalesce(now.last_detected_at, pair.last_detected_at),
  device_magnitude = coalesce(now.device_magnitude, pair.device_magnitude)
from now
where pair.workspace_id = $9 and pair.component_name = now.component_name
  and pair.vulnerability_id = now.vulnerability_id and now.finding_count > 0;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts rateMatches
with rated as (
  update workspace_matches as kept
  set severity_rank = array_position(
    '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
  ), is_exploited = match.is_exploited
  from (
    select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
      match.score, match.is_exploited
    from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $3 and holding.package_id = changed.package_id
        and holding.version_count > 0
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
  where kept.workspace_id = $4 and kept.vulnerability_id = match.vulnerability_id
    and kept.package_id = match.package_id
  returning kept.component_name, kept.vulnerability_id, kept.severity_rank, match.score,
    kept.is_exploited
)
update workspace_component_vulnerabilities as pair
set severity_rank = now.severity_rank, score = now.score, is_exploited = now.is_exploited
from (
  select component_name, vulnerability_id, max(severity_rank) as severity_rank, max(score) as score,
    bool_or(is_exploited) as is_exploited
  from rated
  group by component_name, vulnerability_id
) as now
where pair.workspace_id = $5 and pair.component_name = now.component_name
  and pair.vulnerability_id = now.vulnerability_id;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts readMatchesAgain
update workspace_component_vulnerabilities as pair
set states = now.states, first_detected_at = now.first_detected_at,
  last_detected_at = now.last_detected_at, device_magnitude = now.device_magnitude
from (
  select changed.*, found.*
  from unnest($1::text[], $2::text[]) as changed (component_name, vulnerability_id)
  cross join lateral (
    select min(other.detected_at) as first_detected_at, max(other.detected_at) as last_detected_at,
      bit_or(other.states) as states, max(other.device_magnitude) as device_magnitude
    from workspace_matches as other
    where other.workspace_id = $3 and other.vulnerability_id = changed.vulnerability_id
      and other.component_name = changed.component_name
  ) as found
) as now
where pair.workspace_id = $4 and pair.component_name = now.component_name
  and pair.vulnerability_id = now.vulnerability_id;

-- server/src/features/findings/workspace-list/copies-store.ts copyMagnitudes
with changed as (
  update workspace_matches as kept
  set device_magnitude = owned.device_magnitude
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.package_id = any($2::uuid[]) and kept.workspace_id = $3
    and kept.package_id = owned.package_id
  returning kept.component_name, kept.vulnerability_id
)
select distinct component_name, vulnerability_id
from changed
order by 1, 2;

-- server/src/features/findings/workspace-list/copies-store.ts hasAcceptanceBy
select
from finding_decisions
where workspace_id = $1 and ignored and acceptance is not null
  and acceptance -> 'conditions' ->> $2 is not null
limit 1;

-- server/src/features/findings/workspace-list/copies-store.ts listOutdatedCopies
select component_name, vulnerability_id, name, epss_score, copied_score, ssvc_class, copied_class
from (
  select pair.component_name, pair.vulnerability_id, pair.name as copied_name,
    pair.epss_score as copied_score, pair.ssvc_class as copied_class,
    coalesce(
      (
        select known.ssvc_class from vulnerabilities as known where known.id = pair.vulnerability_id
      ), 0
    ) as ssvc_class,
    coalesce(
      (select known.name from vulnerabilities as known where known.id = pair.vulnerability_id), ''
    ) collate "C" as name,
    coalesce(
      (select epss.score from epss_scores as epss where epss.cve_id = pair.vulnerability_id),
        '-1'::real
    ) as epss_score
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $1
  offset 0
) as each
where copied_name <> name or copied_score <> epss_score or copied_class <> ssvc_class;

-- server/src/features/findings/workspace-list/copies-store.ts markRefreshed
update workspace_kept_locks set names_copied_at = $1, score_revision = $2 where workspace_id = $3;

-- server/src/features/findings/workspace-list/copies-store.ts markRefreshed
update workspace_kept_locks
set devices_counted_at = $1, devices_counted = $2, ssvc_inputs = $3
where workspace_id = $4;

-- server/src/features/findings/workspace-list/copies-store.ts readCopyAges
select kept.devices_counted is distinct from now.devices_counted or kept.devices_counted_at is null
  or exists (
    select
    from firmware_version_counters
    where workspace_id = $1 and evaluated_at >= kept.devices_counted_at
  ) as are_devices_old, kept.score_revision is distinct from now.score_revision as are_scores_old,
  kept.names_copied_at, now.devices_counted, now.score_revision, kept.devices_counted_at,
  now.ssvc_inputs, now.are_cohorts_exposed
from (
  select count(*) || ' ' || coalesce(
    sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0
  ) || ' ' || (select count(*) from firmware_version_counters where workspace_id = $2) || ' ' || (
    select count(*) from ssvc_settings where workspace_id = $3
  ) as devices_counted,
    coalesce(
      (
        select inputs_revision
        from ssvc_settings
        where workspace_id = $4
        order by revision desc
        limit 1
      ), 0
    ) as ssvc_inputs,
    coalesce(
      (
        select exposures <> '{}'
        from ssvc_settings
        where workspace_id = $5
        order by revision desc
        limit 1
      ), false
    ) as are_cohorts_exposed,
    (select coalesce(sum(score_revision), 0)::int from vulnerability_sources) as score_revision
  from firmware_set_device_counts
  where workspace_id = $6
) as now
left join workspace_kept_locks as kept on kept.workspace_id = $7;

-- server/src/features/findings/workspace-list/copies-store.ts writeCopies
update workspace_component_vulnerabilities as pair
set name = known.name, epss_score = known.epss_score, ssvc_class = known.ssvc_class
from unnest($1::text[], $2::text[], $3::text[], $4::real[], $5::smallint[]) as known (
  component_name, vulnerability_id, name, epss_score, ssvc_class
)
where pair.workspace_id = $6 and pair.component_name = known.component_name
  and pair.vulnerability_id = known.vulnerability_id;

-- server/src/features/findings/workspace-list/copies-store.ts writeMagnitudes
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
  and owned.device_magnitude <> now.magnitude
returning owned.package_id;

-- server/src/features/findings/workspace-list/describe-store.ts describeRows: the shortest and the longest of many variants
--   02903879 0573b2fe 0a870faa 137b603a 1a52025e 1f7c9bb4 220ecfe6 24aab4bb 2dee37c5 4c5b87d7
--   59c772ae 5ad7aa00 63aca0ed 63ddd548 67ddcd9b 6d49a8ff 6e833399 7b42de4b 889bf75f 9ca100c0
--   a7ab8f69 af710d36 b6bf6b51 c25c9ca9 d09bc8c8 d64f464b ef3c949a f2daff11
with match as materialized (
  select page.*, one.confidence
  from unnest($1::uuid[], $2::text[]) with ordinality as page (package_id, vulnerability_id, place)
  cross join lateral (
    select each.confidence
    from package_matches as each
    where each.package_id = page.package_id and each.vulnerability_id = page.vulnerability_id
      and each.until is null
    limit 1
  ) as one
),
  held as materialized (
    select package_id, component_name, component_version, version_count, held_since, open_since
    from workspace_packages
    where workspace_id = $3 and package_id in (select package_id from match) and version_count > 0
  )
select match.place::int - 1 as place, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score,
  vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
  match.confidence,
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
  ) as exploited_sources, epss.score as epss_score, held.component_name, held.component_version,
  seen.detected_at, held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
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
cross join lateral (
  select (
    case when first_seen.since <= held.held_since
      and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
      when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
      else (
        select min(greatest(fact.since, seen.since))
        from firmware_version_packages as fact
        join package_matches as seen on seen.package_id = fact.package_id
        where fact.workspace_id = $4::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id and true
          and greatest(fact.since, seen.since) < least(
            coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
          )
      ) end
  ) as detected_at
  offset 0
) as seen
left join epss_scores as epss on epss.cve_id = match.vulnerability_id
cross join lateral (
  select sum(count)::int as count, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from (
    select decision.assessment, count(*)::int as count,
      (
        count(*) filter (
          where (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          )
        )
      )::int as active
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id and fact.until is null and true
    where decision.workspace_id = $5 and decision.package_id = match.package_id
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
    from (
      select fact.firmware_version_id
      from (
        select *
        from firmware_version_packages as fact
        where fact.workspace_id = $6 and fact.package_id = match.package_id and fact.until is null
          and true
        order by fact.firmware_version_id desc
        offset 0
      ) as fact
      left join lateral (
        select *
        from finding_decisions as each
        where each.workspace_id = $7 and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      where true
      order by fact.firmware_version_id desc
      limit 5
    ) as chosen
    join firmware_versions as version on version.workspace_id = $8
      and version.id = chosen.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    order by chosen.firmware_version_id desc
  ) as each
) as shown
where seen.detected_at is not null;

with match as materialized (
  select page.*, one.confidence
  from unnest($1::uuid[], $2::text[]) with ordinality as page (package_id, vulnerability_id, place)
  cross join lateral (
    select each.confidence
    from package_matches as each
    where each.package_id = page.package_id and each.vulnerability_id = page.vulnerability_id
      and each.until is null
    limit 1
  ) as one
),
  held as materialized (
    select package_id, component_name, component_version, version_count, held_since, open_since
    from workspace_packages
    where workspace_id = $3 and package_id in (select package_id from match) and version_count > 0
  )
select match.place::int - 1 as place, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score,
  vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
  match.confidence,
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
  ) as exploited_sources, epss.score as epss_score, held.component_name, held.component_version,
  seen.detected_at, held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
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
cross join lateral (
  select (
    case when first_seen.since <= held.held_since
      and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
      when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
      else (
        select min(greatest(fact.since, seen.since))
        from firmware_version_packages as fact
        join package_matches as seen on seen.package_id = fact.package_id
        where fact.workspace_id = $4::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id and true
          and greatest(fact.since, seen.since) < least(
            coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
          )
      ) end
  ) as detected_at
  offset 0
) as seen
left join epss_scores as epss on epss.cve_id = match.vulnerability_id
cross join lateral (
  select sum(count)::int as count, sum(active)::int as active,
    json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
  from (
    select decision.assessment, count(*)::int as count,
      (
        count(*) filter (
          where (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          )
        )
      )::int as active
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id and fact.until is null and true
    where decision.workspace_id = $5 and decision.package_id = match.package_id
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
    from (
      select fact.firmware_version_id
      from (
        select *
        from firmware_version_packages as fact
        where fact.workspace_id = $6 and fact.package_id = match.package_id and fact.until is null
          and true
        order by fact.firmware_version_id desc
        offset 0
      ) as fact
      left join lateral (
        select *
        from finding_decisions as each
        where each.workspace_id = $7 and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      where true
        and (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') not in (
              'NotAffected', 'FalsePositive', 'Resolved'
            )
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
            )
        )
        and (
          (
            (
              fact.package_id = any($8::uuid[])
                or (fact.firmware_version_id, fact.package_id) in (
                  select placed.firmware_version_id, placed.package_id
                  from (
                    select version_id as firmware_version_id, declared.package_id,
                      min(declared.rule) as rule
                    from (
                      select package_id, version_ids, is_asked, case when true
                        and declared.firmware_id = any($9::uuid[]) then 0 else 1 end as rule
                      from (
                        select held.package_id, held.is_asked, held.name, held.source_name,
                          held.purl, null::text as file_name,
                          (
                            select version.firmware_id
                            from firmware_versions as version
                            where version.workspace_id = $10
                              and version.id = held.firmware_version_id
                          ) as firmware_id, array_agg(held.firmware_version_id) as version_ids
                        from (
                          select fact.firmware_version_id, fact.package_id,
                            fact.component_name as name, null::text as source_name,
                            fact.component_purl as purl, null::text as file_name, true as is_asked
                          from firmware_version_packages as fact
                          where fact.workspace_id = $11 and fact.until is null and true
                        ) as held
                        group by 1, 2, 3, 4, 5, 6, 7
                      ) as declared
                    ) as declared
                    cross join unnest(declared.version_ids) as version_id
                    group by 1, 2
                    having bool_or(declared.is_asked)
                  ) as placed
                  where placed.rule = any($12::int[])
                )
            )
              and match.vulnerability_id not in (
                select alias.vulnerability_id
                from vulnerability_assignees as given
                join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
                where given.workspace_id = $13 and true
              )
          )
            or match.vulnerability_id in (
              select alias.vulnerability_id
              from vulnerability_assignees as given
              join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
              where given.workspace_id = $14 and given.person_id = any($15::uuid[])
            )
        )
      order by fact.firmware_version_id desc
      limit 5
    ) as chosen
    join firmware_versions as version on version.workspace_id = $16
      and version.id = chosen.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    order by chosen.firmware_version_id desc
  ) as each
) as shown
where seen.detected_at is not null;

-- server/src/features/findings/workspace-list/describe-store.ts describeVulnerabilities
with match as materialized (
  select kept.package_id, kept.vulnerability_id, kept.detected_at, kept.states,
    (case when kept.states >= 16777216 then 'Low' else 'High' end) as confidence
  from unnest($1::text[]) as asked (vulnerability_id)
  cross join lateral (
    select *
    from workspace_matches as each
    where each.workspace_id = $2 and each.vulnerability_id = asked.vulnerability_id
    offset 0
  ) as kept
),
  held as materialized (
    select package_id, component_name, component_version, version_count, held_since, open_since
    from workspace_packages
    where workspace_id = $3 and package_id in (select package_id from match) and version_count > 0
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment,
      sum(decision.finding_count)::int as count,
      sum(
        decision.finding_count * (
          (
            not decision.ignored
              and decision.assessment not in ('NotAffected', 'FalsePositive', 'Resolved')
              and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))
          )::int - (match.confidence <> 'Low')::int
        )
      )::int as active
    from match
    cross join lateral (
      select *
      from workspace_decisions as each
      where each.workspace_id = $4 and each.package_id = match.package_id
        and each.vulnerability_id = match.vulnerability_id and each.finding_count > 0
      offset 0
    ) as decision
    where match.states & ~$5::bigint <> 0
    group by decision.vulnerability_id, decision.assessment
  ),
  counted as (
    select match.vulnerability_id, sum(held.version_count)::int as findings,
      coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
      min(match.detected_at) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id
    group by match.vulnerability_id
  )
select vulnerability.id as cve_id, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score,
  vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
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

-- server/src/features/findings/workspace-list/describe-store.ts describeVulnerabilities
with match as materialized (
  select kept.package_id, kept.vulnerability_id, kept.detected_at, kept.states,
    (case when kept.states >= 16777216 then 'Low' else 'High' end) as confidence
  from unnest($1::text[]) as asked (vulnerability_id)
  cross join lateral (
    select *
    from workspace_matches as each
    where each.workspace_id = $2 and each.vulnerability_id = asked.vulnerability_id
    offset 0
  ) as kept
),
  held as materialized (
    select fact.package_id, (count(*) filter (where fact.until is null))::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since,
      (
        array_agg(fact.component_name order by fact.firmware_version_id desc) filter (
          where fact.until is null
        )
      )[1] as component_name,
      (
        array_agg(fact.component_version order by fact.firmware_version_id desc) filter (
          where fact.until is null
        )
      )[1] as component_version
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $3 and true and fact.firmware_version_id = any($4::uuid[])
    group by fact.package_id
    having bool_or(fact.until is null)
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          )::int - (match.confidence <> 'Low')::int
        )
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $5
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id and fact.until is null and true
      and fact.firmware_version_id = any($6::uuid[])
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
              where fact.workspace_id = $7::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id and true
                and fact.firmware_version_id = any($8::uuid[])
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id
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
select vulnerability.id as cve_id, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score,
  vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
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

-- server/src/features/findings/workspace-list/describe-store.ts describeVulnerabilities
with match as materialized (
  select kept.package_id, kept.vulnerability_id, kept.detected_at, kept.states,
    (case when kept.states >= 16777216 then 'Low' else 'High' end) as confidence
  from unnest($1::text[]) as asked (vulnerability_id)
  cross join lateral (
    select *
    from workspace_matches as each
    where each.workspace_id = $2 and each.vulnerability_id = asked.vulnerability_id
    offset 0
  ) as kept
),
  held as materialized (
    select fact.package_id, (count(*) filter (where fact.until is null))::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since,
      (
        array_agg(fact.component_name order by fact.firmware_version_id desc) filter (
          where fact.until is null
        )
      )[1] as component_name,
      (
        array_agg(fact.component_version order by fact.firmware_version_id desc) filter (
          where fact.until is null
        )
      )[1] as component_version
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = $3 and true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $4 and version.firmware_id = any($5::uuid[])
      )
    group by fact.package_id
    having bool_or(fact.until is null)
  ),
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(
        (
          (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                match.confidence <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          )::int - (match.confidence <> 'Low')::int
        )
      )::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = $6
      and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id and fact.until is null and true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $7 and version.firmware_id = any($8::uuid[])
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
              where fact.workspace_id = $9::uuid and fact.package_id = match.package_id
                and seen.vulnerability_id = match.vulnerability_id and true
                and fact.firmware_version_id in (
                  select version.id
                  from firmware_versions as version
                  where version.workspace_id = $10 and version.firmware_id = any($11::uuid[])
                )
                and greatest(fact.since, seen.since) < least(
                  coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                )
            ) end
        )
      ) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id
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
select vulnerability.id as cve_id, vulnerability.name, vulnerability.severity,
  vulnerability.primary_score as cvss_score,
  vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
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

-- server/src/features/findings/workspace-list/describe-store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id and fact.until is null
    and true
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;

-- server/src/features/findings/workspace-list/describe-store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id and fact.until is null
    and true and fact.firmware_version_id = any($3::uuid[])
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;

-- server/src/features/findings/workspace-list/describe-store.ts nameComponents
select asked.package_id, newest.component_name as name, newest.component_version as version
from unnest($1::uuid[]) as asked (package_id)
cross join lateral (
  select fact.component_name, fact.component_version, fact.firmware_version_id
  from firmware_version_packages as fact
  where fact.workspace_id = $2 and fact.package_id = asked.package_id and fact.until is null
    and true
    and fact.firmware_version_id in (
      select version.id
      from firmware_versions as version
      where version.workspace_id = $3 and version.firmware_id = any($4::uuid[])
    )
  order by fact.firmware_version_id desc
  limit 1
) as newest
order by newest.firmware_version_id desc, newest.component_name,
  newest.component_version collate "C", asked.package_id;

-- server/src/features/findings/workspace-list/describe-store.ts readOutcomeInputs
select coalesce(known.ssvc_class, 0) as ssvc_class,
  coalesce(match.ssvc_contexts, -1)::text as contexts, coalesce(known.is_known_exploit, false)
  or exists (select from eu_exploited_entries as entry where entry.cve_id = match.vulnerability_id)
  as is_listed
from (
  select asked.*,
    (
      select standing.ssvc_contexts
      from workspace_packages as standing
      where standing.workspace_id = $1 and standing.package_id = asked.package_id
    ) as ssvc_contexts
  from unnest($2::text[], $3::uuid[]) with ordinality as asked (vulnerability_id, package_id, place)
) as match
left join vulnerabilities as known on known.id = match.vulnerability_id
order by match.place;

-- server/src/features/findings/workspace-list/describe-store.ts readOutcomeInputs
select coalesce(known.ssvc_class, 0) as ssvc_class,
  coalesce(match.ssvc_contexts, -1)::text as contexts, coalesce(known.is_known_exploit, false)
  or exists (select from eu_exploited_entries as entry where entry.cve_id = match.vulnerability_id)
  as is_listed
from (
  select asked.*,
    (
      select bit_or(numbered.ssvc_contexts)
      from firmware_version_packages as fact
      join workspace_versions as numbered on numbered.workspace_id = $1
        and numbered.firmware_version_id = fact.firmware_version_id
      where fact.workspace_id = $2 and fact.package_id = asked.package_id and fact.until is null
        and true and fact.firmware_version_id = any($3::uuid[])
    ) as ssvc_contexts
  from unnest($4::text[], $5::uuid[]) with ordinality as asked (vulnerability_id, package_id, place)
) as match
left join vulnerabilities as known on known.id = match.vulnerability_id
order by match.place;

-- server/src/features/findings/workspace-list/describe-store.ts readOutcomeInputs
select coalesce(known.ssvc_class, 0) as ssvc_class,
  coalesce(match.ssvc_contexts, -1)::text as contexts, coalesce(known.is_known_exploit, false)
  or exists (select from eu_exploited_entries as entry where entry.cve_id = match.vulnerability_id)
  as is_listed
from (
  select asked.*,
    (
      select bit_or(numbered.ssvc_contexts)
      from firmware_version_packages as fact
      join workspace_versions as numbered on numbered.workspace_id = $1
        and numbered.firmware_version_id = fact.firmware_version_id
      where fact.workspace_id = $2 and fact.package_id = asked.package_id and fact.until is null
        and true
        and fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $3 and version.firmware_id = any($4::uuid[])
        )
    ) as ssvc_contexts
  from unnest($5::text[], $6::uuid[]) with ordinality as asked (vulnerability_id, package_id, place)
) as match
left join vulnerabilities as known on known.id = match.vulnerability_id
order by match.place;

-- server/src/features/findings/workspace-list/device-counts-store.ts readHeldVersions: the shortest and the longest of many variants
--   bcc3b76f c2552b12 cd21cf9a d26ad96d df0422d3 eed3284f
with numbered as not materialized (
  select held.firmware_version_id, held.number
  from workspace_versions as held
  where held.workspace_id = $1 and true
),
  asked as materialized (
    select number / 32 as block, bit_or(1 << number % 32) as versions
    from numbered
    group by number / 32
  ),
  held as not materialized (
    select kept.package_id, kept.block, kept.versions
    from (
      select package_id, block, versions from workspace_package_versions where workspace_id = $2
    ) as kept
  )
select null::uuid as package_id, string_agg(numbers, ',') as numbers
from (
  select member.devices || ' ' || string_agg(numbered.number::text, ' ') as numbers
  from (
    select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
    from (
      select firmware_version_ids, devices, row_number() over () as place
      from firmware_set_device_counts
      where workspace_id = $3
    ) as counts
  ) as member
  join numbered using (firmware_version_id)
  group by member.place, member.devices
) as each
having count(*) > 0
union all select package_id, string_agg(block || ' ' || versions, ',')
from held
group by package_id;

with numbered as not materialized (
  select held.firmware_version_id, held.number
  from workspace_versions as held
  where held.workspace_id = $1 and true
    and held.firmware_version_id in (
      select version.id
      from firmware_versions as version
      where version.workspace_id = $2 and version.firmware_id = any($3::uuid[])
    )
),
  asked as materialized (
    select number / 32 as block, bit_or(1 << number % 32) as versions
    from numbered
    group by number / 32
  ),
  held as not materialized (
    select kept.package_id, kept.block, kept.versions & asked.versions as versions
    from (
      select each.*
      from (select distinct unnest($4::uuid[]) as package_id) as shown
      cross join lateral (
        select one.package_id, one.block, one.versions
        from workspace_package_versions as one
        where one.workspace_id = $5 and one.package_id = shown.package_id
        offset 0
      ) as each
    ) as kept
    join asked on asked.block = kept.block and kept.versions & asked.versions <> 0
  )
select null::uuid as package_id, string_agg(numbers, ',') as numbers
from (
  select member.devices || ' ' || string_agg(numbered.number::text, ' ') as numbers
  from (
    select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
    from (
      select firmware_version_ids, devices, row_number() over () as place
      from firmware_set_device_counts
      where workspace_id = $6
    ) as counts
  ) as member
  join numbered using (firmware_version_id)
  group by member.place, member.devices
) as each
having count(*) > 0
union all select package_id, string_agg(block || ' ' || versions, ',')
from held
group by package_id;

-- server/src/features/findings/workspace-list/device-counts-store.ts readKeptMagnitudes
select package_id, device_magnitude
from workspace_packages
where workspace_id = $1 and device_magnitude > $2 and version_count > $3;

-- server/src/features/findings/workspace-list/groups-store.ts countGroups: the shortest and the longest of many variants
--   08f70759 1053a742 12fbf365 15db3957 16931c20 21312dc1 34d5d3e9 490c22b3 51ca5326 564dcd97
--   6074990f 7b1f5514 836974df 9a428767 a2078a6a a4da5d18 b454137b ba2a01e4 ba56533c c82b20df
--   ccce81c0 cf290e38 d02aedfc d5d240b2 d650abf8 d96bcadb da546033 de4b46fe f9387108
with pair as (
  select pair.*, true and true and pair.states & $1::bigint <> 0
    and (
      true
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $2 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and match.states & $3::bigint <> 0
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $4
), grouped as (select from pair where pair.meets group by pair.vulnerability_id)
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

with pair as (
  select pair.*, true and true and pair.states & $1::bigint <> 0
    and (pair.ssvc_class + 36 * pair.is_exploited::int) = any($2::int[])
    and pair.device_magnitude > 0
    and (
      true and (pair.ssvc_class + 36 * pair.is_exploited::int) = any($3::int[])
        and 0 + (pair.states & ~$4::bigint = 0)::int + (false)::int >= $5
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $6 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and match.states & $7::bigint <> 0 and match.device_magnitude > 0
            and (
              select (rated.ssvc_class + 36 * rated.is_exploited::int) = any($8::int[])
                or (
                  (rated.ssvc_class + 36 * rated.is_exploited::int) = any($9::int[])
                    and (
                      (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $10
                            and standing.package_id = match.package_id
                        ) & ($11::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int + (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $12
                            and standing.package_id = match.package_id
                        ) & ($13::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int + (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $14
                            and standing.package_id = match.package_id
                        ) & ($15::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int
                    ) = any($16::int[])
                )
              from workspace_component_vulnerabilities as rated
              where rated.workspace_id = $17 and rated.vulnerability_id = match.vulnerability_id
                and rated.component_name = match.component_name
            )
            and (
              match.states & ~$18::bigint = 0
                or exists (
                  select
                  from firmware_version_packages as fact
                  left join lateral (
                    select *
                    from finding_decisions as decision
                    where decision.workspace_id = $19
                      and decision.firmware_version_id = fact.firmware_version_id
                      and decision.package_id = fact.package_id
                      and decision.vulnerability_id = match.vulnerability_id
                    limit 1
                  ) as decision on true
                  where fact.workspace_id = $20 and fact.package_id = match.package_id
                    and fact.until is null and true and true
                    and (
                      fact.firmware_version_id in (
                        select unnest(counts.firmware_version_ids)
                        from firmware_set_device_counts as counts
                        where counts.workspace_id = $21
                      )
                    ) is true
                    and (
                      not coalesce(decision.ignored, false)
                        and coalesce(decision.assessment, 'NotAssessed') not in (
                          'NotAffected', 'FalsePositive', 'Resolved'
                        )
                        and (
                          (case when match.states >= 16777216 then 'Low' else 'High' end) <> 'Low'
                            or coalesce(decision.assessment, 'NotAssessed') in (
                              'Exploitable', 'InTriage'
                            )
                        )
                    )
                )
            )
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $22
), grouped as (select from pair where pair.meets group by pair.vulnerability_id)
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

-- server/src/features/findings/workspace-list/groups-store.ts listComponentRows: the shortest and the longest of many variants
--   0082a5fa 00dfa604 0185831a 01ec7342 05b249df 061b6966 07faf85c 085833c7 09499bb1 09a62bac
--   0a829b28 0d39f01a 0dca93b2 0f6ead37 0ff1588a 12f43ca7 1435e99d 15141a30 1aea294f 1be0cfaf
--   1dbaea85 1de5f506 1e89f725 2118da77 2125d8f6 2456567c 249ff7c9 27da7240 28fe5624 29545b13
--   298a1487 2ab57e2f 2ac0fe37 2bcb6e9d 2fe00422 328ca897 3673896b 36c01956 3cca2848 3d29aca0
--   3ddff994 4066e0c1 40805363 42d2db6c 4526a7ed 45991fa1 46208034 46a46bad 48b4a725 4b591759
--   4db3346a 4e524fca 4f34c5b1 4fbebc00 50a0e7d5 51669e32 51ca274b 527346ed 528291d4 52ab1bfd
--   52eb19b7 5a3d0dd1 5c14e2db 5cef3902 5d554c98 5efe27f7 61f0b7fd 653ecb51 65c5897b 681e64a7
--   6861dcf4 68984443 6a69320d 6b022848 6cb83aad 6f9180e1 70576a6c 7132d735 723feaec 728064f6
--   73c968e7 752d6b32 754bb023 759472fc 77d75c74 79eaab45 7c21ed4b 804e28ad 8140ff8c 8183019b
--   8362b7ae 83bb7ffb 855ac70c 85d8f5da 87a8f2c8 88f502a0 8918e9e4 8a1b1d30 8a9c9586 8ad0afff
--   8baf6739 8d4f6f80 8da5a6a7 8dc3829f 8f1f3b46 99871777 9a2087c3 9d3f6b6e 9e799a25 a013516a
--   a03f768d a0411761 a26e2b67 a34bc052 a3a430f1 a513c70f a5677a3e a5dc6c7f a63e32b1 a6f5ac5c
--   a741ec18 a7af63d1 a8c1671d a97ac870 a9ef9820 abfd8505 ac6f40ba ad6c4b3a aec46064 b09c8d89
--   b158b0c8 b1bafddc b25a6cbf b35c621d b8c65b31 b961a0af b9a5cd6b bb829119 bc7087cf c30ddfe2
--   c4ce15bc c654b1ee c83d2c2e c92192e3 c99d9807 c9afdc0d ca391817 cad94850 cae95bd3 cc784c5c
--   ce5d0123 d0c97023 d5077124 d522b412 d7055710 d899076d d95df438 d995c3eb d9e3bd9e da35bb11
--   db193c8f dd43ae50 dd5f46c9 df84bbf6 e1ccb576 e609c52f e7b75df2 e7de2544 e8f56050 e94bfd53
--   eb1e288a ebc0373b ec479c9a ec5d8937 ed5fb71a edf8c547 eecc3ac4 f02d8cf3 f38401c4 f496b586
--   f6b70210 f77ca56e f8652a50 fb18f613 fcbeb045 fd2f2188 fdc22bfe ff7b1bbc
with pair as (
  select pair.*, true and true
    and (
      true
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $1 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $2
),
  grouped as (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude
    from pair
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from workspace_packages
      where workspace_id = $3 and version_count > 0
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  ),
  page as materialized (
    select grouped.*, grouped.name collate "C" as sort_0
    from grouped
    where true and (grouped.name collate "C") > ($4::text collate "C")
    order by grouped.name collate "C" asc
    limit $5
  )
select json_build_array(sort_0) as sort_values, 0 as total, page.name, held.package_ids,
  held.versions[1:5] as versions, severity_rank, is_exploited, epss_score, vulnerability_count,
  detected_at, null::integer as outcome
from page
join (
  select each.name, array_agg(each.package_id order by each.package_id) as package_ids,
    coalesce(array_agg(distinct each.version) filter (where each.version is not null), '{}') as
    versions
  from (
    select owned.name, owned.package_id, owned.version
    from (
      select chosen.name, one.package_id, one.component_version as version, one.ssvc_contexts,
        chosen.ids, chosen.classes
      from (
        select pair.component_name as name, array_agg(pair.vulnerability_id) as ids,
          array_agg((pair.ssvc_class + 36 * pair.is_exploited::int)) as classes
        from pair
        where pair.meets and pair.component_name in (select name from page)
        group by pair.component_name
      ) as chosen
      join workspace_packages as one on one.workspace_id = $6 and one.component_name = chosen.name
        and one.version_count > 0
      offset 0
    ) as owned
    where exists (
      select
      from (select id from unnest(owned.ids, owned.classes) as listed (id, rated_class) offset 0) as
        each
      cross join lateral (
        select *
        from workspace_matches as one
        where one.workspace_id = $7 and one.vulnerability_id = each.id
          and one.package_id = owned.package_id
        offset 0
      ) as match
      where true and true
      offset 0
    )
  ) as each
  group by each.name
) as held on held.name = page.name
order by sort_0 asc;

with pair as (
  select pair.*, true and true and pair.is_exploited = $1 and pair.states & $2::bigint <> 0
    and (pair.ssvc_class + 36 * pair.is_exploited::int) = any($3::int[])
    and pair.first_detected_at < greatest(
      case pair.severity_rank when $4 then $5::timestamptz when $6 then $7::timestamptz
        when $8 then $9::timestamptz when $10 then $11::timestamptz end,
        ($12::timestamptz[])[(pair.ssvc_class + 36 * pair.is_exploited::int) + 1]
    )
    and (
      true and (pair.ssvc_class + 36 * pair.is_exploited::int) = any($13::int[])
        and pair.last_detected_at < greatest(
          case pair.severity_rank when $14 then $15::timestamptz when $16 then $17::timestamptz
            when $18 then $19::timestamptz when $20 then $21::timestamptz end,
            ($22::timestamptz[])[(pair.ssvc_class + 36 * pair.is_exploited::int) + 1]
        )
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $23 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and match.is_exploited = $24 and match.states & $25::bigint <> 0
            and (
              match.detected_at < case match.severity_rank when $26 then $27::timestamptz
                when $28 then $29::timestamptz when $30 then $31::timestamptz
                when $32 then $33::timestamptz end
                or exists (
                  select
                  from workspace_component_vulnerabilities as rated
                  where rated.workspace_id = $34 and rated.vulnerability_id = match.vulnerability_id
                    and rated.component_name = match.component_name
                    and match.detected_at < ($35::timestamptz[])[
                      (
                        (
                          (
                            select standing.ssvc_contexts
                            from workspace_packages as standing
                            where standing.workspace_id = $36
                              and standing.package_id = match.package_id
                          ) & ($37::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          (
                            select standing.ssvc_contexts
                            from workspace_packages as standing
                            where standing.workspace_id = $38
                              and standing.package_id = match.package_id
                          ) & ($39::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          (
                            select standing.ssvc_contexts
                            from workspace_packages as standing
                            where standing.workspace_id = $40
                              and standing.package_id = match.package_id
                          ) & ($41::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int
                      ) + 1
                    ]
                )
            )
            and (
              select (rated.ssvc_class + 36 * rated.is_exploited::int) = any($42::int[])
                or (
                  (rated.ssvc_class + 36 * rated.is_exploited::int) = any($43::int[])
                    and (
                      (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $44
                            and standing.package_id = match.package_id
                        ) & ($45::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int + (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $46
                            and standing.package_id = match.package_id
                        ) & ($47::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int + (
                        (
                          select standing.ssvc_contexts
                          from workspace_packages as standing
                          where standing.workspace_id = $48
                            and standing.package_id = match.package_id
                        ) & ($49::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1]
                          <> 0
                      )::int
                    ) = any($50::int[])
                )
              from workspace_component_vulnerabilities as rated
              where rated.workspace_id = $51 and rated.vulnerability_id = match.vulnerability_id
                and rated.component_name = match.component_name
            )
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $52
),
  grouped as (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude,
      max(
        case
          when (
            component.common_contexts & ($53::bigint[])[
              (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
            ] <> 0
              or (
                component.some_contexts & ($54::bigint[])[
                  (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                ] <> 0
                  and (
                    not exists (
                      select
                      from unnest(component.contexts) as each (contexts)
                      where each.contexts & ($55::bigint[])[
                        (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                      ] = 0
                    )
                      or exists (
                        select
                        from workspace_matches as match
                        join workspace_packages as standing on standing.workspace_id = match.workspace_id
                          and standing.package_id = match.package_id
                        where match.workspace_id = $56
                          and match.vulnerability_id = pair.vulnerability_id
                          and match.component_name = pair.component_name
                          and standing.ssvc_contexts & ($57::bigint[])[
                            (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                          ] <> 0
                        offset 0
                      )
                  )
              )
          ) then 3
          when (
            component.common_contexts & ($58::bigint[])[
              (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
            ] <> 0
              or (
                component.some_contexts & ($59::bigint[])[
                  (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                ] <> 0
                  and (
                    not exists (
                      select
                      from unnest(component.contexts) as each (contexts)
                      where each.contexts & ($60::bigint[])[
                        (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                      ] = 0
                    )
                      or exists (
                        select
                        from workspace_matches as match
                        join workspace_packages as standing on standing.workspace_id = match.workspace_id
                          and standing.package_id = match.package_id
                        where match.workspace_id = $61
                          and match.vulnerability_id = pair.vulnerability_id
                          and match.component_name = pair.component_name
                          and standing.ssvc_contexts & ($62::bigint[])[
                            (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                          ] <> 0
                        offset 0
                      )
                  )
              )
          ) then 2
          when (
            component.common_contexts & ($63::bigint[])[
              (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
            ] <> 0
              or (
                component.some_contexts & ($64::bigint[])[
                  (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                ] <> 0
                  and (
                    not exists (
                      select
                      from unnest(component.contexts) as each (contexts)
                      where each.contexts & ($65::bigint[])[
                        (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                      ] = 0
                    )
                      or exists (
                        select
                        from workspace_matches as match
                        join workspace_packages as standing on standing.workspace_id = match.workspace_id
                          and standing.package_id = match.package_id
                        where match.workspace_id = $66
                          and match.vulnerability_id = pair.vulnerability_id
                          and match.component_name = pair.component_name
                          and standing.ssvc_contexts & ($67::bigint[])[
                            (pair.ssvc_class + 36 * pair.is_exploited::int) + 1
                          ] <> 0
                        offset 0
                      )
                  )
              )
          ) then 1 else 0 end
      )::integer as outcome
    from pair
    left join (
      select component_name, array_agg(distinct ssvc_contexts) as contexts,
        bit_or(ssvc_contexts) as some_contexts, bit_and(ssvc_contexts) as common_contexts
      from workspace_packages
      where workspace_id = $68 and version_count > 0
      group by component_name
    ) as component on component.component_name = pair.component_name
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from workspace_packages
      where workspace_id = $69 and version_count > 0
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  ),
  page as materialized (
    select grouped.*, grouped.outcome as sort_0, grouped.severity_rank as sort_1,
      grouped.name collate "C" as sort_2
    from grouped
    where true
    order by grouped.outcome desc, grouped.severity_rank desc, grouped.name collate "C" desc
    limit $70
  )
select json_build_array(sort_0, sort_1, sort_2) as sort_values,
  (select count(*)::int from (select from grouped limit 10001) as counted) as total, page.name,
  held.package_ids, held.versions[1:5] as versions, severity_rank, is_exploited, epss_score,
  vulnerability_count, detected_at, outcome as outcome
from page
join (
  select each.name, array_agg(each.package_id order by each.package_id) as package_ids,
    coalesce(array_agg(distinct each.version) filter (where each.version is not null), '{}') as
    versions
  from (
    select owned.name, owned.package_id, owned.version
    from (
      select chosen.name, one.package_id, one.component_version as version, one.ssvc_contexts,
        chosen.ids, chosen.classes
      from (
        select pair.component_name as name, array_agg(pair.vulnerability_id) as ids,
          array_agg((pair.ssvc_class + 36 * pair.is_exploited::int)) as classes
        from pair
        where pair.meets and pair.component_name in (select name from page)
        group by pair.component_name
      ) as chosen
      join workspace_packages as one on one.workspace_id = $71 and one.component_name = chosen.name
        and one.version_count > 0
      offset 0
    ) as owned
    where exists (
      select
      from (
        select id
        from unnest(owned.ids, owned.classes) as listed (id, rated_class)
        where (
          (owned.ssvc_contexts & ($72::bigint[])[rated_class + 1] <> 0)::int + (
            owned.ssvc_contexts & ($73::bigint[])[rated_class + 1] <> 0
          )::int + (owned.ssvc_contexts & ($74::bigint[])[rated_class + 1] <> 0)::int
        ) = any($75::int[])
        offset 0
      ) as each
      cross join lateral (
        select *
        from workspace_matches as one
        where one.workspace_id = $76 and one.vulnerability_id = each.id
          and one.package_id = owned.package_id
        offset 0
      ) as match
      where true and true and match.is_exploited = $77 and match.states & $78::bigint <> 0
        and (
          match.detected_at < case match.severity_rank when $79 then $80::timestamptz
            when $81 then $82::timestamptz when $83 then $84::timestamptz
            when $85 then $86::timestamptz end
            or exists (
              select
              from workspace_component_vulnerabilities as rated
              where rated.workspace_id = $87 and rated.vulnerability_id = match.vulnerability_id
                and rated.component_name = match.component_name
                and match.detected_at < ($88::timestamptz[])[
                  (
                    (
                      (
                        select standing.ssvc_contexts
                        from workspace_packages as standing
                        where standing.workspace_id = $89 and standing.package_id = match.package_id
                      ) & ($90::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <>
                        0
                    )::int + (
                      (
                        select standing.ssvc_contexts
                        from workspace_packages as standing
                        where standing.workspace_id = $91 and standing.package_id = match.package_id
                      ) & ($92::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <>
                        0
                    )::int + (
                      (
                        select standing.ssvc_contexts
                        from workspace_packages as standing
                        where standing.workspace_id = $93 and standing.package_id = match.package_id
                      ) & ($94::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <>
                        0
                    )::int
                  ) + 1
                ]
            )
        )
        and (
          select (rated.ssvc_class + 36 * rated.is_exploited::int) = any($95::int[])
            or (
              (rated.ssvc_class + 36 * rated.is_exploited::int) = any($96::int[])
                and (
                  (
                    (
                      select standing.ssvc_contexts
                      from workspace_packages as standing
                      where standing.workspace_id = $97 and standing.package_id = match.package_id
                    ) & ($98::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <> 0
                  )::int + (
                    (
                      select standing.ssvc_contexts
                      from workspace_packages as standing
                      where standing.workspace_id = $99 and standing.package_id = match.package_id
                    ) & ($100::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <> 0
                  )::int + (
                    (
                      select standing.ssvc_contexts
                      from workspace_packages as standing
                      where standing.workspace_id = $101 and standing.package_id = match.package_id
                    ) & ($102::bigint[])[(rated.ssvc_class + 36 * rated.is_exploited::int) + 1] <> 0
                  )::int
                ) = any($103::int[])
            )
          from workspace_component_vulnerabilities as rated
          where rated.workspace_id = $104 and rated.vulnerability_id = match.vulnerability_id
            and rated.component_name = match.component_name
        )
      offset 0
    )
  ) as each
  group by each.name
) as held on held.name = page.name
order by sort_0 desc, sort_1 desc, sort_2 desc;

-- server/src/features/findings/workspace-list/groups-store.ts listVulnerabilityRows: the shortest and the longest of many variants
--   02070a54 04a705eb 0764faa5 0826014b 08479b29 0a62f91a 0ad2c9eb 0b1d0406 0ca055ed 0d4710d5
--   0f248311 0fcd13cb 111931dd 1287617d 14dcd4b5 160d5261 1625f412 16d1a402 18847f49 19704605
--   1a6ee6af 1a9ddcc3 1db8cfc2 1dc79726 1f67eeed 1fc5878d 22fdd400 234d8a64 24c4c368 24c9abd1
--   27d29240 27dfcfb4 2a3ef7fd 2a3f1775 2a5db462 2b68099a 2bd23099 2bed35e6 2ed2cba3 2ef7e291
--   31d79b15 34e2874b 3541c9a4 36fa981a 38b6d104 3c7f59f2 3d0dc455 3d9615e9 3f741dc7 3fcabee3
--   40fc44dc 41ee15d5 4252d57a 43639cfe 4363ba81 468ab5a1 498fe799 49a71de3 4a745941 4b277b12
--   4b744825 4d836873 4f6ad2b0 4fbbac83 505b3bff 5209f7c0 532b0222 53dfdb85 54920a51 56301566
--   56e52c38 56f9ff7c 58a363dd 595bfca7 5def85f9 5f451979 60000a26 600bbdf8 600e5301 608b0701
--   60e3d0d7 62cbae69 63d7c6ec 63d87f7e 66465eae 6682a517 66a512ea 68482942 6978c725 6b28ffef
--   6dd78047 6fd8a702 732f0c29 74323f50 76d94cdb 77ff84a1 7bd5b574 7f24a074 7f55dbbf 7fadf922
--   7fbb893f 7fee9329 81612120 81dd25f7 84354c10 88bf7a41 88fb76fc 8aef91be 8dad250f 8f28746c
--   90073f0f 90be5405 92191ba7 921a47ba 93a64a67 94d8f9b2 96ff98b3 97f6677f 98b50f1d 9b049490
--   9bb7e720 9e239bfe 9fc6f756 a0196c2f a01ac6b9 a110ea14 a3bd7daf a3d87b2e a4f80ed1 a9e15266
--   a9ef5abb aa2c0aa0 ab4f23fb ad451d15 adb98fb2 b18c62c3 b1a06166 b432ae81 b43f9d02 b69a5afc
--   b764de11 bb4225f7 bb57583f bbd7fae1 be179238 bed4c61d beed4e7d bfc46a95 c2328ccd c324d49e
--   c397c255 c3d47677 c40c0f8b c486b8eb c5c7b725 c664aa32 c88da1e1 c95c9c5e cb92f91e cbdad438
--   cc00cd32 cc4f0703 cd93974d ce9184ff cf816b82 d38a57d1 d42fdb6d d6aba4a2 db50970f dc50a410
--   ddea4749 de7ea27f df157398 df3002d5 df5ed44c e0aee7bc e16ee7f3 e32de831 e3859279 e3ad388a
--   e3c9858a e44fcd85 e47fb185 e6cbe85c e6cd5e40 ea15dbca eba48424 ed6791f1 eeb9dfbe ef0d0618
--   ef33f5ee f217a409 f279ee3a f5ea44fd f618343d f7891675 f78e9c75 f7a79e46 f8439cd5 f9022a51
--   fb26a440 fce6c21a fd08b708 fd83b740 ff26a66f ff91a72f
with pair as (
  select pair.*, true and true
    and (
      true
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $1 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $2
),
  grouped as (
    select pair.vulnerability_id, max(pair.severity_rank)::integer as severity_rank,
      coalesce(max(pair.score), '-1'::real) as score, max(pair.epss_score) as epss_score,
      max(pair.name) as name, bool_or(pair.is_exploited) as is_exploited,
      max(pair.device_magnitude)::integer as magnitude, min(pair.first_detected_at) as detected_at,
      sum(pair.finding_count)::integer as finding_count
    from pair
    group by pair.vulnerability_id
    having bool_or(pair.meets)
  ),
  page as materialized (
    select grouped.*, grouped.vulnerability_id as sort_0
    from grouped
    where true and (grouped.vulnerability_id) > ($3::text collate "C")
    order by grouped.vulnerability_id asc
    limit $4
  )
select json_build_array(sort_0) as sort_values, 0 as total, page.vulnerability_id
from page
order by sort_0 asc;

with held as materialized (
  select fact.package_id, (count(*) filter (where fact.until is null))::int as version_count,
    min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
    min(fact.since) filter (where fact.until is null) as open_since,
    (
      array_agg(fact.component_name order by fact.firmware_version_id desc) filter (
        where fact.until is null
      )
    )[1] as component_name,
    (
      array_agg(fact.component_version order by fact.firmware_version_id desc) filter (
        where fact.until is null
      )
    )[1] as component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $1 and true and fact.firmware_version_id = any($2::uuid[])
  group by fact.package_id
  having bool_or(fact.until is null)
),
  decided as materialized (
    select decided.package_id, decided.vulnerability_id,
      bit_or(
        (
          1::bigint << (
            2 * (
              array_position(
                '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                  decided.assessment
              ) - 1
            ) + decided.ignored::int
          )
        )
      ) as bits, count(*) as findings
    from finding_decisions as decided
    join firmware_version_packages as fact on fact.workspace_id = $3
      and fact.firmware_version_id = decided.firmware_version_id
      and fact.package_id = decided.package_id and fact.until is null
    where decided.workspace_id = $4 and true and fact.firmware_version_id = any($5::uuid[])
    group by decided.package_id, decided.vulnerability_id
  ),
  standing as materialized (
    select fact.package_id, bit_or(numbered.ssvc_contexts) as contexts
    from firmware_version_packages as fact
    join workspace_versions as numbered on numbered.workspace_id = $6
      and numbered.firmware_version_id = fact.firmware_version_id
    where fact.workspace_id = $7 and fact.until is null and true
      and fact.firmware_version_id = any($8::uuid[])
    group by fact.package_id
  ),
  scoped_matches as materialized (
    select match.package_id, match.vulnerability_id, match.severity_rank, match.is_exploited,
      held.version_count, held.component_name, held.component_version,
      match.component_name as kept_name, coalesce(running.magnitude, 0) as device_magnitude,
      (
        case when first_seen.since <= held.held_since
          and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
          when first_seen.until is null
          and first_seen.since >= held.open_since then first_seen.since
          else (
            select min(greatest(fact.since, seen.since))
            from firmware_version_packages as fact
            join package_matches as seen on seen.package_id = fact.package_id
            where fact.workspace_id = $9::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id and true
              and fact.firmware_version_id = any($10::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at,
      (
        coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint
      ) << (
        case when match.states >= $11::bigint then 24 when match.states >= $12::bigint then 12
          else 0 end
      ) as states, coalesce(standing.contexts, -1) as ssvc_contexts
    from held
    left join standing on standing.package_id = held.package_id
    cross join lateral (
      select *
      from workspace_matches as one
      where one.workspace_id = $13 and one.package_id = held.package_id
      offset 0
    ) as match
    cross join lateral (
      select seen.since, seen.until
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since
      limit 1
    ) as first_seen
    left join decided on decided.package_id = match.package_id
      and decided.vulnerability_id = match.vulnerability_id
    left join unnest($14::uuid[], $15::int[]) as running (package_id, magnitude) on running.package_id
      = match.package_id
  ),
  pair as materialized (
    select pair.*, kept.name, kept.score, kept.epss_score
    from (
      select match.component_name, match.vulnerability_id, min(match.kept_name) as kept_name,
        max(match.severity_rank) as severity_rank, bool_or(match.is_exploited) as is_exploited,
        max(match.device_magnitude) as device_magnitude,
        min(match.detected_at) as first_detected_at,
        max(match.detected_at) filter (
          where true and true and match.states & $16::bigint <> 0
            and (
              match.detected_at < case match.severity_rank when $17 then $18::timestamptz
                when $19 then $20::timestamptz when $21 then $22::timestamptz
                when $23 then $24::timestamptz end
                or exists (
                  select
                  from workspace_component_vulnerabilities as rated
                  where rated.workspace_id = $25 and rated.vulnerability_id = match.vulnerability_id
                    and rated.component_name = match.kept_name
                    and match.detected_at < ($26::timestamptz[])[
                      (
                        (
                          match.ssvc_contexts & ($27::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          match.ssvc_contexts & ($28::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          match.ssvc_contexts & ($29::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int
                      ) + 1
                    ]
                )
            )
        ) as last_detected_at, sum(match.version_count)::int as finding_count,
        bool_or(
          true and true and match.states & $30::bigint <> 0
            and (
              match.detected_at < case match.severity_rank when $31 then $32::timestamptz
                when $33 then $34::timestamptz when $35 then $36::timestamptz
                when $37 then $38::timestamptz end
                or exists (
                  select
                  from workspace_component_vulnerabilities as rated
                  where rated.workspace_id = $39 and rated.vulnerability_id = match.vulnerability_id
                    and rated.component_name = match.kept_name
                    and match.detected_at < ($40::timestamptz[])[
                      (
                        (
                          match.ssvc_contexts & ($41::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          match.ssvc_contexts & ($42::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int + (
                          match.ssvc_contexts & ($43::bigint[])[
                            (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
                          ] <> 0
                        )::int
                      ) + 1
                    ]
                )
            )
        ) as meets
      from scoped_matches as match
      group by match.component_name, match.vulnerability_id
    ) as pair
    cross join lateral (
      select *
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $44 and one.component_name = pair.kept_name
        and one.vulnerability_id = pair.vulnerability_id
      limit 1
    ) as kept
  ),
  grouped as (
    select pair.vulnerability_id, max(pair.severity_rank)::integer as severity_rank,
      coalesce(max(pair.score), '-1'::real) as score, max(pair.epss_score) as epss_score,
      max(pair.name) as name, bool_or(pair.is_exploited) as is_exploited,
      max(pair.device_magnitude)::integer as magnitude, min(pair.first_detected_at) as detected_at,
      sum(pair.finding_count)::integer as finding_count
    from pair
    group by pair.vulnerability_id
    having bool_or(pair.meets)
  ),
  page as materialized (
    select grouped.*,
      (
        (
          (
            (grouped.is_exploited::integer * 2 + (coalesce(grouped.magnitude, 0) > 0)::integer) * 8
              + grouped.severity_rank
          ) * 4 + width_bucket(
            coalesce(grouped.epss_score, '-1'::real), array[0.01, 0.1, 0.5]::real[]
          )
        ) * 16 + coalesce(grouped.magnitude, 0)
      )::integer as sort_0, coalesce(grouped.epss_score, '-1'::real) as sort_1,
      grouped.score as sort_2, grouped.vulnerability_id as sort_3
    from grouped
    where true
    order by (
      (
        (
          (grouped.is_exploited::integer * 2 + (coalesce(grouped.magnitude, 0) > 0)::integer) * 8 +
            grouped.severity_rank
        ) * 4 + width_bucket(
          coalesce(grouped.epss_score, '-1'::real), array[0.01, 0.1, 0.5]::real[]
        )
      ) * 16 + coalesce(grouped.magnitude, 0)
    )::integer desc, coalesce(grouped.epss_score, '-1'::real) desc, grouped.score desc,
      grouped.vulnerability_id desc
    limit $45
  )
select json_build_array(sort_0, sort_1, sort_2, sort_3) as sort_values,
  (select count(*)::int from (select from grouped limit 10001) as counted) as total,
  page.vulnerability_id
from page
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc;

-- server/src/features/findings/workspace-list/kept-store.ts addMatches
with added as materialized (
  select match.component_name, match.vulnerability_id, match.package_id, match.score,
    match.version_count, match.is_exploited, match.device_magnitude,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
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
          where fact.workspace_id = $2::uuid and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) as detected_at
  from (
    select held.*, changed.version_count, match.*
    from unnest($3::uuid[], $4::int[]) as changed (package_id, version_count)
    cross join lateral (
      select one.package_id, one.held_since, one.open_since, one.component_name,
        one.device_magnitude
      from workspace_packages as one
      where one.workspace_id = $5 and one.package_id = changed.package_id
      offset 0
    ) as held
    cross join lateral (
      select each.vulnerability_id, each.since, each.confidence, each.severity, each.score,
        each.is_exploited
      from package_matches as each
      where each.package_id = changed.package_id and each.until is null
      offset 0
    ) as match
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
  cross join lateral (select match.version_count, match.held_since, match.open_since) as held
),
  written as (
    insert into workspace_matches (
      workspace_id, vulnerability_id, package_id, detected_at, states, component_name,
        severity_rank, is_exploited, device_magnitude
    )
    select $6::uuid, vulnerability_id, package_id, detected_at, states, component_name,
      severity_rank, is_exploited, device_magnitude
    from added
    order by vulnerability_id, package_id
    on conflict
    do nothing
  )
insert into workspace_component_vulnerabilities as pair (
  workspace_id, component_name, vulnerability_id, name, severity_rank, score, epss_score,
    ssvc_class, is_exploited, device_magnitude, first_detected_at, last_detected_at, states,
    finding_count
)
select $7::uuid, component_name, vulnerability_id,
  coalesce(
    (select known.name from vulnerabilities as known where known.id = added.vulnerability_id), ''
  ), max(severity_rank), max(score),
  coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = added.vulnerability_id), -1
  ),
  coalesce(
    (select known.ssvc_class from vulnerabilities as known where known.id = added.vulnerability_id),
      0
  ), bool_or(is_exploited), max(device_magnitude), min(detected_at), max(detected_at),
  bit_or(states), sum(version_count)::int
from added
group by component_name, vulnerability_id
order by component_name, vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set severity_rank = excluded.severity_rank, score = excluded.score,
  is_exploited = excluded.is_exploited,
  device_magnitude = greatest(pair.device_magnitude, excluded.device_magnitude),
  first_detected_at = least(pair.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(pair.last_detected_at, excluded.last_detected_at),
  states = pair.states | excluded.states,
  finding_count = pair.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/kept-store.ts addMatches
with added as materialized (
  select match.component_name, match.vulnerability_id, match.package_id, match.score,
    match.version_count, match.is_exploited, match.device_magnitude,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
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
          where fact.workspace_id = $2::uuid and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) as detected_at
  from (
    select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
      match.score, match.is_exploited
    from unnest($3::uuid[], $4::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $5 and holding.package_id = changed.package_id
        and holding.version_count > 0
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
  cross join lateral (select match.version_count, match.held_since, match.open_since) as held
),
  written as (
    insert into workspace_matches (
      workspace_id, vulnerability_id, package_id, detected_at, states, component_name,
        severity_rank, is_exploited, device_magnitude
    )
    select $6::uuid, vulnerability_id, package_id, detected_at, states, component_name,
      severity_rank, is_exploited, device_magnitude
    from added
    order by vulnerability_id, package_id
    on conflict
    do nothing
  )
insert into workspace_component_vulnerabilities as pair (
  workspace_id, component_name, vulnerability_id, name, severity_rank, score, epss_score,
    ssvc_class, is_exploited, device_magnitude, first_detected_at, last_detected_at, states,
    finding_count
)
select $7::uuid, component_name, vulnerability_id,
  coalesce(
    (select known.name from vulnerabilities as known where known.id = added.vulnerability_id), ''
  ), max(severity_rank), max(score),
  coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = added.vulnerability_id), -1
  ),
  coalesce(
    (select known.ssvc_class from vulnerabilities as known where known.id = added.vulnerability_id),
      0
  ), bool_or(is_exploited), max(device_magnitude), min(detected_at), max(detected_at),
  bit_or(states), sum(version_count)::int
from added
group by component_name, vulnerability_id
order by component_name, vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set severity_rank = excluded.severity_rank, score = excluded.score,
  is_exploited = excluded.is_exploited,
  device_magnitude = greatest(pair.device_magnitude, excluded.device_magnitude),
  first_detected_at = least(pair.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(pair.last_detected_at, excluded.last_detected_at),
  states = pair.states | excluded.states,
  finding_count = pair.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/kept-store.ts countHeldVersions
insert into workspace_packages as owned (workspace_id, package_id, version_count)
select $1, package_id, amount
from unnest($2::uuid[], $3::int[]) as changed (package_id, amount)
order by package_id
on conflict (workspace_id, package_id)
do update
set version_count = owned.version_count + excluded.version_count
returning package_id, version_count as count;

-- server/src/features/findings/workspace-list/kept-store.ts lockKeptOf
insert into workspace_kept_locks as held (workspace_id)
values ($1)
on conflict (workspace_id)
do update
set workspace_id = held.workspace_id;

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
    and owned.open_since > now.ended_since as is_later,
    coalesce(now.called <> coalesce(now.component_name, ''), false) as is_renamed
)
select package_id
from moved
where is_later or is_renamed
order by package_id;

-- server/src/features/findings/workspace-list/match-sets-store.ts findSet: the shortest and the longest of many variants
--   48a32285 566eb79f 68855f3a 80097bd6 9274b428 983d9115 c3945624 c8813f59
with owned as materialized (
  select owned.package_id, owned.component_name, false as is_meant
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0
)
select array(select package_id from owned where is_meant) as package_ids,
  array(select distinct component_name from owned where is_meant) as component_names,
  array(select component_name from owned group by component_name having bool_and(is_meant)) as
  whole_component_names, array(select null::text where false) as vulnerability_ids;

with owned as materialized (
  select owned.package_id, owned.component_name,
    (
      strpos(lower(owned.component_name collate "default") collate "C", $1::text) > 0
        or (
          select true
          from package_keys as known
          where known.package_id = owned.package_id and case
            when strpos(known.key collate "C", $2::text) > 0 then strpos(
              substring(known.key from '[^:/]*$') collate "C", $3::text
            ) > 0 else false end
          limit 1
        ) is true
    ) as is_meant
  from workspace_packages as owned
  where owned.workspace_id = $4 and owned.version_count > 0
)
select array(select package_id from owned where is_meant) as package_ids,
  array(select distinct component_name from owned where is_meant) as component_names,
  array(select component_name from owned group by component_name having bool_and(is_meant)) as
  whole_component_names,
  array(
    select pair.vulnerability_id
    from workspace_component_vulnerabilities as pair
    where pair.workspace_id = $5
      and (
        strpos(lower(pair.name collate "default") collate "C", $6::text) > 0
          or (
            (
              select count(*) <= $7
              from (
                select
                from workspace_component_vulnerabilities as pair
                where pair.workspace_id = $8
                limit $9::int + 1
              ) as counted
            )
              and (
                select true
                from vulnerability_aliases as known
                where known.vulnerability_id = pair.vulnerability_id
                  and strpos(lower(known.alias collate "default") collate "C", $10::text) > 0
                limit 1
              ) is true
          )
      )
    union select known.vulnerability_id
    from unnest($11::text[], $12::text[]) as range (from_alias, to_alias)
    cross join lateral (
      select each.vulnerability_id
      from vulnerability_aliases as each
      where not (
        select count(*) <= $13
        from (
          select
          from workspace_component_vulnerabilities as pair
          where pair.workspace_id = $14
          limit $15::int + 1
        ) as counted
      ) and each.alias >= range.from_alias collate "C" and each.alias < range.to_alias collate "C"
        and strpos(lower(each.alias collate "default") collate "C", $16::text) > 0
      offset 0
    ) as known
    where (
      known.vulnerability_id in (
        select pair.vulnerability_id
        from workspace_component_vulnerabilities as pair
        where pair.workspace_id = $17
      )
    ) is true
  ) as vulnerability_ids;

-- server/src/features/findings/workspace-list/match-sets-store.ts listSelectedKeys: the shortest and the longest of many variants
--   04fe8744 065af67d 0893c474 09a8a7a2 0bcd6c4d 20cfefc3 2f8a13b6 39859bee 3e5df439 41bcb7d6
--   51cc6fd6 593ddc2f 77f23b75 79cc79ff 7fcb6016 8169ad0d 8a52764c 927109b7 95509511 99be5f32
--   9fdd6e51 a09ec7b1 a98ad79b ac61ae90 aef560d5 b25aeff5 c644c2fb c68f2050 cc7a8c73 e2d35e78
--   e4528eb5 ec0cdcd7 ef20d3de ef3247bf
select fact.firmware_version_id, fact.package_id, match.vulnerability_id
from workspace_matches as match
join package_matches as open on open.package_id = match.package_id
  and open.vulnerability_id = match.vulnerability_id and open.until is null
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
left join finding_decisions as decision on decision.workspace_id = $2
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where match.workspace_id = $3 and true and true and true
  and fact.firmware_version_id = any($4::uuid[]) and true and true
limit $5;

select fact.firmware_version_id, fact.package_id, match.vulnerability_id
from workspace_matches as match
join package_matches as open on open.package_id = match.package_id
  and open.vulnerability_id = match.vulnerability_id and open.until is null
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
left join finding_decisions as decision on decision.workspace_id = $2
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where match.workspace_id = $3 and true and true and true
  and fact.firmware_version_id = any($4::uuid[]) and true and true
  and (
    coalesce(decision.assessment, 'NotAssessed') = any($5::text[])
      and (
        (
          fact.firmware_version_id = $6::uuid
            and (fact.package_id, match.vulnerability_id) in (
              with sbom as materialized (
                select id
                from sboms
                where workspace_id = $7 and firmware_version_id = $8 and parsing_state = 'Succeeded'
              ),
                member as materialized (
                  select component.sbom_id, component.package_id, component.node,
                    list.id as list_id, cardinality(list.files) as file_count,
                    list.component_id is not null as is_uploaded
                  from sbom
                  join source_file_lists as list on list.workspace_id = $9
                    and list.sbom_id = sbom.id
                  cross join unnest(list.nodes) as listed (node)
                  join sbom_components as component on component.workspace_id = $10
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
                  join sbom_components as component on component.workspace_id = $11
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
                  join source_file_lists as list on list.workspace_id = $12
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
                    and (affected.key = any(named.keys) or affected.product_key = any(named.keys))
                    and affected.key not like 'repo:%'
                  cross join jsonb_array_elements_text(
                    coalesce(affected.vulnerable_code, '[null]')
                  ) as path
                )
              select package_id, vulnerability_id
              from code
              group by package_id, vulnerability_id
              having bool_and(path is not null and not is_compiled)
            )
        )
      )
  ) = $13
limit $14;

-- server/src/features/findings/workspace-list/rows-store.ts countRows: the shortest and the longest of many variants
--   0580a777 092867d1 0a84c4fa 14caed8b 19d209b5 1c728a34 1cf87ac7 1e9d4596 20861e79 24817a48
--   27640308 2bf05d6b 2e54c77c 311682e3 342e37f0 3431c861 39b060ee 3dad807b 4094f386 451fe3ca
--   48aa09a6 4a530533 4b34fc90 4d5880d3 50d56878 531f4716 538c5c84 5ccec571 5e9c9372 615f1b5c
--   6395dc4b 698171e2 6cf4f2ec 6d6548d9 6fab3ff3 6fb0d820 70ebd0c7 71c624b8 71e6e8a4 75761983
--   75f801a2 75fc0e59 773676e2 773de59e 77d497a6 77ef5181 79db6185 7cd967fe 8022c28a 8162aae5
--   858e5688 86147a55 86dd8b0f 8d572a02 8e0d662f 8f5d1709 95a26bfe 962a6197 977d3a64 a543e9a7
--   a65f308e a971bcac b4f7cac0 bf887e37 c42e451c c53d765f cab10b09 ccffc73d cdf0557b d4422f2d
--   d4e9ffe2 d4f7dfa5 d5336858 d654ffcc d6f65a88 d7244430 d7e5e3db dabad793 dc26a30c e2f5e9b1
--   e3a06e3d e8e415b6 e9babdac eb635360 eeeb2b85 f001bd70 f1991c3f f563e905 fcdc1cfb fec9fc51
--   fee7b3cf ff2cde49
select count(*)::int as count
from (
  select
  from (
    select *
    from workspace_component_vulnerabilities as pair
    where pair.workspace_id = $1 and true and true
    offset 0
  ) as pair
  cross join lateral (
    select match.*
    from workspace_matches as match
    where match.workspace_id = $2 and match.vulnerability_id = pair.vulnerability_id
      and match.component_name = pair.component_name and true and true
    offset 0
  ) as match
  where true
  limit $3
) as counted;

select count(*)::int as count
from (
  select
  from (
    select *
    from workspace_component_vulnerabilities as pair
    where pair.workspace_id = $1 and true and true
      and pair.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($2::text[])
      )
      and (
        (
          pair.component_name = any($3::text[])
            and pair.vulnerability_id not in (
              select alias.vulnerability_id
              from vulnerability_assignees as given
              join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
              where given.workspace_id = $4 and true
            )
        )
          or pair.vulnerability_id in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $5 and given.person_id = any($6::uuid[])
          )
      ) and pair.states & $7::bigint <> 0
    offset 0
  ) as pair
  cross join lateral (
    select match.*
    from workspace_matches as match
    where match.workspace_id = $8 and match.vulnerability_id = pair.vulnerability_id
      and match.component_name = pair.component_name and true and true
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($9::text[])
      ) and match.states & $10::bigint <> 0
      and (
        (
          (match.package_id = any($11::uuid[])) is true
            and match.vulnerability_id not in (
              select alias.vulnerability_id
              from vulnerability_assignees as given
              join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
              where given.workspace_id = $12 and true
            )
        )
          or match.vulnerability_id in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $13 and given.person_id = any($14::uuid[])
          )
      )
      and (
        match.states & ~$15::bigint = 0
          or exists (
            select
            from firmware_version_packages as fact
            left join lateral (
              select *
              from finding_decisions as decision
              where decision.workspace_id = $16
                and decision.firmware_version_id = fact.firmware_version_id
                and decision.package_id = fact.package_id
                and decision.vulnerability_id = match.vulnerability_id
              limit 1
            ) as decision on true
            where fact.workspace_id = $17 and fact.package_id = match.package_id
              and fact.until is null and true and true
              and (
                not coalesce(decision.ignored, false)
                  and coalesce(decision.assessment, 'NotAssessed') not in (
                    'NotAffected', 'FalsePositive', 'Resolved'
                  )
                  and (
                    (case when match.states >= 16777216 then 'Low' else 'High' end) <> 'Low'
                      or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
                  )
              )
              and (
                (
                  (
                    fact.package_id = any($18::uuid[])
                      or (fact.firmware_version_id, fact.package_id) in (
                        select placed.firmware_version_id, placed.package_id
                        from (
                          select version_id as firmware_version_id, declared.package_id,
                            min(declared.rule) as rule
                          from (
                            select package_id, version_ids, is_asked, case when true
                              and declared.firmware_id = any($19::uuid[]) then 0 else 1 end as rule
                            from (
                              select held.package_id, held.is_asked, held.name, held.source_name,
                                held.purl, null::text as file_name,
                                (
                                  select version.firmware_id
                                  from firmware_versions as version
                                  where version.workspace_id = $20
                                    and version.id = held.firmware_version_id
                                ) as firmware_id, array_agg(held.firmware_version_id) as version_ids
                              from (
                                select fact.firmware_version_id, fact.package_id,
                                  fact.component_name as name, null::text as source_name,
                                  fact.component_purl as purl, null::text as file_name,
                                  true as is_asked
                                from firmware_version_packages as fact
                                where fact.workspace_id = $21 and fact.until is null and true
                              ) as held
                              group by 1, 2, 3, 4, 5, 6, 7
                            ) as declared
                          ) as declared
                          cross join unnest(declared.version_ids) as version_id
                          group by 1, 2
                          having bool_or(declared.is_asked)
                        ) as placed
                        where placed.rule = any($22::int[])
                      )
                  )
                    and match.vulnerability_id not in (
                      select alias.vulnerability_id
                      from vulnerability_assignees as given
                      join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
                      where given.workspace_id = $23 and true
                    )
                )
                  or match.vulnerability_id in (
                    select alias.vulnerability_id
                    from vulnerability_assignees as given
                    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
                    where given.workspace_id = $24 and given.person_id = any($25::uuid[])
                  )
              )
          )
      )
    offset 0
  ) as match
  where true
  limit $26
) as counted;

-- server/src/features/findings/workspace-list/rows-store.ts countRowsBySeverity
select match.severity_rank as rank, count(*)::int as count
from (
  select *
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $1 and true and true
    and (
      (
        pair.component_name = any($2::text[])
          and pair.vulnerability_id not in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $3 and true
          )
      )
    ) and pair.states & $4::bigint <> 0
  offset 0
) as pair
cross join lateral (
  select match.*
  from workspace_matches as match
  where match.workspace_id = $5 and match.vulnerability_id = pair.vulnerability_id
    and match.component_name = pair.component_name and true and true
    and match.states & $6::bigint <> 0
    and (
      (
        (match.package_id = any($7::uuid[])) is true
          and match.vulnerability_id not in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $8 and true
          )
      )
    )
  offset 0
) as match
where true
group by match.severity_rank;

-- server/src/features/findings/workspace-list/rows-store.ts countRowsBySeverity
select match.severity_rank as rank, count(*)::int as count
from (
  select *
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $1 and true and true
    and (
      (
        pair.component_name = any($2::text[])
          and pair.vulnerability_id not in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $3 and true
          )
      )
        or pair.vulnerability_id in (
          select alias.vulnerability_id
          from vulnerability_assignees as given
          join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
          where given.workspace_id = $4 and given.person_id = any($5::uuid[])
        )
    ) and pair.states & $6::bigint <> 0
  offset 0
) as pair
cross join lateral (
  select match.*
  from workspace_matches as match
  where match.workspace_id = $7 and match.vulnerability_id = pair.vulnerability_id
    and match.component_name = pair.component_name and true and true
    and match.states & $8::bigint <> 0
    and (
      (
        (match.package_id = any($9::uuid[])) is true
          and match.vulnerability_id not in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $10 and true
          )
      )
        or match.vulnerability_id in (
          select alias.vulnerability_id
          from vulnerability_assignees as given
          join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
          where given.workspace_id = $11 and given.person_id = any($12::uuid[])
        )
    )
  offset 0
) as match
where true
group by match.severity_rank;

-- server/src/features/findings/workspace-list/rows-store.ts listRows: the shortest and the longest of many variants
--   001e665e 0099323c 00c73ade 02769101 02afbff9 02ec93e5 02feff8a 0397324e 03b5c15e 04a884ee
--   05a84a46 06cee525 07cb51c9 0892ae88 09bf47d3 0b22b07e 0c86a5aa 0c997aa5 0d078eb0 0d65b2b8
--   0f06a2c3 0f483577 0f817b86 0fb3b265 102fa4b3 12db48ce 1323bca6 132ef126 133f0cb5 1378a9a3
--   1403f8af 14d8fbb0 1768ffb9 1818a352 183b6892 1be8700d 1c19eea5 1ded52fe 1e140eb1 21207815
--   22818f75 230bb16d 230be77e 23114241 235fd9ed 23c6edcd 2470c93e 24935cba 24b03d80 250637a0
--   25da8f3c 26454d51 28d14324 2c03e3b0 2d3d9f91 2e5a6a91 2ea66b34 2eda505a 2ee6da94 2f0e33c8
--   2f27fafe 312366dc 329fb82a 33c41cb6 34b1046d 34bc0e60 350a6e4e 356fb78c 35bf526e 37e373e3
--   38707147 38e8e406 3a73a321 3ba4818c 3c23c805 3ecff927 3ef748be 40ca2e1a 40ea871d 411b8817
--   420766fb 42210fe5 4364e972 437db126 43d75cd7 4425b210 44b3939b 450b8daf 45378971 4558197c
--   47efe08f 4815d030 4891c05a 4936df17 4aa2895b 4b3c3fad 4c63e9eb 4ca4a75d 4d8554cb 4e694469
--   4ebda8be 4f0bb983 51821f4c 51a96cc4 521a2a02 521ccfef 529714df 52dd1027 52ed943a 53e6df05
--   548ae453 551b1f6f 5557ffb7 55613abe 577cc72d 57d7a2bc 581bae42 589efadd 591158a5 596fb678
--   59858996 5a9a690c 5a9cad5a 5b45c5ca 5be9041f 5dd3b54c 5de6fd3d 5e282981 5e99f07a 5eb45290
--   5ef97ac3 6125e076 61ca2736 6259e127 62e08745 639dfb3b 64d453d6 653f6671 65977c86 65a65553
--   65c04345 66cbf6d1 680fdb4d 68d8560f 6b65a44b 6c585b59 6cda101b 6d2ededb 6d7daff7 6dbb5fdd
--   6deff55f 6e3f9629 6e4a7ddf 6e824413 6ef800c7 71635bfb 7314cb0e 74168703 746ea57d 74b11489
--   74ee727d 76eea398 7747b02a 77fd8f04 78a54899 7cb17e57 7d3e3211 7d6dc538 7dae6b7f 7e1ade55
--   7ef20ecc 7fab321b 8022e340 8055fbc8 8073079a 80f1bae8 841322f3 84739db3 849506b2 8529c148
--   855a0be7 87e42530 882017e0 8865f98a 8869b6be 88a956ab 89735968 89d87f7b 8a5adf3b 8a74da01
--   8b19dddb 8b2f8571 8b73dd0e 8bd38735 8c16d0cc 8ca06839 8d27e021 8d281ae4 8ed153a4 8f5ab212
--   9111d3f0 9114d5b4 927ee791 93482fbe 934a9aac 937d4a44 93b0cfc7 94946a95 94993f1c 955b572b
--   95cd6327 95e94e9e 9766cdc7 99d6ad40 9b3fa866 9b9325a0 9d1e1423 9e526f70 9e6e1547 a082b07e
--   a0fb9520 a1037b14 a12304b6 a1f12c4a a2820c2a a402eb21 a43309cf a5392d64 a54927ff a5a5a58d
--   a5aa1a34 a68c62a8 a89bbda9 a8de500d a8ee2ad7 a9117464 a98fc4af aa0a6430 aa6da817 aa7e71c0
--   ab266014 ab905fa5 adaf7714 adfb2e65 ae706311 af4ea3c7 b0366402 b0a0bcda b0a97e48 b0a9d435
--   b1a44eb5 b226e4ee b32641dc b3d24c19 b3fd587b b4547e56 b4a99a73 b51fefa5 b54b5485 b626f99a
--   b6ccce43 b7ee5984 b9e49615 bb720bfd bd2052c9 bd448c63 bd5a4cee bead7dd6 bf133061 c072badb
--   c0a62acb c1825d9a c19c8021 c269c7be c3125b2d c42140d9 c4793f1d c68be4be c69d0bc0 c70edef6
--   c7c6ff4c c7cdb391 c8459a24 c877045c c902d29c c940a1d1 cadddc47 cae8f1c4 cc34ce9e cc3d7337
--   cca800e7 ce1e4d10 ce584517 d0664077 d06ee46c d07cd256 d0fdd960 d1771df9 d1dbe936 d1fdc3cd
--   d2e799ce d317912f d3ebdc4f d5c57374 d69524e6 d6e2d6da d77b0c3f d7b09307 d7f97c9e d866cb8d
--   d87b3c7c d8d4acf4 dd3b6717 ddd07977 dfc33596 e02b7c65 e09dbda8 e17dfef9 e1a85106 e1fe3728
--   e24c935b e29bf714 e2ddfad2 e427fd50 e489f3e5 e891a8a7 e9c8d43d ebd30c08 ebeee94a ec0fd017
--   ec24d3cd ec689701 edeb9c06 ee95d4c8 eea1ccf4 eec6d908 efa39a5e f065ae99 f22b48d0 f2f4a5ee
--   f2f98a91 f3101da1 f3b0e926 f3b9bf18 f48d2816 f51ae155 f5af6cf3 f676fe19 f712db1e f8204d1d
--   f85dd2c0 f8c76a23 fbc6e1ba fbfb1b46 fcc9cf13 fda447e3 fe273d73 fe352155 fe423413 ff667804
--   ffa48754
select package_id, vulnerability_id, json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, keyed.key_0 as sort_0,
    keyed.vulnerability_id as sort_1, match.package_id as sort_2
  from workspace_matches as match
  cross join lateral (select match.vulnerability_id, match.package_id, match.detected_at as key_0)
    as keyed
  where match.workspace_id = $1 and true and true
  order by keyed.key_0 asc, keyed.vulnerability_id asc, match.package_id asc
  limit $2
) as chosen
order by sort_0 asc, sort_1 asc, sort_2 asc;

select package_id, vulnerability_id,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4) as sort_values
from (
  select match.package_id, match.vulnerability_id, keyed.key_0 as sort_0, keyed.key_1 as sort_1,
    keyed.key_2 as sort_2, keyed.vulnerability_id as sort_3, match.package_id as sort_4
  from (
    select *
    from workspace_component_vulnerabilities as pair
    where pair.workspace_id = $1 and true and true
      and pair.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($2::text[])
      )
      and (
        (
          pair.component_name = any($3::text[])
            and pair.vulnerability_id not in (
              select alias.vulnerability_id
              from vulnerability_assignees as given
              join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
              where given.workspace_id = $4 and true
            )
        )
          or pair.vulnerability_id in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $5 and given.person_id = any($6::uuid[])
          )
      ) and pair.states & $7::bigint <> 0
    offset 0
  ) as pair
  cross join lateral (
    select match.*
    from workspace_matches as match
    where match.workspace_id = $8 and match.vulnerability_id = pair.vulnerability_id
      and match.component_name = pair.component_name and true and true
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($9::text[])
      ) and match.states & $10::bigint <> 0
      and (
        (
          (match.package_id = any($11::uuid[])) is true
            and match.vulnerability_id not in (
              select alias.vulnerability_id
              from vulnerability_assignees as given
              join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
              where given.workspace_id = $12 and true
            )
        )
          or match.vulnerability_id in (
            select alias.vulnerability_id
            from vulnerability_assignees as given
            join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
            where given.workspace_id = $13 and given.person_id = any($14::uuid[])
          )
      )
      and (
        match.states & ~$15::bigint = 0
          or exists (
            select
            from firmware_version_packages as fact
            left join lateral (
              select *
              from finding_decisions as decision
              where decision.workspace_id = $16
                and decision.firmware_version_id = fact.firmware_version_id
                and decision.package_id = fact.package_id
                and decision.vulnerability_id = match.vulnerability_id
              limit 1
            ) as decision on true
            where fact.workspace_id = $17 and fact.package_id = match.package_id
              and fact.until is null and true and true
              and (
                not coalesce(decision.ignored, false)
                  and coalesce(decision.assessment, 'NotAssessed') not in (
                    'NotAffected', 'FalsePositive', 'Resolved'
                  )
                  and (
                    (case when match.states >= 16777216 then 'Low' else 'High' end) <> 'Low'
                      or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
                  )
              )
              and (
                (
                  (
                    fact.package_id = any($18::uuid[])
                      or (fact.firmware_version_id, fact.package_id) in (
                        select placed.firmware_version_id, placed.package_id
                        from (
                          select version_id as firmware_version_id, declared.package_id,
                            min(declared.rule) as rule
                          from (
                            select package_id, version_ids, is_asked, case when true
                              and declared.firmware_id = any($19::uuid[]) then 0 else 1 end as rule
                            from (
                              select held.package_id, held.is_asked, held.name, held.source_name,
                                held.purl, null::text as file_name,
                                (
                                  select version.firmware_id
                                  from firmware_versions as version
                                  where version.workspace_id = $20
                                    and version.id = held.firmware_version_id
                                ) as firmware_id, array_agg(held.firmware_version_id) as version_ids
                              from (
                                select fact.firmware_version_id, fact.package_id,
                                  fact.component_name as name, null::text as source_name,
                                  fact.component_purl as purl, null::text as file_name,
                                  true as is_asked
                                from firmware_version_packages as fact
                                where fact.workspace_id = $21 and fact.until is null and true
                              ) as held
                              group by 1, 2, 3, 4, 5, 6, 7
                            ) as declared
                          ) as declared
                          cross join unnest(declared.version_ids) as version_id
                          group by 1, 2
                          having bool_or(declared.is_asked)
                        ) as placed
                        where placed.rule = any($22::int[])
                      )
                  )
                    and match.vulnerability_id not in (
                      select alias.vulnerability_id
                      from vulnerability_assignees as given
                      join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
                      where given.workspace_id = $23 and true
                    )
                )
                  or match.vulnerability_id in (
                    select alias.vulnerability_id
                    from vulnerability_assignees as given
                    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
                    where given.workspace_id = $24 and given.person_id = any($25::uuid[])
                  )
              )
          )
      )
    offset 0
  ) as match
  cross join lateral (select match.device_magnitude as value) as run
  cross join lateral (
    select match.vulnerability_id, match.package_id,
      (
        (
          ((pair.is_exploited::integer * 2 + (run.value > 0)::integer) * 8 + pair.severity_rank) * 4
            + width_bucket(pair.epss_score, array[0.01, 0.1, 0.5]::real[])
        ) * 16 + run.value
      )::integer as key_0, pair.epss_score as key_1, coalesce(pair.score, '-1'::real) as key_2
  ) as keyed
  where true
  order by keyed.key_0 desc, keyed.key_1 desc, keyed.key_2 desc, keyed.vulnerability_id desc,
    match.package_id desc
  limit $26
) as chosen
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc;

-- server/src/features/findings/workspace-list/states-store.ts deleteDecisions
delete from workspace_decisions as kept using (
  select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
    match.score, match.is_exploited
  from unnest($1::uuid[], $2::text[]) as changed (package_id, vulnerability_id)
  cross join lateral (
    select holding.*
    from workspace_packages as holding
    where holding.workspace_id = $3 and holding.package_id = changed.package_id
      and holding.version_count > 0
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
where kept.workspace_id = $4 and kept.vulnerability_id = held.vulnerability_id
  and kept.package_id = held.package_id;

-- server/src/features/findings/workspace-list/states-store.ts deleteUncounted
delete from workspace_decisions as kept
where kept.workspace_id = $1 and kept.package_id = any($2::uuid[])
  and (kept.finding_count = 0 or kept.package_id = any($3::uuid[]));

-- server/src/features/findings/workspace-list/states-store.ts dropDecisionsOfVersions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored,
    -1 as amount
  from (
    select fact.package_id, array_agg(fact.firmware_version_id) as version_ids
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = any($3::uuid[])
      and fact.until is null
    group by fact.package_id
    having count(*) < (
      select owned.version_count
      from workspace_packages as owned
      where owned.workspace_id = $4 and owned.package_id = fact.package_id
    )
  ) as held
  cross join lateral (
    select *
    from finding_decisions as each
    where each.workspace_id = $5 and each.firmware_version_id = any(held.version_ids)
      and each.package_id = held.package_id
    offset 0
  ) as decision
  where exists (
    select
    from package_matches as match
    where match.package_id = decision.package_id
      and match.vulnerability_id = decision.vulnerability_id and match.until is null
  )
) as moved
group by package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/states-store.ts keepDecisionsOfVersion
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.*
  from unnest($2::uuid[], $3::int[]) as changed (package_id, amount)
  cross join lateral (
    select each.vulnerability_id, each.package_id, each.assessment, each.ignored, changed.amount
    from finding_decisions as each
    where each.workspace_id = $4 and each.firmware_version_id = $5
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
group by package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/states-store.ts readDecisions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored,
    1 as amount
  from (
    select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
      match.score, match.is_exploited
    from unnest($2::uuid[], $3::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $4 and holding.package_id = changed.package_id
        and holding.version_count > 0
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
      and each.workspace_id = $5
    offset 0
  ) as decision
  cross join lateral (
    select
    from firmware_version_packages as each
    where each.workspace_id = $6 and each.firmware_version_id = decision.firmware_version_id
      and each.package_id = decision.package_id and each.until is null
    offset 0
  ) as fact
) as moved
group by package_id, vulnerability_id, assessment, ignored
having sum(amount) <> 0
order by package_id, vulnerability_id, assessment, ignored
on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored)
do update
set finding_count = kept.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select distinct vulnerability_id, package_id
    from unnest($2::text[], $3::uuid[]) as decided (vulnerability_id, package_id)
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = $4 and one.vulnerability_id = touched.vulnerability_id
      and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select version_count
    from workspace_packages as one
    where one.workspace_id = $5 and one.package_id = touched.package_id
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
    update workspace_matches as kept
    set states = now.now_states
    from now
    where kept.workspace_id = $6 and kept.vulnerability_id = now.vulnerability_id
      and kept.package_id = now.package_id and now.states <> now.now_states
  )
select distinct component_name, vulnerability_id
from now
where states <> now_states
order by 1, 2;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select distinct decided.vulnerability_id, decided.package_id
    from unnest($2::uuid[]) as changed (package_id)
    cross join lateral (
      select *
      from workspace_decisions as each
      where each.workspace_id = $3 and each.package_id = changed.package_id
      offset 0
    ) as decided
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = $4 and one.vulnerability_id = touched.vulnerability_id
      and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select version_count
    from workspace_packages as one
    where one.workspace_id = $5 and one.package_id = touched.package_id
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
    update workspace_matches as kept
    set states = now.now_states
    from now
    where kept.workspace_id = $6 and kept.vulnerability_id = now.vulnerability_id
      and kept.package_id = now.package_id and now.states <> now.now_states
  )
select distinct component_name, vulnerability_id
from now
where states <> now_states
order by 1, 2;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select distinct vulnerability_id, package_id
    from (
      select entry.*
      from finding_timeline as entry
      cross join lateral (
        select
        from finding_timeline as undo
        where undo.workspace_id = $2 and undo.firmware_version_id = entry.firmware_version_id
          and undo.package_id = entry.package_id and undo.vulnerability_id = entry.vulnerability_id
          and undo.undone_batch_id = $3
        limit 1
      ) as undo
      where entry.workspace_id = $4 and entry.batch_id = $5 and entry.id = any($6::uuid[])
    ) as entry
  ) as touched
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = $7 and one.vulnerability_id = touched.vulnerability_id
      and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select version_count
    from workspace_packages as one
    where one.workspace_id = $8 and one.package_id = touched.package_id
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
    update workspace_matches as kept
    set states = now.now_states
    from now
    where kept.workspace_id = $9 and kept.vulnerability_id = now.vulnerability_id
      and kept.package_id = now.package_id and now.states <> now.now_states
  )
select distinct component_name, vulnerability_id
from now
where states <> now_states
order by 1, 2;

-- server/src/features/findings/workspace-list/states-store.ts refreshStates
with now as materialized (
  select kept.*,
    (
      select (
        coalesce(
          bit_or(
            (
              1::bigint << (
                2 * (
                  array_position(
                    '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[],
                      decided.assessment
                  ) - 1
                ) + decided.ignored::int
              )
            )
          ), 0
        ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
      ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
      from workspace_decisions as decided
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
      match.score, match.is_exploited
    from unnest($2::uuid[], $3::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $4 and holding.package_id = changed.package_id
        and holding.version_count > 0
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
    where one.workspace_id = $5 and one.vulnerability_id = touched.vulnerability_id
      and one.package_id = touched.package_id
    limit 1
  ) as kept
  cross join lateral (
    select version_count
    from workspace_packages as one
    where one.workspace_id = $6 and one.package_id = touched.package_id
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
    update workspace_matches as kept
    set states = now.now_states
    from now
    where kept.workspace_id = $7 and kept.vulnerability_id = now.vulnerability_id
      and kept.package_id = now.package_id and now.states <> now.now_states
  )
select distinct component_name, vulnerability_id
from now
where states <> now_states
order by 1, 2;

-- server/src/features/findings/workspace-list/version-numbers-store.ts deleteVersionNumbers
delete from workspace_versions where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/findings/workspace-list/version-numbers-store.ts leaveVersions
with gone as (
  select number / 32 as block, bit_or(1 << number % 32) as versions
  from workspace_versions
  where workspace_id = $1 and firmware_version_id = any($2::uuid[])
  group by number / 32
),
  emptied as (
    delete from workspace_package_versions as kept using gone
    where kept.workspace_id = $3 and kept.package_id = any($4::uuid[]) and kept.block = gone.block
      and kept.versions & ~gone.versions = 0
  )
update workspace_package_versions as kept
set versions = kept.versions & ~gone.versions
from gone
where kept.workspace_id = $5 and kept.package_id = any($6::uuid[]) and kept.block = gone.block
  and kept.versions & ~gone.versions <> 0;

-- server/src/features/findings/workspace-list/version-numbers-store.ts moveVersion
insert into workspace_package_versions as kept (workspace_id, package_id, block, versions)
select $1, package_id, number / 32, 1 << number % 32
from unnest($2::uuid[]) as begun (package_id)
join workspace_versions on workspace_id = $3 and firmware_version_id = $4
order by package_id
on conflict (workspace_id, package_id, block)
do update
set versions = kept.versions | excluded.versions;

-- server/src/features/findings/workspace-list/version-numbers-store.ts numberVersion
insert into workspace_versions (workspace_id, firmware_version_id, number)
select $1, $2, case when newest.number % 32 < 31
  and not exists (
    select
    from workspace_versions as taken
    where taken.workspace_id = $3 and taken.number = newest.number + 1
  ) then newest.number + 1
  else coalesce(
    (select 32 * (max(number) / 32 + 1) from workspace_versions where workspace_id = $4), 0
  ) end
from (select) as one
left join lateral (
  select numbered.number
  from firmware_versions as version
  join workspace_versions as numbered on numbered.workspace_id = $5
    and numbered.firmware_version_id = version.id
  where version.workspace_id = $6
    and version.firmware_id = (
      select firmware_id from firmware_versions where workspace_id = $7 and id = $8
    )
  order by version.created_at desc, version.id desc
  limit 1
) as newest on true
on conflict (workspace_id, firmware_version_id)
do nothing;
