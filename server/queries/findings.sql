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
  judged_components = excluded.judged_components, silent_components = excluded.silent_components;

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
set evaluated_at = greatest(evaluated_at, $13), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $14 and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/decisions-store.ts listTimeline
select type, created_at, source, created_by_email, assessment, ignored, justification, responses,
  detail, recheck_reason, origin, stated_in as stated_in, undone_batch_id is not null as is_undo
from finding_timeline
where workspace_id = $1 and firmware_version_id = $2 and package_id = $3 and vulnerability_id = $4
order by created_at, id;

-- server/src/features/findings/decisions-store.ts writeDecisions
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in, batch_id, before
)
select $1::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", id, case
  when is_assessed then 'Assessment' when ignored then 'Ignored' else 'Unignored' end,
  $2::timestamptz, source, "createdByEmail", assessment, ignored, justification,
  coalesce(responses, '{}'), detail, case when clears_mark then $3 else recheck_reason end,
  "statementId", origin, "statedIn", "batchId", case when "batchId" is not null then replaced end
from (
  select given.*, decision.package_id is not null as was_decided, true as is_decided,
    to_jsonb(decision) as replaced, coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed,
    (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
    ) as clears_mark, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."recheckReason", decision.recheck_reason)
    else given."recheckReason" end as recheck_reason, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."previousDecision", decision.previous_decision)
    else given."previousDecision" end as previous_decision,
    coalesce(given."decidedAt", $4) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset($5::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean,
      "batchId" uuid
  ) left join finding_decisions as decision on decision.workspace_id = $6
    and decision.firmware_version_id = given."firmwareVersionId"
    and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
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
            and coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
        ) as clears_mark, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."recheckReason", decision.recheck_reason)
        else given."recheckReason" end as recheck_reason, case
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
          "decidedAt" timestamptz, "needsEntry" boolean, "batchId" uuid
      ) left join finding_decisions as decision on decision.workspace_id = $4
        and decision.firmware_version_id = given."firmwareVersionId"
        and decision.package_id = given."packageId"
        and decision.vulnerability_id = given."vulnerabilityId"
      left join package_matches as match on match.package_id = given."packageId"
        and match.vulnerability_id = given."vulnerabilityId" and match.until is null
      where given."newAssessment" is not null
        or coalesce(decision.ignored, false) is distinct from given."newIgnored"
    ) as input
    join firmware_version_packages as fact on fact.workspace_id = $5
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
    recheck_reason, previous_decision, statement_id, origin, stated_in
)
select $1::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", assessment, ignored,
  decided_at, justification, coalesce(responses, '{}'), detail, source, "createdByEmail", case
  when is_assessed then decided_at end, md5(evidence.evidence::text), recheck_reason,
  previous_decision, "statementId", origin, "statedIn"
from (
  select given.*, decision.package_id is not null as was_decided, true as is_decided,
    to_jsonb(decision) as replaced, coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed,
    (
      given."newAssessment" is null and coalesce(given."newIgnored", false)
        and coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
    ) as clears_mark, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."recheckReason", decision.recheck_reason)
    else given."recheckReason" end as recheck_reason, case
    when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
    coalesce(given."previousDecision", decision.previous_decision)
    else given."previousDecision" end as previous_decision,
    coalesce(given."decidedAt", $2) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset($3::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean,
      "batchId" uuid
  ) left join finding_decisions as decision on decision.workspace_id = $4
    and decision.firmware_version_id = given."firmwareVersionId"
    and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
) as input
left join package_match_evidence as evidence on evidence.package_id = input."packageId"
  and evidence.vulnerability_id = input."vulnerabilityId"
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
  origin = case when excluded.assessed_at is null then decision.origin else excluded.origin end,
  stated_in = case when excluded.assessed_at is null then decision.stated_in
  else excluded.stated_in end, recheck_reason = case when excluded.assessed_at is null
  and excluded.ignored and decision.previous_decision ->> 'ignored' = 'true' then null
  when excluded.assessed_at is null then decision.recheck_reason else excluded.recheck_reason end,
  previous_decision = case when excluded.assessed_at is null and excluded.ignored
  and decision.previous_decision ->> 'ignored' = 'true' then null
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
            and coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
        ) as clears_mark, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."recheckReason", decision.recheck_reason)
        else given."recheckReason" end as recheck_reason, case
        when (given.origin in ('Document', 'Build') and decision.previous_decision is not null) then
        coalesce(given."previousDecision", decision.previous_decision)
        else given."previousDecision" end as previous_decision,
        coalesce(given."decidedAt", $1) as decided_at, match.confidence as match_confidence,
        match.severity as match_severity, match.is_exploited as match_exploited
      from json_to_recordset($2::json) as given (
        id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
          "newAssessment" text, justification text, responses text[], detail text,
          "newIgnored" boolean, source text, origin text, "statedIn" jsonb, "createdByEmail" text,
          "recheckReason" text, "statementId" uuid, "previousDecision" jsonb,
          "decidedAt" timestamptz, "needsEntry" boolean, "batchId" uuid
      ) left join finding_decisions as decision on decision.workspace_id = $3
        and decision.firmware_version_id = given."firmwareVersionId"
        and decision.package_id = given."packageId"
        and decision.vulnerability_id = given."vulnerabilityId"
      left join package_matches as match on match.package_id = given."packageId"
        and match.vulnerability_id = given."vulnerabilityId" and match.until is null
      where given."newAssessment" is not null
        or coalesce(decision.ignored, false) is distinct from given."newIgnored"
    ) as input
    join firmware_version_packages as fact on fact.workspace_id = $4
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
      coalesce(sum(amount) filter (where counter = $5), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $6), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $7), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $8), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $9), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $10), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $11), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $12), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $13), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $14), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $15 and counters.firmware_version_id = totals.firmware_version_id;

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
      ) as firmware_version
    from workspaces as workspace
    join firmware_versions as version on version.workspace_id = workspace.id and version.id = $7
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where workspace.id = $8
  ),
  matched as materialized (
    select latest.package_id, latest.vulnerability_id, fact.component_name, fact.component_version,
      fact.component_vendor, fact.component_purl, fact.component_cpe, match.severity, match.score,
      match.confidence, evidence.evidence
    from latest
    join firmware_version_packages as fact on fact.workspace_id = $9
      and fact.firmware_version_id = $10 and fact.package_id = latest.package_id
      and fact.since = latest.held_since
    join package_matches as match on match.package_id = latest.package_id
      and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
    join package_match_evidence as evidence on evidence.package_id = latest.package_id
      and evidence.vulnerability_id = latest.vulnerability_id
  )
select matched.package_id, matched.vulnerability_id, vulnerability.name, matched.severity,
  matched.score as primary_score, vulnerability.is_known_exploit as is_known_exploit,
  vulnerability.is_disputed, vulnerability.published_at, vulnerability.modified_at,
  epss.score as epss_score, case when not $11 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) as origin, coalesce(decision.ignored, false) as ignored, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision, matched.confidence, matched.evidence, matched.component_name,
  matched.component_version, matched.component_vendor, matched.component_purl,
  matched.component_cpe, ground.remediation_target_days, ground.firmware_version,
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
left join finding_decisions as decision on decision.workspace_id = $12
  and decision.firmware_version_id = $13 and decision.package_id = matched.package_id
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
      ) as firmware_version
    from workspaces as workspace
    join firmware_versions as version on version.workspace_id = workspace.id and version.id = $10
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where workspace.id = $11
  ),
  matched as materialized (
    select latest.package_id, latest.vulnerability_id, fact.component_name, fact.component_version,
      fact.component_vendor, fact.component_purl, fact.component_cpe, match.severity, match.score,
      match.confidence, evidence.evidence
    from latest
    join firmware_version_packages as fact on fact.workspace_id = $12
      and fact.firmware_version_id = $13 and fact.package_id = latest.package_id
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
      and vulnerability.known_exploit_since <= $14
  ) as is_known_exploit, vulnerability.is_disputed, vulnerability.published_at,
  vulnerability.modified_at, null::real as epss_score, case
  when not $15 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment, null as origin,
  coalesce(decision.ignored, false) as ignored, decision.justification,
  coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision, matched.confidence, matched.evidence, matched.component_name,
  matched.component_version, matched.component_vendor, matched.component_purl,
  matched.component_cpe, ground.remediation_target_days, ground.firmware_version,
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
          and vulnerability.known_exploit_since <= $16
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
    where date_added <= $17
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
    nullif(
      (
        jsonb_agg(recheck_reason order by created_at desc, id desc) filter (
          where type = 'Assessment' or recheck_reason = $18
        )
      ) -> 0 #>> '{}', $19
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
  where workspace_id = $20 and firmware_version_id = $21 and created_at <= $22
  group by workspace_id, firmware_version_id, package_id, vulnerability_id
) as decision on decision.workspace_id = $23 and decision.firmware_version_id = $24
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
--   0370cab7 05d5df4c 07d85604 0ad26f68 0ecf3634 110e8592 13e3afed 1c662836 1cf783b3 2137810f
--   21b47e7f 233484bf 24214592 2cd117aa 2f38e85c 3412a403 3a9b55ac 3c136432 3fd3c2ee 4021db77
--   40965c84 4105c0db 442863ab 48b48810 4cf6cfcd 501b6ae3 567e27ad 5e9439fa 5f378591 5f63cf90
--   604f252e 6152c834 63ed5d50 65e83782 6a31f0ed 6e3338fd 7123ff2e 73b97b7e 7623fe66 765181ac
--   76bf3023 7bb26e46 7ca9c512 7ed7543b 7f9bea3f 85d8a7c1 86823d54 869d7423 86c3693d 8968b7b1
--   8c342b85 8e69d17f 8f363003 94bacbae 95b6a18b 9bd69c65 a1462526 a24394a8 a4bcfb80 a79b406b
--   a807a040 aa16aa45 b1832b24 b546a003 b616f70b b86ea3fe b9caa2a0 be7fbfd1 be89727b c1d86002
--   c51e7a0b c5e55d88 c74381c3 c7c76fea c81cb8c1 cbbca7b9 cbd38cec ce04b3ec d1c7779f d25b469b
--   d5a12882 d685f0c1 dcf5dc6c ddcc5388 e252451d e457d32b eac47b63 ebf341ac f40beecb f70861c4
--   f77d7fbe f830b1db f88d8dc2 f89cb875 fb1258c8 fce9a470 ffd8f272
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
  epss.score as epss_score, match.confidence, decision.recheck_reason,
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
    vulnerability.known_exploit_since
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
  ) as exploited_sources, vulnerability.is_disputed, match.score as cvss_score,
  epss.score as epss_score, match.confidence, decision.recheck_reason,
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
    vulnerability.known_exploit_since
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

-- server/src/features/findings/undo-store.ts listBatchSides
select coalesce(array_agg(distinct firmware_version_id), '{}') as firmware_version_ids,
  coalesce(array_agg(distinct package_id), '{}') as package_ids,
  coalesce(array_agg(distinct vulnerability_id), '{}') as vulnerability_ids
from finding_timeline
where workspace_id = $1 and batch_id = $2;

-- server/src/features/findings/undo-store.ts restoreDecisions
select distinct id from finding_timeline where workspace_id = $1 and batch_id = $2 order by id;

-- server/src/features/findings/undo-store.ts restorePart: the shortest and the longest of many variants
--   1110df57 25f6d8eb 7f72d8e0 d4bd6a23 e4a1962e
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
        earlier.statement_id, earlier.origin, earlier.stated_in,
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
set evaluated_at = greatest(evaluated_at, $18), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $19 and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts addMatches
insert into workspace_component_vulnerabilities as pair (
  workspace_id, component_name, vulnerability_id, name, severity_rank, score, epss_score,
    is_exploited, device_magnitude, first_detected_at, last_detected_at, states, finding_count
)
select $1::uuid, added.component_name, added.vulnerability_id,
  coalesce(
    (select known.name from vulnerabilities as known where known.id = added.vulnerability_id), ''
  ), added.severity_rank, added.score,
  coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = added.vulnerability_id), -1
  ), added.is_exploited, added.device_magnitude, added.first_detected_at, added.last_detected_at,
  added.states, added.finding_count
from (
  select kept.component_name, kept.vulnerability_id, max(kept.severity_rank) as severity_rank,
    max(each.score) as score, bool_or(kept.is_exploited) as is_exploited,
    max(kept.device_magnitude) as device_magnitude, min(kept.detected_at) as first_detected_at,
    max(kept.detected_at) as last_detected_at, bit_or(kept.states) as states,
    sum(each.version_count)::int as finding_count
  from (
    select held.*, changed.version_count, match.*
    from unnest($2::uuid[], $3::int[]) as changed (package_id, version_count)
    cross join lateral (
      select one.package_id, one.held_since, one.open_since, one.component_name,
        one.device_magnitude
      from workspace_packages as one
      where one.workspace_id = $4 and one.package_id = changed.package_id
      offset 0
    ) as held
    cross join lateral (
      select each.vulnerability_id, each.since, each.confidence, each.severity, each.score,
        each.is_exploited
      from package_matches as each
      where each.package_id = changed.package_id and each.until is null
      offset 0
    ) as match
  ) as each
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = $5 and one.vulnerability_id = each.vulnerability_id
      and one.package_id = each.package_id
    limit 1
  ) as kept
  group by kept.component_name, kept.vulnerability_id
) as added
order by added.component_name, added.vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set severity_rank = excluded.severity_rank, score = excluded.score,
  is_exploited = excluded.is_exploited,
  device_magnitude = greatest(pair.device_magnitude, excluded.device_magnitude),
  first_detected_at = least(pair.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(pair.last_detected_at, excluded.last_detected_at),
  states = pair.states | excluded.states,
  finding_count = pair.finding_count + excluded.finding_count;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts addMatches
insert into workspace_component_vulnerabilities as pair (
  workspace_id, component_name, vulnerability_id, name, severity_rank, score, epss_score,
    is_exploited, device_magnitude, first_detected_at, last_detected_at, states, finding_count
)
select $1::uuid, added.component_name, added.vulnerability_id,
  coalesce(
    (select known.name from vulnerabilities as known where known.id = added.vulnerability_id), ''
  ), added.severity_rank, added.score,
  coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = added.vulnerability_id), -1
  ), added.is_exploited, added.device_magnitude, added.first_detected_at, added.last_detected_at,
  added.states, added.finding_count
from (
  select kept.component_name, kept.vulnerability_id, max(kept.severity_rank) as severity_rank,
    max(each.score) as score, bool_or(kept.is_exploited) as is_exploited,
    max(kept.device_magnitude) as device_magnitude, min(kept.detected_at) as first_detected_at,
    max(kept.detected_at) as last_detected_at, bit_or(kept.states) as states,
    sum(each.version_count)::int as finding_count
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
  ) as each
  cross join lateral (
    select *
    from workspace_matches as one
    where one.workspace_id = $5 and one.vulnerability_id = each.vulnerability_id
      and one.package_id = each.package_id
    limit 1
  ) as kept
  group by kept.component_name, kept.vulnerability_id
) as added
order by added.component_name, added.vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set severity_rank = excluded.severity_rank, score = excluded.score,
  is_exploited = excluded.is_exploited,
  device_magnitude = greatest(pair.device_magnitude, excluded.device_magnitude),
  first_detected_at = least(pair.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(pair.last_detected_at, excluded.last_detected_at),
  states = pair.states | excluded.states,
  finding_count = pair.finding_count + excluded.finding_count;

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

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts moveStates
update workspace_component_vulnerabilities as pair
set states = now.states
from (
  select moved.component_name, moved.vulnerability_id, case when moved.lost = 0
    or exists (
      select
      from workspace_matches as other
      where other.workspace_id = $1 and other.vulnerability_id = moved.vulnerability_id
        and other.component_name = moved.component_name and other.states & moved.lost = moved.lost
    ) then known.states | moved.gained
    else (
      select bit_or(other.states)
      from workspace_matches as other
      where other.workspace_id = $2 and other.vulnerability_id = moved.vulnerability_id
        and other.component_name = moved.component_name
    ) end as states
  from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) as moved (
    component_name, vulnerability_id, gained, lost
  )
  cross join lateral (
    select states
    from workspace_component_vulnerabilities as one
    where one.workspace_id = $7 and one.component_name = moved.component_name
      and one.vulnerability_id = moved.vulnerability_id
    limit 1
  ) as known
) as now
where pair.workspace_id = $8 and pair.component_name = now.component_name
  and pair.vulnerability_id = now.vulnerability_id and pair.states <> now.states;

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts rateMatches
update workspace_matches as kept
set severity_rank = rated.severity_rank, is_exploited = rated.is_exploited
from (
  select kept.component_name, match.vulnerability_id, match.package_id,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank, match.score, match.is_exploited
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
  cross join lateral (
    select one.component_name
    from workspace_matches as one
    where one.workspace_id = $4 and one.vulnerability_id = match.vulnerability_id
      and one.package_id = match.package_id
    limit 1
  ) as kept
) as rated
where kept.workspace_id = $5 and kept.vulnerability_id = rated.vulnerability_id
  and kept.package_id = rated.package_id
  and (kept.severity_rank, kept.is_exploited) is distinct from (
    rated.severity_rank, rated.is_exploited
  );

-- server/src/features/findings/workspace-list/component-vulnerabilities-store.ts rateMatches
update workspace_component_vulnerabilities as pair
set severity_rank = rated.severity_rank, score = rated.score, is_exploited = rated.is_exploited
from (
  select component_name, vulnerability_id, max(severity_rank) as severity_rank, max(score) as score,
    bool_or(is_exploited) as is_exploited
  from (
    select kept.component_name, match.vulnerability_id, match.package_id,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
      severity_rank, match.score, match.is_exploited
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
    cross join lateral (
      select one.component_name
      from workspace_matches as one
      where one.workspace_id = $4 and one.vulnerability_id = match.vulnerability_id
        and one.package_id = match.package_id
      limit 1
    ) as kept
  ) as each
  group by component_name, vulnerability_id
) as rated
where pair.workspace_id = $5 and pair.component_name = rated.component_name
  and pair.vulnerability_id = rated.vulnerability_id
  and (pair.severity_rank, pair.score, pair.is_exploited) is distinct from (
    rated.severity_rank, rated.score, rated.is_exploited
  );

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

-- server/src/features/findings/workspace-list/copies-store.ts findRefreshed
select devices_counted, devices_counted_at, names_copied_at, score_revision
from workspace_kept_locks
where workspace_id = $1;

-- server/src/features/findings/workspace-list/copies-store.ts listOutdatedCopies
select *
from (
  select pair.component_name, pair.vulnerability_id, pair.name as copied,
    coalesce(
      (select known.name from vulnerabilities as known where known.id = pair.vulnerability_id), ''
    ) collate "C" as current
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $1
  offset 0
) as each
where copied <> current;

-- server/src/features/findings/workspace-list/copies-store.ts listOutdatedCopies
select *
from (
  select pair.component_name, pair.vulnerability_id, pair.epss_score as copied,
    coalesce(
      (select epss.score from epss_scores as epss where epss.cve_id = pair.vulnerability_id),
        '-1'::real
    ) as current
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $1
  offset 0
) as each
where copied <> current;

-- server/src/features/findings/workspace-list/copies-store.ts markRefreshed
update workspace_kept_locks set score_revision = $1 where workspace_id = $2;

-- server/src/features/findings/workspace-list/copies-store.ts markRefreshed
update workspace_kept_locks set names_copied_at = $1 where workspace_id = $2;

-- server/src/features/findings/workspace-list/copies-store.ts readScoreRevision
select score_revision from vulnerability_sources where source = $1;

-- server/src/features/findings/workspace-list/copies-store.ts writeCopies
update workspace_component_vulnerabilities as pair
set name = known.current
from unnest($1::text[], $2::text[], $3::text[]) as known (component_name, vulnerability_id, current)
where pair.workspace_id = $4 and pair.component_name = known.component_name
  and pair.vulnerability_id = known.vulnerability_id;

-- server/src/features/findings/workspace-list/copies-store.ts writeCopies
update workspace_component_vulnerabilities as pair
set epss_score = known.current
from unnest($1::text[], $2::text[], $3::real[]) as known (component_name, vulnerability_id, current)
where pair.workspace_id = $4 and pair.component_name = known.component_name
  and pair.vulnerability_id = known.vulnerability_id;

-- server/src/features/findings/workspace-list/copies-store.ts writeMagnitudes
update workspace_kept_locks
set devices_counted = $1, devices_counted_at = $2
where workspace_id = $3;

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
--   02903879 0573b2fe 0a870faa 137b603a 1a52025e 1f7c9bb4 220ecfe6 24aab4bb 2dee37c5 49e2696e
--   4c5b87d7 63aca0ed 6d49a8ff 6e833399 889bf75f 9ca100c0 a7ab8f69 af710d36 c25c9ca9 f2daff11
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
        where fact.workspace_id = $5::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id and true
          and fact.firmware_version_id = any($6::uuid[])
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
      and fact.firmware_version_id = any($7::uuid[])
    where decision.workspace_id = $8 and decision.package_id = match.package_id
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
        where fact.workspace_id = $9 and fact.package_id = match.package_id and fact.until is null
          and true and fact.firmware_version_id = any($10::uuid[])
        order by fact.firmware_version_id desc
        offset 0
      ) as fact
      left join lateral (
        select *
        from finding_decisions as each
        where each.workspace_id = $11 and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      where true
        and (
          fact.firmware_version_id in (
            select unnest(counts.firmware_version_ids)
            from firmware_set_device_counts as counts
            where counts.workspace_id = $12
          )
        ) is true
        and (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') not in (
              'NotAffected', 'FalsePositive', 'Resolved'
            )
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
            )
        ) and coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
      order by fact.firmware_version_id desc
      limit 5
    ) as chosen
    join firmware_versions as version on version.workspace_id = $14
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

-- server/src/features/findings/workspace-list/device-counts-store.ts hasChangedSince
select evaluated_at
from firmware_version_counters
where workspace_id = $1 and evaluated_at >= $2
limit $3;

-- server/src/features/findings/workspace-list/device-counts-store.ts readDeviceState
select count(*) || ' ' || coalesce(
  sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0
) || ' ' || (select count(*) from firmware_version_counters where workspace_id = $1) as state
from firmware_set_device_counts
where workspace_id = $2;

-- server/src/features/findings/workspace-list/device-counts-store.ts readHeldVersions: the shortest and the longest of many variants
--   83a93888 bcc3b76f c2552b12 cd21cf9a d26ad96d df0422d3 eed3284f
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

-- server/src/features/findings/workspace-list/groups-store.ts countComponentRows
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
),
  grouped as materialized (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude
    from pair
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from workspace_packages
      where workspace_id = $5 and version_count > 0
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  )
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

-- server/src/features/findings/workspace-list/groups-store.ts countComponentRows
with pair as (
  select pair.*, true and true and pair.is_exploited = $1 and pair.states & $2::bigint <> 0
    and (
      true
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $3 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and match.is_exploited = $4 and match.states & $5::bigint <> 0
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $6
),
  grouped as materialized (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude
    from pair
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from workspace_packages
      where workspace_id = $7 and version_count > 0
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  )
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

-- server/src/features/findings/workspace-list/groups-store.ts countComponentRows
with pair as (
  select pair.*, true and true
    and pair.vulnerability_id in (
      select vulnerability_id
      from finding_decisions
      where workspace_id = $1 and recheck_reason is not null
    )
    and (
      true and false
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $2 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and exists (
              select
              from finding_decisions as decision
              join firmware_version_packages as fact on fact.firmware_version_id = decision.firmware_version_id
              where decision.workspace_id = $3 and decision.package_id = match.package_id
                and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $4
                and fact.package_id = match.package_id and fact.until is null and true and true
                and (decision.recheck_reason is not null) = $5
            )
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $6
),
  grouped as materialized (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude
    from pair
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from workspace_packages
      where workspace_id = $7 and version_count > 0
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  )
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

-- server/src/features/findings/workspace-list/groups-store.ts countVulnerabilityRows: the shortest and the longest of many variants
--   00ce4242 03b7663e 1ac48a8e 1d16c90e 21ac056d 3c5ef7a5 49d6c76d 509064d3 5dcfbccd 5f08b094
--   6dcd08c9 80e96d85 91bb24ce 91cda632 99e2e877 ad44fe86 b5bf8555 bae303c5 e1f9d0b3
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
), grouped as (select distinct pair.vulnerability_id from pair where pair.meets)
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

with pair as (
  select pair.*, true and true
    and (
      not (pair.vulnerability_id >= 'OSV-' and pair.vulnerability_id < 'OSV.')
        or pair.vulnerability_id in (
          select assessed.vulnerability_id
          from finding_decisions as assessed
          where assessed.workspace_id = $1 and assessed.assessment <> 'NotAssessed'
            and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'
        )
    ) and pair.states & $2::bigint <> 0 and pair.first_detected_at < case pair.severity_rank
    when $3 then $4::timestamptz when $5 then $6::timestamptz when $7 then $8::timestamptz
    when $9 then $10::timestamptz end
    and (
      true
        and 0 + (pair.states & ~$11::bigint = 0)::int + (
          pair.last_detected_at < case pair.severity_rank when $12 then $13::timestamptz
            when $14 then $15::timestamptz when $16 then $17::timestamptz
            when $18 then $19::timestamptz end
        )::int >= $20
        or exists (
          select
          from workspace_matches as match
          where match.workspace_id = $21 and match.vulnerability_id = pair.vulnerability_id
            and match.component_name = pair.component_name and true and true
            and (
              not (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')
                or match.vulnerability_id in (
                  select assessed.vulnerability_id
                  from finding_decisions as assessed
                  where assessed.workspace_id = $22 and assessed.assessment <> 'NotAssessed'
                    and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'
                )
            ) and match.states & $23::bigint <> 0 and match.detected_at < case match.severity_rank
            when $24 then $25::timestamptz when $26 then $27::timestamptz
            when $28 then $29::timestamptz when $30 then $31::timestamptz end
          offset 0
        )
    ) as meets
  from workspace_component_vulnerabilities as pair
  where pair.workspace_id = $32
), grouped as (select distinct pair.vulnerability_id from pair where pair.meets)
select (select count(*)::int from (select from grouped limit 10001) as counted) as total;

-- server/src/features/findings/workspace-list/groups-store.ts listComponentRows: the shortest and the longest of many variants
--   005f5c27 01989391 06d6ea28 07f0678b 09615c6c 0a400f3e 0b7c419a 0d77d81f 0f4b9330 116e6dc0
--   125d55d4 16852f9b 19b74aa4 1a7939b8 1a98ea69 1ad86e20 1d1aaf08 1f811ee5 20b9a13d 22df5a15
--   24c09f42 255200c6 275ec42b 2bef46f6 2c12d7ca 2d27cecf 2d390e48 30f02f74 3288cece 33ae3a57
--   34771525 36980852 36d936cf 370cbaa1 3990ec24 3af734e1 3b0d3d30 3ea35542 4091a80f 42b66b6e
--   43ccd7d8 4444fd77 47c02981 494a2ebb 49acdefb 49cb906d 4cb9650d 4cd30e03 4d58788d 4d6b5756
--   4da6598a 5172b1b2 53f23075 5a7a778b 5ca547fc 5d22cda1 5d5aede3 5eea1cab 60a77c64 6268b858
--   6944cf49 6949bcc8 6be61300 6cc68991 7107c32c 7398b4ea 73c38c7f 74fee6a0 774999f7 78039522
--   78c115b0 78e2aa6a 79648a91 7c5ccb48 7d970756 80365dfe 81a9ab2d 845a6bf2 84fa00b4 85de985e
--   8683ae07 86aa2ddd 887d9abb 8b966d02 8cca9c59 92da8323 9a196cf2 9ad2dcc0 9ad3febc 9b39d0ae
--   9d815515 9e86b990 a00cfb92 a593d83d a62de3db a6a16330 a71c7328 a73c0777 a7dc6d21 a8541350
--   a8faee18 a96d5fdc acc5b79a ad8995af ae5c929c b0023ecc b02eae78 b28ef461 b5eba2e2 b5fba195
--   b8f16c01 b9bac902 b9eadf5f bdd1e31a bdfd731c be9ea93b bf86820e c141ef0e c161e964 c2386a6a
--   c2fca1c9 c3c9b8dd c3d8ad3b c41e2142 c47c0160 c59b35e5 c5d5b92b c81ede47 c82f7d75 cb329529
--   cb8d01f2 cefe12b2 d0a093cb d1b3a95a da76ec30 dc6ac037 ddc1383f de1271e7 de41e86d e244a487
--   e2ac5bae ed055396 ee48eb9d efb46f35 f01d8509 f1b6161e f426fe77 f57f3266 f5e297dd f650ff92
--   fad91823 fe51a821
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
  grouped as materialized (
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
select page.name, described.package_ids, described.versions[1:5] as versions, severity_rank,
  is_exploited, epss_score, vulnerability_count, detected_at,
  json_build_array(sort_0) as sort_values, 0 as total
from page
join (
  select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
    coalesce(array_agg(distinct held.version) filter (where held.version is not null), '{}') as
    versions
  from (
    select owned.name, owned.package_id, owned.version
    from (
      select chosen.name, one.package_id, one.component_version as version, chosen.ids
      from (
        select pair.component_name as name, array_agg(pair.vulnerability_id) as ids
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
      from (select unnest(owned.ids) as id) as each
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
  ) as held
  group by held.name
) as described on described.name = page.name
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
            where fact.workspace_id = $6::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id and true
              and fact.firmware_version_id = any($7::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at,
      (
        coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint
      ) << (
        case when match.states >= $8::bigint then 24 when match.states >= $9::bigint then 12
          else 0 end
      ) as states
    from held
    cross join lateral (
      select *
      from workspace_matches as one
      where one.workspace_id = $10 and one.package_id = held.package_id
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
    left join unnest($11::uuid[], $12::int[]) as running (package_id, magnitude) on running.package_id
      = match.package_id
  ),
  pair as materialized (
    select grouped.*, kept.name, kept.score, kept.epss_score
    from (
      select match.component_name, match.vulnerability_id, min(match.kept_name) as kept_name,
        max(match.severity_rank) as severity_rank, bool_or(match.is_exploited) as is_exploited,
        max(match.device_magnitude) as device_magnitude,
        min(match.detected_at) as first_detected_at,
        max(match.detected_at) filter (
          where true and true and match.states & $13::bigint <> 0 and match.device_magnitude > 0
            and exists (
              select
              from firmware_version_packages as fact
              left join lateral (
                select *
                from finding_decisions as decision
                where decision.workspace_id = $14
                  and decision.firmware_version_id = fact.firmware_version_id
                  and decision.package_id = fact.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                limit 1
              ) as decision on true
              where fact.workspace_id = $15 and fact.package_id = match.package_id
                and fact.until is null and true and fact.firmware_version_id = any($16::uuid[])
                and true
                and (
                  fact.firmware_version_id in (
                    select unnest(counts.firmware_version_ids)
                    from firmware_set_device_counts as counts
                    where counts.workspace_id = $17
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
                ) and coalesce(decision.assessment, 'NotAssessed') = any($18::text[])
            )
        ) as last_detected_at, sum(match.version_count)::int as finding_count,
        bool_or(
          true and true and match.states & $19::bigint <> 0 and match.device_magnitude > 0
            and exists (
              select
              from firmware_version_packages as fact
              left join lateral (
                select *
                from finding_decisions as decision
                where decision.workspace_id = $20
                  and decision.firmware_version_id = fact.firmware_version_id
                  and decision.package_id = fact.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                limit 1
              ) as decision on true
              where fact.workspace_id = $21 and fact.package_id = match.package_id
                and fact.until is null and true and fact.firmware_version_id = any($22::uuid[])
                and true
                and (
                  fact.firmware_version_id in (
                    select unnest(counts.firmware_version_ids)
                    from firmware_set_device_counts as counts
                    where counts.workspace_id = $23
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
                ) and coalesce(decision.assessment, 'NotAssessed') = any($24::text[])
            )
        ) as meets
      from scoped_matches as match
      group by match.component_name, match.vulnerability_id
    ) as grouped
    cross join lateral (
      select *
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $25 and one.component_name = grouped.kept_name
        and one.vulnerability_id = grouped.vulnerability_id
      limit 1
    ) as kept
  ),
  grouped as materialized (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count,
      max(run.magnitude) as magnitude
    from pair
    left join (
      select component_name, max(device_magnitude)::integer as magnitude
      from scoped_matches
      group by component_name
    ) as run on run.component_name = pair.component_name
    where pair.meets
    group by pair.component_name
  ),
  page as materialized (
    select grouped.*, grouped.is_exploited::integer as sort_0,
      (coalesce(grouped.magnitude, 0) > 0)::integer as sort_1,
      grouped.severity_rank::integer as sort_2,
      width_bucket(coalesce(grouped.epss_score, '-1'::real), array[0.01, 0.1, 0.5]::real[]) as
      sort_3, coalesce(grouped.magnitude, 0)::integer as sort_4,
      coalesce(grouped.epss_score, '-1'::real) as sort_5, grouped.name collate "C" as sort_6
    from grouped
    where true
    order by grouped.is_exploited::integer desc, (coalesce(grouped.magnitude, 0) > 0)::integer desc,
      grouped.severity_rank::integer desc,
      width_bucket(coalesce(grouped.epss_score, '-1'::real), array[0.01, 0.1, 0.5]::real[]) desc,
      coalesce(grouped.magnitude, 0)::integer desc, coalesce(grouped.epss_score, '-1'::real) desc,
      grouped.name collate "C" desc
    limit $26
  )
select page.name, described.package_ids, described.versions[1:5] as versions, severity_rank,
  is_exploited, epss_score, vulnerability_count, detected_at,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4, sort_5, sort_6) as sort_values,
  (select count(*)::int from (select from grouped limit 10001) as counted) as total
from page
join (
  select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
    coalesce(array_agg(distinct held.version) filter (where held.version is not null), '{}') as
    versions
  from (
    select distinct match.component_name as name, match.package_id,
      match.component_version as version
    from scoped_matches as match
    where match.component_name in (select name from page) and true and true
      and match.states & $27::bigint <> 0 and match.device_magnitude > 0
      and exists (
        select
        from firmware_version_packages as fact
        left join lateral (
          select *
          from finding_decisions as decision
          where decision.workspace_id = $28
            and decision.firmware_version_id = fact.firmware_version_id
            and decision.package_id = fact.package_id
            and decision.vulnerability_id = match.vulnerability_id
          limit 1
        ) as decision on true
        where fact.workspace_id = $29 and fact.package_id = match.package_id and fact.until is null
          and true and fact.firmware_version_id = any($30::uuid[]) and true
          and (
            fact.firmware_version_id in (
              select unnest(counts.firmware_version_ids)
              from firmware_set_device_counts as counts
              where counts.workspace_id = $31
            )
          ) is true
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                (case when match.states >= 16777216 then 'Low' else 'High' end) <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($32::text[])
      )
  ) as held
  group by held.name
) as described on described.name = page.name
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc, sort_6 desc;

-- server/src/features/findings/workspace-list/groups-store.ts listVulnerabilityRows: the shortest and the longest of many variants
--   0184c465 031dcc2f 041a7555 045249a1 076c7432 0913d4af 096baad7 09f9096a 0a43ec17 0a5c6385
--   0e997e47 0ee304f6 0fdc7811 11157be9 12d628f5 14a091f6 157831e9 16b4b01c 18a6f757 19056ac1
--   1a1b1b1b 1f24d0e9 1f71ad1c 1fe92f84 20255698 20c3b954 22a91eaf 25b4feea 28fb8896 2941c206
--   2c999156 2d0d487f 2f1fc6db 2fde510f 2ff1efa5 304dd6c4 34596700 353eaff2 358d3d85 37c46915
--   37f2de8c 3b19df0c 3c4a69a8 3d1fcf55 3eddadd7 3fefff34 402a9906 403a971c 4054d2ce 4434c0ad
--   44c01026 44e877fb 45431b31 46b63571 475e1cb7 4977882d 4b65abae 4bac156e 4cfc1bbc 50422a17
--   5469899c 54d0851b 54e5ffc2 551860c7 572664f2 5925ac69 593fa418 5ab8df96 6142f4e7 622c6519
--   67364f4a 67bca1a1 68ca1ae4 69c676b6 6a8ae4cc 6a93796b 6bf48cef 6cf4b94c 6eb80b92 6f96ca94
--   7058c54c 70a0cbdc 70ac94cb 70e18c4b 7536a3e9 7654133b 7684a2e2 771dff0c 78787a10 79802dba
--   79eb5df6 7c7e3ffb 7d3269f0 7dd27fc7 7de5b65c 7f164b4e 7ff30f15 84c34cb9 84d715a0 87ff5409
--   88177ba1 88937fc0 88a61e92 88f43a2c 8cd08f52 8fa4293c 90f3f282 967f8caf 97bcc41c 99496f96
--   9c2f8a93 9e18e63e 9e83e03b a1767688 a2e09786 a3819d68 a416dc10 a4c94054 a50272ec a53fc6d7
--   a5562724 a6a1e702 a6e8cc5f a71c5d79 ae89cc6c afd107d4 b04690ae b147bb74 b430065b b4b1d8d9
--   b511c78a b612061d b7de8fa1 ba669366 bb408b94 bd93248a bf246576 bf8f8221 c19a4470 c1ab2628
--   c2facbe3 c3c14cf5 c8e284a8 c9f35e8e ca14f982 cb6719cf d112051f d1dbc196 d2d63e76 d5c48b83
--   d6d9c26b d7c6bb7d d9fa95a9 da6d0f23 db947ba8 dc19b9ef dc8bc843 ddf8dae1 de166dcc df284ff0
--   e1bce446 e2ddfb28 e33dd12a e3577163 e36f3bc1 e3c3c304 e4108752 e6d14a7d eaba3b60 ebb786e0
--   eeecccc4 ef94a3b4 efbd815b f0f3f19d f33b4d94 f501c4c3 f77b975b fab1afcf fb553a60 fd477a9d
--   fe0c546f fe79b8dc fe83a13f
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
  grouped as materialized (
    select pair.vulnerability_id, max(pair.severity_rank)::integer as severity_rank,
      coalesce(max(pair.score), '-1'::real) as score, max(pair.epss_score) as epss_score,
      max(pair.name) as name, bool_or(pair.is_exploited) as is_exploited,
      max(pair.device_magnitude)::integer as magnitude, min(pair.first_detected_at) as detected_at,
      sum(pair.finding_count)::integer as finding_count
    from pair
    group by pair.vulnerability_id
    having bool_or(pair.meets)
  )
select vulnerability_id, json_build_array(sort_0) as sort_values, 0 as total
from (
  select grouped.vulnerability_id, grouped.vulnerability_id as sort_0
  from grouped
  where true and (grouped.vulnerability_id) > ($3::text collate "C")
  order by grouped.vulnerability_id asc
  limit $4
) as page
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
            where fact.workspace_id = $6::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id and true
              and fact.firmware_version_id = any($7::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at,
      (
        coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint
      ) << (
        case when match.states >= $8::bigint then 24 when match.states >= $9::bigint then 12
          else 0 end
      ) as states
    from held
    cross join lateral (
      select *
      from workspace_matches as one
      where one.workspace_id = $10 and one.package_id = held.package_id
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
    left join unnest($11::uuid[], $12::int[]) as running (package_id, magnitude) on running.package_id
      = match.package_id
  ),
  pair as materialized (
    select grouped.*, kept.name, kept.score, kept.epss_score
    from (
      select match.component_name, match.vulnerability_id, min(match.kept_name) as kept_name,
        max(match.severity_rank) as severity_rank, bool_or(match.is_exploited) as is_exploited,
        max(match.device_magnitude) as device_magnitude,
        min(match.detected_at) as first_detected_at,
        max(match.detected_at) filter (
          where true and true and match.states & $13::bigint <> 0 and match.device_magnitude > 0
            and exists (
              select
              from firmware_version_packages as fact
              left join lateral (
                select *
                from finding_decisions as decision
                where decision.workspace_id = $14
                  and decision.firmware_version_id = fact.firmware_version_id
                  and decision.package_id = fact.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                limit 1
              ) as decision on true
              where fact.workspace_id = $15 and fact.package_id = match.package_id
                and fact.until is null and true and fact.firmware_version_id = any($16::uuid[])
                and true
                and (
                  fact.firmware_version_id in (
                    select unnest(counts.firmware_version_ids)
                    from firmware_set_device_counts as counts
                    where counts.workspace_id = $17
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
                ) and coalesce(decision.assessment, 'NotAssessed') = any($18::text[])
            )
        ) as last_detected_at, sum(match.version_count)::int as finding_count,
        bool_or(
          true and true and match.states & $19::bigint <> 0 and match.device_magnitude > 0
            and exists (
              select
              from firmware_version_packages as fact
              left join lateral (
                select *
                from finding_decisions as decision
                where decision.workspace_id = $20
                  and decision.firmware_version_id = fact.firmware_version_id
                  and decision.package_id = fact.package_id
                  and decision.vulnerability_id = match.vulnerability_id
                limit 1
              ) as decision on true
              where fact.workspace_id = $21 and fact.package_id = match.package_id
                and fact.until is null and true and fact.firmware_version_id = any($22::uuid[])
                and true
                and (
                  fact.firmware_version_id in (
                    select unnest(counts.firmware_version_ids)
                    from firmware_set_device_counts as counts
                    where counts.workspace_id = $23
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
                ) and coalesce(decision.assessment, 'NotAssessed') = any($24::text[])
            )
        ) as meets
      from scoped_matches as match
      group by match.component_name, match.vulnerability_id
    ) as grouped
    cross join lateral (
      select *
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $25 and one.component_name = grouped.kept_name
        and one.vulnerability_id = grouped.vulnerability_id
      limit 1
    ) as kept
  ),
  grouped as materialized (
    select pair.vulnerability_id, max(pair.severity_rank)::integer as severity_rank,
      coalesce(max(pair.score), '-1'::real) as score, max(pair.epss_score) as epss_score,
      max(pair.name) as name, bool_or(pair.is_exploited) as is_exploited,
      max(pair.device_magnitude)::integer as magnitude, min(pair.first_detected_at) as detected_at,
      sum(pair.finding_count)::integer as finding_count
    from pair
    group by pair.vulnerability_id
    having bool_or(pair.meets)
  )
select vulnerability_id, json_build_array(sort_0, sort_1) as sort_values,
  (select count(*)::int from (select from grouped limit 10001) as counted) as total
from (
  select grouped.vulnerability_id, grouped.finding_count as sort_0,
    grouped.vulnerability_id as sort_1
  from grouped
  where true
  order by grouped.finding_count asc, grouped.vulnerability_id asc
  limit $26
) as page
order by sort_0 asc, sort_1 asc;

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
select *
from moved
where is_later or is_renamed
order by package_id;

-- server/src/features/findings/workspace-list/kept-store.ts writeMatches
insert into workspace_matches as kept (
  workspace_id, vulnerability_id, package_id, detected_at, states, component_name, severity_rank,
    is_exploited, device_magnitude
)
select $1::uuid, match.vulnerability_id, match.package_id,
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
  ),
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
    where decided.workspace_id = $3 and decided.vulnerability_id = match.vulnerability_id
      and decided.package_id = match.package_id and decided.finding_count > 0
  ), match.component_name,
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity),
  match.is_exploited, match.device_magnitude
from (
  select held.*, changed.version_count, match.*
  from unnest($4::uuid[], $5::int[]) as changed (package_id, version_count)
  cross join lateral (
    select one.package_id, one.held_since, one.open_since, one.component_name, one.device_magnitude
    from workspace_packages as one
    where one.workspace_id = $6 and one.package_id = changed.package_id
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
order by match.vulnerability_id, match.package_id
on conflict (workspace_id, vulnerability_id, package_id)
do update
set detected_at = excluded.detected_at
where kept.detected_at <> excluded.detected_at
returning component_name, vulnerability_id;

-- server/src/features/findings/workspace-list/kept-store.ts writeMatches
insert into workspace_matches as kept (
  workspace_id, vulnerability_id, package_id, detected_at, states, component_name, severity_rank,
    is_exploited, device_magnitude
)
select $1::uuid, match.vulnerability_id, match.package_id,
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
  ),
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
    where decided.workspace_id = $3 and decided.vulnerability_id = match.vulnerability_id
      and decided.package_id = match.package_id and decided.finding_count > 0
  ), match.component_name,
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity),
  match.is_exploited, match.device_magnitude
from (
  select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity,
    match.score, match.is_exploited
  from unnest($4::uuid[], $5::text[]) as changed (package_id, vulnerability_id)
  cross join lateral (
    select holding.*
    from workspace_packages as holding
    where holding.workspace_id = $6 and holding.package_id = changed.package_id
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
order by match.vulnerability_id, match.package_id
on conflict (workspace_id, vulnerability_id, package_id)
do update
set detected_at = excluded.detected_at
where kept.detected_at <> excluded.detected_at
returning component_name, vulnerability_id;

-- server/src/features/findings/workspace-list/match-sets-store.ts findSet: the shortest and the longest of many variants
--   48a32285 566eb79f 68855f3a 80097bd6 9274b428 983d9115 c3945624 c8813f59 d0ed353d eea3b0d9
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

-- server/src/features/findings/workspace-list/rows-store.ts countRows: the shortest and the longest of many variants
--   0855c0b5 0ca74f5f 0ccfe1d5 0ea962c6 14ffa2cd 16f57438 21f54f0e 2a395352 2fe3419f 37f6916c
--   449909ee 49201abd 52736885 55a325c9 57c3b632 5880701f 5c2a8ea6 5fcd8538 66be7c49 729bc4f3
--   75187606 7a925b6a 7d35a474 81db6f0a 84ac2b66 880aec55 890ff2ed 948aa39c 987c6012 9d00c97d
--   9e01a88f a05d0cf2 a3c36471 a7f36f52 a8d17227 b313e1a9 b32138fd b3960354 b7c5ee03 ba5d469f
--   bd1ee940 be90033b c5181694 c660d74f c6d66ff9 c829967f c97e2efe e602a33f e6f0a01b e79e636d
--   f0010def f129354d f43a1406 fc623573 fe8db68f
select count(*)::int as count
from (
  select
  from (
    select *
    from (
      select pair.*
      from (
        select *
        from workspace_component_vulnerabilities as pair
        where pair.workspace_id = $1 and true and true
      ) as pair
    ) as pair
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
  where fact.workspace_id = $1 and true
    and fact.firmware_version_id in (
      select version.id
      from firmware_versions as version
      where version.workspace_id = $2 and version.firmware_id = any($3::uuid[])
    ) and fact.firmware_version_id = any($4::uuid[])
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
    join firmware_version_packages as fact on fact.workspace_id = $5
      and fact.firmware_version_id = decided.firmware_version_id
      and fact.package_id = decided.package_id and fact.until is null
    where decided.workspace_id = $6 and true
      and fact.firmware_version_id in (
        select version.id
        from firmware_versions as version
        where version.workspace_id = $7 and version.firmware_id = any($8::uuid[])
      ) and fact.firmware_version_id = any($9::uuid[])
    group by decided.package_id, decided.vulnerability_id
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
            where fact.workspace_id = $10::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id and true
              and fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $11 and version.firmware_id = any($12::uuid[])
              ) and fact.firmware_version_id = any($13::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at,
      (
        coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint
      ) << (
        case when match.states >= $14::bigint then 24 when match.states >= $15::bigint then 12
          else 0 end
      ) as states
    from held
    cross join lateral (
      select *
      from workspace_matches as one
      where one.workspace_id = $16 and one.package_id = held.package_id
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
    left join unnest($17::uuid[], $18::int[]) as running (package_id, magnitude) on running.package_id
      = match.package_id
  )
select count(*)::int as count
from (
  select
  from (
    select match.*
    from scoped_matches as match
    where true and true and match.severity_rank = any($19::smallint[]) and match.is_exploited = $20
      and match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)
      and match.vulnerability_id in (select id from vulnerabilities where is_disputed)
      and match.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases where alias = any($21::text[])
      ) and (match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.') = $22
      and match.vulnerability_id in (
        select alias.vulnerability_id
        from vulnerability_assignees as given
        join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
        where given.workspace_id = $23 and given.person_id::text = any($24::text[])
      )
      and match.vulnerability_id not in (
        select alias.vulnerability_id
        from vulnerability_assignees as given
        join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
        where given.workspace_id = $25 and true
      ) and match.states & $26::bigint <> 0
      and (match.package_id = any($27::uuid[]) or match.vulnerability_id = any($28::text[]))
      and (match.package_id = any($29::uuid[]) or match.vulnerability_id = any($30::text[]))
      and (match.package_id = any($31::uuid[]) or match.vulnerability_id = any($32::text[]))
      and match.detected_at >= $33::timestamptz and match.detected_at < case match.severity_rank
      when $34 then $35::timestamptz when $36 then $37::timestamptz when $38 then $39::timestamptz
      when $40 then $41::timestamptz end and match.device_magnitude > 0
      and exists (
        select
        from finding_decisions as decision
        join firmware_version_packages as fact on fact.firmware_version_id = decision.firmware_version_id
        where decision.workspace_id = $42 and decision.package_id = match.package_id
          and decision.vulnerability_id = match.vulnerability_id and fact.workspace_id = $43
          and fact.package_id = match.package_id and fact.until is null and true
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $44 and version.firmware_id = any($45::uuid[])
          ) and fact.firmware_version_id = any($46::uuid[]) and true
          and (
            fact.firmware_version_id in (
              select unnest(counts.firmware_version_ids)
              from firmware_set_device_counts as counts
              where counts.workspace_id = $47
            )
          ) is true
          and (
            not coalesce(decision.ignored, false)
              and coalesce(decision.assessment, 'NotAssessed') not in (
                'NotAffected', 'FalsePositive', 'Resolved'
              )
              and (
                (case when match.states >= 16777216 then 'Low' else 'High' end) <> 'Low'
                  or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
              )
          ) and coalesce(decision.assessment, 'NotAssessed') = any($48::text[])
          and coalesce(decision.ignored, false) = $49
          and (decision.recheck_reason is not null) = $50
          and coalesce((decision.previous_decision -> 'ignored')::boolean, false) = $51
          and decision.previous_decision ->> 'assessment' = any($52::text[])
      )
  ) as match
  cross join lateral (
    select owned.package_id
    from (select match.package_id, match.component_version, match.version_count) as owned
  ) as owned
  cross join lateral (
    select pair.vulnerability_id
    from (
      select one.vulnerability_id, one.name, one.score, one.epss_score, one.severity_rank,
        one.is_exploited, match.component_name
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $53 and one.component_name = match.kept_name
        and one.vulnerability_id = match.vulnerability_id
      limit 1
    ) as pair
  ) as pair
  where true
  limit $54
) as counted;

-- server/src/features/findings/workspace-list/rows-store.ts listRows: the shortest and the longest of many variants
--   0078f38f 00de971f 00f620bf 01062c60 03f88d72 045fa164 04829abf 04da10b5 052862fc 05561446
--   058db02c 066b1283 07900f3c 0814903f 08b26773 08b83973 09ea037d 0a19e2b9 0a60c261 0b17b999
--   0b7f6028 0c09767e 0c2c54db 0ee50762 0fa8c86b 0fe990f6 111a6675 1257ab28 12c03a26 1314313b
--   156d928f 15c5d8e0 176319c0 18e10c2c 18ea5d86 1a4c8c10 1b09b058 1b1fcfe5 1b4af820 1ca5210e
--   1d01fbfc 1d31d5c8 1e7a566a 1ecd6ff2 1f4c9531 2079e0c2 20baf4f8 215dc163 2225eb25 2239e108
--   22574fdb 226066cf 238fcad1 23ea92ae 241c7ca2 2454563a 249dd77c 24ac89df 24ca2ef0 253b4596
--   25548396 26d99f85 26fa6390 2799baeb 27f53dde 2989a157 29eecb02 2a149339 2b0f81b9 2b37ab8a
--   2bf8484e 2c1cae8c 2ca84be3 2ce1e448 2da5da29 2eac29c9 322a835d 326f60f3 32d641be 33542f52
--   3555effd 371473cc 37464b42 37643bf8 37f7e389 3932a635 3a1f220f 3a2b29e9 3a5f110c 3b87d9ba
--   3be2a282 3bec9e5f 3de059f1 3e8d9d13 3f2d0413 40204894 43c1e6f1 43e4ec62 441fcb1e 466d5b4c
--   4788cff4 47c7fe4a 4a961458 4af88775 4d8712ad 503c4093 50db24e5 50e46304 5137dc96 516a2a96
--   51cd29a0 51e2dd8a 5200c0aa 5279d851 53697f72 536d2e80 53ceca42 552fcc82 556cdac4 558442db
--   55e8cc7e 567e129c 56a26779 577f18cf 584acdee 588ac766 590371df 597edb75 598fa912 5b855bdb
--   5c946bf7 5e27bc69 5e2d5649 5f35f5fb 5f71558c 6014d5c3 60a9da4b 61c1e09f 6267a17f 68f0b758
--   69599a13 6b4c217c 6bcc7342 6c9118c2 6cd55b3b 6e48936d 6f52b959 6f76b930 71a0b11d 71fc707d
--   72b7b2a0 72f4e9db 73a9972f 747eb1fe 74d3544f 777cef6d 7891eea9 78a01b1e 78fec73a 79f95a8d
--   7a3dc77d 7b9188cd 7d8f74d5 7e5ff833 7e752987 7ff02727 808ef218 81c50bdd 82d41908 8300400a
--   8519a005 85430855 8563b775 8681ba31 87066fc8 879bc639 87b4ed5d 89b67252 8a72185b 8a898d1f
--   8a8bd277 8c31a972 8c413e69 8cba0f1d 8de5f9e8 8f1c9683 900e96f4 9054823a 90d5354b 917fd6c3
--   91ff1899 928cd97a 93f86bc0 93ffe73d 9411052d 9415c0c4 94666413 953865da 96199817 96c1f46a
--   97eca901 9a5e9a98 9a8e58f3 9b51073c 9c493168 9ca4c12d 9cdc9754 9d49b89e 9ed625b8 9f0ccb63
--   9f2c6eaa 9fd0658d a0e00569 a17a023c a20765cf a26e31f4 a43ea329 a52f71c0 a53550a9 a63cf489
--   a6458cb7 a65e2fd2 a69a8a7e a735c70c a7d46954 a84d0979 a8da6f0f a93d394d a945f72c a9e964f8
--   aa787274 ac06ebe9 ac1bd11f ad777bc7 add261df af724db4 b1255c5d b12d310c b1b96990 b1d14cb7
--   b1f9e493 b30620d2 b322c307 b42ba836 b453ecd2 b4a0ceef b6053310 b82cc606 b88965b1 ba8a3f2d
--   bbc69ef9 bcd572c6 bd1dae00 bf3beac2 c0303cf2 c046e1ff c069e538 c1bbe5f6 c285d98b c2c8980b
--   c31725d9 c3bf27d0 c412f485 c6ac4c9e c7136301 c886b0c0 c9a45f7e ca3dc14c ca8c1ffa cb18a926
--   cbc4c8e7 cc396def cc3b1dde cca2e98c ccce3671 cd04019c cd1d76e9 ce0979f6 cf6a3839 d019dc28
--   d0df85da d1989d49 d541c7cd d555ffcc d6e915a3 d77df213 d7acff09 d7d56b7c d84ba7e4 d876decb
--   d8c8e714 da3f58ce db3b3477 dbe249fc dd6d83f5 ded8b2ff df826faa e082b5aa e1fce33c e2dd2bdb
--   e30226fc e359aa3c e4754bfc e48cc007 e5a8dd25 e61e2854 e65d05e7 e6b7e4ed e6eccb0f e82b801e
--   e85761c6 e9e04179 eb4cd2d9 eecb3171 f000475d f0a59e78 f1e9b253 f305a1b8 f5ff75d5 f626c62b
--   f8b7a3e9 f9e82497 fc891e9c fca70a84 fd0733bf fd729809 fdc146c5
select package_id, vulnerability_id, json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, match.detected_at as sort_0,
    match.vulnerability_id as sort_1, match.package_id as sort_2
  from workspace_matches as match
  where match.workspace_id = $1 and true and true
  order by match.detected_at asc, match.vulnerability_id asc, match.package_id asc
  limit $2
) as chosen
order by sort_0 asc, sort_1 asc, sort_2 asc;

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
            where fact.workspace_id = $6::uuid and fact.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id and true
              and fact.firmware_version_id = any($7::uuid[])
              and greatest(fact.since, seen.since) < least(
                coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
              )
          ) end
      ) as detected_at,
      (
        coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint
      ) << (
        case when match.states >= $8::bigint then 24 when match.states >= $9::bigint then 12
          else 0 end
      ) as states
    from held
    cross join lateral (
      select *
      from workspace_matches as one
      where one.workspace_id = $10 and one.package_id = held.package_id
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
    left join unnest($11::uuid[], $12::int[]) as running (package_id, magnitude) on running.package_id
      = match.package_id
  )
select package_id, vulnerability_id,
  json_build_array(sort_0, sort_1, sort_2, sort_3, sort_4, sort_5, sort_6, sort_7, sort_8) as
  sort_values
from (
  select match.package_id, match.vulnerability_id, risk.key_0 as sort_0, risk.key_1 as sort_1,
    risk.key_2 as sort_2, risk.key_3 as sort_3, risk.key_4 as sort_4, risk.key_5 as sort_5,
    risk.key_6 as sort_6, risk.vulnerability_id as sort_7, match.package_id as sort_8
  from (
    select match.*
    from scoped_matches as match
    where true and true
      and (match.package_id = any($13::uuid[]) or match.vulnerability_id = any($14::text[]))
      and match.device_magnitude > 0
      and exists (
        select
        from firmware_version_packages as fact
        left join lateral (
          select *
          from finding_decisions as decision
          where decision.workspace_id = $15
            and decision.firmware_version_id = fact.firmware_version_id
            and decision.package_id = fact.package_id
            and decision.vulnerability_id = match.vulnerability_id
          limit 1
        ) as decision on true
        where fact.workspace_id = $16 and fact.package_id = match.package_id and fact.until is null
          and true and fact.firmware_version_id = any($17::uuid[]) and true
          and (
            fact.firmware_version_id in (
              select unnest(counts.firmware_version_ids)
              from firmware_set_device_counts as counts
              where counts.workspace_id = $18
            )
          ) is true
      )
  ) as match
  cross join lateral (
    select owned.package_id
    from (select match.package_id, match.component_version, match.version_count) as owned
  ) as owned
  cross join lateral (
    select pair.vulnerability_id, pair.is_exploited::integer as key_0,
      (match.device_magnitude > 0)::integer as key_1, pair.severity_rank::integer as key_2,
      width_bucket(pair.epss_score, array[0.01, 0.1, 0.5]::real[]) as key_3,
      match.device_magnitude::integer as key_4, pair.epss_score as key_5,
      coalesce(pair.score, '-1'::real) as key_6
    from (
      select one.vulnerability_id, one.name, one.score, one.epss_score, one.severity_rank,
        one.is_exploited, match.component_name
      from workspace_component_vulnerabilities as one
      where one.workspace_id = $19 and one.component_name = match.kept_name
        and one.vulnerability_id = match.vulnerability_id
      limit 1
    ) as pair
  ) as risk
  where true
  order by risk.key_0 desc, risk.key_1 desc, risk.key_2 desc, risk.key_3 desc, risk.key_4 desc,
    risk.key_5 desc, risk.key_6 desc, risk.vulnerability_id desc, match.package_id desc
  limit $20
) as chosen
order by sort_0 desc, sort_1 desc, sort_2 desc, sort_3 desc, sort_4 desc, sort_5 desc, sort_6 desc,
  sort_7 desc, sort_8 desc;

-- server/src/features/findings/workspace-list/selected-findings-store.ts listSelectedKeys: the shortest and the longest of many variants
--   065af67d 0893c474 09a8a7a2 0bcd6c4d 14f88f3e 1e0cfc19 20cfefc3 39859bee 41bcb7d6 51cc6fd6
--   58d91196 593ddc2f 79cc79ff 7fcb6016 8169ad0d 8a52764c 927109b7 95509511 99be5f32 9fdd6e51
--   a98ad79b ac61ae90 cc7a8c73 ccf11b0e e4528eb5 ec0cdcd7 ef20d3de
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
select component_name, vulnerability_id, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by component_name, vulnerability_id
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
select component_name, vulnerability_id, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by component_name, vulnerability_id
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
select component_name, vulnerability_id, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by component_name, vulnerability_id
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
select component_name, vulnerability_id, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by component_name, vulnerability_id
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
