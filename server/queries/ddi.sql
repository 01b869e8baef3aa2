-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/ddi/store.ts addFeedbackLines
insert into ddi_devices as device (workspace_id, device_id, feedback_number, feedback)
values ($1, $2, $3, $4::text[])
on conflict (workspace_id, device_id)
do update
set feedback_number = excluded.feedback_number, feedback = case
  when device.feedback_number = excluded.feedback_number then (device.feedback || excluded.feedback)[
    greatest(1, cardinality(device.feedback || excluded.feedback) - $5::integer):
  ] else excluded.feedback end;

-- server/src/features/ddi/store.ts findAction
select
update.update_id,
update.deployment_id,
update.number,
update.attempt,
update.state,
update.reason,
update.released_at,
update.installed_at,
update.finished_at,
update.cancel_offered, deployment.options,
update.released_at is not null and deployment.is_active
  and (deployment.state = 'Running' or update.state = 'inProgress') as is_offered,
  deployment.rollback_of_id is not null as is_rollback,
  (select client from devices where workspace_id = $1 and id = $2) as client
from device_updates as
update
inner join deployments as deployment on deployment.workspace_id =
update.workspace_id and deployment.id =
update.deployment_id
where
update.workspace_id = $3 and
update.device_id = $4 and
update.number = $5;

-- server/src/features/ddi/store.ts findDdiDevice
select workspace.device_version_attribute as version_attribute, device.attributes_at,
  device.crash_hash, device.auto_confirm_at, device.auto_confirm_initiator,
  device.auto_confirm_remark, device.answered_number, device.answer, device.feedback_number,
  coalesce(cohort.polling_seconds, workspace.device_polling_seconds) as polling_seconds,
  coalesce(cohort.polling_jitter_percent, 0) as polling_jitter_percent,
  coalesce(device.attributes_wanted, true) as attributes_wanted,
  coalesce(device.states_versions, false) as states_versions,
  device.auto_confirm_at is not null as auto_confirm,
  coalesce(device.feedback, '{}') as feedback_lines
from workspaces as workspace
left join ddi_devices as device on device.workspace_id = $1 and device.device_id = $2
left join devices as registered on registered.workspace_id = $3 and registered.id = $4
left join deployment_cohorts as cohort on cohort.workspace_id = $5
  and cohort.id = registered.cohort_id
where workspace.id = $6;

-- server/src/features/ddi/store.ts findInstalledNumber
select number
from device_updates
where workspace_id = $1 and device_id = $2 and state = $3
order by number desc
limit $4;

-- server/src/features/ddi/store.ts findNewestNumber
select number
from device_updates
where workspace_id = $1 and device_id = $2
order by number desc
limit $3;

-- server/src/features/ddi/store.ts findOnlyFirmware
select slug
from (
  select 1 as rank, firmware.slug
  from devices as device
  join deployments as deployment on deployment.workspace_id = device.workspace_id
    and deployment.cohort_id = device.cohort_id and deployment.is_active
  join deployment_artifacts as held on held.workspace_id = deployment.workspace_id
    and held.deployment_id = deployment.id and held.is_main
  join firmware_versions as version on version.workspace_id = held.workspace_id
    and version.id = held.firmware_version_id
  join firmwares as firmware on firmware.workspace_id = version.workspace_id
    and firmware.id = version.firmware_id
  where device.workspace_id = $1 and device.id = $2
  union all select 2, min(slug)
  from device_firmwares
  where workspace_id = $3 and device_id = $4 and slug <> ''
  having count(*) = 1
  union all select 3, min(slug)
  from firmwares
  where workspace_id = $5
  having count(*) = 1
) as candidates
order by rank
limit 1;

-- server/src/features/ddi/store.ts listOpenActions
select
update.update_id,
update.deployment_id,
update.number,
update.attempt,
update.state,
update.reason,
update.released_at,
update.installed_at,
update.finished_at,
update.cancel_offered, deployment.options,
update.released_at is not null and deployment.is_active
  and (deployment.state = 'Running' or update.state = 'inProgress') as is_offered,
  deployment.rollback_of_id is not null as is_rollback,
  (select client from devices where workspace_id = $1 and id = $2) as client
from device_updates as
update
inner join deployments as deployment on deployment.workspace_id =
update.workspace_id and deployment.id =
update.deployment_id
where
update.workspace_id = $3 and
update.device_id = $4
  and (
    update.state in ('pending', 'inProgress')
      or (update.state = 'cancelled' and update.cancel_offered and update.finished_at > $5)
  )
order by
update.number;

-- server/src/features/ddi/store.ts listRunning
select slug, version from device_firmwares where workspace_id = $1 and device_id = $2;

-- server/src/features/ddi/store.ts lockAttributes
select attributes from ddi_devices where workspace_id = $1 and device_id = $2 for update;

-- server/src/features/ddi/store.ts lockAttributes
insert into ddi_devices (workspace_id, device_id)
values ($1, $2)
on conflict (workspace_id, device_id)
do nothing;

-- server/src/features/ddi/store.ts upsertDdiDevice: the shortest and the longest of many variants
--   08852bb9 6e0c89e4 a899200a c84248a7 e879d072 f7d4206f
insert into ddi_devices (workspace_id, device_id, attributes_wanted)
values ($1, $2, $3)
on conflict (workspace_id, device_id)
do update
set attributes_wanted = $4;

insert into ddi_devices (
  workspace_id, device_id, auto_confirm_at, auto_confirm_initiator, auto_confirm_remark
)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id, device_id)
do update
set auto_confirm_at = $6, auto_confirm_initiator = $7, auto_confirm_remark = $8;
