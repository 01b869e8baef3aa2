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
                  not decision.ignored and decision.assessment <> all($4::text[])
                    and (changed.old_confidence <> 'Low' or decision.assessment = any($5::text[]))
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
                    not decision.ignored and decision.assessment <> all($6::text[])
                      and (changed.old_confidence <> 'Low' or decision.assessment = any($7::text[]))
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
                      not decision.ignored and decision.assessment <> all($8::text[])
                        and (
                          changed.old_confidence <> 'Low' or decision.assessment = any($9::text[])
                        )
                    ) and (decision.assessment = any($10::text[]))
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
                    not decision.ignored and decision.assessment <> all($11::text[])
                      and (
                        changed.new_confidence <> 'Low' or decision.assessment = any($12::text[])
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
                    not decision.ignored and decision.assessment <> all($13::text[])
                      and (
                        changed.new_confidence <> 'Low' or decision.assessment = any($14::text[])
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
                      not decision.ignored and decision.assessment <> all($15::text[])
                        and (
                          changed.new_confidence <> 'Low' or decision.assessment = any($16::text[])
                        )
                    ) and (decision.assessment = any($17::text[]))
                  )::int - (changed.new_confidence <> 'Low')::int
                ) end
            )
        )
    ) as each (counter, amount)
  ),
  totals as (
    select firmware_version_id,
      coalesce(sum(amount) filter (where counter = $18), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $19), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $20), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $21), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $22), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $23), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $24), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $25), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $26), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $27), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $28 and counters.firmware_version_id = totals.firmware_version_id;

-- server/src/features/findings/decisions-store.ts listTimeline
select type, created_at, source, created_by_email, assessment, ignored, justification, responses,
  detail, recheck_reason, origin, stated_in as stated_in
from finding_timeline
where workspace_id = $1 and firmware_version_id = $2 and package_id = $3 and vulnerability_id = $4
order by created_at, id;

-- server/src/features/findings/decisions-store.ts writeDecisions
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in
)
select $1::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", id, case
  when is_assessed then 'Assessment' when ignored then 'Ignored' else 'Unignored' end,
  $2::timestamptz, source, "createdByEmail", assessment, ignored, justification,
  coalesce(responses, '{}'), detail, case when clears_mark then $3 else recheck_reason end,
  "statementId", origin, "statedIn"
from (
  select given.*, decision.package_id is not null as was_decided,
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
    coalesce(given."decidedAt", $4) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset($5::json) as given (
    id uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean
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
      select given.*, decision.package_id is not null as was_decided,
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
          "decidedAt" timestamptz, "needsEntry" boolean
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
    values (input.assessment, input.ignored, 1),
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
  select given.*, decision.package_id is not null as was_decided,
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
      "newAssessment" text, justification text, responses text[], detail text, "newIgnored" boolean,
      source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text,
      "statementId" uuid, "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean
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
      select given.*, decision.package_id is not null as was_decided,
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
          "decidedAt" timestamptz, "needsEntry" boolean
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
            not input.ignored and input.assessment <> all($5::text[])
              and (input.match_confidence <> 'Low' or input.assessment = any($6::text[]))
          )::int - (
            not input.old_ignored and input.old_assessment <> all($7::text[])
              and (input.match_confidence <> 'Low' or input.old_assessment = any($8::text[]))
          )::int
        )
    ),
      (
        'Exploited',
          input.match_exploited::int * (
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
        case
          when input.match_severity in ('Critical', 'High') then 'Undecided' || input.match_severity
          end,
          (
            (
              (
                not input.ignored and input.assessment <> all($13::text[])
                  and (input.match_confidence <> 'Low' or input.assessment = any($14::text[]))
              ) and (input.assessment = any($15::text[]))
            )::int - (
              (
                not input.old_ignored and input.old_assessment <> all($16::text[])
                  and (input.match_confidence <> 'Low' or input.old_assessment = any($17::text[]))
              ) and (input.old_assessment = any($18::text[]))
            )::int
          )
      )
  ) as each (counter, amount)
),
  totals as (
    select firmware_version_id,
      coalesce(sum(amount) filter (where counter = $19), 0)::int as critical,
      coalesce(sum(amount) filter (where counter = $20), 0)::int as high,
      coalesce(sum(amount) filter (where counter = $21), 0)::int as medium,
      coalesce(sum(amount) filter (where counter = $22), 0)::int as low,
      coalesce(sum(amount) filter (where counter = $23), 0)::int as "none",
      coalesce(sum(amount) filter (where counter = $24), 0)::int as unknown,
      coalesce(sum(amount) filter (where counter = $25), 0)::int as exploited,
      coalesce(sum(amount) filter (where counter = $26), 0)::int as undecided_critical,
      coalesce(sum(amount) filter (where counter = $27), 0)::int as undecided_high
    from moved
    group by firmware_version_id
  )
update firmware_version_counters as counters
set evaluated_at = greatest(evaluated_at, $28), critical = counters.critical + totals.critical,
  high = counters.high + totals.high, medium = counters.medium + totals.medium,
  low = counters.low + totals.low, "none" = counters."none" + totals."none",
  unknown = counters.unknown + totals.unknown, exploited = counters.exploited + totals.exploited,
  undecided_critical = counters.undecided_critical + totals.undecided_critical,
  undecided_high = counters.undecided_high + totals.undecided_high
from totals
where counters.workspace_id = $29 and counters.firmware_version_id = totals.firmware_version_id;

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
  vulnerability.is_disputed, vulnerability.published_at, vulnerability.modified_at,
  epss.score as epss_score, case when not $7 then epss.percentile end as epss_percentile,
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
  ) as is_known_exploit, vulnerability.is_disputed, vulnerability.published_at,
  vulnerability.modified_at, null::real as epss_score, case
  when not $11 then epss.percentile end as epss_percentile,
  coalesce(decision.assessment, 'NotAssessed') as assessment, null as origin,
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

-- server/src/features/findings/detail/store.ts listMembers
select sbom.id as sbom_id, sbom.file_name, component.node, component.package_name as name,
  component.version, component.vendor, component.purl, component.cpes[1] as cpe
from sbom_components as component
inner join sboms as sbom on sbom.workspace_id = component.workspace_id
  and sbom.id = component.sbom_id
where component.workspace_id = $1 and component.package_id = $2 and sbom.firmware_version_id = $3
  and sbom.parsing_state = $4
order by sbom.created_at, sbom.id, component.node;

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
      and decision.vulnerability_id = match.vulnerability_id and decision.workspace_id = $3
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.assessment <> 'NotAssessed'
  );

-- server/src/features/findings/list/store.ts listDeclaredNames
select distinct on (component.package_id) component.package_id,
  component.package_name as component_name, component.source_name
from sboms as sbom
cross join lateral (
  select one.package_id, one.package_name, one.source_name
  from sbom_components as one
  where one.workspace_id = $1 and one.sbom_id = sbom.id and one.package_id = any($2::uuid[])
  offset 0
) as component
where sbom.workspace_id = $3 and sbom.firmware_version_id = $4 and sbom.parsing_state = 'Succeeded'
order by component.package_id, length(component.package_name), component.package_name collate "C";

-- server/src/features/findings/list/store.ts listFindings: the shortest and the longest of many variants
--   01c565da 02f56db3 039c99b3 041f4193 0cc86bea 0f9a7b13 135534bd 13721638 1aef71bd 1d4c7d6b
--   1ee79008 236fda7c 240a6d5a 24ab0bae 254d264d 2afd78d4 2e4fcadd 2faf38b7 31758802 32df6cdd
--   349b0f39 377bc9b5 391bbe28 3d10004f 475d65f4 4917dd54 4cd9e0b7 4e7a1eb9 4f37de3b 5147770b
--   515a8710 54c4ec35 56e71084 59e3786c 5bf42e87 5c51b5b4 5c995861 5ca25d4a 5ddc6988 6280af5a
--   63f25037 69620c93 6c02a3d8 6c4cb280 6ea2a5b7 72f70f98 77b9f50f 7b120242 86e81588 891e883a
--   8a4b7364 8b058a97 8c3fd2bf 8d1f0f37 903323f6 9190ceac 97f5d30a a0a7908e a15e5ecb a39f50bd
--   a561494d a674ce0f a741fc90 a7c60d3c ada1d445 b9aa1c5e bbe8d504 bdc0d6fe bec0ffaf c1cbc642
--   c6c52db4 c7dcd4f5 c8dbf7a9 c9111519 ca6ba7ca cb5c837a cb870ff4 d045be8d db6934a4 df334686
--   e19e95d3 e381e5f1 e5338780 ead36811 eb88c70d ecead25e efea47a3 f25973b0 f3628326 f3781771
--   f5253561 fb8cab4f fbc345f5
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
update firmware_version_packages as fact
set component_name = present.component_name, component_version = present.component_version,
  component_vendor = present.component_vendor, component_purl = present.component_purl,
  component_cpe = present.component_cpe
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
    where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
      and sbom.parsing_state = 'Succeeded' and component.package_id is not null
  ) as member
  group by package_id
) as present
where fact.workspace_id = $3 and fact.firmware_version_id = $4 and fact.until is null
  and fact.package_id = present.package_id
  and (
    fact.component_name, fact.component_version, fact.component_vendor, fact.component_purl,
      fact.component_cpe
  ) is distinct from (
    present.component_name, present.component_version, present.component_vendor,
      present.component_purl, present.component_cpe
  )
returning fact.package_id, 0 as amount, null::timestamptz as ended_since;

-- server/src/features/findings/store.ts updateEvaluatedSboms
update sboms as sbom
set vulnerabilities_parsed_at = $1, failure = $2
where sbom.workspace_id = $3 and sbom.firmware_version_id = $4 and sbom.parsing_state = $5
  and sbom.vulnerabilities_parsed_at is null
  and not exists (
    select
    from sbom_components as component
    inner join packages as package on package.id = component.package_id
    where component.workspace_id = $6 and component.sbom_id = sbom.id and package.matched_at is null
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

-- server/src/features/findings/workspace-list/copies-store.ts copyNames
update workspace_kept_locks set names_copied_at = $1 where workspace_id = $2;

-- server/src/features/findings/workspace-list/copies-store.ts copyNames
update workspace_vulnerabilities as counted
set name = known.name
from unnest($1::text[], $2::text[]) as known (id, name)
where counted.workspace_id = $3 and counted.vulnerability_id = known.id;

-- server/src/features/findings/workspace-list/copies-store.ts copyScores
update workspace_kept_locks set score_revision = $1 where workspace_id = $2;

-- server/src/features/findings/workspace-list/copies-store.ts copyScores
update workspace_vulnerabilities as kept
set epss_score = known.score
from unnest($1::text[], $2::real[]) as known (id, score)
where kept.workspace_id = $3 and kept.vulnerability_id = known.id
  and kept.epss_score is distinct from known.score;

-- server/src/features/findings/workspace-list/copies-store.ts copyScores
update workspace_component_vulnerabilities as kept
set epss_score = known.score
from unnest($1::text[], $2::real[]) as known (id, score)
where kept.workspace_id = $3 and kept.vulnerability_id = known.id
  and kept.epss_score is distinct from known.score;

-- server/src/features/findings/workspace-list/copies-store.ts listUncopiedNames
select counted.vulnerability_id, known.name
from workspace_vulnerabilities as counted
cross join lateral (
  select each.name from vulnerabilities as each where each.id = counted.vulnerability_id offset 0
) as known
where counted.workspace_id = $1 and counted.name is null;

-- server/src/features/findings/workspace-list/copies-store.ts listUncopiedNames
select counted.vulnerability_id, known.name
from workspace_vulnerabilities as counted
cross join lateral (
  select each.name from vulnerabilities as each where each.id = counted.vulnerability_id offset 0
) as known
where counted.workspace_id = $1 and counted.name is distinct from known.name;

-- server/src/features/findings/workspace-list/copies-store.ts listUncopiedScores
select kept.vulnerability_id, known.score, kept.epss_score as kept_score
from (
  select vulnerability_id, epss_score
  from workspace_vulnerabilities
  where workspace_id = $1
  union select vulnerability_id, epss_score
  from workspace_component_vulnerabilities
  where workspace_id = $2
) as kept
cross join lateral (
  select coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = kept.vulnerability_id),
      '-1'::real
  ) as score
  offset 0
) as known
where kept.epss_score is null;

-- server/src/features/findings/workspace-list/copies-store.ts listUncopiedScores
select kept.vulnerability_id, known.score, kept.epss_score as kept_score
from (
  select vulnerability_id, epss_score
  from workspace_vulnerabilities
  where workspace_id = $1
  union select vulnerability_id, epss_score
  from workspace_component_vulnerabilities
  where workspace_id = $2
) as kept
cross join lateral (
  select coalesce(
    (select epss.score from epss_scores as epss where epss.cve_id = kept.vulnerability_id),
      '-1'::real
  ) as score
  offset 0
) as known
where kept.epss_score is distinct from known.score;

-- server/src/features/findings/workspace-list/copies-store.ts readScoreRevision
select score_revision from vulnerability_sources where source = $1;

-- server/src/features/findings/workspace-list/copies-store.ts sumUpMagnitudes
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

-- server/src/features/findings/workspace-list/copies-store.ts sumUpMagnitudes
update workspace_component_vulnerabilities as counted
set device_magnitude = now.magnitude
from (
  select held.component_name, kept.vulnerability_id, max(held.device_magnitude) as magnitude
  from workspace_matches as kept
  join workspace_packages as held on held.workspace_id = $1 and held.package_id = kept.package_id
  where kept.workspace_id = $2
  group by held.component_name, kept.vulnerability_id
) as now
where counted.workspace_id = $3 and counted.component_name = now.component_name
  and counted.vulnerability_id = now.vulnerability_id and counted.device_magnitude <> now.magnitude;

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
  and owned.device_magnitude <> now.magnitude;

-- server/src/features/findings/workspace-list/device-counts-store.ts deleteVersionNumbers
delete from workspace_versions where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/findings/workspace-list/device-counts-store.ts findRefreshed
select devices_counted, devices_counted_at, names_copied_at, score_revision
from workspace_kept_locks
where workspace_id = $1;

-- server/src/features/findings/workspace-list/device-counts-store.ts leaveVersions
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

-- server/src/features/findings/workspace-list/device-counts-store.ts moveVersion
insert into workspace_package_versions as kept (workspace_id, package_id, block, versions)
select $1, package_id, number / 32, 1 << number % 32
from unnest($2::uuid[]) as begun (package_id)
join workspace_versions on workspace_id = $3 and firmware_version_id = $4
order by package_id
on conflict (workspace_id, package_id, block)
do update
set versions = kept.versions | excluded.versions;

-- server/src/features/findings/workspace-list/device-counts-store.ts numberVersion
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

-- server/src/features/findings/workspace-list/device-counts-store.ts readDeviceState
select count(*) || ' ' || coalesce(
  sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0
) as state
from firmware_set_device_counts
where workspace_id = $1;

-- server/src/features/findings/workspace-list/device-counts-store.ts readHeldVersions: the shortest and the longest of many variants
--   1c37a6b0 3aae7aa8 b0feea86 bc6b20f6 d345ab2e dd50845f df4dce90 f4b89b35
with numbered as not materialized (
  select firmware_version_id, number from workspace_versions where workspace_id = $1
),
  held as not materialized (
    select package_id, block, versions from workspace_package_versions where workspace_id = $2
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

with fact as materialized (
  select fact.package_id, fact.firmware_version_id
  from (select package_id from workspace_packages where workspace_id = $1) as shown
  join firmware_version_packages as fact using (package_id)
  where fact.workspace_id = $2
    and (fact.since <= $3 and (fact.until is null or fact.until > $4)) is true
    and fact.firmware_version_id in (
      select version.id
      from firmware_versions as version
      where version.workspace_id = $5 and version.firmware_id = any($6::uuid[])
    )
),
  numbered as materialized (
    select firmware_version_id, row_number() over ()::int - 1 as number
    from (select distinct firmware_version_id from fact) as each
  ),
  held as (
    select fact.package_id, numbered.number / 32 as block,
      bit_or(1 << numbered.number % 32) as versions
    from fact
    join numbered using (firmware_version_id)
    group by fact.package_id, numbered.number / 32
  )
select null::uuid as package_id, string_agg(numbers, ',') as numbers
from (
  select member.devices || ' ' || string_agg(numbered.number::text, ' ') as numbers
  from (
    select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
    from (
      select firmware_version_ids, devices, row_number() over () as place
      from firmware_set_device_counts
      where workspace_id = $7
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

-- server/src/features/findings/workspace-list/facts-store.ts findMeant: the shortest and the longest of many variants
--   33641ce6 3efda628 6ee5c795 b8285ce5 c02dcef9 f7bdee27 fdee52d3
with each as materialized (
  select owned.package_id, owned.component_name, false as is_named
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0
), named as materialized (select package_id, component_name from each where is_named),
  component as materialized (
    select component_name from each group by component_name having bool_and(is_named)
  ), described as materialized (select null::text as vulnerability_id where false)
select array(select package_id from named) as package_ids,
  array(select vulnerability_id from described) as vulnerability_ids,
  array(select component_name from component) as component_names,
  array(
    select package_id from named where component_name not in (select component_name from component)
  ) as other_package_ids,
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

with each as materialized (
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
    ) as is_named
  from workspace_packages as owned
  where owned.workspace_id = $4 and owned.version_count > 0
), named as materialized (select package_id, component_name from each where is_named),
  component as materialized (
    select component_name from each group by component_name having bool_and(is_named)
  ),
  described as materialized (
    select counted.vulnerability_id
    from workspace_vulnerabilities as counted
    where counted.workspace_id = $5
      and strpos(
        lower(
          coalesce(
            counted.name,
              (
                select known.name collate "C"
                from vulnerabilities as known
                where known.id = counted.vulnerability_id
              )
          ) collate "default"
        ) collate "C", $6::text
      ) > 0
    union select known.vulnerability_id
    from unnest($7::text[], $8::text[]) as range (from_id, to_id)
    cross join lateral (
      select each.vulnerability_id
      from vulnerability_aliases as each
      where each.alias >= range.from_id collate "C" and each.alias < range.to_id collate "C"
        and strpos(lower(each.alias collate "default") collate "C", $9::text) > 0
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
  array(select component_name from component) as component_names,
  array(
    select package_id from named where component_name not in (select component_name from component)
  ) as other_package_ids,
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

-- server/src/features/findings/workspace-list/facts-store.ts hasChangedSince
select evaluated_at
from firmware_version_counters
where workspace_id = $1 and evaluated_at >= $2
limit $3;

-- server/src/features/findings/workspace-list/facts-store.ts hasFewerDecided
select count(*)::int as count
from (
  select
  from workspace_decisions as decided
  where decided.workspace_id = $1 and decided.finding_count > 0
    and decided.assessment = any($2::text[])
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/facts-store.ts hasFewerDecided
select count(*)::int as count
from (
  select
  from workspace_decisions as decided
  where decided.workspace_id = $1 and decided.finding_count > 0
    and decided.assessment = any($2::text[]) and decided.ignored = $3
  limit $4
) as counted;

-- server/src/features/findings/workspace-list/facts-store.ts hasFewerDetected
select count(*)::int as count
from (
  select
  from workspace_matches as recent
  where workspace_id = $1 and recent.detected_at < $2::timestamptz
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/facts-store.ts hasFewerDetected
select count(*)::int as count
from (
  select
  from workspace_matches as recent
  where workspace_id = $1 and recent.detected_at >= $2::timestamptz
  limit $3
) as counted;

-- server/src/features/findings/workspace-list/facts-store.ts hasFewerMatches
select count(*)::int as count
from (select from workspace_matches as kept where workspace_id = $1 limit $2) as counted;

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
  where kept.workspace_id = $5 and kept.vulnerability_id = held.vulnerability_id
    and kept.package_id = held.package_id
  returning kept.vulnerability_id, kept.detected_at, kept.states, held.called, held.device_magnitude
)
select gone.vulnerability_id, gone.called, bit_or(gone.states)::text as lost,
  min(gone.detected_at) as first_detected_at, max(gone.detected_at) as last_detected_at,
  max(gone.device_magnitude) as device_magnitude,
  bool_or(
    gone.detected_at <= counted.detected_at or gone.device_magnitude > 0
      and gone.device_magnitude >= counted.device_magnitude
  ) as is_first
from gone
join workspace_vulnerabilities as counted on counted.workspace_id = $6
  and counted.vulnerability_id = gone.vulnerability_id
group by gone.vulnerability_id, gone.called;

-- server/src/features/findings/workspace-list/kept-store.ts deleteMatches
with gone as (
  delete from workspace_matches as kept using (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
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
  returning kept.vulnerability_id, kept.detected_at, kept.states, held.called, held.device_magnitude
)
select gone.vulnerability_id, gone.called, bit_or(gone.states)::text as lost,
  min(gone.detected_at) as first_detected_at, max(gone.detected_at) as last_detected_at,
  max(gone.device_magnitude) as device_magnitude,
  bool_or(
    gone.detected_at <= counted.detected_at or gone.device_magnitude > 0
      and gone.device_magnitude >= counted.device_magnitude
  ) as is_first
from gone
join workspace_vulnerabilities as counted on counted.workspace_id = $5
  and counted.vulnerability_id = gone.vulnerability_id
group by gone.vulnerability_id, gone.called;

-- server/src/features/findings/workspace-list/kept-store.ts keepChangedMatches
insert into workspace_vulnerabilities as counted (
  workspace_id, vulnerability_id, finding_count, severity, score, is_exploited
)
select $1::uuid, vulnerability_id, sum(amount)::int, min(severity), min(score),
  coalesce(bool_or(is_exploited), false)
from (
  select match.vulnerability_id, $2::int * match.version_count as amount, match.severity,
    match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
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
  union all select match.vulnerability_id, $6::int * match.version_count as amount, match.severity,
    match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($7::uuid[], $8::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $9 and holding.package_id = changed.package_id
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
  union all select match.vulnerability_id, $10::int * match.version_count as amount, match.severity,
    match.score, match.is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
    from unnest($11::uuid[], $12::text[]) as changed (package_id, vulnerability_id)
    cross join lateral (
      select holding.*
      from workspace_packages as holding
      where holding.workspace_id = $13 and holding.package_id = changed.package_id
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
) as moved
group by vulnerability_id
order by vulnerability_id
on conflict (workspace_id, vulnerability_id)
do update
set finding_count = counted.finding_count + excluded.finding_count,
  severity = coalesce(excluded.severity, counted.severity), score = case
  when excluded.severity is null then counted.score else excluded.score end, is_exploited = case
  when excluded.severity is null then counted.is_exploited else excluded.is_exploited end;

-- server/src/features/findings/workspace-list/kept-store.ts lockKeptOf
insert into workspace_kept_locks as held (workspace_id)
values ($1)
on conflict (workspace_id)
do update
set workspace_id = held.workspace_id;

-- server/src/features/findings/workspace-list/kept-store.ts readFirstDetected
update workspace_vulnerabilities as counted
set detected_at = first.detected_at, device_magnitude = first.device_magnitude
from (
  select each.vulnerability_id, now.*
  from (
    select distinct vulnerability_id from (select unnest($1::text[]) as vulnerability_id) as each
  ) as each
  cross join lateral (
    select min(kept.detected_at) as detected_at,
      coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as kept
    join workspace_packages as held on held.workspace_id = kept.workspace_id
      and held.package_id = kept.package_id
    where kept.workspace_id = $2 and kept.vulnerability_id = each.vulnerability_id
  ) as now
) as first
where counted.workspace_id = $3 and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is distinct from first.detected_at
      or counted.device_magnitude <> first.device_magnitude
  );

-- server/src/features/findings/workspace-list/kept-store.ts readFirstDetected
update workspace_vulnerabilities as counted
set detected_at = first.detected_at, device_magnitude = first.device_magnitude
from (
  select each.vulnerability_id, now.*
  from (
    select distinct vulnerability_id
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
    where kept.workspace_id = $5 and kept.vulnerability_id = each.vulnerability_id
  ) as now
) as first
where counted.workspace_id = $6 and counted.vulnerability_id = first.vulnerability_id
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

-- server/src/features/findings/workspace-list/kept-store.ts writeMatches: the shortest and the longest of many variants
--   49a371eb 64b5c72f 6af0d1db 6bd38384 a65b7a03 aa8f57d7
update workspace_vulnerabilities as counted
set detected_at = least(counted.detected_at, first.detected_at),
  states = counted.states | first.states,
  device_magnitude = greatest(counted.device_magnitude, first.device_magnitude)
from (
  select vulnerability_id, min(detected_at) as detected_at, bit_or(states) as states,
    max(device_magnitude) as device_magnitude
  from (
    select match.vulnerability_id, match.called, match.device_magnitude,
      array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
      severity_rank, match.is_exploited, kept.detected_at, kept.states
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
    cross join lateral (
      select each.detected_at, each.states
      from workspace_matches as each
      where each.workspace_id = $5 and each.vulnerability_id = match.vulnerability_id
        and each.package_id = match.package_id
      limit 1
    ) as kept
  ) as each
  group by vulnerability_id
) as first
where counted.workspace_id = $6 and counted.vulnerability_id = first.vulnerability_id
  and (
    counted.detected_at is null or counted.detected_at > first.detected_at
      or counted.device_magnitude < first.device_magnitude
      or counted.states | first.states <> counted.states
  );

insert into workspace_matches as kept (
  workspace_id, vulnerability_id, package_id, detected_at, states
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
    where decided.workspace_id = $3 and decided.vulnerability_id = match.vulnerability_id
      and decided.package_id = match.package_id and decided.finding_count > 0
  )
from (
  select held.*, held.component_name as called, changed.vulnerability_id, match.since,
    match.confidence, match.severity, match.score, match.is_exploited
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
where kept.detected_at <> excluded.detected_at;

-- server/src/features/findings/workspace-list/kept-sums-store.ts countFindingsOfPackages
insert into workspace_vulnerabilities as counted (
  workspace_id, vulnerability_id, finding_count, severity, score, is_exploited
)
select $1::uuid, vulnerability_id, sum(amount)::int, min(severity), min(score),
  coalesce(bool_or(is_exploited), false)
from (
  select match.vulnerability_id, changed.amount, match.severity, match.score, match.is_exploited
  from unnest($2::uuid[], $3::int[]) as changed (package_id, amount)
  cross join lateral (
    select each.vulnerability_id, each.severity, each.score, each.is_exploited
    from package_matches as each
    where each.package_id = changed.package_id and each.until is null
    offset 0
  ) as match
) as moved
group by vulnerability_id
order by vulnerability_id
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

-- server/src/features/findings/workspace-list/kept-sums-store.ts dropDecisionsOfVersions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored,
    -1 as amount
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  where decision.workspace_id = $2 and decision.firmware_version_id = any($3::uuid[])
    and fact.until is null
    and exists (
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

-- server/src/features/findings/workspace-list/kept-sums-store.ts keepDecisionsOfVersion
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

-- server/src/features/findings/workspace-list/kept-sums-store.ts leaveGoneComponents
delete from workspace_component_vulnerabilities
where workspace_id = $1 and component_name = any($2::text[]);

-- server/src/features/findings/workspace-list/kept-sums-store.ts leaveGoneComponents
select distinct component_name as name
from workspace_packages
where workspace_id = $1 and component_name = any($2::text[]) and version_count > 0;

-- server/src/features/findings/workspace-list/kept-sums-store.ts rateInComponents
update workspace_component_vulnerabilities as kept
set severity_rank = rated.severity_rank, is_exploited = rated.is_exploited
from (
  select called, vulnerability_id,
    max(array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)) as
    severity_rank, bool_or(is_exploited) as is_exploited
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
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
  group by called, vulnerability_id
) as rated
where kept.workspace_id = $4 and kept.component_name = rated.called
  and kept.vulnerability_id = rated.vulnerability_id
  and (kept.severity_rank, kept.is_exploited) is distinct from (
    rated.severity_rank, rated.is_exploited
  );

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct called, vulnerability_id
    from (
      select called, vulnerability_id
      from (
        select match.*, named.called, held.component_name, held.device_magnitude
        from unnest($1::uuid[], $2::text[]) as named (package_id, called)
        join workspace_packages as held on held.workspace_id = $3
          and held.package_id = named.package_id
        cross join lateral (
          select each.*
          from workspace_matches as each
          where each.workspace_id = $4 and each.package_id = named.package_id
          offset 0
        ) as match
      ) as match
    ) as each
  ) as touched
  cross join lateral (
    select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
      bit_or(match.states) as states, coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = $5 and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = $6 and match.vulnerability_id = touched.vulnerability_id
      and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = $7 and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states, device_magnitude = now.device_magnitude
from now
where kept.workspace_id = $8 and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states, kept.device_magnitude) is
  distinct from (now.first_detected_at, now.last_detected_at, now.states, now.device_magnitude);

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct called, vulnerability_id
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
      bit_or(match.states) as states, coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = $5 and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = $6 and match.vulnerability_id = touched.vulnerability_id
      and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = $7 and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states, device_magnitude = now.device_magnitude
from now
where kept.workspace_id = $8 and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states, kept.device_magnitude) is
  distinct from (now.first_detected_at, now.last_detected_at, now.states, now.device_magnitude);

-- server/src/features/findings/workspace-list/kept-sums-store.ts readComponentsAgain
with now as materialized (
  select touched.*, found.*
  from (
    select distinct called, vulnerability_id
    from (
      select called, vulnerability_id
      from unnest(
        $1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::smallint[]
      ) as left_over (called, vulnerability_id, lost, first_at, last_at, magnitude)
      where not (
        exists (
          select
          from workspace_matches as other
          cross join lateral (
            select *
            from workspace_packages as one
            where one.workspace_id = $7 and one.package_id = other.package_id
            limit 1
          ) as held
          where other.workspace_id = $8 and other.vulnerability_id = left_over.vulnerability_id
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
                  where one.workspace_id = $9 and one.package_id = other.package_id
                  limit 1
                ) as held
                where other.workspace_id = $10
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
                  where one.workspace_id = $11 and one.package_id = other.package_id
                  limit 1
                ) as held
                where other.workspace_id = $12
                  and other.vulnerability_id = left_over.vulnerability_id
                  and held.component_name = left_over.called
                  and other.detected_at >= left_over.last_at
                offset 0
              )
          )
          and (
            left_over.magnitude = 0
              or exists (
                select
                from workspace_matches as other
                cross join lateral (
                  select *
                  from workspace_packages as one
                  where one.workspace_id = $13 and one.package_id = other.package_id
                  limit 1
                ) as held
                where other.workspace_id = $14
                  and other.vulnerability_id = left_over.vulnerability_id
                  and held.component_name = left_over.called
                  and held.device_magnitude >= left_over.magnitude
                offset 0
              )
          )
      )
    ) as each
  ) as touched
  cross join lateral (
    select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
      bit_or(match.states) as states, coalesce(max(held.device_magnitude), 0) as device_magnitude
    from workspace_matches as match
    cross join lateral (
      select *
      from workspace_packages as one
      where one.workspace_id = $15 and one.package_id = match.package_id
      limit 1
    ) as held
    where match.workspace_id = $16 and match.vulnerability_id = touched.vulnerability_id
      and held.component_name = touched.called
  ) as found
),
  gone as (
    delete from workspace_component_vulnerabilities as kept using now
    where kept.workspace_id = $17 and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is null
  )
update workspace_component_vulnerabilities as kept
set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
  states = now.states, device_magnitude = now.device_magnitude
from now
where kept.workspace_id = $18 and kept.component_name = now.called
  and kept.vulnerability_id = now.vulnerability_id and now.states is not null
  and (kept.first_detected_at, kept.last_detected_at, kept.states, kept.device_magnitude) is
  distinct from (now.first_detected_at, now.last_detected_at, now.states, now.device_magnitude);

-- server/src/features/findings/workspace-list/kept-sums-store.ts readDecisions
insert into workspace_decisions as kept (
  workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count
)
select $1::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
from (
  select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored,
    1 as amount
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
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

-- server/src/features/findings/workspace-list/kept-sums-store.ts renameInComponents
insert into workspace_component_vulnerabilities as kept (
  workspace_id, component_name, vulnerability_id, first_detected_at, last_detected_at, states,
    severity_rank, is_exploited, device_magnitude
)
select $1::uuid, called, vulnerability_id, min(detected_at), max(detected_at), bit_or(states),
  max(severity_rank), bool_or(is_exploited), max(device_magnitude)
from (
  select kept.component_name as called, kept.vulnerability_id, kept.detected_at, kept.states,
    array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
    severity_rank, match.is_exploited, kept.device_magnitude
  from (
    select match.*, named.called, held.component_name, held.device_magnitude
    from unnest($2::uuid[], $3::text[]) as named (package_id, called)
    join workspace_packages as held on held.workspace_id = $4 and held.package_id = named.package_id
    cross join lateral (
      select each.*
      from workspace_matches as each
      where each.workspace_id = $5 and each.package_id = named.package_id
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
group by called, vulnerability_id
order by called, vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set first_detected_at = least(kept.first_detected_at, excluded.first_detected_at),
  last_detected_at = greatest(kept.last_detected_at, excluded.last_detected_at),
  states = kept.states | excluded.states, severity_rank = excluded.severity_rank,
  is_exploited = excluded.is_exploited,
  device_magnitude = greatest(kept.device_magnitude, excluded.device_magnitude);

-- server/src/features/findings/workspace-list/rows-store.ts listRowsOfPlaces: the shortest and the longest of many variants
--   02294862 02574ab8 0910d1fd 0a0b3620 0acccbb2 0cdd5a4c 0dfa5ae0 10821b6a 10d9d609 11c8a1a2
--   127fdb96 15d24e57 16cc9ba0 177c686e 1aa81658 1b26e2ea 1dfc7a1c 1f28ae2f 23939134 248b4738
--   25ed3fb4 266e4a91 27fe85ba 282049de 282ceef2 28602cb0 2b0b5c5a 2c698cc4 2cbb4401 2dfb14ee
--   2e097a30 30d1343c 31195f08 325e472b 32c4f15f 330b2ee3 33f5d1e0 3a193117 3dc95496 3dd72711
--   4096f804 41f4604f 4234dedb 4240f826 42c8f111 444bfc6d 44f0fe92 4568c39e 457bd40f 46becaee
--   4770e117 4884780b 4a991b9c 4d50963c 4dbcf12a 4f91f22f 4fbb840f 55230a64 5544ef62 582249a0
--   582abe6d 59a29686 59b8dba0 5a0e72d5 5a350b34 5a4ec862 5a68cbe7 5a7b0690 5cbbe6f4 5ecdaad3
--   6391a0ce 640ddb8b 6757838f 680f8c18 68d244f1 68ff0430 6c893e7e 6fcec64e 78505fcf 792cffc4
--   7d198dba 7e405bda 7fddbf31 81314221 82622738 82b912f4 82dc495c 83487d76 85db1102 85dfbe17
--   85e1814c 85e281f1 863c8c59 86472837 87ac5ad6 88a210ca 89e89892 8a87ebbf 8a9a040a 8afb441f
--   8b9ae4cf 8db5d578 8dea4edb 8dfa2c94 8e276281 8facd488 9082992a 9272db7c 940b3f0b 9411c798
--   9481796b 96fd8b5f 97d8108d 99d44673 9d38fa3b 9d71f8f9 9ddda9b3 9e59c597 9e6e8ab7 9ea482a6
--   9f01f9e1 a13d5b0e a3bd6de0 a4189abe a65ced00 a65d5ae1 a709655a a71850c2 a7386d94 a86c5d32
--   a8a26972 a9a579cf aa88c8bb ab082d87 ab7d6349 ac9f508a aec2971c af20ff07 af9a1630 b11280e0
--   b22a6e6c b2900793 b335e1b4 b681a7e7 b711e35e bd38affe bd808ca4 be4160c1 bea79278 c1bfc5ef
--   c25f5ecc c2b04510 c2f26bed c31d233b c35754ba c577d016 c579fb96 c86c7576 cb2a39a9 cb507244
--   cca0089f ce74d9b8 ce9b0148 d17fa765 d2172aa0 d3c94dbd d4a18c4e d5496fff d7f2dabf d8d04230
--   dac7948e dbfa3e3d dcbebb97 dd4b48ea dd63ceb4 de20df39 e0ce760a e2334744 e24cb691 e3ed54c5
--   e56b1779 e58b5ec1 e603a3d1 e67a3149 e68e25dd eb40e9c0 ee8870b3 ef6edf8b eff163de f168d499
--   f240384f f2d518a4 f30ec25e f34603db f361e0b9 f5d19321 f93dcc90 fb3ab369 fc39f7d8 fc95297f
--   ff67b7b2 ffa0271d
select chosen.package_id, chosen.vulnerability_id, fact.component_name, fact.component_version,
  match.severity, match.score as cvss_score, match.confidence,
  json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, match.detected_at as sort_0,
    match.vulnerability_id as sort_1, match.package_id as sort_2
  from (
    select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states
    from workspace_matches as kept
    where kept.workspace_id = $1
  ) as match
  where true
  order by match.detected_at asc, match.vulnerability_id asc, match.package_id asc
  limit $2
) as chosen
cross join lateral (
  select *
  from workspace_packages as owned
  where owned.workspace_id = $3 and owned.package_id = chosen.package_id and owned.version_count > 0
  offset 0
) as fact
cross join lateral (
  select *
  from package_matches as one
  where one.package_id = chosen.package_id and one.vulnerability_id = chosen.vulnerability_id
    and one.until is null
  limit 1
) as match
order by sort_0 asc, sort_1 asc, sort_2 asc;

select chosen.package_id, chosen.vulnerability_id, fact.component_name, fact.component_version,
  match.severity, match.score as cvss_score, match.confidence,
  json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, place.key_0 as sort_0, place.id as sort_1,
    match.package_id as sort_2
  from (
    with chosen as materialized (
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
            (
              select known.score
              from epss_scores as known
              where known.cve_id = match.vulnerability_id
            ), '-1'::real
        ) as epss_score
      from workspace_vulnerabilities as match
      where match.workspace_id = $1 and match.finding_count > 0 and match.states & $2::bigint <> 0
        and match.device_magnitude > 0
        and (
          match.states & ~$3::bigint = 0
            or exists (
              select
              from workspace_matches as kept
              join workspace_packages as held on held.workspace_id = $4
                and held.package_id = kept.package_id
              where kept.workspace_id = $5 and kept.vulnerability_id = match.vulnerability_id
                and held.device_magnitude > 0 and kept.states & $6::bigint <> 0
                and (
                  kept.states & ~$7::bigint = 0
                    or exists (
                      select
                      from firmware_version_packages as fact
                      left join lateral (
                        select *
                        from finding_decisions as decision
                        where decision.workspace_id = $8
                          and decision.firmware_version_id = fact.firmware_version_id
                          and decision.package_id = fact.package_id
                          and decision.vulnerability_id = kept.vulnerability_id
                        limit 1
                      ) as decision on true
                      where fact.workspace_id = $9 and fact.package_id = kept.package_id
                        and fact.until is null
                        and (
                          fact.firmware_version_id in (
                            select unnest(counts.firmware_version_ids)
                            from firmware_set_device_counts as counts
                            where counts.workspace_id = $10
                          )
                        ) is true
                        and (
                          not coalesce(decision.ignored, false)
                            and coalesce(decision.assessment, 'NotAssessed') <> all($11::text[])
                            and (
                              case when kept.states & $12::bigint <> 0 then 'Low'
                                else 'High' end <> 'Low'
                                or coalesce(decision.assessment, 'NotAssessed') = any($13::text[])
                            )
                        ) and coalesce(decision.assessment, 'NotAssessed') = any($14::text[])
                    )
                )
              offset 0
            )
        )
    )
    select *
    from (
      select match.vulnerability_id as id, match.name as key_0
      from chosen as match
      cross join lateral (select match.epss_score as score) as epss
    ) as each
    order by key_0 asc, id asc fetch first $15 rows with ties
  ) as place
  cross join lateral (
    select match.vulnerability_id, match.package_id, match.detected_at
    from (
      select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states
      from workspace_matches as kept
      where kept.workspace_id = $16 and kept.vulnerability_id = place.id
    ) as match
    where true and match.states & $17::bigint <> 0
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
              and fact.until is null
              and (
                fact.firmware_version_id in (
                  select unnest(counts.firmware_version_ids)
                  from firmware_set_device_counts as counts
                  where counts.workspace_id = $21
                )
              ) is true
              and (
                not coalesce(decision.ignored, false)
                  and coalesce(decision.assessment, 'NotAssessed') <> all($22::text[])
                  and (
                    case when match.states & $23::bigint <> 0 then 'Low' else 'High' end <> 'Low'
                      or coalesce(decision.assessment, 'NotAssessed') = any($24::text[])
                  )
              ) and coalesce(decision.assessment, 'NotAssessed') = any($25::text[])
          )
      )
      and (
        match.package_id in (
          select run.package_id
          from workspace_packages as run
          where run.workspace_id = $26 and run.device_magnitude > 0
        )
      ) is true
    offset 0
  ) as match
  where true
  order by place.key_0 asc, place.id asc, match.package_id asc
  limit $27
) as chosen
cross join lateral (
  select *
  from workspace_packages as owned
  where owned.workspace_id = $28 and owned.package_id = chosen.package_id
    and owned.version_count > 0
  offset 0
) as fact
cross join lateral (
  select *
  from package_matches as one
  where one.package_id = chosen.package_id and one.vulnerability_id = chosen.vulnerability_id
    and one.until is null
  limit 1
) as match
order by sort_0 asc, sort_1 asc, sort_2 asc;

-- server/src/features/findings/workspace-list/rows-store.ts listWorkspaceRows: the shortest and the longest of many variants
--   038da265 072d5286 07a8f8e9 087294b2 08f075e5 0a1b9749 0ab6b6c2 0b4ebc22 0b631d37 0d269abd
--   0d92f141 0ea9f7c2 10b69131 12bd0a9b 14eaa4ad 17ebe627 19bf1797 19c2587c 1a3ad78e 1a95b88b
--   1c0cd2d0 1c6d49ff 20b866ca 21d3e754 233a41ca 24c63a98 25e4d790 262cd10e 2838f988 28aa3593
--   28e719f4 29c7487d 2b20fdeb 2d0c3817 2ee2708b 3027a620 32508557 326d346f 359088cc 3617a5b6
--   3707eb24 3826d2fb 38f590c9 392efba8 3abf5465 3ac2ba55 3c621fd6 3ce1e03e 3d4e80fd 3e2923e3
--   3e3c73cf 3f0ba8c5 3f1f8cad 407dc6f1 4083587f 4336e9ee 44ef884f 46f473e8 486e0f33 4a1d5354
--   4a6bb39c 4ac168e1 4c42bc07 50817903 5153b9a4 52a5fb42 53ecdf47 5497eb75 54f90300 570e0abe
--   587c8778 5957b80f 59c98ecc 59f877d0 5bc37318 5c82aa61 5d9fcb36 5ee7e56f 5f2f6346 5f85a2e2
--   60417108 61cffe6d 6224ecff 62bf2866 62f2cf93 657d1749 659aef9b 65a14327 65ccc979 6671c435
--   66952fff 682fce55 68a3ae76 69af3fe1 6a0e5da9 6cf88211 6dc23ef9 6e4469a7 6f500bac 703836b8
--   70455260 71d2e678 72661248 72a3c6e6 75a28bfc 76136071 76f892a9 773c95b0 7750365f 7882102c
--   78f3f910 79ca8805 7b9c5bb0 7de98609 7ee0b7c2 7f218e96 8061f703 812b0d10 831ac895 8432a3c1
--   853fc762 87d72bbf 89757ca2 8ab4d710 8be6024d 8d3aa137 8f93fb15 91b0a969 923ba578 95a3c082
--   97e50cab 9aa7b460 9c556280 9d5d0265 9e013063 a4c93015 a4f747ca a5626834 a6593215 a7fae39b
--   a911f519 aaa95029 b1a3ec26 b1e8d75e b1f6289c b2fb0e5e b409f7be b4c9622e b5eca90a b6c00bda
--   b77b09ee b7af39a5 b8198531 ba694c12 ba694ffe bd290c97 bd549c09 c15fd102 c1b16ba6 c2656776
--   c2760e87 c2abd713 c326a336 c3ab2686 c3cf555d c47d08cb c541c78c c74ee353 c91cba97 c937bf86
--   ca00cf3f cade52d4 cc70e2d7 d0e059e2 d27357a5 d2e69a5e d346b008 d41b2eee d480eac7 d4850e77
--   d55521fd d56db062 d72bed14 d841ff93 da0bfb05 da62449b dbeb465f dc398e96 dcf386f6 de20448b
--   def39675 e1717241 e24e64fe e2b5f5a3 e3fbd321 e48d9ee3 e99762de e9b7507c e9f65036 ea01684a
--   ea86bdcf eaf8ecd5 eb02acfe ee2f6a4f eeb05b0e f1d9d683 f4160009 f896c693 fdd828ab feac3d1a
--   ff8beda9 fff1c695
with fact as materialized (
  select package_id, component_name, component_version, version_count, held_since, open_since
  from workspace_packages as owned
  where owned.workspace_id = $1 and owned.version_count > 0
), held as (select * from fact)
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
  where (match.since <= $2 and (match.until is null or match.until > $3)) is true
    and (match.package_id = any($4::uuid[]) or match.vulnerability_id = any($5::text[]))
  order by match.vulnerability_id desc, match.package_id desc
  limit $6
) as chosen
order by sort_0 desc, sort_1 desc;

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
  )
select package_id, vulnerability_id, component_name, component_version, severity, cvss_score,
  confidence, json_build_array(sort_0, sort_1, sort_2) as sort_values
from (
  select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
    match.severity, match.score as cvss_score, match.confidence,
    (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
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
    ) as sort_0, match.vulnerability_id as sort_1, match.package_id as sort_2
  from package_matches as match
  join fact on fact.package_id = match.package_id
  join held on held.package_id = match.package_id
  left join ended on ended.package_id = match.package_id
    and ended.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
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
  order by (
    case when first_seen.since <= held.held_since
      and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
      when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
      else (
        select min(greatest(fact.since, seen.since))
        from firmware_version_packages as fact
        join package_matches as seen on seen.package_id = fact.package_id
        where fact.workspace_id = $27::uuid and fact.package_id = match.package_id
          and seen.vulnerability_id = match.vulnerability_id
          and fact.firmware_version_id = any($28::uuid[])
          and greatest(fact.since, seen.since) < least(
            coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
          )
      ) end
  ) desc, match.vulnerability_id desc, match.package_id desc
  limit $29
) as chosen
order by sort_0 desc, sort_1 desc, sort_2 desc;

-- server/src/features/findings/workspace-list/staged-rows-store.ts countKeptRows: the shortest and the longest of many variants
--   02ab9985 037bcf14 3884a029 42184401 485e4620 5f724aa2 6d340b1d 75a0a66e 8f376d4b cc501e56
--   d0be58a9 daae9eb6 e2208d22
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
select count(*)::int as count
from (
  select
  from chosen as place
  cross join lateral (
    select
    from (
      select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states
      from workspace_matches as kept
      where kept.workspace_id = $2 and kept.vulnerability_id = place.vulnerability_id
    ) as match
    where true
    offset 0
  ) as match
  limit $3
) as counted;

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
    ) and match.detected_at < case match.severity when $6 then $7::timestamptz
    when $8 then $9::timestamptz when $10 then $11::timestamptz when $12 then $13::timestamptz end
    and exists (
      select
      from workspace_matches as late
      where late.workspace_id = $14 and late.vulnerability_id = match.vulnerability_id
        and late.detected_at < case match.severity when $15 then $16::timestamptz
        when $17 then $18::timestamptz when $19 then $20::timestamptz
        when $21 then $22::timestamptz end and late.states & $23::bigint <> 0
    )
)
select count(*)::int as count
from (
  select
  from chosen as place
  cross join lateral (
    select
    from (
      select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states, rated.severity
      from workspace_matches as kept
      cross join lateral (
        select one.severity
        from workspace_vulnerabilities as one
        where one.workspace_id = $24 and one.vulnerability_id = kept.vulnerability_id
        offset 0
      ) as rated
      where kept.workspace_id = $25 and kept.vulnerability_id = place.vulnerability_id
    ) as match
    where true and match.states & $26::bigint <> 0 and match.detected_at < case match.severity
      when $27 then $28::timestamptz when $29 then $30::timestamptz when $31 then $32::timestamptz
      when $33 then $34::timestamptz end
    offset 0
  ) as match
  limit $35
) as counted;

-- server/src/features/findings/workspace-list/staged-rows-store.ts countWorkspaceRows: the shortest and the longest of many variants
--   12505e22 3ce5b9dd 3f810034 a0b8bb89 b03f268a bf0aedef
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
  )
select count(*)::int as count
from (
  select
  from package_matches as match
  join fact on fact.package_id = match.package_id
  join held on held.package_id = match.package_id
  left join ended on ended.package_id = match.package_id
    and ended.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
  ) as first_seen
  where (match.since <= $12 and (match.until is null or match.until > $13)) is true
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
        and (fact.since <= $16 and (fact.until is null or fact.until > $17)) is true
        and fact.firmware_version_id = any($18::uuid[]) and coalesce(decision.ignored, false) = $19
    )
    and (
      case when first_seen.since <= held.held_since
        and held.held_since < coalesce(first_seen.until, 'infinity') then held.held_since
        when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
        else (
          select min(greatest(fact.since, seen.since))
          from firmware_version_packages as fact
          join package_matches as seen on seen.package_id = fact.package_id
          where fact.workspace_id = $20::uuid and fact.package_id = match.package_id
            and seen.vulnerability_id = match.vulnerability_id
            and fact.firmware_version_id = any($21::uuid[])
            and greatest(fact.since, seen.since) < least(
              coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
            )
        ) end
    ) >= $22::timestamptz
  limit $23
) as counted;

-- server/src/features/findings/workspace-list/staged-rows-store.ts hasAllScores
select
from workspace_vulnerabilities as match
where match.workspace_id = $1
  and (select true from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1) is
  not true
limit 1;

-- server/src/features/findings/workspace-list/states-store.ts moveStates
update workspace_vulnerabilities as counted
set states = now.states
from (
  select moved.vulnerability_id, case when moved.lost = 0
    or exists (
      select
      from workspace_matches as other
      where other.workspace_id = $1 and other.vulnerability_id = moved.vulnerability_id
        and other.states & moved.lost = moved.lost
    ) then known.states | moved.gained
    else coalesce(
      (
        select bit_or(other.states)
        from workspace_matches as other
        where other.workspace_id = $2 and other.vulnerability_id = moved.vulnerability_id
      ), 0
    ) end as states
  from (
    select vulnerability_id, bit_or(gained) as gained, bit_or(lost) as lost
    from unnest($3::text[], $4::bigint[], $5::bigint[]) as each (vulnerability_id, gained, lost)
    group by vulnerability_id
  ) as moved
  cross join lateral (
    select *
    from workspace_vulnerabilities as one
    where one.workspace_id = $6 and one.vulnerability_id = moved.vulnerability_id
    limit 1
  ) as known
) as now
where counted.workspace_id = $7 and counted.vulnerability_id = now.vulnerability_id
  and counted.states <> now.states;

-- server/src/features/findings/workspace-list/states-store.ts moveStatesOfComponents
update workspace_component_vulnerabilities as kept
set states = kept.states | moved.gained
from unnest($1::text[], $2::text[], $3::bigint[]) as moved (called, vulnerability_id, gained)
where kept.workspace_id = $4 and kept.component_name = moved.called
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
    select *
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
select vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by vulnerability_id, called
order by 1;

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
    select *
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
select vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by vulnerability_id, called
order by 1;

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
      where decided.workspace_id = $1 and decided.vulnerability_id = match.vulnerability_id
        and decided.package_id = match.package_id and decided.finding_count > 0
    ) as now_states
  from (
    select held.*, held.component_name as called, changed.vulnerability_id, match.since,
      match.confidence, match.severity, match.score, match.is_exploited
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
    select *
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
select vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
  bit_or(states & ~now_states)::text as lost
from now
where states <> now_states
group by vulnerability_id, called
order by 1;

-- server/src/features/findings/workspace-list/store.ts describeRows: the shortest and the longest of many variants
--   2826f61b 2b738630 2df14003 3d4727f4 446a15e4 466433c0 62fc804f 6da4384b 843c8184 92b0dd4c
--   b7c66a33 bc986f16 c29be3ce dfb6e083 e3611b5f ea451726 fe4a690e
with match as materialized (
  select *
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as match (
    package_id, vulnerability_id, confidence, place
  )
),
  held as materialized (
    select package_id, version_count, held_since, open_since
    from workspace_packages
    where workspace_id = $4 and package_id in (select package_id from match)
  )
select match.place::int - 1 as place, vulnerability.name, vulnerability.is_known_exploit,
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
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, seen.detected_at,
  held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
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
          and seen.vulnerability_id = match.vulnerability_id
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
      count(*) filter (
        where (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') <> all($6::text[])
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') = any($7::text[])
            )
        )
      )::int as active
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
      and (fact.since <= $8 and (fact.until is null or fact.until > $9)) is true
    where decision.workspace_id = $10 and decision.package_id = match.package_id
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
        where fact.workspace_id = $11 and fact.package_id = match.package_id
          and (fact.since <= $12 and (fact.until is null or fact.until > $13)) is true
        order by fact.firmware_version_id desc
        offset 0
      ) as fact
      left join lateral (
        select *
        from finding_decisions as each
        where each.workspace_id = $14 and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      order by fact.firmware_version_id desc
      limit 5
    ) as chosen
    join firmware_versions as version on version.workspace_id = $15
      and version.id = chosen.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    order by chosen.firmware_version_id desc
  ) as each
) as shown
where seen.detected_at is not null;

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
select match.place::int - 1 as place, vulnerability.name, vulnerability.is_known_exploit,
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
      where cve_id = match.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = match.vulnerability_id
    ) as listed
  ) as exploited_sources, epss.score as epss_score, seen.detected_at,
  held.version_count as firmware_version_count, coalesce(decided.active, 0) + case
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
  ) as detected_at
  offset 0
) as seen
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
    from (
      select fact.firmware_version_id
      from (
        select *
        from firmware_version_packages as fact
        where fact.workspace_id = $19 and fact.package_id = match.package_id
          and (fact.since <= $20 and (fact.until is null or fact.until > $21)) is true
          and fact.firmware_version_id in (
            select version.id
            from firmware_versions as version
            where version.workspace_id = $22 and version.firmware_id = any($23::uuid[])
          )
        order by fact.firmware_version_id desc
        offset 0
      ) as fact
      left join lateral (
        select *
        from finding_decisions as each
        where each.workspace_id = $24 and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id
        limit 1
      ) as decision on true
      order by fact.firmware_version_id desc
      limit 5
    ) as chosen
    join firmware_versions as version on version.workspace_id = $25
      and version.id = chosen.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    order by chosen.firmware_version_id desc
  ) as each
) as shown
where seen.detected_at is not null;
