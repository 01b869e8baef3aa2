-- Keys of tables of tenants begin with the workspace.
drop index disclosure_reports_token;
create unique index disclosure_reports_token on disclosure_reports (workspace_id, token_hash);
