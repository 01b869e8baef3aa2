-- A decision is looked up by its whole key, whichever index the planner prefers before it knows the table.
drop index finding_decisions_match;
create index finding_decisions_match
  on finding_decisions (package_id, vulnerability_id, workspace_id, firmware_version_id);
