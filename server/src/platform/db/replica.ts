/** Sends dear reads to a streaming replica that has all that was committed when their request began (decision 39). */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { type Asking, asking } from '../asking.ts'
import { AppError } from '../errors.ts'
import { isDatabaseAway, isDataException, isStatementTimeout } from './connect.ts'
import { hasReplayed, readPosition } from './replay.ts'

/** A replica that was away or behind is left out for so long, so that not every request waits for it. */
const REST_MS = 5_000

export interface ReplicaOptions {
  primary: PostgresPool
  replica: PostgresPool
  /** Called once for each rest that begins. */
  onRest?: (reason: string) => void
  restMs?: number
}

/** Gives statements of requests to the replica, or to the primary; all in transactions to the primary. */
export class ReplicaReads implements PostgresPool {
  /** Statements that were answered by each, and those that the replica failed. */
  readonly counts = { replica: 0, primary: 0, fallback: 0 }
  readonly #options: ReplicaOptions
  /** Whether the replica has what the primary had when the request began. */
  readonly #current = new WeakMap<Asking, Promise<boolean>>()
  #restsUntil = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  get options(): object {
    return this.#options.primary.options
  }

  async end(): Promise<void> {
    await Promise.all([this.#options.primary.end(), this.#options.replica.end()])
  }

  async connect(): Promise<PostgresPoolClient> {
    const { primary, replica } = this.#options
    const asked = asking.getStore()
    if (!asked || !(await this.#isCurrent(asked))) return this.#count(await primary.connect())
    try {
      return new ReplicaClient(await replica.connect(), {
        toPrimary: async () => {
          this.#current.set(asked, Promise.resolve(false))
          return this.#count(await primary.connect())
        },
        onAnswer: () => (this.counts.replica += 1),
        onFailure: (error) => this.#fallBack(error, asked),
      })
    } catch (error) {
      this.#fallBack(error, asked)
      this.#current.set(asked, Promise.resolve(false))
      return this.#count(await primary.connect())
    }
  }

  #count(client: PostgresPoolClient): PostgresPoolClient {
    this.counts.primary += 1
    return client
  }

  /** Throws what the primary would answer, too. */
  #fallBack(error: unknown, asked: Asking): void {
    if (isOfRequest(error, asked)) throw error
    this.counts.fallback += 1
    if (isDatabaseAway(error) && !isReadOnly(error))
      this.#rest(error instanceof Error ? error.message : '')
  }

  #rest(reason: string): void {
    const isResting = Date.now() < this.#restsUntil
    this.#restsUntil = Date.now() + (this.#options.restMs ?? REST_MS)
    if (!isResting) this.#options.onRest?.(reason)
  }

  #isCurrent(asked: Asking): Promise<boolean> {
    const known = this.#current.get(asked)
    if (known) return known
    const found = Date.now() < this.#restsUntil ? Promise.resolve(false) : this.#compare(asked)
    this.#current.set(asked, found)
    return found
  }

  /** The position is the primary's, so it covers writes through every node. */
  async #compare(asked: Asking): Promise<boolean> {
    const position = await readPosition(this.#options.primary)
    try {
      if (await hasReplayed(this.#options.replica, position)) return true
      this.#rest('the replica is behind')
    } catch (error) {
      this.#fallBack(error, asked)
    }
    return false
  }
}

/** No turn (the primary would give a second share), a client that hung up, the time limit, or a value that is refused. */
function isOfRequest(error: unknown, { read }: Asking): boolean {
  return (
    error instanceof AppError ||
    read?.hungUp.aborted === true ||
    isStatementTimeout(error) ||
    isDataException(error)
  )
}

/** A statement that writes. The replica is well. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}

interface Fallback {
  toPrimary: () => Promise<PostgresPoolClient>
  onAnswer: () => void
  /** Throws the error if the primary shall not be asked. */
  onFailure: (error: unknown) => void
}

const BEGINS_TRANSACTION = /^\s*(begin|start transaction)\b/i

/** A connection to the replica that becomes one to the primary when a transaction begins or the replica fails. */
class ReplicaClient implements PostgresPoolClient {
  #client: PostgresPoolClient
  #isPrimary = false
  readonly #fallback: Fallback
  /** False while the connection to the replica is given back and none to the primary is there. */
  #isHeld = true

  constructor(client: PostgresPoolClient, fallback: Fallback) {
    this.#client = client
    this.#fallback = fallback
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query<Row>(
    asked: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof asked !== 'string') throw new Error('Rows are not read by cursor here.')
    return this.#answer<Row>(asked, parameters)
  }

  release(destroy?: boolean): void {
    if (this.#isHeld) this.#client.release(destroy)
    this.#isHeld = false
  }

  async #answer<Row>(sql: string, parameters: readonly unknown[]) {
    if (this.#isPrimary) return this.#client.query<Row>(sql, parameters)
    if (BEGINS_TRANSACTION.test(sql)) {
      await this.#change(false)
      return this.#client.query<Row>(sql, parameters)
    }
    try {
      const result = await this.#client.query<Row>(sql, parameters)
      this.#fallback.onAnswer()
      return result
    } catch (error) {
      this.#fallback.onFailure(error)
      await this.#change(true)
      return this.#client.query<Row>(sql, parameters)
    }
  }

  async #change(destroy: boolean): Promise<void> {
    this.release(destroy)
    this.#client = await this.#fallback.toPrimary()
    this.#isHeld = true
    this.#isPrimary = true
  }
}
