-- The instant at which the last device of a roll-out had its update.
create index device_updates_finished on device_updates (workspace_id, deployment_id, finished_at)
  where finished_at is not null;
