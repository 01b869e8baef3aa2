-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/security-advisories/mails/store.ts addUnwanted
insert into unwanted_advisory_mails (workspace_id, address, since)
values ($1, $2, $3)
on conflict
do nothing;

-- server/src/features/security-advisories/mails/store.ts claimMail
update advisory_mails as mail
set claimed_until = $1, attempts = mail.attempts + 1
from security_advisory_revisions as revision
where mail.workspace_id = $2 and mail.advisory_id = $3 and mail.number = $4 and mail.address = $5
  and mail.state = 'Waiting' and mail.due_at <= $6
  and (mail.claimed_until is null or mail.claimed_until <= $7) and revision.workspace_id = $8
  and revision.advisory_id = $9 and revision.number = $10
returning mail.workspace_id, mail.advisory_id, mail.number, mail.address, mail.attempts,
  revision.document, revision.path, revision.is_withdrawal,
  exists (
    select
    from unwanted_advisory_mails as unwanted
    where unwanted.workspace_id = $11 and unwanted.address = $12
  ) as is_unwanted;

-- server/src/features/security-advisories/mails/store.ts deleteUnwanted
delete from unwanted_advisory_mails where workspace_id = $1 and address = $2;

-- server/src/features/security-advisories/mails/store.ts findCohortContacts
select cohort.name, coalesce(held.addresses, '{}') as addresses, held.updated_at
from deployment_cohorts as cohort
left join cohort_contacts as held on held.workspace_id = $1 and held.cohort_id = cohort.id
where cohort.workspace_id = $2 and cohort.id = $3;

-- server/src/features/security-advisories/mails/store.ts insertMails
insert into advisory_mails (
  workspace_id, advisory_id, number, address, reasons, state, due_at, ended_at
)
select $1, $2, $3, told.address, told.reasons, case when told."isUnwanted" then 'Unwanted'
  else 'Waiting' end, $4, case when told."isUnwanted" then $5::timestamptz end
from jsonb_to_recordset($6::jsonb) as told (address text, reasons jsonb, "isUnwanted" boolean);

-- server/src/features/security-advisories/mails/store.ts listCohortRecipients
select address,
  json_agg(
    json_build_object('kind', 'Cohort', 'id', cohort.id, 'name', cohort.name)
    order by cohort.name, cohort.id
  ) as reasons
from deployment_cohorts as cohort
join cohort_contacts as held on held.workspace_id = $1 and held.cohort_id = cohort.id
cross join unnest(held.addresses) as address
where cohort.workspace_id = $2
  and exists (
    select
    from devices as device
    join device_firmwares as running on running.workspace_id = $3 and running.device_id = device.id
    where device.workspace_id = $4 and device.cohort_id = cohort.id
      and running.firmware_version_id = any($5::uuid[])
  )
group by address
order by address;

-- server/src/features/security-advisories/mails/store.ts listCustomerRecipients
select lower(contact ->> 'email') as address,
  json_agg(
    json_build_object('kind', 'Customer', 'id', customer.id, 'name', customer.name)
    order by customer.name, customer.id
  ) as reasons
from customers as customer
cross join jsonb_array_elements(customer.contacts) as contact
where customer.workspace_id = $1
  and exists (
    select
    from customer_devices as held
    join device_firmwares as running on running.workspace_id = $2
      and running.device_id = held.device_id
    where held.workspace_id = $3 and held.customer_id = customer.id
      and running.firmware_version_id = any($4::uuid[])
  )
group by lower(contact ->> 'email')
order by address;

-- server/src/features/security-advisories/mails/store.ts listDueMails
select workspace_id, advisory_id, number, address
from advisory_mails
where state = $1 and due_at <= $2 and (claimed_until is null or claimed_until <= $3)
order by due_at, workspace_id, address
limit $4;

-- server/src/features/security-advisories/mails/store.ts listEarlierRecipients
select address, '[{"kind": "EarlierRevision", "id": null, "name": null}]'::json as reasons
from advisory_mails
where workspace_id = $1 and advisory_id = $2 and state in ('Waiting', 'Delivered')
group by address
order by address;

-- server/src/features/security-advisories/mails/store.ts listMails
select number, address, reasons, state, attempts, answer, ended_at
from advisory_mails
where workspace_id = $1 and advisory_id = $2
order by number desc, address
limit $3;

-- server/src/features/security-advisories/mails/store.ts listUnwanted
select address
from unwanted_advisory_mails
where workspace_id = $1 and address = any($2::text[])
order by address;

-- server/src/features/security-advisories/mails/store.ts lockCohortContacts
select pg_advisory_xact_lock(hashtextextended('cohort-contacts:' || $1, 0));

-- server/src/features/security-advisories/mails/store.ts recordDelay: not executed by tests

-- server/src/features/security-advisories/mails/store.ts recordEnd
update advisory_mails
set state = $1, answer = $2, ended_at = $3, claimed_until = $4
where workspace_id = $5 and advisory_id = $6 and number = $7 and address = $8;

-- server/src/features/security-advisories/mails/store.ts writeCohortContacts
insert into cohort_contacts (workspace_id, cohort_id, addresses, updated_at)
values ($1, $2, $3, $4)
on conflict (workspace_id, cohort_id)
do update
set addresses = $5, updated_at = $6;

-- server/src/features/security-advisories/publisher-store.ts countPublished
select count(*)::int as count
from security_advisories
where workspace_id = $1 and tracking_id is not null;

-- server/src/features/security-advisories/publisher-store.ts findLastPublication
select max(published_at) as at from security_advisory_revisions where workspace_id = $1;

-- server/src/features/security-advisories/publisher-store.ts findPublished
select document, sha512
from security_advisory_revisions
where workspace_id = $1 and path = $2
order by number desc
limit 1;

-- server/src/features/security-advisories/publisher-store.ts findPublisher
select workspace.name as workspace_name, coalesce(publisher.is_public, false) as is_public,
  coalesce(publisher.prefix, 'PSIRT') as prefix, publisher.name, publisher.namespace,
  publisher.contact, publisher.public_address, coalesce(publisher.contacts, '{}') as contacts,
  publisher.policy_address, publisher.security_text_served_until, publisher.updated_at
from workspaces as workspace
left join advisory_publishers as publisher on publisher.workspace_id = workspace.id
where workspace.id = $1;

-- server/src/features/security-advisories/publisher-store.ts listPublished
select advisory.tracking_id, last.title, last.path, last.sha512, last.is_withdrawal,
  last.published_at,
  (
    select min(revision.published_at)
    from security_advisory_revisions as revision
    where revision.workspace_id = $1 and revision.advisory_id = advisory.id
  ) as first_at
from security_advisories as advisory
cross join lateral (
  select revision.title, revision.path, revision.sha512, revision.is_withdrawal,
    revision.published_at
  from security_advisory_revisions as revision
  where revision.workspace_id = $2 and revision.advisory_id = advisory.id
  order by revision.number desc
  limit 1
) as last
where advisory.workspace_id = $3 and advisory.tracking_id is not null
order by last.published_at desc, advisory.tracking_id desc;

-- server/src/features/security-advisories/publisher-store.ts lockPublisher
select pg_advisory_xact_lock(hashtextextended('advisory-publisher:' || $1, 0));

-- server/src/features/security-advisories/publisher-store.ts writePublisher
insert into advisory_publishers (
  workspace_id, is_public, prefix, name, namespace, contact, public_address, contacts,
    policy_address, security_text_served_until, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (workspace_id)
do update
set is_public = $12, prefix = $13, name = $14, namespace = $15, contact = $16, public_address = $17,
  contacts = $18, policy_address = $19, security_text_served_until = $20, updated_at = $21;

-- server/src/features/security-advisories/sources-store.ts findSourceCase
select held.id, held.title,
  coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id, held.manufacturer,
  coalesce(
    (
      select json_agg(
        distinct jsonb_build_object(
          'firmwareVersionId', affected.firmware_version_id, 'firmwareId', affected.firmware_id,
            'firmware', affected.firmware_name, 'version', affected.version_name
        )
      )
      from case_versions as affected
      where affected.workspace_id = $1 and affected.case_id = held.id
    ), '[]'
  ) as versions,
  array(
    select present.id
    from firmware_versions as present
    where present.workspace_id = $2
      and present.id in (
        select firmware_version_id from case_versions where workspace_id = $3 and case_id = held.id
      )
  ) as present_ids,
  coalesce(
    (
      select fact.detail ->> 'answer' = 'Yes'
      from case_facts as fact
      where fact.workspace_id = $4 and fact.case_id = held.id and fact.kind = 'Answer'
        and fact.detail ->> 'question' = 'CanBeExploited'
      order by fact.recorded_at desc, fact.id desc
      limit 1
    ), false
  ) as is_confirmed,
  array(
    select affected.firmware_id
    from case_versions as affected
    where affected.workspace_id = $5 and affected.case_id = held.id
    union select part.firmware_id
    from case_lines as line
    join product_line_firmwares as part on part.workspace_id = $6
      and part.product_line_id = line.product_line_id
    where line.workspace_id = $7 and line.case_id = held.id
  ) as firmware_ids
from cases as held
left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
where held.workspace_id = $8 and held.id = $9;

-- server/src/features/security-advisories/sources-store.ts findWhereVulnerable
select vulnerability.id as vulnerability_id,
  array(
    select distinct version.firmware_id
    from package_matches as match
    join firmware_version_packages as fact on fact.workspace_id = $1
      and fact.package_id = match.package_id and fact.until is null
    join firmware_versions as version on version.workspace_id = $2
      and version.id = fact.firmware_version_id
    where match.vulnerability_id = vulnerability.id and match.until is null
  ) as firmware_ids
from vulnerabilities as vulnerability
where vulnerability.id = coalesce(
  (select alias.vulnerability_id from vulnerability_aliases as alias where alias.alias = $3), $4
);

-- server/src/features/security-advisories/sources-store.ts listGone
select distinct match.vulnerability_id as id
from firmware_version_packages as fact
join package_matches as match on match.package_id = fact.package_id and match.until is null
left join finding_decisions as decision on decision.workspace_id = $1
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where fact.workspace_id = $2 and fact.firmware_version_id = $3 and fact.until is null
  and coalesce(decision.assessment, 'NotAssessed') not in ('NotAffected', 'FalsePositive')
  and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))
  and not exists (
    select
    from firmware_version_packages as later
    join package_matches as other on other.package_id = later.package_id and other.until is null
    where later.workspace_id = $4 and later.firmware_version_id = $5 and later.until is null
      and other.vulnerability_id = match.vulnerability_id
  )
order by id
limit $6;

-- server/src/features/security-advisories/sources-store.ts listKnownFindings
select fact.firmware_version_id, match.vulnerability_id,
  concat_ws(' ', fact.component_name, fact.component_version) as component,
  match.confidence = 'Low' as is_uncertain,
  coalesce(decision.assessment, 'NotAssessed') as assessment
from package_matches as match
join firmware_version_packages as fact on fact.workspace_id = $1
  and fact.package_id = match.package_id and fact.until is null
join firmware_versions as version on version.workspace_id = $2
  and version.id = fact.firmware_version_id
  and version.firmware_id = any($3::uuid[]) left join finding_decisions as decision on decision.workspace_id
  = $4 and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where match.until is null and match.vulnerability_id = any($5::text[]);

-- server/src/features/security-advisories/sources-store.ts listKnownVersions
select version.id as firmware_version_id, firmware.id as firmware_id, firmware.name as firmware,
  firmware.slug, version.name as version, version.purl, version.cpe, version.line_id,
  version.created_at, version.security_only, line.name as product_line,
  coalesce(line.manufacturer, '') as manufacturer,
  exists (
    select
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.firmware_version_id = version.id and fact.until is null
  ) as has_components
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
left join product_line_firmwares as part on part.workspace_id = $3
  and part.firmware_id = firmware.id
left join product_lines as line on line.workspace_id = $4 and line.id = part.product_line_id
where version.workspace_id = $5
  and (version.firmware_id = any($6::uuid[]) or version.id = any($7::uuid[]))
order by version.created_at, version.id;

-- server/src/features/security-advisories/sources-store.ts listKnownVulnerabilities
select vulnerability.id, vulnerability.name as title, vulnerability.is_known_exploit,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', advisory.source, 'id', advisory.id, 'record', stored.record, 'isWithdrawn',
            advisory.withdrawn_at is not null
        )
      ), '[]'
    )
    from advisory_vulnerabilities as link
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
    join advisory_records as stored on stored.source = link.source
      and stored.advisory_id = link.advisory_id
    where link.vulnerability_id = vulnerability.id
  ) as records
from vulnerabilities as vulnerability
where vulnerability.id = any($1::text[])
order by vulnerability.is_known_exploit desc, vulnerability.primary_score desc nulls last,
  vulnerability.id;

-- server/src/features/security-advisories/store.ts countAdvisories
select count(*)::int as count from security_advisories where workspace_id = $1;

-- server/src/features/security-advisories/store.ts deleteAdvisory
delete from security_advisories where workspace_id = $1 and id = $2;

-- server/src/features/security-advisories/store.ts findLastNumber
select coalesce(max(substr(tracking_id, length($1) + 1)::int), 0) as last
from security_advisories
where workspace_id = $2 and lower(tracking_id) ~ ('^' || lower($3) || '[0-9]{1,8}$');

-- server/src/features/security-advisories/store.ts findRevision
select document
from security_advisory_revisions
where workspace_id = $1 and advisory_id = $2 and number = $3;

-- server/src/features/security-advisories/store.ts insertAdvisory
insert into security_advisories (
  workspace_id, id, title, is_changed, held_until, held_reason, case_id, created_by_email,
    updated_at, content, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/security-advisories/store.ts insertRevision
insert into security_advisory_revisions (
  workspace_id, advisory_id, number, published_at, published_by_email, summary, title,
    is_withdrawal, path, document, sha512
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/security-advisories/store.ts listAdvisories: the shortest and the longest of many variants
--   35170b97 411aadd1 865b1613 a0e3f712 fc1c4b22
select advisory.id, advisory.tracking_id, advisory.title, advisory.content, advisory.is_changed,
  advisory.case_id, advisory.held_until, advisory.held_reason, advisory.created_at,
  advisory.created_by_email, advisory.updated_at,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'number', revision.number, 'publishedAt', revision.published_at, 'publishedByEmail',
            revision.published_by_email, 'summary', revision.summary, 'isWithdrawal',
            revision.is_withdrawal, 'path', revision.path, 'sha512', revision.sha512
        )
        order by revision.number
      )
      from security_advisory_revisions as revision
      where revision.workspace_id = $1 and revision.advisory_id = advisory.id
    ), '[]'
  ) as revisions
from security_advisories as advisory
where advisory.workspace_id = $2 and true and true and true
order by advisory.created_at desc, advisory.id desc
limit $3;

select advisory.id, advisory.tracking_id, advisory.title, advisory.content, advisory.is_changed,
  advisory.case_id, advisory.held_until, advisory.held_reason, advisory.created_at,
  advisory.created_by_email, advisory.updated_at,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'number', revision.number, 'publishedAt', revision.published_at, 'publishedByEmail',
            revision.published_by_email, 'summary', revision.summary, 'isWithdrawal',
            revision.is_withdrawal, 'path', revision.path, 'sha512', revision.sha512
        )
        order by revision.number
      )
      from security_advisory_revisions as revision
      where revision.workspace_id = $1 and revision.advisory_id = advisory.id
    ), '[]'
  ) as revisions
from security_advisories as advisory
where advisory.workspace_id = $2 and true and advisory.case_id::text = $3
  and advisory.content -> 'vulnerabilities' @> jsonb_build_array(
    jsonb_build_object('vulnerabilityId', $4::text)
  )
order by advisory.created_at desc, advisory.id desc
limit $5;

-- server/src/features/security-advisories/store.ts lockAdvisories
select pg_advisory_xact_lock(hashtextextended('security-advisories:' || $1, 0));

-- server/src/features/security-advisories/store.ts markPublished
update security_advisories
set tracking_id = $1, is_changed = $2, held_until = $3, held_reason = $4
where workspace_id = $5 and id = $6;

-- server/src/features/security-advisories/store.ts updateAdvisory
update security_advisories
set title = $1, is_changed = $2, held_until = $3, held_reason = $4, updated_at = $5, content = $6
where workspace_id = $7 and id = $8;

-- server/src/features/security-advisories/told-store.ts listPublishedAbout
select advisory.tracking_id, last.title, last.published_at, last.path, last.document,
  advisory.content
from security_advisories as advisory
cross join lateral (
  select revision.title, revision.path, revision.document, revision.is_withdrawal,
    revision.published_at
  from security_advisory_revisions as revision
  where revision.workspace_id = $1 and revision.advisory_id = advisory.id
  order by revision.number desc
  limit 1
) as last
where advisory.workspace_id = $2 and advisory.tracking_id is not null and not last.is_withdrawal
  and exists (
    select
    from jsonb_array_elements(advisory.content -> 'products') as product
    where product ->> 'firmwareVersionId' = any($3::text[])
  )
order by last.published_at desc, advisory.tracking_id desc
limit $4;
