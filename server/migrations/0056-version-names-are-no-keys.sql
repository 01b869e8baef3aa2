-- A unique index without a condition makes its columns a key: changing one locks the row against new rows that refer to
-- it. Renaming a version then waited for devices whose counts waited for the version, and one of both failed by a
-- deadlock. The conditions always hold for names, and for all build ids that are there.
alter table firmware_versions drop constraint firmware_versions_workspace_id_firmware_id_name_key;
create unique index firmware_versions_name on firmware_versions (workspace_id, firmware_id, name)
  where name is not null;
drop index firmware_versions_build_id;
create unique index firmware_versions_build_id on firmware_versions (workspace_id, build_id)
  where build_id is not null;
