-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/support/counts-store.ts listSupportCounts
with ending as materialized (
  select support.package_id, cycle.ends_on, coalesce(cycle.ends_on <= $1::date, true) as has_ended
  from support_cycles as cycle
  join package_support as support on support.product = cycle.product and support.cycle = cycle.cycle
  where (cycle.ends_on is not null or cycle.has_ended)
    and not exists (
      select
      from support_statement_packages as chosen
      where chosen.workspace_id = $2 and chosen.package_id = support.package_id
    )
  union all select stated.package_id, stated.ends_on, stated.ends_on <= $3::date
  from (
    select distinct on (chosen.package_id) chosen.package_id, statement.ends_on
    from support_statement_packages as chosen
    join support_statements as statement on statement.workspace_id = chosen.workspace_id
      and statement.id = chosen.statement_id
    where chosen.workspace_id = $4
    order by chosen.package_id, statement.created_at desc, statement.id
  ) as stated
  where stated.ends_on is not null
),
  promised as (
    select version.id,
      coalesce(
        line.support_ends_on, firmware.support_ends_on,
          (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date
      ) as until
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $5 and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = $6 and line.id = version.line_id
    left join product_line_firmwares as part on part.workspace_id = $7
      and part.firmware_id = version.firmware_id
    left join product_lines as product on product.workspace_id = $8
      and product.id = part.product_line_id
    where version.workspace_id = $9 and version.id = any($10::uuid[])
  ),
  counted as (
    select promised.id, (count(*) filter (where ending.has_ended))::int as ended,
      (count(*) filter (where not ending.has_ended and ending.ends_on < promised.until))::int as
      ending_before_promise
    from ending
    join firmware_version_packages as held on held.workspace_id = $11
      and held.package_id = ending.package_id and held.until is null
    join promised on promised.id = held.firmware_version_id
    group by promised.id
  )
select promised.id as firmware_version_id, coalesce(counted.ended, 0) as ended,
  coalesce(counted.ending_before_promise, 0) as ending_before_promise,
  promised.until is not null as has_promise,
  not exists (
    select
    from firmware_version_packages as held
    where held.workspace_id = $12 and held.firmware_version_id = promised.id and held.until is null
      and not exists (
        select
        from support_statement_packages as chosen
        where chosen.workspace_id = $13 and chosen.package_id = held.package_id
      )
      and not exists (
        select
        from package_support as support
        join support_cycles as cycle on cycle.product = support.product
          and cycle.cycle = support.cycle
        where support.package_id = held.package_id
          and (cycle.ends_on is not null or cycle.has_ended is not null)
      )
  ) as is_known
from promised
left join counted on counted.id = promised.id;

-- server/src/features/support/derivation-store.ts deleteSupport
delete from package_support where package_id = any($1::uuid[]);

-- server/src/features/support/derivation-store.ts listCandidates
with held as (select unnest($1::uuid[]) as id),
  named as (
    select held.id, known.product
    from held
    join package_keys on package_keys.package_id = held.id
    join support_product_keys as known on known.key = package_keys.key
    union select held.id, known.product
    from held
    join packages on packages.id = held.id
    join support_product_keys as known on known.key = 'distribution:' || (
      packages.identity #>> '{distro,ecosystem}'
    )
  ), grouped as (select id, array_agg(product order by product) as products from named group by id)
select grouped.id, packages.identity, grouped.products
from grouped
join packages on packages.id = grouped.id
order by grouped.id;

-- server/src/features/support/derivation-store.ts listCandidatesOfVersion
with held as (
  select package_id as id
  from firmware_version_packages
  where workspace_id = $1 and firmware_version_id = $2 and until is null
),
  named as (
    select held.id, known.product
    from held
    join package_keys on package_keys.package_id = held.id
    join support_product_keys as known on known.key = package_keys.key
    union select held.id, known.product
    from held
    join packages on packages.id = held.id
    join support_product_keys as known on known.key = 'distribution:' || (
      packages.identity #>> '{distro,ecosystem}'
    )
  ), grouped as (select id, array_agg(product order by product) as products from named group by id)
select grouped.id, packages.identity, grouped.products
from grouped
join packages on packages.id = grouped.id
order by grouped.id;

-- server/src/features/support/derivation-store.ts listFingerprints
select product, fingerprint from support_product_states;

-- server/src/features/support/derivation-store.ts listKeysOfProducts
select product, key from support_product_keys where product = any($1::text[]);

-- server/src/features/support/derivation-store.ts listPackageIds
select id from packages where id > $1 order by id limit $2;

-- server/src/features/support/derivation-store.ts listPackagesOfProduct
select package_id as id
from package_support
where product = $1
union select package_id
from package_keys
where key = any($2::text[])
union select packages.id
from unnest($3::text[]) as named
join packages on packages.distribution = named
  or (packages.distribution >= named || ':' and packages.distribution < named || ';')
union select packages.id
from packages
where distribution is null and identity ? 'distro'
  and identity #>> '{distro,ecosystem}' = any($4::text[])
order by id;

-- server/src/features/support/derivation-store.ts listProducts
select name, identifiers, cycles, gone_at is not null as is_gone
from support_products
where true
order by name;

-- server/src/features/support/derivation-store.ts listProducts
select name, identifiers, cycles, gone_at is not null as is_gone
from support_products
where name = any($1::text[])
order by name;

-- server/src/features/support/derivation-store.ts listSupport
select package_id, product, cycle, key, version
from package_support
where package_id = any($1::uuid[]);

-- server/src/features/support/derivation-store.ts lockDerivation
select pg_advisory_xact_lock($1);

-- server/src/features/support/derivation-store.ts lockDerivation
select pg_advisory_xact_lock_shared($1);

-- server/src/features/support/derivation-store.ts replaceKeys
delete from support_product_keys where product = $1 and key <> all($2::text[]) returning key;

-- server/src/features/support/derivation-store.ts replaceKeys
insert into support_product_keys (key, product)
select key, $1
from unnest($2::text[]) as key
on conflict
do nothing;

-- server/src/features/support/derivation-store.ts writeFingerprint
insert into support_product_states (product, fingerprint)
values ($1, $2)
on conflict (product)
do update
set fingerprint = excluded.fingerprint;

-- server/src/features/support/derivation-store.ts writeSupport
insert into package_support as stored (package_id, product, cycle, key, version)
select input.*
from jsonb_to_recordset($1::jsonb) as input (
  "packageId" uuid, product text, cycle text, key text, version text
)
where not exists (
  select
  from package_support as same
  where same.package_id = input."packageId"
    and (same.product, same.cycle, same.key, same.version) is not distinct from (
      input.product, input.cycle, input.key, input.version
    )
)
order by input."packageId"
on conflict (package_id)
do update
set product = excluded.product, cycle = excluded.cycle, key = excluded.key,
  version = excluded.version;

-- server/src/features/support/statements-store.ts addChosen
insert into support_statement_packages (workspace_id, package_id, statement_id)
select $1, package_id, $2
from unnest($3::uuid[]) as package_id
on conflict
do nothing;

-- server/src/features/support/statements-store.ts countStatements
select count(*)::int as count from support_statements where workspace_id = $1;

-- server/src/features/support/statements-store.ts deleteStatement
delete from support_statements where workspace_id = $1 and id = $2;

-- server/src/features/support/statements-store.ts insertStatement
insert into support_statements (
  workspace_id, id, purl, name, keys, version_from, version_before, ends_on, link, note, created_at,
    created_by_email, updated_at
)
values ($1, $2, $3, $4, $5::text[], $6, $7, $8::date, $9, $10, $11, $12, $13);

-- server/src/features/support/statements-store.ts listPackagesOfKeys
select packages.id, packages.identity
from packages
where id in (select package_id from package_keys where key = any($1::text[]))
  and exists (
    select
    from firmware_version_packages as held
    where held.workspace_id = $2 and held.package_id = packages.id and held.until is null
  )
order by packages.id;

-- server/src/features/support/statements-store.ts listPackagesOfVersion
select packages.id, packages.identity
from firmware_version_packages as held
join packages on packages.id = held.package_id
where held.workspace_id = $1 and held.firmware_version_id = $2 and held.until is null
  and exists (
    select
    from package_keys
    where package_keys.package_id = held.package_id and package_keys.key = any($3::text[])
  )
order by packages.id;

-- server/src/features/support/statements-store.ts listStatements
select id, purl, name, version_from, version_before, ends_on::text as ends_on, link, note, keys,
  created_at, created_by_email, updated_at,
  (
    select count(*)::int
    from support_statement_packages as chosen
    where chosen.workspace_id = $1 and chosen.statement_id = statement.id
      and exists (
        select
        from firmware_version_packages as held
        where held.workspace_id = $2 and held.package_id = chosen.package_id and held.until is null
      )
  ) as package_count
from support_statements as statement
where workspace_id = $3 and true
order by created_at desc, id;

-- server/src/features/support/statements-store.ts listStatements
select id, purl, name, version_from, version_before, ends_on::text as ends_on, link, note, keys,
  created_at, created_by_email, updated_at,
  (
    select count(*)::int
    from support_statement_packages as chosen
    where chosen.workspace_id = $1 and chosen.statement_id = statement.id
      and exists (
        select
        from firmware_version_packages as held
        where held.workspace_id = $2 and held.package_id = chosen.package_id and held.until is null
      )
  ) as package_count
from support_statements as statement
where workspace_id = $3 and id = $4
order by created_at desc, id;

-- server/src/features/support/statements-store.ts lockStatements
select pg_advisory_xact_lock(hashtextextended('support-statements:' || $1, 0));

-- server/src/features/support/statements-store.ts replaceChosen
delete from support_statement_packages where workspace_id = $1 and statement_id = $2;

-- server/src/features/support/statements-store.ts updateStatement
update support_statements
set purl = $1, name = $2, keys = $3::text[], version_from = $4, version_before = $5,
  ends_on = $6::date, link = $7, note = $8, updated_at = $9
where workspace_id = $10 and id = $11;

-- server/src/features/support/store.ts listEndingSupport
with stated as (
  select distinct on (chosen.package_id) chosen.package_id, statement.id, statement.ends_on,
    coalesce(statement.name, statement.purl) as label
  from support_statement_packages as chosen
  join support_statements as statement on statement.workspace_id = chosen.workspace_id
    and statement.id = chosen.statement_id
  where chosen.workspace_id = $1
  order by chosen.package_id, statement.created_at desc, statement.id
),
  ending as (
    select support.package_id, support.product || ' ' || support.cycle as key,
      product.label || ' ' || support.cycle as label, cycle.ends_on
    from support_cycles as cycle
    join support_products as product on product.name = cycle.product
    join package_support as support on support.product = cycle.product
      and support.cycle = cycle.cycle
    where (cycle.ends_on <= $2::date or (cycle.ends_on is null and cycle.has_ended))
      and not exists (select from stated where stated.package_id = support.package_id)
    union all select package_id, id::text, label, ends_on
    from stated
    where ends_on <= $3::date
  ),
  counted as (
    select firmware_version_id, sum(devices)::int as devices
    from firmware_version_device_counts
    where workspace_id = $4
    group by firmware_version_id
  )
select version.id as firmware_version_id, firmware.name as firmware_name,
  version.name as version_name, ending.key, ending.label, ending.ends_on::text as ends_on,
  count(*)::int as component_count, coalesce(counted.devices, 0)::int as device_count
from ending
join firmware_version_packages as held on held.workspace_id = $5
  and held.package_id = ending.package_id and held.until is null
join firmware_versions as version on version.workspace_id = $6
  and version.id = held.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $7 and firmware.id = version.firmware_id
left join counted on counted.firmware_version_id = version.id
where ($8 or firmware.id = any($9::uuid[])) and (not $10 or counted.devices > 0)
group by version.id, firmware.name, version.name, ending.key, ending.label, ending.ends_on,
  counted.devices
order by ending.ends_on nulls first, firmware.name, version.name, ending.key, version.id;

-- server/src/features/support/store.ts listSupportOfVersion
select held.component_name, held.component_version, support.product, product.label,
  product.link as product_link, product.gone_at is not null as is_gone, support.cycle,
  cycle.codename, cycle.is_lts, cycle.ends_on::text as ends_on, cycle.has_ended,
  cycle.extended_ends_on::text as extended_ends_on, cycle.latest, cycle.fault, support.key,
  support.version, stated.id as statement_id, coalesce(stated.name, stated.purl) as statement_name,
  stated.ends_on::text as stated_end, stated.link as statement_link, stated.note,
  stated.created_by_email
from firmware_version_packages as held
left join package_support as support on support.package_id = held.package_id
left join support_products as product on product.name = support.product
left join support_cycles as cycle on cycle.product = support.product and cycle.cycle = support.cycle
left join (
  select distinct on (chosen.package_id) chosen.package_id, statement.*
  from support_statement_packages as chosen
  join support_statements as statement on statement.workspace_id = chosen.workspace_id
    and statement.id = chosen.statement_id
  where chosen.workspace_id = $1
  order by chosen.package_id, statement.created_at desc, statement.id
) as stated on stated.package_id = held.package_id
where held.workspace_id = $2 and held.firmware_version_id = $3 and held.until is null
order by held.component_name, held.component_version, held.package_id;

-- server/src/features/support/store.ts readVersionFacts
select coalesce(
  line.support_ends_on, firmware.support_ends_on,
    to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month'
)::date::text as support_ends_on,
  (
    select coalesce(sum(devices), 0)::int
    from firmware_version_device_counts as counts
    where counts.workspace_id = $1 and counts.firmware_version_id = $2
  ) as device_count
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $3 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $4
  and part.firmware_id = version.firmware_id
left join product_lines as product on product.workspace_id = $5
  and product.id = part.product_line_id
where version.workspace_id = $6 and version.id = $7;
