/** Which findings a command about many is about, locked. */
import { decodeFindingId, encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import { invalid, refuseFaults } from '../../../platform/errors.ts'
import { lockFirmwareVersions } from '../../firmware/index.ts'
import {
  findFindingKeys,
  listSelectedFindings,
  type WorkspaceFindingFilter,
} from '../../findings/index.ts'

/** More findings would lock their firmware versions for minutes. */
const MOST_FINDINGS = 100_000
/** Proposals are computed for each version, which takes time. */
const MOST_VERSIONS_PROPOSED = 20

interface BulkFilter extends WorkspaceFindingFilter {
  proposed?: boolean
}

/** Either ids or a filter. */
export interface FindingSelection {
  workspaceId: string
  findingIds?: string[]
  filter?: BulkFilter
}

interface Terms {
  isLocking: boolean
}

/** Sorts by key, so that all batches lock the counters in one order. */
export type Selection = (ctx: AppContext, tx: Tx, terms: Terms) => Promise<FindingKey[]>

export function readSelection({ workspaceId, findingIds, filter }: FindingSelection): Selection {
  if ((findingIds === undefined) === (filter === undefined))
    throw invalid('State either findingIds or a filter.', findingIds ? '/filter' : '/findingIds')
  if (findingIds) return (_, tx, terms) => selectById(tx, { ...terms, workspaceId, findingIds })
  const checked = checkedFilter(filter ?? {})
  return (ctx, tx, terms) => selectByFilter(ctx, tx, { ...terms, workspaceId, filter: checked })
}

function checkedFilter(filter: BulkFilter): BulkFilter {
  const { firmwareVersionIds, proposed } = filter
  // An empty filter is probably a mistake. To select all findings, name the firmwares.
  if (Object.keys(filter).length === 0)
    throw invalid(
      'An empty filter selects every finding of the workspace. State a condition.',
      '/filter',
    )
  const versionCount = firmwareVersionIds?.length ?? Number.POSITIVE_INFINITY
  if (proposed !== undefined && versionCount > MOST_VERSIONS_PROPOSED)
    throw invalid(
      `Proposals are computed for each firmware version: name at most ${MOST_VERSIONS_PROPOSED} of them.`,
      '/filter/firmwareVersionIds',
    )
  return filter
}

interface ByFilter extends Terms {
  workspaceId: string
  filter: BulkFilter
}

/** Selects once to find what to lock, and again when the firmware versions are locked. */
async function selectByFilter(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, filter, isLocking }: ByFilter,
): Promise<FindingKey[]> {
  const found = await findKeys(ctx, tx, { workspaceId, filter })
  if (!isLocking || found.length === 0) return found
  const firmwareVersionIds = distinct(found.map((key) => key.firmwareVersionId))
  await lockFirmwareVersions(tx, workspaceId, firmwareVersionIds)
  const narrowed = { ...filter, firmwareVersionIds }
  const keys = await findKeys(ctx, tx, { workspaceId, filter: narrowed })
  await lockPackages(tx, distinct(keys.map((key) => key.packageId)), 'shared')
  return keys.toSorted(inKeyOrder)
}

async function findKeys(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, filter }: Omit<ByFilter, 'isLocking'>,
): Promise<FindingKey[]> {
  const limit = MOST_FINDINGS + 1
  const { proposed, ...asked } = filter
  const scope = { workspaceId, filter: asked }
  const keys = await listSelectedFindings({ ...ctx, db: tx }, scope, { proposed, limit })
  if (keys.length <= MOST_FINDINGS) return keys
  throw invalid(
    `The filter selects more than ${MOST_FINDINGS} findings. Narrow it, by firmware for example.`,
    '/filter',
  )
}

interface ById extends Terms {
  workspaceId: string
  findingIds: readonly string[]
}

async function selectById(
  tx: Tx,
  { workspaceId, findingIds, isLocking }: ById,
): Promise<FindingKey[]> {
  const named = findingIds.map(decodeFindingId)
  refuseMissing(named)
  const known = named.filter((key) => key !== undefined)
  if (isLocking) {
    const versions = distinct(known.map((key) => key.firmwareVersionId))
    await lockFirmwareVersions(tx, workspaceId, versions)
  }
  const found = await findFindingKeys(tx, workspaceId, known, { isLocking })
  refuseMissing(found)
  // Several ids may lead to one finding now.
  const byId = new Map(found.flatMap((key) => (key ? [[encodeFindingId(key), key]] : [])))
  return [...byId.values()].toSorted(inKeyOrder)
}

function refuseMissing(keys: readonly (FindingKey | undefined)[]): void {
  const faults = keys.flatMap((key, index) =>
    key ? [] : [{ pointer: `/findingIds/${index}`, detail: 'names no finding that ever held' }],
  )
  refuseFaults(faults, 'findingIds name no finding that ever held in this workspace')
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted()
}

function inKeyOrder(a: FindingKey, b: FindingKey): number {
  for (const name of ['firmwareVersionId', 'packageId', 'vulnerabilityId'] as const)
    if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1
  return 0
}
