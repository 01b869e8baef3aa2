-- A row has the mail addresses that are told of advisories about versions which devices of the cohort run (decision 103).
create table cohort_contacts (
  workspace_id uuid not null,
  cohort_id uuid not null,
  -- As people wrote them, in their order.
  addresses text[] not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, cohort_id),
  foreign key (workspace_id, cohort_id) references deployment_cohorts (workspace_id, id) on delete cascade
);

-- A row is the mail of a revision to one address, planned in the transaction that publishes it.
create table advisory_mails (
  workspace_id uuid not null,
  advisory_id uuid not null,
  number integer not null,
  -- In lower case, with the domain in ASCII.
  address text not null collate "C",
  -- Why this address is told: `RecipientReason[]` in security-advisories/mails/recipients.ts.
  reasons jsonb not null,
  state text not null check (state in ('Waiting', 'Delivered', 'Refused', 'Unwanted')),
  due_at timestamptz(3) not null,
  -- Until then the worker that claimed it sends it.
  claimed_until timestamptz(3),
  attempts integer not null default 0,
  -- What the mail server said last.
  answer text,
  ended_at timestamptz(3),
  primary key (workspace_id, advisory_id, number, address),
  foreign key (workspace_id, advisory_id, number)
    references security_advisory_revisions (workspace_id, advisory_id, number) on delete cascade
);
create index advisory_mails_due on advisory_mails (due_at) where state = 'Waiting';

-- A row is an address that wants no more mails of advisories from the workspace.
create table unwanted_advisory_mails (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  address text not null collate "C",
  since timestamptz(3) not null,
  primary key (workspace_id, address)
);
