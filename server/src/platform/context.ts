import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CohortMove } from '../features/cohorts/members/store.ts'
import type { DeviceReport } from '../features/devices/reports.ts'
import type { MatchChanges } from '../features/matching/changed-match.ts'
import type { Role } from '../formats/roles.ts'
import type { SbomStatement } from '../formats/sboms/model.ts'
import type { Actor } from './actor.ts'
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
  queue: Enqueuer
  blobs: BlobStore
  /** Processes in which untrusted documents are parsed. */
  parsers: ChildPool
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

/** For large documents and what nobody waits for: small documents and requests go first. */
export function preferOthers(ctx: AppContext): AppContext {
  return { ...ctx, db: ctx.slowDb }
}

/** Devices that are new or whose tags changed, or that are about to be deleted. */
export interface DevicesChanged {
  workspaceId: string
  deviceIds: readonly string[]
}

/** Firmware versions to which slugs, names or build ids lead now, or led before. */
export interface VersionsNamed {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

export interface ReportBatch {
  workspaceId: string
  /**
   * In the order received. Of each device at most one is stateful (all except metrics and logs), and its row is
   * locked.
   */
  reports: readonly DeviceReport[]
}

/** SBOMs of a firmware version came, went or were read again. */
export interface InventoryChange {
  workspaceId: string
  firmwareVersionId: string
  /** `SbomParsed`, `SbomDeleted`, `OverrideChanged` or `RulesChanged`, as timelines of findings show it. */
  cause: string
  /** More documents of the same upload follow, which may say what others said before. */
  hasMore?: boolean
  /** The document that was read, with the VEX statements that stand in it. */
  parsed?: { sbomId: string; statements: readonly SbomStatement[] }
}

/** Findings of a workspace that begin: of packages a version holds since an instant, or of matches that begin. */
export type NewFindings = { workspaceId: string } & (
  | { firmwareVersionId: string; at: Date }
  | { packageIds: readonly string[]; vulnerabilityIds: readonly string[] }
)

/** Somebody is no member of the workspace any more, or has another role there. */
export interface MemberChanged {
  workspaceId: string
  personId: string
  /** null: removed. */
  role: Role | null
  actor: Actor
}

/** An alert rule and its open incident. */
interface RuleWithIncident {
  id: string
  incidentId: string | null
}

interface Settings {
  defaultLogSeverity: string | null
}

type Reaction<Change, Context = AppContext> = (
  ctx: Context,
  tx: Tx,
  change: Change,
) => Promise<void>

/**
 * Calls from lower slices up to higher ones. Each reaction is named for what happened and runs in the transaction in
 * which it happens; `reactions.ts` says which commands of which slices answer it, and in which order.
 */
export interface Reactions {
  settingsChanged: Reaction<{ workspaceId: string; before: Settings; after: Settings }>
  memberChanged: Reaction<MemberChanged>
  /** The caller holds the lock on the names of versions. */
  versionsNamed: Reaction<VersionsNamed>
  /** Devices are new, or their tags changed. */
  devicesTagged: Reaction<DevicesChanged>
  /** Devices are about to be deleted. */
  devicesLeaving: Reaction<DevicesChanged>
  /** Devices reported; their states are stored already. */
  reported: Reaction<ReportBatch>
  /** The firmware version is locked. */
  inventoryChanged: Reaction<InventoryChange>
  /** Firmware versions are about to be deleted. They are locked, and their packages are shared. */
  versionsDeleting: Reaction<{ workspaceId: string; firmwareVersionIds: readonly string[] }>
  /** Open matches began, ended or became another, or packages became judged or no longer are; all are locked exclusively. */
  matchesChanged: Reaction<MatchChanges & { at: Date }>
  /**
   * Nobody has decided yet about these findings. Their packages are locked exclusively, or the firmware version is
   * locked and its packages are shared.
   */
  findingsBegun: Reaction<NewFindings>
  /** Devices moved from one cohort to another, or out of one. They are locked, and their cohorts shared. */
  cohortMembersMoved: Reaction<
    { workspaceId: string; moves: readonly CohortMove[] },
    Pick<AppContext, 'now'>
  >
  /** A cohort without an active deployment is about to be deleted. */
  cohortDeleting: (tx: Tx, cohort: { workspaceId: string; cohortId: string }) => Promise<void>
  /** An alert rule is about to be changed, disabled or deleted. Its row is locked, its targets are not changed yet. */
  alertRuleInterrupted: Reaction<{
    workspaceId: string
    rule: RuleWithIncident
    cause: 'RuleChanged' | 'RuleDisabled' | 'RuleDeleted'
  }>
  /** null: the alert rule no longer sends reminders. */
  repeatIntervalChanged: Reaction<{
    workspaceId: string
    rule: RuleWithIncident
    repeatIntervalSeconds: number | null
  }>
  /** A question rather than a reaction: the versions in which one of the vulnerabilities is an active finding. */
  listVulnerableVersions: (
    ctx: AppContext,
    asked: { workspaceId: string; cveIds: readonly string[] },
  ) => Promise<string[]>
}
