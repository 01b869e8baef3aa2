-- What the devices of a deployment were when it ended: later reports change no past. Null while it is active, and where it ended before this was kept.
alter table deployments add column ended_device_counts jsonb;
