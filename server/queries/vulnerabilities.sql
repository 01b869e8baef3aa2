-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vulnerabilities/detail/evidence-store.ts countRunning
select firmware_version_id as id, sum(devices)::int as devices
from firmware_version_device_counts
where workspace_id = $1 and firmware_version_id = any($2::uuid[])
group by firmware_version_id;

-- server/src/features/vulnerabilities/detail/evidence-store.ts listAffected
select affected.source, affected.advisory_id, affected.key, affected.statements
from (
  select distinct *
  from json_to_recordset($1::json) as named (source text, "advisoryId" text, key text)
) as named
join advisory_affected as affected on affected.source = named.source
  and affected.advisory_id = named."advisoryId" and affected.key = named.key
order by affected.source, affected.advisory_id, affected.key;

-- server/src/features/vulnerabilities/detail/evidence-store.ts listDecisions
with ever as materialized (
  select distinct fact.firmware_version_id, fact.package_id
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $1
    and fact.package_id = match.package_id
  where match.vulnerability_id = $2
),
  entries as (
    select entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment,
      entry.detail, entry.batch_id, entry.undone_batch_id is not null as is_undo,
      count(*)::int as finding_count,
      count(distinct entry.firmware_version_id)::int as firmware_version_count,
      (array_agg(distinct entry.firmware_version_id))[1:3] as version_ids
    from ever
    join finding_timeline as entry on entry.workspace_id = $3
      and entry.firmware_version_id = ever.firmware_version_id
      and entry.package_id = ever.package_id and entry.vulnerability_id = $4
      and entry.created_at <= $5::timestamptz
    group by entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment,
      entry.detail, entry.batch_id, entry.undone_batch_id is not null
    order by entry.created_at desc
    limit $6
  )
select entries.type, entries.created_at as timestamp, entries.source, entries.created_by_email,
  entries.assessment, entries.detail, entries.is_undo, entries.finding_count,
  entries.firmware_version_count,
  array(
    select firmware.name || ' ' || version.name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = version.workspace_id
      and firmware.id = version.firmware_id
    where version.workspace_id = $7 and version.id = any(entries.version_ids)
    order by firmware.name, version.created_at desc, version.id
  ) as firmware_versions, case
  when batch.id is not null then json_build_object(
    'id', batch.id, 'findingCount', batch.finding_count, 'isUndone',
      coalesce(batch.undone_at <= $8::timestamptz, false)
  ) end as decision_batch
from entries
left join decision_batches as batch on batch.workspace_id = $9 and batch.id = entries.batch_id
order by entries.created_at desc, entries.type, entries.assessment;

-- server/src/features/vulnerabilities/detail/evidence-store.ts listEvidence
select package_id, evidence
from package_match_evidence
where vulnerability_id = $1 and package_id = any($2::uuid[])
order by array_position($3::uuid[], package_id);

-- server/src/features/vulnerabilities/detail/past-store.ts countLookedAt
select coalesce(sum(held.count), 0)::int as package_count,
  (count(*) filter (where held.count > 0))::int as firmware_version_count
from firmware_versions as version
cross join lateral (
  select count(*)
  from firmware_version_packages as fact
  where fact.workspace_id = $1 and fact.firmware_version_id = version.id
    and (fact.since <= $2 and (fact.until is null or fact.until > $3)) is true
) as held
where version.workspace_id = $4 and true;

-- server/src/features/vulnerabilities/detail/past-store.ts countLookedAt
select coalesce(sum(held.count), 0)::int as package_count,
  (count(*) filter (where held.count > 0))::int as firmware_version_count
from firmware_versions as version
cross join lateral (
  select count(*)
  from firmware_version_packages as fact
  where fact.workspace_id = $1 and fact.firmware_version_id = version.id
    and (fact.since <= $2 and (fact.until is null or fact.until > $3)) is true
) as held
where version.workspace_id = $4 and version.id = $5;

-- server/src/features/vulnerabilities/detail/store.ts countFindings
with found as materialized (
  select fact.firmware_version_id as id, count(*)::int as findings,
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
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $1
    and fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = $2
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where match.vulnerability_id = $3 and match.until is null
  group by fact.firmware_version_id
),
  running as (
    select sets.devices, bool_or(found.active > 0) as is_active
    from firmware_set_device_counts as sets
    cross join lateral unnest(sets.firmware_version_ids) as run (id)
    join found on found.id = run.id
    where sets.workspace_id = $4 and $5
    group by sets.firmware_version_ids, sets.devices
  ),
  devices as (
    select coalesce(sum(devices), 0)::int as affected,
      coalesce(sum(devices) filter (where is_active), 0)::int as active
    from running
  )
select coalesce(sum(findings), 0)::int as finding_count,
  coalesce(sum(found.active), 0)::int as active_finding_count,
  count(*)::int as firmware_version_count,
  (count(*) filter (where found.active > 0))::int as active_firmware_version_count,
  (select affected from devices) as affected_device_count,
  (select active from devices) as active_device_count
from found;

-- server/src/features/vulnerabilities/detail/store.ts countFindings
with found as materialized (
  select fact.firmware_version_id as id, count(*)::int as findings,
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
  group by fact.firmware_version_id
),
  running as (
    select sets.devices, bool_or(found.active > 0) as is_active
    from firmware_set_device_counts as sets
    cross join lateral unnest(sets.firmware_version_ids) as run (id)
    join found on found.id = run.id
    where sets.workspace_id = $14 and $15
    group by sets.firmware_version_ids, sets.devices
  ),
  devices as (
    select coalesce(sum(devices), 0)::int as affected,
      coalesce(sum(devices) filter (where is_active), 0)::int as active
    from running
  )
select coalesce(sum(findings), 0)::int as finding_count,
  coalesce(sum(found.active), 0)::int as active_finding_count,
  count(*)::int as firmware_version_count,
  (count(*) filter (where found.active > 0))::int as active_firmware_version_count,
  (select affected from devices) as affected_device_count,
  (select active from devices) as active_device_count
from found;

-- server/src/features/vulnerabilities/detail/store.ts findDetectedAt
select min(detected_at) as detected_at
from workspace_matches
where workspace_id = $1 and vulnerability_id = $2;

-- server/src/features/vulnerabilities/detail/store.ts findDetectedAtThen
select min(
  (
    select min(greatest(had.since, seen.since))
    from firmware_version_packages as had
    join package_matches as seen on seen.package_id = had.package_id
      and seen.vulnerability_id = match.vulnerability_id
    where had.workspace_id = $1 and had.firmware_version_id = fact.firmware_version_id
      and had.package_id = fact.package_id
      and greatest(had.since, seen.since) < least(
        coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
      )
  )
) as detected_at
from package_matches as match
join firmware_version_packages as fact on fact.workspace_id = $2
  and fact.package_id = match.package_id
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
where fact.workspace_id = $9 and match.vulnerability_id = $10
  and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
  and (match.since <= $13 and (match.until is null or match.until > $14)) is true;

-- server/src/features/vulnerabilities/detail/store.ts findVulnerability
select vulnerability.name, vulnerability.severity, vulnerability.primary_score,
  vulnerability.is_known_exploit, vulnerability.is_disputed, vulnerability.known_exploit_since,
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

-- server/src/features/vulnerabilities/detail/store.ts isHere
select package_id from workspace_matches where workspace_id = $1 and vulnerability_id = $2 limit $3;

-- server/src/features/vulnerabilities/detail/store.ts listFindings
with found as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    coalesce(decision.assessment, 'NotAssessed') as assessment,
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
    ) as is_active, decision.recheck_reason, match.confidence, match.severity,
    (
      select min(greatest(had.since, seen.since))
      from firmware_version_packages as had
      join package_matches as seen on seen.package_id = had.package_id
        and seen.vulnerability_id = match.vulnerability_id
      where had.workspace_id = $1 and had.firmware_version_id = fact.firmware_version_id
        and had.package_id = fact.package_id
        and greatest(had.since, seen.since) < least(
          coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
        )
    ) as detected_at, case when decision.assessment <> 'NotAssessed'
    or decision.ignored then json_build_object(
      'source', decision.source, 'decidedByEmail', decision.decided_by_email, 'decidedAt',
        decision.updated_at, 'justification', decision.justification, 'response',
        decision.responses[1], 'detail', decision.detail
    ) end as decision
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $2
    and fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = $3
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where match.vulnerability_id = $4 and match.until is null
),
  running as (
    select counts.firmware_version_id, sum(counts.devices)::int as devices
    from firmware_version_device_counts as counts
    where counts.workspace_id = $5
      and counts.firmware_version_id in (select firmware_version_id from found) and $6
    group by counts.firmware_version_id
  )
select found.package_id,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $7 and line.id = version.line_id
  ) as line,
  json_build_object('name', found.component_name, 'version', found.component_version) as component,
  found.assessment, found.ignored, found.is_active, found.recheck_reason, found.confidence,
  found.severity, coalesce(running.devices, 0) as device_count, found.detected_at,
  found.detected_at + (workspace.remediation_target_days ->> found.severity)::int * interval '1 day'
  as due_at, found.decision
from found
join workspaces as workspace on workspace.id = $8
join firmware_versions as version on version.workspace_id = $9
  and version.id = found.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $10 and firmware.id = version.firmware_id
left join running on running.firmware_version_id = found.firmware_version_id
order by found.is_active desc, device_count desc, version.created_at desc, version.id,
  found.package_id
limit $11;

-- server/src/features/vulnerabilities/detail/store.ts listFindings
with found as materialized (
  select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
    coalesce(decision.assessment, 'NotAssessed') as assessment,
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
    ) as is_active, decision.recheck_reason, match.confidence, match.severity,
    (
      select min(greatest(had.since, seen.since))
      from firmware_version_packages as had
      join package_matches as seen on seen.package_id = had.package_id
        and seen.vulnerability_id = match.vulnerability_id
      where had.workspace_id = $1 and had.firmware_version_id = fact.firmware_version_id
        and had.package_id = fact.package_id
        and greatest(had.since, seen.since) < least(
          coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')
        )
    ) as detected_at, case when decision.assessment <> 'NotAssessed'
    or decision.ignored then json_build_object(
      'source', decision.source, 'decidedByEmail', decision.decided_by_email, 'decidedAt',
        decision.updated_at, 'justification', decision.justification, 'response',
        decision.responses[1], 'detail', decision.detail
    ) end as decision
  from package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = $2
    and fact.package_id = match.package_id
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
  where fact.workspace_id = $9 and match.vulnerability_id = $10
    and (fact.since <= $11 and (fact.until is null or fact.until > $12)) is true
    and (match.since <= $13 and (match.until is null or match.until > $14)) is true
),
  running as (
    select counts.firmware_version_id, sum(counts.devices)::int as devices
    from firmware_version_device_counts as counts
    where counts.workspace_id = $15
      and counts.firmware_version_id in (select firmware_version_id from found) and $16
    group by counts.firmware_version_id
  )
select found.package_id,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $17 and line.id = version.line_id
  ) as line,
  json_build_object('name', found.component_name, 'version', found.component_version) as component,
  found.assessment, found.ignored, found.is_active, found.recheck_reason, found.confidence,
  found.severity, coalesce(running.devices, 0) as device_count, found.detected_at,
  found.detected_at + (workspace.remediation_target_days ->> found.severity)::int * interval '1 day'
  as due_at, found.decision
from found
join workspaces as workspace on workspace.id = $18
join firmware_versions as version on version.workspace_id = $19
  and version.id = found.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $20 and firmware.id = version.firmware_id
left join running on running.firmware_version_id = found.firmware_version_id
order by found.is_active desc, device_count desc, version.created_at desc, version.id,
  found.package_id
limit $21;

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
) as firmware_version,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $8 and line.id = version.line_id
  ) as line, holding.component
from chosen as version
join firmwares as firmware on firmware.workspace_id = $9 and firmware.id = version.firmware_id
left join lateral (
  select json_build_object('name', fact.component_name, 'version', fact.component_version) as
    component
  from firmware_version_packages as fact
  where fact.workspace_id = $10 and fact.firmware_version_id = version.id and fact.until is null
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

-- server/src/features/vulnerabilities/fixes/store.ts listLaterVersions
with later as materialized (
  select version.id, version.name, version.created_at
  from firmware_versions as this
  join firmware_versions as version on version.workspace_id = $1
    and version.firmware_id = this.firmware_id and version.line_id is not distinct from this.line_id
    and (version.created_at, version.id) > (this.created_at, this.id)
  where this.workspace_id = $2 and this.id = $3
    and exists (
      select
      from sboms
      where workspace_id = $4 and firmware_version_id = version.id and parsing_state = 'Succeeded'
        and vulnerabilities_parsed_at is not null
    )
  order by version.created_at desc, version.id desc
  limit $5
),
  matched as materialized (
    select package_id, vulnerability_id
    from package_matches
    where vulnerability_id = any($6::text[]) and until is null
  )
select later.id, later.name,
  array(
    select distinct matched.vulnerability_id
    from matched
    join firmware_version_packages as fact on fact.workspace_id = $7
      and fact.firmware_version_id = later.id and fact.package_id = matched.package_id
      and fact.until is null
  ) as vulnerability_ids
from later
order by later.created_at, later.id;

-- server/src/features/vulnerabilities/fixes/store.ts listMatchedRecords
select evidence.package_id, evidence.vulnerability_id,
  (
    select item ->> 'version'
    from jsonb_array_elements(evidence.evidence) as item
    where item ->> 'verdict' = 'affected'
    limit 1
  ) as version,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', affected.source, 'advisoryId', affected.advisory_id, 'key', affected.key,
            'statements', affected.statements
        )
      ), '[]'
    )
    from advisory_affected as affected
    where (affected.source, affected.advisory_id, affected.key) in (
      select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
      from jsonb_array_elements(evidence.evidence) as item
    )
  ) as affected
from json_to_recordset($1::json) as wanted ("packageId" uuid, "vulnerabilityId" text)
join firmware_version_packages as fact on fact.workspace_id = $2 and fact.firmware_version_id = $3
  and fact.package_id = wanted."packageId" and fact.until is null
join package_matches as match on match.package_id = wanted."packageId"
  and match.vulnerability_id = wanted."vulnerabilityId" and match.until is null
join package_match_evidence as evidence on evidence.package_id = wanted."packageId"
  and evidence.vulnerability_id = wanted."vulnerabilityId";
