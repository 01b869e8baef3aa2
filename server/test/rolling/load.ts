/** Clients that note every answer. None of them asks a second time: what is not a success is a failure. */
import { setTimeout as delay } from 'node:timers/promises'
import mqtt from 'mqtt'
import { ask, type Caller } from '../upgrade/caller.ts'
import { cycloneDx, TIDE } from '../upgrade/documents.ts'

/** What is there before. */
export interface Ground {
  /** With a key of the workspace, and with one of its devices. */
  caller: Caller
  device: Caller
  deviceKey: string
  mqttUrl: string
  firmwareId: string
  /** SBOMs are uploaded to it. */
  firmwareVersionId: string
  /** It is decided about again and again. */
  findingId: string
}

/** What was accepted. */
interface AcceptedWork {
  /** By id, the last description. */
  devices: Map<string, string>
  /** Ids. */
  sboms: string[]
  /** The details of decisions, in their order. */
  decisions: string[]
  points: number
  /** `device run` of each run that a device reported. */
  runs: Set<string>
}

export interface Load {
  accepted: AcceptedWork
  /** In words. */
  failures: string[]
  /** Resolves when some requests of each kind were sent and answered after the call. */
  someOfEach: () => Promise<void>
  /** Resolves when all clients have their last answer. */
  stop: () => Promise<void>
}

export const METRIC = 'temperature'
const MQTT_DEVICE = 'by-mqtt'
const HTTP_DEVICES = ['by-http-1', 'by-http-2']

const KINDS = ['list', 'create', 'change', 'get', 'assess', 'upload', 'sync', 'publish'] as const
type Kind = (typeof KINDS)[number]

/** More than requests of one kind that are under way at once. */
const SOME = 4
/** A node is away for seconds, so that each kind meets every change of a node with dozens of requests. */
const PAUSE_MS = 200
/** Each has to be parsed and matched before the end, one after the other. */
const UPLOAD_PAUSE_MS = 1_000
/** How often is looked whether there were some of each. */
const LOOK_MS = 50
/** A device starts anew after so many. */
const REPORTS_OF_A_RUN = 10

interface RunningLoad extends Pick<Load, 'accepted' | 'failures'> {
  ground: Ground
  stopping: AbortSignal
  answers: Map<Kind, number>
}

export function startLoad(ground: Ground): Load {
  const stopping = new AbortController()
  const running: RunningLoad = {
    ground,
    accepted: { devices: new Map(), sboms: [], decisions: [], points: 0, runs: new Set() },
    failures: [],
    answers: new Map(),
    stopping: stopping.signal,
  }
  const { accepted, failures, answers } = running
  const ended = Promise.all([
    repeat(running, list),
    repeat(running, keepDevice),
    repeat(running, assess),
    repeat(running, upload, UPLOAD_PAUSE_MS),
    ...HTTP_DEVICES.map((id) => repeat(running, (_, turn) => sync(running, id, turn))),
    publish(running),
  ])
  const countOf = (kind: Kind) => answers.get(kind) ?? 0
  return {
    accepted,
    failures,
    someOfEach: async () => {
      const before = new Map(answers)
      while (KINDS.some((kind) => countOf(kind) < (before.get(kind) ?? 0) + SOME))
        await delay(LOOK_MS)
    },
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function repeat(
  running: RunningLoad,
  work: (running: RunningLoad, turn: number) => Promise<void>,
  pauseMs = PAUSE_MS,
): Promise<void> {
  for (let turn = 1; !running.stopping.aborted; turn += 1) {
    await work(running, turn)
    await delay(pauseMs)
  }
}

type Request = Parameters<typeof ask>[1] & { kind: Kind; caller?: Caller }

/** The answer; undefined: the request failed. */
async function send<Body>(
  { ground, failures, answers }: RunningLoad,
  { kind, caller = ground.caller, ...request }: Request,
): Promise<Body | undefined> {
  const { status, text } = await ask(caller, request).catch((error: unknown) => ({
    status: 0,
    text: error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error),
  }))
  answers.set(kind, (answers.get(kind) ?? 0) + 1)
  if (status >= 200 && status < 300) return JSON.parse(text) as Body
  failures.push(`${new Date().toISOString()} ${kind} ${request.path}: ${status} ${text}`)
  return undefined
}

async function list(running: RunningLoad, turn: number): Promise<void> {
  const { firmwareId, firmwareVersionId } = running.ground
  const requests: Omit<Request, 'kind'>[] = [
    { path: '{ws}/settings' },
    { path: '{ws}/firmwares' },
    { path: `{ws}/firmwares/${firmwareId}/versions` },
    { path: '{ws}/devices/list', body: { sortColumn: 'LastSeenAt', ascending: false } },
    { path: `{ws}/firmware-versions/${firmwareVersionId}/sboms` },
    { path: '{ws}/vulnerability-findings/list', body: { limit: 20 } },
    { path: '{ws}/overview' },
    { path: '{ws}/search?q=tide' },
  ]
  const request = requests[turn % requests.length]
  if (request) await send(running, { kind: 'list', ...request })
}

/** Creates a device, changes it, and reads what it wrote, through whichever nodes the balancer chooses. */
async function keepDevice(running: RunningLoad, turn: number): Promise<void> {
  const { devices } = running.accepted
  const id = `kept-${turn}`
  const first = { id, description: 'new' }
  if (!(await send(running, { kind: 'create', path: '{ws}/devices', body: first }))) return
  devices.set(id, first.description)
  const path = `{ws}/devices/${id}`
  const description = `changed in turn ${turn}`
  const change = { kind: 'change', method: 'PATCH', path, body: { description } } as const
  if (await send(running, change)) devices.set(id, description)
  const read = await send<{ description: string }>(running, { kind: 'get', path })
  if (read && read.description !== devices.get(id))
    running.failures.push(`${id} is read as ${read.description} after ${devices.get(id) ?? ''}`)
}

const ASSESSMENTS = ['InTriage', 'NotAffected', 'Exploitable']

async function assess(running: RunningLoad, turn: number): Promise<void> {
  const { ground, accepted } = running
  const body = { assessment: ASSESSMENTS[turn % ASSESSMENTS.length], detail: `turn ${turn}` }
  const path = `{ws}/vulnerability-findings/${ground.findingId}/assessments`
  if (await send(running, { kind: 'assess', path, body })) accepted.decisions.push(body.detail)
}

async function upload(running: RunningLoad, turn: number): Promise<void> {
  const { ground, accepted } = running
  const path = `{ws}/firmware-versions/${ground.firmwareVersionId}/sboms?fileName=${turn}.json`
  const body = cycloneDx(`0.${turn}.0`, [TIDE(`1.0.${turn}`)])
  const answer = await send<{ sboms: { id: string }[] }>(running, { kind: 'upload', path, body })
  for (const { id } of answer?.sboms ?? []) accepted.sboms.push(id)
}

async function sync(running: RunningLoad, id: string, turn: number): Promise<void> {
  const { device: caller } = running.ground
  const runId = `run-${Math.ceil(turn / REPORTS_OF_A_RUN)}`
  const body = {
    session: { runId, firmware: [{ slug: 'beacon', version: '1.0.0' }] },
    metrics: [{ name: METRIC, value: turn, sequence: turn }],
  }
  const path = `/device/v1/${caller.workspaceId}/${id}/sync`
  if (!(await send(running, { kind: 'sync', caller, path, body }))) return
  running.accepted.points += 1
  running.accepted.runs.add(`${id} ${runId}`)
}

/** A device that stays connected. A node that ends closes its connection: it connects again, and sends what was not acknowledged. */
async function publish(running: RunningLoad): Promise<void> {
  const { ground, accepted, answers, stopping } = running
  const { workspaceId } = ground.caller
  const client = mqtt.connect(ground.mqttUrl, {
    clientId: MQTT_DEVICE,
    username: `${workspaceId}:${MQTT_DEVICE}`,
    password: ground.deviceKey,
    reconnectPeriod: 100,
  })
  client.on('error', () => undefined)
  const topic = `plimsoll/v1/${workspaceId}/${MQTT_DEVICE}/up`
  const tell = (kind: string, message: object) =>
    client.publishAsync(`${topic}/${kind}`, JSON.stringify(message), { qos: 1 })
  const runId = 'run-1'
  await tell('session', { runId, firmware: [{ slug: 'beacon', version: '1.0.0' }] })
  accepted.runs.add(`${MQTT_DEVICE} ${runId}`)
  for (let sequence = 1; !stopping.aborted; sequence += 1) {
    await tell('metrics', { runId, points: [{ name: METRIC, value: sequence, sequence }] })
    accepted.points += 1
    answers.set('publish', (answers.get('publish') ?? 0) + 1)
    await delay(PAUSE_MS)
  }
  await client.endAsync()
}
