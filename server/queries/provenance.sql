-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/provenance/chain/store.ts countDeviceProofs
with report as (
  select nullif(
    lower(
      trim(
        coalesce(
          device.attributes ->> ('imageHash.' || running.slug), case
            when not exists (
              select
              from device_firmwares as beside
              where beside.workspace_id = $1 and beside.device_id = running.device_id
                and beside.slug <> running.slug
            ) then device.attributes ->> 'imageHash' end
        )
      )
    ), ''
  ) as hash, running.build_id is not null as has_build_id, count(*)::int as devices
  from device_firmwares as running
  join devices as device on device.workspace_id = $2 and device.id = running.device_id
  where running.workspace_id = $3 and running.firmware_version_id = $4
  group by 1, 2
), foreign_hash as (select hash from report where hash <> all($5::text[])),
  known as (
    select stated.value ->> 'value' as hash
    from image_facts as fact
    cross join lateral jsonb_array_elements(coalesce(fact.facts -> 'hashes', '[]')) as stated (
      value
    )
    where fact.workspace_id = $6 and stated.value ->> 'value' in (select hash from foreign_hash)
    union select artifact.sha256
    from firmware_artifacts as artifact
    where artifact.workspace_id = $7 and artifact.sha256 in (select hash from foreign_hash)
  )
select coalesce(sum(devices), 0)::int as running,
  coalesce(
    sum(devices) filter (where hash = any($8::text[]) or (hash is null and has_build_id)), 0
  )::int as proved,
  coalesce(
    sum(devices) filter (where hash <> all($9::text[]) and hash in (select hash from known)), 0
  )::int as of_other,
  coalesce(
    sum(devices) filter (where hash <> all($10::text[]) and hash not in (select hash from known)), 0
  )::int as unknown,
  coalesce(sum(devices) filter (where hash is null and not has_build_id), 0)::int as named
from report;

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
