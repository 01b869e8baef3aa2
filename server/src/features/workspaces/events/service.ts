/** Streams of events: they say which answers are stale, to any number of clients over one connection to the database. */
import { PassThrough } from 'node:stream'
import type { AppContext } from '../../../platform/context.ts'
import {
  type Announcement,
  listenToAnnouncements,
  type Topic,
} from '../../../platform/db/announcements.ts'
import { AppError } from '../../../platform/errors.ts'

type Context = Pick<AppContext, 'pool' | 'log' | 'memory'>

export interface EventClient {
  workspaceId: string
  /** The key or person. */
  who: string
  /** The client had a stream before: what happened meanwhile is not known. */
  isResumed: boolean
  /** Asked again as long as the stream is open. */
  isStillAllowed: () => Promise<boolean>
}

interface Subscriber extends EventClient {
  stream: PassThrough
  stale: Set<Topic>
  timer: NodeJS.Timeout | undefined
}

const MOST_OF_ONE = 20
const MOST_OF_ALL = 2_000
/** Changes of this time are told together. */
const BATCH_MS = 400
const HEARTBEAT_MS = 15_000
/** A client that does not read is dropped; it comes back and is told to read everything. */
const MOST_UNREAD_BYTES = 64 * 1024

/** Changes of these may end the right to listen. */
const RIGHTS = new Set<Topic>(['members', 'settings', 'everything'])

class EventHub {
  readonly #subscribers = new Set<Subscriber>()
  #listening: Promise<() => Promise<void>> | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #count = 0

  async open(ctx: Context, client: EventClient): Promise<PassThrough> {
    this.#refuseTooMany(client.who)
    const stream = new PassThrough()
    const subscriber = { ...client, stream, stale: new Set<Topic>(), timer: undefined }
    this.#subscribers.add(subscriber)
    stream.once('close', () => this.#remove(subscriber))
    try {
      await this.#listen(ctx)
    } catch (error) {
      stream.destroy()
      throw error
    }
    stream.write('retry: 3000\n\n')
    if (client.isResumed) this.#mark(subscriber, 'everything')
    return stream
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    for (const { stream } of this.#subscribers) stream.end()
    const stop = await this.#listening
    this.#listening = undefined
    await stop?.()
  }

  #refuseTooMany(who: string): void {
    const own = [...this.#subscribers].filter((one) => one.who === who).length
    if (own < MOST_OF_ONE && this.#subscribers.size < MOST_OF_ALL) return
    throw new AppError(
      'rateLimited',
      'too-many-event-streams',
      own < MOST_OF_ONE
        ? `This node has ${MOST_OF_ALL} streams of events open.`
        : `${MOST_OF_ONE} streams of events are open already: close one of them.`,
    )
  }

  #listen(ctx: Context): Promise<unknown> {
    this.#heartbeat ??= setInterval(() => this.#beat(ctx), HEARTBEAT_MS).unref()
    this.#listening ??= listenToAnnouncements(ctx, (one) => this.#announced(ctx, one)).catch(
      (error: unknown) => {
        this.#listening = undefined
        throw error
      },
    )
    return this.#listening
  }

  #announced(ctx: Context, { workspaceId, topic }: Announcement): void {
    for (const subscriber of this.#subscribers) {
      if (workspaceId !== null && workspaceId !== subscriber.workspaceId) continue
      this.#mark(subscriber, topic)
      if (RIGHTS.has(topic)) void this.#check(ctx, subscriber)
    }
  }

  #mark(subscriber: Subscriber, topic: Topic): void {
    subscriber.stale.add(topic)
    subscriber.timer ??= setTimeout(() => this.#tell(subscriber), BATCH_MS).unref()
  }

  #tell(subscriber: Subscriber): void {
    const { stream, stale } = subscriber
    subscriber.timer = undefined
    if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy()
    if (stream.writableEnded || stream.destroyed) return
    const text = [...stale].map((topic) => this.#eventOf(topic)).join('')
    stale.clear()
    stream.write(text)
  }

  #eventOf(topic: Topic): string {
    this.#count += 1
    return `id: ${this.#count}\ndata: ${JSON.stringify({ topic })}\n\n`
  }

  #beat(ctx: Context): void {
    for (const subscriber of this.#subscribers) {
      if (!subscriber.stream.writableEnded) subscriber.stream.write(': alive\n\n')
      void this.#check(ctx, subscriber)
    }
  }

  /** While the database is away, nobody's right can be asked: the next beat does. */
  async #check({ log }: Context, { isStillAllowed, stream }: Subscriber): Promise<void> {
    try {
      if (!(await isStillAllowed())) stream.end()
    } catch (error) {
      log.warn({ err: error }, 'checking the right to a stream of events failed')
    }
  }

  #remove(subscriber: Subscriber): void {
    clearTimeout(subscriber.timer)
    this.#subscribers.delete(subscriber)
  }
}

const makeHub = () => new EventHub()

export const openEvents = (ctx: Context, client: EventClient): Promise<PassThrough> =>
  ctx.memory.of(makeHub).open(ctx, client)

/** Ends all streams of this node. */
export const closeEvents = (ctx: Context): Promise<void> => ctx.memory.of(makeHub).close()
