-- Each connect and disconnect of a device writes here. Looking up its device a second time cost half of that row, so the service deletes
-- the rows of a device with it.
alter table device_presence_changes drop constraint device_presence_changes_workspace_id_device_id_fkey;
-- The key is read by device and time as well; the identity tells changes of one millisecond apart, and their order.
alter table device_presence_changes drop constraint device_presence_changes_pkey;
drop index device_presence_changes_device;
alter table device_presence_changes add primary key (workspace_id, device_id, at, id);
