-- A row says what an entry of the audit log is about, or which member or key made it, and what people called it then.
create table audit_subjects (
  workspace_id uuid not null,
  entry_id uuid not null,
  -- That of the entry.
  created_at timestamptz(3) not null,
  subject_type text not null,
  subject_id text not null,
  -- null: nobody wrote it down.
  name text,
  -- Among the subjects of the entry.
  position integer not null,
  primary key (workspace_id, entry_id, subject_type, subject_id),
  foreign key (workspace_id, entry_id) references audit_log (workspace_id, id) on delete cascade
);
create index audit_subjects_subject on audit_subjects (workspace_id, subject_type, subject_id, created_at, entry_id);

-- What past entries say of their subjects. Names are those of today.
insert into audit_subjects (workspace_id, entry_id, created_at, subject_type, subject_id, name, position)
select log.workspace_id, log.id, log.created_at, subject.type, subject.id,
  case when subject.type in ('device', 'vulnerability') then subject.id end, min(subject.position)
from audit_log as log
cross join lateral (
  select case log.actor_type when 'ApiKey' then 'api-key' else 'member' end as type, log.actor_id as id, 1 as position
  where log.actor_type in ('ApiKey', 'User')
  union all
  select log.resource_type, log.resource_id, 2
  where log.resource_type in ('alert-incident', 'alert-rule', 'api-key', 'deployment', 'deployment-cohort', 'device',
    'device-key', 'firmware', 'firmware-version', 'member', 'notification-target', 'package-override',
    'vulnerability', 'webhook')
  union all
  -- The id of a finding begins with that of its firmware version.
  select 'firmware-version', encode(substring(decode(
    translate(log.resource_id, '-_', '+/') || repeat('=', (4 - length(log.resource_id) % 4) % 4), 'base64'
  ) from 1 for 16), 'hex')::uuid::text, 3
  where log.resource_type = 'vulnerability-finding' and log.resource_id ~ '^[A-Za-z0-9_-]{44,}$'
  union all
  select holder.type, held.value, 4
  from (values (log.before), (log.after)) as state (fields)
  cross join (values
    ('added', 'device'), ('cohortId', 'deployment-cohort'), ('created', 'device'), ('cveId', 'vulnerability'),
    ('cveIds', 'vulnerability'), ('deploymentCohortId', 'deployment-cohort'), ('deviceId', 'device'),
    ('deviceIds', 'device'), ('firmwareId', 'firmware'), ('firmwareVersionId', 'firmware-version'),
    ('leftDeviceIds', 'device'), ('removed', 'device'), ('rollbackOfId', 'deployment'),
    ('vulnerabilityId', 'vulnerability')
  ) as holder (member, type)
  cross join lateral (
    select state.fields ->> holder.member as value
    where jsonb_typeof(state.fields -> holder.member) = 'string'
    union all
    select jsonb_array_elements_text(state.fields -> holder.member)
    where jsonb_typeof(state.fields -> holder.member) = 'array'
  ) as held
) as subject
where subject.id is not null and subject.id <> ''
group by log.workspace_id, log.id, log.created_at, subject.type, subject.id;

update audit_subjects as subject
set name = named.name
from (
  select workspace_id, 'alert-rule' as type, id, name from alert_rules
  union all select workspace_id, 'alert-incident', id, rule_name from alert_incidents
  union all select workspace_id, 'api-key', id, name from api_keys
  union all select workspace_id, 'deployment', id, name from deployments
  union all select workspace_id, 'deployment-cohort', id, name from deployment_cohorts
  union all select workspace_id, 'device-key', id, name from device_keys
  union all select workspace_id, 'firmware', id, name from firmwares
  union all select workspace_id, 'notification-target', id, name from notification_targets
  union all select workspace_id, 'webhook', id, name from webhooks
  union all
  select version.workspace_id, 'firmware-version', version.id, firmware.name || ' ' || version.name
  from firmware_versions as version
  join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  union all
  select member.workspace_id, 'member', person.id, person.display_name
  from members as member
  join people as person on person.id = member.subject_id
) as named
where subject.workspace_id = named.workspace_id and subject.subject_type = named.type
  and subject.subject_id = named.id::text;

-- What was deleted since: its entry may say what it was called.
update audit_subjects as subject
set name = coalesce(log.after ->> 'name', log.before ->> 'name')
from audit_log as log
where log.workspace_id = subject.workspace_id and log.id = subject.entry_id
  and subject.name is null and subject.subject_type = log.resource_type and subject.subject_id = log.resource_id
  and subject.subject_type <> 'firmware-version';

-- The firmware of versions, the cohort of deployments, and the rule of incidents.
insert into audit_subjects (workspace_id, entry_id, created_at, subject_type, subject_id, name, position)
select distinct on (subject.workspace_id, subject.entry_id, whole.type, whole.id)
  subject.workspace_id, subject.entry_id, subject.created_at, whole.type, whole.id::text, whole.name, 5
from audit_subjects as subject
join (
  select version.workspace_id, 'firmware-version' as of_type, version.id as of_id, 'firmware' as type,
    firmware.id, firmware.name
  from firmware_versions as version
  join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  union all
  select deployment.workspace_id, 'deployment', deployment.id, 'deployment-cohort', cohort.id, cohort.name
  from deployments as deployment
  join deployment_cohorts as cohort on cohort.workspace_id = deployment.workspace_id and cohort.id = deployment.cohort_id
  union all
  select workspace_id, 'alert-incident', id, 'alert-rule', rule_id, rule_name from alert_incidents
) as whole on whole.workspace_id = subject.workspace_id and whole.of_type = subject.subject_type
  and whole.of_id::text = subject.subject_id
on conflict do nothing;
