-- How often the devices of a cohort poll; null: as the workspace has it. Each keeps to an interval of its own within the jitter.
alter table deployment_cohorts
  add column polling_seconds integer,
  add column polling_jitter_percent integer not null default 0;
