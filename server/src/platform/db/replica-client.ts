import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'

interface Fallback {
  toPrimary: () => Promise<PostgresPoolClient>
  /** Throws the error if the primary shall not be asked. */
  onFailure: (error: unknown) => void
  /** Calls `lose` when the replica does not answer any more, until the result is called. */
  onLoss: (lose: (error: Error) => void) => () => void
}

const BEGINS_TRANSACTION = /^\s*(begin|start transaction)\b/i

/** A connection to the replica that becomes one to the primary when a transaction begins or the replica fails. */
export class ReplicaClient implements PostgresPoolClient {
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
      return await this.#answerOfReplica<Row>(sql, parameters)
    } catch (error) {
      this.#fallback.onFailure(error)
      await this.#change(true)
      return this.#client.query<Row>(sql, parameters)
    }
  }

  async #answerOfReplica<Row>(sql: string, parameters: readonly unknown[]) {
    const lost = Promise.withResolvers<never>()
    const forget = this.#fallback.onLoss(lost.reject)
    try {
      return await Promise.race([this.#client.query<Row>(sql, parameters), lost.promise])
    } finally {
      forget()
    }
  }

  async #change(destroy: boolean): Promise<void> {
    this.release(destroy)
    this.#client = await this.#fallback.toPrimary()
    this.#isHeld = true
    this.#isPrimary = true
  }
}
