-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/feeds/by-hand/store.ts beginImport
update source_imports
set state = $1
where workspace_id = $2 and id = $3 and state in ($4)
returning file_name;

-- server/src/features/feeds/by-hand/store.ts countUnfinishedImports
select count(*)::int as count from source_imports where workspace_id = $1 and state in ($2);

-- server/src/features/feeds/by-hand/store.ts endImport
update source_imports
set state = $1, progress = $2, sources = $3, error = $4, ended_at = $5
where workspace_id = $6 and id = $7;

-- server/src/features/feeds/by-hand/store.ts findKeepsSources
select keeps_sources from workspaces where id = $1;

-- server/src/features/feeds/by-hand/store.ts insertImport
insert into source_imports (
  workspace_id, id, file_name, size_bytes, created_at, created_by_email, state
)
values ($1, $2, $3, $4, $5, $6, $7);

-- server/src/features/feeds/by-hand/store.ts isImportUnfinished: not executed by tests

-- server/src/features/feeds/by-hand/store.ts listImports
select id, file_name, size_bytes, state, progress, error, created_at, created_by_email, ended_at,
  sources as sources
from source_imports
where workspace_id = $1
order by id desc
limit $2;

-- server/src/features/feeds/by-hand/store.ts listUnfinishedImports
select id from source_imports where workspace_id = $1 and state in ($2);

-- server/src/features/feeds/by-hand/store.ts recordImportProgress
update source_imports set progress = $1 where workspace_id = $2 and id = $3;

-- server/src/features/feeds/by-hand/store.ts requestSync
insert into vulnerability_sources (source) values ($1) on conflict do nothing;

-- server/src/features/feeds/by-hand/store.ts requestSync
update vulnerability_sources
set requested_at = $1
where source = $2 and (claimed_until > now()) is not true
  and (requested_at > $3::timestamptz - interval '10 minutes') is not true;

-- server/src/features/feeds/store.ts claimSource
insert into vulnerability_sources (source) values ($1) on conflict do nothing;

-- server/src/features/feeds/store.ts claimSource
update vulnerability_sources
set claimed_by = $1, claimed_until = now() + interval '90 seconds', last_attempt_at = $2,
  phase = $3, progress = $4
where source = $5 and (claimed_until > now()) is not true
  and ($6 or (next_sync_at > now()) is not true);

-- server/src/features/feeds/store.ts listAllParts
select source, part, completed_at, checked_at, record_count, skipped_count, last_error, notice
from vulnerability_source_parts
order by source, part;

-- server/src/features/feeds/store.ts listParts
select part, completed_at, snapshot_read_at, etag, last_modified, "position", record_count,
  parser_version
from vulnerability_source_parts
where source = $1
order by part;

-- server/src/features/feeds/store.ts listSources
select source, last_attempt_at, last_success_at, last_error, snapshot_at, record_count,
  skipped_count, notice, next_sync_at, requested_at, phase, last_run as last_run,
  progress as progress, skipped_reasons as skipped_reasons,
  coalesce(claimed_until > now(), false) as is_claimed
from vulnerability_sources
order by source;

-- server/src/features/feeds/store.ts recordPartChecked
insert into vulnerability_source_parts (source, part, checked_at, notice)
values ($1, $2, $3, $4)
on conflict (source, part)
do update
set checked_at = $5, notice = $6, last_error = $7;

-- server/src/features/feeds/store.ts recordPartFailure
insert into vulnerability_source_parts (source, part, checked_at, last_error)
values ($1, $2, $3, $4)
on conflict (source, part)
do update
set checked_at = $5, last_error = $6;

-- server/src/features/feeds/store.ts recordRun
update vulnerability_sources set last_run = $1 where source = $2;

-- server/src/features/feeds/store.ts updateClaimed
update vulnerability_sources
set claimed_by = $1, claimed_until = $2, phase = $3, next_sync_at = now()
where source = $4 and claimed_by = $5;

-- server/src/features/feeds/store.ts updateClaimed
update vulnerability_sources
set claimed_until = now() + interval '90 seconds', phase = $1, progress = $2
where source = $3 and claimed_by = $4;

-- server/src/features/feeds/store.ts updateClaimed
update vulnerability_sources
set claimed_by = $1, claimed_until = $2, phase = $3, progress = $4, last_success_at = $5,
  last_error = $6, notice = $7, failures = $8,
  next_sync_at = now() + $9::float8 * interval '1 millisecond'
where source = $10 and claimed_by = $11;

-- server/src/features/feeds/store.ts updateClaimed
update vulnerability_sources
set claimed_by = $1, claimed_until = $2, phase = $3, progress = $4, last_error = $5,
  failures = least(failures, 30) + 1,
  next_sync_at = (array[now() + $6::float8 * interval '1 millisecond'])[
    1 + least(failures, $7::int)
  ]
where source = $8 and claimed_by = $9;
