-- What was said when a finding was ignored: `Acceptance` in formats/acceptances.ts. It is of a finding that is ignored as long as it has
-- no `ended`. An entry of the timeline has that of the state it led to.
alter table finding_decisions add column acceptance jsonb;
alter table finding_timeline add column acceptance jsonb;
alter table standing_decisions add column acceptance jsonb;

-- The acceptances of a workspace, those that hold apart from those that ended.
create index finding_decisions_accepted
  on finding_decisions (workspace_id, ignored, vulnerability_id, package_id) where acceptance is not null;
-- Whose end has come. Texts of one form, so that they are in the order of the instants.
create index finding_decisions_accepted_until
  on finding_decisions (((acceptance ->> 'until') collate "C"), workspace_id)
  where ignored and acceptance ->> 'until' is not null;

alter table workspaces
  -- What people and keys have to say who accept a risk.
  add column acceptance_requirements text[] not null default '{}'
    check (acceptance_requirements <@ array['Reason', 'Owner', 'End']),
  -- How long before the end its owner is told; 0: only at the end.
  add column acceptance_notice_days integer not null default 7 check (acceptance_notice_days between 0 and 365),
  -- Where ends are told besides.
  add column acceptance_webhook_id uuid,
  -- The release gate stops acceptances of exploited vulnerabilities.
  add column gate_forbids_exploited_acceptances boolean not null default false;

-- A row is the end of an acceptance, or its approach, that its owner has yet to be told of.
create table acceptance_notices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  created_at timestamptz(3) not null,
  is_ended boolean not null,
  -- null: nobody looked after it.
  owner_id uuid,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  acceptance jsonb not null,
  primary key (workspace_id, id)
);

alter table decision_batches drop constraint decision_batches_act_check;
alter table decision_batches add constraint decision_batches_act_check
  check (act in ('Assess', 'Ignore', 'Unignore', 'Repeat', 'Renew', 'HandOver'));
alter table decision_runs drop constraint decision_runs_act_check;
alter table decision_runs add constraint decision_runs_act_check
  check (act in ('Assess', 'Ignore', 'Unignore', 'Repeat', 'Renew', 'HandOver'));
