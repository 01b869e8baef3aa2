/** The management port: health for orchestrators, metrics for Prometheus. Never exposed to tenants. */
import Fastify, { type FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Pools } from './db/connect.ts'
import type { Queue } from './jobs/queue.ts'
import { OPEN_METRICS_TYPE, writeOpenMetrics, wantsOpenMetrics } from './open-metrics.ts'

export interface Health {
  started: boolean
  stopping: boolean
}

/** A detail of the health answer and gauges of a slice. They do not decide whether the service is ready. */
export interface Extra {
  detail: string
  describe: () => Promise<unknown>
  gauges: readonly {
    name: string
    help: string
    labelNames: readonly string[]
    values: () => Promise<readonly { labels: Record<string, string>; value: number }[]>
  }[]
}

/** What health and metrics ask. */
export interface WatchedParts {
  pools: Pools
  queue: Queue
}

/** `registry` holds further metrics that are shown, too. */
export function buildManagement(
  ctx: WatchedParts,
  health: Health,
  extras: readonly Extra[] = [],
  registry = new Registry(),
): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  addMetrics(ctx, registry)
  for (const extra of extras) addGauges(registry, extra)
  app.get('/health/live', () => ({ status: 'ok' }))
  app.get('/health/started', (_request, reply) =>
    reply.code(health.started ? 200 : 503).send({ status: health.started ? 'ok' : 'starting' }),
  )
  app.get('/health/ready', async (_request, reply) => {
    // Balancers wait for this answer, so no question waits for another one.
    const [database, details] = await Promise.all([isDatabaseThere(ctx), readDetails(extras)])
    const ready = health.started && !health.stopping && database
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ok' : 'unavailable',
      checks: { started: health.started, stopping: health.stopping, database },
      // All in use is no outage: requests wait, or get 503 `busy`.
      connections: countConnections(ctx.pools),
      ...(database && details),
    })
  })
  app.get('/metrics', async ({ headers }, reply) =>
    wantsOpenMetrics(headers.accept)
      ? reply.type(OPEN_METRICS_TYPE).send(await writeOpenMetrics(registry))
      : reply.type(registry.contentType).send(await registry.metrics()),
  )
  return app
}

async function readDetails(extras: readonly Extra[]): Promise<Record<string, unknown>> {
  const details = await Promise.all(
    extras.map(async ({ detail, describe }) => [detail, await inTime(describe())] as const),
  )
  return Object.fromEntries(details)
}

function addGauges(registry: Registry, { gauges }: Extra): void {
  for (const { name, help, labelNames, values } of gauges)
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        this.reset()
        // Without labels it would be 0 while it has no value.
        if (labelNames.length === 0) this.remove()
        for (const { labels, value } of (await inTime(values())) ?? []) this.set(labels, value)
      },
    })
}

const PATIENCE_MS = 4_000

/** undefined when the answer fails or takes too long, as with a database that hangs. */
async function inTime<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), PATIENCE_MS)
  try {
    return await Promise.race([answer, late.promise])
  } catch {
    // Not logged here: the listener of the pool logs the cause.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function isDatabaseThere({ pools: { ready: pool } }: WatchedParts): Promise<boolean> {
  return (await inTime(pool.query('select 1'))) !== undefined
}

/** By purpose: how many connections there may be, how many are in use, and who waits for one. */
function countConnections(pools: Pools) {
  return Object.fromEntries(
    Object.entries(pools).map(([purpose, { options, totalCount, idleCount, waitingCount }]) => [
      purpose,
      { most: options.max, inUse: totalCount - idleCount, waiting: waitingCount },
    ]),
  )
}

function addMetrics(ctx: WatchedParts, registry: Registry): void {
  const { pools, queue } = ctx
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'plimsoll_database_connections',
    help: 'Connections by pool and state; waiting are requests for one',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'total' }, totalCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  new Gauge({
    name: 'plimsoll_database_up',
    help: '1 when the database answers',
    registers: [registry],
    async collect() {
      this.set((await isDatabaseThere(ctx)) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'plimsoll_jobs',
    help: 'Jobs by queue and state; failed ones have used up their retries',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      // The other metrics are still shown while the database is away.
      const counts = (await inTime(queue.counts())) ?? []
      for (const { name, queuedCount, activeCount, failedCount } of counts) {
        this.set({ queue: name, state: 'queued' }, queuedCount)
        this.set({ queue: name, state: 'active' }, activeCount)
        this.set({ queue: name, state: 'failed' }, failedCount)
      }
    },
  })
}
