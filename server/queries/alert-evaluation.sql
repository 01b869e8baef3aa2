-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/alert-evaluation/finding-rules/rules-store.ts isEndedByDecision
select exists (
  select
  from (
    select encode(
      substring(
        decode(
          translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
            'base64'
        )
        from 1 for 16
      ), 'hex'
    )::uuid as firmware_version_id,
      encode(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 17 for 16
        ), 'hex'
      )::uuid as package_id,
      convert_from(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 33
        ), 'UTF8'
      ) collate "C" as vulnerability_id
    from alert_series as held
    where held.workspace_id = $1 and held.incident_id = $2
  ) as fired
  join firmware_version_packages as fact on fact.workspace_id = $3
    and fact.firmware_version_id = fired.firmware_version_id and fact.package_id = fired.package_id
    and fact.until is null
  join package_matches as match on match.package_id = fired.package_id
    and match.vulnerability_id = fired.vulnerability_id and match.until is null
  join finding_decisions as decision on decision.workspace_id = $4
    and decision.firmware_version_id = fired.firmware_version_id
    and decision.package_id = fired.package_id
    and decision.vulnerability_id = fired.vulnerability_id
    and (decision.ignored or decision.assessment <> 'NotAssessed')
  where not $5::boolean
    or exists (
      select
      from firmware_set_device_counts as counts
      where counts.workspace_id = $6 and counts.devices > 0
        and fired.firmware_version_id = any(counts.firmware_version_ids)
    )
) as is_decided;

-- server/src/features/alert-evaluation/finding-rules/rules-store.ts listFindingBacklogs
select id, findings_from
from alert_rules
where workspace_id = $1 and id = any($2::uuid[]) and findings_from is not null;

-- server/src/features/alert-evaluation/finding-rules/store.ts scanFindings
with scanned_rules as materialized (
  select entry, "ruleId" as rule_id, "effectiveSince" as effective_since, "scanFrom" as scan_from,
    "newFrom" as new_from, "windowEnd" as window_end, "isFirst" as is_first, resumes, severities,
    cardinality(severities) = 0 as is_any_severity, "knownCisaExploit" as wants_exploited,
    "onlyWhereDevicesRun" as only_running, "firmwareIds" as firmware_ids,
    cardinality("firmwareIds") = 0 as is_any_firmware,
    coalesce(watches = 'Present', false) as watches_present
  from json_to_recordset($1::json) as given (
    entry int, "ruleId" uuid, "effectiveSince" timestamptz, "scanFrom" timestamptz,
      "newFrom" timestamptz, "windowEnd" timestamptz, "isFirst" boolean, resumes boolean,
      severities text[], "knownCisaExploit" boolean, "onlyWhereDevicesRun" boolean,
      "firmwareIds" text[], watches text
  )
),
  firing_findings as materialized (
    select rule.entry, held.series,
      encode(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 1 for 16
        ), 'hex'
      )::uuid as firmware_version_id,
      encode(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 17 for 16
        ), 'hex'
      )::uuid as package_id,
      convert_from(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 33
        ), 'UTF8'
      ) collate "C" as vulnerability_id
    from alert_series as held
    join scanned_rules as rule on rule.rule_id = held.rule_id
    where held.workspace_id = $2 and held.until is null and held.rule_id = any($3::uuid[])
  ),
  finding_rules as materialized (
    select rule.*, least($4::bigint, greatest(0, $5 - coalesce(held.amount, 0))) as room
    from scanned_rules as rule
    left join (select entry, count(*) as amount from firing_findings group by entry) as held using (
      entry
    )
  ),
  running_versions as materialized (
    select distinct unnest(counts.firmware_version_ids) as firmware_version_id
    from firmware_set_device_counts as counts
    where counts.workspace_id = $6 and counts.devices > 0
  ),
  newly_running as materialized (
    select rule.entry, running.firmware_version_id
    from finding_rules as rule
    cross join running_versions as running
    where rule.only_running and case
      when rule.is_first then not exists (
        select
        from device_firmwares as device
        where device.workspace_id = $7 and device.firmware_version_id = running.firmware_version_id
          and device.since < rule.effective_since
      )
      else not exists (
        select
        from alert_running_versions as known
        where known.workspace_id = $8 and known.rule_id = rule.rule_id
          and known.firmware_version_id = running.firmware_version_id
      ) end
  ),
  changed_matches as materialized (
    select package_id, vulnerability_id, since
    from package_matches
    where since >= $9 and since < $10
  ),
  changed_packages as materialized (
    select firmware_version_id, package_id, since
    from firmware_version_packages
    where workspace_id = $11 and since >= $12 and since < $13
  ),
  newly_exploited as materialized (
    select id as vulnerability_id, known_exploit_since as since
    from vulnerabilities
    where is_known_exploit and known_exploit_since >= $14 and known_exploit_since < $15
  ),
  withdrawn_decisions as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
      entry.created_at as since
    from finding_timeline as entry
    cross join lateral (
      select earlier.assessment, earlier.ignored
      from finding_timeline as earlier
      where earlier.workspace_id = $16 and earlier.firmware_version_id = entry.firmware_version_id
        and earlier.package_id = entry.package_id
        and earlier.vulnerability_id = entry.vulnerability_id
        and (earlier.created_at, earlier.id) < (entry.created_at, entry.id)
      order by earlier.created_at desc, earlier.id desc
      limit 1
    ) as before
    where entry.workspace_id = $17 and entry.created_at >= $18 and entry.created_at < $19
      and not entry.ignored
      and (
        entry.assessment = 'NotAssessed' and (before.assessment <> 'NotAssessed' or before.ignored)
          or (before.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) or before.ignored
      )
  ),
  interrupted_findings as materialized (
    select distinct rule.entry,
      encode(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 1 for 16
        ), 'hex'
      )::uuid as firmware_version_id,
      encode(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 17 for 16
        ), 'hex'
      )::uuid as package_id,
      convert_from(
        substring(
          decode(
            translate(held.series, '-_', '+/') || repeat('=', (4 - length(held.series) % 4) % 4),
              'base64'
          )
          from 33
        ), 'UTF8'
      ) collate "C" as vulnerability_id
    from finding_rules as rule
    join alert_incidents as incident on incident.workspace_id = $20
      and incident.rule_id = rule.rule_id
      and incident.ended_cause in ('RuleDisabled', 'RuleChanged')
    join alert_series as held on held.workspace_id = $21 and held.incident_id = incident.id
      and held.until >= incident.ended_at
    where rule.resumes
  ),
  new_findings as materialized (
    select rule.entry, found.*
    from finding_rules as rule
    cross join lateral (
      (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from changed_matches as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and match.vulnerability_id = change.vulnerability_id
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $22
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $23 and fact.until is null and fact.package_id = change.package_id
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $24
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and change.since >= rule.new_from and change.since < rule.window_end
          and not exists (
            select
            from package_matches as before
            where before.package_id = change.package_id
              and before.vulnerability_id = change.vulnerability_id and before.since < change.since
              and before.until >= change.since and before.confidence <> 'Low'
              and (
                rule.is_any_severity or before.severity = any(rule.severities)
                  or rule.wants_exploited and vulnerability.is_known_exploit
                  and vulnerability.known_exploit_since <= change.since
              )
          )
          and (
            select true
            from alert_series as held
            where held.workspace_id = $25 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
      union all (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from changed_packages as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and true
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $26
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $27 and fact.until is null
          and fact.firmware_version_id = change.firmware_version_id
          and fact.package_id = change.package_id
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $28
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and change.since >= rule.new_from and change.since < rule.window_end
          and (
            select true
            from alert_series as held
            where held.workspace_id = $29 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
      union all (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from newly_exploited as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and match.vulnerability_id = change.vulnerability_id
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $30
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $31 and fact.until is null and true
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $32
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and rule.wants_exploited and change.since >= rule.new_from
          and change.since < rule.window_end
          and (
            select true
            from alert_series as held
            where held.workspace_id = $33 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
      union all (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from withdrawn_decisions as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and match.vulnerability_id = change.vulnerability_id
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $34
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $35 and fact.until is null
          and fact.firmware_version_id = change.firmware_version_id
          and fact.package_id = change.package_id
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $36
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and change.since >= rule.new_from and change.since < rule.window_end
          and (
            select true
            from alert_series as held
            where held.workspace_id = $37 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
      union all (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from newly_running as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and true
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $38
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $39 and fact.until is null
          and fact.firmware_version_id = change.firmware_version_id
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $40
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and change.entry = rule.entry
          and (
            select true
            from alert_series as held
            where held.workspace_id = $41 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
      union all (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version, match.severity, match.score,
          vulnerability.is_known_exploit
        from interrupted_findings as change
        cross join firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
          and match.vulnerability_id = change.vulnerability_id
        join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
        left join finding_decisions as decision on decision.workspace_id = $42
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.package_id = fact.package_id
          and decision.vulnerability_id = match.vulnerability_id
        where fact.workspace_id = $43 and fact.until is null
          and fact.firmware_version_id = change.firmware_version_id
          and fact.package_id = change.package_id
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
          and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
          and (
            rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
              and vulnerability.is_known_exploit
          )
          and (
            rule.is_any_firmware
              or fact.firmware_version_id in (
                select version.id
                from firmware_versions as version
                where version.workspace_id = $44
                  and version.firmware_id::text = any(rule.firmware_ids)
              )
          )
          and (
            not rule.only_running
              or fact.firmware_version_id in (select firmware_version_id from running_versions)
          ) and change.entry = rule.entry
          and (
            select true
            from alert_series as held
            where held.workspace_id = $45 and held.rule_id = rule.rule_id and held.until is null
              and held.series = translate(
                encode(
                  uuid_send(fact.firmware_version_id) || uuid_send(fact.package_id) || convert_to(
                    match.vulnerability_id, 'UTF8'
                  ), 'base64'
                ), E'+/=\n', '-_'
              )
          ) is null
        limit rule.room
      )
    ) as found
  ),
  full_rules as materialized (
    select rule.entry
    from finding_rules as rule
    left join (select entry, count(*) as amount from new_findings group by entry) as found using (
      entry
    )
    where rule.room <= coalesce(found.amount, 0)
  ),
  recorded_backlogs as (
    update alert_rules as stored
    set findings_from = case when full_rule.entry is null then null else rule.scan_from end
    from finding_rules as rule
    left join full_rules as full_rule using (entry)
    where stored.workspace_id = $46 and stored.id = rule.rule_id
      and (stored.findings_from is not null or full_rule.entry is not null)
  ),
  deleted_versions as (
    delete from alert_running_versions as known using finding_rules as rule
    where known.workspace_id = $47 and known.rule_id = rule.rule_id
      and known.firmware_version_id not in (select firmware_version_id from running_versions)
  ),
  inserted_versions as (
    insert into alert_running_versions (workspace_id, rule_id, firmware_version_id)
    select $48, rule.rule_id, running.firmware_version_id
    from finding_rules as rule
    cross join running_versions as running
    where rule.only_running
      and (rule.entry, running.firmware_version_id) not in (
        select entry, firmware_version_id from full_rules join newly_running using (entry)
      )
    on conflict
    do nothing
  )
select finding.entry,
  translate(
    encode(
      uuid_send(finding.firmware_version_id) || uuid_send(finding.package_id) || convert_to(
        finding.vulnerability_id, 'UTF8'
      ), 'base64'
    ), E'+/=\n', '-_'
  ) as series, true as begins, finding.vulnerability_id, finding.component_name,
  finding.component_version, firmware.name as firmware_name, version.name as version_name,
  finding.severity, finding.score::numeric::float8 as score, finding.is_known_exploit
from (select distinct * from new_findings) as finding
join firmware_versions as version on version.workspace_id = $49
  and version.id = finding.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $50 and firmware.id = version.firmware_id
union all select change.entry, change.series, false, null, null, null, null, null, null, null, null
from firing_findings as change
join finding_rules as rule using (entry)
where (
  select true
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
    and match.vulnerability_id = change.vulnerability_id
  join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
  left join finding_decisions as decision on decision.workspace_id = $51
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where fact.workspace_id = $52 and fact.until is null
    and fact.firmware_version_id = change.firmware_version_id
    and fact.package_id = change.package_id
    and (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
    and (
      rule.is_any_severity or match.severity = any(rule.severities) or rule.wants_exploited
        and vulnerability.is_known_exploit
    )
    and (
      rule.is_any_firmware
        or fact.firmware_version_id in (
          select version.id
          from firmware_versions as version
          where version.workspace_id = $53 and version.firmware_id::text = any(rule.firmware_ids)
        )
    )
    and (
      not rule.only_running
        or fact.firmware_version_id in (select firmware_version_id from running_versions)
    )
  limit 1
) is null;

-- server/src/features/alert-evaluation/metric-rules/store.ts countChosenSeries
with selections as materialized (
  select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
  from unnest($1::text[], $2::text[], $3::uuid[]) with ordinality as given (
    metric, labels, cohort_id, position
  )
),
  chosen_series as materialized (
    select series.id, series.device_id, array_agg(selection.selection)::text as selections
    from metric_series as series
    join selections as selection on selection.metric = series.name
      and series.labels @> selection.labels
    where series.workspace_id = $4 and series.name = any($5::text[])
      and (
        selection.cohort_id is null
          or (series.device_id, selection.cohort_id) in (
            select id, cohort_id from devices where workspace_id = $6
          )
      )
    group by series.id, series.device_id
  )
select count(*)::int as count
from chosen_series;

-- server/src/features/alert-evaluation/metric-rules/store.ts declareCursor: the shortest and the longest of many variants
--   0aaab6ea 28c974ab 2ce419d2 2f4276f9 305e7266 3bf01561 462f6c67 464cf4aa 56d2de79 5fb60071
--   65d863bf 66de12fa 751aef1d 76a1e9f5 7ae677aa 85a258bb 8986394e 8aabc00d 8ccf7341 99bfcba2
--   9ae292ca 9d4b6f54 9e3f89ba a02adce4 a68c3777 a853d2bf a9019904 ab96df80 b66878f2 bc744d67
--   c7f4dbd3 d180480f dd71c663 e12d479d f3b49ae7 f94ce90d fdd148cb
declare metric_values no scroll cursor for with selections as materialized (
  select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
  from unnest($1::text[], $2::text[], $3::uuid[]) with ordinality as given (
    metric, labels, cohort_id, position
  )
),
  chosen_series as materialized (
    select series.id, series.device_id, array_agg(selection.selection)::text as selections
    from metric_series as series
    join selections as selection on selection.metric = series.name
      and series.labels @> selection.labels
    where series.workspace_id = $4 and series.name = any($5::text[])
      and (
        selection.cohort_id is null
          or (series.device_id, selection.cohort_id) in (
            select id, cohort_id from devices where workspace_id = $6
          )
      )
    group by series.id, series.device_id
  )
select chosen.device_id as device, chosen.selections, point.slice, point.sum, point.count,
  point.min, point.max, point.last[1] as lastat, point.last[2] as last, point.hour, point.points
from chosen_series as chosen
left join (
  select series_id, 1 as slice, sum(sum / $7::float8) as sum, 0::float8 as count, 0::float8 as min,
    0::float8 as max, array[0, 0]::float8[] as last, null::timestamptz as hour,
    null::bytea as points
  from metric_points
  where workspace_id = $8 and time >= $9 and time < $10
  group by 1, 2
  union all select series_id, null, null, null, null, null, null, time, points
  from metric_packed_hours
  where workspace_id = $11 and time > $12 and time < $13
) as point on point.series_id = chosen.id
order by chosen.device_id;

declare metric_values no scroll cursor for with selections as materialized (
  select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
  from unnest($1::text[], $2::text[], $3::uuid[]) with ordinality as given (
    metric, labels, cohort_id, position
  )
),
  chosen_series as materialized (
    select series.id, series.device_id, array_agg(selection.selection)::text as selections
    from metric_series as series
    join selections as selection on selection.metric = series.name
      and series.labels @> selection.labels
    where series.workspace_id = $4 and series.name = any($5::text[])
      and (
        selection.cohort_id is null
          or (series.device_id, selection.cohort_id) in (
            select id, cohort_id from devices where workspace_id = $6
          )
      )
    group by series.id, series.device_id
  )
select chosen.device_id as device, chosen.selections, point.slice, point.sum, point.count,
  point.min, point.max, point.last[1] as lastat, point.last[2] as last, point.hour, point.points
from chosen_series as chosen
left join (
  select series_id, width_bucket(time, $7::timestamptz[]) as slice, 0::float8 as sum,
    0::float8 as count, 0::float8 as min, 0::float8 as max,
    newest(array[extract(epoch from time)::float8, sum / coalesce(count, 1)]) as last,
    null::timestamptz as hour, null::bytea as points
  from metric_points
  where workspace_id = $8 and time >= $9 and time < $10 and series_id = any($11::bigint[])
  group by 1, 2
  union all select series_id, null, null, null, null, null, null, time, points
  from metric_packed_hours
  where workspace_id = $12 and time > $13 and time < $14 and series_id = any($15::bigint[])
) as point on point.series_id = chosen.id
order by chosen.device_id;

-- server/src/features/alert-evaluation/metric-rules/store.ts findFewSeries
with selections as materialized (
  select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
  from unnest($1::text[], $2::text[], $3::uuid[]) with ordinality as given (
    metric, labels, cohort_id, position
  )
),
  chosen_series as materialized (
    select series.id, series.device_id, array_agg(selection.selection)::text as selections
    from metric_series as series
    join selections as selection on selection.metric = series.name
      and series.labels @> selection.labels
    where series.workspace_id = $4 and series.name = any($5::text[])
      and (
        selection.cohort_id is null
          or (series.device_id, selection.cohort_id) in (
            select id, cohort_id from devices where workspace_id = $6
          )
      )
    group by series.id, series.device_id
  )
select case
  when (select count(*) from chosen_series) < $7::float8 * (
    select count(*) from metric_series where workspace_id = $8
  ) then (select coalesce(array_agg(id), '{}')::text from chosen_series) end as ids;

-- server/src/features/alert-evaluation/metric-rules/store.ts readSlices
close metric_values;

-- server/src/features/alert-evaluation/metric-rules/store.ts readSlices
fetch 10000 from metric_values;

-- server/src/features/alert-evaluation/retention/store.ts deleteOldEvaluations
delete from alert_evaluations as evaluation using (
  select old.rule_id, old.scheduled_at
  from alert_rules as rule
  cross join lateral (
    select scheduled_at
    from alert_evaluations as latest
    where latest.workspace_id = $1 and latest.rule_id = rule.id
    order by scheduled_at desc
    offset $2
    limit 1
  ) as oldest_kept
  join alert_evaluations as old on old.workspace_id = $3 and old.rule_id = rule.id
    and old.scheduled_at < oldest_kept.scheduled_at
  where rule.workspace_id = $4 and old.scheduled_at < $5
  limit $6
) as old
where evaluation.workspace_id = $7 and evaluation.rule_id = old.rule_id
  and evaluation.scheduled_at = old.scheduled_at;

-- server/src/features/alert-evaluation/retention/store.ts deleteOldIncidents
delete from alert_incidents where workspace_id = $1 and began_at < $2 and ended_at < $3;

-- server/src/features/alert-evaluation/retention/store.ts deleteOldSeries
delete from alert_series as series using (
  select old.incident_id, old.series, old.since
  from alert_incidents as incident
  inner join alert_series as old on old.incident_id = incident.id
  where old.workspace_id = $1 and incident.workspace_id = $2 and incident.began_at < $3
    and incident.ended_at < $4
  limit $5
) as old
where series.workspace_id = $6 and series.incident_id = old.incident_id
  and series.series = old.series and series.since = old.since;

-- server/src/features/alert-evaluation/statement-settings-store.ts limitStatements
select set_config('statement_timeout', $1, true);

-- server/src/features/alert-evaluation/statement-settings-store.ts withPlannerSettings: the shortest and the longest of many variants
--   0c8d17c8 10e727ab 29db2a72 3b5985de 54f2ecbe 9aefb7d2 de53c8d3
set local jit to default;

set local cursor_tuple_fraction to default;

-- server/src/features/alert-evaluation/store.ts insertEvaluations
insert into alert_evaluations (
  workspace_id, id, rule_id, scheduled_at, window_start, window_end, evaluated_at, status, reason,
    series_count, value_count, firing_count, lowest, highest
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (workspace_id, rule_id, scheduled_at)
do update
set id = excluded.id, evaluated_at = excluded.evaluated_at, window_start = excluded.window_start,
  window_end = excluded.window_end, status = excluded.status, reason = excluded.reason,
  series_count = excluded.series_count, value_count = excluded.value_count,
  firing_count = excluded.firing_count, lowest = excluded.lowest, highest = excluded.highest;

-- server/src/features/alert-evaluation/store.ts listDueWorkspaces
select workspace_id
from alert_rules
where next_evaluation_at <= $1
group by workspace_id
order by min(next_evaluation_at);

-- server/src/features/alert-evaluation/store.ts listFiringSeries
select series, label, value
from alert_series
where workspace_id = $1 and rule_id = $2 and until is null
order by value desc nulls last, series
limit $3;

-- server/src/features/alert-evaluation/store.ts listIncidentsWithNewSeries
select distinct begun.incident_id
from unnest($1::uuid[], $2::timestamptz[]) as given (rule_id, at)
join alert_series as begun on begun.workspace_id = $3 and begun.rule_id = given.rule_id
  and begun.since = given.at and begun.until is null;

-- server/src/features/alert-evaluation/store.ts lockDueRules
select id, name, type, condition, evaluation_frequency, repeat_interval_seconds, notify_resolved,
  notify_owners, effective_since, evaluated_until, incident_id
from alert_rules
where workspace_id = $1 and next_evaluation_at <= $2 and is_failing = $3
order by condition ->> 'metric', id
limit $4
for update skip locked;

-- server/src/features/alert-evaluation/store.ts lockDueRules
select id, name, type, condition, evaluation_frequency, repeat_interval_seconds, notify_resolved,
  notify_owners, effective_since, evaluated_until, incident_id
from alert_rules
where workspace_id = $1 and next_evaluation_at <= $2 and id = any($3::uuid[])
order by condition ->> 'metric', id
limit $4
for update skip locked;

-- server/src/features/alert-evaluation/store.ts readAlertHealth
select count(*)::int as enabled_rules, count(incident_id)::int as firing_rules,
  min(next_evaluation_at) as oldest_due_at
from alert_rules
where next_evaluation_at is not null;

-- server/src/features/alert-evaluation/store.ts updateRuleProgress
update alert_rules as rule
set incident_id = progress.incident_id, next_evaluation_at = progress.next_evaluation_at,
  evaluated_until = coalesce(progress.evaluated_until, rule.evaluated_until),
  is_failing = progress.is_failing
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::boolean[]) as progress (
  id, incident_id, evaluated_until, next_evaluation_at, is_failing
)
where rule.workspace_id = $6 and rule.id = progress.id;

-- server/src/features/alert-evaluation/urgent-findings-store.ts listUrgentFindings
with urgent as (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version, match.score::numeric::float8 as score, rated.is_exploited,
    (rated.ssvc_class + 36 * rated.is_exploited::int) as rated_class, numbered.ssvc_contexts,
    (
      (
        numbered.ssvc_contexts & ($1::bigint[])[
          (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
        ] <> 0
      )::int + (
        numbered.ssvc_contexts & ($2::bigint[])[
          (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
        ] <> 0
      )::int + (
        numbered.ssvc_contexts & ($3::bigint[])[
          (rated.ssvc_class + 36 * rated.is_exploited::int) + 1
        ] <> 0
      )::int
    ) as outcome
  from workspace_component_vulnerabilities as rated
  join workspace_matches as kept on kept.workspace_id = $4
    and kept.component_name = rated.component_name
    and kept.vulnerability_id = rated.vulnerability_id
  join package_matches as match on match.package_id = kept.package_id
    and match.vulnerability_id = kept.vulnerability_id and match.until is null
  join firmware_version_packages as fact on fact.workspace_id = $5
    and fact.package_id = kept.package_id and fact.until is null
  join workspace_versions as numbered on numbered.workspace_id = $6
    and numbered.firmware_version_id = fact.firmware_version_id
  left join finding_decisions as decision on decision.workspace_id = $7
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where rated.workspace_id = $8
    and (rated.ssvc_class + 36 * rated.is_exploited::int) = any($9::int[])
    and (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) and (not $10::boolean or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
    and (
      not $11::boolean
        or fact.firmware_version_id in (
          select unnest(counts.firmware_version_ids)
          from firmware_set_device_counts as counts
          where counts.workspace_id = $12 and counts.devices > 0
        )
    )
)
select urgent.firmware_version_id, urgent.package_id, urgent.vulnerability_id,
  urgent.component_name, urgent.component_version, firmware.name as firmware_name,
  version.name as version_name, urgent.score, urgent.is_exploited, urgent.rated_class,
  urgent.ssvc_contexts::text as contexts, (count(*) over ())::int as total_count
from urgent
join firmware_versions as version on version.workspace_id = $13
  and version.id = urgent.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $14 and firmware.id = version.firmware_id
where urgent.outcome >= $15
  and (cardinality($16::text[]) = 0 or firmware.id::text = any($17::text[]))
order by urgent.outcome desc, urgent.is_exploited desc, urgent.score desc nulls last,
  urgent.vulnerability_id, urgent.package_id, urgent.firmware_version_id
limit $18;

-- server/src/features/alert-evaluation/verdicts-store.ts recordVerdicts: the shortest and the longest of many variants
--   3134532d 41774976 bca39146 c66145eb d3d6bb38
with evaluated_rules as materialized (
  select (position - 1)::int as entry, rule_id, incident_id, to_timestamp(at / 1000) as at
  from unnest($1::uuid[], $2::uuid[], $3::float8[]) with ordinality as given (
    rule_id, incident_id, at, position
  )
),
  open_series as materialized (
    select rule.entry, held.series
    from alert_series as held
    join evaluated_rules as rule using (rule_id)
    where held.workspace_id = $4 and held.rule_id = any($5::uuid[]) and held.until is null
  ),
  meeting_series as materialized (
    select entry, series, label, value
    from unnest($6::int[], $7::text[], $8::text[], $9::float8[]) as given (
      entry, series, label, value
    )
  ),
  kept_series as materialized (
    select entry, series from unnest($10::int[], $11::text[]) as given (entry, series)
  ),
  rule_totals as materialized (
    select (position - 1)::int as entry, series_count, value_count, lowest, highest
    from unnest($12::int[], $13::int[], $14::float8[], $15::float8[]) with ordinality as given (
      series_count, value_count, lowest, highest, position
    )
  ),
  ended_series as (
    update alert_series as held
    set until = rule.at
    from open_series as open
    join evaluated_rules as rule using (entry)
    where held.workspace_id = $16 and held.rule_id = any($17::uuid[]) and held.until is null
      and held.rule_id = rule.rule_id and held.series = open.series
      and not exists (
        select
        from meeting_series as meeting
        where meeting.entry = open.entry and meeting.series = open.series
      )
      and not exists (
        select from kept_series as kept where kept.entry = open.entry and kept.series = open.series
      )
    returning rule.entry
  ),
  started_series as (
    insert into alert_series (workspace_id, rule_id, incident_id, series, since, label, value)
    select $18, rule.rule_id, rule.incident_id, meeting.series, rule.at, meeting.label,
      meeting.value
    from meeting_series as meeting
    join evaluated_rules as rule using (entry)
    where not exists (
      select
      from open_series as open
      where open.entry = meeting.entry and open.series = meeting.series
    )
    on conflict (workspace_id, incident_id, series, since)
    do update
    set until = null, value = excluded.value
    returning rule_id
  )
select rule.rule_id, coalesce(totals.series_count, 0)::int as series_count,
  coalesce(totals.value_count, 0)::int as value_count, totals.lowest, totals.highest,
  coalesce(counts.meeting, 0)::int as meeting_count, coalesce(counts.firing, 0)::int as firing_count
from evaluated_rules as rule
left join rule_totals as totals using (entry) left join (
  select entry, count(*) filter (where kind = 'meeting') as meeting,
    sum(case kind when 'open' then 1 when 'started' then 1 when 'ended' then -1 else 0 end) as
    firing
  from (
    select entry, 'meeting' as kind
    from meeting_series
    union all select entry, 'open'
    from open_series
    union all select entry, 'ended'
    from ended_series
    union all select entry, 'started'
    from started_series
    join evaluated_rules using (rule_id)
  ) as each
  group by entry
) as counts using (entry);

with evaluated_rules as materialized (
  select (position - 1)::int as entry, rule_id, incident_id, to_timestamp(at / 1000) as at
  from unnest($1::uuid[], $2::uuid[], $3::float8[]) with ordinality as given (
    rule_id, incident_id, at, position
  )
),
  open_series as materialized (
    select rule.entry, held.series
    from alert_series as held
    join evaluated_rules as rule using (rule_id)
    where held.workspace_id = $4 and held.rule_id = any($5::uuid[]) and held.until is null
  ),
  key_rules as materialized (
    select *
    from json_to_recordset($6::json) as given (
      entry int, "cohortId" text, "madeBefore" timestamptz, "askedBefore" timestamptz,
        "windowEnd" timestamptz
    )
  ),
  judged_keys as materialized (
    select device.id as holder, device.cohort_id::text as cohort_id, false as is_fleet,
      device.id as name, own.made_at, rotation.asked_at
    from (
      select device_id, min(created_at) as made_at
      from device_keys
      where workspace_id = $7 and device_id is not null and issuer_id is null and revoked_at is null
        and not is_next and created_at < $8
      group by device_id
    ) as own
    join devices as device on device.workspace_id = $9 and device.id = own.device_id
    left join device_key_rotations as rotation on rotation.workspace_id = $10
      and rotation.device_id = device.id and rotation.done_at is null
    union all select 'fleet-key/' || id, null, true, 'key ' || name || ' of all devices',
      created_at, null
    from device_keys
    where workspace_id = $11 and device_id is null and revoked_at is null and created_at < $12
  ),
  meeting_series as materialized (
    select rule.entry, key.holder as series, key.name || case when key.is_fleet then ', made on '
      else ': its oldest key was made on ' end || to_char(
        key.made_at at time zone 'UTC', 'YYYY-MM-DD'
      ) as label, floor(extract(epoch from rule."windowEnd" - key.made_at) / 86400)::float8 as value
    from key_rules as rule
    join judged_keys as key on key.made_at <= rule."madeBefore"
    where (rule."cohortId" is null or key.cohort_id = rule."cohortId")
    union all select rule.entry, key.holder || '/asked',
      key.name || ': asked on ' || to_char(key.asked_at at time zone 'UTC', 'YYYY-MM-DD') ||
      ' to replace its key, which still goes on',
      floor(extract(epoch from rule."windowEnd" - key.asked_at) / 86400)::float8
    from key_rules as rule
    join judged_keys as key on key.asked_at <= rule."askedBefore"
    where (rule."cohortId" is null or key.cohort_id = rule."cohortId")
  ), kept_series as materialized (select 0 as entry, '' as series where false),
  rule_totals as materialized (
    select rule.entry, count(*) + count(key.asked_at) as series_count, count(*) as value_count,
      min(floor(extract(epoch from rule."windowEnd" - key.made_at) / 86400)::float8) as lowest,
      max(floor(extract(epoch from rule."windowEnd" - key.made_at) / 86400)::float8) as highest
    from key_rules as rule
    join judged_keys as key on (rule."cohortId" is null or key.cohort_id = rule."cohortId")
    group by rule.entry
  ),
  ended_series as (
    update alert_series as held
    set until = rule.at
    from open_series as open
    join evaluated_rules as rule using (entry)
    where held.workspace_id = $13 and held.rule_id = any($14::uuid[]) and held.until is null
      and held.rule_id = rule.rule_id and held.series = open.series
      and not exists (
        select
        from meeting_series as meeting
        where meeting.entry = open.entry and meeting.series = open.series
      )
      and not exists (
        select from kept_series as kept where kept.entry = open.entry and kept.series = open.series
      )
    returning rule.entry
  ),
  started_series as (
    insert into alert_series (workspace_id, rule_id, incident_id, series, since, label, value)
    select $15, rule.rule_id, rule.incident_id, meeting.series, rule.at, meeting.label,
      meeting.value
    from meeting_series as meeting
    join evaluated_rules as rule using (entry)
    where not exists (
      select
      from open_series as open
      where open.entry = meeting.entry and open.series = meeting.series
    )
    on conflict (workspace_id, incident_id, series, since)
    do update
    set until = null, value = excluded.value
    returning rule_id
  )
select rule.rule_id, coalesce(totals.series_count, 0)::int as series_count,
  coalesce(totals.value_count, 0)::int as value_count, totals.lowest, totals.highest,
  coalesce(counts.meeting, 0)::int as meeting_count, coalesce(counts.firing, 0)::int as firing_count
from evaluated_rules as rule
left join rule_totals as totals using (entry) left join (
  select entry, count(*) filter (where kind = 'meeting') as meeting,
    sum(case kind when 'open' then 1 when 'started' then 1 when 'ended' then -1 else 0 end) as
    firing
  from (
    select entry, 'meeting' as kind
    from meeting_series
    union all select entry, 'open'
    from open_series
    union all select entry, 'ended'
    from ended_series
    union all select entry, 'started'
    from started_series
    join evaluated_rules using (rule_id)
  ) as each
  group by entry
) as counts using (entry);
