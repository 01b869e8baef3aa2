/** What people ask about crashes, and how they close and reopen groups. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { listLines } from './lines/store.ts'
import { sumDeviceHours } from './hours-store.ts'
import { readDeviceReporting, readReporting } from './reporting/service.ts'
import { countReporting, isComparable } from './reporting/store.ts'
import * as store from './store.ts'
import { readGroupTrend, readShortTrends, readVersionTrends } from './trend-service.ts'
import { listVersionCrashes } from './version-store.ts'

type Reading = Pick<AppContext, 'db' | 'now' | 'signingKey'>

/** The group in a few words. */
export function nameGroup({
  reason,
  frames,
  buildId,
}: Pick<store.GroupRow, 'reason' | 'frames' | 'buildId'>): string {
  const [top] = frames
  if (top === undefined) return reason
  return buildId === null ? `${reason} in ${top}` : `${reason} at ${top} of ${buildId}`
}

const describeGroup = ({ fixedIn, fixedInVersionId, ...row }: store.GroupRow) => ({
  ...row,
  title: nameGroup(row),
  isNamed: row.buildId === null,
  state: row.closedAt === null ? ('Open' as const) : ('Closed' as const),
  fixedIn: fixedIn === null ? null : { id: fixedInVersionId ?? '', name: fixedIn },
})

interface ListCrashGroups extends PageRequested {
  workspaceId: string
  firmwareId?: string
  firmwareVersionId?: string
  newSince?: string
  state?: 'Open' | 'Closed'
  q?: string
  sort?: store.GroupSort
  order?: 'asc' | 'desc'
}

export async function listCrashGroups(ctx: Reading, input: ListCrashGroups) {
  const { workspaceId, firmwareId, firmwareVersionId, newSince, state, q } = input
  const { sort = 'lastSeenAt', order = 'desc' } = input
  const filter = {
    workspaceId,
    firmwareId,
    firmwareVersionId,
    newSinceVersionId: newSince,
    isClosed: state && state === 'Closed',
    text: q,
  }
  const page = openPage(ctx, ['crash-groups', filter, sort, order], input)
  const asked = { sort, ascending: order === 'asc', after: page.after, limit: page.rowLimit }
  const rows = await store.listGroups(ctx.db, filter, asked)
  const cut = await page.cutAndCount(
    rows,
    (last) => last.sortValues,
    (most) => store.countGroups(ctx.db, filter, most),
  )
  const { droppedCount, malformedCount, lastFault } = await sumDeviceHours(ctx.db, {
    workspaceId,
  })
  const trends = await readShortTrends(ctx, workspaceId, cut.page)
  return {
    crashGroups: cut.page.map(({ sortValues: _values, ...row }) => ({
      ...describeGroup(row),
      recentCounts: trends.get(row.id) ?? [],
    })),
    ...cut.next,
    ...cut.total,
    reporting: await readReportingOf(ctx.db, { workspaceId, firmwareId, firmwareVersionId }),
    isComparable: newSince === undefined ? null : await isComparable(ctx.db, workspaceId, newSince),
    droppedCount,
    malformedCount,
    lastFault,
  }
}

interface ReportingOf {
  workspaceId: string
  firmwareId?: string | undefined
  firmwareVersionId?: string | undefined
}

/** Of the devices that run the version or the firmware, or of all. */
async function readReportingOf(
  db: Db,
  { workspaceId, firmwareId, firmwareVersionId }: ReportingOf,
) {
  if (firmwareVersionId === undefined) return countReporting(db, { workspaceId, firmwareId })
  return readReportingOfVersion(db, workspaceId, firmwareVersionId)
}

async function readReportingOfVersion(db: Db, workspaceId: string, firmwareVersionId: string) {
  const [counts] = (await readReporting(db, workspaceId, [firmwareVersionId])).values()
  return counts ?? { reportingDeviceCount: 0, otherDeviceCount: 0, unknownDeviceCount: 0 }
}

interface OneGroup {
  workspaceId: string
  crashGroupId: string
}

async function findGroup(db: Db, { workspaceId, crashGroupId }: OneGroup) {
  const row = isUuid(crashGroupId)
    ? await store.findGroup(db, workspaceId, crashGroupId)
    : undefined
  if (!row) throw notFound('crash group', crashGroupId)
  return row
}

const REPORTS_SHOWN = 20

export async function getCrashGroup(ctx: Pick<AppContext, 'db' | 'now'>, one: OneGroup) {
  const { db } = ctx
  const row = await findGroup(db, one)
  const { workspaceId } = one
  const reports = await store.listReports(db, {
    workspaceId,
    groupId: row.id,
    limit: REPORTS_SHOWN,
  })
  return {
    ...describeGroup(row),
    days: await readGroupTrend(ctx, workspaceId, row),
    versions: await store.listGroupVersions(db, workspaceId, row.id),
    devices: await store.listGroupDevices(db, workspaceId, row.id),
    reports: await withLines(db, workspaceId, reports),
  }
}

async function withLines(db: Db, workspaceId: string, reports: readonly store.ReportRow[]) {
  const asked = reports.flatMap(({ buildId, frames }) =>
    frames.flatMap(({ lookup }) =>
      buildId === null || lookup === null ? [] : [{ buildId, address: lookup }],
    ),
  )
  const lines = new Map(
    (await listLines(db, workspaceId, asked)).map(({ buildId, address, frames }) => [
      `${address} ${buildId}`,
      frames,
    ]),
  )
  return reports.map(({ groupId, ...report }) => {
    const frames = report.frames.map((frame) => ({
      ...frame,
      lines:
        frame.lookup === null || report.buildId === null
          ? null
          : (lines.get(`${frame.lookup} ${report.buildId}`) ?? null),
    }))
    const isOpen = frames.some((frame) => frame.lookup !== null && frame.lines === null)
    return {
      ...report,
      crashGroupId: groupId,
      frames,
      notResolved: isOpen ? explainOpen(report.buildId) : null,
    }
  })
}

const explainOpen = (buildId: string | null) =>
  buildId === null
    ? 'neither a build id nor the version that the device ran is known'
    : `no lines for build ${buildId}`

export async function getVersionCrashes(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const { db } = ctx
  const { id } = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const rows = await listVersionCrashes(db, workspaceId, [id])
  return {
    reporting: await readReportingOfVersion(db, workspaceId, id),
    trends: await readVersionTrends(ctx, { workspaceId, firmwareVersionId: id }),
    crashCount: rows.reduce((sum, { crashCount }) => sum + crashCount, 0),
    newCount: rows.filter(({ novelty }) => novelty === 'New').length,
    unknownCount: rows.filter(({ novelty }) => novelty === 'Unknown').length,
    crashGroups: rows.map(
      ({
        groupId,
        closedAt,
        firstReceivedAt: _receivedAt,
        firmwareVersionId: _of,
        versionName: _name,
        firmware: _firmware,
        ...row
      }) => ({
        ...row,
        id: groupId,
        title: nameGroup(row),
        isNamed: row.buildId === null,
        state: closedAt === null ? ('Open' as const) : ('Closed' as const),
      }),
    ),
  }
}

/** Open groups of the versions that no earlier version had, and those that cannot be compared; those of the most devices first. */
export async function listNewCrashes(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
) {
  const rows = await listVersionCrashes(db, workspaceId, firmwareVersionIds)
  return rows.flatMap(({ novelty, closedAt, groupId, ...row }) => {
    if (novelty === 'Known' || closedAt !== null) return []
    const { firmwareVersionId, versionName, deviceCount, buildId, unknownBecause } = row
    const missing = unknownBecause === 'LinesMissing' ? buildId : null
    const crash = { crashGroupId: groupId, title: nameGroup(row), novelty, deviceCount }
    return [{ firmwareVersionId, versionName, ...crash, unknownBecause, buildId: missing }]
  })
}

const REPORTS_OF_DEVICE = 50

export async function getDeviceCrashes(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
) {
  if (!(await store.hasDevice(ctx.db, workspaceId, deviceId))) throw notFound('device', deviceId)
  const limit = REPORTS_OF_DEVICE
  const reports = await store.listReports(ctx.db, { workspaceId, deviceId, limit })
  return {
    reports: await withLines(ctx.db, workspaceId, reports),
    ...(await readDeviceReporting(ctx.db, workspaceId, deviceId)),
    ...(await sumDeviceHours(ctx.db, { workspaceId, deviceId })),
  }
}

export async function closeCrashGroup(
  ctx: AppContext,
  input: OneGroup & { fixedInVersionId: string; actor: Actor },
) {
  const { workspaceId, crashGroupId, fixedInVersionId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    if (isUuid(crashGroupId)) await store.lockGroup(tx, workspaceId, crashGroupId)
    const row = await findGroup(tx, input)
    const version = await findVersion(tx, workspaceId, fixedInVersionId)
    if (row.firmware?.id !== version.firmware.id)
      throw invalid('The version is not of the firmware that crashed.', '/fixedInVersionId')
    await store.updateClosing(
      tx,
      { workspaceId, groupId: row.id },
      {
        closedAt: ctx.now(),
        closedByEmail: actor.email ?? null,
        fixedInVersionId: version.id,
        fixedIn: version.name,
      },
    )
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'crash-group.close',
      resourceType: 'crash-group',
      resourceId: row.id,
      before: { fixedIn: row.fixedIn },
      after: { title: nameGroup(row), fixedIn: version.name },
      about: [{ type: 'firmware-version', id: version.id }],
    })
    return getCrashGroup({ ...ctx, db: tx }, input)
  })
}

async function findVersion(db: Db, workspaceId: string, firmwareVersionId: string) {
  try {
    return await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalid('There is no such firmware version.', '/fixedInVersionId')
  }
}

export async function reopenCrashGroup(ctx: AppContext, input: OneGroup & { actor: Actor }) {
  const { workspaceId, crashGroupId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    if (isUuid(crashGroupId)) await store.lockGroup(tx, workspaceId, crashGroupId)
    const row = await findGroup(tx, input)
    if (row.closedAt === null) return getCrashGroup({ ...ctx, db: tx }, input)
    await store.updateClosing(
      tx,
      { workspaceId, groupId: row.id },
      { closedAt: null, closedByEmail: null, fixedInVersionId: null, fixedIn: null },
    )
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'crash-group.reopen',
      resourceType: 'crash-group',
      resourceId: row.id,
      before: { fixedIn: row.fixedIn },
      after: { title: nameGroup(row) },
    })
    return getCrashGroup({ ...ctx, db: tx }, input)
  })
}
