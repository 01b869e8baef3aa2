-- Rules about the share of days on which devices crashed (CrashRate).
alter table alert_rules drop constraint alert_rules_type_check;
alter table alert_rules add constraint alert_rules_type_check check (type in ('MetricFixedThreshold',
  'MetricPercentualThreshold', 'NewVulnerabilityFinding', 'VulnerabilitySourceStale', 'DeviceOffline',
  'DeploymentFailureRate', 'ComponentSupportEnding', 'UrgentVulnerabilityFinding', 'CaseDeadline', 'LicenceDenied', 'SupportEnding',
  'CertificateEnding', 'NewCrash', 'CrashRate'));
