/** Identifies components again after overrides or rules have changed, without parsing their SBOMs again. */
import {
  type FindOverride,
  IDENTITY_RULES_VERSION,
  createOverrideFinder,
} from '../../../formats/identity.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { recordAudit } from '../../audit/index.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { listSelectorHandles } from '../package-overrides/selector-handles.ts'
import {
  lockOverrides,
  type OverrideSnapshot,
  readOverrides,
  updateMadeFor,
} from '../package-overrides/store.ts'
import {
  readIdentifiable,
  type IdentityColumns,
  writeIdentityColumns,
} from '../parsing/identity-columns.ts'
import type { PackageRow } from '../parsing/parser-messages.ts'
import { PARSER_VERSION, reparseSbom } from '../parsing/service.ts'
import { insertPackages, updateNotMatched } from '../parsing/store.ts'
import * as store from './store.ts'
import { SbomsOutdated, SbomUploaded } from '../schemas.ts'

interface Reidentification {
  workspaceId: string
  signal: AbortSignal
}

/** After a change of overrides: identifies the components that an override applies or applied to. */
export async function reidentifyOverridden(ctx: AppContext, job: Reidentification): Promise<void> {
  const { workspaceId, signal } = job
  const overrides = await readOverrides(ctx.db, workspaceId)
  const candidates = { selected: listSelectorHandles(workspaceId, overrides.overrides) }
  const versions = await store.listVersionsWithCandidates(ctx.db, workspaceId, candidates)
  for (const firmwareVersionId of versions) {
    signal.throwIfAborted()
    const options = { candidates, overrides, cause: 'OverrideChanged' }
    const isDone = await identifyVersion(ctx, { ...job, firmwareVersionId }, options)
    // The overrides have changed again; the job of that change does the rest.
    if (!isDone) return
  }
  await updateMadeFor(ctx.db, workspaceId)
}

/** After an upgrade: parses or identifies again what older parsers or older rules have read. */
export async function refreshOutdatedSboms(ctx: AppContext, job: Reidentification): Promise<void> {
  const { workspaceId, signal } = job
  const sbomIds = await store.listSbomsOfOlderParsers(ctx.db, workspaceId, PARSER_VERSION)
  for (const sbomId of sbomIds) {
    signal.throwIfAborted()
    await reparseSbom(ctx, { workspaceId, sbomId })
  }
  const candidates = { olderThan: IDENTITY_RULES_VERSION }
  const versions = await store.listVersionsWithCandidates(ctx.db, workspaceId, candidates)
  for (const firmwareVersionId of versions) {
    for (let isDone = false; !isDone;) {
      signal.throwIfAborted()
      const overrides = await readOverrides(ctx.db, workspaceId)
      const options = { candidates, overrides, cause: 'RulesChanged' }
      isDone = await identifyVersion(ctx, { ...job, firmwareVersionId }, options)
    }
  }
}

/** Enqueues a job per workspace that has outdated SBOMs. A second job for the same workspace does no harm. */
export async function enqueueOutdatedSboms(ctx: AppContext): Promise<void> {
  const current = { parserVersion: PARSER_VERSION, identityVersion: IDENTITY_RULES_VERSION }
  for (const workspaceId of await store.listOutdatedWorkspaces(ctx.db, current))
    await ctx.db
      .transaction()
      .execute((tx) => ctx.queue.enqueue(tx, SbomsOutdated, { workspaceId }))
}

/** Enqueues jobs that parse stored files again. Answers the number of files. */
export async function requestReparse(
  ctx: AppContext,
  { actor, ...selection }: store.SbomSelection & { actor: Actor },
): Promise<number> {
  let count = 0
  for (const workspaceId of await store.listSelectedWorkspaces(ctx.db, selection))
    count += await ctx.db.transaction().execute(async (tx) => {
      const sboms = await store.updateSbomsAsOutdated(tx, { ...selection, workspaceId })
      for (const { id: sbomId, parsingState } of sboms)
        if (parsingState === 'InProgress')
          await ctx.queue.enqueue(tx, SbomUploaded, { workspaceId, sbomId })
      await ctx.queue.enqueue(tx, SbomsOutdated, { workspaceId })
      const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
      const { firmwareVersionId = null } = selection
      const after = { firmwareVersionId, sbomCount: sboms.length }
      await recordAudit(ctx, tx, { ...entry, action: 'sbom.reparse', after })
      return sboms.length
    })
  return count
}

interface IdentifyOptions {
  candidates: store.Candidates
  overrides: OverrideSnapshot
  cause: string
}

type Version = Reidentification & { firmwareVersionId: string }

/** Writes packages first, then all changes of the firmware version. Answers false if the overrides have changed. */
async function identifyVersion(
  ctx: AppContext,
  version: Version,
  options: IdentifyOptions,
): Promise<boolean> {
  const findOverride = createOverrideFinder(options.overrides.overrides)
  const changes: store.ReidentifiedComponent[] = []
  for await (const rows of store.readCandidates(ctx.db, version, options.candidates)) {
    version.signal.throwIfAborted()
    const packages = new Map<string, PackageRow>()
    for (const row of rows) {
      const after = identify(row, packages, findOverride)
      if (hasChanged(row, after)) changes.push({ before: row, ...after })
    }
    const sorted = [...packages.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    await insertPackages(ctx.db, sorted, ctx.now())
  }
  if (changes.length === 0 && 'selected' in options.candidates) return true
  return ctx.db
    .transaction()
    .execute((tx) => writeIdentities(ctx, tx, { version, options, changes }))
}

interface IdentityChanges {
  version: Version
  options: IdentifyOptions
  changes: readonly store.ReidentifiedComponent[]
}

async function writeIdentities(
  ctx: AppContext,
  tx: Tx,
  { version, options, changes }: IdentityChanges,
): Promise<boolean> {
  const { workspaceId, firmwareVersionId } = version
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return true
  if ((await lockOverrides(tx, workspaceId)) !== options.overrides.revision) return false
  const changed = await store.updateIdentities(tx, workspaceId, changes)
  if ('olderThan' in options.candidates)
    await store.updateIdentityVersion(tx, version, options.candidates.olderThan)
  if (changed === 0) return true
  const sbomIds = [...new Set(changes.map(({ before }) => before.sbomId))]
  await updateNotMatched(tx, workspaceId, sbomIds)
  const { cause } = options
  await ctx.reactions.inventoryChanged(ctx, tx, { workspaceId, firmwareVersionId, cause })
  return true
}

function identify(
  row: store.IdentifiedRow,
  packages: Map<string, PackageRow>,
  findOverride: FindOverride,
): IdentityColumns {
  const { package: own, ...columns } = writeIdentityColumns(readIdentifiable(row), findOverride)
  if (own && own.id !== row.packageId) packages.set(own.id, own)
  return columns
}

function hasChanged(row: store.IdentifiedRow, after: IdentityColumns): boolean {
  return (['packageId', 'sourceName', 'notMatchedReason', 'overrideId'] as const).some(
    (field) => row[field] !== after[field],
  )
}
