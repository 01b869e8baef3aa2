-- What happened to a deployment: when each phase began, pauses, stops, and how it ended. [{type, at, phase, byEmail, reason,
-- deploymentId}], oldest first; the last three may be null. Copied from the audit log for the deployments that there are: one
-- scan of it, about a second for a million entries.
alter table deployments add column events jsonb not null default '[]';
alter table deployments add column note text;

with told as (
  select workspace_id, resource_id as id, created_at as at, actor_email as by_email,
    case action
      when 'deployment.begin-phase' then 'PhaseBegan'
      when 'deployment.stop' then 'Stopped'
      when 'deployment.pause' then 'Paused'
      when 'deployment.resume' then 'Resumed'
      else 'Cancelled' end as type,
    (after ->> 'phase')::int as phase,
    case when action = 'deployment.stop' then after ->> 'stateReason' end as reason,
    null::uuid as deployment_id, id::text as place
  from audit_log
  where resource_type = 'deployment' and action in (
    'deployment.begin-phase', 'deployment.stop', 'deployment.pause', 'deployment.resume', 'deployment.cancel')
), begun as (
  select workspace_id, id::text, created_at as at, created_by_email as by_email, 'PhaseBegan' as type, 0 as phase,
    null::text as reason, null::uuid as deployment_id, '' as place
  from deployments as deployment
  where phase_began_at is not null and not exists (
    select from told
    where told.workspace_id = deployment.workspace_id and told.id = deployment.id::text
      and told.type = 'PhaseBegan' and told.phase = 0)
), replaced as (
  select deployment.workspace_id, deployment.id::text, deployment.ended_at as at, next.created_by_email as by_email,
    'Superseded' as type, null::int as phase, deployment.state_reason as reason, next.id as deployment_id, 'z' as place
  from deployments as deployment
  left join lateral (
    select other.id, other.created_by_email from deployments as other
    where other.workspace_id = deployment.workspace_id and other.cohort_id = deployment.cohort_id
      and other.created_at > deployment.created_at
    order by other.created_at, other.id limit 1) as next on true
  where deployment.state = 'Superseded' and deployment.ended_at is not null
), gathered as (
  select workspace_id, id, jsonb_agg(jsonb_build_object('type', type, 'at', at, 'phase', phase, 'byEmail', by_email,
    'reason', reason, 'deploymentId', deployment_id) order by at, place) as events
  from (select * from told union all select * from begun union all select * from replaced) as each
  group by workspace_id, id
)
update deployments as deployment set events = gathered.events
from gathered
where gathered.workspace_id = deployment.workspace_id and gathered.id = deployment.id::text;

-- What devices of a cohort are asked to log, unless they have a value of their own; null: as the workspace has it.
alter table deployment_cohorts add column log_severity text
  check (log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical'));
