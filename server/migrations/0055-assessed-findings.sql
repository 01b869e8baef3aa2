-- Lists of a workspace look for findings with certain decisions, vulnerability by vulnerability.
create index finding_decisions_assessed
  on finding_decisions (workspace_id, assessment, ignored, vulnerability_id, package_id);
