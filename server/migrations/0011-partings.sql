-- Advisories that left a vulnerability for one of their own, which keeps what was decided until then.
create table vulnerability_partings (
  vulnerability_id text collate "C" not null,
  part_id text collate "C" not null,
  parted_at timestamptz(3) not null,
  primary key (vulnerability_id, part_id)
);
