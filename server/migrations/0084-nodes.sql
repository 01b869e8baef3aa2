-- Processes of the service and what they run. One that no longer beats has ended.
create table nodes (
  id uuid primary key,
  host text not null,
  roles text[] not null,
  version text not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);
