-- Members who want the weekly mail of a workspace, and when it is due next. A new table, so that nothing here takes long.
create table weekly_mails (
  workspace_id uuid not null,
  person_id uuid not null,
  day text not null check (day in ('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')),
  -- Local time of the time zone: `08:00`.
  at text not null,
  time_zone text not null,
  -- The end of the week that the next mail tells of.
  due_at timestamptz(3) not null,
  -- Until then one worker sends it, or nobody does before the next attempt.
  claimed_until timestamptz(3),
  attempts integer not null default 0,
  sent_at timestamptz(3),
  answer text,
  primary key (workspace_id, person_id),
  foreign key (workspace_id, person_id) references members (workspace_id, subject_id) on delete cascade
);
create index weekly_mails_due on weekly_mails (due_at);
