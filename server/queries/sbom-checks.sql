-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/sbom-checks/store.ts listUnmatched
select id from packages where id = any($1::uuid[]) and matched_at is null order by id;
