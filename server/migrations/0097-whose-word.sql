-- Whose word a decision is. `source` says it of all but decisions that were carried over or taken up from another finding: these keep
-- here whose they were. Null in rows of earlier versions; `originOf` in findings/decisions-store.ts reads both.
alter table finding_decisions
  add column origin text constraint finding_decisions_origin check (origin in ('Person', 'Document', 'Build')),
  -- The document behind it as it was then, also after it is deleted: its name, author, time, who imported it.
  add column stated_in jsonb,
  drop constraint finding_decisions_source_check,
  add constraint finding_decisions_source check (source in ('User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System')) not valid;
alter table finding_timeline
  add column origin text constraint finding_timeline_origin check (origin in ('Person', 'Document', 'Build')),
  add column stated_in jsonb,
  drop constraint finding_timeline_source_check,
  add constraint finding_timeline_source check (source in ('User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System')) not valid;

-- `Build`: what the build of the firmware knew, such as patches. It counts only where no VEX document speaks of the finding.
alter table vex_statements add column origin text not null default 'Document'
  constraint vex_statements_origin check (origin in ('Document', 'Build'));

-- The authors whose VEX documents decide over people. Nobody, unless the workspace says so.
alter table workspaces add column deciding_vex_authors text[] not null default '{}';
