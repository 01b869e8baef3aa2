-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/release-gate/marks-store.ts countExploitedAcceptances
select decision.firmware_version_id as id, count(*)::int as count
from finding_decisions as decision
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.firmware_version_id = decision.firmware_version_id
  and fact.package_id = decision.package_id and fact.until is null
join package_matches as match on match.package_id = decision.package_id
  and match.vulnerability_id = decision.vulnerability_id and match.until is null
  and match.is_exploited
where decision.workspace_id = $2 and decision.firmware_version_id = any($3::uuid[])
  and decision.ignored
  and (
    not false
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  )
group by 1;

-- server/src/features/release-gate/marks-store.ts findAskedRules
select workspace.gate_forbids_exploited_acceptances as forbids_exploited,
  coalesce(
    (
      select gate_from is not null
      from ssvc_settings
      where workspace_id = $1
      order by revision desc
      limit 1
    ), false
  ) as asks_urgency, exists (select from licence_rules where workspace_id = $2) as asks_licences,
  workspace.gate_support <> 'NotAsked'
  or exists (select from firmware_lines where workspace_id = $3 and gate_support <> 'NotAsked') as
  asks_support
from workspaces as workspace
where workspace.id = $4;

-- server/src/features/release-gate/marks-store.ts listRuledVersions
select version.id, coalesce(line.gate_support, workspace.gate_support) as support_rule
from firmware_versions as version
join workspaces as workspace on workspace.id = $1
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
where version.workspace_id = $3 and true;

-- server/src/features/release-gate/marks-store.ts listRuledVersions
select version.id, coalesce(line.gate_support, workspace.gate_support) as support_rule
from firmware_versions as version
join workspaces as workspace on workspace.id = $1
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
where version.workspace_id = $3 and version.id = any($4::uuid[]);

-- server/src/features/release-gate/store.ts countUnknown
select coalesce(sum(judged_components + silent_components), 0)::int as component_count,
  coalesce(sum(silent_components), 0)::int as not_judged_count,
  coalesce(sum(unknown), 0)::int as unknown_severity_count
from firmware_version_counters
where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/release-gate/store.ts findGateFindings
with found as (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name,
    match.severity, match.score as cvss_score, vulnerability.is_known_exploit, fact.component_name,
    fact.component_version, match.is_exploited,
    (coalesce(decision.assessment, 'NotAssessed') in ('NotAssessed', 'InTriage')) as is_undecided,
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
      )
        or (
          $1::boolean and match.is_exploited
            and (
              not false
                and coalesce(decision.assessment, 'NotAssessed') not in (
                  'NotAffected', 'FalsePositive', 'Resolved'
                )
                and (
                  match.confidence <> 'Low'
                    or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
                )
            )
        )
    ) as is_counted, decision.acceptance
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
  left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where fact.workspace_id = $2 and fact.firmware_version_id = any($3::uuid[]) and fact.until is null
    and (
      not false
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) and (match.severity = 'Critical' or match.is_exploited)
),
  ranked as (
    select found.*,
      row_number() over (
        partition by is_counted
        order by is_exploited desc, severity = 'Critical' desc, cvss_score desc nulls last,
          vulnerability_id, package_id, firmware_version_id
      ) as place,
      (count(*) filter (where is_counted and severity = 'Critical') over ())::int as critical,
      (count(*) filter (where is_counted and severity = 'Critical' and is_undecided) over ())::int
      as undecided_critical,
      (count(*) filter (where is_counted and is_exploited) over ())::int as known_exploited,
      (count(*) filter (where not is_counted) over ())::int as accepted_count
    from found
  )
select firmware_version_id, package_id, vulnerability_id, name, severity, cvss_score,
  is_known_exploit, component_name, component_version, is_counted, acceptance, critical,
  undecided_critical, known_exploited, accepted_count
from ranked
where place <= $4
order by is_counted desc, place;

-- server/src/features/release-gate/store.ts listLineRules
select json_build_object('id', version.id, 'name', firmware.name || ' ' || version.name) as
  firmware_version, case
  when line.id is not null then json_build_object('id', line.id, 'name', line.name) end as line,
  line.release_gate, line.gate_support
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
where version.workspace_id = $3 and version.id = any($4::uuid[])
order by firmware.name, version.created_at, version.id;

-- server/src/features/release-gate/urgency-store.ts forgetUrgency
delete from firmware_version_urgency
where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/release-gate/urgency-store.ts keepUrgency
insert into firmware_version_urgency (workspace_id, firmware_version_id, counted_of, urgent_count)
select $1::uuid, given.id, given.counted_of, given.urgent_count
from unnest($2::uuid[], $3::text[], $4::int[]) as given (id, counted_of, urgent_count)
join firmware_versions as version on version.workspace_id = $5 and version.id = given.id
order by given.id
on conflict (workspace_id, firmware_version_id)
do update
set counted_of = excluded.counted_of, urgent_count = excluded.urgent_count;

-- server/src/features/release-gate/urgency-store.ts listAskingWorkspaces
select workspace_id
from (
  select distinct on (workspace_id) workspace_id, gate_from
  from ssvc_settings
  order by workspace_id, revision desc
) as newest
where gate_from is not null;

-- server/src/features/release-gate/urgency-store.ts listKeptUrgency
with shared as (
  select concat_ws(
    ' ', workspace.gate_forbids_exploited_acceptances, stated.revision,
      (select sum(score_revision) from vulnerability_sources where source <> 'epss')
  ) as state, stated.many_devices,
    stated.inputs_revision is distinct from kept.ssvc_inputs as are_inputs_old
  from workspaces as workspace
  left join workspace_kept_locks as kept on kept.workspace_id = $1
  left join lateral (
    select revision, inputs_revision, many_devices
    from ssvc_settings
    where workspace_id = $2
    order by revision desc
    limit 1
  ) as stated on true
  where workspace.id = $3
),
  running as (
    select held.id, sum(counts.devices) as devices
    from firmware_set_device_counts as counts
    cross join unnest(counts.firmware_version_ids) as held (id)
    where counts.workspace_id = $4
    group by held.id
  ),
  present as (
    select version.id,
      concat_ws(' ', counters.revision, coalesce(numbered.ssvc_contexts, -1), shared.state) as
      counted_of,
      coalesce(
        counters.critical + counters.high + counters.medium + counters.low + counters.none +
          counters.unknown, 0
      ) as finding_count, numbered.number is not null
      and (
        shared.are_inputs_old or numbered.ssvc_contexts & case
          when coalesce(running.devices, 0) = 0 then $5::bigint
          when running.devices < shared.many_devices then $6::bigint else $7::bigint end = 0
      ) as is_waiting
    from firmware_versions as version
    cross join shared
    left join running on running.id = version.id
    left join firmware_version_counters as counters on counters.workspace_id = $8
      and counters.firmware_version_id = version.id
    left join workspace_versions as numbered on numbered.workspace_id = $9
      and numbered.firmware_version_id = version.id
    where version.workspace_id = $10 and true
  )
select present.id, present.counted_of, present.finding_count, present.is_waiting, case
  when kept.counted_of = present.counted_of
  and not present.is_waiting then kept.urgent_count end as count
from present
left join firmware_version_urgency as kept on kept.workspace_id = $11
  and kept.firmware_version_id = present.id;

-- server/src/features/release-gate/urgency-store.ts listKeptUrgency
with shared as (
  select concat_ws(
    ' ', workspace.gate_forbids_exploited_acceptances, stated.revision,
      (select sum(score_revision) from vulnerability_sources where source <> 'epss')
  ) as state, stated.many_devices,
    stated.inputs_revision is distinct from kept.ssvc_inputs as are_inputs_old
  from workspaces as workspace
  left join workspace_kept_locks as kept on kept.workspace_id = $1
  left join lateral (
    select revision, inputs_revision, many_devices
    from ssvc_settings
    where workspace_id = $2
    order by revision desc
    limit 1
  ) as stated on true
  where workspace.id = $3
),
  running as (
    select held.id, sum(counts.devices) as devices
    from firmware_set_device_counts as counts
    cross join unnest(counts.firmware_version_ids) as held (id)
    where counts.workspace_id = $4
    group by held.id
  ),
  present as (
    select version.id,
      concat_ws(' ', counters.revision, coalesce(numbered.ssvc_contexts, -1), shared.state) as
      counted_of,
      coalesce(
        counters.critical + counters.high + counters.medium + counters.low + counters.none +
          counters.unknown, 0
      ) as finding_count, numbered.number is not null
      and (
        shared.are_inputs_old or numbered.ssvc_contexts & case
          when coalesce(running.devices, 0) = 0 then $5::bigint
          when running.devices < shared.many_devices then $6::bigint else $7::bigint end = 0
      ) as is_waiting
    from firmware_versions as version
    cross join shared
    left join running on running.id = version.id
    left join firmware_version_counters as counters on counters.workspace_id = $8
      and counters.firmware_version_id = version.id
    left join workspace_versions as numbered on numbered.workspace_id = $9
      and numbered.firmware_version_id = version.id
    where version.workspace_id = $10 and version.id = any($11::uuid[])
  )
select present.id, present.counted_of, present.finding_count, present.is_waiting, case
  when kept.counted_of = present.counted_of
  and not present.is_waiting then kept.urgent_count end as count
from present
left join firmware_version_urgency as kept on kept.workspace_id = $12
  and kept.firmware_version_id = present.id;

-- server/src/features/release-gate/urgent-store.ts countUrgent
with urgent as (
  select *
  from unnest($1::uuid[], $2::int[], $3::int[], $4::boolean[]) as given (
    firmware_version_id, rated_class, outcome, is_uncertain
  )
),
  open as (
    select fact.firmware_version_id,
      (
        vulnerability.ssvc_class + 36 * (
          vulnerability.is_known_exploit
            or match.vulnerability_id in (select cve_id from eu_exploited_entries)
        )::int
      ) as rated_class,
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
        )
          or (
            $5::boolean and match.is_exploited
              and (
                not false
                  and coalesce(decision.assessment, 'NotAssessed') not in (
                    'NotAffected', 'FalsePositive', 'Resolved'
                  )
                  and (
                    match.confidence <> 'Low'
                      or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
                  )
              )
          )
      ) as is_counted
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = $6 and fact.firmware_version_id = any($7::uuid[])
      and fact.until is null
      and (
        not false
          and coalesce(decision.assessment, 'NotAssessed') not in (
            'NotAffected', 'FalsePositive', 'Resolved'
          )
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
          )
      )
  )
select firmware_version_id as id, count(*)::int as count
from open
join urgent using (firmware_version_id, rated_class)
where is_counted
group by 1;

-- server/src/features/release-gate/urgent-store.ts findUrgent
with urgent as (
  select *
  from unnest($1::uuid[], $2::int[], $3::int[], $4::boolean[]) as given (
    firmware_version_id, rated_class, outcome, is_uncertain
  )
),
  open as (
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name,
      match.severity, match.score as cvss_score, vulnerability.is_known_exploit,
      fact.component_name, fact.component_version, match.is_exploited,
      (
        vulnerability.ssvc_class + 36 * (
          vulnerability.is_known_exploit
            or match.vulnerability_id in (select cve_id from eu_exploited_entries)
        )::int
      ) as rated_class,
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
        )
          or (
            $5::boolean and match.is_exploited
              and (
                not false
                  and coalesce(decision.assessment, 'NotAssessed') not in (
                    'NotAffected', 'FalsePositive', 'Resolved'
                  )
                  and (
                    match.confidence <> 'Low'
                      or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
                  )
              )
          )
      ) as is_counted, decision.acceptance
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id
      and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = $6 and fact.firmware_version_id = any($7::uuid[])
      and fact.until is null
      and (
        not false
          and coalesce(decision.assessment, 'NotAssessed') not in (
            'NotAffected', 'FalsePositive', 'Resolved'
          )
          and (
            match.confidence <> 'Low'
              or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
          )
      )
  ),
  ranked as (
    select open.*,
      row_number() over (
        partition by is_counted
        order by outcome desc, is_exploited desc, cvss_score desc nulls last, vulnerability_id,
          package_id, firmware_version_id
      ) as place, (count(*) filter (where is_counted) over ())::int as count,
      (count(*) filter (where is_counted and is_uncertain) over ())::int as uncertain_count,
      (count(*) filter (where not is_counted) over ())::int as accepted_count
    from open
    join urgent using (firmware_version_id, rated_class)
  )
select firmware_version_id, package_id, vulnerability_id, name, severity, cvss_score,
  is_known_exploit, component_name, component_version, rated_class, is_counted, acceptance, count,
  uncertain_count, accepted_count
from ranked
where place <= $8
order by is_counted desc, place;
