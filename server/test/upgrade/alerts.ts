/** Who is told of what, rules that fire, and what was sent. */
import { partOf } from '../smtp-server.ts'
import { type Caller, made } from './caller.ts'
import { type Fleet, reportLens } from './fleet.ts'
import { type Installation, PUBLIC_URL, until } from './installation.ts'

export interface Alerts {
  targetId: string
  webhookIds: string[]
  /** The rule on a metric, whose first incident has ended. */
  ruleId: string
}

export async function makeAlerts(
  installation: Installation,
  caller: Caller,
  fleet: Fleet,
): Promise<Alerts> {
  const targetId = await makeTarget(installation, caller)
  const webhookIds = await makeWebhooks(installation, caller)
  const ruleId = await makeRules(caller, { fleet, targets: [targetId, ...webhookIds] })
  return { targetId, webhookIds, ruleId }
}

/** One address is confirmed by the link of its mail, the other one is not. */
async function makeTarget({ mail, url }: Installation, caller: Caller): Promise<string> {
  const { id } = await made(caller, '{ws}/notification-targets', {
    name: 'On call',
    type: 'Email',
    state: 'Enabled',
    emailAddresses: ['keeper@lighthouses.example', 'mate@lighthouses.example'],
    digest: null,
  })
  await mail.took(2)
  const sent = mail.mails.find(({ to }) => to.includes('keeper@lighthouses.example'))
  const text = sent ? partOf(sent, 'text/plain') : ''
  const link = new RegExp(`${PUBLIC_URL}(\\S+)`).exec(text)?.[1] ?? ''
  const response = await fetch(`${url}${link}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  if (!response.ok) throw new Error(`Confirming an address: ${response.status} ${text}`)
  return id
}

async function makeWebhooks({ webhooks }: Installation, caller: Caller): Promise<string[]> {
  const { id } = await made(caller, '{ws}/webhooks', { name: 'Tickets', url: webhooks.url })
  const url = `${webhooks.url}/slack`
  const slack = await made(caller, '{ws}/webhooks', { name: 'Chat', url, format: 'Slack' })
  return [id, slack.id]
}

interface Rules {
  fleet: Fleet
  targets: string[]
}

async function makeRules(caller: Caller, { fleet, targets }: Rules): Promise<string> {
  const rule = (body: object) =>
    made(caller, '{ws}/alert-rules', {
      evaluationFrequency: '1m',
      targets: targets.map((id) => ({ id })),
      ...body,
    })
  await rule({
    name: 'New findings',
    type: 'NewVulnerabilityFinding',
    condition: { severities: ['Critical', 'High'], onlyWhereDevicesRun: false },
  })
  await rule({
    name: 'Updates fail',
    type: 'DeploymentFailureRate',
    condition: { deploymentCohortId: fleet.cohortId, thresholdPercent: 90, minimumFinished: 2 },
    targets: [],
  })
  await rule({
    name: 'Lamps are silent',
    type: 'DeviceOffline',
    evaluationFrequency: '5m',
    condition: { tags: ['lamp'], offlineFor: '1h' },
    state: 'Disabled',
  })
  await rule({
    name: 'Sources are old',
    type: 'VulnerabilitySourceStale',
    evaluationFrequency: '1h',
    condition: { sources: ['osv'], olderThan: '2d' },
  })
  await rule({
    name: 'Lens cools',
    type: 'MetricPercentualThreshold',
    evaluationFrequency: '1h',
    condition: {
      metric: 'temperature',
      aggregation: 'Average',
      groupBy: 'Device',
      operator: 'LessThan',
      threshold: -90,
      window: '1h',
    },
    repeatInterval: '4h',
  })
  const { id } = await rule({
    name: 'Lens too hot',
    description: 'It melts at 70 °C.',
    type: 'MetricFixedThreshold',
    condition: {
      metric: 'temperature',
      labels: { sensor: 'lens' },
      aggregation: 'Maximum',
      operator: 'GreaterThan',
      threshold: 60,
      window: '1m',
      onNoData: 'Resolve',
    },
  })
  return id
}

interface ListedIncident {
  id: string
  alertRuleId?: string
  endedAt?: string | null
}

async function listIncidents(caller: Caller, filter: object): Promise<ListedIncident[]> {
  const path = '{ws}/alert-incidents/list'
  return (await made<{ incidents: ListedIncident[] }>(caller, path, { filter })).incidents
}

/** An incident that begins, that somebody takes care of, and that ends; and one that stays open. */
export async function fireAlerts(
  caller: Caller,
  { fleet, alerts: { ruleId } }: { fleet: Fleet; alerts: Alerts },
): Promise<void> {
  let incident: ListedIncident | undefined
  await until('an incident of the hot lens', async () => {
    await reportLens(caller, fleet.deviceKey, 71)
    incident = (await listIncidents(caller, { alertRuleIds: [ruleId], isOpen: true }))[0]
    return incident !== undefined
  })
  await made(caller, `{ws}/alert-incidents/${incident?.id ?? ''}/acknowledge`, undefined, {
    method: 'POST',
  })
  await until('the end of the incident', async () => {
    await reportLens(caller, fleet.deviceKey, 21)
    return (await listIncidents(caller, { alertRuleIds: [ruleId], isOpen: true })).length === 0
  })
  await until('an incident of new findings', async () => {
    const open = await listIncidents(caller, { isOpen: true })
    return open.length > 0
  })
  await until('notifications that are sent', async () => {
    const { notifications } = await made<{ notifications: { state: string }[] }>(
      caller,
      '{ws}/notifications/list',
      { limit: 100 },
    )
    return notifications.length > 0 && notifications.every(({ state }) => state !== 'Pending')
  })
}
