-- A row is a process of the service, with the roles it runs. One that no longer beats has ended.
create table nodes (
  id uuid primary key,
  host text not null,
  roles text[] not null,
  version text not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);

-- The one row is what is known of backups. Backups themselves are outside of the database.
create table backup_state (
  id boolean primary key default true check (id),
  -- Until then a worker takes the scheduled backup, or waits after a failure.
  claimed_until timestamptz(3),
  -- When the last good backup of the schedule was taken, and the last good one of the schedule or of an operator.
  scheduled_at timestamptz(3),
  taken_at timestamptz(3),
  -- Of the last good one: how long it took, what its files have in all, and how many files could not be read.
  seconds double precision,
  content_bytes bigint,
  missing_files integer,
  failed_at timestamptz(3),
  error text
);
insert into backup_state default values;
