/** What a release is asked before its upgrade, and a later one after it. */
import { setTimeout as delay } from 'node:timers/promises'
import { ask, type Caller, made } from './caller.ts'
import type { Alerts } from './alerts.ts'
import type { Fleet } from './fleet.ts'
import type { Installation } from './installation.ts'
import type { Software } from './software.ts'

/** Who asks: by the key of one of the workspaces, or as the owner of the first one. */
export const ASKERS = ['first', 'second', 'owner'] as const
export type Asker = (typeof ASKERS)[number]

export interface Question {
  as: Asker
  method: string
  /** `{ws}` stands for the path of the workspace. */
  path: string
  body?: object
}

export interface Answered extends Question {
  status: number
  answer: unknown
}

export interface Told {
  software: Software
  otherVersionId: string
  fleet: Fleet
  alerts: Alerts
}

type Made = [operationId: string, path: string, body?: object]

export async function listQuestions(
  { offers }: Installation,
  caller: Caller,
  told: Told,
): Promise<Question[]> {
  const ofFirst = [
    ...aboutWorkspace(),
    ...aboutSoftware(told.software),
    ...(await aboutSboms(caller, told.software)),
    ...(await aboutFindings(caller, told.software)),
    ...aboutFleet(told.fleet, told.software),
    ...aboutTelemetry(),
    ...(await aboutAlerts(caller, told.alerts)),
  ]
  const { otherVersionId } = told
  const asked = (as: Asker, questions: Made[]): Question[] =>
    questions
      .filter(([operationId]) => offers(operationId))
      .map(([, path, body]) => ({
        as,
        method: body === undefined ? 'GET' : 'POST',
        path,
        ...(body !== undefined && { body }),
      }))
  return [
    ...asked('first', ofFirst),
    ...asked('second', [
      ...aboutWorkspace(),
      ...aboutVersion(otherVersionId),
      ['listDevices', '{ws}/devices/list', {}],
      ['listWorkspaceVulnerabilities', '{ws}/vulnerabilities/list', { sortColumn: 'CveId' }],
    ]),
    ...asked('owner', aboutOwner),
  ]
}

const aboutWorkspace = (): Made[] => [
  ['getWorkspaceSettings', '{ws}/settings'],
  ['listWorkspaceMembers', '{ws}/members'],
  ['getWorkspaceUsage', '{ws}/usage'],
  ['listAuditLog', '{ws}/audit-log?limit=200'],
  ['listFirmwares', '{ws}/firmwares'],
  ['listVulnerableFirmwareVersions', '{ws}/vulnerable-firmware-versions'],
]

const aboutOwner: Made[] = [
  ['getMe', '/me'],
  ['listMyWorkspaces', '/me/workspaces'],
  ['getMyNotifications', '/me/notifications'],
  ['listMyTerminals', '/me/terminals'],
  ['listInvitations', '{ws}/invitations'],
  ['listApiKeys', '{ws}/api-keys'],
  ['listRoles', '{ws}/roles'],
]

const aboutSoftware = ({ firmwareId, versions, modem }: Software): Made[] => [
  ['listFirmwareVersions', `{ws}/firmwares/${firmwareId}/versions`],
  ...versions.flatMap(aboutVersion),
  ...aboutVersion(modem.versionId),
  ['getFirmwareArtifactUpload', `{ws}/firmware-versions/${modem.versionId}/artifact/upload`],
  ...versions.flatMap((id): Made[] => [
    ['getFirmwareArtifact', `{ws}/firmware-versions/${id}/artifact`],
    ['getFirmwareArtifactContent', `{ws}/firmware-versions/${id}/artifact/content`],
  ]),
  ['diffFirmwareVersions', `{ws}/firmware-versions/${versions[2]}/diff?base=${versions[0]}`],
  ['listPackageOverrides', '{ws}/package-overrides'],
  ['listWorkspaceComponents', '{ws}/components/list', {}],
]

function aboutVersion(id: string): Made[] {
  const path = `{ws}/firmware-versions/${id}`
  return [
    ['getFirmwareVersion', path],
    ['listSboms', `${path}/sboms`],
    ['listFirmwareVersionComponents', `${path}/sbom-components`],
    [
      'listVulnerabilityFindings',
      `${path}/vulnerability-findings/list`,
      { limit: 100, sortColumn: 'CveId' },
    ],
    ['getFirmwareVersionVulnerabilitySummary', `${path}/vulnerability-findings/summary`],
    ['getFirmwareVersionCoverage', `${path}/coverage`],
    ['listVexDocuments', `${path}/vex-documents`],
    ['exportVex', `${path}/vex?format=openvex`],
  ]
}

async function aboutSboms(caller: Caller, { versions: [first] }: Software): Promise<Made[]> {
  const { sboms } = await made<{ sboms: { id: string }[] }>(
    caller,
    `{ws}/firmware-versions/${first}/sboms`,
  )
  return sboms.map(({ id }) => ['listSbomComponents', `{ws}/sboms/${id}/components/list`, {}])
}

async function aboutFindings(caller: Caller, { versions }: Software): Promise<Made[]> {
  const details: Made[] = []
  for (const id of versions) {
    const path = `{ws}/firmware-versions/${id}/vulnerability-findings/list`
    const { findings } = await made<{ findings: { id: string }[] }>(caller, path, { limit: 100 })
    for (const finding of findings)
      details.push(['getVulnerabilityFinding', `{ws}/vulnerability-findings/${finding.id}`])
  }
  const ofAll = '{ws}/vulnerability-findings'
  return [
    ...details,
    ['listWorkspaceVulnerabilityFindings', `${ofAll}/list`, { limit: 100, sortColumn: 'CveId' }],
    [
      'listWorkspaceVulnerabilityFindings',
      `${ofAll}/list`,
      { limit: 100, sortColumn: 'EpssScore', filter: { severities: ['Critical', 'High'] } },
    ],
    [
      'listWorkspaceVulnerabilityFindings',
      `${ofAll}/list`,
      { limit: 100, sortColumn: 'Name', filter: { assessments: ['NotAssessed'], ignored: false } },
    ],
    ['listWorkspaceVulnerabilities', '{ws}/vulnerabilities/list', { sortColumn: 'CveId' }],
    ['getWorkspaceVulnerability', '{ws}/vulnerabilities/CVE-2026-90001'],
    ['listVulnerableComponents', '{ws}/vulnerable-components/list', { sortColumn: 'EpssScore' }],
    ['countWorkspaceVulnerabilityFindings', `${ofAll}/counts`, {}],
    ['listStandingDecisions', '{ws}/standing-decisions'],
    ['getVulnerabilityTrend', '{ws}/vulnerability-trend?days=7'],
    ['getExposure', '{ws}/exposure?days=7'],
    ['getOverview', '{ws}/overview'],
    ['searchWorkspace', '{ws}/search?q=beacon'],
    ['listVulnerabilitySources', '{ws}/vulnerability-sources'],
  ]
}

const DEVICES = ['lamp-1', 'lamp-2', 'lamp-3', 'lamp-4', 'spare-1', 'valve-1', 'found-1']

function aboutFleet(
  { cohortId, taggedCohortId, deploymentIds }: Fleet,
  { versions }: Software,
): Made[] {
  const cohort = `{ws}/deployment-cohorts/${cohortId}`
  return [
    ['listDevices', '{ws}/devices/list', { limit: 100 }],
    ['listDevices', '{ws}/devices/list', { filter: { vulnerable: true } }],
    ['summariseDevices', '{ws}/device-summary'],
    ['listBlindSpots', '{ws}/blind-spots/list', {}],
    ['listDeviceKeys', '{ws}/device-keys'],
    ...DEVICES.flatMap((id): Made[] => [
      ['getDevice', `{ws}/devices/${id}`],
      ['getDesiredDeviceConfiguration', `{ws}/devices/${id}/configuration/desired`],
      ['listUpdatesOfDevice', `{ws}/devices/${id}/updates`],
    ]),
    ['getReportedDeviceConfiguration', '{ws}/devices/lamp-2/configuration/reported'],
    ['listDeviceConfigurationChanges', '{ws}/device-configuration-changes'],
    ['listDeploymentCohorts', '{ws}/deployment-cohorts'],
    ['getDeploymentCohort', cohort],
    ['listDeploymentCohortDevices', `${cohort}/devices`],
    ['listDeploymentCohortDevices', `{ws}/deployment-cohorts/${taggedCohortId}/devices`],
    ['listDeployments', `${cohort}/deployments`],
    ['listDeployments', `{ws}/deployment-cohorts/${taggedCohortId}/deployments`],
    ...deploymentIds.flatMap((id): Made[] => [
      ['getDeployment', `${cohort}/deployments/${id}`],
      ['listDeviceUpdates', `${cohort}/deployments/${id}/device-updates/list`, {}],
    ]),
    [
      'previewDeployment',
      `${cohort}/deployments/preview`,
      { artifacts: [{ firmwareVersionId: versions[2] }] },
    ],
  ]
}

const HOUR_MS = 3_600_000

function aboutTelemetry(): Made[] {
  const now = Date.now()
  const from = new Date(now - 48 * HOUR_MS).toISOString()
  const to = new Date(now + HOUR_MS).toISOString()
  const query = (body: object): Made => [
    'queryMetric',
    '{ws}/metrics/query',
    { metric: 'temperature', from, to, stepSeconds: 3_600, ...body },
  ]
  const lines = (filter: object): Made => [
    'listDeviceLogs',
    '{ws}/device-logs/list',
    { limit: 100, filter: { from, to, ...filter } },
  ]
  return [
    ['listMetrics', '{ws}/metrics'],
    ['listDeviceSeries', '{ws}/metrics/series?deviceId=lamp-1'],
    ['listMetricLabelValues', '{ws}/metrics/label-values?metric=temperature&label=sensor'],
    query({ aggregation: 'Average', groupBy: 'Device' }),
    query({ aggregation: 'Maximum', groupBy: 'None', labels: { sensor: 'lens' } }),
    query({ aggregation: 'Last', deviceIds: ['lamp-1'], stepSeconds: 60 }),
    query({ metric: 'turns', aggregation: 'Sum', groupBy: 'None' }),
    query({ metric: 'turns', aggregation: 'Count', groupBy: 'Device' }),
    lines({}),
    lines({ message: [{ contains: 'did not turn' }] }),
    lines({ deviceIds: ['lamp-2'], severities: ['Error', 'Critical'] }),
  ]
}

async function aboutAlerts(caller: Caller, { targetId, webhookIds }: Alerts): Promise<Made[]> {
  const { incidents } = await made<{ incidents: { id: string }[] }>(
    caller,
    '{ws}/alert-incidents/list',
    {},
  )
  const rules = await made<{ id: string }[]>(caller, '{ws}/alert-rules')
  const { notifications } = await made<{ notifications: { id: string }[] }>(
    caller,
    '{ws}/notifications/list',
    { limit: 100 },
  )
  return [
    ['listAlertRules', '{ws}/alert-rules'],
    ...rules.map(({ id }): Made => [
      'listAlertRuleEvaluations',
      `{ws}/alert-rules/${id}/evaluations`,
    ]),
    ['listAlertIncidents', '{ws}/alert-incidents/list', {}],
    ...incidents.flatMap(({ id }): Made[] => [
      ['getAlertIncident', `{ws}/alert-incidents/${id}`],
      ['listAlertIncidentSeries', `{ws}/alert-incidents/${id}/series/list`, {}],
    ]),
    ['getNotificationTarget', `{ws}/notification-targets/${targetId}`],
    ['listNotificationTargets', '{ws}/notification-targets'],
    ['listWebhooks', '{ws}/webhooks'],
    ...webhookIds.map((id): Made => ['getWebhook', `{ws}/webhooks/${id}`]),
    ['listNotifications', '{ws}/notifications/list', { limit: 100 }],
    ...notifications.map(({ id }): Made => [
      'listDeliveryAttempts',
      `{ws}/notifications/${id}/attempts`,
    ]),
  ]
}

export async function askAll(caller: Caller, questions: readonly Question[]): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const { as, method, path, body } of questions) {
    const { status, type, text } = await askPatiently(caller, {
      method,
      path,
      ...(body && { body }),
    })
    const answer: unknown = /json/.test(type) && text !== '' ? JSON.parse(text) : text
    answers.push({ as, method, path, ...(body && { body }), status, answer })
  }
  return answers
}

const MOST_TRIES = 20

/** Asks again where the service says that it is too busy. */
async function askPatiently(...asked: Parameters<typeof ask>): ReturnType<typeof ask> {
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(...asked)
    if (reply.status !== 503 || tries === MOST_TRIES) return reply
    await delay(1_000)
  }
}
