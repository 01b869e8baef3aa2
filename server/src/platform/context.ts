import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { Calculators } from './calculators.ts'
import type { ChildPool } from './child-pool.ts'
import type { Db, Tx } from './db/connect.ts'
import type { PostClient } from './http-client/index.ts'
import type { Enqueuer } from './jobs/queue.ts'
import type { Mailer } from './mail/mailer.ts'
import type { NodeMemory } from './node-memory.ts'
import type { SigningKey } from './signing-key.ts'

/** The outside world as a slice sees it. */
export interface AppContext {
  config: Config
  db: Db
  /** For what the query builder cannot say: COPY, LISTEN. */
  pool: Pool
  /** For what takes long: the database does it at a lower priority than what others wait for. */
  slowDb: Db
  /** The database for requests that change nothing. */
  reads: ReadDatabases
  queue: Enqueuer
  blobs: BlobStore
  /** Processes in which untrusted documents are parsed. */
  parsers: ChildPool
  /** Processes in which images are hashed and read. */
  examiners: ChildPool
  /** Processes in which requests calculate that take long. */
  calculators: Calculators
  /** Posts to the URLs of webhooks. */
  http: PostClient
  /** undefined: no mail server is configured. */
  mailer: Mailer | undefined
  /** Signs cursors and links; the same on every node. */
  signingKey: SigningKey
  /** State of this node outside of the database, such as caches. */
  memory: NodeMemory
  now: () => Date
  log: Logger
  reactions: Reactions
}

/** The replica answers, where there is one that has all that was committed when the request began (decision 39). */
interface ReadDatabases {
  /** For what is read quickly. */
  quick: Db
  /** For what reads much: the database does so at a lower priority. */
  slow: Db
}

/** For large documents and what nobody waits for: small documents and requests go first. */
export function preferOthers(ctx: AppContext): AppContext {
  return { ...ctx, db: ctx.slowDb }
}

export type Reaction<Change, Context = AppContext> = (
  ctx: Context,
  tx: Tx,
  change: Change,
) => Promise<void>

/**
 * Calls from lower slices up to higher ones, each named for what happened, in the transaction in which it happens. A slice
 * declares those that it calls in its `reactions.ts`, as a member of this interface; `reactions.ts` of the server says
 * which commands of which slices answer them, and in which order.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- slices add the members
export interface Reactions {}
