-- A row is a group of e-mail addresses that alert rules name.
create table notification_targets (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  type text not null check (type in ('Email')),
  state text not null check (state in ('Enabled', 'Disabled')),
  -- {timeZone, from, to, days?}: nothing is sent then, and one mail afterwards tells it all; null: at any time.
  quiet_hours jsonb,
  -- {every: '1h' | '1d', at?, timeZone?}: collected and sent as one mail; null: at once.
  digest jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

-- A row is an e-mail address in a workspace. Whoever reads its mail agreed to get that of this workspace, or has yet to.
create table notification_addresses (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- Lower case: no mail provider of note tells a from A.
  address text collate "C" not null,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  -- Its reader wants no more; only a new confirmation ends that.
  unsubscribed_at timestamptz(3),
  -- The server refused it for good; a new confirmation, or a delivered test, ends that.
  dead_at timestamptz(3),
  last_answer text,
  last_answer_at timestamptz(3),
  last_delivered_at timestamptz(3),
  -- Against filling a stranger's mailbox with questions.
  asked_at timestamptz(3),
  asked_count integer not null default 0,
  primary key (workspace_id, address)
);

-- A row is an address of a target.
create table notification_target_addresses (
  workspace_id uuid not null,
  target_id uuid not null,
  position integer not null,
  -- As it was written.
  email_address text not null,
  address text collate "C" not null,
  primary key (workspace_id, target_id, position),
  unique (workspace_id, target_id, address),
  foreign key (workspace_id, target_id) references notification_targets (workspace_id, id) on delete cascade,
  foreign key (workspace_id, address) references notification_addresses (workspace_id, address)
);
create index notification_target_addresses_address on notification_target_addresses (workspace_id, address);

-- A row is a URL that alert rules name.
create table webhooks (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  url text not null,
  -- What its server reads: our messages, or those of a chat.
  format text not null default 'Plimsoll' check (format in ('Plimsoll', 'Slack', 'Teams')),
  state text not null check (state in ('Enabled', 'Disabled')),
  -- What deliveries are signed with. Its former secret signs beside it until it ends.
  secret bytea not null,
  former_secret bytea,
  former_secret_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_delivered_at timestamptz(3),
  last_answer text,
  last_answer_at timestamptz(3),
  -- Since when every delivery failed.
  failing_since timestamptz(3),
  primary key (workspace_id, id)
);

-- A row is a message to one recipient about one event. Rows of a recipient that wait together leave as one message.
create table notifications (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('Incident', 'Test', 'Confirmation')),
  -- What makes it the same: an incident's event. Two targets with one address have one row.
  event_key text collate "C" not null,
  incident_id uuid,
  -- The recipient: an address, or a webhook.
  address text collate "C",
  webhook_id uuid,
  -- The target that has the address; of several that have it, one.
  target_id uuid,
  -- What is to be said, complete: it does not change with what it speaks of.
  notice jsonb not null,
  state text not null check (state in ('Pending', 'Delivered', 'Failed', 'Dropped')),
  created_at timestamptz(3) not null,
  -- Not before: quiet hours, a digest, or the wait after a failed attempt.
  due_at timestamptz(3) not null,
  -- Three days after it was due first.
  give_up_at timestamptz(3) not null,
  -- A worker is delivering it; when this passes, that worker is taken for dead.
  claimed_until timestamptz(3),
  -- The message it left with.
  message_id uuid,
  attempts integer not null default 0,
  finished_at timestamptz(3),
  -- Of the last attempt, or why it was dropped.
  answer text,
  check (num_nonnulls(address, webhook_id) = 1),
  primary key (workspace_id, id)
) with (fillfactor = 70);
create unique index notifications_address_event on notifications (workspace_id, address, event_key)
  where address is not null;
create unique index notifications_webhook_event on notifications (workspace_id, webhook_id, event_key)
  where webhook_id is not null;
-- The outbox: whose turn it is, and what waits for the same recipient.
create index notifications_due on notifications (due_at) where state = 'Pending';
create index notifications_pending_address on notifications (workspace_id, address, due_at)
  where state = 'Pending' and address is not null;
create index notifications_pending_webhook on notifications (workspace_id, webhook_id, due_at)
  where state = 'Pending' and webhook_id is not null;
create index notifications_failed on notifications (finished_at) where state = 'Failed';
create index notifications_incident on notifications (workspace_id, incident_id) where incident_id is not null;
-- The delivery log is read by time, by who was told, and by what did not arrive.
create index notifications_created on notifications (workspace_id, created_at, id);
create index notifications_of_target on notifications (workspace_id, target_id, created_at, id)
  where target_id is not null;
create index notifications_of_webhook on notifications (workspace_id, webhook_id, created_at, id)
  where webhook_id is not null;
create index notifications_undelivered on notifications (workspace_id, created_at, id) where state <> 'Delivered';

-- A row is an attempt to deliver a message, with what the server answered.
create table delivery_attempts (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  message_id uuid not null,
  address text collate "C",
  webhook_id uuid,
  -- Which notifications the message spoke of.
  notification_ids uuid[] not null,
  notification_count integer not null,
  attempt integer not null,
  began_at timestamptz(3) not null,
  ended_at timestamptz(3) not null,
  outcome text not null check (outcome in ('Delivered', 'Deferred', 'Refused')),
  -- SMTP reply or HTTP status with the beginning of the body; else what went wrong on the way.
  answer text not null,
  primary key (workspace_id, id)
);
create index delivery_attempts_began on delivery_attempts (workspace_id, began_at, id);
create index delivery_attempts_notifications on delivery_attempts using gin (notification_ids);

-- A row is a member who wants the weekly mail of a workspace, and when it is due next.
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
