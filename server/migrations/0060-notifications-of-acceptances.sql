-- Webhooks are told of accepted risks that end.
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('Incident', 'Test', 'Confirmation', 'Acceptance'));
