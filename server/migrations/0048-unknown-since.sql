-- Lists of devices begin with those that report an unknown version for longest.
create index device_firmwares_unknown_since on device_firmwares (workspace_id, since, device_id) where firmware_version_id is null;
