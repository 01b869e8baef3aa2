/** Gives the connections of a pool to the workspaces whose requests want them, workspace by workspace (decision 21). */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { AppError, busy } from '../errors.ts'
import { NoTurn, Turns } from '../turns.ts'

/** The workspace that the present request is about. */
export const requestedWorkspace = new AsyncLocalStorage<string>()

/** As long as a pool waits for a connection. */
const WAIT_MS = 3_000

/** Requests that are about no workspace, as the check of a key, have connections as one workspace has. */
const NO_WORKSPACE = ''

export function fairPool(pool: pg.Pool, { each }: { each: number }): PostgresPool {
  const turns = new Turns({ all: pool.options.max, each, waitMs: WAIT_MS })
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const end = await take(turns, requestedWorkspace.getStore() ?? NO_WORKSPACE)
      try {
        return endingTurn(await pool.connect(), end)
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

/** The pool gives a client a new `release` at each checkout. */
function endingTurn(client: pg.PoolClient, end: () => void): pg.PoolClient {
  const release = client.release.bind(client)
  client.release = (error) => {
    release(error)
    end()
  }
  return client
}

async function take(turns: Turns, workspaceId: string): Promise<() => void> {
  try {
    return await turns.take(workspaceId)
  } catch (error) {
    if (!(error instanceof NoTurn)) throw error
    throw error.limit === 'owner' && workspaceId !== NO_WORKSPACE
      ? new AppError(
          'rateLimited',
          'too-many-at-once',
          'This workspace has as many requests at work as it may have at once; nothing was written. Send fewer at a time.',
        )
      : busy()
  }
}
