-- A row is what the comparison of a phase found last: whether devices that a deployment updated changed for the worse, compared with
-- those that wait.
create table deployment_comparisons (
  workspace_id uuid not null,
  deployment_id uuid not null,
  -- Index of the phase, from 0.
  phase integer not null,
  -- When a worker last looked, whether or not there was something to compare.
  checked_at timestamptz(3) not null,
  state text not null check (state in ('Waiting', 'TooFew', 'Passed', 'Worse')),
  -- In words: what is worse, what is waited for, or what could not be told.
  reason text,
  -- How often it was compared before the phase was over, and with how many updated devices last: each look costs confidence.
  looks integer not null default 0,
  looked_count integer not null default 0,
  -- One for each signal: [{signal, name, verdict, …}], as the API shows it.
  results jsonb not null default '[]',
  -- Who had the roll-out go on nevertheless: {at, byEmail, reason}.
  accepted jsonb,
  primary key (workspace_id, deployment_id, phase),
  foreign key (workspace_id, deployment_id) references deployments (workspace_id, id) on delete cascade
);
