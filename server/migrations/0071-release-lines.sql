-- A row is a release line of a firmware: the versions whose names its patterns match, or that are stated to belong to it (decision 89).
create table firmware_lines (
  workspace_id uuid not null,
  id uuid not null,
  firmware_id uuid not null,
  name text not null,
  -- The first line in this order that matches the name of a version takes it.
  place integer not null,
  patterns text[] not null,
  -- The first day without fixes for what runs the line; null: as the firmware says.
  support_ends_on date,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
create index firmware_lines_firmware on firmware_lines (workspace_id, firmware_id);

-- The line of a version, and the one that somebody stated. Both are null where nobody made lines: then all versions of a firmware are
-- one line without a name. A line is deleted only when no version names it, so the keys need no rule for that.
alter table firmware_versions add column line_id uuid;
alter table firmware_versions add column stated_line_id uuid;
