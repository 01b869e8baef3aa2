-- How many findings of a version are as urgent by SSVC as the release gate asks, for marks in lists of thousands of versions.

-- Another number each time that the findings of the version changed, or what was decided about them.
alter table firmware_version_counters add column revision integer not null default 0;

-- A row is what was counted last, and of what: it holds as long as nothing of that changed.
create table firmware_version_urgency (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  counted_of text collate "C" not null,
  urgent_count integer not null,
  primary key (workspace_id, firmware_version_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
