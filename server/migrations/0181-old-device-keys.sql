-- Rules about device keys that are old, or that devices were asked to replace and did not (OldDeviceKey).
alter table alert_rules drop constraint alert_rules_type_check;
alter table alert_rules add constraint alert_rules_type_check check (type in ('MetricFixedThreshold',
  'MetricPercentualThreshold', 'NewVulnerabilityFinding', 'VulnerabilitySourceStale', 'DeviceOffline',
  'DeploymentFailureRate', 'ComponentSupportEnding', 'UrgentVulnerabilityFinding', 'CaseDeadline', 'LicenceDenied', 'SupportEnding',
  'CertificateEnding', 'NewCrash', 'CrashRate', 'OldDeviceKey'));

-- Devices by the age of their own keys in force.
create index device_keys_age on device_keys (workspace_id, created_at, device_id)
  where device_id is not null and issuer_id is null and revoked_at is null and not is_next;
