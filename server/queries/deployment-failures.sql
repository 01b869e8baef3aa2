-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/deployment-failures/store.ts countTraits
with chosen as materialized (
  select device_id, number, coalesce(reason, '') as reason
  from (
    select updates.device_id, updates.number, updates.reason, updates.attempt,
      (
        updates.state = 'failed'
          and (
            exists (
              select
              from device_firmwares as changed
              where changed.workspace_id = $1 and changed.device_id = updates.device_id
                and changed.since > updates.finished_at
            )
              or updates.finished_at < (
                select max(stored.created_at)
                from firmware_artifacts as stored
                where stored.workspace_id = $2 and stored.firmware_version_id = any($3::uuid[])
              )
          )
      ) as has_changed, case when member.id is null then 'left'
      when running.device_id is not null then 'reporting'
      when updates.state = 'inProgress' then 'installing'
      when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
      else updates.state end as device_state
    from device_updates as updates
    left join (
      select device.id
      from devices as device
      where device.workspace_id = $4 and device.cohort_id = $5::uuid
    ) as member on member.id = updates.device_id
    left join (
      select distinct running.device_id
      from device_firmwares as running
      where running.workspace_id = $6 and running.firmware_version_id = $7
    ) as running on running.device_id = updates.device_id
    where updates.workspace_id = $8 and updates.deployment_id = $9
      and updates.device_id = any(
        array(
          select device_id
          from device_updates
          where workspace_id = $10 and deployment_id = $11 and state = 'failed'
          order by md5(device_id)
          limit $12
        )
      )
  ) as told
  where device_state = 'failed'
  union all select device_id, number, null
  from (
    select updates.device_id, updates.number, updates.reason, updates.attempt,
      (
        updates.state = 'failed'
          and (
            exists (
              select
              from device_firmwares as changed
              where changed.workspace_id = $13 and changed.device_id = updates.device_id
                and changed.since > updates.finished_at
            )
              or updates.finished_at < (
                select max(stored.created_at)
                from firmware_artifacts as stored
                where stored.workspace_id = $14 and stored.firmware_version_id = any($15::uuid[])
              )
          )
      ) as has_changed, case when member.id is null then 'left'
      when running.device_id is not null then 'reporting'
      when updates.state = 'inProgress' then 'installing'
      when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
      else updates.state end as device_state
    from device_updates as updates
    left join (
      select device.id
      from devices as device
      where device.workspace_id = $16 and device.cohort_id = $17::uuid
    ) as member on member.id = updates.device_id
    left join (
      select distinct running.device_id
      from device_firmwares as running
      where running.workspace_id = $18 and running.firmware_version_id = $19
    ) as running on running.device_id = updates.device_id
    where updates.workspace_id = $20 and updates.deployment_id = $21
      and updates.device_id = any(
        array(
          select device_id
          from device_updates
          where workspace_id = $22 and deployment_id = $23 and state = 'succeeded'
          order by md5(device_id)
          limit $24
        )
      )
  ) as told
  where device_state in ('reporting', 'movedOn')
),
  traits as materialized (
    select chosen.reason, chosen.device_id, trait.kind, trait.name, trait.value
    from chosen
    join devices as device on device.workspace_id = $25 and device.id = chosen.device_id
    left join lateral (
      select earlier.deployment_id
      from device_updates as earlier
      where earlier.workspace_id = $26 and earlier.device_id = chosen.device_id
        and earlier.number < chosen.number and earlier.state = 'succeeded'
      order by earlier.number desc
      limit 1
    ) as before on true
    cross join lateral (
      select 'Tag' as kind, null as name, tag as value
      from unnest(device.tags) as tag
      union all select 'Tag', null, null
      union all select 'Attribute', attribute.key, attribute.value #>> '{}'
      from jsonb_each(device.attributes) as attribute (key, value)
      union all select 'Client', null, device.client
      where device.client is not null
      union all select 'Door', null, device.door
      where device.door is not null
      union all select 'OtherFirmware', running.slug, running.version
      from device_firmwares as running
      where running.workspace_id = $27 and running.device_id = chosen.device_id
        and running.slug not in (
          select firmware.slug
          from firmware_versions as version
          join firmwares as firmware on firmware.workspace_id = version.workspace_id
            and firmware.id = version.firmware_id
          where version.workspace_id = $28 and version.id = any($29::uuid[])
        )
      union all select 'VersionBefore', firmware.slug, version.name
      from deployment_artifacts as artifact
      join firmware_versions as version on version.workspace_id = $30
        and version.id = artifact.firmware_version_id
      join firmwares as firmware on firmware.workspace_id = $31
        and firmware.id = version.firmware_id
      where artifact.workspace_id = $32 and artifact.deployment_id = before.deployment_id
        and firmware.slug in (
          select firmware.slug
          from firmware_versions as version
          join firmwares as firmware on firmware.workspace_id = version.workspace_id
            and firmware.id = version.firmware_id
          where version.workspace_id = $33 and version.id = any($34::uuid[])
        )
      union all select 'VersionBefore', running.slug, running.version
      from device_firmwares as running
      where running.workspace_id = $35 and running.device_id = chosen.device_id
        and before.deployment_id is null and chosen.reason is not null
        and running.slug in (
          select firmware.slug
          from firmware_versions as version
          join firmwares as firmware on firmware.workspace_id = version.workspace_id
            and firmware.id = version.firmware_id
          where version.workspace_id = $36 and version.id = any($37::uuid[])
        )
    ) as trait
  ),
  shared as materialized (
    select kind, name, value
    from traits
    where reason is not null and value is not null
    group by kind, name, value
    having count(*) >= 2
  ),
  counted as (
    select reason, kind, name, value, count(*)::int as count
    from traits
    where value is not null
      and (kind, coalesce(name, ''), value) in (select kind, coalesce(name, ''), value from shared)
    group by reason, kind, name, value
    union all select reason, kind, name, null, count(distinct device_id)::int
    from traits
    group by reason, kind, name
  )
select (select count(*)::int from chosen where reason is not null) as compared_failed_count,
  (select count(*)::int from chosen where reason is null) as compared_other_count,
  coalesce((select json_agg(counted) from counted), '[]') as counts;

-- server/src/features/deployment-failures/store.ts listFailureGroups
select coalesce(reason, '') as reason, count(*)::int as count,
  count(*) filter (where has_changed)::int as changed_count, max(attempt) as attempts,
  (sum(count(*)) over ())::int as failed_count
from (
  select updates.device_id, updates.number, updates.reason, updates.attempt,
    (
      updates.state = 'failed'
        and (
          exists (
            select
            from device_firmwares as changed
            where changed.workspace_id = $1 and changed.device_id = updates.device_id
              and changed.since > updates.finished_at
          )
            or updates.finished_at < (
              select max(stored.created_at)
              from firmware_artifacts as stored
              where stored.workspace_id = $2 and stored.firmware_version_id = any($3::uuid[])
            )
        )
    ) as has_changed, case when member.id is null then 'left'
    when running.device_id is not null then 'reporting'
    when updates.state = 'inProgress' then 'installing'
    when updates.state = 'pending' then 'waiting' when updates.state = 'succeeded' then 'movedOn'
    else updates.state end as device_state
  from device_updates as updates
  left join (
    select device.id
    from devices as device
    where device.workspace_id = $4 and device.cohort_id = $5::uuid
  ) as member on member.id = updates.device_id
  left join (
    select distinct running.device_id
    from device_firmwares as running
    where running.workspace_id = $6 and running.firmware_version_id = $7
  ) as running on running.device_id = updates.device_id
  where updates.workspace_id = $8 and updates.deployment_id = $9 and updates.state = 'failed'
) as told
where device_state = 'failed'
group by 1
order by count desc, 1
limit 20;
