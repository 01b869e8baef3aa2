-- Whether the release gate counts crashes of a version that no earlier version had.
alter table workspaces add column gate_new_crashes boolean not null default false;
