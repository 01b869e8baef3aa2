-- A device that said that it reports crashes, and says it no more: nobody knows whether it still does (decision 135).

alter table crash_devices
  -- It said so itself in its last session. false: it never did, took it back, or is known by a crash alone.
  add column says_so boolean not null default false,
  -- Since when it leaves out what it said before.
  add column unknown_since timestamptz(3);
update crash_devices as reporter set says_so = true
from devices as device
where device.workspace_id = reporter.workspace_id and device.id = reporter.device_id
  and reporter.reports_since is not null and lower(device.attributes ->> 'reportsCrashes') = 'true';
