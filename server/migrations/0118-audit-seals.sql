-- The day (UTC) whose seal covers the entry; null: none does yet. Entries of before the upgrade are never sealed: nobody could say by then
-- whether they were still as they had been written.
alter table audit_log add column sealed_on date default '-infinity';
alter table audit_log alter column sealed_on drop default;
create index audit_log_sealed on audit_log (workspace_id, sealed_on, created_at, id);

-- A row is the seal of a day of the audit log: SHA-256 over the seal before it and the entries that it covers (decision 109). Rows are only added.
create table audit_seals (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  day date not null,
  -- In hexadecimal.
  seal text not null,
  entry_count integer not null,
  -- Of these, entries of earlier days: they were written when their day had been sealed.
  late_count integer not null,
  sealed_at timestamptz(3) not null,
  primary key (workspace_id, day)
);
