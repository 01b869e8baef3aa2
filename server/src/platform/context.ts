import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CohortMove } from '../features/cohorts/index.ts'
import type { ChangedMatch } from '../features/matching/changed-match.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { ChildPool } from './child-pool.ts'
import type { Db, Tx } from './db/connect.ts'
import type { PostClient } from './http-client/index.ts'
import type { Queue } from './jobs/queue.ts'
import type { Mailer } from './mail/mailer.ts'
import type { NodeMemory } from './node-memory.ts'

/** The outside world as a slice sees it. */
export interface AppContext {
  config: Config
  db: Db
  /** For what the query builder cannot say: COPY, LISTEN. */
  pool: Pool
  queue: Queue
  blobs: BlobStore
  /** Processes in which untrusted documents are parsed. */
  parsers: ChildPool
  /** Posts to servers that people of a workspace name. */
  http: PostClient
  /** undefined: no mail server is configured. */
  mailer: Mailer | undefined
  /** Signs cursors and content links; the same on every node. */
  signingKey: Buffer
  /** What this node keeps beside the database, such as caches. */
  memory: NodeMemory
  now: () => Date
  log: Logger
  reactions: Reactions
}

/** Findings that begin: of packages a version holds since an instant, or of matches that begin. */
export type NewFindings =
  | { workspaceId: string; firmwareVersionId: string; at: Date }
  | { packageIds: readonly string[]; vulnerabilityIds: readonly string[] }

/** An alert rule and its open incident. */
interface RuleWithIncident {
  id: string
  incidentId: string | null
}

/** What higher slices do in the transaction in which something happens in a lower one. */
export interface Reactions {
  /** Open matches began, ended or became another; their packages are locked exclusively. */
  matchesChanged: (
    ctx: AppContext,
    tx: Tx,
    change: { changes: readonly ChangedMatch[]; at: Date },
  ) => Promise<void>
  /**
   * Nobody has decided yet about these findings. Their packages are locked exclusively, or the firmware version is
   * locked and its packages are shared.
   */
  findingsBegun: (ctx: AppContext, tx: Tx, begun: NewFindings) => Promise<void>
  /** Devices moved from one cohort to another, or out of one. They are locked, and their cohorts shared. */
  cohortMembersMoved: (
    ctx: Pick<AppContext, 'now'>,
    tx: Tx,
    moved: { workspaceId: string; moves: readonly CohortMove[] },
  ) => Promise<void>
  /** A cohort without an active deployment is about to be deleted. */
  cohortDeleting: (tx: Tx, cohort: { workspaceId: string; cohortId: string }) => Promise<void>
  /** An alert rule is about to be changed, disabled or deleted. Its row is locked, its targets are not changed yet. */
  alertRuleInterrupted: (
    ctx: AppContext,
    tx: Tx,
    change: {
      workspaceId: string
      rule: RuleWithIncident
      cause: 'RuleChanged' | 'RuleDisabled' | 'RuleDeleted'
    },
  ) => Promise<void>
  /** null: the alert rule no longer sends reminders. */
  repeatIntervalChanged: (
    ctx: AppContext,
    tx: Tx,
    change: { workspaceId: string; rule: RuleWithIncident; repeatIntervalSeconds: number | null },
  ) => Promise<void>
}
