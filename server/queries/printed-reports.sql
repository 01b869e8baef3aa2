-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/printed-reports/decisions/store.ts countDecided
select entry.source, entry.created_by_email as email, entry.type, case
  when entry.type = 'Assessment' then entry.assessment else 'NotAssessed' end as assessment,
  entry.undone_batch_id is not null as is_undo, count(*)::int as findings
from finding_timeline as entry
where entry.workspace_id = $1 and entry.created_at >= $2 and entry.created_at < $3
group by 1, 2, 3, 4, 5;

-- server/src/features/printed-reports/decisions/store.ts listDecided
with entries as materialized (
  select entry.created_at, entry.source, entry.created_by_email, entry.type, case
    when entry.type = 'Assessment' then entry.assessment else 'NotAssessed' end as assessment, case
    when entry.type = 'Assessment' then entry.justification end as justification, case
    when entry.type = 'Assessment' then entry.responses else '{}' end as responses, case
    when entry.type = 'Assessment' then entry.detail end as detail, entry.batch_id,
    entry.undone_batch_id, count(*)::int as finding_count,
    array_agg(distinct entry.vulnerability_id order by entry.vulnerability_id) as vulnerability_ids,
    array_agg(distinct entry.firmware_version_id) as version_ids,
    array_agg(distinct entry.package_id) as package_ids, (count(*) over ())::int as total
  from finding_timeline as entry
  where entry.workspace_id = $1 and entry.created_at >= $2 and entry.created_at < $3
    and entry.source in ('User', 'ApiKey', 'Vex')
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  order by entry.created_at desc
  limit $4
)
select entries.created_at as at, entries.source, entries.created_by_email as email, entries.type,
  entries.assessment, entries.justification, entries.responses, entries.detail,
  entries.undone_batch_id is not null as is_undo, entries.finding_count, entries.total,
  entries.vulnerability_ids[1:40] as vulnerability_ids,
  cardinality(entries.vulnerability_ids) as vulnerability_count,
  array(
    select firmware.name || ' ' || version.name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $5 and firmware.id = version.firmware_id
    where version.workspace_id = $6 and version.id = any(entries.version_ids)
    order by firmware.name, version.created_at desc, version.id
    limit 40
  ) as firmware_versions, cardinality(entries.version_ids) as firmware_version_count,
  named.components, named.component_count, batch.undone_at, batch.undone_by_email, batch.left_count
from entries
left join decision_batches as batch on batch.workspace_id = $7 and batch.id = entries.batch_id
cross join lateral (
  select coalesce(
    (array_agg(distinct fact.component_name order by fact.component_name))[1:40], '{}'
  ) as components, count(distinct fact.component_name)::int as component_count
  from firmware_version_packages as fact
  where fact.workspace_id = $8 and fact.firmware_version_id = any(entries.version_ids)
    and fact.package_id = any(entries.package_ids)
) as named
order by entries.created_at desc, entries.type, entries.assessment, entries.vulnerability_ids[1];

-- server/src/features/printed-reports/devices-store.ts listRunningDevices
with running as materialized (
  select link.device_id,
    string_agg(firmware.name || ' ' || version.name, ', ' order by firmware.name, version.name) as
    firmware
  from device_firmwares as link
  join firmware_versions as version on version.workspace_id = $1
    and version.id = link.firmware_version_id
  join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
  where link.workspace_id = $3 and link.firmware_version_id = any($4::uuid[])
  group by link.device_id
  order by link.device_id
  limit $5
)
select device.id, device.description, cohort.name as cohort_name, device.last_seen_at,
  running.firmware
from running
join devices as device on device.workspace_id = $6 and device.id = running.device_id
left join deployment_cohorts as cohort on cohort.workspace_id = $7 and cohort.id = device.cohort_id
order by device.id;

-- server/src/features/printed-reports/dossier/store.ts countDevicesOn
select case
  when count(*) > 0 then coalesce(
    sum(devices) filter (where $1::uuid = any(firmware_version_ids)), 0
  )::int end as devices
from firmware_set_daily_devices
where workspace_id = $2 and day = $3::date;

-- server/src/features/printed-reports/dossier/store.ts countDifferencesAt
with own as materialized (
  select match.vulnerability_id as id,
    (
      array_agg(
        match.severity
        order by array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)
          desc
      )
    )[1] as severity
  from firmware_version_packages as fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $1 and (match.until is null or match.until > $2)) is true
    offset 0
  ) as match
  left join lateral (
    select newest.assessment, newest.ignored, newest.source,
      newest.created_by_email as decided_by_email, newest.created_at as updated_at,
      reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, '') as recheck_reason
    from (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $3 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $4 and true
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as newest
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $5 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $6 and entry.type = 'Assessment'
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as reason on true
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $7 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $8 and (entry.type = 'Assessment' or entry.recheck_reason = '')
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = $9 and fact.firmware_version_id = $10
    and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
    and (match.since <= $13 and (match.until is null or match.until > $14)) is true
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
  group by 1
),
  before as materialized (
    select match.vulnerability_id as id,
      (
        array_agg(
          match.severity
          order by array_position(
            '{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity
          ) desc
        )
      )[1] as severity
    from firmware_version_packages as fact
    cross join lateral (
      select match.*
      from package_matches as match
      where match.package_id = fact.package_id
        and (match.since <= $15 and (match.until is null or match.until > $16)) is true
      offset 0
    ) as match
    left join lateral (
      select newest.assessment, newest.ignored, newest.source,
        newest.created_by_email as decided_by_email, newest.created_at as updated_at,
        reason.justification, reason.responses, reason.detail,
        nullif(mark.recheck_reason, '') as recheck_reason
      from (
        select entry.*
        from finding_timeline as entry
        where entry.workspace_id = $17 and entry.firmware_version_id = fact.firmware_version_id
          and entry.package_id = match.package_id
          and entry.vulnerability_id = match.vulnerability_id and entry.created_at <= $18 and true
        order by entry.created_at desc, entry.id desc
        limit 1
      ) as newest
      left join lateral (
        select entry.*
        from finding_timeline as entry
        where entry.workspace_id = $19 and entry.firmware_version_id = fact.firmware_version_id
          and entry.package_id = match.package_id
          and entry.vulnerability_id = match.vulnerability_id and entry.created_at <= $20
          and entry.type = 'Assessment'
        order by entry.created_at desc, entry.id desc
        limit 1
      ) as reason on true
      left join lateral (
        select entry.*
        from finding_timeline as entry
        where entry.workspace_id = $21 and entry.firmware_version_id = fact.firmware_version_id
          and entry.package_id = match.package_id
          and entry.vulnerability_id = match.vulnerability_id and entry.created_at <= $22
          and (entry.type = 'Assessment' or entry.recheck_reason = '')
        order by entry.created_at desc, entry.id desc
        limit 1
      ) as mark on true
    ) as decision on true
    cross join (select null::real as score) as epss
    where fact.workspace_id = $23 and fact.firmware_version_id = $24
      and (fact.since <= $25 and (fact.until is null or fact.until > $26)) is true
      and (match.since <= $27 and (match.until is null or match.until > $28)) is true
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
    group by 1
  )
select coalesce(own.severity, before.severity) as severity,
  count(*) filter (where before.id is null)::int as introduced,
  count(*) filter (where own.id is not null and before.id is not null)::int as remaining,
  count(*) filter (where own.id is null)::int as gone
from own
full join before on before.id = own.id
group by 1;

-- server/src/features/printed-reports/dossier/store.ts findArtifact
select file_name, size_bytes::float8 as size_bytes, sha256, created_at
from firmware_artifacts
where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/printed-reports/dossier/store.ts findPredecessor
select before.id, before.name, before.created_at
from firmware_versions as version
join firmware_versions as before on before.workspace_id = $1
  and before.id = coalesce(
    version.predecessor_id,
      (
        select earlier.id
        from firmware_versions as earlier
        where earlier.workspace_id = $2 and earlier.firmware_id = version.firmware_id
          and (earlier.created_at, earlier.id) < (version.created_at, version.id)
          and exists (
            select
            from sboms
            where sboms.workspace_id = $3 and sboms.firmware_version_id = earlier.id
              and sboms.parsing_state = 'Succeeded'
          ) and earlier.line_id is not distinct from version.line_id
        order by earlier.created_at desc, earlier.id desc
        limit 1
      ),
      (
        select earlier.id
        from firmware_versions as earlier
        where earlier.workspace_id = $4 and earlier.firmware_id = version.firmware_id
          and (earlier.created_at, earlier.id) < (version.created_at, version.id)
          and exists (
            select
            from sboms
            where sboms.workspace_id = $5 and sboms.firmware_version_id = earlier.id
              and sboms.parsing_state = 'Succeeded'
          )
        order by earlier.created_at desc, earlier.id desc
        limit 1
      )
  )
where version.workspace_id = $6 and version.id = $7;

-- server/src/features/printed-reports/dossier/store.ts listAcceptedAt
with ignored as materialized (
  select match.vulnerability_id, match.severity, fact.package_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $1 and (match.until is null or match.until > $2)) is true
    offset 0
  ) as match
  left join lateral (
    select newest.assessment, newest.ignored, newest.source,
      newest.created_by_email as decided_by_email, newest.created_at as updated_at,
      reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, '') as recheck_reason
    from (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $3 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $4 and true
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as newest
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $5 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $6 and entry.type = 'Assessment'
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as reason on true
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $7 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $8 and (entry.type = 'Assessment' or entry.recheck_reason = '')
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = $9 and fact.firmware_version_id = $10
    and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
    and (match.since <= $13 and (match.until is null or match.until > $14)) is true
    and decision.ignored
)
select ignored.vulnerability_id, ignored.severity, ignored.component_name,
  ignored.component_version, held.acceptance
from ignored
cross join lateral (
  select entry.acceptance
  from finding_timeline as entry
  where entry.workspace_id = $15 and entry.firmware_version_id = $16
    and entry.package_id = ignored.package_id and entry.vulnerability_id = ignored.vulnerability_id
    and entry.created_at <= $17
  order by entry.created_at desc, entry.id desc
  limit 1
) as held
order by array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], ignored.severity) desc,
  ignored.vulnerability_id, ignored.component_name
limit $18;

-- server/src/features/printed-reports/dossier/store.ts listDeploymentsAt
select deployment.name, cohort.name as cohort, deployment.created_at, deployment.ended_at,
  deployment.state, deployment.succeeded, deployment.failed, deployment.cancelled,
  deployment.pending + deployment.in_progress as open
from deployment_artifacts as part
join deployments as deployment on deployment.workspace_id = $1
  and deployment.id = part.deployment_id
join deployment_cohorts as cohort on cohort.workspace_id = $2 and cohort.id = deployment.cohort_id
where part.workspace_id = $3 and part.firmware_version_id = $4 and deployment.created_at <= $5
order by deployment.created_at desc, deployment.id;

-- server/src/features/printed-reports/dossier/store.ts listSbomsAt
select *
from (
  select file_name, format, spec_version, size_bytes::float8 as size_bytes, sha256, parsing_state,
    component_count, grades, created_at, null::timestamptz as replaced_at
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and created_at <= $3
  union all select file_name, format, spec_version, size_bytes::float8, sha256, parsing_state,
    component_count, grades, created_at, replaced_at
  from replaced_sboms
  where workspace_id = $4 and firmware_version_id = $5 and created_at <= $6 and replaced_at > $7
) as held
order by created_at, file_name, sha256;

-- server/src/features/printed-reports/past/store.ts countFindings
select match.severity, coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored,
  (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) as is_active, count(*)::int as count
from package_matches as match
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id
left join lateral (
  select newest.assessment, newest.ignored, newest.source,
    newest.created_by_email as decided_by_email, newest.created_at as updated_at,
    reason.justification, reason.responses, reason.detail,
    nullif(mark.recheck_reason, '') as recheck_reason
  from (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $2 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $3 and true
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as newest
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $4 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $5 and entry.type = 'Assessment'
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as reason on true
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $6 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $7 and (entry.type = 'Assessment' or entry.recheck_reason = '')
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as mark on true
) as decision on true
cross join (select null::real as score) as epss
where fact.workspace_id = $8 and match.vulnerability_id = $9
  and (fact.since <= $10 and (fact.until is null or fact.until > $11)) is true
  and (match.since <= $12 and (match.until is null or match.until > $13)) is true
group by 1, 2, 3, 4;

-- server/src/features/printed-reports/past/store.ts countFindings
select match.severity, coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored,
  (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) as is_active, count(*)::int as count
from firmware_version_packages as fact
cross join lateral (
  select match.*
  from package_matches as match
  where match.package_id = fact.package_id
    and (match.since <= $1 and (match.until is null or match.until > $2)) is true
  offset 0
) as match
left join lateral (
  select newest.assessment, newest.ignored, newest.source,
    newest.created_by_email as decided_by_email, newest.created_at as updated_at,
    reason.justification, reason.responses, reason.detail,
    nullif(mark.recheck_reason, '') as recheck_reason
  from (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $3 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $4 and true
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as newest
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $5 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $6 and entry.type = 'Assessment'
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as reason on true
  left join lateral (
    select entry.*
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.firmware_version_id = fact.firmware_version_id
      and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
      and entry.created_at <= $8 and (entry.type = 'Assessment' or entry.recheck_reason = '')
    order by entry.created_at desc, entry.id desc
    limit 1
  ) as mark on true
) as decision on true
cross join (select null::real as score) as epss
where fact.workspace_id = $9 and fact.firmware_version_id = $10
  and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
  and (match.since <= $13 and (match.until is null or match.until > $14)) is true
group by 1, 2, 3, 4;

-- server/src/features/printed-reports/past/store.ts listFindings
with worst as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    match.vulnerability_id, match.severity, match.score as cvss_score, match.confidence,
    epss.score as epss_score,
    (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) as is_active, coalesce(decision.assessment, 'NotAssessed') as assessment,
    coalesce(decision.ignored, false) as ignored, decision.recheck_reason, decision.source,
    decision.decided_by_email, decision.updated_at as decided_at, decision.justification,
    coalesce(decision.responses, '{}') as responses, decision.detail,
    row_number() over (
      order by (
        exists (select from kev_entries where cve_id = match.vulnerability_id and date_added <= $1)
          or exists (
            select
            from eu_exploited_entries
            where cve_id = match.vulnerability_id and date_added <= $2
          )
      ) desc,
        array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
        epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
        fact.firmware_version_id, fact.package_id
    ) as place
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $3
    and fact.package_id = match.package_id
  left join lateral (
    select newest.assessment, newest.ignored, newest.source,
      newest.created_by_email as decided_by_email, newest.created_at as updated_at,
      reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, '') as recheck_reason
    from (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $4 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $5 and true
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as newest
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $6 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $7 and entry.type = 'Assessment'
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as reason on true
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $8 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $9 and (entry.type = 'Assessment' or entry.recheck_reason = '')
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = $10 and match.vulnerability_id = $11
    and (fact.since <= $12 and (fact.until is null or fact.until > $13)) is true
    and (match.since <= $14 and (match.until is null or match.until > $15)) is true
    and (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) = $16
  order by place
  limit $17
)
select worst.vulnerability_id, worst.component_name, worst.component_version, worst.severity,
  worst.cvss_score, worst.confidence, worst.epss_score, worst.is_active, worst.assessment,
  worst.ignored, worst.recheck_reason, worst.source, worst.decided_by_email, worst.decided_at,
  worst.justification, worst.responses, worst.detail, vulnerability.name,
  (
    select firmware.name || ' ' || version.name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $18 and firmware.id = version.firmware_id
    where version.workspace_id = $19 and version.id = worst.firmware_version_id
  ) as firmware_version,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = worst.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = worst.vulnerability_id
    ) as listed
    where date_added <= $20
  ) as exploited_sources,
  (
    select min(greatest(had.since, seen.since))
    from firmware_version_packages as had
    join package_matches as seen on seen.package_id = had.package_id
    where had.workspace_id = $21 and had.firmware_version_id = worst.firmware_version_id
      and had.package_id = worst.package_id and seen.vulnerability_id = worst.vulnerability_id
      and greatest(had.since, seen.since) < least(
        coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
      )
  ) as detected_at
from worst
join vulnerabilities as vulnerability on vulnerability.id = worst.vulnerability_id
order by worst.place;

-- server/src/features/printed-reports/past/store.ts listFindings
with worst as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    match.vulnerability_id, match.severity, match.score as cvss_score, match.confidence,
    epss.score as epss_score,
    (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) as is_active, coalesce(decision.assessment, 'NotAssessed') as assessment,
    coalesce(decision.ignored, false) as ignored, decision.recheck_reason, decision.source,
    decision.decided_by_email, decision.updated_at as decided_at, decision.justification,
    coalesce(decision.responses, '{}') as responses, decision.detail,
    row_number() over (
      order by (
        exists (select from kev_entries where cve_id = match.vulnerability_id and date_added <= $1)
          or exists (
            select
            from eu_exploited_entries
            where cve_id = match.vulnerability_id and date_added <= $2
          )
      ) desc,
        array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
        epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
        fact.firmware_version_id, fact.package_id
    ) as place
  from firmware_version_packages as fact
  cross join lateral (
    select match.*
    from package_matches as match
    where match.package_id = fact.package_id
      and (match.since <= $3 and (match.until is null or match.until > $4)) is true
    offset 0
  ) as match
  left join lateral (
    select newest.assessment, newest.ignored, newest.source,
      newest.created_by_email as decided_by_email, newest.created_at as updated_at,
      reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, '') as recheck_reason
    from (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $5 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $6 and true
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as newest
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $7 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $8 and entry.type = 'Assessment'
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as reason on true
    left join lateral (
      select entry.*
      from finding_timeline as entry
      where entry.workspace_id = $9 and entry.firmware_version_id = fact.firmware_version_id
        and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
        and entry.created_at <= $10 and (entry.type = 'Assessment' or entry.recheck_reason = '')
      order by entry.created_at desc, entry.id desc
      limit 1
    ) as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = $11 and fact.firmware_version_id = $12
    and (fact.since <= $13 and (fact.until is null or fact.until > $14)) is true
    and (match.since <= $15 and (match.until is null or match.until > $16)) is true
    and (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) = $17
  order by place
  limit $18
)
select worst.vulnerability_id, worst.component_name, worst.component_version, worst.severity,
  worst.cvss_score, worst.confidence, worst.epss_score, worst.is_active, worst.assessment,
  worst.ignored, worst.recheck_reason, worst.source, worst.decided_by_email, worst.decided_at,
  worst.justification, worst.responses, worst.detail, vulnerability.name,
  (
    select firmware.name || ' ' || version.name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $19 and firmware.id = version.firmware_id
    where version.workspace_id = $20 and version.id = worst.firmware_version_id
  ) as firmware_version,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = worst.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = worst.vulnerability_id
    ) as listed
    where date_added <= $21
  ) as exploited_sources,
  (
    select min(greatest(had.since, seen.since))
    from firmware_version_packages as had
    join package_matches as seen on seen.package_id = had.package_id
    where had.workspace_id = $22 and had.firmware_version_id = worst.firmware_version_id
      and had.package_id = worst.package_id and seen.vulnerability_id = worst.vulnerability_id
      and greatest(had.since, seen.since) < least(
        coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
      )
  ) as detected_at
from worst
join vulnerabilities as vulnerability on vulnerability.id = worst.vulnerability_id
order by worst.place;

-- server/src/features/printed-reports/quarter/store.ts countReports
select (
  select count(*)::int
  from disclosure_reports as report
  where report.workspace_id = $1 and report.received_at >= $2 and report.received_at < $3 and true
) as received,
  (
    select count(*)::int
    from upstream_reports as report
    left join firmware_versions as version on version.workspace_id = $4
      and version.id = report.firmware_version_id
    where report.workspace_id = $5 and report.reported_at >= $6 and report.reported_at < $7
      and report.created_at < $8 and true
  ) as upstream;

-- server/src/features/printed-reports/quarter/store.ts countReports
select (
  select count(*)::int
  from disclosure_reports as report
  where report.workspace_id = $1 and report.received_at >= $2 and report.received_at < $3
    and report.product_line_id = $4
) as received,
  (
    select count(*)::int
    from upstream_reports as report
    left join firmware_versions as version on version.workspace_id = $5
      and version.id = report.firmware_version_id
    where report.workspace_id = $6 and report.reported_at >= $7 and report.reported_at < $8
      and report.created_at < $9 and version.firmware_id = any($10::uuid[])
  ) as upstream;

-- server/src/features/printed-reports/quarter/store.ts listPublished
select advisory.tracking_id, revision.number, revision.title, revision.published_at,
  revision.is_withdrawal
from security_advisory_revisions as revision
join security_advisories as advisory on advisory.workspace_id = $1
  and advisory.id = revision.advisory_id
where revision.workspace_id = $2 and revision.published_at >= $3 and revision.published_at < $4
  and true
order by revision.published_at, advisory.tracking_id, revision.number;

-- server/src/features/printed-reports/quarter/store.ts listPublished
select advisory.tracking_id, revision.number, revision.title, revision.published_at,
  revision.is_withdrawal
from security_advisory_revisions as revision
join security_advisories as advisory on advisory.workspace_id = $1
  and advisory.id = revision.advisory_id
where revision.workspace_id = $2 and revision.published_at >= $3 and revision.published_at < $4
  and (
    exists (
      select
      from case_lines as part
      where part.workspace_id = $5 and part.product_line_id = $6 and part.case_id = advisory.case_id
    )
      or exists (
        select
        from jsonb_array_elements(advisory.content -> 'products') as product
        join firmware_versions as version on version.workspace_id = $7
          and version.id::text = product ->> 'firmwareVersionId'
        where version.firmware_id = any($8::uuid[])
      )
  )
order by revision.published_at, advisory.tracking_id, revision.number;

-- server/src/features/printed-reports/quarter/store.ts listReleased
select firmware.name as firmware, version.name as version, version.created_at,
  version.security_only, case
  when deployed.first_at < $1 then deployed.first_at end as first_deployed_at
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
cross join lateral (
  select least(
    version.first_deployed_at,
      (
        select min(deployment.created_at)
        from deployment_artifacts as part
        join deployments as deployment on deployment.workspace_id = $3
          and deployment.id = part.deployment_id
        where part.workspace_id = $4 and part.firmware_version_id = version.id
      )
  ) as first_at
) as deployed
where version.workspace_id = $5 and version.created_at >= $6 and version.created_at < $7 and true
order by version.created_at, version.id;

-- server/src/features/printed-reports/quarter/store.ts listReleased
select firmware.name as firmware, version.name as version, version.created_at,
  version.security_only, case
  when deployed.first_at < $1 then deployed.first_at end as first_deployed_at
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
cross join lateral (
  select least(
    version.first_deployed_at,
      (
        select min(deployment.created_at)
        from deployment_artifacts as part
        join deployments as deployment on deployment.workspace_id = $3
          and deployment.id = part.deployment_id
        where part.workspace_id = $4 and part.firmware_version_id = version.id
      )
  ) as first_at
) as deployed
where version.workspace_id = $5 and version.created_at >= $6 and version.created_at < $7
  and version.firmware_id = any($8::uuid[])
order by version.created_at, version.id;

-- server/src/features/printed-reports/quarter/store.ts listUptake
with kept as materialized (
  select each.day, running.id, sum(each.devices)::int as devices
  from firmware_set_daily_devices as each
  cross join unnest(each.firmware_version_ids) as running (id)
  where each.workspace_id = $1 and each.day in ($2::date)
  group by 1, 2
),
  counted as (
    select id, coalesce(sum(devices) filter (where day = $3::date), 0)::int as before,
      coalesce(sum(devices) filter (where day = $4::date), 0)::int as after
    from kept
    group by id
  )
select firmware.name as firmware, version.name as version, counted.before, counted.after,
  true as is_kept
from counted
join firmware_versions as version on version.workspace_id = $5 and version.id = counted.id
join firmwares as firmware on firmware.workspace_id = $6 and firmware.id = version.firmware_id
where true
union all select '', '', 0, 0, false
where exists (select from kept)
order by is_kept desc, firmware, version;

-- server/src/features/printed-reports/quarter/store.ts listUptake
with kept as materialized (
  select each.day, running.id, sum(each.devices)::int as devices
  from firmware_set_daily_devices as each
  cross join unnest(each.firmware_version_ids) as running (id)
  where each.workspace_id = $1 and each.day in ($2::date)
  group by 1, 2
),
  counted as (
    select id, coalesce(sum(devices) filter (where day = $3::date), 0)::int as before,
      coalesce(sum(devices) filter (where day = $4::date), 0)::int as after
    from kept
    group by id
  )
select firmware.name as firmware, version.name as version, counted.before, counted.after,
  true as is_kept
from counted
join firmware_versions as version on version.workspace_id = $5 and version.id = counted.id
join firmwares as firmware on firmware.workspace_id = $6 and firmware.id = version.firmware_id
where version.firmware_id = any($7::uuid[])
union all select '', '', 0, 0, false
where exists (select from kept)
order by is_kept desc, firmware, version;

-- server/src/features/printed-reports/version/store.ts countFindings
select match.severity, coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored,
  (
    not coalesce(decision.ignored, false)
      and coalesce(decision.assessment, 'NotAssessed') not in (
        'NotAffected', 'FalsePositive', 'Resolved'
      )
      and (
        match.confidence <> 'Low'
          or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
      )
  ) as is_active, count(*)::int as count
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
group by 1, 2, 3, 4;

-- server/src/features/printed-reports/version/store.ts listFindings
with worst as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    match.vulnerability_id, match.severity, match.score as cvss_score, match.confidence,
    epss.score as epss_score,
    (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) as is_active, coalesce(decision.assessment, 'NotAssessed') as assessment,
    coalesce(decision.ignored, false) as ignored, decision.recheck_reason, decision.source,
    decision.decided_by_email, decision.updated_at as decided_at, decision.justification,
    coalesce(decision.responses, '{}') as responses, decision.detail,
    row_number() over (
      order by match.is_exploited desc,
        array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) desc,
        epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
        fact.firmware_version_id, fact.package_id
    ) as place
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
    and (
      not coalesce(decision.ignored, false)
        and coalesce(decision.assessment, 'NotAssessed') not in (
          'NotAffected', 'FalsePositive', 'Resolved'
        )
        and (
          match.confidence <> 'Low'
            or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
        )
    ) = $5
  order by place
  limit $6
)
select worst.vulnerability_id, worst.component_name, worst.component_version, worst.severity,
  worst.cvss_score, worst.confidence, worst.epss_score, worst.is_active, worst.assessment,
  worst.ignored, worst.recheck_reason, worst.source, worst.decided_by_email, worst.decided_at,
  worst.justification, worst.responses, worst.detail, vulnerability.name,
  null::text as firmware_version,
  (
    select coalesce(
      json_agg(
        json_build_object('source', source, 'dateAdded', date_added) order by date_added, source
      ), '[]'
    )
    from (
      select 'cisa' as source, date_added
      from kev_entries
      where cve_id = worst.vulnerability_id
      union all select 'enisa', date_added
      from eu_exploited_entries
      where cve_id = worst.vulnerability_id
    ) as listed
    where true
  ) as exploited_sources,
  (
    select min(greatest(had.since, seen.since))
    from firmware_version_packages as had
    join package_matches as seen on seen.package_id = had.package_id
    where had.workspace_id = $7 and had.firmware_version_id = worst.firmware_version_id
      and had.package_id = worst.package_id and seen.vulnerability_id = worst.vulnerability_id
      and greatest(had.since, seen.since) < least(
        coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
      )
  ) as detected_at
from worst
join vulnerabilities as vulnerability on vulnerability.id = worst.vulnerability_id
order by worst.place;

-- server/src/features/printed-reports/vulnerability/store.ts readUnseen
select (
  select count(*)::int
  from firmware_versions as version
  where version.workspace_id = $1
    and not exists (
      select
      from sboms as sbom
      where sbom.workspace_id = $2 and sbom.firmware_version_id = version.id
        and sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is not null
    )
) as version_count,
  (
    select coalesce(sum(silent_components), 0)::int
    from firmware_version_counters
    where workspace_id = $3
  ) as component_count;
