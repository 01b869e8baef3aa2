/** Clients that go on whatever happens, and know what was accepted from them. */
import { setTimeout as delay } from 'node:timers/promises'
import mqtt from 'mqtt'
import { syncSource } from '../../src/features/feeds/index.ts'
import type { DrillInstallation, Keys } from './installation.ts'
import { type Flaw, publishFlaws, SHARED_PART } from './knowledge.ts'
import { until } from './progress.ts'
import { isAccepted, type SentRequest } from './requests.ts'

export interface World {
  installation: DrillInstallation
  keys: Keys
  /** SBOMs are uploaded to all of them; the first two have artifacts. */
  firmwareVersionIds: readonly string[]
  /** Each of its SBOMs takes the place of the one before. */
  movingVersionId: string
  cohortId: string
  /** A confirmed address and a webhook. */
  targetIds: readonly string[]
  /** Devices that report by MQTT, beside those that do by HTTP. */
  mqttDevices?: readonly MqttLogin[]
  stopping: AbortSignal
  /** How long each client waits between two requests; more for a lighter load. */
  pauseMs?: number
}

/** A device at a broker. */
export interface MqttLogin {
  url: string
  deviceId: string
  username: string
  password: string
}

export interface AcceptedWork {
  /** Ids of SBOMs, with the number of the upload. */
  sboms: Map<string, number>
  /** Ids of SBOMs of the version that moves, the last one last. */
  builds: string[]
  /** Of each finding, the assessments that were sent. */
  decisions: Map<string, SentRequest<string>[]>
  deployments: Set<string>
  /** Addresses that were to be asked. */
  addresses: Set<string>
  /** How many points were sent, each until it was acknowledged. */
  points: number
  /** Of each alert rule, the thresholds that were sent. */
  rules: Map<string, SentRequest<number>[]>
  /** What is known in the end. */
  flaws: readonly Flaw[]
}

export interface Answer<Body> {
  status: number
  body: Body
}

/** undefined: nobody knows whether it was done. */
async function send<Body>(
  { installation, keys }: Pick<World, 'installation' | 'keys'>,
  path: string,
  {
    method = 'GET',
    body,
    key = keys.apiKey,
  }: { method?: string; body?: string; key?: string } = {},
): Promise<Answer<Body> | undefined> {
  const type = /\/sbom(s|-checks)\?/.test(path) ? 'application/octet-stream' : 'application/json'
  try {
    const response = await fetch(`${installation.service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(20_000),
    })
    return { status: response.status, body: (await response.json()) as Body }
  } catch {
    return undefined
  }
}

export const call = <Body>(
  world: Pick<World, 'installation' | 'keys'>,
  method: string,
  path: string,
  body?: object | string,
): Promise<Answer<Body> | undefined> =>
  send<Body>(world, `/workspaces/${world.keys.workspaceId}${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const PAUSE_MS = 100
const pauseOf = ({ pauseMs = PAUSE_MS }: World) => pauseMs
/** Every tenth is broken: it has to end as Failed, not in limbo. */
export const isBroken = (index: number) => index % 10 === 9

/** The shared part has a flaw, so that there is something to decide about. */
function bom(index: number): string {
  const names = [SHARED_PART, ...Array.from({ length: 19 }, (_, part) => `part-${index}-${part}`)]
  const components = names.map((name) => ({
    type: 'library',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
  }))
  const text = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components,
  })
  return isBroken(index) ? text.slice(0, -5) : text
}

/** SBOMs that follow each other go to one version, so that its inventory changes while it is matched. */
const OF_A_VERSION = 40

export const versionOf = ({ firmwareVersionIds }: World, index: number): string =>
  firmwareVersionIds[Math.floor(index / OF_A_VERSION) % firmwareVersionIds.length] ?? ''

/** Sends the file until it is accepted. */
async function uploadOne(world: World, path: string, document: string): Promise<string[]> {
  for (;;) {
    const answer = await call<{ sboms: { id: string }[] }>(world, 'POST', path, document)
    if (answer?.status === 202) return answer.body.sboms.map(({ id }) => id)
    await delay(pauseOf(world))
  }
}

async function upload(world: World, accepted: AcceptedWork, next: () => number): Promise<void> {
  while (!world.stopping.aborted) {
    const index = next()
    const path = `/firmware-versions/${versionOf(world, index)}/sboms?fileName=${index}.json`
    for (const id of await uploadOne(world, path, bom(index))) accepted.sboms.set(id, index)
    await delay(pauseOf(world))
  }
}

/** Not those of other uploads, and not broken. */
const FIRST_BUILD = 1_000_000

/** What becomes of the check before is nobody's business. */
async function replaceAgain(world: World, accepted: AcceptedWork): Promise<void> {
  const path = `/firmware-versions/${world.movingVersionId}/sboms?fileName=build.json&replace=file`
  for (let build = 0; !world.stopping.aborted; build += 1) {
    await delay(5 * pauseOf(world))
    const document = bom(FIRST_BUILD + build * 10)
    await call(world, 'POST', '/sbom-checks?fileName=build.json', document)
    for (const id of await uploadOne(world, path, document)) accepted.builds.push(id)
  }
}

const ASSESSMENTS = ['InTriage', 'NotAffected', 'Exploitable']

async function decide(world: World, accepted: AcceptedWork): Promise<void> {
  for (let turn = 0; !world.stopping.aborted; turn += 1) {
    await delay(3 * pauseOf(world))
    const version = world.firmwareVersionIds[turn % world.firmwareVersionIds.length] ?? ''
    const listed = await call<{ findings: { id: string }[] }>(
      world,
      'POST',
      `/firmware-versions/${version}/vulnerability-findings/list`,
      { limit: 5 },
    )
    const findings = listed?.status === 200 ? listed.body.findings : []
    const id = findings[turn % Math.max(1, findings.length)]?.id
    if (id === undefined) continue
    const assessment = ASSESSMENTS[turn % ASSESSMENTS.length] ?? ''
    const path = `/vulnerability-findings/${id}/assessments`
    await noted(world, accepted.decisions, { id, number: turn, value: assessment }, () =>
      call(world, 'POST', path, { assessment, detail: detailOf(turn) }),
    )
  }
}

/** Tells in the timeline of the finding which request it was. */
const detailOf = (number: number) => `request ${number}`
/** undefined: somebody else decided. */
export function numberOf(detail: string): number | undefined {
  const [, number] = /^request (\d+)$/.exec(detail) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Makes a request, and notes what is known of it. */
async function noted<Value, Body>(
  { installation }: World,
  sent: Map<string, SentRequest<Value>[]>,
  { id, number, value }: { id: string; number: number; value: Value },
  request: () => Promise<Answer<Body> | undefined>,
): Promise<Answer<Body> | undefined> {
  const { run } = installation
  const sentAt = new Date()
  const answer = await request()
  const one = { number, value, run, sentAt, endedAt: new Date(), status: answer?.status }
  sent.set(id, [...(sent.get(id) ?? []), one])
  return answer
}

/** Reports points one after another, each until it is acknowledged, and what it runs. */
async function report(world: World, accepted: AcceptedWork, device: string): Promise<void> {
  const path = `/device/v1/${world.keys.workspaceId}/${device}/sync`
  for (let sequence = 0; !world.stopping.aborted; sequence += 1) {
    const version = sequence % 20 < 10 ? '1' : '2'
    const body = JSON.stringify({
      session: { runId: 'drill', firmware: [{ slug: 'drill', version }] },
      metrics: [{ name: 'temperature', value: sequence % 100, sequence }],
    })
    accepted.points += 1
    while (
      (await send(world, path, { method: 'POST', body, key: world.keys.deviceKey }))?.status !== 200
    )
      await delay(pauseOf(world))
    await delay(pauseOf(world))
  }
}

/** Reports points until the broker acknowledges them. Its client connects again and again, and sends again what was not. */
async function reportByMqtt(
  world: World,
  accepted: AcceptedWork,
  device: MqttLogin,
): Promise<void> {
  const { url, username, password } = device
  const client = mqtt.connect(url, { username, password, reconnectPeriod: 200 })
  client.on('error', () => undefined)
  const topic = `plimsoll/v1/${world.keys.workspaceId}/${device.deviceId}/up`
  const tellAs = (kind: string, message: object) =>
    client.publishAsync(`${topic}/${kind}`, JSON.stringify(message), { qos: 1 })
  await tellAs('session', { runId: 'drill', firmware: [{ slug: 'drill', version: '1' }] })
  for (let sequence = 0; !world.stopping.aborted; sequence += 1) {
    accepted.points += 1
    const point = { name: 'temperature', value: sequence % 100, sequence }
    await tellAs('metrics', { runId: 'drill', points: [point] })
    await delay(pauseOf(world))
  }
  await client.endAsync()
}

async function deploy(world: World, accepted: AcceptedWork): Promise<void> {
  for (let turn = 0; !world.stopping.aborted; turn += 1) {
    await delay(8 * pauseOf(world))
    const artifacts = [{ firmwareVersionId: world.firmwareVersionIds[turn % 2] }]
    const path = `/deployment-cohorts/${world.cohortId}/deployments`
    const answer = await call<{ id: string }>(world, 'POST', path, { name: `${turn}`, artifacts })
    if (answer?.status === 201) accepted.deployments.add(answer.body.id)
  }
}

/** A workspace may ask 30 addresses an hour. */
const MOST_ADDRESSES = 25

async function askAddresses(world: World, accepted: AcceptedWork): Promise<void> {
  for (let turn = 0; turn < MOST_ADDRESSES && !world.stopping.aborted; turn += 1) {
    await delay(8 * pauseOf(world))
    const address = `r${turn}@example.com`
    const body = { name: address, type: 'Email', state: 'Enabled', emailAddresses: [address] }
    const answer = await call(world, 'POST', '/notification-targets', body)
    if (answer?.status === 201) accepted.addresses.add(address)
  }
}

const MOST_RULES = 60
const [FIRES, NEVER_FIRES] = [-1, 1_000]

const rule = (world: World, turn: number) => ({
  name: `rule ${turn}`,
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: {
    metric: 'temperature',
    aggregation: 'Maximum',
    groupBy: 'Device',
    operator: 'GreaterThan',
    threshold: FIRES,
    window: '1h',
  },
  targets: world.targetIds.map((id) => ({ id })),
})

/** Makes rules that fire, and then changes them, so that incidents begin and end. */
async function watch(world: World, accepted: AcceptedWork): Promise<void> {
  const { rules } = accepted
  for (let turn = 0; !world.stopping.aborted; turn += 1) {
    await delay(10 * pauseOf(world))
    if (rules.size < MOST_RULES && turn % 2 === 0) await addRule(world, accepted, turn)
    const id = [...rules.keys()][turn % Math.max(1, rules.size)]
    if (id === undefined || turn % 2 === 0) continue
    const threshold = turn % 4 === 1 ? NEVER_FIRES : FIRES
    const path = `/alert-rules/${id}`
    await noted(world, rules, { id, number: turn, value: threshold }, () =>
      call(world, 'PATCH', path, { condition: { threshold } }),
    )
  }
}

async function addRule(world: World, { rules }: AcceptedWork, turn: number): Promise<void> {
  const { run } = world.installation
  const sentAt = new Date()
  const answer = await call<{ id: string }>(world, 'POST', '/alert-rules', rule(world, turn))
  if (answer?.status !== 201) return
  const made = { number: turn, value: FIRES, run, sentAt, endedAt: new Date(), status: 201 }
  rules.set(answer.body.id, [made])
  // As if it had been made a minute ago: it is due now.
  await world.installation.execute(`
    update alert_rules set effective_since = effective_since - interval '1 minute',
      next_evaluation_at = next_evaluation_at - interval '1 minute'
    where id = '${answer.body.id}' and evaluated_until is null`)
}

const MOST_FLAWS = 120

/** Publishes flaw after flaw. Workers fetch them at their start and each minute, and some are fetched by hand. */
async function publish(world: World, accepted: AcceptedWork): Promise<void> {
  for (let turn = 1; !world.stopping.aborted; turn += 1) {
    await delay(15 * pauseOf(world))
    if (turn < MOST_FLAWS) accepted.flaws = publishFlaws(world.installation.feeds, turn + 1)
    await world.installation.execute('update vulnerability_sources set next_sync_at = now()')
    if (turn % 4 === 0) await fetchByHand(world, 'osv')
  }
}

/** What cannot be fetched now is fetched later. */
export async function fetchByHand({ installation }: World, source: 'osv' | 'kev'): Promise<void> {
  const sync = { source, isByHand: true, signal: AbortSignal.timeout(60_000) } as const
  await installation.beside((ctx) => syncSource(ctx, sync)).catch(() => undefined)
}

interface Load {
  accepted: AcceptedWork
  /** Resolves when work of each kind was accepted. Before that, a fault hurts clients that have nothing to lose yet. */
  someOfEach: () => Promise<void>
  /** Resolves when what was begun is accepted, after `stopping`. */
  ended: Promise<unknown>
}

/** In words; undefined: some work of each kind was accepted. */
function describeMissing(accepted: AcceptedWork): string | undefined {
  const { sboms, builds, decisions, deployments, addresses, rules } = accepted
  const isThere = {
    SBOM: sboms.size > 0,
    'second build': builds.length > 1,
    decision: [...decisions.values()].flat().some(isAccepted),
    deployment: deployments.size > 0,
    address: addresses.size > 0,
    'alert rule': rules.size > 0,
  }
  const missing = Object.entries(isThere).flatMap(([kind, found]) => (found ? [] : `no ${kind}`))
  return missing.length === 0 ? undefined : missing.join(', ')
}

export function startLoad(world: World): Load {
  const accepted: AcceptedWork = {
    sboms: new Map(),
    builds: [],
    decisions: new Map(),
    deployments: new Set(),
    addresses: new Set(),
    points: 0,
    rules: new Map(),
    flaws: publishFlaws(world.installation.feeds, 1),
  }
  let index = 0
  const next = () => index++
  const ended = Promise.all([
    ...[1, 2].map(() => upload(world, accepted, next)),
    replaceAgain(world, accepted),
    decide(world, accepted),
    deploy(world, accepted),
    askAddresses(world, accepted),
    watch(world, accepted),
    publish(world, accepted),
    ...['device-1', 'device-2'].map((device) => report(world, accepted, device)),
    ...(world.mqttDevices ?? []).map((device) => reportByMqtt(world, accepted, device)),
  ])
  const someOfEach = () =>
    until('work of each kind', () => Promise.resolve(describeMissing(accepted)), PAUSE_MS)
  return { accepted, someOfEach, ended }
}
