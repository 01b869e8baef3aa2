-- A row is a moment at which a device began a new run, connected or disconnected, kept for as long as comparisons of roll-outs look back.
create table device_presence_changes (
  workspace_id uuid not null,
  id bigint generated always as identity,
  device_id text collate "C" not null,
  at timestamptz(3) not null,
  kind text not null check (kind in ('Started', 'Connected', 'Disconnected')),
  primary key (workspace_id, id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index device_presence_changes_device on device_presence_changes (workspace_id, device_id, at);
create index device_presence_changes_time on device_presence_changes (workspace_id, at);
