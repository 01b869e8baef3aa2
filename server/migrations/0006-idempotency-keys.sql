-- A row is a request that carried a key of its client. It is done once: its first answer is kept, and repeated.
create table idempotency_keys (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- The API key or the person.
  actor_id text collate "C" not null,
  key text collate "C" not null,
  -- Of method, address and body.
  fingerprint text collate "C" not null,
  created_at timestamptz not null,
  -- null: not answered yet, or its node ended before the answer was kept.
  status smallint,
  headers json,
  -- null beside a status: too long, or it held a secret.
  body text,
  primary key (workspace_id, actor_id, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
