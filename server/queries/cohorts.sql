-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/cohorts/members/store.ts countMovesByRule
with rule as materialized (
  select id, created_at,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'all', '[]'::jsonb))) as all_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'any', '[]'::jsonb))) as any_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'none', '[]'::jsonb))) as none_tags
  from (
    select id, created_at, tag_rule
    from deployment_cohorts
    where workspace_id = $1 and tag_rule is not null and id <> $2
    union all select $3::uuid, $4::timestamptz, $5::jsonb
    where $6
  ) as ruled
),
  moved as (
    select before, after, count(*)::int as devices
    from (
      select device.id, device.cohort_id as before,
        (
          select rule.id
          from rule
          where device.tags @> rule.all_tags
            and (rule.any_tags = '{}' or device.tags && rule.any_tags)
            and not device.tags && rule.none_tags
          order by coalesce(rule.id = device.cohort_id, false) desc, rule.created_at, rule.id
          limit 1
        ) as after
      from devices as device
      where device.workspace_id = $7 and (device.cohort_id is null or device.cohort_by_rule)
    ) as choice
    where before is distinct from after
    group by before, after
  )
select (
  select json_build_object('id', cohort.id, 'name', cohort.name)
  from deployment_cohorts as cohort
  where cohort.workspace_id = $8 and cohort.id = moved.before
) as "from",
  (
    select json_build_object('id', cohort.id, 'name', cohort.name)
    from deployment_cohorts as cohort
    where cohort.workspace_id = $9 and cohort.id = moved.after
  ) as "to", moved.after is not distinct from $10::uuid as is_new, devices
from moved
order by devices desc, before, after;

-- server/src/features/cohorts/members/store.ts listDevicesAffectedByRule
with rule as materialized (
  select array(select jsonb_array_elements_text(coalesce($1::jsonb -> 'all', '[]'::jsonb))) as
    all_tags,
    array(select jsonb_array_elements_text(coalesce($2::jsonb -> 'any', '[]'::jsonb))) as any_tags,
    array(select jsonb_array_elements_text(coalesce($3::jsonb -> 'none', '[]'::jsonb))) as none_tags
)
select device.id
from devices as device
cross join rule
where device.workspace_id = $4
  and (
    (device.cohort_id = $5 and device.cohort_by_rule)
      or (
        device.cohort_id is null and $6 and device.tags @> rule.all_tags
          and (rule.any_tags = '{}' or device.tags && rule.any_tags)
          and not device.tags && rule.none_tags
      )
  )
order by device.id;

-- server/src/features/cohorts/members/store.ts listMemberPage
select id, cohort_by_rule as by_rule
from devices
where workspace_id = $1 and cohort_id = $2
order by id
limit $3;

-- server/src/features/cohorts/members/store.ts listMembers
select id, cohort_by_rule as by_rule
from devices
where workspace_id = $1 and cohort_id = $2
order by id;

-- server/src/features/cohorts/members/store.ts listMembership
select device.id, device.cohort_id, device.cohort_by_rule as by_rule, cohort.name as cohort_name
from devices as device
left join deployment_cohorts as cohort on cohort.workspace_id = device.workspace_id
  and cohort.id = device.cohort_id
where device.workspace_id = $1 and device.id = any($2::text[])
order by device.id;

-- server/src/features/cohorts/members/store.ts listMovesByRule
with rule as materialized (
  select id, created_at,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'all', '[]'::jsonb))) as all_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'any', '[]'::jsonb))) as any_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'none', '[]'::jsonb))) as none_tags
  from (
    select id, created_at, tag_rule
    from deployment_cohorts
    where workspace_id = $1 and tag_rule is not null
  ) as ruled
)
select id as device_id, before, after, after is not null as by_rule
from (
  select device.id, device.cohort_id as before,
    (
      select rule.id
      from rule
      where device.tags @> rule.all_tags and (rule.any_tags = '{}' or device.tags && rule.any_tags)
        and not device.tags && rule.none_tags
      order by coalesce(rule.id = device.cohort_id, false) desc, rule.created_at, rule.id
      limit 1
    ) as after
  from devices as device
  where device.workspace_id = $2 and (device.cohort_id is null or device.cohort_by_rule)
) as choice
where before is distinct from after
order by id;

-- server/src/features/cohorts/members/store.ts listMovesByRule
with rule as materialized (
  select id, created_at,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'all', '[]'::jsonb))) as all_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'any', '[]'::jsonb))) as any_tags,
    array(select jsonb_array_elements_text(coalesce(tag_rule -> 'none', '[]'::jsonb))) as none_tags
  from (
    select id, created_at, tag_rule
    from deployment_cohorts
    where workspace_id = $1 and tag_rule is not null
  ) as ruled
)
select id as device_id, before, after, after is not null as by_rule
from (
  select device.id, device.cohort_id as before,
    (
      select rule.id
      from rule
      where device.tags @> rule.all_tags and (rule.any_tags = '{}' or device.tags && rule.any_tags)
        and not device.tags && rule.none_tags
      order by coalesce(rule.id = device.cohort_id, false) desc, rule.created_at, rule.id
      limit 1
    ) as after
  from devices as device
  where device.workspace_id = $2 and device.id = any($3::text[])
    and (device.cohort_id is null or device.cohort_by_rule)
) as choice
where before is distinct from after
order by id;

-- server/src/features/cohorts/members/store.ts lockDevices
select count(*)
from (
  select from devices where workspace_id = $1 and id = any($2::text[]) order by id for no key update
) as locked;

-- server/src/features/cohorts/members/store.ts lockRules
select pg_advisory_xact_lock(hashtext('cohort-rules'), hashtext($1));

-- server/src/features/cohorts/members/store.ts lockRulesShared
select pg_advisory_xact_lock_shared(hashtext('cohort-rules'), hashtext($1));

-- server/src/features/cohorts/members/store.ts releaseToRules
update devices
set cohort_by_rule = $1
where workspace_id = $2 and id = any($3::text[]) and cohort_id is not null;

-- server/src/features/cohorts/members/store.ts updateMembership
update devices as device
set cohort_id = moved.after, cohort_by_rule = moved.by_rule
from unnest($1::text[], $2::uuid[], $3::boolean[]) as moved (id, after, by_rule)
where device.workspace_id = $4 and device.id = moved.id;

-- server/src/features/cohorts/store.ts deleteCohort
delete from deployment_cohorts where workspace_id = $1 and id = $2;

-- server/src/features/cohorts/store.ts findCohort
select cohort.id, cohort.name, cohort.description, cohort.created_at, cohort.updated_at,
  cohort.polling_seconds, cohort.polling_jitter_percent, cohort.key_rotation_days,
  cohort.tag_rule as tag_rule, cohort.log_severity as log_severity,
  (
    select count(*)::int as count
    from devices
    where devices.workspace_id = $1 and devices.cohort_id = cohort.id
  ) as device_count,
  (
    select deployment.id
    from deployments as deployment
    where deployment.workspace_id = $2 and deployment.cohort_id = cohort.id and deployment.is_active
  ) as active_deployment_id
from deployment_cohorts as cohort
where cohort.workspace_id = $3 and cohort.id = $4;

-- server/src/features/cohorts/store.ts insertCohort
insert into deployment_cohorts (
  workspace_id, id, name, description, log_severity, polling_seconds, polling_jitter_percent,
    key_rotation_days, created_at, tag_rule, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/cohorts/store.ts listCohorts
select cohort.id, cohort.name, cohort.description, cohort.created_at, cohort.updated_at,
  cohort.polling_seconds, cohort.polling_jitter_percent, cohort.key_rotation_days,
  cohort.tag_rule as tag_rule, cohort.log_severity as log_severity,
  (
    select count(*)::int as count
    from devices
    where devices.workspace_id = $1 and devices.cohort_id = cohort.id
  ) as device_count,
  (
    select deployment.id
    from deployments as deployment
    where deployment.workspace_id = $2 and deployment.cohort_id = cohort.id and deployment.is_active
  ) as active_deployment_id
from deployment_cohorts as cohort
where cohort.workspace_id = $3
order by cohort.created_at, cohort.id;

-- server/src/features/cohorts/store.ts lockCohort
select id, name from deployment_cohorts where workspace_id = $1 and id = $2 for no key update;

-- server/src/features/cohorts/store.ts lockCohortsShared
select id
from deployment_cohorts
where workspace_id = $1 and id = any($2::uuid[])
order by id
for share;

-- server/src/features/cohorts/store.ts tryLockCohort
select id from deployment_cohorts where workspace_id = $1 and id = $2 for no key update skip locked;

-- server/src/features/cohorts/store.ts updateCohort
update deployment_cohorts
set name = $1, description = $2, log_severity = $3, polling_seconds = $4,
  polling_jitter_percent = $5, key_rotation_days = $6, updated_at = $7, tag_rule = $8
where workspace_id = $9 and id = $10;
