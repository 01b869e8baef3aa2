-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/sbom-signatures/store.ts deleteBeside
delete from sbom_signatures where workspace_id = $1 and id = $2;

-- server/src/features/sbom-signatures/store.ts insertBeside
insert into sbom_signatures (
  workspace_id, id, sbom_id, file_name, content, created_at, created_by_email
)
values ($1, $2, $3, $4, $5, $6, $7);

-- server/src/features/sbom-signatures/store.ts listAwaiting
select workspace_id, sbom_id
from sbom_signature_facts
where workspace_id = $1 and awaits_key = $2
order by sbom_id;

-- server/src/features/sbom-signatures/store.ts listBeside
select id, sbom_id, file_name, content, created_at, created_by_email
from sbom_signatures
where workspace_id = $1 and sbom_id in ($2)
order by created_at, id;

-- server/src/features/sbom-signatures/store.ts listExamined
select sbom.id as sbom_id, sbom.firmware_version_id, sbom.file_name, fact.facts, fact.examined_at
from sboms as sbom
left join sbom_signature_facts as fact on fact.workspace_id = $1 and fact.sbom_id = sbom.id
where sbom.workspace_id = $2 and sbom.firmware_version_id = any($3::uuid[])
order by sbom.firmware_version_id, sbom.file_name, sbom.id;

-- server/src/features/sbom-signatures/store.ts listUnexamined
select sbom.workspace_id, sbom.id as sbom_id
from sboms as sbom
left join sbom_signature_facts as fact on fact.workspace_id = $1 and fact.sbom_id = sbom.id
where sbom.workspace_id = $2 and (fact.examiner_version is null or fact.examiner_version < $3)
order by sbom.created_at desc
limit $4;

-- server/src/features/sbom-signatures/store.ts saveFacts
insert into sbom_signature_facts (
  workspace_id, sbom_id, examiner_version, facts, awaits_key, examined_at
)
select $1, sbom.id, $2, $3::jsonb, $4, $5
from sboms as sbom
where sbom.workspace_id = $6 and sbom.id = $7
on conflict (workspace_id, sbom_id)
do update
set examiner_version = excluded.examiner_version, facts = excluded.facts,
  awaits_key = excluded.awaits_key, examined_at = excluded.examined_at;
