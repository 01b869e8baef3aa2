-- Whom the vulnerabilities of a firmware belonged to, and by when SSVC wanted them decided, as figures of a past period need it
-- (decision 102).

-- A row says what holds of a vulnerability in a firmware from a day (UTC) on, until the next row. It is what was last known on that day.
-- Without a row nobody owns it, and its outcome has no target.
create table figure_case_days (
  workspace_id uuid not null,
  firmware_id uuid not null,
  vulnerability_id text collate "C" not null,
  since_day date not null,
  -- Members and teams: type, id, and the name of that day.
  owners jsonb not null,
  -- The most urgent outcome of a version that has it, where any outcome has a target; and the days of its target.
  outcome text,
  target_days integer,
  primary key (workspace_id, firmware_id, vulnerability_id, since_day),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
-- Since when that is kept; null: since the workspace began.
alter table workspaces add column case_days_since timestamptz(3);
update workspaces set case_days_since = now();
