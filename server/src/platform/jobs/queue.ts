/**
 * Jobs are in the same database as the rows they concern, and are enqueued in the transaction that makes them
 * true. Heartbeats, batches with bursts and short polling are set so that no work is lost.
 */
import { fromKysely, PgBoss, type Job } from 'pg-boss'
import { Compile } from 'typebox/compile'
import type { Static, TObject } from 'typebox'
import type { Logger } from 'pino'
import type { Tx } from '../db/connect.ts'
import { presentTrace, traceJob } from '../tracing/tracing.ts'
import { ENDED_EARLY, type JobFailure, describeFailure } from './job-failure.ts'

/** A message of the queue: its name is the queue's, its payload is ids. */
export interface Message<Payload extends TObject = TObject> {
  name: string
  payload: Payload
}

export function defineMessage<Payload extends TObject>(
  name: string,
  payload: Payload,
): Message<Payload> {
  return { name, payload }
}

/** What a slice does with a message. Handlers may run twice for one message. */
export interface Subscription<Context> {
  message: Message
  concurrency: number
  handle: (ctx: Context, payload: unknown, signal: AbortSignal) => Promise<void>
  /** Called once when the last retry has failed, so that the failure can be shown to people. */
  onExhausted: ((ctx: Context, payload: unknown) => Promise<void>) | undefined
  /** Called after each attempt that failed, from the second on, so that people learn why they wait. */
  onFailed: ((ctx: Context, payload: unknown, failure: JobFailure) => Promise<void>) | undefined
}

interface SubscriptionOptions<Payload extends TObject, Context> {
  concurrency?: number
  onExhausted?: (ctx: Context, payload: Static<Payload>) => Promise<void>
  onFailed?: (ctx: Context, payload: Static<Payload>, failure: JobFailure) => Promise<void>
}

export function subscribeTo<Payload extends TObject, Context>(
  subscribed: Message<Payload>,
  handle: (ctx: Context, payload: Static<Payload>, signal: AbortSignal) => Promise<void>,
  { concurrency = 1, onExhausted, onFailed }: SubscriptionOptions<Payload, Context> = {},
): Subscription<Context> {
  const validator = Compile(subscribed.payload)
  return {
    message: subscribed,
    concurrency,
    handle: (ctx, payload, signal) => handle(ctx, validator.Parse(payload), signal),
    onExhausted: onExhausted && ((ctx, payload) => onExhausted(ctx, validator.Parse(payload))),
    onFailed:
      onFailed && ((ctx, payload, failure) => onFailed(ctx, validator.Parse(payload), failure)),
  }
}

/** An attempt of a job has ended. */
export interface AttemptEnd {
  queue: string
  status: 'completed' | 'failed'
  seconds: number
}

/** What slices use of the queue. */
export type Enqueuer = Pick<Queue, 'enqueue'>

export interface QueueOptions {
  connectionString: string
  log: Logger
  /** Runs the maintenance of the queue (retries, heartbeats, expiry); true for the service, false for commands. */
  supervise: boolean
}

/** The names of its connections to the database: those of the service tell that it runs (`listServices`). */
export const JOBS = 'plimsoll-jobs'
const JOBS_OF_COMMANDS = 'plimsoll-command-jobs'

/** About ten minutes with back-off, so that an outage of the file store or the database does not fail accepted work. */
const RETRY_LIMIT = 10
/**
 * A notification comes sooner, but may be lost, and nothing notifies of retries and of jobs that begin later. A poll of each of the
 * 44 workers every two seconds was half of what an idle service asked the database.
 */
const POLLING = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 }
/** Nothing notifies of what failed in all attempts, which took minutes. One query each second and queue would cost an idle service most. */
const FAILURE_POLLING = { pollingIntervalSeconds: 5, notifyPollingIntervalSeconds: 5 }

/** What failed is tried again after what has not: a workspace whose jobs fail delays nobody. */
const PRIORITY_OF_RETRIES = -1_000_000
/** Attempts that people learn of: one failure may be chance. */
const TOLD_FROM = 2

/** Gets the jobs of a queue that failed in all attempts. */
export const nameDeadLetter = (name: string) => `${name}.failed`

export class Queue {
  readonly boss: PgBoss
  private readonly log: Logger
  private readonly created = new Map<string, Promise<void>>()
  private onAttemptEnd: (end: AttemptEnd) => void = () => undefined

  constructor({ connectionString, log, supervise }: QueueOptions) {
    this.log = log
    this.boss = new PgBoss({
      connectionString,
      max: 4,
      connectionTimeoutMillis: 3_000,
      useListenNotify: supervise,
      supervise,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      schedule: false,
      application_name: supervise ? JOBS : JOBS_OF_COMMANDS,
    })
    // Emitted again and again while the database is away. The queue reconnects by itself.
    // Only the message is logged, as the error holds the whole client.
    this.boss.on('error', ({ message: cause }) =>
      log.warn({ err: { message: cause } }, 'job queue: database trouble'),
    )
  }

  async start(messages: readonly Message[]): Promise<void> {
    await this.boss.start()
    for (const { name } of await this.boss.getQueues()) this.created.set(name, Promise.resolve())
    for (const { name } of messages) await this.ensure(name)
  }

  /**
   * Enqueues in the transaction that makes the message true; a rollback leaves no job. Messages of a higher priority (0 by
   * default) are handled first, those of one priority in the order in which they were enqueued; none before
   * `startAfterSeconds`.
   */
  async enqueue<Payload extends TObject>(
    tx: Tx,
    { name }: Message<Payload>,
    payload: Static<Payload>,
    { priority = 0, startAfterSeconds = 0 }: { priority?: number; startAfterSeconds?: number } = {},
  ): Promise<void> {
    const traceparent = presentTrace()
    const data = traceparent === undefined ? payload : { ...payload, traceparent }
    const workspaceId = 'workspaceId' in payload ? String(payload['workspaceId']) : undefined
    await this.boss.send(name, data, {
      db: fromKysely(tx),
      priority,
      ...(startAfterSeconds > 0 && { startAfter: startAfterSeconds }),
      ...(workspaceId !== undefined && { group: { id: workspaceId } }),
    })
  }

  /** Handles the messages with a context that the caller states. */
  async work<Context>(
    ctx: Context,
    subscriptions: readonly Subscription<Context>[],
  ): Promise<void> {
    for (const subscription of subscriptions) {
      await this.ensure(subscription.message.name)
      await this.subscribe(ctx, subscription)
    }
  }

  /** `onAttemptEnd` is called within the trace of the attempt. */
  watch(onAttemptEnd: (end: AttemptEnd) => void): void {
    this.onAttemptEnd = onAttemptEnd
  }

  /** Counts for each queue how many jobs wait, run, and have failed all attempts. */
  async counts() {
    const queues = await this.boss.getQueues()
    return queues.map(({ name, queuedCount, activeCount, failedCount }) => ({
      name,
      queuedCount,
      activeCount,
      failedCount,
    }))
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: true, timeout: 20_000, close: true })
  }

  private ensure(name: string): Promise<void> {
    const pending = this.created.get(name) ?? this.create(name)
    this.created.set(name, pending)
    return pending
  }

  private async create(name: string): Promise<void> {
    await this.boss.createQueue(nameDeadLetter(name), { retryLimit: 100, retryBackoff: true })
    await this.boss.createQueue(name, {
      // No deduplication: a message that is dropped because an equal one waits is lost when that one is already being
      // handled and this transaction has not committed. Handlers are cheap when nothing is left to do.
      policy: 'standard',
      retryLimit: RETRY_LIMIT,
      retryDelay: 2,
      retryBackoff: true,
      retryDelayMax: 120,
      heartbeatSeconds: 10,
      expireInSeconds: 3_600,
      notify: true,
      deadLetter: nameDeadLetter(name),
    })
  }

  private async subscribe<Context>(
    ctx: Context,
    subscription: Subscription<Context>,
  ): Promise<void> {
    const { name } = subscription.message
    const options = {
      batchSize: 2,
      burstWhenBatchFull: true,
      perJobResults: true as const,
      ...FAILURE_POLLING,
    }
    for (let worker = 0; worker < subscription.concurrency; worker += 1)
      await this.startWorker(ctx, subscription)
    if ('workspaceId' in subscription.message.payload.properties)
      await this.startWorker(ctx, subscription, FOR_OTHERS)
    await this.boss.work(
      nameDeadLetter(name),
      { ...options, localConcurrency: 1 },
      async (jobs: Job<unknown>[]) => {
        const results = []
        for (const job of jobs) {
          this.log.error(
            { job: job.id, queue: name, payload: job.data },
            'job failed in all attempts',
          )
          await subscription.onExhausted?.(ctx, readJob(job).payload)
          results.push({ id: job.id, status: 'completed' as const })
        }
        return results
      },
    )
  }

  /**
   * Takes one message at a time: one that waits behind another of its batch waits though other workers are free. Takes the
   * next as soon as it has handled one; pg-boss does so after full batches of two or more only, and else at its next poll.
   */
  private async startWorker<Context>(
    ctx: Context,
    subscription: Subscription<Context>,
    limits?: typeof FOR_OTHERS,
  ): Promise<void> {
    const options = { batchSize: 1, perJobResults: true as const, ...POLLING, ...limits }
    const { name } = subscription.message
    const id = await this.boss.work(name, options, async (jobs: Job<unknown>[]) => {
      const results = []
      for (const job of jobs) results.push(await this.run(ctx, subscription, job))
      this.boss.notifyWorker(id)
      return results
    })
  }

  /** A retry keeps the priority that its job has when it fails. */
  private async deferRetry(name: string, id: string): Promise<void> {
    const text =
      'update pgboss.job set priority = least(priority, $3) where name = $1 and id = $2::uuid'
    await this.boss.getDb().executeSql(text, [name, id, PRIORITY_OF_RETRIES])
  }

  private async run<Context>(ctx: Context, subscription: Subscription<Context>, job: Job<unknown>) {
    const { name: queue } = subscription.message
    const { traceparent } = readJob(job)
    return traceJob({ queue, id: job.id, traceparent }, async () => {
      const begun = performance.now()
      const result = await this.attempt(ctx, subscription, job)
      const seconds = (performance.now() - begun) / 1000
      this.onAttemptEnd({ queue, status: result.status, seconds })
      return result
    })
  }

  private async attempt<Context>(
    ctx: Context,
    { message: { name }, handle, onFailed }: Subscription<Context>,
    job: Job<unknown>,
  ) {
    const { id, retryCount } = job
    const { payload } = readJob(job)
    const tell = async (attempts: number, reason: string) => {
      if (attempts >= TOLD_FROM) await onFailed?.(ctx, payload, { attempts, reason, job: id })
    }
    try {
      await tell(retryCount, ENDED_EARLY)
      await handle(ctx, payload, job.signal)
      return { id, status: 'completed' as const }
    } catch (error) {
      this.log.error({ err: error, job: id, queue: name }, 'job attempt failed')
      await this.deferRetry(name, id)
      await tell(retryCount + 1, describeFailure(error))
      const output = { message: error instanceof Error ? error.message : String(error) }
      return { id, status: 'failed' as const, output }
    }
  }
}

/** The worker beside the others that takes messages of workspaces of which no message is handled at this moment. */
const FOR_OTHERS = { groupConcurrency: 1 }

/** What was enqueued, and the trace in which that happened. */
function readJob({ data }: Job<unknown>): { payload: unknown; traceparent: string | undefined } {
  const { traceparent, ...payload } = data as { traceparent?: string }
  return { payload, traceparent }
}
