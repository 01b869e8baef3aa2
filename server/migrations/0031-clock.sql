-- The one row is what is known of the clock of the database, by which the service goes.
create table clock (
  id boolean primary key default true check (id),
  -- When a worker looked last.
  seen_at timestamptz(3),
  -- The last jump, by the clock after it, and how far it went; negative: back.
  jumped_at timestamptz(3),
  jumped_seconds double precision
);
insert into clock default values;
