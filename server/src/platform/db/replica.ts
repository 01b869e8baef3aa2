/** Sends reads to a streaming replica that has all that was committed when their request began (decision 39). */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { type Requester, asking } from '../asking.ts'
import { AppError, readCode } from '../errors.ts'
import { isDatabaseAway, isDataException, isStatementTimeout } from './failures.ts'
import { ReplicaClient } from './replica-client.ts'
import { Replay, type Servers } from './replay.ts'

/** A replica that was away or behind is left out for so long, so that not every request waits for it. */
const REST_MS = 5_000

export interface ReplicaOptions extends Servers {
  /** Called once for each rest that begins. */
  onRest?: (reason: string) => void
  restMs?: number
}

interface ReadingPools {
  primary: PostgresPool
  replica: PostgresPool
}

export class Replica {
  /** Requests by who answers them, and statements or calculations that the replica failed. */
  readonly counts = { replica: 0, primary: 0, failed: 0 }
  readonly #replay: Replay
  readonly #options: ReplicaOptions
  /** Whether the replica has what the primary had when the request began. */
  readonly #current = new WeakMap<Requester, Promise<boolean>>()
  /** Called when the replica does not answer any more. */
  readonly #losses = new Set<(error: Error) => void>()
  #restsUntil = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#replay = new Replay(options)
  }

  bytesBehind(): Promise<number | undefined> {
    return this.#replay.bytesBehind()
  }

  /** Whether the request may read from the replica. The position is the primary's, so it covers writes through every node. */
  isCurrent(asked: Requester): Promise<boolean> {
    const known = this.#current.get(asked)
    if (known) return known
    const found = this.#decide()
    this.#current.set(asked, found)
    return found
  }

  /** Gives statements of requests to the replica, or to the primary; all in transactions to the primary. */
  poolOf({ primary, replica }: ReadingPools): PostgresPool {
    const end = async () => {
      await Promise.all([primary.end(), replica.end()])
    }
    const connect = async () => {
      const asked = asking.getStore()
      if (!asked || !(await this.isCurrent(asked))) return primary.connect()
      const toPrimary = () => {
        this.#current.set(asked, Promise.resolve(false))
        return primary.connect()
      }
      return this.#connect(replica, { asked, toPrimary })
    }
    return { options: primary.options, end, connect }
  }

  /** The replica failed a read of the request. Throws what the primary would answer, too. */
  fail(error: unknown, asked: Requester): void {
    if (isOfRequest(error, asked)) throw error
    this.counts.failed += 1
    if (isDatabaseAway(error) && !isReadOnly(error)) this.#rest(readMessage(error))
  }

  async #connect(
    replica: PostgresPool,
    { asked, toPrimary }: { asked: Requester; toPrimary: () => Promise<PostgresPoolClient> },
  ): Promise<PostgresPoolClient> {
    try {
      return new ReplicaClient(await replica.connect(), {
        toPrimary,
        onFailure: (error) => this.fail(error, asked),
        onLoss: (lose) => {
          this.#losses.add(lose)
          return () => this.#losses.delete(lose)
        },
      })
    } catch (error) {
      this.fail(error, asked)
      return toPrimary()
    }
  }

  async #decide(): Promise<boolean> {
    const isCurrent = Date.now() >= this.#restsUntil && (await this.#ask())
    this.counts[isCurrent ? 'replica' : 'primary'] += 1
    return isCurrent
  }

  async #ask(): Promise<boolean> {
    try {
      const reason = await this.#replay.whyNotCurrent()
      if (reason !== undefined) this.#rest(reason)
      return reason === undefined
    } catch (error) {
      this.#rest(readMessage(error))
      // A host that vanished would keep them waiting until the operating system gives the connections up.
      for (const lose of this.#losses) lose(new Error('the replica does not answer'))
      return false
    }
  }

  #rest(reason: string): void {
    const isResting = Date.now() < this.#restsUntil
    this.#restsUntil = Date.now() + (this.#options.restMs ?? REST_MS)
    if (!isResting) this.#options.onRest?.(reason)
  }
}

const readMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** No turn (the primary would give a second share), a client that hung up, the time limit, or a value that is refused. */
function isOfRequest(error: unknown, { read }: Requester): boolean {
  return (
    error instanceof AppError ||
    read?.hungUp.aborted === true ||
    isStatementTimeout(error) ||
    isDataException(error)
  )
}

/** A statement that writes. The replica is well. */
function isReadOnly(error: unknown): boolean {
  return readCode(error) === '25006'
}
