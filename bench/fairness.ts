/**
 * Measures what one workspace notices of another (docs/design/budgets.md): lists, uploads, syncs of a device, health and the
 * lateness of alerts of a quiet workspace, while another floods each door in turn. One row a flood; `ratio` is the worst
 * p95 of lists, syncs, health and uploads over its quiet value (goal: at most 3, and no 5xx).
 * `node bench/fairness.ts [seconds a flood] [one flood]`
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '../server/src/config/config.ts'
import { issueDeviceKey } from '../server/src/features/devices/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { MESSAGES } from '../server/src/messages.ts'
import { openContext } from '../server/src/open-context.ts'
import { createLog } from '../server/src/platform/log.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { FLOOD_NAMES, type Target } from './fairness-floods.ts'
import { percentile } from './portfolio-folder.ts'

const { seconds, only } = readBenchArguments({
  seconds: countArgument(20),
  only: {
    hint: `one of ${FLOOD_NAMES.join(', ')}; all by default`,
    isOptional: true,
    read: (text) => {
      if (text !== undefined && !FLOOD_NAMES.includes(text)) throw new Error('is not a flood')
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
const opened = await openContext({
  config: readConfig({ PLIMSOLL_DATA_DIR: dataDir }),
  log: createLog('silent'),
  onProgress: () => undefined,
  messages: MESSAGES,
  as: 'command',
})
const { db } = opened.ctx
const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const

async function givenTarget(name: string): Promise<Target> {
  const { workspaceId, apiKey } = await bootstrapWorkspace(opened.ctx, {
    name,
    ownerEmail: `${name}@example.com`,
    actor: OPERATOR,
  })
  const { deviceKey } = await issueDeviceKey(opened.ctx, { workspaceId, actor: OPERATOR })
  const target = { url: service.url, mqttPort, workspaceId, apiKey, deviceKey }
  const { id } = await answerOf<{ id: string }>(target, '/firmwares', { slug: 'main' })
  const version = await answerOf<{ id: string }>(target, `/firmwares/${id}/versions`, { name: '1' })
  await sql`update workspaces set device_auto_registration = true where id = ${workspaceId}`.execute(
    db,
  )
  return { ...target, firmwareVersionId: version.id }
}

type Caller = Pick<Target, 'url' | 'workspaceId' | 'apiKey'>

async function send({ url, workspaceId, apiKey }: Caller, path: string, body?: object | string) {
  const type = typeof body === 'string' ? 'application/octet-stream' : 'application/json'
  return fetch(`${url}/workspaces/${workspaceId}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': type }) },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

async function answerOf<Answer>(caller: Caller, path: string, body?: object): Promise<Answer> {
  const response = await send(caller, path, body)
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Findings, metrics and log lines of the one that floods. */
async function givenMuch({ workspaceId, firmwareVersionId }: Target): Promise<void> {
  const id = sql`'CVE-2020-' || n`
  const numbers = sql`generate_series(1, 30000) as n`
  const packageId = sql`md5('much ' || n % 1000)::uuid`
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, is_known_exploit, updated_at)
    select ${id}, 'Overflow ' || n, 'High', n % 10, false, now() from ${numbers}`.execute(db)
  await sql`
    insert into packages (id, identity, created_at, matched_at)
    select distinct ${packageId}, '{"pairs": []}'::jsonb, now(), now() from ${numbers}`.execute(db)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select ${packageId}, ${id}, now(), 'PackageMatched', 'High', 'High', 5 from ${numbers}`.execute(
    db,
  )
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version)
    select distinct ${workspaceId}::uuid, ${firmwareVersionId}::uuid, ${packageId}, now(), 'SbomParsed', 'part', '1'
    from ${numbers}`.execute(db)
  await sql`
    insert into workspace_packages
      (workspace_id, package_id, version_count, held_since, open_since, component_name, component_version)
    select workspace_id, package_id, 1, now(), now(), component_name, component_version
    from firmware_version_packages where workspace_id = ${workspaceId}`.execute(db)
  await sql`
    insert into workspace_matches (workspace_id, vulnerability_id, package_id, detected_at)
    select ${workspaceId}, vulnerability_id, package_id, now() from package_matches`.execute(db)
  await sql`
    insert into workspace_vulnerabilities (workspace_id, vulnerability_id, finding_count, detected_at)
    select ${workspaceId}, vulnerability_id, count(*), now() from package_matches group by 2`.execute(
    db,
  )
  await sql`
    insert into devices (workspace_id, id, created_at, effective_log_severity)
    select ${workspaceId}, 'd' || n, now(), 'Info' from generate_series(0, 499) as n`.execute(db)
  await sql`
    insert into device_logs (workspace_id, device_id, id, time, severity, message, labels)
    select ${workspaceId}, 'd' || n % 500, gen_random_uuid(), now() - n * interval '10 ms', 'Info',
      'line ' || md5(n::text), '{}'
    from generate_series(1, 200000) as n`.execute(db)
  await sql`
    with series as (
      insert into metric_series (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
      select ${workspaceId}, 'd' || n, 'temperature', '{}', '{}', sha256(('d' || n)::bytea), now(), now()
      from generate_series(0, 499) as n returning id)
    insert into metric_points (workspace_id, series_id, time, sum)
    select ${workspaceId}, series.id, now() - n * interval '6 s', n from series, generate_series(1, 500) as n`.execute(
    db,
  )
  await sql`analyze`.execute(db)
}

/** Times of the quiet workspace by what it does, in ms, and its answers of 500 and more. */
class Probes {
  readonly times = new Map<string, number[]>()
  faults = 0
  private isOver = false
  private readonly quiet: Target

  constructor(quiet: Target) {
    this.quiet = quiet
  }

  async run(ms: number): Promise<void> {
    const { quiet } = this
    const { url, workspaceId, deviceKey } = quiet
    const sync = () =>
      fetch(`${url}/device/v1/${workspaceId}/quiet/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
        body: '{}',
      })
    const all = [
      this.repeat('lists', () => send(quiet, '/vulnerability-findings/list', { limit: 100 })),
      this.repeat('syncs', sync, 1_000),
      this.repeat('health', () => fetch(`${service.managementUrl}/health/ready`)),
      this.repeat('uploads', () => this.uploadAndWait(), 500),
    ]
    await delay(ms)
    this.isOver = true
    await Promise.all(all)
  }

  private async repeat(what: string, work: () => Promise<Response>, pauseMs = 50): Promise<void> {
    const times: number[] = []
    this.times.set(what, times)
    do {
      const startedAt = performance.now()
      const response = await work()
      await response.arrayBuffer()
      times.push(performance.now() - startedAt)
      if (response.status >= 500) this.faults += 1
      await delay(pauseMs)
    } while (!this.isOver)
  }

  /** Three components, from the upload until they are parsed. */
  private async uploadAndWait(): Promise<Response> {
    const path = `/firmware-versions/${this.quiet.firmwareVersionId}/sboms`
    const components = ['a', 'b', 'c'].map((name) => ({
      type: 'library',
      name,
      version: crypto.randomUUID(),
    }))
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
    const uploaded = await send(this.quiet, path, JSON.stringify(bom))
    if (!uploaded.ok) return uploaded
    const { sboms } = (await uploaded.json()) as { sboms: { id: string }[] }
    for (;;) {
      const { parsingState } = await db
        .selectFrom('sboms')
        .select('parsingState')
        .where('workspaceId', '=', this.quiet.workspaceId)
        .where('id', '=', sboms[0]?.id ?? '')
        .executeTakeFirstOrThrow()
      if (parsingState !== 'InProgress') return new Response()
      await delay(20)
    }
  }

  p95(what: string): number {
    return percentile(this.times.get(what) ?? [], 0.95)
  }
}

async function measured(quiet: Target, ms: number): Promise<Probes> {
  const probes = new Probes(quiet)
  await probes.run(ms)
  return probes
}

function residentMebibytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

/** Seconds by which evaluations since the instant came after they were due, at most. */
async function alertLateness({ workspaceId }: Target, since: Date): Promise<string> {
  const { rows } = await sql<{ late: number | null }>`
    select max(extract(epoch from evaluated_at - scheduled_at))::float8 as late
    from alert_evaluations where workspace_id = ${workspaceId} and scheduled_at >= ${since}`.execute(
    db,
  )
  const late = rows[0]?.late ?? undefined
  return late === undefined ? '' : `${late.toFixed(1)} s`
}

const WHAT = ['lists', 'syncs', 'health', 'uploads'] as const

async function flooded(name: string, [quiet, hostile]: readonly [Target, Target], alone: Probes) {
  const since = new Date()
  const flood = join(import.meta.dirname, 'fairness-floods.ts')
  const child = spawn(process.execPath, [flood, name, JSON.stringify(hostile)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  while (!said.startsWith('begun')) await delay(100)
  await delay(1_500)
  const probes = await measured(quiet, seconds * 1000)
  const memory = residentMebibytes(service.child)
  await endProcess(child, 'SIGTERM')
  const cells = WHAT.map((what) => [
    what,
    `${alone.p95(what).toFixed(0)} → ${probes.p95(what).toFixed(0)} ms`,
  ])
  const ratio = Math.max(...WHAT.map((what) => probes.p95(what) / alone.p95(what)))
  const late = await alertLateness(quiet, since)
  return {
    flood: name,
    ...(Object.fromEntries(cells) as Record<string, string>),
    ratio: ratio.toFixed(1),
    '5xx': probes.faults,
    'alerts late': late,
    'service MiB': memory,
    'the flood got': said.replace('begun', '').trim(),
  }
}

try {
  const quiet = await givenTarget('quiet')
  const hostile = await givenTarget('hostile')
  await givenMuch(hostile)
  const rule = { name: 'Silent', type: 'DeviceOffline', evaluationFrequency: '1m' }
  await answerOf(quiet, '/alert-rules', { ...rule, condition: { offlineFor: '1h' } })
  await measured(quiet, 3_000)
  const alone = await measured(quiet, seconds * 1000)
  const rows = []
  // The uploads come last: they keep the parsers busy after they were sent.
  const order = FLOOD_NAMES.toSorted((a, b) => Number(a === 'uploads') - Number(b === 'uploads'))
  for (const name of only === undefined ? order : [only]) {
    rows.push(await flooded(name, [quiet, hostile], alone))
    console.log(JSON.stringify(rows.at(-1)))
    await delay(2_000)
  }
  console.table(rows)
} finally {
  await opened.close()
  await endProcess(service.child, 'SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
