-- Deltas and parts arrive in parts, too: a version has one unfinished upload of each file.
alter table firmware_artifact_uploads add column role text not null default 'image';
-- Of a delta: the version that a device has to run.
alter table firmware_artifact_uploads add column base_version_id uuid;
alter table firmware_artifact_uploads
  drop constraint firmware_artifact_uploads_pkey,
  add primary key (workspace_id, id),
  add unique nulls not distinct (workspace_id, firmware_version_id, role, base_version_id),
  add check ((role = 'delta') = (base_version_id is not null)),
  add foreign key (workspace_id, base_version_id) references firmware_versions (workspace_id, id) on delete cascade;
create index firmware_artifact_uploads_base on firmware_artifact_uploads (workspace_id, base_version_id) where base_version_id is not null;
