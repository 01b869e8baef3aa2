-- A row is a decision about a finding that somebody proposes and a person takes, changes or refuses (decision 90).
create table decision_proposals (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text not null,
  component_name text not null,
  component_version text,
  -- What would be decided.
  assessment text not null,
  justification text,
  detail text,
  response text,
  -- Why, for whoever decides, and where that is to be seen: objects with text and link.
  reason text not null,
  evidence jsonb not null,
  proposed_by_type text not null,
  proposed_by_id text,
  proposed_by_email text,
  proposed_at timestamptz(3) not null,
  -- Replaced: by a later proposal of the same author.
  state text not null check (state in ('Open', 'Taken', 'Changed', 'Refused', 'Replaced')),
  decided_by_email text,
  decided_at timestamptz(3),
  refusal text,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index decision_proposals_newest on decision_proposals (workspace_id, state, proposed_at, id);
create index decision_proposals_finding
  on decision_proposals (workspace_id, firmware_version_id, package_id, vulnerability_id);
