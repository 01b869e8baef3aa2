-- What people say about an incident, who looks after it, and whether its notice waits for the end of a silence.
alter table alert_incidents
  add column note text,
  add column noted_at timestamptz(3),
  add column noted_by_email text,
  -- null: nobody looks after it.
  add column assignee_id uuid,
  -- It is silenced, and people are to be told when it is no more.
  add column is_held boolean not null default false;
alter table alert_incidents
  add constraint alert_incidents_assignee_fkey foreign key (workspace_id, assignee_id)
    references members (workspace_id, subject_id) on delete set null (assignee_id);
create index alert_incidents_assignee on alert_incidents (workspace_id, assignee_id) where assignee_id is not null;
create index alert_incidents_held on alert_incidents (workspace_id) where is_held;

-- A row is a time in which a rule tells nobody: of anything, or of what had fired in one incident when the silence began.
create table alert_silences (
  workspace_id uuid not null,
  id uuid not null,
  rule_id uuid not null,
  -- Where somebody asked for it.
  incident_id uuid not null,
  covers text not null check (covers in ('Series', 'Rule')),
  reason text not null,
  created_at timestamptz(3) not null,
  -- null: the operator.
  created_by_email text,
  until timestamptz(3) not null,
  -- When somebody ended it before its time; null: nobody did.
  ended_at timestamptz(3),
  ended_by_email text,
  primary key (workspace_id, id),
  foreign key (workspace_id, incident_id) references alert_incidents (workspace_id, id) on delete cascade
);
create index alert_silences_rule on alert_silences (workspace_id, rule_id, until);
create index alert_silences_incident on alert_silences (workspace_id, incident_id);
create index alert_silences_created on alert_silences (workspace_id, created_at, id);
