-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/workspaces/names/store.ts findCohorts
select id, name from deployment_cohorts where workspace_id = $1 and (id in ($2) or name in ($3));

-- server/src/features/workspaces/names/store.ts findDevices
select id from devices where workspace_id = $1 and id in ($2);

-- server/src/features/workspaces/names/store.ts findFirmwares
select id, slug, name
from firmwares
where workspace_id = $1 and (id in ($2) or slug in ($3) or name in ($4));

-- server/src/features/workspaces/names/store.ts findRules
select id, name from alert_rules where workspace_id = $1 and (id in ($2) or name in ($3));

-- server/src/features/workspaces/names/store.ts findVersions
select version.id, version.name, firmware.slug
from firmware_versions as version
inner join firmwares as firmware on firmware.id = version.firmware_id
  and firmware.workspace_id = version.workspace_id
where version.workspace_id = $1
  and (version.id in ($2) or (firmware.slug in ($3) and version.name in ($4)));

-- server/src/features/workspaces/store.ts deleteMember
delete from members where workspace_id = $1 and subject_id = $2;

-- server/src/features/workspaces/store.ts findRoleOfEmail
select member.role
from people as person
left join members as member on member.subject_id = person.id and member.workspace_id = $1
where person.email = $2;

-- server/src/features/workspaces/store.ts findSettings
select id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, log_retention_days, carry_over_assessments, release_gate,
  list_fuzzing_findings, device_version_attribute, device_polling_seconds, require_second_factor,
  updated_at
from workspaces
where id = $1;

-- server/src/features/workspaces/store.ts findWorkspaceName
select name from workspaces where id = $1;

-- server/src/features/workspaces/store.ts insertMember
insert into members (workspace_id, subject_id, role, joined_at)
values ($1, $2, $3, $4)
on conflict (workspace_id, subject_id)
do nothing;

-- server/src/features/workspaces/store.ts insertWorkspace
insert into workspaces (id, name, created_at, keeps_sources, updated_at) values ($1, $2, $3, $4, $5);

-- server/src/features/workspaces/store.ts isMember
select subject_id from members where workspace_id = $1 and subject_id = $2;

-- server/src/features/workspaces/store.ts listMembers
select members.subject_id, people.email, people.display_name, members.role, members.joined_at
from members
inner join people on people.id = members.subject_id
where members.workspace_id = $1
order by people.email;

-- server/src/features/workspaces/store.ts listWorkspaceIds
select id from workspaces order by id;

-- server/src/features/workspaces/store.ts listWorkspacesNamed
select id from workspaces where name = $1 order by id;

-- server/src/features/workspaces/store.ts lockMembers
select subject_id, role from members where workspace_id = $1 order by subject_id for update;

-- server/src/features/workspaces/store.ts lockSettings
select id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, log_retention_days, carry_over_assessments, release_gate,
  list_fuzzing_findings, device_version_attribute, device_polling_seconds, require_second_factor,
  updated_at
from workspaces
where id = $1
for no key update;

-- server/src/features/workspaces/store.ts readRemediationTargets
select remediation_target_days as targets from workspaces where id = $1;

-- server/src/features/workspaces/store.ts updateKeepsSources
update workspaces set keeps_sources = $1 where id = $2;

-- server/src/features/workspaces/store.ts updateRole
update members set role = $1 where workspace_id = $2 and subject_id = $3;

-- server/src/features/workspaces/store.ts updateSettings: the shortest and the longest of many variants
--   3091c0fa 500aa1dd 899a31f4 9797227e 99f39df7 ac4d7388
update workspaces
set name = $1, default_log_severity = $2, device_auto_registration = $3,
  remediation_target_days = $4, metric_retention_days = $5, log_retention_days = $6, updated_at = $7
where id = $8
returning id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, log_retention_days, carry_over_assessments, release_gate,
  list_fuzzing_findings, device_version_attribute, device_polling_seconds, require_second_factor,
  updated_at;

update workspaces
set name = $1, default_log_severity = $2, device_auto_registration = $3,
  remediation_target_days = $4, metric_retention_days = $5, log_retention_days = $6,
  carry_over_assessments = $7, release_gate = $8, list_fuzzing_findings = $9,
  device_version_attribute = $10, device_polling_seconds = $11, require_second_factor = $12,
  updated_at = $13
where id = $14
returning id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, log_retention_days, carry_over_assessments, release_gate,
  list_fuzzing_findings, device_version_attribute, device_polling_seconds, require_second_factor,
  updated_at;
