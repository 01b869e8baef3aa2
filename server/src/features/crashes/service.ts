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
import * as store from './store.ts'
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
  return {
    crashGroups: cut.page.map(({ sortValues: _values, ...row }) => describeGroup(row)),
    ...cut.next,
    ...cut.total,
    droppedCount,
    malformedCount,
    lastFault,
  }
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

export async function getCrashGroup(db: Db, one: OneGroup) {
  const row = await findGroup(db, one)
  const { workspaceId } = one
  const reports = await store.listReports(db, {
    workspaceId,
    groupId: row.id,
    limit: REPORTS_SHOWN,
  })
  return {
    ...describeGroup(row),
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
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const { id } = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const rows = await listVersionCrashes(db, workspaceId, [id])
  return {
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
    const { firmwareVersionId, versionName, deviceCount, buildId } = row
    const missing = novelty === 'Unknown' ? buildId : null
    const crash = { crashGroupId: groupId, title: nameGroup(row), novelty, deviceCount }
    return [{ firmwareVersionId, versionName, ...crash, buildId: missing }]
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
    })
    return getCrashGroup(tx, input)
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
    if (row.closedAt === null) return getCrashGroup(tx, input)
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
    return getCrashGroup(tx, input)
  })
}
