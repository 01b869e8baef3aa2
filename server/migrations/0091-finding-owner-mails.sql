-- Rules about findings may tell the owners of the findings by mail (decision 98).
alter table alert_rules add column notify_owners boolean not null default false;

-- A row is a finding that began to fire in a rule that tells owners, until they are told. Whom it belongs to is looked up then.
create table finding_owner_notices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  rule_id uuid not null,
  -- As in alert_series: the id of the finding.
  series text collate "C" not null,
  incident_id uuid not null,
  created_at timestamptz(3) not null,
  -- Members who were told, where others wait for the bound of mails.
  told_ids uuid[] not null default '{}',
  primary key (workspace_id, rule_id, series),
  foreign key (workspace_id, rule_id) references alert_rules (workspace_id, id) on delete cascade
);
