-- A device that is known to report crashes by a crash alone: 30 days after the last one nobody knows whether it still does (decision 139).

-- Why it is unknown since `unknown_since`: its last crash is too long ago. false: it left out of a session what it said before.
alter table crash_devices add column is_crash_old boolean not null default false;
