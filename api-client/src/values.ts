/** Made by npm run openapi. */
import type * as api from './schema.ts'

export const ACCEPTANCE_REQUIREMENT = ['Reason', 'Owner', 'End'] as const
export const ACCEPTANCE_STATE = ['Open', 'EndingSoon', 'Ended'] as const
export const ACTOR_TYPE = ['User', 'ApiKey', 'Operator', 'System', 'Device'] as const
export const ADVISORY_MAIL_STATE = ['Waiting', 'Delivered', 'Refused', 'Unwanted'] as const
export const ADVISORY_PRODUCT_STATUS = [
  'KnownAffected',
  'KnownNotAffected',
  'Fixed',
  'UnderInvestigation',
] as const
export const ADVISORY_RECIPIENT_KIND = ['Cohort', 'Customer', 'EarlierRevision'] as const
export const ADVISORY_REMEDIATION_KIND = [
  'VendorFix',
  'Workaround',
  'Mitigation',
  'NoFixPlanned',
  'NoneAvailable',
] as const
export const ADVISORY_SOURCE = ['cvelist', 'nvd', 'osv', 'csaf'] as const
export const ALERT_INCIDENT_CHANGE_KIND = [
  'Firmware',
  'Deployment',
  'Configuration',
  'Incident',
] as const
export const ALERT_RULE_TYPE = [
  'MetricFixedThreshold',
  'MetricPercentualThreshold',
  'NewVulnerabilityFinding',
  'VulnerabilitySourceStale',
  'DeviceOffline',
  'DeploymentFailureRate',
  'ComponentSupportEnding',
  'SupportEnding',
  'CertificateEnding',
  'UrgentVulnerabilityFinding',
  'CaseDeadline',
  'LicenceDenied',
  'NewCrash',
  'CrashRate',
  'OldDeviceKey',
] as const
export const ARTIFACT_OFFER_REASON = [
  'RunsBase',
  'NoDelta',
  'RunsNoBase',
  'DeployedBefore',
  'AttemptFailed',
  'RollBack',
  'ClientTakesNoDelta',
  'Part',
] as const
export const ASSESSMENT = [
  'NotAssessed',
  'InTriage',
  'Exploitable',
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const
export const AUDIT_KIND = [
  'Decision',
  'Discussion',
  'Firmware',
  'Device',
  'Deployment',
  'Alert',
  'Case',
  'Customer',
  'Member',
  'SignIn',
  'Key',
  'Source',
  'Workspace',
  'Refusal',
] as const
export const AUDIT_SUBJECT_TYPE = [
  'alert-incident',
  'alert-rule',
  'api-key',
  'case',
  'crash-group',
  'customer',
  'deployment',
  'deployment-cohort',
  'device',
  'device-issuer',
  'device-key',
  'disclosure-report',
  'firmware',
  'firmware-version',
  'member',
  'notification-target',
  'package-override',
  'product-line',
  'security-advisory',
  'standing-address',
  'supplier-feed',
  'upstream-report',
  'vulnerability',
  'webhook',
] as const
export const BLIND_SPOT_KIND = ['UnknownVersion', 'UnknownImage', 'OtherImage', 'NotAHash'] as const
export const CASE_ANSWER = ['Yes', 'No', 'Unknown'] as const
export const CASE_FACT_KIND = [
  'Signal',
  'VersionsFound',
  'LinesAdded',
  'LinesRemoved',
  'Answer',
  'Awareness',
  'Watch',
  'MeasureAvailable',
  'ReportRequest',
  'Report',
  'ReportInvalidated',
  'UsersInformed',
  'UsersNotInformed',
  'Dismissed',
  'Closed',
  'Reopened',
  'Field',
] as const
export const CASE_ORIGIN = ['Finding', 'Person', 'Report'] as const
export const CASE_QUESTION = ['CanBeExploited', 'WasExploited'] as const
export const CASE_STATE = ['Proposed', 'Watching', 'Open', 'Closed', 'Dismissed'] as const
export const CASE_TYPE = ['Vulnerability', 'Incident'] as const
export const CHAIN_LINK_STATE = ['Differs', 'Missing', 'Unknown', 'Stated', 'Proved'] as const
export const CHAIN_STEP = ['SbomToImage', 'ImageToDevices'] as const
export const CLOCK_BASIS = [
  'AwareAt',
  'MeasureAvailableAt',
  'NotificationDue',
  'NotificationSubmitted',
  'RequestedByCsirt',
  'NoHours',
  'WaitsForMeasure',
  'WaitsForNotification',
] as const
export const CLOCK_STAGE = [
  'EarlyWarning',
  'Notification',
  'IntermediateReport',
  'FinalReport',
  'UsersInformed',
] as const
export const CLOCK_STATE = ['Done', 'DoneLate', 'Running', 'Late', 'NoDueTime'] as const
export const COMPARED_SIGNAL_KIND = [
  'Restarts',
  'Crashes',
  'LogErrors',
  'ConnectionTime',
  'Silence',
] as const
export const COMPARISON_DIRECTION = ['Higher', 'Lower'] as const
export const COMPARISON_SIGNAL = ['Restarts', 'Crashes', 'LogErrors', 'ConnectionTime'] as const
export const COMPARISON_STATE = ['NotAsked', 'Waiting', 'TooFew', 'Passed', 'Worse'] as const
export const COMPARISON_TOO_FEW = ['Wait', 'Stop'] as const
export const COMPARISON_VERDICT = ['Worse', 'NotWorse', 'TooFew', 'NotMeasured'] as const
export const COMPONENT_SCOPE = [
  'required',
  'optional',
  'build',
  'dev',
  'test',
  'excluded',
  'external',
] as const
export const CONFIDENCE = ['High', 'Medium', 'Low'] as const
export const CRASH_FRAME_KIND = ['ProgramCounter', 'LinkRegister', 'ReturnAddress'] as const
export const CRASH_OBSTACLE = ['LinesMissing', 'NotMeasured'] as const
export const CRASH_REPORTING_SIGN = ['Claim', 'Crash'] as const
export const CRASH_STATE = ['Open', 'Closed'] as const
export const DECISION_ACT = ['Assess', 'Ignore', 'Unignore', 'Repeat', 'Renew', 'HandOver'] as const
export const DECISION_ORIGIN = ['Person', 'Document', 'Build'] as const
export const DECISION_RUN_STATE = ['Running', 'Stopped'] as const
export const DECISION_SOURCE = ['User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System'] as const
export const DEPLOYMENT_DEVICE_STATE = [
  'reporting',
  'installing',
  'failed',
  'waiting',
  'cancelled',
  'movedOn',
  'left',
] as const
export const DEPLOYMENT_EVENT_TYPE = [
  'PhaseBegan',
  'Paused',
  'Resumed',
  'Stopped',
  'Superseded',
  'Cancelled',
] as const
export const DEPLOYMENT_STATE = [
  'Scheduled',
  'Running',
  'Paused',
  'Stopped',
  'Superseded',
  'Cancelled',
] as const
export const DEVICE_ID_FIELD = ['CommonName', 'DnsName', 'Uri'] as const
export const DEVICE_ISSUER_STATE = ['Trusted', 'NotYetValid', 'Ended', 'ListEnded'] as const
export const DEVICE_TRAIT_KIND = [
  'VersionBefore',
  'OtherFirmware',
  'Attribute',
  'Tag',
  'Client',
  'Door',
] as const
export const DEVICE_UPDATE_STATE = [
  'pending',
  'inProgress',
  'succeeded',
  'failed',
  'cancelled',
] as const
export const DIGEST_INTERVAL = ['1h', '1d'] as const
export const DISCLOSURE_REPORT_CLOCK_STATE = ['Done', 'DoneLate', 'Running', 'Late'] as const
export const DISCLOSURE_REPORT_DISMISSAL = [
  'Spam',
  'Duplicate',
  'NotAVulnerability',
  'OutOfScope',
] as const
export const DISCLOSURE_REPORT_EVENT_KIND = [
  'Answer',
  'Addition',
  'Note',
  'Joined',
  'Dismissed',
  'Reopened',
  'Embargo',
  'Credit',
  'ContactErased',
  'Disclosed',
] as const
export const DISCLOSURE_REPORT_STATE = [
  'New',
  'Answered',
  'Accepted',
  'Dismissed',
  'Disclosed',
] as const
export const DISCLOSURE_REPORT_STEP = ['Answer', 'Assessment', 'Disclosure'] as const
export const DRAFT_STAGE = ['EarlyWarning', 'Notification', 'FinalReport'] as const
export const ELEMENT_LEVEL = ['required', 'ifExists', 'optional'] as const
export const ELEMENT_OUTCOME = ['met', 'missing', 'cannotSay'] as const
export const ELEMENT_SUBJECT = ['component', 'document', 'format'] as const
export const END_CAUSE = [
  'Time',
  'KnownExploited',
  'EpssAbove',
  'DevicesAbove',
  'FixAvailable',
  'Person',
] as const
export const EVALUATION_FREQUENCY = ['1m', '5m', '15m', '30m', '1h', '6h', '1d'] as const
export const EVALUATION_STATUS = ['Ok', 'Firing', 'NoData', 'Failed'] as const
export const FEED_SOURCE = [
  'kev',
  'epss',
  'cvelist',
  'nvd',
  'osv',
  'csaf',
  'euvd',
  'endoflife',
] as const
export const FIELD_ORIGIN = ['Written', 'CarriedOn', 'Proposed', 'Nothing'] as const
export const FIELD_RULE = ['Required', 'IfAvailable', 'Optional', 'CarriedOn', 'Absent'] as const
export const FIELD_WANTER = ['Platform', 'Law'] as const
export const FIGURE_GROUP_KIND = [
  'Severity',
  'Outcome',
  'Month',
  'Firmware',
  'Owner',
  'Person',
] as const
export const FIGURE_NAME = [
  'timeToTriage',
  'timeToFix',
  'timeToFleet',
  'openCritical',
  'decidedWithinTarget',
  'timeToVex',
  'acceptances',
  'reopened',
  'falsePositives',
] as const
export const FIGURE_UNIT = ['Days', 'Count', 'Percent'] as const
export const IMAGE_DEMAND = [
  'Signed',
  'NoTestKey',
  'NamedVersion',
  'CounterNotLower',
  'ChainComplete',
  'SbomSigned',
] as const
export const IMAGE_FORMAT = [
  'MCUboot',
  'SWUpdate',
  'RAUC',
  'Mender',
  'FIT',
  'UImage',
  'UF2',
  'AndroidSparse',
  'ESP-IDF',
  'Other',
  'NotKnown',
] as const
export const IMAGE_REPORT_STATE = [
  'Proved',
  'NotReported',
  'NotAHash',
  'OtherImage',
  'UnknownImage',
] as const
export const KEY_ROTATION_STATE = ['Asked', 'Told', 'Fetched', 'Done', 'Unable'] as const
export const LICENCE_OUTCOME = ['allowed', 'review', 'notListed', 'unknown', 'denied'] as const
export const LOG_SEVERITY = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const
export const MEASURE_KIND = ['Corrective', 'Mitigating'] as const
export const MEMBER_STATE = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
] as const
export const NOTIFICATION_STATE = ['Pending', 'Delivered', 'Failed', 'Dropped'] as const
export const OBLIGATION_BASIS = ['Law', 'GoodPractice'] as const
export const OBLIGATION_ID = [
  'known-vulnerabilities',
  'updates',
  'properties',
  'sboms',
  'remedies',
  'tests',
  'fixed-vulnerabilities',
  'disclosure-policy',
  'contact',
  'free-updates',
  'components',
  'support',
  'reports',
  'authorities',
  'documentation',
  'first-assessments',
  'answer-times',
  'security-text',
  'drills',
  'audit-seals',
] as const
export const OBLIGATION_PAGE = [
  '/advisories',
  '/alerts',
  '/cases',
  '/deployments',
  '/devices',
  '/disclosure-reports',
  '/figures',
  '/findings',
  '/firmware',
  '/product-lines',
  '/settings',
  '/settings/advisories',
  '/settings/audit-log',
] as const
export const PARSING_STATE = ['InProgress', 'Succeeded', 'Failed'] as const
export const PRODUCT_CLASS = ['Default', 'ImportantI', 'ImportantII', 'Critical'] as const
export const PRODUCT_LINE_ROLE = ['Manufacturer', 'Steward'] as const
export const PROPOSAL_STATE = ['Open', 'Taken', 'Changed', 'Refused', 'Replaced'] as const
export const PROVENANCE_KIND = ['Build', 'Sbom', 'Other'] as const
export const PROVENANCE_STATE = [
  'Verified',
  'Untrusted',
  'NotChecked',
  'NotSigned',
  'Broken',
] as const
export const REPORT_STAGE = [
  'EarlyWarning',
  'Notification',
  'IntermediateReport',
  'FinalReport',
] as const
export const ROLE = ['Owner', 'Admin', 'Engineer', 'Viewer'] as const
export const SBOM_FORMAT = [
  'Spdx3JsonLd',
  'Spdx2Json',
  'Spdx2TagValue',
  'CycloneDxJson',
  'CycloneDxXml',
  'YoctoCveCheck',
  'BuildrootShowInfo',
  'BuildrootPkgStats',
] as const
export const SBOM_PROFILE_ID = ['bsi', 'bsi-2.0', 'ntia', 'cisa'] as const
export const SBOM_SIGNATURE_STATE = [
  'Broken',
  'NotSigned',
  'Untrusted',
  'NotChecked',
  'Checking',
  'Verified',
] as const
export const SCOPE = [
  'Workspace settings: read',
  'Workspace settings: write',
  'Workspace members: read',
  'Workspace members: write',
  'Firmware: read',
  'Firmware: write',
  'SBOMs: read',
  'SBOMs: write',
  'Vulnerabilities: read',
  'Vulnerabilities: write',
  'Vulnerabilities: propose',
  'Deployments: read',
  'Deployments: write',
  'Devices: read',
  'Devices: write',
  'Alerts: read',
  'Alerts: write',
  'Cases: read',
  'Cases: write',
  'Cases: decide',
  'Customers: read',
  'Customers: write',
] as const
export const SECURITY_ADVISORY_STATE = ['Draft', 'Published', 'Changed', 'Withdrawn'] as const
export const SEVERITY = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown'] as const
export const SOURCE_STATE = ['Current', 'Stale', 'NeverRead', 'Off'] as const
export const STANDING_DOCUMENT = ['Vex', 'Sbom', 'Support'] as const
export const SUPPLIER_DOCUMENT_STATE = ['Read', 'Withdrawn', 'Refused'] as const
export const SUPPORT_PERIOD_STATE = ['Ended', 'EndsSoon', 'Promised', 'NotKnown'] as const
export const SUPPORT_STATE = ['Ended', 'Ending', 'NoEndPlanned', 'NotKnown'] as const
export const VERIFICATION_STATE = [
  'Broken',
  'NotSigned',
  'Untrusted',
  'NotChecked',
  'FormatNotKnown',
  'Checking',
  'Verified',
] as const
export const VERSION_GROUP = [
  'All',
  'InField',
  'Overloaded',
  'ToDecide',
  'Unknown',
  'OnNoDevice',
] as const
export const VEX_FORMAT = ['OpenVex', 'CycloneDx', 'Csaf', 'Spdx3', 'Build'] as const
export const VEX_JUSTIFICATION = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
  'code_not_present',
  'code_not_reachable',
  'requires_configuration',
  'requires_dependency',
  'requires_environment',
  'protected_by_compiler',
  'protected_at_runtime',
  'protected_at_perimeter',
  'protected_by_mitigating_control',
] as const
export const VEX_RESPONSE = [
  'can_not_fix',
  'will_not_fix',
  'update',
  'rollback',
  'workaround_available',
] as const
export const VIEWED_LIST = [
  'findings',
  'accepted-risks',
  'version-findings',
  'version-components',
  'firmware',
  'devices',
  'deployments',
  'deployment-devices',
  'incidents',
  'deliveries',
  'audit-log',
] as const
export const WEEKDAY = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
export const WORST_SEVERITY = [
  'Critical',
  'High',
  'Medium',
  'Low',
  'None',
  'Unknown',
  'NotJudged',
  'Clean',
] as const
export const CREATE_ALERT_RULE_COMMAND_EXAMPLES: api.CreateAlertRuleCommand[] = [
  {
    name: 'CPU temperature',
    description: 'Throttles at 85 °C',
    type: 'MetricFixedThreshold',
    evaluationFrequency: '1m',
    condition: {
      metric: 'temperature',
      labels: { sensor: 'cpu' },
      aggregation: 'Average',
      operator: 'GreaterThan',
      threshold: 80,
      window: '5m',
    },
    repeatInterval: '4h',
  },
  {
    name: 'Throughput fell by a fifth',
    type: 'MetricPercentualThreshold',
    evaluationFrequency: '5m',
    condition: {
      metric: 'packets',
      aggregation: 'Sum',
      groupBy: 'None',
      operator: 'LessThan',
      threshold: -20,
      window: '1h',
    },
  },
  {
    name: 'New critical vulnerabilities in the field',
    type: 'NewVulnerabilityFinding',
    evaluationFrequency: '15m',
    condition: { severities: ['Critical'], knownCisaExploit: true, onlyWhereDevicesRun: true },
  },
  {
    name: 'Vulnerability sources are stale',
    type: 'VulnerabilitySourceStale',
    evaluationFrequency: '1h',
    condition: { sources: [], olderThan: '1d' },
  },
  {
    name: 'Devices are silent',
    type: 'DeviceOffline',
    evaluationFrequency: '5m',
    condition: { offlineFor: '1h' },
  },
  {
    name: 'Updates fail',
    type: 'DeploymentFailureRate',
    evaluationFrequency: '5m',
    condition: { thresholdPercent: 10, minimumFinished: 5 },
  },
  {
    name: 'Components leave support',
    type: 'ComponentSupportEnding',
    evaluationFrequency: '1d',
    condition: { daysBefore: 90, onlyWhereDevicesRun: true, firmwareIds: [] },
  },
  {
    name: 'Findings to act on',
    type: 'UrgentVulnerabilityFinding',
    evaluationFrequency: '5m',
    condition: { ssvcFrom: 'Act', onlyWhereDevicesRun: true },
  },
  {
    name: 'Reports of cases are due',
    type: 'CaseDeadline',
    evaluationFrequency: '1m',
    condition: { includesDrills: true, includesGoodPractice: true },
  },
  {
    name: 'Support of products ends',
    type: 'SupportEnding',
    evaluationFrequency: '1d',
    condition: { daysBefore: 180, onlyWhereDevicesRun: false },
  },
  {
    name: 'Certificates end',
    type: 'CertificateEnding',
    evaluationFrequency: '1h',
    condition: { daysBefore: 30, includesDevices: true },
  },
  {
    name: 'Licences that may not ship',
    type: 'LicenceDenied',
    evaluationFrequency: '1h',
    condition: { outcomes: ['denied', 'unknown'], onlyWhereDevicesRun: false, firmwareIds: [] },
  },
  {
    name: 'New crashes',
    type: 'NewCrash',
    evaluationFrequency: '5m',
    condition: { minimumDevices: 2, newForDays: 7, firmwareIds: [] },
  },
  {
    name: 'Crash rate',
    type: 'CrashRate',
    evaluationFrequency: '15m',
    condition: {
      thresholdPercent: 2,
      windowDays: 7,
      minimumDeviceDays: 50,
      deploymentCohortId: null,
      firmwareIds: [],
    },
  },
  {
    name: 'Old device keys',
    type: 'OldDeviceKey',
    evaluationFrequency: '1h',
    condition: { olderThanDays: 365, askedForDays: 14, deploymentCohortId: null },
  },
]
