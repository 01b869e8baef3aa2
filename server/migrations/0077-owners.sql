-- A row is a team: members who look after findings together (decision 92).
create table owner_teams (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  primary key (workspace_id, id)
);

-- A row says that a member belongs to a team. It goes with the membership in the workspace.
create table owner_team_members (
  workspace_id uuid not null,
  team_id uuid not null,
  person_id uuid not null,
  primary key (workspace_id, team_id, person_id),
  foreign key (workspace_id, team_id) references owner_teams (workspace_id, id) on delete cascade,
  foreign key (workspace_id, person_id) references members (workspace_id, subject_id) on delete cascade
);
create index owner_team_members_person on owner_team_members (workspace_id, person_id);

-- A row gives findings to a member or a team. The first rule in the order of places whose conditions all hold gives the owner.
create table owner_rules (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  place integer not null,
  -- Patterns in which * stands for any text. An empty array asks nothing.
  components text[] not null,
  purls text[] not null,
  files text[] not null,
  -- A firmware that was deleted stays here: without it the rule would hold for every firmware.
  firmware_ids uuid[] not null,
  -- Whoever left the workspace stays here too: the rule gives nothing then, and says so.
  person_id uuid,
  team_id uuid,
  -- The address of the person when the rule was stated.
  person_email text,
  primary key (workspace_id, id),
  foreign key (workspace_id, team_id) references owner_teams (workspace_id, id),
  check ((person_id is null) <> (team_id is null))
);
