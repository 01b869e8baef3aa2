-- A row is a command by which somebody decided about findings, which can be taken back as a whole. What it wrote about each finding
-- is in finding_timeline.
create table decision_batches (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  created_at timestamptz(3) not null,
  source text not null check (source in ('User', 'ApiKey', 'System')),
  created_by_email text,
  act text not null check (act in ('Assess', 'Ignore', 'Unignore', 'Repeat')),
  -- null: it assessed nothing.
  assessment text,
  -- How many findings it changed.
  finding_count integer not null,
  -- Of these findings, a few in order, and how many there are.
  vulnerability_ids text[] not null,
  vulnerability_count integer not null,
  -- The decision for findings to come that it made, and the one that this took the place of.
  standing jsonb,
  -- Since when it is taken back, and how many findings kept what was decided.
  undone_at timestamptz(3),
  undone_by_email text,
  left_count integer,
  primary key (workspace_id, id)
);

-- Which batch wrote the entry, and the row of finding_decisions that it replaced; null: there was none.
alter table finding_timeline add column batch_id uuid;
alter table finding_timeline add column before jsonb;
-- The batch that the entry took back.
alter table finding_timeline add column undone_batch_id uuid;
create index finding_timeline_batch on finding_timeline (workspace_id, batch_id) where batch_id is not null;
