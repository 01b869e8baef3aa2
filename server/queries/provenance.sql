-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/provenance/chain/store.ts listImages
select artifact.firmware_version_id, artifact.file_name, null::text as role, artifact.sha256,
  fact.facts -> 'hashes' as hashes
from firmware_artifacts as artifact
left join image_facts as fact on fact.workspace_id = artifact.workspace_id
  and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
where artifact.workspace_id = $1 and artifact.firmware_version_id = any($2::uuid[])
union all select part.firmware_version_id, part.file_name, part.role, part.sha256,
  fact.facts -> 'hashes' as hashes
from firmware_role_artifacts as part
left join image_facts as fact on fact.workspace_id = part.workspace_id
  and fact.firmware_version_id = part.firmware_version_id and fact.blob_id = part.blob_id
where part.workspace_id = $3 and part.firmware_version_id = any($4::uuid[]) and part.role <> 'delta'
order by role nulls first;

-- server/src/features/provenance/chain/store.ts listNames
select id, name from firmware_versions where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/provenance/chain/store.ts listSboms
select sbom.id, sbom.firmware_version_id, sbom.file_name, sbom.format, sbom.sha256,
  sbom.content_digest, sbom.described_hashes,
  coalesce(
    (
      select json_agg(
        json_build_object('name', component.package_name, 'hashes', component.hashes)
      )
      from sbom_components as component
      where component.workspace_id = $1 and component.sbom_id = sbom.id and component.hashes <> '[]'
        and component.package_name = any(
          array(
            select artifact.file_name
            from firmware_artifacts as artifact
            where artifact.workspace_id = $2
              and artifact.firmware_version_id = sbom.firmware_version_id
            union all select part.file_name
            from firmware_role_artifacts as part
            where part.workspace_id = $3 and part.firmware_version_id = sbom.firmware_version_id
          )
        )
    ), '[]'
  ) as namesakes
from sboms as sbom
where sbom.workspace_id = $4 and sbom.firmware_version_id = any($5::uuid[])
  and sbom.parsing_state = 'Succeeded' and sbom.staged_statements is null
order by sbom.created_at, sbom.id;

-- server/src/features/provenance/key-proofs/store.ts countUnchecked
select count(*)::int as count
from (
  select artifact.firmware_version_id, artifact.blob_id
  from firmware_artifacts as artifact
  where artifact.workspace_id = $1
  union all select part.firmware_version_id, part.blob_id
  from firmware_role_artifacts as part
  where part.workspace_id = $2
  union all select sbom.firmware_version_id, sbom.id
  from sboms as sbom
  where sbom.workspace_id = $3
) as file
where not exists (
  select
  from image_facts as fact
  where fact.workspace_id = $4 and fact.firmware_version_id = file.firmware_version_id
    and fact.blob_id = file.blob_id
)
  and not exists (
    select
    from sbom_signature_facts as fact
    where fact.workspace_id = $5 and fact.sbom_id = file.blob_id
  );

-- server/src/features/provenance/key-proofs/store.ts listSignedFiles
select file.kind, file.facts -> 'signatures' as signatures, file.facts ->> 'fault' as fault,
  file.facts ->> 'obstacle' as obstacle, count(*)::int as file_count,
  array_agg(distinct file.firmware_version_id) as firmware_version_ids
from (
  select 'Image' as kind, fact.firmware_version_id, fact.facts
  from image_facts as fact
  where fact.workspace_id = $1
    and (
      exists (
        select
        from firmware_artifacts as image
        where image.workspace_id = $2 and image.firmware_version_id = fact.firmware_version_id
          and image.blob_id = fact.blob_id
      )
        or exists (
          select
          from firmware_role_artifacts as part
          where part.workspace_id = $3 and part.firmware_version_id = fact.firmware_version_id
            and part.blob_id = fact.blob_id
        )
    )
  union all select 'Statement', firmware_version_id, facts
  from provenance_statements
  where workspace_id = $4
  union all select 'Sbom', sbom.firmware_version_id, fact.facts
  from sbom_signature_facts as fact
  join sboms as sbom on sbom.workspace_id = $5 and sbom.id = fact.sbom_id
  where fact.workspace_id = $6
) as file
where file.facts @? '$.signatures[*] ? (@.outcome == "Valid")'
group by 1, 2, 3, 4;

-- server/src/features/provenance/key-proofs/store.ts listVersionNames
select version.id, version.name, firmware.name as firmware_name
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
where version.workspace_id = $2 and version.id = any($3::uuid[])
order by firmware.name, version.name, version.id
limit $4;

-- server/src/features/provenance/store.ts deleteStatement
delete from provenance_statements where workspace_id = $1 and id = $2;

-- server/src/features/provenance/store.ts findContent
select file_name, content
from provenance_statements
where workspace_id = $1 and firmware_version_id = $2 and id = $3;

-- server/src/features/provenance/store.ts insertStatement
insert into provenance_statements (
  workspace_id, id, firmware_version_id, file_name, sha256, size_bytes, created_at,
    created_by_email, content, awaits_key, facts
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/provenance/store.ts listAwaiting
select id, firmware_version_id
from provenance_statements
where workspace_id = $1 and awaits_key = $2
order by id;

-- server/src/features/provenance/store.ts listStatements
select id, firmware_version_id, file_name, sha256, size_bytes, facts, created_at, created_by_email
from provenance_statements
where workspace_id = $1 and firmware_version_id = any($2::uuid[])
order by created_at, id;

-- server/src/features/provenance/store.ts updateFacts
update provenance_statements set facts = $1, awaits_key = $2 where workspace_id = $3 and id = $4;
