/** A context of the product whose time is told by a story, and whose jobs run when the story says so (decision 27). */
import type { Pool } from 'pg'
import { buildApi } from '../../api.ts'
import { ROLES } from '../../config/config.ts'
import { openDoors } from '../../device-doors.ts'
import { openStaging, type StagingSession } from '../../features/advisories/index.ts'
import { compareDeployments } from '../../features/comparisons/index.ts'
import { advanceDeployments } from '../../features/deployments/index.ts'
import { evaluateDueRules } from '../../features/alert-evaluation/index.ts'
import type { DeviceDoors } from '../../features/devices/index.ts'
import { createSignInLink } from '../../features/people/index.ts'
import { maintainCaseDays, maintainDisclosures } from '../../features/figures/index.ts'
import { maintainDailyCounters, maintainDailyDevices } from '../../features/reports/index.ts'
import type { AppContext } from '../../platform/context.ts'
import { createDb, createPool } from '../../platform/db/connect.ts'
import type { App } from '../../platform/http/app.ts'
import type { Enqueuer } from '../../platform/jobs/queue.ts'
import { NodeMemory } from '../../platform/node-memory.ts'
import { listSubscriptions } from '../../worker.ts'

export interface Stage {
  ctx: AppContext
  app: App
  doors: DeviceDoors
  /** All imports share it. */
  staging: StagingSession
  /** Time never goes back: an earlier instant is ignored. From there it goes on as it does outside. */
  goTo: (instant: Date) => void
  /** Runs all jobs that wait, and those that they enqueue. */
  settle: () => Promise<void>
  /** What the service does by itself: deployments go on (`advance`); devices are compared and rules evaluated, too (`tick`). */
  advance: () => Promise<void>
  tick: () => Promise<void>
  /** The counts that the service keeps of each day. */
  endDay: () => Promise<void>
  close: () => Promise<void>
}

export async function openStage(real: AppContext, from: Date): Promise<Stage> {
  const clock = storyClock(from)
  const { queue, settle } = collectingQueue()
  const config = { ...real.config, rateLimitPerMinute: 0 }
  const memory = new NodeMemory()
  const pool = openHurriedPool(real)
  const db = createDb(pool)
  const ctx: AppContext = { ...real, config, memory, queue, now: clock.now, db, pool }
  // Devices of the story wait for each other only.
  const doors = openDoors(ctx, { rests: false })
  const app = await buildApi(ctx, { roles: ROLES, doors, showsDocs: false })
  await app.ready()
  const staging = await openStaging(pool)
  return {
    ctx,
    app,
    doors,
    staging,
    goTo: clock.goTo,
    settle: () => settle(ctx),
    advance: () => advanceDeployments(ctx),
    tick: async () => {
      await compareDeployments(ctx)
      await advanceDeployments(ctx)
      await evaluateDueRules(ctx)
    },
    endDay: async () => {
      await maintainDailyDevices(ctx)
      await maintainDailyCounters(ctx)
      await maintainDisclosures(ctx)
      await maintainCaseDays(ctx)
    },
    close: async () => {
      await doors.intake.close()
      await app.close()
      staging.close()
      await pool.end()
    },
  }
}

/**
 * A story that is interrupted is told again, so its commits need not wait for the disk. Only its own sessions do without: a
 * setting of the server would outlast a story that is killed.
 */
function openHurriedPool({ pool, log }: AppContext): Pool {
  const url = new URL(pool.options.connectionString ?? '')
  const options = [url.searchParams.get('options') ?? '', '-c synchronous_commit=off']
  url.searchParams.set('options', options.join(' ').trim())
  return createPool({
    connectionString: url.href,
    poolSize: pool.options.max,
    name: 'plimsoll-story',
    onError: ({ message }) => log.warn({ err: { message } }, 'database connection lost'),
  })
}

function storyClock(from: Date) {
  let set = { at: from.getTime(), elapsed: performance.now() }
  const nowMs = () => set.at + performance.now() - set.elapsed
  return {
    now: () => new Date(Math.floor(nowMs())),
    goTo: (instant: Date) => {
      if (instant.getTime() > nowMs()) set = { at: instant.getTime(), elapsed: performance.now() }
    },
  }
}

function collectingQueue() {
  const waiting: { name: string; payload: unknown }[] = []
  const queue: Enqueuer = {
    enqueue: (_tx, { name }, payload) => {
      waiting.push({ name, payload })
      return Promise.resolve()
    },
  }
  async function settle(ctx: AppContext): Promise<void> {
    const handlers = new Map(listSubscriptions(ctx).map((one) => [one.message.name, one]))
    const { signal } = new AbortController()
    for (let job = waiting.shift(); job; job = waiting.shift())
      await handlers.get(job.name)?.handle(ctx, job.payload, signal)
  }
  return { queue, settle }
}

export interface Person {
  email: string
  name: string
  /** From where they work. */
  address: string
}

type Body = object | string | Buffer

/** A person at the portal. */
export interface Visit {
  get: <Answer>(path: string) => Promise<Answer>
  post: <Answer>(path: string, body?: Body) => Promise<Answer>
  put: <Answer>(path: string, body: Body) => Promise<Answer>
  patch: <Answer>(path: string, body: Body) => Promise<Answer>
}

const BROWSER = {
  'sec-fetch-site': 'same-origin',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/** Signs the person in. Paths of the visit are those of the workspace, or begin with `/me`. */
export async function visit(stage: Stage, workspaceId: string, person: Person): Promise<Visit> {
  const link = new URL(await createSignInLink(stage.ctx, person.email))
  const cookie = await openLink(stage, link, person)
  const ask = async <Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    body?: Body,
  ) => {
    const isBytes = typeof body === 'string' || Buffer.isBuffer(body)
    const response = await stage.app.inject({
      method,
      url: `/workspaces/${workspaceId}${path}`,
      remoteAddress: person.address,
      headers: {
        ...BROWSER,
        cookie,
        ...(isBytes && { 'content-type': 'application/octet-stream' }),
      },
      ...(body !== undefined && { payload: body }),
    })
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`)
    return (response.body === '' ? undefined : response.json()) as Answer
  }
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    put: (path, body) => ask('PUT', path, body),
    patch: (path, body) => ask('PATCH', path, body),
  }
}

/** Accepts a one-time link; the answer is the cookie of the session. */
export async function openLink(
  { app }: Stage,
  link: URL,
  { name, address }: Person,
  password?: string,
): Promise<string> {
  const response = await app.inject({
    method: 'POST',
    url: '/auth/links/accept',
    remoteAddress: address,
    headers: BROWSER,
    payload: {
      token: link.hash.slice(1),
      displayName: name,
      ...(password !== undefined && { password }),
    },
  })
  if (response.statusCode >= 300) throw new Error(`link of ${name}: ${response.body}`)
  const [cookie = ''] = [response.headers['set-cookie'] ?? ''].flat()
  return cookie.split(';')[0] ?? ''
}
