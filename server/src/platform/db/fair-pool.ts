/** Gives the connections of a pool to the workspaces whose requests want them, workspace by workspace (decision 21). */
import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { type Requester, asking, NO_WORKSPACE } from '../asking.ts'
import { AppError, busy } from '../errors.ts'
import { NoTurn, Turns } from '../turns.ts'
import { cancelAfter } from './cancel.ts'
import { STATEMENT_MS } from './connect.ts'

/** Of so many connections one is left for the look-up of keys, which takes no turns. */
const UNTURNED = 10

/** As long as a pool waits for a connection. */
const WAIT_MS = 3_000

export interface FairPool {
  /** Turns at once of one workspace. */
  each: number
}

export function createFairPool(pool: pg.Pool, { each }: FairPool): PostgresPool {
  const { max } = pool.options
  const turns = new Turns({ all: max - Math.floor(max / UNTURNED), each, waitMs: WAIT_MS })
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const asked = asking.getStore() ?? NO_WORKSPACE
      const end = await take(turns, asked)
      try {
        return await lend(await pool.connect(), asked, end)
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

async function lend(client: pg.PoolClient, { read }: Requester, end: () => void) {
  try {
    read?.hungUp.throwIfAborted()
    await limitStatements(client, read?.statementMs ?? STATEMENT_MS)
  } catch (error) {
    client.release(!read?.hungUp.aborted)
    throw error
  }
  return returning(client, read?.hungUp, end)
}

/** The limit that a connection has; none: that of the pool. */
const limits = new WeakMap<pg.PoolClient, number>()

async function limitStatements(client: pg.PoolClient, ms: number): Promise<void> {
  if ((limits.get(client) ?? STATEMENT_MS) === ms) return
  await client.query(`set statement_timeout = ${Math.ceil(ms)}`)
  limits.set(client, ms)
}

/** The pool gives a client a new `release` at each checkout. */
function returning(client: pg.PoolClient, hungUp: AbortSignal | undefined, end: () => void) {
  const stopCancelling = hungUp && cancelAfter(hungUp, client)
  const release = client.release.bind(client)
  const giveBack = (error: Error | boolean | undefined) => {
    release(error)
    end()
  }
  client.release = (error) => {
    const cancelled = stopCancelling?.()
    if (!cancelled) giveBack(error)
    else void cancelled.then((isUsable) => giveBack(error ?? !isUsable))
  }
  return client
}

/** Waits for a turn. Throws `busy`, or `too-many-at-once` if the workspace has all of its own. */
export async function take(turns: Turns, { workspaceId, read }: Requester): Promise<() => void> {
  try {
    return await turns.take(workspaceId, read?.hungUp)
  } catch (error) {
    if (!(error instanceof NoTurn)) throw error
    throw error.limit === 'owner' && workspaceId !== NO_WORKSPACE.workspaceId
      ? new AppError(
          'rateLimited',
          'too-many-at-once',
          'This workspace has as many requests at work as it may have at once; nothing was written. Send fewer at a time.',
        )
      : busy()
  }
}
