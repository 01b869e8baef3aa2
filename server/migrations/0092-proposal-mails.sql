-- What was decided by taking a proposal: the proposal is open again when that is taken back.
alter table decision_proposals add column decision_batch_id uuid;
create index decision_proposals_batch on decision_proposals (workspace_id, decision_batch_id)
  where decision_batch_id is not null;
-- To find who is to be told of proposals that wait.
create index decision_proposals_open on decision_proposals (proposed_at) where state = 'Open';

-- A row says up to which proposal those who may decide were told that proposals wait, and when.
create table proposal_mails (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  told_until timestamptz(3) not null,
  sent_at timestamptz(3) not null
);
