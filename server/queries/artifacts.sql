-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/artifacts/addresses/store.ts addUses
update artifact_addresses
set uses = uses + $1, last_used_at = greatest(last_used_at, $2)
where workspace_id = $3 and id = $4;

-- server/src/features/artifacts/addresses/store.ts deleteAddress
delete from artifact_addresses
where workspace_id = $1 and firmware_version_id = $2 and id = $3
returning id, secret, role, base_version_id, created_at, created_by_email, ends_at, uses,
  last_used_at;

-- server/src/features/artifacts/addresses/store.ts findAddressed
select address.workspace_id, address.secret, file.firmware_version_id, file.blob_id, file.file_name,
  file.size_bytes, file.sha256
from artifact_addresses as address
cross join lateral (
  select firmware_version_id, blob_id, file_name, size_bytes, sha256
  from firmware_artifacts
  where workspace_id = $1 and firmware_version_id = address.firmware_version_id
    and address.role = 'image'
  union all select firmware_version_id, blob_id, file_name, size_bytes, sha256
  from firmware_role_artifacts
  where workspace_id = $2 and firmware_version_id = address.firmware_version_id
    and role = address.role and base_version_id is not distinct from address.base_version_id
) as file
where address.workspace_id = $3 and address.id = $4 and address.ends_at > $5;

-- server/src/features/artifacts/addresses/store.ts insertAddress
insert into artifact_addresses (
  workspace_id, firmware_version_id, role, base_version_id, id, secret, created_at,
    created_by_email, ends_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/artifacts/addresses/store.ts listAddresses
select id, secret, role, base_version_id, created_at, created_by_email, ends_at, uses, last_used_at
from artifact_addresses
where workspace_id = $1 and firmware_version_id = $2
order by created_at desc, id desc;

-- server/src/features/artifacts/checks-store.ts hasRoles
select to_regclass('firmware_role_artifacts') is not null as is_there;

-- server/src/features/artifacts/checks-store.ts listArtifactFiles
select firmware_version_id, blob_id, file_name, size_bytes, sha256
from firmware_artifacts
where workspace_id = $1
order by firmware_version_id;

-- server/src/features/artifacts/checks-store.ts listPartFiles
select firmware_version_id, id, parts, received_bytes
from firmware_artifact_uploads
where workspace_id = $1
order by id;

-- server/src/features/artifacts/checks-store.ts listRoleFiles
select firmware_version_id, blob_id, file_name, size_bytes, sha256
from firmware_role_artifacts
where workspace_id = $1
order by id;

-- server/src/features/artifacts/roles/store.ts deleteRoleArtifact
delete from firmware_role_artifacts where workspace_id = $1 and id = $2;

-- server/src/features/artifacts/roles/store.ts findRoleArtifact
select artifact.id, artifact.firmware_version_id, artifact.role, artifact.base_version_id,
  base.name as base_version, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email,
  artifact.offered_from
from firmware_role_artifacts as artifact
left join firmware_versions as base on base.workspace_id = artifact.workspace_id
  and base.id = artifact.base_version_id
where artifact.workspace_id = $1 and artifact.firmware_version_id = $2 and artifact.role = $3
  and artifact.base_version_id is not distinct from $4::uuid;

-- server/src/features/artifacts/roles/store.ts findRoleArtifactOfUpdate
select artifact.id, artifact.firmware_version_id, artifact.role, artifact.base_version_id,
  base.name as base_version, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email,
  artifact.offered_from, artifact.workspace_id
from firmware_role_artifacts as artifact
left join firmware_versions as base on base.workspace_id = artifact.workspace_id
  and base.id = artifact.base_version_id
where artifact.workspace_id = $1
  and exists (
    select
    from device_updates as offered
    join deployment_artifacts as held on held.workspace_id = $2
      and held.deployment_id = offered.deployment_id
    where offered.workspace_id = $3 and offered.update_id = $4
      and offered.state in ('pending', 'inProgress') and offered.released_at is not null
      and held.firmware_version_id = artifact.firmware_version_id
      and ($5::integer is null or held.position = $6)
  ) and artifact.id = $7 and artifact.file_name = $8;

-- server/src/features/artifacts/roles/store.ts hasRoleBlob
select id
from firmware_role_artifacts
where workspace_id = $1 and firmware_version_id = $2 and blob_id = $3;

-- server/src/features/artifacts/roles/store.ts listRoleArtifacts
select artifact.id, artifact.firmware_version_id, artifact.role, artifact.base_version_id,
  base.name as base_version, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email,
  artifact.offered_from
from firmware_role_artifacts as artifact
left join firmware_versions as base on base.workspace_id = artifact.workspace_id
  and base.id = artifact.base_version_id
where artifact.workspace_id = $1 and artifact.firmware_version_id = $2
order by artifact.role = 'delta', artifact.role, base.name;

-- server/src/features/artifacts/roles/store.ts upsertRoleArtifact
insert into firmware_role_artifacts (
  workspace_id, firmware_version_id, role, base_version_id, id, blob_id, file_name, size_bytes,
    sha256, md5, sha1, created_at, created_by_email, offered_from
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (workspace_id, firmware_version_id, role, base_version_id)
do update
set blob_id = $15, file_name = $16, size_bytes = $17, sha256 = $18, md5 = $19, sha1 = $20,
  created_at = $21, created_by_email = $22, offered_from = $23;

-- server/src/features/artifacts/store.ts deleteArtifact
delete from firmware_artifacts where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/artifacts/store.ts findArtifact
select artifact.firmware_version_id, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email
from firmware_artifacts as artifact
where artifact.workspace_id = $1 and artifact.firmware_version_id = $2;

-- server/src/features/artifacts/store.ts findArtifactOfUpdate
select artifact.firmware_version_id, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email,
  artifact.workspace_id
from firmware_artifacts as artifact
where artifact.workspace_id = $1
  and exists (
    select
    from device_updates as offered
    join deployment_artifacts as held on held.workspace_id = $2
      and held.deployment_id = offered.deployment_id
    where offered.workspace_id = $3 and offered.update_id = $4
      and offered.state in ('pending', 'inProgress') and offered.released_at is not null
      and held.firmware_version_id = artifact.firmware_version_id
      and ($5::integer is null or held.position = $6)
  ) and artifact.file_name = $7;

-- server/src/features/artifacts/store.ts findLastDeployed
select max(deployment.created_at) as made_at
from deployment_artifacts as held
inner join deployments as deployment on deployment.workspace_id = held.workspace_id
  and deployment.id = held.deployment_id
where held.workspace_id = $1 and held.firmware_version_id = $2;

-- server/src/features/artifacts/store.ts lockArtifact
select artifact.firmware_version_id, artifact.blob_id, artifact.file_name, artifact.size_bytes,
  artifact.sha256, artifact.sha1, artifact.md5, artifact.created_at, artifact.created_by_email
from firmware_artifacts as artifact
where artifact.workspace_id = $1 and artifact.firmware_version_id = $2
for update;

-- server/src/features/artifacts/store.ts upsertArtifact
insert into firmware_artifacts (
  workspace_id, firmware_version_id, blob_id, file_name, size_bytes, sha256, md5, sha1, created_at,
    created_by_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (workspace_id, firmware_version_id)
do update
set blob_id = $11, file_name = $12, size_bytes = $13, sha256 = $14, md5 = $15, sha1 = $16,
  created_at = $17, created_by_email = $18;

-- server/src/features/artifacts/uploads/store.ts appendPart
update firmware_artifact_uploads
set parts = parts || $1::uuid, received_bytes = $2, expires_at = $3
where workspace_id = $4 and firmware_version_id = $5 and id = $6 and received_bytes = $7
returning id;

-- server/src/features/artifacts/uploads/store.ts deleteExpiredUploads
delete from firmware_artifact_uploads where workspace_id = $1 and expires_at < $2;

-- server/src/features/artifacts/uploads/store.ts deleteUpload
delete from firmware_artifact_uploads
where workspace_id = $1 and firmware_version_id = $2 and id = $3
returning id;

-- server/src/features/artifacts/uploads/store.ts findUpload
select id, file_name, total_bytes, received_bytes, parts, repr_digest, created_at, expires_at
from firmware_artifact_uploads
where workspace_id = $1 and firmware_version_id = $2 and role = $3
  and base_version_id is not distinct from $4::uuid;

-- server/src/features/artifacts/uploads/store.ts hasPart
select parts
from firmware_artifact_uploads
where workspace_id = $1 and firmware_version_id = $2 and id = $3;

-- server/src/features/artifacts/uploads/store.ts listUploads
select upload.role, upload.base_version_id, base.name as base_version, upload.id, upload.file_name,
  upload.total_bytes, upload.received_bytes, upload.parts, upload.repr_digest, upload.created_at,
  upload.expires_at, upload.created_by_email
from firmware_artifact_uploads as upload
left join firmware_versions as base on base.workspace_id = upload.workspace_id
  and base.id = upload.base_version_id
where upload.workspace_id = $1 and upload.firmware_version_id = $2 and upload.expires_at > $3
order by upload.created_at desc, upload.id;

-- server/src/features/artifacts/uploads/store.ts listWorkspacesWithExpired
select distinct workspace_id from firmware_artifact_uploads where expires_at < $1;

-- server/src/features/artifacts/uploads/store.ts replaceUpload
insert into firmware_artifact_uploads (
  workspace_id, firmware_version_id, role, base_version_id, id, file_name, total_bytes, repr_digest,
    created_at, expires_at, created_by_email, received_bytes, parts
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (workspace_id, firmware_version_id, role, base_version_id)
do update
set id = $14, file_name = $15, total_bytes = $16, repr_digest = $17, created_at = $18,
  expires_at = $19, created_by_email = $20, received_bytes = $21, parts = $22;
