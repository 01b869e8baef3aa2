-- A row says that a member wants no mails about proposals that wait for a decision.
create table muted_proposal_mails (
  workspace_id uuid not null,
  person_id uuid not null,
  primary key (workspace_id, person_id),
  foreign key (workspace_id, person_id) references members (workspace_id, subject_id) on delete cascade
);
