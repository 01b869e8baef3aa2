-- What was read of bytes, and signatures that stand beside them, went with the next examination of another file of the version. From now
-- on they go with the bytes. What is left over of bytes that are gone is deleted.
delete from image_facts as kept
where not exists (select from firmware_artifacts as artifact where artifact.workspace_id = kept.workspace_id
    and artifact.firmware_version_id = kept.firmware_version_id and artifact.blob_id = kept.blob_id)
  and not exists (select from firmware_role_artifacts as artifact where artifact.workspace_id = kept.workspace_id
    and artifact.firmware_version_id = kept.firmware_version_id and artifact.blob_id = kept.blob_id);

delete from artifact_signatures as kept
where not exists (select from firmware_artifacts as artifact where artifact.workspace_id = kept.workspace_id
    and artifact.firmware_version_id = kept.firmware_version_id and artifact.blob_id = kept.blob_id)
  and not exists (select from firmware_role_artifacts as artifact where artifact.workspace_id = kept.workspace_id
    and artifact.firmware_version_id = kept.firmware_version_id and artifact.blob_id = kept.blob_id);
