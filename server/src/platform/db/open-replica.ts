/** The connections to the read replica, where the operator names one. */
import type { PostgresPool } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { createPool } from './connect.ts'
import { createFairPool } from './fair-pool.ts'
import { Replica } from './replica.ts'

/** After so long the replica counts as one that vanished. */
const ANSWER_MS = 2_000

interface ReadPools {
  quick: PostgresPool
  slow: PostgresPool
}

export interface OpenedReplica {
  connectionString: string
  state: Replica
  /** Of reads, which go on at the primary where the replica cannot answer them. */
  pools: (primary: ReadPools, each: number) => ReadPools
  close: () => Promise<void>
}

export function openReplica({
  config: { readDatabaseUrl, databasePools },
  log,
  connectionString,
}: {
  config: Pick<Config, 'readDatabaseUrl' | 'databasePools'>
  log: Logger
  /** The address of the primary. */
  connectionString: string
}): OpenedReplica | undefined {
  if (readDatabaseUrl === undefined) return undefined
  const open = (name: string, url: string, poolSize: number, answerMs?: number) =>
    createPool({
      connectionString: url,
      poolSize,
      name: `plimsoll-${name}`,
      ...(answerMs !== undefined && { answerMs }),
      onError: ({ message }) =>
        log.warn({ err: { message }, pool: name }, 'database connection lost'),
    })
  const position = open('position', connectionString, 1, ANSWER_MS)
  const replayed = open('replayed', readDatabaseUrl, 1, ANSWER_MS)
  const lists = open('read', readDatabaseUrl, databasePools.api)
  const slow = open('read-slow', readDatabaseUrl, databasePools.slow)
  const state = new Replica({
    primary: position,
    replica: replayed,
    onRest: (reason) => log.warn({ reason }, 'the read replica is left out for a while'),
  })
  return {
    connectionString: readDatabaseUrl,
    state,
    pools: (primary, each) => ({
      slow: state.poolOf({ primary: primary.slow, replica: createFairPool(slow, { each }) }),
      quick: state.poolOf({
        primary: primary.quick,
        replica: createFairPool(lists, { each }),
      }),
    }),
    close: async () => {
      await Promise.all([position, replayed, lists, slow].map((pool) => pool.end()))
    },
  }
}
