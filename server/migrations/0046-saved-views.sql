-- A row is a list as a person wants to see it again: the search of its address, under a name.
create table saved_views (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  person_id uuid not null references people (id) on delete cascade,
  list text collate "C" not null,
  name text collate "C" not null,
  -- `?severity=High&assignee=nobody`; empty: the list as it opens by itself.
  search text not null,
  -- Whether the other members have it, too.
  is_shared boolean not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, person_id, list, name)
);
