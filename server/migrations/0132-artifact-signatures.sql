-- A row is a signature that stands beside an artifact in a file of its own: of minisign, of cosign, or made by openssl. It belongs to the
-- bytes, so that another artifact of the version has none.
create table artifact_signatures (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  blob_id uuid not null,
  id uuid not null,
  file_name text not null,
  content text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique (workspace_id, firmware_version_id, blob_id, content),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
