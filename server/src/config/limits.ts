/** What one workspace, or a client without a valid key, may have of the service at once. */
import { availableParallelism } from 'node:os'
import type { SettingsReader } from './reader.ts'

export interface Shares {
  /** The most connections of the API that requests of one workspace use at once. */
  connectionsPerWorkspace: number
  /** The most exports, imports, dry runs and searches of one workspace at once. */
  expensiveRequestsPerWorkspace: number
  /** The longest time that a statement of a request may take that changes nothing. */
  readSeconds: number
}

/** Limits of the HTTP server before a key is known. */
export interface DoorSettings {
  /** For headers, and for bodies of senders that are not known. */
  requestSeconds: number
  /** 0: no limit. */
  connections: number
  /** 0: no limit. */
  connectionsPerAddress: number
}

/** Expensive requests at once of all workspaces, as a multiple of those of one. */
export const EXPENSIVE_SHARES = 3

export function readShares(reader: SettingsReader): Shares {
  return {
    connectionsPerWorkspace: reader.integer('PLIMSOLL_WORKSPACE_CONNECTIONS', fewOrEight(), {
      min: 2,
      max: 500,
    }),
    expensiveRequestsPerWorkspace: reader.integer(
      'PLIMSOLL_WORKSPACE_EXPENSIVE_REQUESTS',
      halfOfProcessors(),
      {
        min: 1,
        max: 100,
      },
    ),
    readSeconds: reader.integer('PLIMSOLL_READ_SECONDS', 20, { min: 1, max: 120 }),
  }
}

/** Statements of one workspace would leave others a small share of few processors. */
function fewOrEight(): number {
  return Math.min(8, Math.max(4, 2 * availableParallelism()))
}

/** One expensive request keeps a processor of the database busy: others need one, too. */
function halfOfProcessors(): number {
  return Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))
}

export function readDoor(reader: SettingsReader): DoorSettings {
  const count = (name: string, fallback: number) =>
    reader.integer(name, fallback, { min: 0, max: 1e6 })
  return {
    requestSeconds: reader.integer('PLIMSOLL_REQUEST_SECONDS', 30, { min: 1, max: 3_000 }),
    connections: count('PLIMSOLL_CONNECTIONS', 10_000),
    connectionsPerAddress: count('PLIMSOLL_CONNECTIONS_PER_ADDRESS', 1_000),
  }
}
