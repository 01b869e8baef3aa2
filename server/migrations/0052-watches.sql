-- A row says that a member wants a mail when something changes about a vulnerability in the workspace.
create table vulnerability_watches (
  workspace_id uuid not null,
  person_id uuid not null,
  -- As it was known then: `vulnerability_aliases` leads to what it is known by now. No source needs to know it yet.
  vulnerability_id text collate "C" not null,
  watched_at timestamptz(3) not null,
  -- What the member knows: as it was when it was first watched, or when the last mail was sent.
  known jsonb not null,
  -- When it was last compared with how it is. A worker that compares writes it first, so that no other does.
  looked_at timestamptz(3) not null,
  -- When the last mail was sent; null: none was.
  told_at timestamptz(3),
  primary key (workspace_id, person_id, vulnerability_id),
  foreign key (workspace_id, person_id) references members (workspace_id, subject_id) on delete cascade
);
create index vulnerability_watches_looked on vulnerability_watches (looked_at);
