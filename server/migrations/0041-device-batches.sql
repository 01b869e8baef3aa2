-- A row is a command that changed tags or cohorts of devices, which can be taken back as a whole for a week.
create table device_batches (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  act text not null check (act in ('Tag', 'Move')),
  -- Since when it is taken back.
  undone_at timestamptz(3),
  undone_by_email text,
  primary key (workspace_id, id)
);

-- A device that the command changed: what it had before, and what it had then.
create table device_batch_devices (
  workspace_id uuid not null,
  batch_id uuid not null,
  device_id text not null,
  tags_before text[] not null,
  cohort_id_before uuid,
  cohort_by_rule_before boolean not null,
  tags_after text[] not null,
  cohort_id_after uuid,
  cohort_by_rule_after boolean not null,
  primary key (workspace_id, batch_id, device_id),
  foreign key (workspace_id, batch_id) references device_batches (workspace_id, id) on delete cascade
);
