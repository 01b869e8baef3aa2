-- A row is a person. People are global: one person may be a member of several workspaces.
create table people (
  id uuid primary key,
  email text collate "C" not null unique check (email = lower(email)),
  -- null: nobody has shown that the person reads this address, so its credentials may be somebody else's.
  email_verified_at timestamptz(3),
  display_name text not null,
  password_hash text,
  created_at timestamptz(3) not null
);

-- A row is a person in a workspace, with the role there.
create table members (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  subject_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('Owner', 'Admin', 'Engineer', 'Viewer')),
  joined_at timestamptz(3) not null,
  primary key (workspace_id, subject_id)
);
create index members_person on members (subject_id);

-- A row is an invitation of a person into a workspace. It stays when it has ended.
create table invitations (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  person_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('Owner', 'Admin', 'Engineer', 'Viewer')),
  invited_by_email text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  sent_at timestamptz(3),
  ended_at timestamptz(3),
  -- null: open.
  outcome text check (outcome in ('Accepted', 'Revoked')),
  primary key (workspace_id, id)
);
create unique index invitations_open on invitations (workspace_id, person_id) where outcome is null;
