-- A row is what a team wrote about a point of the law's map: who answers for what Plimsoll cannot do, by when, and where it is kept.
create table obligation_notes (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- As features/obligations/obligations.ts names it.
  obligation text not null collate "C",
  responsible text,
  due_on date,
  text text,
  link text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, obligation)
);
