-- When the version was first rolled out, where the deployment was deleted since with its cohort: it stays a version that was deployed
-- (Article 13(9) of Regulation (EU) 2024/2847). null: its deployments say so, or there was none.
alter table firmware_versions add column first_deployed_at timestamptz(3);
