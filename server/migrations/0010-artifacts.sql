-- A row is the binary of a firmware version. It must not change once a deployment holds the version: whoever changes or deletes the
-- row locks it and then looks for deployment_artifacts, whoever creates a deployment shares it first.
create table firmware_artifacts (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
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
  primary key (workspace_id, firmware_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);

-- A row is an artifact that is sent in parts and has not arrived whole. A version has at most one: an upload that begins anew replaces
-- the one before, whose sender learns of it by the id.
create table firmware_artifact_uploads (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  id uuid not null,
  file_name text not null,
  total_bytes bigint not null check (total_bytes > 0),
  received_bytes bigint not null default 0 check (received_bytes <= total_bytes),
  -- What arrived, in order: files artifact-parts/<workspace>/<firmware version>/<upload>/<part>.
  parts uuid[] not null default '{}',
  -- The digest of the whole as declared with the first part, as sent; checked when it is complete.
  repr_digest text,
  created_at timestamptz(3) not null,
  created_by_email text,
  -- Moves with every part.
  expires_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
