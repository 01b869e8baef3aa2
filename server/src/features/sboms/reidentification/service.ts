/** Components are held against the overrides of their workspace, or against newer rules, without parsing them again. */
import {
  type FindOverride,
  identifyComponent,
  IDENTITY_RULES_VERSION,
  overrideFinder,
} from '../../../formats/identity.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { recordAudit } from '../../audit/index.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { holdOverrides, type OverridesInForce, readOverrides } from '../package-overrides/store.ts'
import { type PackageRow, packageRow } from '../parsing/parser-messages.ts'
import { PARSER_VERSION, reparseSbom } from '../parsing/service.ts'
import { insertPackages, updateNotMatched } from '../parsing/store.ts'
import * as store from './store.ts'
import { SbomsOutdated, SbomUploaded } from '../schemas.ts'
import { patternsOf } from './selector-patterns.ts'
import type { OnInventoryChanged } from '../service.ts'

interface Redoing {
  workspaceId: string
  onInventoryChanged: OnInventoryChanged
  signal: AbortSignal
}

/** The overrides have changed: those components that one is or was for. */
export async function identifyOverridden(ctx: AppContext, redoing: Redoing): Promise<void> {
  const { workspaceId, signal } = redoing
  const inForce = await readOverrides(ctx.db, workspaceId)
  const candidates = { selected: patternsOf(inForce.overrides) }
  const versions = await store.listVersionsWithCandidates(ctx.db, workspaceId, candidates)
  for (const firmwareVersionId of versions) {
    signal.throwIfAborted()
    const terms = { candidates, inForce, cause: 'OverrideChanged' }
    const isDone = await identifyVersion(ctx, { ...redoing, firmwareVersionId }, terms)
    // The job of a later change does what this one leaves.
    if (!isDone) return
  }
}

/** What older parsers or older rules made of the SBOMs of a workspace. */
export async function redoOutdated(ctx: AppContext, redoing: Redoing): Promise<void> {
  const { workspaceId, onInventoryChanged, signal } = redoing
  const sbomIds = await store.listSbomsOfOlderParsers(ctx.db, workspaceId, PARSER_VERSION)
  for (const sbomId of sbomIds) {
    signal.throwIfAborted()
    await reparseSbom(ctx, { workspaceId, sbomId }, onInventoryChanged)
  }
  const candidates = { olderThan: IDENTITY_RULES_VERSION }
  const versions = await store.listVersionsWithCandidates(ctx.db, workspaceId, candidates)
  for (const firmwareVersionId of versions) {
    for (let isDone = false; !isDone;) {
      signal.throwIfAborted()
      const inForce = await readOverrides(ctx.db, workspaceId)
      const terms = { candidates, inForce, cause: 'RulesChanged' }
      isDone = await identifyVersion(ctx, { ...redoing, firmwareVersionId }, terms)
    }
  }
}

/** Enqueued for each workspace that has any; those under way twice do no harm. */
export async function announceOutdatedSboms(ctx: AppContext): Promise<void> {
  const current = { parserVersion: PARSER_VERSION, identityVersion: IDENTITY_RULES_VERSION }
  for (const workspaceId of await store.listOutdatedWorkspaces(ctx.db, current))
    await ctx.db
      .transaction()
      .execute((tx) => ctx.queue.enqueue(tx, SbomsOutdated, { workspaceId }))
}

/** Has the components of stored files made anew by jobs; answers how many files. */
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

interface Terms {
  candidates: store.Candidates
  inForce: OverridesInForce
  cause: string
}

type Version = Redoing & { firmwareVersionId: string }

/** Packages commit first, then all that changes in the firmware version; false when the overrides have changed. */
async function identifyVersion(ctx: AppContext, version: Version, terms: Terms): Promise<boolean> {
  const findOverride = overrideFinder(terms.inForce.overrides)
  const changes: store.IdentifiedAnew[] = []
  for await (const rows of store.readCandidates(ctx.db, version, terms.candidates)) {
    version.signal.throwIfAborted()
    const packages = new Map<string, PackageRow>()
    for (const row of rows) {
      const after = identify(row, packages, findOverride)
      if (isOther(row, after)) changes.push({ before: row, ...after })
    }
    const sorted = [...packages.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    await insertPackages(ctx.db, sorted, ctx.now())
  }
  if (changes.length === 0 && 'selected' in terms.candidates) return true
  return ctx.db.transaction().execute((tx) => writeIdentities(ctx, tx, { version, terms, changes }))
}

interface Writing {
  version: Version
  terms: Terms
  changes: readonly store.IdentifiedAnew[]
}

async function writeIdentities(
  ctx: AppContext,
  tx: Tx,
  { version, terms, changes }: Writing,
): Promise<boolean> {
  const { workspaceId, firmwareVersionId, onInventoryChanged } = version
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return true
  if ((await holdOverrides(tx, workspaceId)) !== terms.inForce.revision) return false
  const changed = await store.updateIdentities(tx, workspaceId, changes)
  if ('olderThan' in terms.candidates)
    await store.updateIdentityVersion(tx, version, terms.candidates.olderThan)
  if (changed === 0) return true
  const sbomIds = [...new Set(changes.map(({ before }) => before.sbomId))]
  await updateNotMatched(tx, workspaceId, sbomIds)
  await onInventoryChanged(ctx, tx, { workspaceId, firmwareVersionId, cause: terms.cause })
  return true
}

function identify(
  row: store.IdentifiedRow,
  packages: Map<string, PackageRow>,
  findOverride: FindOverride,
) {
  const { overrideId, identification } = identifyComponent(
    {
      vendor: row.vendor ?? undefined,
      packageName: row.packageName,
      version: row.version ?? undefined,
      purl: row.purl ?? undefined,
      cpes: row.cpes,
      scope: row.scope ?? undefined,
      builtFrom: row.builtFrom ? definedOf(row.builtFrom) : undefined,
      downloadLocation: row.downloadLocation ?? undefined,
    },
    findOverride,
  )
  const known = 'identity' in identification ? identification : undefined
  if (known && known.identity.id !== row.packageId)
    packages.set(known.identity.id, packageRow(known.identity))
  return {
    packageId: known?.identity.id ?? null,
    sourceName: known?.sourceName ?? null,
    notMatchedReason: identification.notMatchedReason ?? null,
    overrideId: overrideId ?? null,
  }
}

/** JSON has no undefined: a field left out is none. */
function definedOf({ vendor, packageName, version, purl, cpes }: Identifiers): Identifiers {
  return { vendor, packageName, version, purl, cpes }
}

type Identifiers = NonNullable<store.IdentifiedRow['builtFrom']>

function isOther(row: store.IdentifiedRow, after: Omit<store.IdentifiedAnew, 'before'>): boolean {
  return (['packageId', 'sourceName', 'notMatchedReason', 'overrideId'] as const).some(
    (field) => row[field] !== after[field],
  )
}
