-- Whether any name of the package is a CPE: coverage asks it of every package of a firmware version.
alter table packages add column has_cpe boolean not null
  generated always as (identity @? '$.pairs[*].key ? (@ starts with "cpe:")') stored;
