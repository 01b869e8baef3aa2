-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/obligations/store.ts countFirmware
with newest as materialized (
  select distinct on (version.firmware_id) version.id, version.firmware_id, version.line_id
  from firmware_versions as version
  where version.workspace_id = $1
  order by version.firmware_id, version.created_at desc, version.id desc
),
  documents as materialized (
    select sbom.firmware_version_id as version_id, sbom.parsing_state = 'Succeeded' as is_read,
      sbom.grades @?
      '$[*] ? (@.profile == "bsi").elements[*] ? (@.id == "completeness" && @.outcome == "met")' as
      is_complete,
      exists (
        select
        from sbom_graph_nodes as node
        where node.workspace_id = $2 and node.sbom_id = sbom.id and node.distance = 1
      ) as names_top_level
    from newest
    join sboms as sbom on sbom.workspace_id = $3 and sbom.firmware_version_id = newest.id
    where sbom.format is null or sbom.format <> all($4::text[])
  ),
  versions as (
    select version_id, bool_or(is_read) as has_sbom,
      bool_or(is_read and names_top_level) as has_top_level,
      bool_or(is_read and is_complete) as says_complete, bool_or(not is_read) as has_unread
    from documents
    group by version_id
  )
select count(*)::int as firmware_count,
  count(*) filter (where gate.mode = 'Block')::int as block_count,
  count(*) filter (where gate.mode = 'Warn')::int as warn_count,
  count(*) filter (where gate.mode = 'Off')::int as off_count,
  count(newest.id)::int as newest_count,
  count(*) filter (where versions.has_sbom)::int as sbom_count,
  count(*) filter (where versions.has_top_level)::int as top_level_count,
  count(*) filter (where versions.says_complete)::int as completeness_count,
  count(*) filter (where versions.has_unread)::int as unread_count,
  count(*) filter (where counted.exploited > 0)::int as exploited_count,
  count(*) filter (
    where newest.id is not null
      and (
        not coalesce(versions.has_sbom, false) or coalesce(counted.judged_components, 0) = 0
          or counted.silent_components > 0
      )
  )::int as unknown_count,
  coalesce(sum(counted.undecided_critical + counted.undecided_high), 0)::int as undecided_count
from firmwares as firmware
join workspaces as workspace on workspace.id = $5
left join newest on newest.firmware_id = firmware.id
left join firmware_lines as line on line.workspace_id = $6 and line.id = newest.line_id
left join versions on versions.version_id = newest.id
left join firmware_version_counters as counted on counted.workspace_id = $7
  and counted.firmware_version_id = newest.id
cross join lateral (select coalesce(line.release_gate, workspace.release_gate) as mode) as gate
where firmware.workspace_id = $8;

-- server/src/features/obligations/store.ts countPublications
select (
  select count(*)::int from security_advisories where workspace_id = $1 and tracking_id is not null
) as published_count,
  (select count(*)::int from security_advisories where workspace_id = $2 and tracking_id is null) as
  draft_count,
  (select count(*)::int from deployment_cohorts where workspace_id = $3) as cohort_count,
  (
    select count(*)::int from cohort_contacts where workspace_id = $4 and cardinality(addresses) > 0
  ) as contacted_cohort_count,
  (select count(*)::int from upstream_reports where workspace_id = $5) as upstream_count,
  (select count(*)::int from upstream_reports where workspace_id = $6 and fix is not null) as
  upstream_fix_count,
  (
    select count(*)::int
    from alert_rules
    where workspace_id = $7 and type = 'CaseDeadline' and state = 'Enabled'
  ) as deadline_rule_count,
  (
    select max(entry.created_at)
    from product_lines as line
    join audit_subjects as subject on subject.workspace_id = $8
      and subject.subject_type = 'product-line' and subject.subject_id = line.id::text
    join audit_log as entry on entry.workspace_id = $9 and entry.id = subject.entry_id
      and entry.action = 'evidence.create'
    where line.workspace_id = $10
  ) as last_bundle_at;

-- server/src/features/obligations/store.ts countVersions
with newest as (
  select distinct on (version.firmware_id) version.id
  from firmware_versions as version
  where version.workspace_id = $1
  order by version.firmware_id, version.created_at desc, version.id desc
)
select (select count(*)::int from firmware_versions where workspace_id = $2) as version_count,
  min(released.rolled_out_count) as rolled_out_count,
  min(released.security_only_count) as security_only_count,
  min(released.security_unsaid_count) as security_unsaid_count,
  (select count(*)::int from firmware_artifacts where workspace_id = $3) as artifact_count,
  coalesce(sum(counted.devices), 0)::int as device_count,
  coalesce(sum(counted.devices) filter (where newest.id is not null), 0)::int as newest_device_count
from (
  select count(*)::int as rolled_out_count,
    count(*) filter (where version.security_only)::int as security_only_count,
    count(*) filter (where version.security_only is null)::int as security_unsaid_count
  from firmware_versions as version
  where version.workspace_id = $4
    and (
      version.first_deployed_at is not null
        or exists (
          select
          from deployment_artifacts as part
          where part.workspace_id = $5 and part.firmware_version_id = version.id
        )
    )
) as released
left join firmware_version_device_counts as counted on counted.workspace_id = $6
left join newest on newest.id = counted.firmware_version_id;

-- server/src/features/obligations/store.ts listNotes
select obligation, responsible, due_on::text as due_on, text, link, updated_at
from obligation_notes
where workspace_id = $1;

-- server/src/features/obligations/store.ts lockNotes
select pg_advisory_xact_lock(hashtextextended('obligation-notes:' || $1, 0));

-- server/src/features/obligations/store.ts writeNote
insert into obligation_notes (workspace_id, obligation, responsible, due_on, text, link, updated_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (workspace_id, obligation)
do update
set responsible = $8, due_on = $9, text = $10, link = $11, updated_at = $12;
