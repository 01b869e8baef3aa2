-- The delivery log is read by who was told, and by what did not arrive.
create index notifications_of_target on notifications (workspace_id, target_id, created_at, id)
  where target_id is not null;
create index notifications_of_webhook on notifications (workspace_id, webhook_id, created_at, id)
  where webhook_id is not null;
create index notifications_undelivered on notifications (workspace_id, created_at, id) where state <> 'Delivered';
