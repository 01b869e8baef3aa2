/** Package overrides: a workspace states what its components are. */
import { createHash } from 'node:crypto'
import {
  type Identification,
  identifyComponent,
  createOverrideFinder,
  type OverrideSelector,
  type PackageOverride,
  parseSelectorCpe,
  parseSelectorPurl,
} from '../../../formats/identity.ts'
import { parseCpe } from '../../../formats/cpe.ts'
import { parsePurl } from '../../../formats/purl.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { refuseTaken } from '../../../platform/db/failures.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import type { Precondition } from '../../../platform/http/editing.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { readIdentifiable } from '../parsing/identity-columns.ts'
import { listSelectorHandles } from './selector-handles.ts'
import * as store from './store.ts'
import { PackageOverridesChanged } from '../schemas.ts'
import { shortenText } from '../../../formats/shorten.ts'

interface ActorInWorkspace {
  workspaceId: string
  actor: Actor
}

export interface OverrideInput {
  selector: Partial<OverrideSelector>
  purls?: string[]
  cpes?: string[]
  version?: string | null
  ignored?: boolean
  reason?: string | null
  anyVersion?: boolean
}

/** Each with the other versions that its selector meets, in the workspace or in one firmware version. */
export async function listOverrides({ db }: Pick<AppContext, 'db'>, scope: store.ComponentScope) {
  const { workspaceId, firmwareVersionId } = scope
  if (firmwareVersionId !== undefined) await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  return withOtherVersions(db, scope, await store.listOverrides(db, scope))
}

type ListedOverride = Awaited<ReturnType<typeof store.listOverrides>>[number]

async function withOtherVersions(
  db: Db,
  scope: store.ComponentScope,
  overrides: readonly ListedOverride[],
) {
  const pinned = overrides.filter(({ madeFor }) => madeFor !== null)
  const handles = listSelectorHandles(scope.workspaceId, pinned)
  const rows = pinned.length === 0 ? [] : await store.listUnapplied(db, scope, handles)
  const findOverride = createOverrideFinder(pinned.map((one) => ({ ...one, madeFor: null })))
  const byId = Map.groupBy(rows, (row) => findOverride(readIdentifiable(row))?.id)
  return overrides.map((override) => ({
    ...override,
    otherVersions: groupOtherVersions(byId.get(override.id) ?? []),
  }))
}

const MOST_OTHER_VERSIONS = 20

function groupOtherVersions(rows: readonly store.UnappliedRow[]) {
  const counts = new Map<string, number>()
  for (const { declaredVersion, componentCount } of rows)
    counts.set(declaredVersion, (counts.get(declaredVersion) ?? 0) + componentCount)
  return [...counts]
    .map(([version, componentCount]) => ({ version, componentCount }))
    .toSorted((a, b) => b.componentCount - a.componentCount || (a.version < b.version ? -1 : 1))
    .slice(0, MOST_OTHER_VERSIONS)
}

export async function createOverride(ctx: AppContext, input: ActorInWorkspace & OverrideInput) {
  const { workspaceId, actor } = input
  const values = readValues(input)
  return changeOverrides(ctx, workspaceId, async (tx) => {
    const id = newId()
    const createdByEmail = actor.email ?? null
    const row = { workspaceId, id, createdByEmail, ...values, updatedAt: ctx.now() }
    await store.insertOverride(tx, row)
    const entry = { workspaceId, actor, resourceType: 'package-override', resourceId: id }
    await recordAudit(ctx, tx, { ...entry, action: 'package-override.create', after: values })
    return getOverride(tx, workspaceId, id)
  })
}

/** A change of the overrides of a workspace: creating one, replacing one, or deleting one. */
export type OverrideChange = { workspaceId: string } & (
  | { overrideId?: string; stated: OverrideInput }
  | { overrideId: string; stated?: undefined }
)

export interface MetComponents extends store.DeclaredAlike {
  identification: Identification
  /** Whether the created or changed override would apply to them; else the one that is replaced or deleted does now. */
  isApplied: boolean
}

export interface MeetingPreview {
  met: MetComponents[]
  /** Components that the selector meets or met, but to which another override would apply. */
  keptByOthers: number
  madeFor: string[] | null
}

/** What a change of overrides would do to the components of the workspace. Nothing is written. */
export async function previewMeeting(db: Db, change: OverrideChange): Promise<MeetingPreview> {
  const { workspaceId, overrideId, stated } = change
  const values = stated && (await previewedValues(db, { workspaceId, overrideId, stated }))
  const { overrides } = await store.readOverrides(db, workspaceId)
  const others = overrides.filter(({ id }) => id !== overrideId)
  if (overrideId !== undefined && others.length === overrides.length)
    throw notFound('package override', overrideId)
  const draft = values && store.asOverride({ id: overrideId ?? newId(), ...values })
  const handles = { ...listSelectorHandles(workspaceId, draft ? [draft] : []), overrideId }
  const rows = await store.listDeclaredAlike(db, workspaceId, handles)
  const meeting = countMeeting(rows, { overrideId, draft, others })
  const applied = meeting.met.filter(({ isApplied }) => isApplied)
  return { ...meeting, madeFor: values ? versionsToPin(values, applied) : null }
}

interface ChangedOverrides {
  /** The override that is replaced or deleted. */
  overrideId: string | undefined
  draft: PackageOverride | undefined
  others: readonly PackageOverride[]
}

function countMeeting(
  rows: readonly store.DeclaredAlike[],
  { overrideId, draft, others }: ChangedOverrides,
): Pick<MeetingPreview, 'met' | 'keptByOthers'> {
  const drafts = draft ? [draft] : []
  const findOverride = createOverrideFinder([...others, ...drafts])
  const findDraft = createOverrideFinder(drafts)
  const met: MetComponents[] = []
  let keptByOthers = 0
  for (const row of rows) {
    const component = readIdentifiable(row)
    const wasApplied = overrideId !== undefined && row.overrideId === overrideId
    if (!wasApplied && !findDraft(component)) continue
    const { overrideId: next, identification } = identifyComponent(component, findOverride)
    const isApplied = next !== undefined && next === draft?.id
    if (isApplied || wasApplied) met.push({ ...row, identification, isApplied })
    if (!isApplied && next !== undefined) keptByOthers += row.firmwareVersionIds.length
  }
  return { met, keptByOthers }
}

async function previewedValues(
  db: Db,
  input: { workspaceId: string; overrideId: string | undefined; stated: OverrideInput },
) {
  const { selectorHash, ...values } = readValues(input.stated)
  const taken = await store.findSelector(db, input.workspaceId, selectorHash)
  if (taken && taken.id !== input.overrideId) throw selectorTaken()
  return values
}

/** As `updateMadeFor` states them once the override exists; null: it applies to any version. */
function versionsToPin(
  { version, anyVersion, selectedVersion }: Omit<store.OverrideRow, 'id'>,
  met: readonly MetComponents[],
): string[] | null {
  if (version === null || anyVersion || selectedVersion !== null || met.length === 0) return null
  return [...new Set(met.map(({ declaredVersion }) => declaredVersion))].toSorted()
}

export async function updateOverride(
  ctx: AppContext,
  input: ActorInWorkspace &
    OverrideInput & { overrideId: string; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor } = input
  const values = readValues(input)
  return changeOverrides(ctx, workspaceId, async (tx) => {
    const before = await getOverride(tx, workspaceId, input.overrideId)
    input.precondition?.(before)
    const { id } = before
    await store.updateOverride(tx, { workspaceId, id, ...values, updatedAt: ctx.now() })
    const entry = { workspaceId, actor, resourceType: 'package-override', resourceId: id }
    const change = { before, after: values }
    await recordAudit(ctx, tx, { ...entry, action: 'package-override.update', ...change })
    return getOverride(tx, workspaceId, id)
  })
}

export async function deleteOverride(
  ctx: AppContext,
  input: ActorInWorkspace & { overrideId: string },
) {
  const { workspaceId, actor, overrideId } = input
  await changeOverrides(ctx, workspaceId, async (tx) => {
    const before = await getOverride(tx, workspaceId, overrideId)
    await store.deleteOverride(tx, workspaceId, before.id)
    const entry = { workspaceId, actor, resourceType: 'package-override', resourceId: before.id }
    await recordAudit(ctx, tx, { ...entry, action: 'package-override.delete', before })
  })
}

export async function getOverride(tx: Db, workspaceId: string, id: string) {
  const found = isUuid(id) ? await store.findOverride(tx, workspaceId, id) : undefined
  const [override] = found ? await withOtherVersions(tx, { workspaceId }, [found]) : []
  if (!override) throw notFound('package override', id)
  return override
}

const selectorTaken = () =>
  new AppError('conflict', 'package-override-exists', 'Another override has the same selector.')

/** Changes run one after another. Each enqueues a job that identifies the affected components again. */
function changeOverrides<Result>(
  ctx: AppContext,
  workspaceId: string,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return refuseTaken(selectorTaken, () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.raiseRevision(tx, workspaceId)
      const result = await change(tx)
      await ctx.queue.enqueue(tx, PackageOverridesChanged, { workspaceId })
      return result
    }),
  )
}

function readValues(stated: OverrideInput) {
  const { purls = [], cpes = [], version = null, ignored = false, reason = null } = stated
  const { anyVersion = false } = stated
  const selector = checkedSelector(stated.selector)
  purls.forEach((purl, index) => {
    if (!parsePurl(purl)) throw invalid(`${quoted(purl)} is not a valid purl.`, `/purls/${index}`)
  })
  cpes.forEach((cpe, index) => {
    if (!parseCpe(cpe)) throw invalid(`${quoted(cpe)} is not a valid CPE.`, `/cpes/${index}`)
  })
  const identifies = purls.length > 0 || cpes.length > 0 || version !== null
  if (ignored === identifies)
    throw invalid('State identifiers or a version, or set ignored; not both.', '/ignored')
  if (ignored && reason === null)
    throw invalid('State a reason for ignoring the component; lists show it.', '/reason')
  // A replaced override is made for what it meets now.
  return { ...selector, purls, cpes, version, ignored, reason, anyVersion, madeFor: null }
}

const NO_SELECTOR: OverrideSelector = { purl: null, cpe: null, name: null, version: null }

function checkedSelector(selector: Partial<OverrideSelector>) {
  const { purl, cpe, name, version } = { ...NO_SELECTOR, ...selector }
  if (purl === null && cpe === null && name === null)
    throw invalid('State a purl, a CPE or a name.', '/selector')
  const keys = [purl && checkedPurlKey(purl), cpe && checkedCpeKey(cpe), name, version]
  return {
    selectedPurl: purl,
    selectedCpe: cpe,
    selectedName: name,
    selectedVersion: version,
    selectorHash: createHash('sha256').update(JSON.stringify(keys)).digest('hex'),
  }
}

function checkedPurlKey(purl: string): string {
  const key = parseSelectorPurl(purl)
  if (key !== undefined) return key
  throw invalid(
    `${quoted(purl)} is not a purl without a version. State the version in the selector's own field.`,
    '/selector/purl',
  )
}

function checkedCpeKey(cpe: string): string {
  const key = parseSelectorCpe(cpe)
  if (key !== undefined) return key
  throw invalid(`${quoted(cpe)} is not vendor:product of a CPE.`, '/selector/cpe')
}

function quoted(text: string): string {
  return JSON.stringify(shortenText(text, 200))
}
