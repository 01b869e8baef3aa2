-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/firmware/affected-devices-store.ts listAffectedDevices
select counts.firmware_version_id, coalesce(sum(counts.devices), 0)::int as total,
  coalesce(sum(counts.devices) filter (where counts.connected), 0)::int as running_now,
  coalesce(
    sum(counts.devices) filter (where not counts.connected and counts.seen_hour >= $1::int), 0
  )::int as seen_last_day,
  coalesce(
    sum(counts.devices) filter (
      where not counts.connected and counts.seen_hour < $2::int and counts.seen_hour >= $3::int
    ), 0
  )::int as seen_last_week,
  coalesce(
    sum(counts.devices) filter (where not counts.connected and counts.seen_hour < $4::int), 0
  )::int as older
from firmware_version_device_counts as counts
where counts.workspace_id = $5 and counts.firmware_version_id = any($6::uuid[])
group by counts.firmware_version_id;

-- server/src/features/firmware/lines/store.ts countDecisions
select count(*)::int as count
from line_decisions
where workspace_id = $1 and line_id = any($2::uuid[]);

-- server/src/features/firmware/lines/store.ts listLinedVersions
select id, name, line_id, stated_line_id
from firmware_versions
where workspace_id = $1 and firmware_id = $2
order by created_at desc, id desc;

-- server/src/features/firmware/lines/store.ts listLines
select id, name, patterns, support_ends_on::text as support_ends_on, release_gate, gate_support
from firmware_lines
where workspace_id = $1 and firmware_id = $2
order by place, id;

-- server/src/features/firmware/lines/store.ts moveToLines
with locked as materialized (
  select id
  from firmware_versions
  where workspace_id = $1 and id = any($2::uuid[])
  order by id
  for no key update
)
update firmware_versions as version
set line_id = target.line_id
from unnest($3::uuid[], $4::uuid[]) as target (id, line_id)
join locked on locked.id = target.id
where version.workspace_id = $5 and version.id = target.id;

-- server/src/features/firmware/lines/store.ts replaceLines
delete from firmware_lines where workspace_id = $1 and firmware_id = $2 and id <> all($3::uuid[]);

-- server/src/features/firmware/lines/store.ts replaceLines
insert into firmware_lines (
  workspace_id, firmware_id, place, id, name, patterns, support_ends_on, release_gate, gate_support
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (workspace_id, id)
do update
set name = excluded.name, place = excluded.place, patterns = excluded.patterns,
  support_ends_on = excluded.support_ends_on, release_gate = excluded.release_gate,
  gate_support = excluded.gate_support;

-- server/src/features/firmware/mark/store.ts listMarkFacts
select asked.id,
  json_build_array(
    coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0),
      coalesce(counters.undecided_high, 0), coalesce(counters.unknown, 0),
      coalesce(counters.judged_components, 0), coalesce(counters.silent_components, 0),
      coalesce(read.sboms, 0), coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
      (
        select count(*)::int
        from vulnerability_sources
        where last_success_at is not null and source = any($1::text[])
      )
  ) as
values
from unnest($2::uuid[]) as asked (id) left join firmware_version_counters as counters on counters.workspace_id
  = $3 and counters.firmware_version_id = asked.id
left join (
  select sbom.firmware_version_id, count(*)::int as sboms,
    (
      count(*) filter (
        where sbom.parsing_state = 'InProgress'
          or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)
      )
    )::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom
  where sbom.workspace_id = $4 and sbom.firmware_version_id = any($5::uuid[])
  group by sbom.firmware_version_id
) as read on read.firmware_version_id = asked.id;

-- server/src/features/firmware/store.ts deleteFirmware
delete from firmwares where workspace_id = $1 and id = $2;

-- server/src/features/firmware/store.ts deleteFirmwareVersion
delete from firmware_versions where workspace_id = $1 and id = $2;

-- server/src/features/firmware/store.ts findFirmware
select id, slug, name, description, part, created_at, support_ends_on::text as support_ends_on,
  greatest(
    firmwares.updated_at,
      (
        select max(version.created_at)
        from firmware_versions as version
        where version.workspace_id = $1 and version.firmware_id = firmwares.id
      )
  ) as updated_at,
  (
    select count(*)::int
    from firmware_versions as version
    where version.workspace_id = $2 and version.firmware_id = firmwares.id
  ) as version_count
from firmwares
where workspace_id = $3 and id = $4;

-- server/src/features/firmware/store.ts findFirmwareVersion
select version.id, version.name, version.created_at, version.build_id, version.purl, version.cpe,
  version.predecessor_id, version.stated_line_id, version.security_only,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $1 and line.id = version.line_id
  ) as line,
  not exists (
    select
    from firmware_versions as later
    where later.workspace_id = $2 and later.firmware_id = version.firmware_id
      and later.line_id is not distinct from version.line_id
      and (later.created_at, later.id) > (version.created_at, version.id)
  ) as is_newest_of_line, firmware.id as firmware_id, firmware.slug as firmware_slug,
  firmware.name as firmware_name,
  (
    select count(*)::int
    from sboms
    where sboms.workspace_id = $3 and sboms.firmware_version_id = version.id
  ) as sbom_count
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $4 and version.id = $5;

-- server/src/features/firmware/store.ts holdFirmwareVersion
select id from firmware_versions where workspace_id = $1 and id = $2 for key share;

-- server/src/features/firmware/store.ts insertFirmware
insert into firmwares (
  workspace_id, id, slug, name, description, part, support_ends_on, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/firmware/store.ts insertFirmwareVersion
insert into firmware_versions (
  workspace_id, firmware_id, id, line_id, created_at, name, build_id, purl, cpe, predecessor_id,
    stated_line_id, security_only
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/firmware/store.ts insertFirmwareVersion
insert into firmware_versions (
  workspace_id, id, firmware_id, name, build_id, purl, cpe, predecessor_id, line_id, stated_line_id,
    security_only, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/firmware/store.ts listFirmwareVersions
select version.id, version.name, version.created_at, version.build_id, version.purl, version.cpe,
  version.predecessor_id, version.stated_line_id, version.security_only,
  (
    select json_build_object('id', line.id, 'name', line.name)
    from firmware_lines as line
    where line.workspace_id = $1 and line.id = version.line_id
  ) as line,
  not exists (
    select
    from firmware_versions as later
    where later.workspace_id = $2 and later.firmware_id = version.firmware_id
      and later.line_id is not distinct from version.line_id
      and (later.created_at, later.id) > (version.created_at, version.id)
  ) as is_newest_of_line, firmware.id as firmware_id, firmware.slug as firmware_slug,
  firmware.name as firmware_name,
  (
    select count(*)::int
    from sboms
    where sboms.workspace_id = $3 and sboms.firmware_version_id = version.id
  ) as sbom_count
from firmware_versions as version
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $4 and version.firmware_id = $5
order by version.created_at desc, version.id desc;

-- server/src/features/firmware/store.ts listFirmwares
select id, slug, name, description, part, created_at, support_ends_on::text as support_ends_on,
  greatest(
    firmwares.updated_at,
      (
        select max(version.created_at)
        from firmware_versions as version
        where version.workspace_id = $1 and version.firmware_id = firmwares.id
      )
  ) as updated_at,
  (
    select count(*)::int
    from firmware_versions as version
    where version.workspace_id = $2 and version.firmware_id = firmwares.id
  ) as version_count
from firmwares
where workspace_id = $3
order by slug;

-- server/src/features/firmware/store.ts lockAndLeaveSuccessors
update firmware_versions set predecessor_id = $1 where workspace_id = $2 and predecessor_id = $3;

-- server/src/features/firmware/store.ts lockAndLeaveSuccessors
select id
from firmware_versions
where workspace_id = $1 and (id = $2 or predecessor_id = $3)
order by id
for no key update;

-- server/src/features/firmware/store.ts lockFirmware
select id from firmwares where workspace_id = $1 and id = $2 for update;

-- server/src/features/firmware/store.ts lockFirmwareVersion
select id from firmware_versions where workspace_id = $1 and id = $2 for no key update;

-- server/src/features/firmware/store.ts lockFirmwareVersions
select id
from firmware_versions
where workspace_id = $1 and id = any($2::uuid[])
order by id
for no key update;

-- server/src/features/firmware/store.ts lockForDeletion
select id
from firmware_versions
where workspace_id = $1 and id = any($2::uuid[])
order by id
for update;

-- server/src/features/firmware/store.ts lockForDeletion
select distinct package_id
from firmware_version_packages
where workspace_id = $1 and firmware_version_id = any($2::uuid[]);

-- server/src/features/firmware/store.ts lockVersionNames
select pg_advisory_xact_lock(hashtext('devices'), hashtext($1));

-- server/src/features/firmware/store.ts shareVersionNames
select pg_advisory_xact_lock_shared(hashtext('devices'), hashtext($1));

-- server/src/features/firmware/store.ts updateFirmware
update firmwares
set slug = $1, name = $2, description = $3, part = $4, support_ends_on = $5, updated_at = $6
where workspace_id = $7 and id = $8;

-- server/src/features/firmware/store.ts updateFirmwareVersion
update firmware_versions
set line_id = $1, name = $2, build_id = $3, purl = $4, cpe = $5, predecessor_id = $6,
  stated_line_id = $7, security_only = $8
where workspace_id = $9 and id = $10;

-- server/src/features/firmware/support-period/store.ts listStatedEnds
select version.id, product.name as product_line, declared.ends_on::text as product_line_ends_on,
  line.name as release_line, line.support_ends_on::text as release_line_ends_on,
  firmware.name as firmware, firmware.support_ends_on::text as firmware_ends_on
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $3
  and part.firmware_id = version.firmware_id
left join product_lines as product on product.workspace_id = $4
  and product.id = part.product_line_id
cross join lateral (
  select (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on
) as declared
where version.workspace_id = $5 and version.id = any($6::uuid[]) and true;

-- server/src/features/firmware/support-period/store.ts listStatedEnds
select version.id, product.name as product_line, declared.ends_on::text as product_line_ends_on,
  line.name as release_line, line.support_ends_on::text as release_line_ends_on,
  firmware.name as firmware, firmware.support_ends_on::text as firmware_ends_on
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $3
  and part.firmware_id = version.firmware_id
left join product_lines as product on product.workspace_id = $4
  and product.id = part.product_line_id
cross join lateral (
  select (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on
) as declared
where version.workspace_id = $5 and true
  and least(declared.ends_on, line.support_ends_on, firmware.support_ends_on) <= $6::date;

-- server/src/features/firmware/support-period/store.ts listStatedEnds
select version.id, product.name as product_line, declared.ends_on::text as product_line_ends_on,
  line.name as release_line, line.support_ends_on::text as release_line_ends_on,
  firmware.name as firmware, firmware.support_ends_on::text as firmware_ends_on
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $3
  and part.firmware_id = version.firmware_id
left join product_lines as product on product.workspace_id = $4
  and product.id = part.product_line_id
cross join lateral (
  select (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on
) as declared
where version.workspace_id = $5 and version.id = any($6::uuid[])
  and least(declared.ends_on, line.support_ends_on, firmware.support_ends_on) <= $7::date;
