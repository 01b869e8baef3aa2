-- The outbox: for how long it tries, whose turn it is, and which notifications an attempt spoke of.

alter table notifications
  -- Three days after it was due first.
  add column give_up_at timestamptz(3) not null;
create index notifications_pending_address on notifications (workspace_id, address, due_at)
  where state = 'Pending' and address is not null;
create index notifications_pending_webhook on notifications (workspace_id, webhook_id, due_at)
  where state = 'Pending' and webhook_id is not null;
create index notifications_failed on notifications (finished_at) where state = 'Failed';

alter table delivery_attempts
  add column notification_ids uuid[] not null;
create index delivery_attempts_notifications on delivery_attempts using gin (notification_ids);
