-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/takers/store.ts listDeployingCohorts
select distinct deployment.cohort_id, artifact.firmware_version_id
from deployments as deployment
join deployment_artifacts as artifact on artifact.workspace_id = $1
  and artifact.deployment_id = deployment.id
where deployment.workspace_id = $2 and deployment.is_active
  and artifact.firmware_version_id = any($3::uuid[]);

-- server/src/features/takers/store.ts listLineIds
select id, line_id
from firmware_versions
where workspace_id = $1 and id = any($2::uuid[]) and line_id is not null;

-- server/src/features/takers/store.ts listOtherVersionIds
select other.id
from firmware_versions as version
inner join firmware_versions as other on other.workspace_id = version.workspace_id
  and other.firmware_id = version.firmware_id and other.id <> version.id
where version.workspace_id = $1 and version.id = $2;

-- server/src/features/takers/store.ts listTakerGroups
select version.firmware_id, version.line_id, cohort.id as cohort_id, cohort.name as cohort_name,
  device.door, device.client,
  not (device.connected or coalesce(device.last_seen_at >= $1, false)) as is_silent,
  count(distinct device.id)::int as device_count
from firmware_versions as version
join device_firmwares as running on running.workspace_id = $2
  and running.firmware_version_id = version.id
join devices as device on device.workspace_id = $3 and device.id = running.device_id
left join deployment_cohorts as cohort on cohort.workspace_id = $4 and cohort.id = device.cohort_id
where version.workspace_id = $5 and version.id = any($6::uuid[])
group by version.firmware_id, version.line_id, cohort.id, cohort.name, device.door, device.client,
  is_silent
order by cohort.name, cohort.id, device.door, device.client;

-- server/src/features/takers/store.ts listVersionDeployments
select deployment.id, deployment.name,
  json_build_object('id', cohort.id, 'name', cohort.name) as deployment_cohort, deployment.state,
  deployment.is_active, deployment.rollback_of_id is not null as is_rollback, deployment.created_at,
  deployment.ended_at, deployment.succeeded as succeeded_count,
  deployment.pending + deployment.in_progress + deployment.succeeded + deployment.failed +
  deployment.cancelled as device_count
from (
  select distinct deployment_id
  from deployment_artifacts
  where workspace_id = $1 and firmware_version_id = $2
) as artifact
join deployments as deployment on deployment.workspace_id = $3
  and deployment.id = artifact.deployment_id
join deployment_cohorts as cohort on cohort.workspace_id = $4 and cohort.id = deployment.cohort_id
order by deployment.is_active desc, deployment.created_at desc, deployment.id
limit $5;
