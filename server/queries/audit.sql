-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/audit/names-store.ts FINDERS
select id, title as name from cases where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts FINDERS
select id, title as name from disclosure_reports where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts FINDERS
select id, title as name from security_advisories where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts FINDERS
select id, recipient as name from upstream_reports where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts findCrashGroups
select id, reason, frames, build_id
from crash_groups
where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts findDeployments
select deployment.id, deployment.name, cohort.id as cohort_id, cohort.name as cohort_name
from deployments as deployment
inner join deployment_cohorts as cohort on cohort.workspace_id = $1
  and cohort.id = deployment.cohort_id
where deployment.workspace_id = $2 and deployment.id = any($3::uuid[]);

-- server/src/features/audit/names-store.ts findIncidents
select id, rule_id, rule_name from alert_incidents where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts findMembers
select person.id, person.display_name as name
from members as member
inner join people as person on person.id = member.subject_id
where member.workspace_id = $1 and member.subject_id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts findOverrides
select id, selected_name, selected_version, selected_purl, selected_cpe
from package_overrides
where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/names-store.ts findVersions
select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
where version.workspace_id = $2 and version.id = any($3::uuid[]);

-- server/src/features/audit/names-store.ts inTable: the shortest and the longest of many variants
--   1c7dcce7 5139dacb 5c5872f9 606722f4 6c42dfda 8370892b 8ad9dc26 9fca3af1 b31dc169 ef7eb5dd
--   fd1a0d21 fe0bc921
select id, name from api_keys where workspace_id = $1 and id = any($2::uuid[]);

select id, name from notification_targets where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/audit/seals/store.ts claimEntries
with covered as (
  update audit_log
  set sealed_on = $1::date
  where workspace_id = $2 and sealed_on is null
    and created_at < ($3::date + 1)::timestamp at time zone 'UTC'
  returning created_at
)
select count(*)::int as entry_count,
  (count(*) filter (where created_at < $4::date::timestamp at time zone 'UTC'))::int as late_count
from covered;

-- server/src/features/audit/seals/store.ts countUnsealable
select count(*)::int as count from audit_log where workspace_id = $1 and sealed_on = '-infinity';

-- server/src/features/audit/seals/store.ts findUnsealed
select array(
  select distinct entry.sealed_on::text
  from audit_log as entry
  where entry.workspace_id = $1 and entry.sealed_on > '-infinity'
    and not exists (
      select
      from audit_seals as sealed
      where sealed.workspace_id = $2 and sealed.day = entry.sealed_on
    )
  order by 1
) as days,
  (
    select count(*)::int
    from audit_log as entry
    where entry.workspace_id = $3 and entry.sealed_on is null and entry.created_at < $4
  ) as entry_count;

-- server/src/features/audit/seals/store.ts insertSeal
insert into audit_seals (workspace_id, day, seal, entry_count, late_count, sealed_at)
values ($1, $2, $3, $4, $5, $6);

-- server/src/features/audit/seals/store.ts listSeals
select sealed.day::text as day, sealed.seal, sealed.entry_count, sealed.late_count, sealed.sealed_at
from audit_seals as sealed
where sealed.workspace_id = $1 and sealed.day >= coalesce($2::date, '-infinity')
  and sealed.day <= coalesce($3::date, 'infinity')
order by sealed.day desc
limit $4;

-- server/src/features/audit/seals/store.ts listWaiting
select waiting.id
from (
  select workspace.id, next.day
  from workspaces as workspace
  cross join lateral (
    select coalesce(
      (
        select max(sealed.day) + 1
        from audit_seals as sealed
        where sealed.workspace_id = workspace.id
      ),
        (
          select (min(entry.created_at) at time zone 'UTC')::date
          from audit_log as entry
          where entry.workspace_id = workspace.id and entry.sealed_on is null
        )
    ) as day
  ) as next
  where next.day < (least($1::timestamptz, now()) at time zone 'UTC')::date and true
) as waiting
order by waiting.id;

-- server/src/features/audit/seals/store.ts lockNextDay
select pg_advisory_xact_lock(hashtextextended('audit-seals:' || $1, 0));

-- server/src/features/audit/seals/store.ts lockNextDay
select waiting.day::text as day
from (
  select workspace.id, next.day
  from workspaces as workspace
  cross join lateral (
    select coalesce(
      (
        select max(sealed.day) + 1
        from audit_seals as sealed
        where sealed.workspace_id = workspace.id
      ),
        (
          select (min(entry.created_at) at time zone 'UTC')::date
          from audit_log as entry
          where entry.workspace_id = workspace.id and entry.sealed_on is null
        )
    ) as day
  ) as next
  where next.day < (least($1::timestamptz, now()) at time zone 'UTC')::date and workspace.id = $2
) as waiting;

-- server/src/features/audit/seals/store.ts readCovered
select entry.id, entry.created_at, entry.actor_type, entry.actor_id, entry.actor_email,
  entry.action, entry.resource_type, entry.resource_id, entry.before, entry.after, entry.request_id,
  coalesce(
    (
      select json_agg(
        json_build_object('type', about.subject_type, 'id', about.subject_id, 'name', about.name)
        order by about.position, about.subject_type, about.subject_id
      )
      from audit_subjects as about
      where about.workspace_id = $1 and about.entry_id = entry.id
    ), '[]'
  ) as about
from audit_log as entry
where entry.workspace_id = $2 and entry.sealed_on = $3::date and true
order by entry.created_at, entry.id
limit 1000;

-- server/src/features/audit/store.ts countActs: the shortest and the longest of many variants
--   0f5c5775 91806fe6 ce213beb d5443cf0 e67e5115
select log.actor_type, log.actor_email, log.action, case
  when log.actor_type <> 'Device' then log.actor_id end as actor_id, count(*)::integer as count
from audit_log as log
where log.workspace_id = $1
group by log.actor_type, log.actor_email, log.action, case
  when log.actor_type <> 'Device' then log.actor_id end;

select log.actor_type, log.actor_email, log.action, case
  when log.actor_type <> 'Device' then log.actor_id end as actor_id, count(*)::integer as count
from audit_log as log
where log.workspace_id = $1
  and (log.created_at, log.id) in (
    select about.created_at, about.entry_id
    from audit_subjects as about
    where about.workspace_id = $2 and about.subject_type = $3 and about.subject_id = $4
  )
group by log.actor_type, log.actor_email, log.action, case
  when log.actor_type <> 'Device' then log.actor_id end;

-- server/src/features/audit/store.ts findAuditRow
select log.id, log.created_at, log.actor_type, log.actor_id, log.actor_email, log.action,
  log.resource_type, log.resource_id, log.before, log.after, log.request_id
from audit_log as log
where log.workspace_id = $1 and log.id = $2;

-- server/src/features/audit/store.ts hasWorkspace
select id from workspaces where id = $1;

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  workspace_id, id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  workspace_id, id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  workspace_id, id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  workspace_id, id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb, $12);

-- server/src/features/audit/store.ts insertSubjects
insert into audit_subjects (
  workspace_id, entry_id, created_at, subject_type, subject_id, name, position
)
select $1, $2::uuid, $3::timestamptz, subject.type, subject.id, subject.name, subject.position
from unnest($4::text[], $5::text[], $6::text[]) with ordinality as subject (
  type, id, name, position
);

-- server/src/features/audit/store.ts listAuditRows: the shortest and the longest of many variants
--   16215db2 1a50288a 1c60a130 2351a693 476c1650 540aa5b3 5c29552a 7a2bc4fb 891909c5 910108b9
--   c0cc137d c5f5137b d95858b0
select log.id, log.created_at, log.actor_type, log.actor_id, log.actor_email, log.action,
  log.resource_type, log.resource_id, log.before, log.after, log.request_id
from audit_log as log
where log.workspace_id = $1
order by log.created_at desc, log.id desc
limit $2;

select log.id, log.created_at, log.actor_type, log.actor_id, log.actor_email, log.action,
  log.resource_type, log.resource_id, log.before, log.after, log.request_id
from audit_log as log
where log.workspace_id = $1 and log.action in ($2)
  and log.id = any(
    array(
      select entry.id
      from audit_log as entry
      where entry.workspace_id = $3 and strpos(entry.search_text, $4) > 0
      union select named.entry_id
      from audit_subjects as named
      where named.workspace_id = $5
        and strpos(lower(concat_ws(' ', named.name, named.subject_id)), $6) > 0
    )
  )
order by log.created_at desc, log.id desc
limit $7;

-- server/src/features/audit/store.ts listLastNames
select subject.type, subject.id, last.name
from unnest($1::text[], $2::text[]) as subject (type, id)
cross join lateral (
  select named.name
  from audit_subjects as named
  where named.workspace_id = $3 and named.subject_type = subject.type
    and named.subject_id = subject.id and named.name is not null
  order by named.created_at desc, named.entry_id desc
  limit 1
) as last;

-- server/src/features/audit/store.ts listSubjects
select entry_id, type, id, name, total
from (
  select entry_id, subject_type as type, subject_id as id, name, position,
    row_number() over (partition by entry_id, subject_type order by position) as place,
    (count(*) over (partition by entry_id, subject_type))::integer as total
  from audit_subjects
  where workspace_id = $1 and entry_id = any($2::uuid[])
) as subject
where place <= $3
order by entry_id, position;
