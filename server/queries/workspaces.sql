-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/workspaces/names/store.ts findCohorts
select id, name from deployment_cohorts where workspace_id = $1 and (id in ($2) or name in ($3));

-- server/src/features/workspaces/names/store.ts findDevices
select id from devices where workspace_id = $1 and id in ($2);

-- server/src/features/workspaces/names/store.ts findFirmwares
select id, slug, name
from firmwares
where workspace_id = $1 and (id in ($2) or slug in ($3) or name in ($4));

-- server/src/features/workspaces/names/store.ts findLines
select line.id, line.name, firmware.slug
from firmware_lines as line
inner join firmwares as firmware on firmware.id = line.firmware_id
  and firmware.workspace_id = line.workspace_id
where line.workspace_id = $1 and (line.id in ($2) or (firmware.slug in ($3) and line.name in ($4)));

-- server/src/features/workspaces/names/store.ts findRules
select id, name from alert_rules where workspace_id = $1 and (id in ($2) or name in ($3));

-- server/src/features/workspaces/names/store.ts findVersions
select version.id, version.name, firmware.slug
from firmware_versions as version
inner join firmwares as firmware on firmware.id = version.firmware_id
  and firmware.workspace_id = version.workspace_id
where version.workspace_id = $1
  and (version.id in ($2) or (firmware.slug in ($3) and version.name in ($4)));

-- server/src/features/workspaces/store.ts countDuties
select (
  select count(*)::int
  from finding_decisions as decision
  where decision.workspace_id = $1 and decision.ignored
    and decision.acceptance #>> '{owner,id}' = $2
) as accepted_risks,
  (
    select count(distinct alias.vulnerability_id)::int
    from vulnerability_assignees as given
    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
    where given.workspace_id = $3 and given.person_id = $4
  ) as vulnerabilities,
  (
    select count(*)::int
    from alert_incidents as incident
    where incident.workspace_id = $5 and incident.assignee_id = $6 and incident.ended_at is null
  ) as incidents,
  (
    select count(*)::int
    from owner_rules as rule
    where rule.workspace_id = $7 and rule.person_id = $8
  ) as owner_rules, count(*)::int as teams,
  (count(*) filter (where team.members = 1))::int as teams_without_others
from (
  select count(*) as members
  from owner_team_members as belonging
  where belonging.workspace_id = $9
  group by belonging.team_id
  having bool_or(belonging.person_id = $10)
) as team;

-- server/src/features/workspaces/store.ts deleteMember
delete from members where workspace_id = $1 and subject_id = $2;

-- server/src/features/workspaces/store.ts findMember
select members.subject_id, people.email, people.display_name, members.role, members.joined_at
from members
inner join people on people.id = members.subject_id
where members.workspace_id = $1 and members.subject_id = $2;

-- server/src/features/workspaces/store.ts findRoleOfEmail
select member.role
from people as person
left join members as member on member.subject_id = person.id and member.workspace_id = $1
where person.email = $2;

-- server/src/features/workspaces/store.ts findSettings
select id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, metric_hour_retention_days, log_retention_days, carry_over_assessments,
  release_gate, list_fuzzing_findings, device_version_attribute, device_polling_seconds,
  replaced_sbom_days, require_second_factor, deciding_vex_authors, disputed_findings,
  acceptance_requirements, acceptance_notice_days, acceptance_webhook_id,
  gate_forbids_exploited_acceptances, gate_support, gate_images, gate_new_crashes,
  device_key_rotation_days, updated_at
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

-- server/src/features/workspaces/store.ts keepFormerTargets
insert into former_remediation_targets (workspace_id, until, target_days)
values ($1, $2, $3)
on conflict
do nothing;

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
select pg_advisory_xact_lock(hashtext('settings'), hashtext($1));

-- server/src/features/workspaces/store.ts readRemediationTargets
select remediation_target_days as targets from workspaces where id = $1;

-- server/src/features/workspaces/store.ts shareSettings
select pg_advisory_xact_lock_shared(hashtext('settings'), hashtext($1));

-- server/src/features/workspaces/store.ts updateKeepsSources
update workspaces set keeps_sources = $1 where id = $2;

-- server/src/features/workspaces/store.ts updateRole
update members set role = $1 where workspace_id = $2 and subject_id = $3;

-- server/src/features/workspaces/store.ts updateSettings: the shortest and the longest of many variants
--   1b37d164 604899cf 913cad18 a964b31b cf92bb67
update workspaces
set name = $1, default_log_severity = $2, device_auto_registration = $3,
  remediation_target_days = $4, metric_retention_days = $5, log_retention_days = $6, updated_at = $7
where id = $8
returning id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, metric_hour_retention_days, log_retention_days, carry_over_assessments,
  release_gate, list_fuzzing_findings, device_version_attribute, device_polling_seconds,
  replaced_sbom_days, require_second_factor, deciding_vex_authors, disputed_findings,
  acceptance_requirements, acceptance_notice_days, acceptance_webhook_id,
  gate_forbids_exploited_acceptances, gate_support, gate_images, gate_new_crashes,
  device_key_rotation_days, updated_at;

update workspaces
set name = $1, default_log_severity = $2, device_auto_registration = $3,
  remediation_target_days = $4, metric_retention_days = $5, metric_hour_retention_days = $6,
  log_retention_days = $7, carry_over_assessments = $8, release_gate = $9,
  list_fuzzing_findings = $10, device_polling_seconds = $11, replaced_sbom_days = $12,
  require_second_factor = $13, deciding_vex_authors = $14, disputed_findings = $15,
  acceptance_requirements = $16, acceptance_notice_days = $17,
  gate_forbids_exploited_acceptances = $18, gate_support = $19, gate_images = $20,
  gate_new_crashes = $21, device_version_attribute = $22, acceptance_webhook_id = $23,
  device_key_rotation_days = $24, updated_at = $25
where id = $26
returning id, name, default_log_severity, device_auto_registration, remediation_target_days,
  metric_retention_days, metric_hour_retention_days, log_retention_days, carry_over_assessments,
  release_gate, list_fuzzing_findings, device_version_attribute, device_polling_seconds,
  replaced_sbom_days, require_second_factor, deciding_vex_authors, disputed_findings,
  acceptance_requirements, acceptance_notice_days, acceptance_webhook_id,
  gate_forbids_exploited_acceptances, gate_support, gate_images, gate_new_crashes,
  device_key_rotation_days, updated_at;

-- server/src/features/workspaces/whole/store.ts changeNodesInTurn
set local citus.multi_shard_modify_mode = 'sequential';

-- server/src/features/workspaces/whole/store.ts countContents
select (select count(*)::int from members where workspace_id = $1) as members,
  (select count(*)::int from devices where workspace_id = $2) as devices,
  (select count(*)::int from firmware_versions where workspace_id = $3) as versions,
  (select count(*)::int from sboms where workspace_id = $4) as sboms;

-- server/src/features/workspaces/whole/store.ts deletePeople
delete from people where id in ($1);

-- server/src/features/workspaces/whole/store.ts deleteRows: the shortest and the longest of many variants
--   028d73e3 0606bebb 07edd510 0981ba04 09edb1da 0b7c7bcf 118dc44e 11bc77b8 13709105 152e3d29
--   17719d9e 180d52f0 1c42ba6d 1c5bdf56 1cc7a941 1f23fd38 1f635128 21347613 222b1007 225cd479
--   2362ee69 246da142 268a35a8 2a809e43 2ccd694f 2d9746db 2dd9bb4b 3236a22f 3310cb9f 33353802
--   34a72754 3554e79f 37e6eb99 3a7fdf1e 3b32645f 3e3e7e25 3e6d2d96 403fafe1 410f798c 45082bb4
--   4560df31 45e9cc2f 492fab52 4a112a89 4a678469 4c9ce8db 4db5048f 4df7d070 4e0e5e82 5177abf4
--   517bd3e8 5462713b 54845d08 564df869 5849df22 58d17298 58e6f7c1 5a55f4de 5b1a6cf8 5b869b7a
--   5c3a3182 5cbcf697 5cd60d6c 5d253e4a 6002a5a3 6162da79 619ffa48 61b978e4 63ec8e64 665a0819
--   68b52cc5 696d2d48 69917184 6c128738 6f1fc78a 707574e7 738a1ef3 74c73d3c 7706eca4 78e38d4a
--   78ea2092 791c257e 798a27d5 7ac6a12b 7b1cba52 7c265170 7cb57448 7f2deb3a 807e3d9e 818bbd1e
--   832469f4 848b85ce 84e6db34 87f3a5ad 89340b7c 8c0e6029 8c3f5aca 8c9af330 8cd3c634 8de81646
--   8eeff82b 90abf8b6 90eef856 91e78dc1 92bc9c60 93677f50 9656b58c 9740aabd 9874e5c7 99abeeb4
--   9b5afa7d 9e25ee86 9e44e4f8 9e932ac9 9ea026a3 9f9b2d81 a4b5b6fa a97c7884 af30e7cf b23098af
--   b2851573 b44a043c ba18d6bf bc0eb2f9 bc36d4ab bc4e7358 bf3b321b c6b03277 c872d669 c962fc3c
--   c9cef35e c9e3b0ec cbfd614c ccf43f03 ce9376f0 d12f1dcd d23ea406 d254a7a1 d29605d9 d43c7236
--   d7732c92 d8ba5c2a db1d773c de281eb9 e07f3ad2 e0d84dcc e9d1407c eb38eefa eb64664e ebb82119
--   ecf4609c eedeba7b f1a95a94 f43d4737 f53a97ef f5c05190 f8cff128 fa02239a fa9842b6 fe22f08e
--   fe67c3ad fe846e05 fea956b0
delete from cases where workspace_id = $1;

delete from workspace_component_vulnerabilities where workspace_id = $1;

-- server/src/features/workspaces/whole/store.ts deleteWorkspaceRow
delete from workspaces where id = $1;

-- server/src/features/workspaces/whole/store.ts listPeopleOfOne
select subject_id from members where workspace_id = $1;

-- server/src/features/workspaces/whole/store.ts listPeopleOfOne
select subject_id from members where subject_id = any($1::uuid[]) and workspace_id <> $2;

-- server/src/features/workspaces/whole/store.ts listPeopleOfWorkspace
select person.id, person.email, person.display_name, person.created_at, member.role
from people as person
inner join members as member on member.subject_id = person.id
where member.workspace_id = $1
order by person.email;

-- server/src/features/workspaces/whole/store.ts listTenantTables
select class.relname as name, array_agg(member.attname::text order by member.attnum) as columns,
  array(
    select target.relname::text
    from pg_constraint as tie
    join pg_class as target on target.oid = tie.confrelid
    where tie.conrelid = class.oid and tie.contype = 'f' and target.oid <> class.oid
  ) as refers_to
from pg_class as class
join pg_attribute as member on member.attrelid = class.oid and member.attnum > 0
  and not member.attisdropped
where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
  and not class.relispartition
  and exists (
    select
    from pg_attribute as own
    where own.attrelid = class.oid and own.attname = 'workspace_id' and not own.attisdropped
  )
group by class.oid, class.relname
order by class.relname;

-- server/src/features/workspaces/whole/store.ts listWorkspaces
select workspace_id, count(*) as count from devices group by workspace_id;

-- server/src/features/workspaces/whole/store.ts listWorkspaces
select workspace_id, count(*) as count from members group by workspace_id;

-- server/src/features/workspaces/whole/store.ts listWorkspaces
select id, name, created_at, keeps_sources from workspaces order by name, id;

-- server/src/features/workspaces/whole/store.ts readOneInstant
set transaction isolation level repeatable read read only;

-- server/src/features/workspaces/whole/store.ts readRows: the shortest and the longest of many variants
--   00280a02 01ca3131 01f7cfa3 029e0ed7 039113e1 06230232 08f830d6 092fb35f 09de099a 0aba5420
--   0b8ee1bb 0f704f72 0f82a3b2 1077b13e 10a91fdb 12684969 127873fa 14b9f72e 15566c65 15ea4527
--   16be140c 17a05b5d 17aa8364 1c4d4d86 1d5260f7 1fd33ae0 20d351f8 212b201e 2229f33a 22317b99
--   25504bbe 25d2f8d6 266a2040 27a39b95 2b5dcbb3 2f94b527 310700ea 317edcd1 31e78ca9 32049d13
--   331953fa 35ed13cb 3600d45f 38d09df9 3a1f724f 3ac37490 3baebbb0 3c376493 3d8febdd 40f30e3e
--   430b9ae8 4323f1f4 4331fbf7 436c391f 441056a4 47a852d5 4b276eab 4b7e8261 4e48ba59 4e7eed92
--   500bffec 51cc9b72 5226b3e6 52f76c5a 54f9bc65 5757e9c8 59af1bad 5a37a76e 5b0b685e 5c9be132
--   5d2f63b0 5e1d171c 665cec07 67bc47ec 692b3e1f 69ee169d 69f4cd72 6d5e35f4 71db7300 7301dc8a
--   736ab444 74e10747 75460007 77f696c8 786c3097 78b53ef8 7bf868db 7ebfd022 8528faea 85e5c59b
--   89f02516 8a81c4b5 8af709ae 8b0ce49c 8d3d01b6 8f3e6c65 8ff31c7a 91bcad2f 93073b75 9339ff9e
--   93f8df45 94697a59 96372fea 9877b7f7 99861153 99d59edf 99e3da87 9e64c9af 9ed19e34 9ef2dfe0
--   a02ee5e3 a244de89 a54d65d5 a5e23529 a820f77b a8bb4ebf a9a18621 ab0ce441 ad488758 afa8d653
--   afb14763 b10abdbd b4d4c747 b686c56f b9e7e7e3 bad845f2 be29d547 c04e8c11 c12926b0 c1b921d2
--   c29480f0 c514665b c5cc9b52 c6800269 caae4849 cc5b4c38 ce9df3c1 cea330a7 d10b7904 d252395f
--   d3c87476 d51adecc d6279ddf d6324cbb d65bcb8e d8ed0635 dce74492 dffd6c4e e212da57 e23a7b41
--   e26271fd e7a37472 ea2da91f ec47948e ecbdde9d ee5edeb7 eee5f077 f4e19a9d f59bf5a8 f6f72b95
--   f80d43cc f9174e3e f9c959ec
declare exported no scroll cursor for
select to_jsonb(one) - $1::text[] as row
from cases as one
where workspace_id = $2;

declare exported no scroll cursor for
select to_jsonb(one) - $1::text[] as row
from workspace_component_vulnerabilities as one
where workspace_id = $2;

-- server/src/features/workspaces/whole/store.ts readWorkspaceRow
select to_jsonb(workspace) as row from workspaces as workspace where id = $1;

-- server/src/features/workspaces/whole/store.ts takeAnyTime
set local statement_timeout = 0;

-- server/src/features/workspaces/whole/store.ts updateName
update workspaces set name = $1, updated_at = $2 where id = $3;
