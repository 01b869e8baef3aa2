/**
 * Measures what one workspace notices of another (docs/design/budgets.md): lists, uploads, syncs of a device, health and the
 * lateness of alerts of a quiet workspace, while another floods each door in turn. One row a flood; `ratio` is the worst
 * p95 over its quiet value (goal: at most 3, and no 5xx). The client that floods has a low priority, as it stands for
 * another machine: the ratio is to tell of the service. What misses its budget is marked OVER, and a `control` follows: the ratio while a
 * process takes as much of the processors as that client did, and leaves the service alone. `own downloads` floods within the quiet
 * workspace itself: there only `streams`, which is an installation by RAUC, and the 5xx have a budget.
 * `node bench/fairness.ts [seconds a flood] [one flood]`
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '../server/src/config/config.ts'
import { issueDeviceKey } from '../server/src/features/devices/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { MESSAGES } from '../server/src/messages.ts'
import { openContext } from '../server/src/open-context.ts'
import { findMax } from '../server/src/formats/extremes.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import { createLog } from '../server/src/platform/log.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { givenBundle, givenDownloads, givenMuch } from './fairness-data.ts'
import { FLOOD_NAMES, type Target } from './fairness-floods.ts'
import { askService, PROBED, type ProbedRoute, Probes, type Quiet } from './fairness-probes.ts'
import { readUsage, type Usage } from './fairness-processes.ts'
import { keepFigure } from './figures.ts'

const MOST_RATIO = 3
/** Of the service, a minute after any load (docs/design/budgets.md). */
const MOST_AFTER_MEBIBYTES = 250
/** Of the service, while it is flooded. */
const MOST_MEBIBYTES = 400
const SETTLED_WITHIN_MS = 60_000
/** Beyond, the flood is measured without it: the client is at work all the same. */
const FIRST_ANSWER_MS = 30_000
const QUIET_SHARE = 2
/** A tenth of the share of the service where both want a processor. At 19 the client stood still beside other work. */
const NICENESS = 10
/** A rule is due once a minute, and a probe takes half a second at least. */
const RULES = 200

/** Downloads of 200 devices of the quiet workspace. */
const OWN = 'own downloads'
const NAMES = [...FLOOD_NAMES, OWN]

const { seconds, only } = readBenchArguments({
  seconds: countArgument(15),
  only: {
    hint: `one of ${NAMES.join(', ')}; all by default`,
    isOptional: true,
    read: (text) => {
      if (text !== undefined && !NAMES.includes(text)) throw new Error('is not a flood')
      return text
    },
  },
})

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-fairness-'))
const mqttPort = await freePort()
const service = await startServiceProcess({
  dataDir,
  port: await freePort(),
  managementPort: await freePort(),
  env: {
    PLIMSOLL_MQTT_PORT: String(mqttPort),
    PLIMSOLL_LOG_LEVEL: 'warn',
  },
})
const servicePid = service.child.pid ?? 0
const opened = await openContext({
  config: readConfig({ PLIMSOLL_DATA_DIR: dataDir }),
  log: createLog('silent'),
  onProgress: () => undefined,
  messages: MESSAGES,
  as: 'command',
})
const { db } = opened.ctx

async function givenTarget(name: string): Promise<Target> {
  const { workspaceId, apiKey } = await bootstrapWorkspace(opened.ctx, {
    name,
    ownerEmail: `${name}@example.com`,
    actor: OPERATOR,
  })
  const { deviceKey } = await issueDeviceKey(opened.ctx, { workspaceId, actor: OPERATOR })
  const target = { url: service.url, mqttPort, workspaceId, apiKey, deviceKey }
  const { id } = await askService<{ id: string }>(target, '/firmwares', { slug: 'main' })
  const version = await askService<{ id: string }>(target, `/firmwares/${id}/versions`, {
    name: '1',
  })
  await sql`update workspaces set device_auto_registration = true where id = ${workspaceId}`.execute(
    db,
  )
  return { ...target, firmwareVersionId: version.id }
}

/** With rules that are never due by themselves. */
async function givenQuiet(): Promise<Quiet> {
  const target = await givenTarget('quiet')
  const ruleIds: string[] = []
  for (let number = 0; number < RULES; number += 1) {
    const rule = { name: `Silent ${number}`, type: 'DeviceOffline', evaluationFrequency: '1m' }
    const made = { ...rule, condition: { offlineFor: '1h' } }
    ruleIds.push((await askService<{ id: string }>(target, '/alert-rules', made)).id)
  }
  await sql`
    update alert_rules set next_evaluation_at = null where workspace_id = ${target.workspaceId}`.execute(
    db,
  )
  const bundle = await givenBundle(target)
  return { target, managementUrl: service.managementUrl, db, ruleIds, evaluations: 0, bundle }
}

async function measured(quiet: Quiet, ms: number): Promise<Probes> {
  const probes = new Probes(quiet)
  await probes.run(ms)
  return probes
}

/** The most memory until `stop` is called. */
function watchMemory(clientPid?: number) {
  const most = { service: 0, helpers: 0 }
  const look = () => {
    const { mebibytes } = readUsage(servicePid, clientPid)
    most.service = Math.max(most.service, mebibytes.service)
    most.helpers = Math.max(most.helpers, mebibytes.helpers)
  }
  const timer = setInterval(look, 250)
  return {
    most,
    stop: () => {
      clearInterval(timer)
      look()
    },
  }
}

interface FloodOutcome {
  probes: Probes
  /** By who takes it, as a part of one processor. */
  shares: Usage['seconds']
  most: Usage['mebibytes']
  got: string
}

const FLOODS = join(import.meta.dirname, 'fairness-floods.ts')

function startClient(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [FLOODS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  return child
}

/** Measures while the client floods. */
async function flooded(quiet: Quiet, ...args: string[]): Promise<FloodOutcome> {
  const client = startClient(...args)
  let said = ''
  client.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  for (let waited = 0; !said.startsWith('begun') && waited < FIRST_ANSWER_MS; waited += 100) {
    if (client.exitCode !== null) throw new Error(`the client of ${args[0] ?? ''} ended`)
    await delay(100)
  }
  await delay(1_500)
  const memory = watchMemory(client.pid)
  const [before, startedAt] = [readUsage(servicePid, client.pid).seconds, performance.now()]
  const probes = await measured(quiet, seconds * 1000)
  const [after, tookMs] = [readUsage(servicePid, client.pid).seconds, performance.now() - startedAt]
  memory.stop()
  await endProcess(client, 'SIGTERM')
  const share = (who: keyof Usage['seconds']) => (after[who] - before[who]) / (tookMs / 1000)
  const shares = {
    service: share('service'),
    helpers: share('helpers'),
    database: share('database'),
    client: share('client'),
  }
  return { probes, shares, most: memory.most, got: said.replace('begun', '').trim() }
}

function ratioOf(probes: Probes, alone: Probes, probed: readonly ProbedRoute[] = PROBED): number {
  return findMax(probed.map((what) => probes.p95(what) / alone.p95(what)))
}

/** Waits until the service is small again, a minute at most. */
async function settle(): Promise<{ mebibytes: number; afterSeconds: number }> {
  const startedAt = performance.now()
  for (;;) {
    await delay(1_000)
    const { service: mebibytes } = readUsage(servicePid).mebibytes
    const waitedMs = performance.now() - startedAt
    const afterSeconds = Math.round(waitedMs / 1000)
    if (mebibytes <= MOST_AFTER_MEBIBYTES || waitedMs >= SETTLED_WITHIN_MS)
      return { mebibytes, afterSeconds }
  }
}

const whole = (number: number) => number.toFixed(0)
const marked = (figure: string, isOver: boolean) => (isOver ? `${figure} OVER` : figure)
const percent = (share: number) => whole(share * 100)

/** The ratio while a process takes as much of the processors as the client did, and leaves the service alone. */
async function controlOf(quiet: Quiet, share: number, alone: Probes): Promise<string> {
  const { probes } = await flooded(quiet, 'burner', String(share))
  return ratioOf(probes, alone).toFixed(1)
}

async function rowOf(name: string, quiet: Quiet, hostile: Target, alone: Probes) {
  const isOwn = name === OWN
  const by = isOwn ? quiet.target : hostile
  const { probes, shares, most, got } = await flooded(
    quiet,
    isOwn ? 'downloads' : name,
    JSON.stringify(by),
  )
  const { mebibytes, afterSeconds } = await settle()
  const ratio = ratioOf(probes, alone, isOwn ? ['streams'] : PROBED)
  const isMissed = ratio > MOST_RATIO
  const keep = (what: string, value: number, unit: string, yardstick: number) =>
    keepFigure({ what: `${name}: ${what}`, value, unit, most: yardstick })
  keep('greatest p95 to its quiet value', ratio, '×', MOST_RATIO)
  keep('5xx', probes.faults, 'answers', 0)
  keep('refused small ranges', probes.refusedRanges, 'ranges', 0)
  keep('memory of the service', most.service, 'MiB', MOST_MEBIBYTES)
  keep('memory afterwards', mebibytes, 'MiB', MOST_AFTER_MEBIBYTES)
  const timesOf = (what: ProbedRoute) => {
    const isOver = probes.p95(what) > MOST_RATIO * alone.p95(what)
    return `${whole(alone.p95(what))} → ${whole(probes.p95(what))}${isOver ? ' OVER' : ''}`
  }
  return {
    flood: name,
    ...(Object.fromEntries(PROBED.map((what) => [what, timesOf(what)])) as Record<
      ProbedRoute,
      string
    >),
    [`ratio ≤ ${MOST_RATIO}`]: marked(ratio.toFixed(1), isMissed),
    control: isMissed ? await controlOf(quiet, shares.client, alone) : '',
    '5xx': marked(String(probes.faults), probes.faults > 0),
    'refused ranges': marked(String(probes.refusedRanges), probes.refusedRanges > 0),
    'CPU %': [shares.service, shares.helpers, shares.database, shares.client]
      .map(percent)
      .join('+'),
    [`MiB ≤ ${MOST_MEBIBYTES}`]: marked(whole(most.service), most.service > MOST_MEBIBYTES),
    helpers: whole(most.helpers),
    [`after ≤ ${MOST_AFTER_MEBIBYTES}`]: marked(
      `${whole(mebibytes)} (${afterSeconds} s)`,
      mebibytes > MOST_AFTER_MEBIBYTES,
    ),
    got,
  }
}

/** The uploads come last: they keep the parsers busy after they were sent. */
function order(): string[] {
  if (only !== undefined) return [only]
  return NAMES.toSorted((a, b) => Number(a === 'uploads') - Number(b === 'uploads'))
}

try {
  const quiet = await givenQuiet()
  const hostile = await givenTarget('hostile')
  await givenMuch(db, hostile)
  for (const target of [quiet.target, hostile]) await givenDownloads(db, target)
  await measured(quiet, 3_000)
  const [load = 0] = loadavg()
  const alone = await measured(quiet, QUIET_SHARE * seconds * 1000)
  const rows = []
  for (const name of order()) {
    rows.push(await rowOf(name, quiet, hostile, alone))
    console.log(JSON.stringify(rows.at(-1)))
  }
  console.table(rows.map(({ got: _got, ...row }) => row))
  console.log(
    `p95 in ms of the quiet workspace, alone → flooded. CPU %: service + its parsers and calculators + database + the client that floods, of one processor each (there are ${availableParallelism()}). The client ran at a lower priority (nice ${NICENESS}). MiB: the most of the service, of its helpers, and of the service after the flood, with the seconds until then. Load before: ${load.toFixed(1)}.`,
  )
} finally {
  await opened.close()
  await endProcess(service.child, 'SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
