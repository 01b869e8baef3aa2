/** What a quiet workspace does while `bench/fairness.ts` measures it, and how long that takes. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../server/src/platform/db/connect.ts'
import type { Target } from './fairness-floods.ts'
import { computePercentile } from './portfolio-folder.ts'

export const PROBED = ['lists', 'syncs', 'health', 'uploads', 'alerts', 'streams'] as const
export type ProbedRoute = (typeof PROBED)[number]

type Caller = Pick<Target, 'url' | 'workspaceId' | 'apiKey'>

export async function send(
  { url, workspaceId, apiKey }: Caller,
  path: string,
  body?: object | string,
) {
  const type = typeof body === 'string' ? 'application/octet-stream' : 'application/json'
  return fetch(`${url}/workspaces/${workspaceId}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': type }) },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export async function askService<Answer>(
  caller: Caller,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await send(caller, path, body)
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Answer
}

export interface Quiet {
  target: Target
  managementUrl: string
  db: Db
  /** A rule has one evaluation a minute, so that there are many, and each is made due in its turn. */
  ruleIds: readonly string[]
  evaluations: number
  /** The address of a bundle, which an installation streams. */
  bundle: { url: string; sizeBytes: number }
}

const POLL_MS = 20

/** As Debian's RAUC asks while it installs an adaptive bundle (server/test/rauc-streaming.test.ts): one range after the other. */
const STREAMED_RANGES = 32
const STREAMED_BYTES = 16 * 1024

/** Times by what was done, in ms, answers of 500 and more, and small ranges that were refused. */
export class Probes {
  faults = 0
  refusedRanges = 0
  private readonly times = new Map<ProbedRoute, number[]>()
  private isOver = false
  private readonly quiet: Quiet

  constructor(quiet: Quiet) {
    this.quiet = quiet
  }

  async run(ms: number): Promise<void> {
    const { target, managementUrl } = this.quiet
    const { url, workspaceId, deviceKey } = target
    const sync = () =>
      fetch(`${url}/device/v1/${workspaceId}/quiet/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
        body: '{}',
      })
    const all = [
      this.repeat('lists', () => send(target, '/vulnerability-findings/list', { limit: 100 })),
      this.repeat('syncs', sync, 300),
      this.repeat('health', () => fetch(`${managementUrl}/health/ready`)),
      this.repeat('uploads', () => this.uploadAndWait(), 250),
      this.repeat('alerts', () => this.evaluate(), 100),
      this.repeat('streams', () => this.stream(), 100),
    ]
    await delay(ms)
    this.isOver = true
    await Promise.all(all)
  }

  p95(what: ProbedRoute): number {
    return computePercentile(this.times.get(what) ?? [], 0.95)
  }

  private async repeat(
    what: ProbedRoute,
    work: () => Promise<Response>,
    pauseMs = 50,
  ): Promise<void> {
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

  /** A part of an installation that streams. */
  private async stream(): Promise<Response> {
    const { url, sizeBytes } = this.quiet.bundle
    for (let count = 0; count < STREAMED_RANGES; count += 1) {
      const start = Math.floor(Math.random() * (sizeBytes - STREAMED_BYTES))
      const range = `bytes=${start}-${start + STREAMED_BYTES - 1}`
      const answer = await fetch(url, { headers: { range } })
      await answer.arrayBuffer()
      if (answer.status !== 206) this.refusedRanges += 1
    }
    return new Response()
  }

  /** Three components, from the upload until they are parsed. */
  private async uploadAndWait(): Promise<Response> {
    const { target, db } = this.quiet
    const path = `/firmware-versions/${target.firmwareVersionId}/sboms`
    const components = ['a', 'b', 'c'].map((name) => ({
      type: 'library',
      name,
      version: crypto.randomUUID(),
    }))
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
    const uploaded = await send(target, path, JSON.stringify(bom))
    if (!uploaded.ok) return uploaded
    const { sboms } = (await uploaded.json()) as { sboms: { id: string }[] }
    for (;;) {
      const { parsingState } = await db
        .selectFrom('sboms')
        .select('parsingState')
        .where('workspaceId', '=', target.workspaceId)
        .where('id', '=', sboms[0]?.id ?? '')
        .executeTakeFirstOrThrow()
      if (parsingState !== 'InProgress') return new Response()
      await delay(POLL_MS)
    }
  }

  /** Makes a rule due, and waits until it is evaluated: the schedule looks for due rules every second. */
  private async evaluate(): Promise<Response> {
    const { db, ruleIds, target } = this.quiet
    const id = ruleIds[this.quiet.evaluations++ % ruleIds.length]
    const rule = sql`workspace_id = ${target.workspaceId} and id = ${id}`
    await sql`update alert_rules set next_evaluation_at = clock_timestamp() where ${rule}`.execute(
      db,
    )
    for (;;) {
      const { rows } = await sql`
        select from alert_rules where ${rule} and next_evaluation_at > clock_timestamp()`.execute(
        db,
      )
      if (rows.length > 0) break
      await delay(POLL_MS)
    }
    await sql`update alert_rules set next_evaluation_at = null where ${rule}`.execute(db)
    return new Response()
  }
}
