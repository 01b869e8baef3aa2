-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/incidents/bulk/store.ts assign
update alert_incidents set assignee_id = $1 where workspace_id = $2 and id = any($3::uuid[]);

-- server/src/features/incidents/bulk/store.ts deleteBatchesBefore
delete from alert_incident_batches where workspace_id = $1 and created_at < $2;

-- server/src/features/incidents/bulk/store.ts insertBatch
insert into alert_incident_batches (workspace_id, id, created_at, created_by_email, changes)
values ($1, $2, $3, $4, $5);

-- server/src/features/incidents/bulk/store.ts lockBatch
select created_at, undone_at, undone_by_email, changes as changes
from alert_incident_batches
where workspace_id = $1 and id = $2
for update;

-- server/src/features/incidents/bulk/store.ts restoreAssignees
update alert_incidents as incident
set assignee_id = before.assignee_id
from unnest($1::uuid[], $2::uuid[]) as before (id, assignee_id)
where incident.workspace_id = $3 and incident.id = before.id
  and incident.assignee_id is not distinct from $4::uuid
  and (
    before.assignee_id is null
      or exists (
        select
        from members as member
        where member.workspace_id = $5 and member.subject_id = before.assignee_id
      )
  );

-- server/src/features/incidents/bulk/store.ts restoreNotes
update alert_incidents as incident
set note = before.note, noted_at = before.noted_at, noted_by_email = before.noted_by_email
from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[]) as before (
  id, note, noted_at, noted_by_email
)
where incident.workspace_id = $5 and incident.id = before.id and incident.noted_at = $6;

-- server/src/features/incidents/bulk/store.ts writeNotes
update alert_incidents
set note = $1, noted_at = $2, noted_by_email = $3
where workspace_id = $4 and id = any($5::uuid[]);

-- server/src/features/incidents/changes/store.ts listChanges
with fired as materialized (
  select distinct series from alert_series where workspace_id = $1 and incident_id = $2
),
  changes as (
    select 'Firmware' as kind, min(runs.since) as first_at, max(runs.since) as last_at,
      count(distinct runs.device_id)::int as device_count,
      (array_agg(distinct runs.device_id))[1:3] as device_ids, runs.firmware_version_id as id,
      null::uuid as deployment_cohort_id,
      concat_ws(' ', nullif(runs.slug, ''), runs.version) as name, null as state
    from device_firmwares as runs
    join fired on fired.series = runs.device_id
    where runs.workspace_id = $3 and runs.since >= $4 and runs.since <= $5
    group by runs.slug, runs.version, runs.firmware_version_id
    union all select 'Deployment', min(moved.at) as first_at, max(moved.at) as last_at,
      count(distinct moved.device_id)::int as device_count,
      (array_agg(distinct moved.device_id))[1:3] as device_ids, deployment.id, deployment.cohort_id,
      deployment.name, moved.state
    from (
      select device_id, deployment_id, state, coalesce(finished_at, installed_at, started_at) as at
      from device_updates
      join fired on fired.series = device_updates.device_id
      where workspace_id = $6
    ) as moved
    join deployments as deployment on deployment.workspace_id = $7
      and deployment.id = moved.deployment_id
    where moved.at >= $8 and moved.at <= $9
    group by deployment.id, deployment.cohort_id, deployment.name, moved.state
    union all select 'Configuration', min(device.desired_changed_at) as first_at,
      max(device.desired_changed_at) as last_at, count(distinct device.id)::int as device_count,
      (array_agg(distinct device.id))[1:3] as device_ids, null, null, null, null
    from devices as device
    join fired on fired.series = device.id
    where device.workspace_id = $10 and device.desired_changed_at >= $11
      and device.desired_changed_at <= $12
    having count(*) > 0
    union all select 'Incident', min(other.began_at) as first_at, max(other.began_at) as last_at,
      count(distinct shared.series)::int as device_count,
      (array_agg(distinct shared.series))[1:3] as device_ids, other.id, null, other.rule_name, null
    from alert_incidents as other
    join alert_series as shared on shared.workspace_id = $13 and shared.incident_id = other.id
    join fired on fired.series = shared.series
    where other.workspace_id = $14 and other.id <> $15 and other.began_at >= $16
      and other.began_at <= $17
      and (
        other.rule_id = $18
          or other.rule_type in (
            'DeviceOffline', 'MetricFixedThreshold', 'MetricPercentualThreshold'
          )
      )
    group by other.id, other.rule_name
  )
select kind, first_at, last_at, device_count, device_ids, id, deployment_cohort_id, name, state
from changes
order by last_at desc, kind, id
limit $19;

-- server/src/features/incidents/changes/store.ts listRuns
select device_id, slug, version, firmware_version_id
from device_firmwares
where workspace_id = $1 and device_id = any($2::text[])
order by slug;

-- server/src/features/incidents/checks-store.ts incidentChecks
select 'alert rule ' || rule.id || ' names the incident ' || rule.incident_id ||
  ', which is not open' as fault
from alert_rules as rule
left join alert_incidents as incident on incident.workspace_id = rule.workspace_id
  and incident.id = rule.incident_id and incident.rule_id = rule.id and incident.ended_at is null
where rule.workspace_id = $1 and rule.incident_id is not null and incident.id is null
union all select 'incident ' || incident.id || ' is open, and its rule does not name it'
from alert_incidents as incident
left join alert_rules as rule on rule.workspace_id = incident.workspace_id
  and rule.id = incident.rule_id and rule.incident_id = incident.id
where incident.workspace_id = $2 and incident.ended_at is null and rule.id is null
union all select 'series ' || series.series || ' is firing in the incident ' || series.incident_id
  || ', which is not open'
from alert_series as series
left join alert_incidents as incident on incident.workspace_id = series.workspace_id
  and incident.id = series.incident_id and incident.ended_at is null
where series.workspace_id = $3 and series.until is null and incident.id is null;

-- server/src/features/incidents/firing-store.ts summariseFiringAlerts
select count(*) over ()::int as count,
  count(
    case
      when exists (
        select
        from alert_silences as silence
        where silence.workspace_id = $1 and silence.rule_id = incident.rule_id
          and silence.until > $2 and silence.ended_at is null
      ) then (
        select case when bool_and(covered.until is not null) then min(covered.until) end
        from alert_series as fired
        cross join lateral (
          select max(silence.until) as until
          from alert_silences as silence
          where silence.workspace_id = $3 and silence.rule_id = incident.rule_id
            and silence.until > $4 and silence.ended_at is null
            and (
              silence.covers = 'Rule'
                or exists (
                  select
                  from alert_series as silenced
                  where silenced.workspace_id = $5 and silenced.incident_id = silence.incident_id
                    and silenced.series = fired.series and silenced.since <= silence.created_at
                )
            )
        ) as covered
        where fired.workspace_id = $6 and fired.incident_id = incident.id and fired.until is null
      ) end
  ) over ()::int as silenced, incident.id as incident_id, incident.rule_name
from alert_incidents as incident
where incident.workspace_id = $7 and incident.ended_at is null
order by incident.began_at desc, incident.id desc
limit 1;

-- server/src/features/incidents/handling/store.ts acknowledge
update alert_incidents
set acknowledged_at = $1, acknowledged_by_email = $2, reminder_at = $3
where workspace_id = $4 and id = any($5::uuid[]) and acknowledged_at is null;

-- server/src/features/incidents/handling/store.ts deleteAcknowledgements
update alert_incidents as incident
set acknowledged_at = null, acknowledged_by_email = null, reminder_at = case
  when incident.ended_at is null then (
    select $1::timestamptz + rule.repeat_interval_seconds * interval '1 second'
    from alert_rules as rule
    where rule.workspace_id = $2 and rule.id = incident.rule_id
  ) end
where incident.workspace_id = $3 and incident.id = any($4::uuid[]) and incident.acknowledged_at = $5
returning incident.id;

-- server/src/features/incidents/handling/store.ts lockIncident
select note, assignee_id from alert_incidents where workspace_id = $1 and id = $2 for update;

-- server/src/features/incidents/handling/store.ts moveOpenIncidents
update alert_incidents
set assignee_id = $1
where workspace_id = $2 and assignee_id = $3 and ended_at is null
returning id;

-- server/src/features/incidents/handling/store.ts releaseIncidentsOf
update alert_incidents set assignee_id = $1 where workspace_id = $2 and assignee_id = $3;

-- server/src/features/incidents/handling/store.ts replaceAssignee
update alert_incidents set assignee_id = $1 where workspace_id = $2 and id = $3;

-- server/src/features/incidents/handling/store.ts replaceNote
update alert_incidents
set note = $1, noted_at = $2, noted_by_email = $3
where workspace_id = $4 and id = $5;

-- server/src/features/incidents/notices/store.ts listIncidentsToNotify
select incident.id, incident.rule_id, incident.rule_name, incident.rule_type, incident.condition,
  incident.began_at, incident.ended_at, incident.ended_cause, workspace.name as workspace_name,
  counts.*, targets.*
from alert_incidents as incident
join workspaces as workspace on workspace.id = $1
join alert_rules as rule on rule.workspace_id = $2 and rule.id = incident.rule_id
cross join lateral (
  select array_agg(link.notification_target_id order by link.position) filter (
    where link.notification_target_id is not null and rule.notify_owners = $3
  ) as notification_target_ids,
    array_agg(link.webhook_id order by link.position) filter (
      where link.webhook_id is not null and not $4
    ) as webhook_ids
  from alert_rule_targets as link
  where link.workspace_id = $5 and link.rule_id = incident.rule_id
) as targets
cross join lateral (
  select count(distinct series.series)::int as series_count,
    (count(*) filter (where series.until is null))::int as firing_count
  from alert_series as series
  where series.workspace_id = $6 and series.incident_id = incident.id
) as counts
where incident.workspace_id = $7 and incident.id = any($8::uuid[])
  and (targets.notification_target_ids is not null or targets.webhook_ids is not null) and case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $9 and silence.rule_id = incident.rule_id and silence.until > $10
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $11 and silence.rule_id = incident.rule_id
        and silence.until > $12 and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $13 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $14 and fired.incident_id = incident.id and fired.until is null
  ) end is null
order by incident.id;

-- server/src/features/incidents/notices/store.ts listIncidentsToNotify
select incident.id, incident.rule_id, incident.rule_name, incident.rule_type, incident.condition,
  incident.began_at, incident.ended_at, incident.ended_cause, workspace.name as workspace_name,
  counts.*, targets.*
from alert_incidents as incident
join workspaces as workspace on workspace.id = $1
join alert_rules as rule on rule.workspace_id = $2 and rule.id = incident.rule_id
cross join lateral (
  select array_agg(link.notification_target_id order by link.position) filter (
    where link.notification_target_id is not null and rule.notify_owners = $3
  ) as notification_target_ids,
    array_agg(link.webhook_id order by link.position) filter (
      where link.webhook_id is not null and not $4
    ) as webhook_ids
  from alert_rule_targets as link
  where link.workspace_id = $5 and link.rule_id = incident.rule_id
) as targets
cross join lateral (
  select count(distinct series.series)::int as series_count,
    (count(*) filter (where series.until is null))::int as firing_count
  from alert_series as series
  where series.workspace_id = $6 and series.incident_id = incident.id
) as counts
where incident.workspace_id = $7 and incident.id = any($8::uuid[])
  and (targets.notification_target_ids is not null or targets.webhook_ids is not null) and case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $9 and silence.rule_id = incident.rule_id and silence.until > $10
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $11 and silence.rule_id = incident.rule_id
        and silence.until > $12 and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $13 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $14 and fired.incident_id = incident.id
  ) end is null and rule.notify_resolved and incident.notified_at is not null
order by incident.id;

-- server/src/features/incidents/notices/store.ts listWorstSeries
select incident.incident_id, worst.series, worst.label, worst.value * incident.sign as value,
  worst.since
from unnest($1::uuid[], $2::float8[]) as incident (incident_id, sign)
cross join lateral (
  select series, max(label) as label, max(value * incident.sign) as value, min(since) as since
  from alert_series
  where workspace_id = $3 and incident_id = incident.incident_id
  group by series
  order by max(value * incident.sign) desc nulls last, series
  limit $4
) as worst;

-- server/src/features/incidents/notices/store.ts listWorstSeries
select incident.incident_id, worst.series, worst.label, worst.value * incident.sign as value,
  worst.since
from unnest($1::uuid[], $2::float8[]) as incident (incident_id, sign)
cross join lateral (
  select series, max(label) as label, max(value * incident.sign) as value, min(since) as since
  from alert_series
  where workspace_id = $3 and incident_id = incident.incident_id and until is null
  group by series
  order by max(value * incident.sign) desc nulls last, series
  limit $4
) as worst;

-- server/src/features/incidents/notices/store.ts recordNotified
update alert_incidents as incident
set notified_at = $1
where incident.workspace_id = $2 and incident.id = any($3::uuid[]) and incident.notified_at is null
  and exists (
    select
    from notifications
    where notifications.workspace_id = $4 and notifications.incident_id = incident.id
  );

-- server/src/features/incidents/owner-mails/store.ts deleteEnded
delete from finding_owner_notices as notice
where notice.workspace_id = $1
  and not exists (
    select
    from alert_series as held
    where held.workspace_id = $2 and held.rule_id = notice.rule_id and held.series = notice.series
      and held.until is null
  );

-- server/src/features/incidents/owner-mails/store.ts deleteNotices
delete from finding_owner_notices as notice using unnest($1::uuid[], $2::text[]) as told (
  rule_id, series
)
where notice.workspace_id = $3 and notice.rule_id = told.rule_id
  and notice.series = told.series collate "C";

-- server/src/features/incidents/owner-mails/store.ts listWaitingWorkspaces
select workspace_id
from finding_owner_notices
group by workspace_id
having max(created_at) <= $1 or min(created_at) <= $2
order by min(created_at), workspace_id;

-- server/src/features/incidents/owner-mails/store.ts lockNotices
select notice.rule_id, incident.rule_name, notice.incident_id, notice.series, held.label,
  held.value, held.since, notice.told_ids
from finding_owner_notices as notice
join alert_series as held on held.workspace_id = $1 and held.rule_id = notice.rule_id
  and held.series = notice.series and held.until is null
join alert_incidents as incident on incident.workspace_id = $2 and incident.id = notice.incident_id
where notice.workspace_id = $3
  and not exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $4 and silence.rule_id = notice.rule_id and silence.until > $5
      and silence.ended_at is null
      and (
        silence.covers = 'Rule'
          or exists (
            select
            from alert_series as silenced
            where silenced.workspace_id = $6 and silenced.incident_id = silence.incident_id
              and silenced.series = notice.series and silenced.since <= silence.created_at
          )
      )
  )
order by held.value desc nulls last, notice.series, notice.rule_id
limit $7
for update of notice skip locked;

-- server/src/features/incidents/owner-mails/store.ts noteForOwners
insert into finding_owner_notices (workspace_id, rule_id, series, incident_id, created_at)
select $1, begun.rule_id, begun.series, begun.incident_id, $2
from unnest($3::uuid[], $4::timestamptz[]) as rule (id, begun_at)
join alert_series as begun on begun.workspace_id = $5 and begun.rule_id = rule.id
  and begun.since = rule.begun_at and begun.until is null
on conflict (workspace_id, rule_id, series)
do nothing;

-- server/src/features/incidents/owner-mails/store.ts recordTold
update finding_owner_notices
set told_ids = $1
where workspace_id = $2 and rule_id = $3 and series = $4;

-- server/src/features/incidents/reminders/store.ts listWorkspacesToRemind
select workspace_id
from alert_incidents
where reminder_at <= $1
union select workspace_id
from alert_incidents
where is_held and acknowledged_at is null;

-- server/src/features/incidents/reminders/store.ts lockDueReminders
select incident.id, incident.reminder_at, incident.is_held, incident.notified_at,
  (
    select rule.repeat_interval_seconds
    from alert_rules as rule
    where rule.workspace_id = $1 and rule.id = incident.rule_id
  ) as repeat_interval_seconds
from alert_incidents as incident
where incident.workspace_id = $2 and incident.ended_at is null and incident.acknowledged_at is null
  and (incident.reminder_at <= $3 or incident.is_held = $4) and case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $5 and silence.rule_id = incident.rule_id and silence.until > $6
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $7 and silence.rule_id = incident.rule_id and silence.until > $8
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $9 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $10 and fired.incident_id = incident.id and fired.until is null
  ) end is null
order by incident.id
limit $11
for update of incident skip locked;

-- server/src/features/incidents/reminders/store.ts updateReminders
update alert_incidents as incident
set reminder_at = next.reminder_at, is_held = false
from unnest($1::uuid[], $2::timestamptz[]) as next (id, reminder_at)
where incident.workspace_id = $3 and incident.id = next.id;

-- server/src/features/incidents/silences/store.ts endSilences
update alert_silences
set ended_at = $1, ended_by_email = $2
where workspace_id = $3 and id = any($4::uuid[]) and ended_at is null and until > $5
returning rule_id;

-- server/src/features/incidents/silences/store.ts findSilence
select silence.id, silence.rule_id, incident.rule_name, silence.incident_id, silence.covers,
  silence.reason, silence.created_at, silence.created_by_email, silence.until, silence.ended_at,
  silence.ended_by_email, case
  when silence.covers = 'Series' then (
    select count(distinct silenced.series)::int
    from alert_series as silenced
    where silenced.workspace_id = $1 and silenced.incident_id = silence.incident_id
      and silenced.since <= silence.created_at
  ) end as series_count
from alert_silences as silence
join alert_incidents as incident on incident.workspace_id = $2 and incident.id = silence.incident_id
where silence.workspace_id = $3 and silence.id = $4;

-- server/src/features/incidents/silences/store.ts holdSilenced
update alert_incidents as incident
set is_held = true
where incident.workspace_id = $1 and incident.ended_at is null and not incident.is_held
  and incident.id = any($2::uuid[]) and case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $3 and silence.rule_id = incident.rule_id and silence.until > $4
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $5 and silence.rule_id = incident.rule_id and silence.until > $6
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $7 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $8 and fired.incident_id = incident.id and fired.until is null
  ) end is not null;

-- server/src/features/incidents/silences/store.ts insertSilences
insert into alert_silences (
  workspace_id, id, rule_id, incident_id, covers, reason, created_at, created_by_email, until
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/incidents/silences/store.ts listSilences: the shortest and the longest of many variants
--   7445af1f 946143ba 99d11032 a230f3ab a514df6f
select silence.id, silence.rule_id, incident.rule_name, silence.incident_id, silence.covers,
  silence.reason, silence.created_at, silence.created_by_email, silence.until, silence.ended_at,
  silence.ended_by_email, case
  when silence.covers = 'Series' then (
    select count(distinct silenced.series)::int
    from alert_series as silenced
    where silenced.workspace_id = $1 and silenced.incident_id = silence.incident_id
      and silenced.since <= silence.created_at
  ) end as series_count
from alert_silences as silence
join alert_incidents as incident on incident.workspace_id = $2 and incident.id = silence.incident_id
where silence.workspace_id = $3 and true
order by silence.created_at desc, silence.id desc
limit $4;

select silence.id, silence.rule_id, incident.rule_name, silence.incident_id, silence.covers,
  silence.reason, silence.created_at, silence.created_by_email, silence.until, silence.ended_at,
  silence.ended_by_email, case
  when silence.covers = 'Series' then (
    select count(distinct silenced.series)::int
    from alert_series as silenced
    where silenced.workspace_id = $1 and silenced.incident_id = silence.incident_id
      and silenced.since <= silence.created_at
  ) end as series_count
from alert_silences as silence
join alert_incidents as incident on incident.workspace_id = $2 and incident.id = silence.incident_id
where silence.workspace_id = $3 and true
  and (
    silence.incident_id = $4
      or exists (
        select
        from alert_incidents as other
        where other.workspace_id = $5 and other.id = $6 and other.rule_id = silence.rule_id
          and silence.created_at <= coalesce(other.ended_at, $7)
          and least(silence.until, silence.ended_at) > other.began_at
          and (
            silence.covers = 'Rule'
              or exists (
                select
                from alert_series as fired
                where fired.workspace_id = $8 and fired.incident_id = other.id
                  and exists (
                    select
                    from alert_series as silenced
                    where silenced.workspace_id = $9 and silenced.incident_id = silence.incident_id
                      and silenced.series = fired.series and silenced.since <= silence.created_at
                  )
              )
          )
      )
  )
order by silence.created_at desc, silence.id desc
limit $10;

-- server/src/features/incidents/silences/store.ts releaseTold
update alert_incidents as incident
set is_held = false
where incident.workspace_id = $1 and incident.rule_id = any($2::uuid[])
  and incident.ended_at is null and incident.is_held and incident.notified_at is not null and case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $3 and silence.rule_id = incident.rule_id and silence.until > $4
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $5 and silence.rule_id = incident.rule_id and silence.until > $6
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $7 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $8 and fired.incident_id = incident.id and fired.until is null
  ) end is null;

-- server/src/features/incidents/store.ts countIncidents
select count(*)::int as count
from (select from alert_incidents as incident where incident.workspace_id = $1 limit $2) as counted;

-- server/src/features/incidents/store.ts endIncidents
update alert_incidents as incident
set ended_at = greatest(ended.ended_at, incident.began_at), ended_cause = ended.ended_cause,
  reminder_at = null, is_held = false,
  series_count = (
    select count(distinct series)
    from alert_series as fired
    where fired.workspace_id = $1 and fired.incident_id = incident.id
  )
from unnest($2::uuid[], $3::timestamptz[], $4::text[]) as ended (id, ended_at, ended_cause)
where incident.workspace_id = $5 and incident.id = ended.id;

-- server/src/features/incidents/store.ts endSeries
update alert_series
set until = greatest($1, since)
where workspace_id = $2 and rule_id = $3 and until is null;

-- server/src/features/incidents/store.ts findIncident
select incident.id, incident.rule_id, incident.rule_name, incident.rule_type,
  incident.condition as condition, incident.began_at, incident.ended_at, incident.ended_cause,
  incident.acknowledged_at, incident.acknowledged_by_email, incident.note, incident.noted_at,
  incident.noted_by_email,
  (
    select json_build_object(
      'subjectId', person.id, 'email', person.email, 'displayName', person.display_name
    )
    from people as person
    where person.id = incident.assignee_id
  ) as assignee, case when incident.ended_at is null then case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $1 and silence.rule_id = incident.rule_id and silence.until > $2
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $3 and silence.rule_id = incident.rule_id and silence.until > $4
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $5 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $6 and fired.incident_id = incident.id and fired.until is null
  ) end end as silenced_until,
  coalesce(
    incident.series_count,
      (
        select count(distinct fired.series)::int
        from alert_series as fired
        where fired.workspace_id = $7 and fired.incident_id = incident.id
      )
  ) as series_count, case when incident.ended_at is not null then 0
  else (
    select count(*)::int
    from alert_series as firing
    where firing.workspace_id = $8 and firing.rule_id = incident.rule_id and firing.until is null
  ) end as firing_series_count
from alert_incidents as incident
where incident.workspace_id = $9 and incident.id = $10;

-- server/src/features/incidents/store.ts findRuleOfIncident
select id, rule_id, rule_type as rule_type from alert_incidents where workspace_id = $1 and id = $2;

-- server/src/features/incidents/store.ts insertIncidents
insert into alert_incidents (
  workspace_id, id, rule_id, rule_name, rule_type, began_at, reminder_at, condition
)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/incidents/store.ts listEndedSeries
select series, label, since, until, value
from alert_series
where workspace_id = $1 and incident_id = $2 and until is not null
order by series, since
limit $3;

-- server/src/features/incidents/store.ts listEndedSeries
select series, label, since, until, value
from alert_series
where workspace_id = $1 and incident_id = $2 and until is not null
  and (series, since) > ($3, $4::timestamptz)
order by series, since
limit $5;

-- server/src/features/incidents/store.ts listFiringSeries
select series, label, since, until, value
from alert_series
where workspace_id = $1 and rule_id = $2 and until is null and incident_id = $3
order by series
limit $4;

-- server/src/features/incidents/store.ts listFiringSeries
select series, label, since, until, value
from alert_series
where workspace_id = $1 and rule_id = $2 and until is null and incident_id = $3 and series > $4
order by series
limit $5;

-- server/src/features/incidents/store.ts listIncidents: the shortest and the longest of many variants
--   055ec8c3 611c3cc8 74c87150 90ed67e4 b5528753 ce7b9686 d6c32c03 dae36eae e00c869f e917d6d6
--   ea8387c4
select incident.id, incident.rule_id, incident.rule_name, incident.rule_type,
  incident.condition as condition, incident.began_at, incident.ended_at, incident.ended_cause,
  incident.acknowledged_at, incident.acknowledged_by_email, incident.note, incident.noted_at,
  incident.noted_by_email,
  (
    select json_build_object(
      'subjectId', person.id, 'email', person.email, 'displayName', person.display_name
    )
    from people as person
    where person.id = incident.assignee_id
  ) as assignee, case when incident.ended_at is null then case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $1 and silence.rule_id = incident.rule_id and silence.until > $2
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $3 and silence.rule_id = incident.rule_id and silence.until > $4
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $5 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $6 and fired.incident_id = incident.id and fired.until is null
  ) end end as silenced_until,
  coalesce(
    incident.series_count,
      (
        select count(distinct fired.series)::int
        from alert_series as fired
        where fired.workspace_id = $7 and fired.incident_id = incident.id
      )
  ) as series_count, case when incident.ended_at is not null then 0
  else (
    select count(*)::int
    from alert_series as firing
    where firing.workspace_id = $8 and firing.rule_id = incident.rule_id and firing.until is null
  ) end as firing_series_count
from alert_incidents as incident
where incident.workspace_id = $9 and incident.workspace_id = $10
order by incident.began_at desc, incident.id desc
limit $11;

select incident.id, incident.rule_id, incident.rule_name, incident.rule_type,
  incident.condition as condition, incident.began_at, incident.ended_at, incident.ended_cause,
  incident.acknowledged_at, incident.acknowledged_by_email, incident.note, incident.noted_at,
  incident.noted_by_email,
  (
    select json_build_object(
      'subjectId', person.id, 'email', person.email, 'displayName', person.display_name
    )
    from people as person
    where person.id = incident.assignee_id
  ) as assignee, case when incident.ended_at is null then case
  when exists (
    select
    from alert_silences as silence
    where silence.workspace_id = $1 and silence.rule_id = incident.rule_id and silence.until > $2
      and silence.ended_at is null
  ) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired
    cross join lateral (
      select max(silence.until) as until
      from alert_silences as silence
      where silence.workspace_id = $3 and silence.rule_id = incident.rule_id and silence.until > $4
        and silence.ended_at is null
        and (
          silence.covers = 'Rule'
            or exists (
              select
              from alert_series as silenced
              where silenced.workspace_id = $5 and silenced.incident_id = silence.incident_id
                and silenced.series = fired.series and silenced.since <= silence.created_at
            )
        )
    ) as covered
    where fired.workspace_id = $6 and fired.incident_id = incident.id and fired.until is null
  ) end end as silenced_until,
  coalesce(
    incident.series_count,
      (
        select count(distinct fired.series)::int
        from alert_series as fired
        where fired.workspace_id = $7 and fired.incident_id = incident.id
      )
  ) as series_count, case when incident.ended_at is not null then 0
  else (
    select count(*)::int
    from alert_series as firing
    where firing.workspace_id = $8 and firing.rule_id = incident.rule_id and firing.until is null
  ) end as firing_series_count
from alert_incidents as incident
where incident.workspace_id = $9 and incident.workspace_id = $10
  and incident.rule_id = any($11::uuid[]) and incident.assignee_id is null
  and incident.ended_at is null and incident.began_at >= $12
order by incident.began_at desc, incident.id desc
limit $13;

-- server/src/features/incidents/store.ts lockIncidents
select incident.id, incident.rule_id, incident.ended_at, incident.acknowledged_at, incident.note,
  incident.noted_at, incident.noted_by_email, incident.assignee_id
from alert_incidents as incident
where incident.workspace_id = $1 and incident.ended_at is null
order by incident.id
limit $2
for update;

-- server/src/features/incidents/store.ts lockIncidents
select incident.id, incident.rule_id, incident.ended_at, incident.acknowledged_at, incident.note,
  incident.noted_at, incident.noted_by_email, incident.assignee_id
from alert_incidents as incident
where incident.workspace_id = $1 and incident.id = any($2::uuid[])
order by incident.id
limit $3
for update;

-- server/src/features/incidents/store.ts lockIncidents
select incident.id, incident.rule_id, incident.ended_at, incident.acknowledged_at, incident.note,
  incident.noted_at, incident.noted_by_email, incident.assignee_id
from alert_incidents as incident
where incident.workspace_id = $1 and incident.rule_id = any($2::uuid[])
  and incident.ended_at is null
order by incident.id
limit $3
for update;

-- server/src/features/incidents/store.ts updateReminder
update alert_incidents
set reminder_at = $1
where workspace_id = $2 and id = $3 and ended_at is null and acknowledged_at is null;
