-- A delta may also be added once the version is deployed. Deployments that were made before this instant do not offer it, as the
-- release gate did not see it; those made from then on do. null: it was there before any deployment of the version.
alter table firmware_role_artifacts add column offered_from timestamptz(3);
