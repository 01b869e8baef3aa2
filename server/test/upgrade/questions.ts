/** What a release is asked before its upgrade, and a later one after it. */
import { setTimeout as delay } from 'node:timers/promises'
import { ask, type Caller, made } from './caller.ts'
import type { Alerts } from './alerts.ts'
import type { Fleet } from './fleet.ts'
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

export interface AnsweredQuestion extends Question {
  status: number
  answer: unknown
}

export interface QuestionContext {
  software: Software
  otherVersionId: string
  fleet: Fleet
  alerts: Alerts
}

type PathAndBody = [path: string, body?: object]

export async function listQuestions(caller: Caller, told: QuestionContext): Promise<Question[]> {
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
  const asked = (as: Asker, questions: PathAndBody[]): Question[] =>
    questions.map(([path, body]) => ({
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
      ['{ws}/devices/list', {}],
      ['{ws}/vulnerabilities/list', { sortColumn: 'CveId' }],
    ]),
    ...asked('owner', aboutOwner),
  ]
}

const aboutWorkspace = (): PathAndBody[] => [
  ['{ws}/settings'],
  ['{ws}/members'],
  ['{ws}/usage'],
  ['{ws}/audit-log?limit=200'],
  ['{ws}/firmwares'],
  ['{ws}/vulnerable-firmware-versions'],
]

const aboutOwner: PathAndBody[] = [
  ['/me'],
  ['/me/workspaces'],
  ['/me/notifications'],
  ['/me/terminals'],
  ['{ws}/invitations'],
  ['{ws}/api-keys'],
  ['{ws}/roles'],
]

const aboutSoftware = ({ firmwareId, versions, modem }: Software): PathAndBody[] => [
  [`{ws}/firmwares/${firmwareId}/versions`],
  ...versions.flatMap(aboutVersion),
  ...aboutVersion(modem.versionId),
  [`{ws}/firmware-versions/${modem.versionId}/artifact/upload`],
  ...versions.flatMap((id): PathAndBody[] => [
    [`{ws}/firmware-versions/${id}/artifact`],
    [`{ws}/firmware-versions/${id}/artifact/content`],
  ]),
  [`{ws}/firmware-versions/${versions[2]}/diff?base=${versions[0]}`],
  ['{ws}/package-overrides'],
  ['{ws}/components/list', {}],
]

function aboutVersion(id: string): PathAndBody[] {
  const path = `{ws}/firmware-versions/${id}`
  return [
    [path],
    [`${path}/sboms`],
    [`${path}/sbom-components`],
    [`${path}/vulnerability-findings/list`, { limit: 100, sortColumn: 'CveId' }],
    [`${path}/vulnerability-findings/summary`],
    [`${path}/coverage`],
    [`${path}/vex-documents`],
    [`${path}/vex?format=openvex`],
  ]
}

async function aboutSboms(caller: Caller, { versions: [first] }: Software): Promise<PathAndBody[]> {
  const { sboms } = await made<{ sboms: { id: string }[] }>(
    caller,
    `{ws}/firmware-versions/${first}/sboms`,
  )
  return sboms.map(({ id }) => [`{ws}/sboms/${id}/components/list`, {}])
}

async function aboutFindings(caller: Caller, { versions }: Software): Promise<PathAndBody[]> {
  const details: PathAndBody[] = []
  for (const id of versions) {
    const path = `{ws}/firmware-versions/${id}/vulnerability-findings/list`
    const { findings } = await made<{ findings: { id: string }[] }>(caller, path, { limit: 100 })
    for (const finding of findings) details.push([`{ws}/vulnerability-findings/${finding.id}`])
  }
  const ofAll = '{ws}/vulnerability-findings'
  return [
    ...details,
    [`${ofAll}/list`, { limit: 100, sortColumn: 'CveId' }],
    [
      `${ofAll}/list`,
      { limit: 100, sortColumn: 'EpssScore', filter: { severities: ['Critical', 'High'] } },
    ],
    [
      `${ofAll}/list`,
      { limit: 100, sortColumn: 'Name', filter: { assessments: ['NotAssessed'], ignored: false } },
    ],
    ['{ws}/vulnerabilities/list', { sortColumn: 'CveId' }],
    ['{ws}/vulnerabilities/CVE-2026-90001'],
    ['{ws}/vulnerable-components/list', { sortColumn: 'EpssScore' }],
    [`${ofAll}/counts`, {}],
    ['{ws}/standing-decisions'],
    ['{ws}/vulnerability-trend?days=7'],
    ['{ws}/exposure?days=7'],
    ['{ws}/overview'],
    ['{ws}/search?q=beacon'],
    ['{ws}/vulnerability-sources'],
  ]
}

const DEVICES = ['lamp-1', 'lamp-2', 'lamp-3', 'lamp-4', 'spare-1', 'valve-1', 'found-1']

function aboutFleet(
  { cohortId, taggedCohortId, deploymentIds }: Fleet,
  { versions }: Software,
): PathAndBody[] {
  const cohort = `{ws}/deployment-cohorts/${cohortId}`
  return [
    ['{ws}/devices/list', { limit: 100 }],
    ['{ws}/devices/list', { filter: { vulnerable: true } }],
    ['{ws}/device-summary'],
    ['{ws}/blind-spots/list', {}],
    ['{ws}/device-keys'],
    ...DEVICES.flatMap((id): PathAndBody[] => [
      [`{ws}/devices/${id}`],
      [`{ws}/devices/${id}/configuration/desired`],
      [`{ws}/devices/${id}/updates`],
    ]),
    ['{ws}/devices/lamp-2/configuration/reported'],
    ['{ws}/device-configuration-changes'],
    ['{ws}/deployment-cohorts'],
    [cohort],
    [`${cohort}/devices`],
    [`{ws}/deployment-cohorts/${taggedCohortId}/devices`],
    [`${cohort}/deployments`],
    [`{ws}/deployment-cohorts/${taggedCohortId}/deployments`],
    ...deploymentIds.flatMap((id): PathAndBody[] => [
      [`${cohort}/deployments/${id}`],
      [`${cohort}/deployments/${id}/device-updates/list`, {}],
    ]),
    [`${cohort}/deployments/preview`, { artifacts: [{ firmwareVersionId: versions[2] }] }],
  ]
}

const HOUR_MS = 3_600_000

function aboutTelemetry(): PathAndBody[] {
  const now = Date.now()
  const from = new Date(now - 48 * HOUR_MS).toISOString()
  const to = new Date(now + HOUR_MS).toISOString()
  const query = (body: object): PathAndBody => [
    '{ws}/metrics/query',
    { metric: 'temperature', from, to, stepSeconds: 3_600, ...body },
  ]
  const lines = (filter: object): PathAndBody => [
    '{ws}/device-logs/list',
    { limit: 100, filter: { from, to, ...filter } },
  ]
  return [
    ['{ws}/metrics'],
    ['{ws}/metrics/series?deviceId=lamp-1'],
    ['{ws}/metrics/label-values?metric=temperature&label=sensor'],
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

async function aboutAlerts(
  caller: Caller,
  { targetId, webhookIds }: Alerts,
): Promise<PathAndBody[]> {
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
    ['{ws}/alert-rules'],
    ...rules.map(({ id }): PathAndBody => [`{ws}/alert-rules/${id}/evaluations`]),
    ['{ws}/alert-incidents/list', {}],
    ...incidents.flatMap(({ id }): PathAndBody[] => [
      [`{ws}/alert-incidents/${id}`],
      [`{ws}/alert-incidents/${id}/series/list`, {}],
    ]),
    [`{ws}/notification-targets/${targetId}`],
    ['{ws}/notification-targets'],
    ['{ws}/webhooks'],
    ...webhookIds.map((id): PathAndBody => [`{ws}/webhooks/${id}`]),
    ['{ws}/notifications/list', { limit: 100 }],
    ...notifications.map(({ id }): PathAndBody => [`{ws}/notifications/${id}/attempts`]),
  ]
}

export async function askAll(
  caller: Caller,
  questions: readonly Question[],
): Promise<AnsweredQuestion[]> {
  const answers: AnsweredQuestion[] = []
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
