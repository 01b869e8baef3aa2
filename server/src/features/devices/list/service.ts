import { parseOptionalInstant } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { openPage } from '../../../platform/http/paging.ts'
import {
  type BlindSpotFilter,
  countListed,
  listBlindSpots as listSpots,
  readPosition,
} from './blind-spot-store.ts'
import { type ImageOwner, normaliseHash } from '../../../formats/provenance/image-hash.ts'
import { type BlindSpotKind, countBlindSpots, findImageOwners } from '../images/store.ts'
import { listMarks, type Mark, type MarkReader } from '../../firmware/index.ts'
import {
  countDevices,
  type DeviceFilter,
  type DeviceSortColumn,
  listDeviceIds,
  listRunningVersions,
} from './store.ts'
import { describeDevices } from '../store.ts'
import { listByUnknownSince } from './blind-spot-store.ts'
import { listByKeyAge } from './key-age-store.ts'

/** As it is asked for, with ids in place of names. */
export type AskedFilter = DeviceFilter & { cveIds?: string[]; marks?: Mark['state'][] }

export interface ListDevices {
  workspaceId: string
  sortColumn?: DeviceSortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: AskedFilter
}

const LISTS = {
  Id: listDeviceIds,
  LastSeenAt: listDeviceIds,
  UnknownSince: listByUnknownSince,
  OldestKeyAt: listByKeyAge,
} as const satisfies Record<DeviceSortColumn, unknown>

/** Pages show devices as they are now: a device that is seen meanwhile moves in the order of `LastSeenAt`. */
export async function listDevices(ctx: AppContext, input: ListDevices) {
  const { workspaceId, sortColumn = 'Id', ascending = true, filter = {} } = input
  const page = openPage(ctx, ['devices', workspaceId, sortColumn, ascending, filter], input)
  const rows = await LISTS[sortColumn](ctx.db, {
    workspaceId,
    filter: await filterForStore(ctx, workspaceId, filter),
    sortColumn,
    ascending,
    limit: page.rowLimit,
    after: page.after,
  })
  const { page: chosen, next } = page.cut(rows, ({ sortValues }) => sortValues)
  const ids = chosen.map(({ id }) => id)
  const devices = ids.length === 0 ? [] : await describeDevices(ctx, workspaceId, ids)
  return { devices, ...next }
}

/** The ids of the first devices that the filter selects, in order. */
export async function listFilteredIds(
  ctx: AppContext,
  db: Db,
  { workspaceId, filter, limit }: { workspaceId: string; filter: AskedFilter; limit: number },
): Promise<string[]> {
  const rows = await listDeviceIds(db, {
    workspaceId,
    filter: await filterForStore(ctx, workspaceId, filter),
    sortColumn: 'Id',
    ascending: true,
    limit,
    after: undefined,
  })
  return rows.map(({ id }) => id)
}

/** Checks instants, and looks up the versions with the vulnerabilities and with the marks. */
async function filterForStore(
  ctx: AppContext,
  workspaceId: string,
  { cveIds, marks, ...filter }: AskedFilter,
): Promise<DeviceFilter> {
  for (const name of ['lastSeenBefore', 'lastSeenAfter', 'ownKeyMadeBefore'] as const)
    parseOptionalInstant(filter[name], `/filter/${name}`)
  const affected =
    cveIds && (await ctx.reactions.listVulnerableVersions(ctx, { workspaceId, cveIds }))
  const marked = marks && (await listMarkedVersions(ctx, workspaceId, { ...filter, marks }))
  const { imageHashes } = filter
  return {
    ...filter,
    ...(imageHashes && { imageHashes: imageHashes.map((hash) => normaliseHash(hash) ?? '') }),
    ...(affected && { affectedVersionIds: affected }),
    ...(marked && { markedVersionIds: marked }),
  }
}

/** Lists those versions that devices run and that have one of the marks. */
async function listMarkedVersions(
  ctx: MarkReader,
  workspaceId: string,
  { firmwareIds, marks }: { firmwareIds?: string[]; marks: Mark['state'][] },
): Promise<string[]> {
  const running = await listRunningVersions(ctx.db, workspaceId, firmwareIds)
  const found = await listMarks(ctx, workspaceId, running)
  return running.filter((id) => marks.some((state) => state === found.get(id)?.state))
}

export async function summariseDevices(ctx: AppContext, { workspaceId }: { workspaceId: string }) {
  const counts = await countDevices(ctx.db, { workspaceId, now: ctx.now() })
  return { ...counts, ...(await countBlindSpots(ctx.db, workspaceId)) }
}

export async function listBlindSpots(
  ctx: AppContext,
  input: { workspaceId: string; filter?: BlindSpotFilter; limit?: number; cursor?: string },
) {
  const { workspaceId, filter = {} } = input
  const page = openPage(ctx, ['blind-spots-by-version', workspaceId, filter], input)
  const query = { workspaceId, filter, limit: page.rowLimit, after: page.after }
  const rows = await listSpots(ctx.db, query)
  const {
    page: rest,
    next,
    total,
  } = await page.cutAndCount(rows, readPosition, (most) => countListed(ctx.db, query, most))
  const hashes = rest.flatMap(({ imageHash }) => imageHash ?? [])
  const owners = await findImageOwners(ctx.db, workspaceId, hashes)
  const blindSpots = rest.map(({ kind: told, ...row }) => {
    const imageOf = row.imageHash === null ? [] : (owners.get(row.imageHash) ?? [])
    const kind: BlindSpotKind = told ?? (imageOf.length > 0 ? 'OtherImage' : 'UnknownImage')
    return { kind, ...row, imageOf, why: describeBlindSpot({ kind, ...row }, imageOf) }
  })
  return { blindSpots, ...total, ...next }
}

const nameVersion = ({ name, firmware }: ImageOwner) => `${firmware.slug}@${name}`

function describeBlindSpot(
  { kind, buildId }: { kind: BlindSpotKind; buildId: string | null },
  imageOf: readonly ImageOwner[],
): string {
  switch (kind) {
    case 'UnknownVersion':
      return `No firmware version has this ${buildId === null ? 'name' : 'build id'}, so its findings are not known.`
    case 'UnknownImage':
      return 'They name this version, and report the hash of an image that nobody uploaded: what they run may be another build.'
    case 'OtherImage':
      return `They name this version, and report the hash of the image of ${imageOf.map(nameVersion).join(', ')}.`
    case 'NotAHash':
      return 'They report a text as the hash of the image which is no SHA-256, SHA-384 or SHA-512 in hexadecimal.'
  }
}
