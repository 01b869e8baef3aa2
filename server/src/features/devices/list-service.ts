import type { AppContext } from '../../platform/context.ts'
import { invalid } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { countBlindSpots, listBlindSpots as listSpots } from './blind-spot-store.ts'
import { countDevices, type DeviceFilter, listDeviceIds } from './list-store.ts'
import { describeDevices } from './registry-store.ts'

/** Ids of the versions in which one of these vulnerabilities is an active finding; findings are a higher slice. */
export type ListVulnerableVersions = (
  ctx: AppContext,
  asked: { workspaceId: string; cveIds: readonly string[] },
) => Promise<string[]>

export interface ListDevices {
  workspaceId: string
  sortColumn?: 'Id' | 'LastSeenAt'
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: DeviceFilter & { cveIds?: string[] }
}

/** Devices as they are when a page is read: one that is seen meanwhile moves in the order of `LastSeenAt`. */
export async function listDevices(
  ctx: AppContext,
  input: ListDevices,
  listVulnerableVersions: ListVulnerableVersions,
) {
  const { workspaceId, sortColumn = 'Id', ascending = true, limit = DEFAULT_LIMIT } = input
  const { cursor, filter = {} } = input
  const scope = ['devices', workspaceId, sortColumn, ascending, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  requireTimes(filter)
  const { cveIds, ...asked } = filter
  const affected = cveIds && (await listVulnerableVersions(ctx, { workspaceId, cveIds }))
  const rows = await listDeviceIds(ctx.db, {
    workspaceId,
    filter: withIdsOnly(asked, affected),
    sortColumn,
    ascending,
    limit: limit + 1,
    after: position?.after,
  })
  const page = rows.slice(0, limit)
  const ids = page.map(({ id }) => id)
  const devices = ids.length === 0 ? [] : await describeDevices(ctx.db, workspaceId, ids)
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { devices, hasMore: false }
  const payload = { after: last.sortValues, asOf: position?.asOf ?? ctx.now().getTime() }
  return { devices, nextCursor: encodeCursor(ctx.signingKey, scope, payload), hasMore: true }
}

/** What is no id is the id of nothing. */
function withIdsOnly(filter: DeviceFilter, affected: string[] | undefined): DeviceFilter {
  const { cohortIds, firmwareIds, firmwareVersionIds } = filter
  return {
    ...filter,
    ...(cohortIds && { cohortIds: cohortIds.filter(isUuid) }),
    ...(firmwareIds && { firmwareIds: firmwareIds.filter(isUuid) }),
    ...(firmwareVersionIds && { firmwareVersionIds: firmwareVersionIds.filter(isUuid) }),
    ...(affected && { affectedVersionIds: affected }),
  }
}

/** RFC 3339 knows leap seconds, JavaScript does not. */
function requireTimes(filter: DeviceFilter): void {
  for (const name of ['lastSeenBefore', 'lastSeenAfter'] as const)
    if (filter[name] !== undefined && Number.isNaN(Date.parse(filter[name])))
      throw invalid(`${name} is no time this service can compare with.`, `/filter/${name}`)
}

export async function summariseDevices(ctx: AppContext, { workspaceId }: { workspaceId: string }) {
  const counts = await countDevices(ctx.db, { workspaceId, now: ctx.now() })
  return { ...counts, ...(await countBlindSpots(ctx.db, workspaceId)) }
}

export async function listBlindSpots(
  ctx: AppContext,
  input: { workspaceId: string; limit?: number; cursor?: string },
) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor } = input
  const scope = ['blind-spots', workspaceId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const query = { workspaceId, limit: limit + 1, after: position?.after }
  const rows = await listSpots(ctx.db, query)
  const blindSpots = rows.slice(0, limit)
  const last = blindSpots.at(-1)
  if (rows.length <= limit || !last) return { blindSpots, hasMore: false }
  const after = [last.deviceCount, last.slug, last.version, last.buildId ?? '']
  const payload = { after, asOf: position?.asOf ?? ctx.now().getTime() }
  return { blindSpots, nextCursor: encodeCursor(ctx.signingKey, scope, payload), hasMore: true }
}
