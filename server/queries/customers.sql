-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/customers/devices-store.ts countSharedDevices
select count(*)::int as count
from customer_devices as held
where held.workspace_id = $1 and held.customer_id = $2
  and exists (
    select
    from customer_devices as other
    where other.workspace_id = $3 and other.device_id = held.device_id
      and other.customer_id <> held.customer_id
  );

-- server/src/features/customers/devices-store.ts deleteOfDevices
delete from customer_devices where workspace_id = $1 and device_id = any($2::text[]);

-- server/src/features/customers/devices-store.ts listMisplaced
with belonging as (
  select part.customer_id, device.id as device_id
  from customer_cohorts as part
  join devices as device on device.workspace_id = $1 and device.cohort_id = part.cohort_id
  where part.workspace_id = $2
  union select customer.id, device.id
  from customers as customer
  join devices as device on device.workspace_id = $3 and device.tags @> array[customer.tag]
  where customer.workspace_id = $4
), held as (select customer_id, device_id from customer_devices where workspace_id = $5)
select coalesce(held.device_id, belonging.device_id) as device_id, customer.name as customer,
  held.device_id is not null as is_held
from belonging
full join held on held.customer_id = belonging.customer_id and held.device_id = belonging.device_id
join customers as customer on customer.workspace_id = $6
  and customer.id = coalesce(held.customer_id, belonging.customer_id)
where held.device_id is null or belonging.device_id is null
order by device_id, customer;

-- server/src/features/customers/devices-store.ts lockPlacing
select pg_advisory_xact_lock(hashtext('customers'), hashtext($1));

-- server/src/features/customers/devices-store.ts lockPlacingShared
select pg_advisory_xact_lock_shared(hashtext('customers'), hashtext($1));

-- server/src/features/customers/devices-store.ts placeDevices
with belonging as materialized (
  select part.customer_id, device.id as device_id
  from devices as device
  join customer_cohorts as part on part.workspace_id = $1 and part.cohort_id = device.cohort_id
  where device.workspace_id = $2 and device.id = any($3::text[])
  union select customer.id, device.id
  from devices as device
  cross join unnest(device.tags) as tagged (tag)
  join customers as customer on customer.workspace_id = $4 and customer.tag = tagged.tag
  where device.workspace_id = $5 and device.id = any($6::text[])
),
  gone as (
    delete from customer_devices as held
    where held.workspace_id = $7 and held.device_id = any($8::text[])
      and not exists (
        select
        from belonging
        where belonging.customer_id = held.customer_id and belonging.device_id = held.device_id
      )
  )
insert into customer_devices (workspace_id, customer_id, device_id, since)
select $9, customer_id, device_id, $10
from belonging
on conflict
do nothing;

-- server/src/features/customers/devices-store.ts placeOfCustomer
with belonging as materialized (
  select device.id as device_id
  from devices as device
  join customers as customer on customer.workspace_id = $1 and customer.id = $2
    and device.tags @> array[customer.tag]
  where device.workspace_id = $3
  union select device.id
  from customer_cohorts as part
  join devices as device on device.workspace_id = $4 and device.cohort_id = part.cohort_id
  where part.workspace_id = $5 and part.customer_id = $6
),
  gone as (
    delete from customer_devices as held
    where held.workspace_id = $7 and held.customer_id = $8
      and held.device_id not in (select device_id from belonging)
  )
insert into customer_devices (workspace_id, customer_id, device_id, since)
select $9, $10, device_id, $11
from belonging
on conflict
do nothing;

-- server/src/features/customers/documents/store.ts findCurrentVersion
select version.id, version.name, firmware.name as firmware, firmware.slug, version.created_at,
  coalesce(line.support_ends_on, firmware.support_ends_on)::text as support_ends_on,
  product.support_ends_in
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $3
  and part.firmware_id = firmware.id
left join product_lines as product on product.workspace_id = $4
  and product.id = part.product_line_id
where version.workspace_id = $5 and version.firmware_id = $6
  and ($7::uuid is null or version.id = $8::uuid)
  and ($9::uuid is null or version.line_id = $10::uuid)
order by version.created_at desc, version.id desc
limit 1;

-- server/src/features/customers/documents/store.ts findTarget
select exists (
  select
  from firmware_lines as line
  where line.workspace_id = $1 and line.firmware_id = firmware.id and line.id = $2::uuid
) as has_line,
  exists (
    select
    from firmware_versions as version
    where version.workspace_id = $3 and version.firmware_id = firmware.id and version.id = $4::uuid
  ) as has_version
from firmwares as firmware
where firmware.workspace_id = $5 and firmware.id = $6;

-- server/src/features/customers/links/store.ts countUse
with before as (
  select told_uses, (told_at is null or told_at <= $1) as is_due
  from shared_links
  where workspace_id = $2 and id = $3
  for no key update
)
update shared_links as link
set uses = link.uses + 1, last_used_at = $4, told_uses = case when before.is_due then link.uses + 1
  else link.told_uses end, told_at = case when before.is_due then $5 else link.told_at end
from before
where link.workspace_id = $6 and link.id = $7
returning (link.uses - before.told_uses)::int as untold, before.is_due;

-- server/src/features/customers/links/store.ts countWorkingLinks
select count(*)::int as count
from shared_links
where workspace_id = $1 and customer_id is not distinct from $2::uuid and revoked_at is null
  and (ends_at is null or ends_at > $3);

-- server/src/features/customers/links/store.ts findAddress
select id, name, token_hash is null as is_public, ends_at, firmware_id, line_id,
  firmware_version_id, documents
from shared_links
where workspace_id = $1 and id = $2 and firmware_id is not null
  and (token_hash is null or token_hash = $3::bytea) and revoked_at is null
  and (ends_at is null or ends_at > $4);

-- server/src/features/customers/links/store.ts findCustomerLink
select link.id, link.name, link.ends_at, customer.id as customer_id, customer.name as customer_name
from shared_links as link
join customers as customer on customer.workspace_id = $1 and customer.id = link.customer_id
where link.workspace_id = $2 and link.token_hash = $3 and link.revoked_at is null
  and link.ends_at > $4;

-- server/src/features/customers/links/store.ts insertLink
insert into shared_links (
  workspace_id, customer_id, id, name, token_hash, firmware_id, line_id, firmware_version_id,
    documents, created_at, created_by_email, ends_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/customers/links/store.ts insertLink
insert into shared_links (
  workspace_id, id, name, token_hash, customer_id, firmware_id, line_id, firmware_version_id,
    documents, created_at, created_by_email, ends_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/customers/links/store.ts listCustomerLinks
select id, name, created_at, created_by_email, ends_at, revoked_at, last_used_at, uses::int as uses
from shared_links
where workspace_id = $1 and customer_id = $2
order by created_at desc, id desc;

-- server/src/features/customers/links/store.ts listStandingAddresses
select link.id, link.name, link.created_at, link.created_by_email, link.ends_at, link.revoked_at,
  link.last_used_at, link.uses::int as uses, link.documents, link.token_hash is null as is_public,
  json_build_object('id', firmware.id, 'name', firmware.name) as firmware, case
  when line.id is not null then json_build_object('id', line.id, 'name', line.name) end as line,
  case
  when version.id is not null then json_build_object('id', version.id, 'name', version.name) end as
  firmware_version
from shared_links as link
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = link.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = link.line_id
left join firmware_versions as version on version.workspace_id = $3
  and version.id = link.firmware_version_id
where link.workspace_id = $4 and true
order by link.created_at desc, link.id desc;

-- server/src/features/customers/links/store.ts listStandingAddresses
select link.id, link.name, link.created_at, link.created_by_email, link.ends_at, link.revoked_at,
  link.last_used_at, link.uses::int as uses, link.documents, link.token_hash is null as is_public,
  json_build_object('id', firmware.id, 'name', firmware.name) as firmware, case
  when line.id is not null then json_build_object('id', line.id, 'name', line.name) end as line,
  case
  when version.id is not null then json_build_object('id', version.id, 'name', version.name) end as
  firmware_version
from shared_links as link
join firmwares as firmware on firmware.workspace_id = $1 and firmware.id = link.firmware_id
left join firmware_lines as line on line.workspace_id = $2 and line.id = link.line_id
left join firmware_versions as version on version.workspace_id = $3
  and version.id = link.firmware_version_id
where link.workspace_id = $4 and link.id = $5
order by link.created_at desc, link.id desc;

-- server/src/features/customers/links/store.ts revokeLink
update shared_links
set revoked_at = $1
where workspace_id = $2 and id = $3 and customer_id is not distinct from $4::uuid
  and revoked_at is null
returning name;

-- server/src/features/customers/store.ts countCustomers
select count(*)::int as count from customers where workspace_id = $1;

-- server/src/features/customers/store.ts deleteCustomer
delete from customers where workspace_id = $1 and id = $2;

-- server/src/features/customers/store.ts findCohorts
select id
from deployment_cohorts
where workspace_id = $1 and id = any($2::uuid[])
order by id
for key share;

-- server/src/features/customers/store.ts insertCustomer
insert into customers (workspace_id, id, name, note, tag, contacts, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/customers/store.ts listCustomers
select customer.id, customer.name, customer.note, customer.tag, customer.contacts,
  customer.created_at, customer.updated_at,
  coalesce(
    (
      select json_agg(json_build_object('id', cohort.id, 'name', cohort.name) order by cohort.name)
      from customer_cohorts as part
      join deployment_cohorts as cohort on cohort.workspace_id = $1 and cohort.id = part.cohort_id
      where part.workspace_id = $2 and part.customer_id = customer.id
    ), '[]'
  ) as cohorts,
  (
    select count(*)::int
    from customer_devices as held
    where held.workspace_id = $3 and held.customer_id = customer.id
  ) as device_count, links.link_count, links.last_viewed_at
from customers as customer
cross join lateral (
  select (count(*) filter (where link.revoked_at is null and link.ends_at > $4))::int as link_count,
    max(link.last_used_at) as last_viewed_at
  from shared_links as link
  where link.workspace_id = $5 and link.customer_id = customer.id
) as links
where customer.workspace_id = $6 and true
order by lower(customer.name), customer.id;

-- server/src/features/customers/store.ts listCustomers
select customer.id, customer.name, customer.note, customer.tag, customer.contacts,
  customer.created_at, customer.updated_at,
  coalesce(
    (
      select json_agg(json_build_object('id', cohort.id, 'name', cohort.name) order by cohort.name)
      from customer_cohorts as part
      join deployment_cohorts as cohort on cohort.workspace_id = $1 and cohort.id = part.cohort_id
      where part.workspace_id = $2 and part.customer_id = customer.id
    ), '[]'
  ) as cohorts,
  (
    select count(*)::int
    from customer_devices as held
    where held.workspace_id = $3 and held.customer_id = customer.id
  ) as device_count, links.link_count, links.last_viewed_at
from customers as customer
cross join lateral (
  select (count(*) filter (where link.revoked_at is null and link.ends_at > $4))::int as link_count,
    max(link.last_used_at) as last_viewed_at
  from shared_links as link
  where link.workspace_id = $5 and link.customer_id = customer.id
) as links
where customer.workspace_id = $6 and customer.id = $7
order by lower(customer.name), customer.id;

-- server/src/features/customers/store.ts replaceCohorts
delete from customer_cohorts
where workspace_id = $1 and customer_id = $2 and cohort_id <> all($3::uuid[]);

-- server/src/features/customers/store.ts replaceCohorts
insert into customer_cohorts (workspace_id, customer_id, cohort_id)
select $1, $2, cohort_id
from unnest($3::uuid[]) as given (cohort_id)
on conflict
do nothing;

-- server/src/features/customers/store.ts updateCustomer
update customers
set name = $1, note = $2, tag = $3, contacts = $4, updated_at = $5
where workspace_id = $6 and id = $7;

-- server/src/features/customers/view/store.ts countDevices
select count(*)::int as total, (count(*) filter (where quiet.is_silent))::int as silent
from customer_devices as held
left join lateral (
  select running.device_id
  from device_firmwares as running
  where running.workspace_id = $1 and running.device_id = held.device_id
  limit 1
) as running on true
left join lateral (
  select device.reported_at is null as is_silent
  from devices as device
  where device.workspace_id = $2 and device.id = held.device_id and running.device_id is null
  offset 0
) as quiet on true
where held.workspace_id = $3 and held.customer_id = $4;

-- server/src/features/customers/view/store.ts listComingUpdates
with planned as materialized (
  select planned.deployment_id, count(*) filter (where planned.state = 'pending') as waiting,
    count(*) filter (where planned.state = 'inProgress') as in_progress
  from customer_devices as held
  cross join lateral (
    select planned.deployment_id, planned.state
    from device_updates as planned
    where planned.workspace_id = $1 and planned.device_id = held.device_id
      and planned.state in ('pending', 'inProgress')
    offset 0
  ) as planned
  cross join lateral (
    select
    from deployments as deployment
    join devices as device on device.workspace_id = $2 and device.id = held.device_id
      and device.cohort_id = deployment.cohort_id
    where deployment.workspace_id = $3 and deployment.id = planned.deployment_id
      and deployment.is_active
    offset 0
  ) as active
  where held.workspace_id = $4 and held.customer_id = $5
  group by planned.deployment_id
)
select firmware.name as firmware, version.name as version, sum(planned.waiting)::int as waiting,
  sum(planned.in_progress)::int as in_progress
from planned
join deployment_artifacts as artifact on artifact.workspace_id = $6
  and artifact.deployment_id = planned.deployment_id
join firmware_versions as version on version.workspace_id = $7
  and version.id = artifact.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $8 and firmware.id = version.firmware_id
group by firmware.name, version.name
order by sum(planned.waiting + planned.in_progress) desc, firmware, version
limit $9;

-- server/src/features/customers/view/store.ts listHeldDevices
with held as materialized (
  select device_id, since
  from customer_devices
  where workspace_id = $1 and customer_id = $2 and true
  order by device_id
  limit $3
)
select held.device_id as id, held.since, case
  when device.last_seen_at >= held.since then device.last_seen_at end as last_seen_at,
  device.connected,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'firmware', coalesce(firmware.name, running.slug), 'slug',
            coalesce(firmware.slug, running.slug), 'version',
            coalesce(version.name, running.version), 'since', greatest(running.since, held.since),
            'isKnown', version.id is not null
        )
        order by running.slug
      )
      from device_firmwares as running
      left join firmware_versions as version on version.workspace_id = $4
        and version.id = running.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = $5
        and firmware.id = version.firmware_id
      where running.workspace_id = $6 and running.device_id = held.device_id
    ), '[]'
  ) as runs,
  (
    select json_build_object(
      'state', planned.state, 'versions',
        (
          select coalesce(
            json_agg(firmware.name || ' ' || version.name order by artifact.position), '[]'
          )
          from deployment_artifacts as artifact
          join firmware_versions as version on version.workspace_id = $7
            and version.id = artifact.firmware_version_id
          join firmwares as firmware on firmware.workspace_id = $8
            and firmware.id = version.firmware_id
          where artifact.workspace_id = $9 and artifact.deployment_id = deployment.id
        )
    )
    from deployments as deployment
    join device_updates as planned on planned.workspace_id = $10
      and planned.deployment_id = deployment.id and planned.device_id = device.id
      and planned.state in ('pending', 'inProgress')
    where deployment.workspace_id = $11 and deployment.cohort_id = device.cohort_id
      and deployment.is_active
  ) as
update
from held
join devices as device on device.workspace_id = $12 and device.id = held.device_id
order by held.device_id;

-- server/src/features/customers/view/store.ts listHeldDevices
with held as materialized (
  select device_id, since
  from customer_devices
  where workspace_id = $1 and customer_id = $2 and device_id > $3::text collate "C"
  order by device_id
  limit $4
)
select held.device_id as id, held.since, case
  when device.last_seen_at >= held.since then device.last_seen_at end as last_seen_at,
  device.connected,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'firmware', coalesce(firmware.name, running.slug), 'slug',
            coalesce(firmware.slug, running.slug), 'version',
            coalesce(version.name, running.version), 'since', greatest(running.since, held.since),
            'isKnown', version.id is not null
        )
        order by running.slug
      )
      from device_firmwares as running
      left join firmware_versions as version on version.workspace_id = $5
        and version.id = running.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = $6
        and firmware.id = version.firmware_id
      where running.workspace_id = $7 and running.device_id = held.device_id
    ), '[]'
  ) as runs,
  (
    select json_build_object(
      'state', planned.state, 'versions',
        (
          select coalesce(
            json_agg(firmware.name || ' ' || version.name order by artifact.position), '[]'
          )
          from deployment_artifacts as artifact
          join firmware_versions as version on version.workspace_id = $8
            and version.id = artifact.firmware_version_id
          join firmwares as firmware on firmware.workspace_id = $9
            and firmware.id = version.firmware_id
          where artifact.workspace_id = $10 and artifact.deployment_id = deployment.id
        )
    )
    from deployments as deployment
    join device_updates as planned on planned.workspace_id = $11
      and planned.deployment_id = deployment.id and planned.device_id = device.id
      and planned.state in ('pending', 'inProgress')
    where deployment.workspace_id = $12 and deployment.cohort_id = device.cohort_id
      and deployment.is_active
  ) as
update
from held
join devices as device on device.workspace_id = $13 and device.id = held.device_id
order by held.device_id;

-- server/src/features/customers/view/store.ts listRunningVersions
with running as materialized (
  select running.firmware_version_id, running.slug, running.version, count(*)::int as device_count
  from customer_devices as held
  cross join lateral (
    select running.firmware_version_id, running.slug, running.version
    from device_firmwares as running
    where running.workspace_id = $1 and running.device_id = held.device_id
    offset 0
  ) as running
  where held.workspace_id = $2 and held.customer_id = $3 and true
  group by running.firmware_version_id, running.slug, running.version
)
select running.firmware_version_id, coalesce(firmware.name, running.slug) as firmware,
  coalesce(firmware.slug, running.slug) as slug, coalesce(version.name, running.version) as version,
  running.device_count,
  coalesce(line.support_ends_on, firmware.support_ends_on)::text as support_ends_on,
  product.support_ends_in,
  exists (
    select
    from sboms
    where sboms.workspace_id = $4 and sboms.firmware_version_id = running.firmware_version_id
      and sboms.parsing_state = 'Succeeded'
  ) as has_sbom
from running
left join firmware_versions as version on version.workspace_id = $5
  and version.id = running.firmware_version_id
left join firmwares as firmware on firmware.workspace_id = $6 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $7 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $8
  and part.firmware_id = firmware.id
left join product_lines as product on product.workspace_id = $9
  and product.id = part.product_line_id
order by running.device_count desc, firmware, version, slug
limit $10;

-- server/src/features/customers/view/store.ts listRunningVersions
with running as materialized (
  select running.firmware_version_id, running.slug, running.version, count(*)::int as device_count
  from customer_devices as held
  cross join lateral (
    select running.firmware_version_id, running.slug, running.version
    from device_firmwares as running
    where running.workspace_id = $1 and running.device_id = held.device_id
    offset 0
  ) as running
  where held.workspace_id = $2 and held.customer_id = $3
    and running.firmware_version_id = (
      select version.id
      from firmwares as firmware
      join firmware_versions as version on version.workspace_id = $4
        and version.firmware_id = firmware.id and version.name = $5
      where firmware.workspace_id = $6 and firmware.slug = $7
    )
  group by running.firmware_version_id, running.slug, running.version
)
select running.firmware_version_id, coalesce(firmware.name, running.slug) as firmware,
  coalesce(firmware.slug, running.slug) as slug, coalesce(version.name, running.version) as version,
  running.device_count,
  coalesce(line.support_ends_on, firmware.support_ends_on)::text as support_ends_on,
  product.support_ends_in,
  exists (
    select
    from sboms
    where sboms.workspace_id = $8 and sboms.firmware_version_id = running.firmware_version_id
      and sboms.parsing_state = 'Succeeded'
  ) as has_sbom
from running
left join firmware_versions as version on version.workspace_id = $9
  and version.id = running.firmware_version_id
left join firmwares as firmware on firmware.workspace_id = $10 and firmware.id = version.firmware_id
left join firmware_lines as line on line.workspace_id = $11 and line.id = version.line_id
left join product_line_firmwares as part on part.workspace_id = $12
  and part.firmware_id = firmware.id
left join product_lines as product on product.workspace_id = $13
  and product.id = part.product_line_id
order by running.device_count desc, firmware, version, slug
limit $14;
