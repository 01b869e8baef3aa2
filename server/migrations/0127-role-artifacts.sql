-- A row is a further binary of a firmware version, beside its full image in firmware_artifacts: a delta from one version, or a part such
-- as a boot loader. It must not change once a deployment holds the version; whoever changes it locks the version and the full image
-- first, as firmware_artifacts asks.
create table firmware_role_artifacts (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  -- 'delta', or what the device's own software calls the part.
  role text not null,
  -- Of a delta: the version that a device has to run.
  base_version_id uuid,
  -- Names the file: artifacts/<workspace>/<firmware version>/<blob>.
  blob_id uuid not null,
  file_name text not null,
  size_bytes bigint not null check (size_bytes > 0),
  -- Hexadecimal. Clients of devices check one or the other.
  sha256 text not null,
  sha1 text not null,
  md5 text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  check ((role = 'delta') = (base_version_id is not null)),
  unique nulls not distinct (workspace_id, firmware_version_id, role, base_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  foreign key (workspace_id, base_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index firmware_role_artifacts_base on firmware_role_artifacts (workspace_id, base_version_id) where base_version_id is not null;
