-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/quotas/store.ts deleteLimits: not executed by tests

-- server/src/features/quotas/store.ts deleteWindowsBefore
delete from workspace_usage_windows where workspace_id = $1 and began_at < $2;

-- server/src/features/quotas/store.ts listLimits
select quota, most from workspace_limits where workspace_id = $1;

-- server/src/features/quotas/store.ts listNearLimits
with used as (
  select workspace_id, quota, used
  from workspace_usage
  union all select usage.workspace_id, usage.quota, max(usage.used)
  from unnest($1::text[], $2::timestamptz[]) as now (quota, began_at)
  join workspace_usage_windows as usage on usage.quota = now.quota and usage.began_at = now.began_at
  group by usage.workspace_id, usage.quota
),
  given as (
    select used.*, coalesce(own.most, usual.most) as most
    from used
    left join workspace_limits as own on own.workspace_id = used.workspace_id
      and own.quota = used.quota
    left join unnest($3::text[], $4::bigint[]) as usual (quota, most) on usual.quota = used.quota
  )
select given.workspace_id, workspaces.name as workspace_name, given.quota, given.used, given.most as
limit, case when given.most = 0 then 1 else given.used::float8 / given.most end as share
from given
join workspaces on workspaces.id = given.workspace_id
where given.used >= given.most * $5::float8 and given.most < $6::bigint
order by share desc, given.workspace_id, given.quota;

-- server/src/features/quotas/store.ts listUsage
select quota, used, 0::bigint as refused
from workspace_usage
where workspace_id = $1
union all select usage.quota, max(usage.used), sum(usage.refused)::bigint
from unnest($2::text[], $3::timestamptz[]) as now (quota, began_at)
join workspace_usage_windows as usage on usage.workspace_id = $4 and usage.quota = now.quota
  and usage.began_at = now.began_at
group by usage.quota;

-- server/src/features/quotas/store.ts lockKept
select used from workspace_usage where workspace_id = $1 and quota = $2 for update;

-- server/src/features/quotas/store.ts sumBytesOfVersions
select coalesce(sum(size_bytes), 0)::bigint as bytes
from (
  select size_bytes
  from sboms
  where workspace_id = $1 and firmware_version_id = any($2::uuid[])
  union all select size_bytes
  from replaced_sboms
  where workspace_id = $3 and firmware_version_id = any($4::uuid[])
  union all select size_bytes
  from firmware_artifacts
  where workspace_id = $5 and firmware_version_id = any($6::uuid[])
  union all select size_bytes
  from firmware_role_artifacts
  where workspace_id = $7
    and (firmware_version_id = any($8::uuid[]) or base_version_id = any($9::uuid[]))
) as file;

-- server/src/features/quotas/store.ts takeInWindow
insert into workspace_usage_windows (workspace_id, quota, subject, began_at, used, refused)
values ($1, $2, $3, $4, 0, 0)
on conflict (workspace_id, quota, subject, began_at)
do nothing;

-- server/src/features/quotas/store.ts takeInWindow
with before as (
  select used
  from workspace_usage_windows
  where workspace_id = $1 and quota = $2 and subject = $3 and began_at = $4
  for update
),
  taken as (
    select least(
      $5::bigint,
        greatest(
          coalesce(
            (select most from workspace_limits where workspace_id = $6 and quota = $7), $8::bigint
          ) - before.used, 0
        )
    ) as granted
    from before
  )
update workspace_usage_windows as usage
set used = usage.used + taken.granted, refused = usage.refused + $9::bigint - taken.granted
from taken
where usage.workspace_id = $10 and usage.quota = $11 and usage.subject = $12
  and usage.began_at = $13
returning taken.granted;

-- server/src/features/quotas/store.ts takeKept
insert into workspace_usage (workspace_id, quota, used)
values ($1, $2, 0)
on conflict (workspace_id, quota)
do nothing;

-- server/src/features/quotas/store.ts takeKept
with before as (select used from workspace_usage where workspace_id = $1 and quota = $2 for update),
  taken as (
    select least(
      $3::bigint,
        greatest(
          coalesce(
            (select most from workspace_limits where workspace_id = $4 and quota = $5), $6::bigint
          ) - before.used, 0
        )
    ) as granted
    from before
  )
update workspace_usage as usage
set used = usage.used + taken.granted
from taken
where usage.workspace_id = $7 and usage.quota = $8
returning taken.granted;

-- server/src/features/quotas/store.ts upsertLimit
insert into workspace_limits (workspace_id, quota, most)
values ($1, $2, $3)
on conflict (workspace_id, quota)
do update
set most = $4;
