-- A row says which licences may ship: in all firmwares of a workspace, or in one, whose row then holds in place of that of the workspace.
create table licence_rules (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- null: in all firmwares without a row of their own.
  firmware_id uuid,
  allow text[] not null,
  deny text[] not null,
  review text[] not null,
  -- The outcomes that may not ship.
  fail_on text[] not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
create unique index licence_rules_of on licence_rules (workspace_id, firmware_id) nulls not distinct;
