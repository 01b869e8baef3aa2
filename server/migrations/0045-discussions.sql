-- A row says which member looks after a vulnerability, wherever the workspace has it. Nobody does where there is no row.
create table vulnerability_assignees (
  workspace_id uuid not null,
  -- As it was known then: `vulnerability_aliases` leads to what it is known by now.
  vulnerability_id text collate "C" not null,
  person_id uuid not null,
  assigned_at timestamptz(3) not null,
  -- null: the operator.
  assigned_by_email text,
  primary key (workspace_id, vulnerability_id),
  foreign key (workspace_id, person_id) references members (workspace_id, subject_id) on delete cascade
);
create index vulnerability_assignees_person on vulnerability_assignees (workspace_id, person_id);

-- A row is what somebody said about a vulnerability, to colleagues alone.
create table vulnerability_comments (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  vulnerability_id text collate "C" not null,
  text text not null,
  created_at timestamptz(3) not null,
  -- Whoever said it: a person or a key, and the address of the person, or of whoever made the key.
  author_type text not null check (author_type in ('User', 'ApiKey')),
  author_id text not null,
  author_email text,
  -- null: never.
  edited_at timestamptz(3),
  primary key (workspace_id, id)
);
create index vulnerability_comments_vulnerability on vulnerability_comments (workspace_id, vulnerability_id, created_at, id);
create index vulnerability_comments_time on vulnerability_comments (workspace_id, created_at, id);
