-- Uploads and their turns ask how much of a workspace waits to be parsed. Few SBOMs do: building takes one read of the table.

create index sboms_waiting on sboms (workspace_id) include (size_bytes) where parsing_state = 'InProgress';
