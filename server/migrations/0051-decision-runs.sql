-- A row is a large decision, or its undo, that is under way; it goes with the transaction that does it. One that stays has ended
-- in the middle: nothing was changed.
create table decision_runs (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- Of the decision batch that it becomes, or takes back.
  id uuid not null,
  is_undo boolean not null,
  act text not null check (act in ('Assess', 'Ignore', 'Unignore', 'Repeat')),
  -- null: it assesses nothing.
  assessment text,
  created_by_email text,
  -- By the clock of the database.
  started_at timestamptz(3) not null default now(),
  -- null: they are being looked for.
  finding_count integer,
  done_count integer not null default 0,
  primary key (workspace_id, id)
);
