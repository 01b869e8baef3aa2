-- Why reading or matching an SBOM has failed so far, from the second attempt on: attempts, isGivenUp, reason, failedAt.
alter table sboms add column failure jsonb;
create index sboms_failing on sboms (workspace_id, firmware_version_id) where failure is not null;
