-- What findings that begin take up is looked up by version and vulnerability, never by reading all that was decided.
create index finding_decisions_vulnerability
  on finding_decisions (workspace_id, firmware_version_id, vulnerability_id);
create index firmware_versions_newest on firmware_versions (workspace_id, firmware_id, created_at, id);
create index sboms_firmware_version on sboms (workspace_id, firmware_version_id, parsing_state);
