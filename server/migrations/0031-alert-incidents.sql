alter table alert_incidents
  -- Told apart when it ended; null while it lasts, and counted when asked for.
  add column series_count integer,
  -- When somebody was first told; null: nobody was, and nobody is told of its end.
  add column announced_at timestamptz(3);
create index alert_incidents_open on alert_incidents (workspace_id, began_at, id) where ended_at is null;
