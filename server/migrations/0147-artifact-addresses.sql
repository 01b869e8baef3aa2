-- A row is a standing address of one file of a firmware version: whoever has it downloads the file until it ends or is revoked
-- (decision 122). Its secret is a signature of the id, so nothing of it is stored.
create table artifact_addresses (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  -- 'image' is the full image. The file itself may be uploaded later.
  role text not null,
  -- Of a delta.
  base_version_id uuid,
  created_at timestamptz(3) not null,
  created_by_email text,
  ends_at timestamptz(3) not null,
  -- Both are written some seconds late, as one update makes thousands of requests.
  uses bigint not null default 0,
  last_used_at timestamptz(3),
  primary key (workspace_id, id),
  check ((role = 'delta') = (base_version_id is not null)),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  foreign key (workspace_id, base_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index artifact_addresses_version on artifact_addresses (workspace_id, firmware_version_id);
create index artifact_addresses_base on artifact_addresses (workspace_id, base_version_id) where base_version_id is not null;
