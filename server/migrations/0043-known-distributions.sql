-- Of which distributions records are stored: `Ubuntu:22.04:LTS` as the records state it, or the namespace of the purl
-- (`wolfi`) where they are for all releases. `amount` counts pairs of record and package.
create table known_distributions (
  stated text collate "C" primary key,
  amount integer not null check (amount > 0)
);

insert into known_distributions (stated, amount)
select stated, count(*)
from advisory_affected as affected
cross join lateral (
  select distinct coalesce(statement ->> 'distro', split_part(affected.key, '/', 2)) as stated
  from jsonb_array_elements(affected.statements) as statement
) as distributions
where affected.source not in ('cvelist', 'nvd') and affected.key ~ '^purl:(deb|rpm|apk)/'
group by stated;

-- `Debian:11`; without release where nothing states it. Nobody publishes records of OpenWrt and Arch Linux in these formats.
alter table packages add column distribution text collate "C" generated always as (
  case when identity #>> '{distro,ecosystem}' not in ('OpenWrt', 'Arch Linux')
    then (identity #>> '{distro,ecosystem}') || coalesce(':' || (identity #>> '{distro,release}'), '') end
) stored;
create index packages_of_distribution on packages (distribution) where distribution is not null;
