-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/supplier-feeds/documents-store.ts claimFeed
update supplier_feeds as feed
set claimed_by = $1::uuid, claimed_until = now() + $2 * interval '1 second'
where feed.workspace_id = $3 and feed.id = $4 and feed.due_at <= $5
  and (feed.claimed_until > now()) is not true
  and not exists (
    select
    from supplier_feeds as other
    where other.workspace_id = $6 and other.claimed_until > now()
  )
returning feed.workspace_id, feed.id, feed.name, feed.url, feed.claimed_by;

-- server/src/features/supplier-feeds/documents-store.ts deleteDocuments
delete from supplier_documents where workspace_id = $1 and feed_id = $2 and id = any($3::uuid[]);

-- server/src/features/supplier-feeds/documents-store.ts deleteMadeOf
with gone as (
  delete from vex_documents
  where workspace_id = $1 and supplier_document_id = any($2::uuid[])
  returning document_id, author
)
select distinct document_id, author
from gone
order by document_id, author;

-- server/src/features/supplier-feeds/documents-store.ts hasDocuments
select from supplier_documents where workspace_id = $1 limit 1;

-- server/src/features/supplier-feeds/documents-store.ts holdClaim
select id
from supplier_feeds
where workspace_id = $1 and id = $2 and claimed_by = $3
for no key update;

-- server/src/features/supplier-feeds/documents-store.ts listDueFeeds
select due.workspace_id, due.id
from supplier_feeds as due
where due.due_at <= $1 and (due.claimed_until > now()) is not true
  and not exists (
    select
    from supplier_feeds as other
    where other.workspace_id = due.workspace_id and other.claimed_until > now()
  )
order by due.due_at, due.id
limit 10;

-- server/src/features/supplier-feeds/documents-store.ts listKept
select document.id, document.feed_id, feed.name as feed_name, document.document
from supplier_documents as document
join supplier_feeds as feed on feed.workspace_id = $1 and feed.id = document.feed_id
where document.workspace_id = $2 and document.id > $3::uuid and document.document is not null
  and true
order by document.id
limit $4;

-- server/src/features/supplier-feeds/documents-store.ts listKept
select document.id, document.feed_id, feed.name as feed_name, document.document
from supplier_documents as document
join supplier_feeds as feed on feed.workspace_id = $1 and feed.id = document.feed_id
where document.workspace_id = $2 and document.id > $3::uuid and document.document is not null
  and document.id = any($4::uuid[])
order by document.id
limit $5;

-- server/src/features/supplier-feeds/documents-store.ts listKnown
select id, url, listed_at, tried_at, etag, error, size_bytes
from supplier_documents
where workspace_id = $1 and feed_id = $2;

-- server/src/features/supplier-feeds/documents-store.ts releaseFeed
update supplier_feeds
set due_at = $1, checked_at = $2, error = $3, notice = $4, claimed_by = $5, claimed_until = $6
where workspace_id = $7 and id = $8 and claimed_by = $9;

-- server/src/features/supplier-feeds/documents-store.ts releaseFeed
update supplier_feeds
set due_at = $1, checked_at = $2, error = $3, notice = $4, claimed_by = $5, claimed_until = $6,
  listed_count = $7
where workspace_id = $8 and id = $9 and claimed_by = $10;

-- server/src/features/supplier-feeds/documents-store.ts releaseFeed
update supplier_feeds
set due_at = $1, checked_at = $2, error = $3, notice = $4, claimed_by = $5, claimed_until = $6,
  completed_at = $7, listed_count = $8
where workspace_id = $9 and id = $10 and claimed_by = $11;

-- server/src/features/supplier-feeds/documents-store.ts sumBytes
select coalesce(sum(size_bytes), 0)::float8 as bytes from supplier_documents where workspace_id = $1;

-- server/src/features/supplier-feeds/documents-store.ts takePending
update supplier_documents
set is_pending = $1
where workspace_id = $2 and feed_id = $3 and is_pending = $4
returning id;

-- server/src/features/supplier-feeds/documents-store.ts writeDocument
insert into supplier_documents (
  workspace_id, id, feed_id, url, listed_at, tried_at, etag, title, document, size_bytes,
    is_withdrawn, error, read_at, is_pending
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (workspace_id, id)
do update
set listed_at = $15, tried_at = $16, etag = $17, title = $18, document = $19, size_bytes = $20,
  is_withdrawn = $21, error = $22, read_at = $23, is_pending = $24;

-- server/src/features/supplier-feeds/documents-store.ts writeFailure
insert into supplier_documents (
  workspace_id, id, feed_id, url, listed_at, tried_at, etag, is_withdrawn, document, size_bytes,
    error
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (workspace_id, id)
do update
set listed_at = $12, tried_at = $13, error = $14;

-- server/src/features/supplier-feeds/documents-store.ts writeUnchanged: not executed by tests

-- server/src/features/supplier-feeds/store.ts askForRun
update supplier_feeds set due_at = least(due_at, $1) where workspace_id = $2 and id = $3;

-- server/src/features/supplier-feeds/store.ts countEffects
with stated as materialized (
  select document.feed_id, statement.id, statement.firmware_version_id
  from supplier_documents as document
  join vex_documents as made on made.workspace_id = $1 and made.supplier_document_id = document.id
  join vex_statements as statement on statement.workspace_id = $2
    and statement.document_id = made.id
  where document.workspace_id = $3
),
  unmatched as materialized (
    select document.feed_id, target.firmware_version_id, target.vulnerability, target.package_id,
      statement.id, statement.detail, statement.stated_at, made.document_id as document
    from supplier_documents as document
    join vex_documents as made on made.workspace_id = $4 and made.supplier_document_id = document.id
    join vex_statements as statement on statement.workspace_id = $5
      and statement.document_id = made.id and statement.assessment = 'Exploitable'
    join vex_statement_targets as target on target.workspace_id = $6
      and target.statement_id = statement.id
    where document.workspace_id = $7
      and not exists (
        select
        from firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
        join vulnerability_aliases as alias on alias.vulnerability_id = match.vulnerability_id
          and alias.alias = target.vulnerability
        where fact.workspace_id = $8 and fact.firmware_version_id = target.firmware_version_id
          and fact.until is null
          and (target.package_id is null or fact.package_id = target.package_id)
      )
      and (
        target.package_id is null
          or exists (
            select
            from firmware_version_packages as held
            where held.workspace_id = $9 and held.firmware_version_id = target.firmware_version_id
              and held.package_id = target.package_id and held.until is null
          )
      )
  )
select feed_id, count(*)::int as statement_count,
  count(distinct firmware_version_id)::int as firmware_version_count,
  (
    select count(*)::int
    from finding_decisions as decision
    join stated as own on own.id = decision.statement_id and own.feed_id = stated.feed_id
    where decision.workspace_id = $10
  ) as decided_count,
  (
    select count(
      distinct (unmatched.firmware_version_id, unmatched.vulnerability, unmatched.package_id)
    )::int
    from unmatched
    where unmatched.feed_id = stated.feed_id
  ) as affected_without_finding_count
from stated
group by feed_id;

-- server/src/features/supplier-feeds/store.ts deleteFeed
delete from supplier_feeds where workspace_id = $1 and id = $2;

-- server/src/features/supplier-feeds/store.ts forgetRuns
delete from supplier_documents where workspace_id = $1 and feed_id = $2;

-- server/src/features/supplier-feeds/store.ts forgetRuns
update supplier_feeds
set checked_at = $1, completed_at = $2, error = $3, notice = $4, listed_count = $5, claimed_by = $6,
  claimed_until = $7
where workspace_id = $8 and id = $9;

-- server/src/features/supplier-feeds/store.ts insertFeed
insert into supplier_feeds (workspace_id, id, name, url, created_at, updated_at, due_at)
values ($1, $2, $3, $4, $5, $6, $7);

-- server/src/features/supplier-feeds/store.ts listDocuments
select url, title, error, listed_at, tried_at, read_at, case when error is not null then 'Refused'
  when is_withdrawn then 'Withdrawn' else 'Read' end as state
from supplier_documents
where workspace_id = $1 and feed_id = $2
order by error is null, listed_at desc, url
limit $3;

-- server/src/features/supplier-feeds/store.ts listFeeds
select feed.id, feed.name, feed.url, feed.created_at, feed.updated_at, feed.due_at,
  coalesce(feed.claimed_until > now(), false) as is_being_read, feed.checked_at, feed.completed_at,
  feed.error, feed.notice, feed.listed_count, counted.*
from supplier_feeds as feed
cross join lateral (
  select count(*)::int as known_count,
    count(*) filter (where document.read_at is not null and not document.is_withdrawn)::int as
    read_count, count(*) filter (where document.error is not null)::int as refused_count,
    count(*) filter (where document.is_withdrawn)::int as withdrawn_count,
    coalesce(sum(document.size_bytes), 0)::float8 as size_bytes
  from supplier_documents as document
  where document.workspace_id = $1 and document.feed_id = feed.id
) as counted
where feed.workspace_id = $2 and true
order by lower(feed.name), feed.id;

-- server/src/features/supplier-feeds/store.ts listFeeds
select feed.id, feed.name, feed.url, feed.created_at, feed.updated_at, feed.due_at,
  coalesce(feed.claimed_until > now(), false) as is_being_read, feed.checked_at, feed.completed_at,
  feed.error, feed.notice, feed.listed_count, counted.*
from supplier_feeds as feed
cross join lateral (
  select count(*)::int as known_count,
    count(*) filter (where document.read_at is not null and not document.is_withdrawn)::int as
    read_count, count(*) filter (where document.error is not null)::int as refused_count,
    count(*) filter (where document.is_withdrawn)::int as withdrawn_count,
    coalesce(sum(document.size_bytes), 0)::float8 as size_bytes
  from supplier_documents as document
  where document.workspace_id = $1 and document.feed_id = feed.id
) as counted
where feed.workspace_id = $2 and feed.id = $3::uuid
order by lower(feed.name), feed.id;

-- server/src/features/supplier-feeds/store.ts listHoldingVersions
select distinct firmware_version_id as id
from firmware_version_packages
where workspace_id = $1 and until is null
order by firmware_version_id;

-- server/src/features/supplier-feeds/store.ts listStatedVersions
select distinct made.firmware_version_id as id
from supplier_documents as document
join vex_documents as made on made.workspace_id = $1 and made.supplier_document_id = document.id
where document.workspace_id = $2 and document.feed_id = $3 and true
order by made.firmware_version_id;

-- server/src/features/supplier-feeds/store.ts listStatedVersions
select distinct made.firmware_version_id as id
from supplier_documents as document
join vex_documents as made on made.workspace_id = $1 and made.supplier_document_id = document.id
where document.workspace_id = $2 and document.feed_id = $3 and document.id = any($4::uuid[])
order by made.firmware_version_id;

-- server/src/features/supplier-feeds/store.ts listUnmatched
with unmatched as materialized (
  select document.feed_id, target.firmware_version_id, target.vulnerability, target.package_id,
    statement.id, statement.detail, statement.stated_at, made.document_id as document
  from supplier_documents as document
  join vex_documents as made on made.workspace_id = $1 and made.supplier_document_id = document.id
  join vex_statements as statement on statement.workspace_id = $2
    and statement.document_id = made.id and statement.assessment = 'Exploitable'
  join vex_statement_targets as target on target.workspace_id = $3
    and target.statement_id = statement.id
  where document.workspace_id = $4
    and not exists (
      select
      from firmware_version_packages as fact
      join package_matches as match on match.package_id = fact.package_id and match.until is null
      join vulnerability_aliases as alias on alias.vulnerability_id = match.vulnerability_id
        and alias.alias = target.vulnerability
      where fact.workspace_id = $5 and fact.firmware_version_id = target.firmware_version_id
        and fact.until is null
        and (target.package_id is null or fact.package_id = target.package_id)
    )
    and (
      target.package_id is null
        or exists (
          select
          from firmware_version_packages as held
          where held.workspace_id = $6 and held.firmware_version_id = target.firmware_version_id
            and held.package_id = target.package_id and held.until is null
        )
    )
)
select distinct on (unmatched.vulnerability, unmatched.firmware_version_id, unmatched.package_id)
  unmatched.vulnerability, fact.component_name as component, fact.component_version,
  unmatched.detail, unmatched.document, unmatched.stated_at, version.id as firmware_version_id,
  version.name as firmware_version_name, firmware.name as firmware_name
from unmatched
join firmware_versions as version on version.workspace_id = $7
  and version.id = unmatched.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $8 and firmware.id = version.firmware_id
left join firmware_version_packages as fact on fact.workspace_id = $9
  and fact.firmware_version_id = unmatched.firmware_version_id
  and fact.package_id = unmatched.package_id and fact.until is null
where unmatched.feed_id = $10
order by unmatched.vulnerability desc, unmatched.firmware_version_id, unmatched.package_id,
  unmatched.stated_at desc
limit $11;

-- server/src/features/supplier-feeds/store.ts lockFeeds
select pg_advisory_xact_lock(hashtextextended('supplier-feeds:' || $1, 0));

-- server/src/features/supplier-feeds/store.ts updateFeed
update supplier_feeds set name = $1, url = $2, updated_at = $3 where workspace_id = $4 and id = $5;
