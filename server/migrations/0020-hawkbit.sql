-- What the hawkBit door knows of a device beside what all doors know.
create table ddi_devices (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  -- Its configData: what was sent last, after merging.
  attributes jsonb not null default '{}',
  attributes_at timestamptz(3),
  -- It installed something since, or never sent any.
  attributes_wanted boolean not null default true,
  -- Its attributes tell which version runs, so that its own word on an installation is not needed.
  states_versions boolean not null default false,
  -- Null: deployments that ask for confirmation wait for it.
  auto_confirm_at timestamptz(3),
  auto_confirm_initiator text,
  auto_confirm_remark text,
  -- The action it answered last, and how.
  answered_number integer,
  answer text check (answer in ('confirmed', 'denied')),
  answer_details text,
  -- What it said of its latest action, the last lines of it.
  told_number integer,
  told text[] not null default '{}',
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
