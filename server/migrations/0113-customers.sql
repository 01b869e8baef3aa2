-- A row is a customer: somebody who has some of the devices, and may see what is known of them (decision 106).
create table customers (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- For the team; no customer sees it.
  note text,
  -- Devices with this tag are the customer's, besides those of its cohorts; null: those of its cohorts alone.
  tag text,
  -- [{"email": "…", "name": "…"}], in the order given.
  contacts jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index customers_name on customers (workspace_id, lower(name));
create index customers_tag on customers (workspace_id, tag) where tag is not null;

-- A row says that the devices of the cohort are the customer's.
create table customer_cohorts (
  workspace_id uuid not null,
  customer_id uuid not null,
  cohort_id uuid not null,
  primary key (workspace_id, customer_id, cohort_id),
  foreign key (workspace_id, customer_id) references customers (workspace_id, id) on delete cascade,
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id) on delete cascade
);
create index customer_cohorts_cohort on customer_cohorts (workspace_id, cohort_id);

-- A row says since when a device is the customer's. Rows follow cohorts and tags in the transactions that change these. They do not
-- refer to devices, so that a change of a customer waits for no report of a device.
create table customer_devices (
  workspace_id uuid not null,
  customer_id uuid not null,
  device_id text collate "C" not null,
  since timestamptz(3) not null,
  primary key (workspace_id, customer_id, device_id),
  foreign key (workspace_id, customer_id) references customers (workspace_id, id) on delete cascade
);
create index customer_devices_device on customer_devices (workspace_id, device_id);

-- A row is an address that others read without a key: the page of a customer, or documents about a firmware (a standing address).
create table shared_links (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- Of the token; null: whoever knows the address may read it.
  token_hash bytea,
  customer_id uuid,
  firmware_id uuid,
  -- Without both: the newest version of the firmware.
  line_id uuid,
  firmware_version_id uuid,
  documents text[] check (documents <@ array['Vex', 'Sbom', 'Support']),
  created_at timestamptz(3) not null,
  created_by_email text,
  ends_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  uses bigint not null default 0,
  -- The uses that the audit log tells of, and when it told last.
  told_uses bigint not null default 0,
  told_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, customer_id) references customers (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade,
  foreign key (workspace_id, line_id) references firmware_lines (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  check ((customer_id is null) <> (firmware_id is null)),
  check (customer_id is null or (token_hash is not null and ends_at is not null)),
  check ((firmware_id is null) = (documents is null)),
  check (line_id is null or firmware_version_id is null)
);
create unique index shared_links_token on shared_links (workspace_id, token_hash) where token_hash is not null;
create index shared_links_customer on shared_links (workspace_id, customer_id) where customer_id is not null;
create index shared_links_firmware on shared_links (workspace_id, firmware_id) where firmware_id is not null;
create index shared_links_line on shared_links (workspace_id, line_id) where line_id is not null;
create index shared_links_version on shared_links (workspace_id, firmware_version_id) where firmware_version_id is not null;
