-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/sbom-grades/store.ts findGrades
select id, file_name, format, spec_version, grades
from sboms
where workspace_id = $1 and id = $2
union all select id, file_name, format, spec_version, grades
from replaced_sboms
where workspace_id = $3 and id = $4;
