-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/platform/db/lead.ts tryLock
select pg_try_advisory_lock(hashtextextended($1, 0)) as is_held;

-- server/src/platform/db/listen.ts listenOnce
listen plimsoll_devices;

-- server/src/platform/db/migrate.ts apply: not executed by tests

-- server/src/platform/db/migrate.ts applyMissing
select name, checksum from schema_migrations order by name;

-- server/src/platform/db/migrate.ts applyMissing
create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
);

-- server/src/platform/db/migrate.ts migrate
set statement_timeout = 0;

-- server/src/platform/db/migrate.ts migrate
select pg_advisory_lock($1);

-- server/src/platform/management.ts isDatabaseThere
select 1;
