-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/image-checks/signatures/store.ts deleteSignature
delete from artifact_signatures where workspace_id = $1 and id = $2;

-- server/src/features/image-checks/signatures/store.ts findBlobId
select artifact.blob_id
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $1
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $2
) as artifact
where artifact.firmware_version_id = $3 and artifact.role = $4
  and artifact.base_version_id is not distinct from $5::uuid;

-- server/src/features/image-checks/signatures/store.ts insertSignature
insert into artifact_signatures (
  workspace_id, firmware_version_id, id, blob_id, file_name, content, created_at, created_by_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/image-checks/signatures/store.ts listSignatures
select signature.id, signature.blob_id, signature.file_name, signature.content,
  signature.created_at, signature.created_by_email, artifact.role, artifact.base_version_id
from artifact_signatures as signature
join (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $1
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $2
) as artifact on artifact.firmware_version_id = signature.firmware_version_id
  and artifact.blob_id = signature.blob_id
where signature.workspace_id = $3 and signature.firmware_version_id = $4
order by signature.created_at, signature.id;

-- server/src/features/image-checks/store.ts findSize
select size_bytes
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $1
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $2
) as artifact
where firmware_version_id = $3 and blob_id = $4;

-- server/src/features/image-checks/store.ts forgetDeltasOf
delete from image_facts as kept using firmware_role_artifacts as delta
where kept.workspace_id = $1 and delta.workspace_id = $2 and delta.base_version_id = any($3::uuid[])
  and kept.firmware_version_id = delta.firmware_version_id and kept.blob_id = delta.blob_id;

-- server/src/features/image-checks/store.ts forgetDeltasOf
delete from artifact_signatures as kept using firmware_role_artifacts as delta
where kept.workspace_id = $1 and delta.workspace_id = $2 and delta.base_version_id = any($3::uuid[])
  and kept.firmware_version_id = delta.firmware_version_id and kept.blob_id = delta.blob_id;

-- server/src/features/image-checks/store.ts forgetExamined
update image_facts
set checked_with = $1
where workspace_id = $2 and firmware_version_id = $3 and blob_id = $4;

-- server/src/features/image-checks/store.ts forgetGone
delete from image_facts as kept
where kept.workspace_id = $1 and kept.firmware_version_id = $2
  and not exists (
    select
    from (
      select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id,
        file_name, size_bytes, sha256, created_at
      from firmware_artifacts
      where workspace_id = $3
      union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
        sha256, created_at
      from firmware_role_artifacts
      where workspace_id = $4
    ) as artifact
    where artifact.firmware_version_id = kept.firmware_version_id
      and artifact.blob_id = kept.blob_id
  );

-- server/src/features/image-checks/store.ts forgetGone
delete from artifact_signatures as kept
where kept.workspace_id = $1 and kept.firmware_version_id = $2
  and not exists (
    select
    from (
      select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id,
        file_name, size_bytes, sha256, created_at
      from firmware_artifacts
      where workspace_id = $3
      union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
        sha256, created_at
      from firmware_role_artifacts
      where workspace_id = $4
    ) as artifact
    where artifact.firmware_version_id = kept.firmware_version_id
      and artifact.blob_id = kept.blob_id
  );

-- server/src/features/image-checks/store.ts isExamined
select blob_id
from image_facts
where workspace_id = $1 and firmware_version_id = $2 and blob_id = $3 and examiner_version >= $4
  and checked_with = $5;

-- server/src/features/image-checks/store.ts listAwaiting
select workspace_id, firmware_version_id, blob_id
from image_facts
where workspace_id = $1 and awaits_key = $2
order by firmware_version_id;

-- server/src/features/image-checks/store.ts listExamined
select artifact.firmware_version_id, artifact.role, base.name as base_version, artifact.file_name,
  artifact.size_bytes, artifact.sha256, fact.facts, fact.examined_at
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $1
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $2
) as artifact
left join firmware_versions as base on base.workspace_id = $3 and base.id = artifact.base_version_id
left join image_facts as fact on fact.workspace_id = $4
  and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
where artifact.firmware_version_id = any($5::uuid[])
order by artifact.firmware_version_id, artifact.role <> 'image', artifact.role = 'delta',
  artifact.role, base.name;

-- server/src/features/image-checks/store.ts listGone
select kept.firmware_version_id, kept.blob_id
from image_facts as kept
where kept.workspace_id = $1
  and not exists (
    select
    from (
      select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id,
        file_name, size_bytes, sha256, created_at
      from firmware_artifacts
      where workspace_id = $2
      union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
        sha256, created_at
      from firmware_role_artifacts
      where workspace_id = $3
    ) as artifact
    where artifact.firmware_version_id = kept.firmware_version_id
      and artifact.blob_id = kept.blob_id
  )
union select kept.firmware_version_id, kept.blob_id
from artifact_signatures as kept
where kept.workspace_id = $4
  and not exists (
    select
    from (
      select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id,
        file_name, size_bytes, sha256, created_at
      from firmware_artifacts
      where workspace_id = $5
      union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
        sha256, created_at
      from firmware_role_artifacts
      where workspace_id = $6
    ) as artifact
    where artifact.firmware_version_id = kept.firmware_version_id
      and artifact.blob_id = kept.blob_id
  )
order by firmware_version_id, blob_id;

-- server/src/features/image-checks/store.ts listKeptOfArtifacts
select artifact.firmware_version_id, artifact.blob_id, artifact.file_name, artifact.sha256,
  fact.examiner_version, fact.facts -> 'hashes' as hashes
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $1
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $2
) as artifact
left join image_facts as fact on fact.workspace_id = $3
  and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
order by artifact.firmware_version_id, artifact.blob_id;

-- server/src/features/image-checks/store.ts listUnexamined
select $1::text as workspace_id, artifact.firmware_version_id, artifact.blob_id
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $2
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $3
) as artifact
left join image_facts as fact on fact.workspace_id = $4
  and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
where (fact.examiner_version is null or fact.examiner_version < $5)
order by artifact.created_at desc
limit $6;

-- server/src/features/image-checks/store.ts listVersions
select version.id, version.name,
  (
    select json_build_object(
      'name', predecessor.name, 'securityCounter',
        max((fact.facts #>> '{statement,securityCounter}')::bigint)
    )
    from firmware_versions as predecessor
    join firmware_artifacts as artifact on artifact.workspace_id = $1
      and artifact.firmware_version_id = predecessor.id
    join image_facts as fact on fact.workspace_id = $2 and fact.firmware_version_id = predecessor.id
      and fact.blob_id = artifact.blob_id
    where predecessor.workspace_id = $3
      and predecessor.id = coalesce(
        version.predecessor_id,
          (
            select earlier.id
            from firmware_versions as earlier
            where earlier.workspace_id = $4 and earlier.firmware_id = version.firmware_id
              and (earlier.created_at, earlier.id) < (version.created_at, version.id)
              and exists (
                select
                from sboms
                where sboms.workspace_id = $5 and sboms.firmware_version_id = earlier.id
                  and sboms.parsing_state = 'Succeeded'
              ) and earlier.line_id is not distinct from version.line_id
            order by earlier.created_at desc, earlier.id desc
            limit 1
          ),
          (
            select earlier.id
            from firmware_versions as earlier
            where earlier.workspace_id = $6 and earlier.firmware_id = version.firmware_id
              and (earlier.created_at, earlier.id) < (version.created_at, version.id)
              and exists (
                select
                from sboms
                where sboms.workspace_id = $7 and sboms.firmware_version_id = earlier.id
                  and sboms.parsing_state = 'Succeeded'
              )
            order by earlier.created_at desc, earlier.id desc
            limit 1
          )
      ) and fact.facts #>> '{statement,securityCounter}' is not null
    group by predecessor.name
  ) as predecessor
from firmware_versions as version
where version.workspace_id = $8 and version.id = any($9::uuid[])
order by version.id;

-- server/src/features/image-checks/store.ts saveFacts
insert into image_facts (
  workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at,
    checked_with
)
select $1, artifact.firmware_version_id, artifact.blob_id, $2, $3::jsonb, $4, $5, $6
from (
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name,
    size_bytes, sha256, created_at
  from firmware_artifacts
  where workspace_id = $7
  union all select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes,
    sha256, created_at
  from firmware_role_artifacts
  where workspace_id = $8
) as artifact
where artifact.firmware_version_id = $9 and artifact.blob_id = $10
on conflict (workspace_id, firmware_version_id, blob_id)
do update
set examiner_version = excluded.examiner_version, facts = excluded.facts,
  awaits_key = excluded.awaits_key, examined_at = excluded.examined_at,
  checked_with = excluded.checked_with;
