-- What rules about findings and devices are judged by: facts by when they became true, and devices that are away.

-- What became true from here on is not wholly looked at: there was more than one evaluation takes down. null: it is,
-- up to where the last window ended.
alter table alert_rules add column findings_from timestamptz(3);

create index package_matches_since on package_matches (since);
create index firmware_version_packages_since on firmware_version_packages (workspace_id, since);
create index finding_timeline_created on finding_timeline (workspace_id, created_at);
create index vulnerabilities_known_exploit_since on vulnerabilities (known_exploit_since) where is_known_exploit;

-- Those that are connected and say nothing are not among them.
create index devices_away on devices (workspace_id, last_seen_at) where not connected;
