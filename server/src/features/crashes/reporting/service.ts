/** Which devices report crashes. Silence of the others is no safety. */
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { ReportBatch } from '../../devices/index.ts'
import * as store from './store.ts'

const ATTRIBUTE = 'reportsCrashes'

/** What devices say with their attributes, the last of each. hawkBit's are texts. */
export function collectClaims(reports: ReportBatch['reports']): store.ReportingClaim[] {
  const claims = new Map<string, store.ReportingClaim>()
  for (const { deviceId, message, receivedAt: at } of reports) {
    const says = readClaim(message)
    if (says !== undefined) claims.set(deviceId, { deviceId, says, at })
  }
  return [...claims.values()]
}

/**
 * null: it leaves out what it may have said before. A session has to say it each time, although other attributes stay as they
 * were: it may be that of another client. undefined: nothing is to be learnt from it.
 */
function readClaim(message: ReportBatch['reports'][number]['message']): boolean | null | undefined {
  if (message.kind !== 'session' && message.kind !== 'running') return undefined
  const { attributes = {} } = message.kind === 'session' ? message.session : message
  if (Object.hasOwn(attributes, ATTRIBUTE)) {
    const said = String(attributes[ATTRIBUTE]).trim().toLowerCase()
    return said === 'true' ? true : said === 'false' ? false : null
  }
  if (message.kind === 'session') return null
  return message.attributesGone?.includes(ATTRIBUTE) === true ? null : undefined
}

/** A crash shows that the client of then told of it. So long it is taken for the client of today. */
const DAYS_OF_A_CRASH = 30

/** What a crash alone has shown holds for a time. Several workers may do it at once. */
export async function forgetOldCrashes({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const before = addDays(now(), -DAYS_OF_A_CRASH)
  for (const workspaceId of await store.listReportingWorkspaces(db))
    await store.forgetOldCrashes(db, workspaceId, { before, days: DAYS_OF_A_CRASH })
}

/** What is known of one device, how, and for how long. */
export async function readDeviceReporting(db: Db, workspaceId: string, deviceId: string) {
  const found = await store.findDeviceReporting(db, workspaceId, deviceId)
  if (!found || (found.reportsSince === null && found.unknownSince === null)) return NOTHING_KNOWN
  const { reportsSince, unknownSince, saysSo, isCrashOld, hour } = found
  const isByCrash = reportsSince === null ? isCrashOld : !saysSo
  return {
    reportsSince,
    unknownSince,
    knownBy: isByCrash ? ('Crash' as const) : ('Claim' as const),
    knownUntil: reportsSince !== null && isByCrash ? addDays(hour, DAYS_OF_A_CRASH) : null,
  }
}

const NOTHING_KNOWN = { reportsSince: null, unknownSince: null, knownBy: null, knownUntil: null }

const DEVICES_AT_ONCE = 1_000

/** Marks the days on which devices that report crashes were heard from. Several workers may do it at once. */
export async function markDeviceDays({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  for (const workspaceId of await store.listReportingWorkspaces(db)) {
    let after = ''
    for (;;) {
      const at = { workspaceId, now: now() }
      const found = await store.listUnmarkedDays(db, at, { after, limit: DEVICES_AT_ONCE })
      const last = found.at(-1)
      if (!last) break
      after = last.deviceId
      const ids = [...new Set(found.map(({ deviceId }) => deviceId))]
      await db.transaction().execute(async (tx) => {
        const held = await store.lockReporters(tx, workspaceId, ids)
        const days = found.filter(({ deviceId }) => held.has(deviceId))
        await store.addDeviceDays(
          tx,
          workspaceId,
          days.map((one) => ({ ...one, crashCount: 0 })),
        )
      })
    }
  }
}

/** Of the devices that run each of the versions now, in their order. */
export async function readReporting(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<Map<string, store.CrashReporting>> {
  const rows = await store.listReportingOfVersions(db, workspaceId, firmwareVersionIds)
  const known = new Map(rows.map(({ firmwareVersionId, ...counts }) => [firmwareVersionId, counts]))
  const none = { reportingDeviceCount: 0, otherDeviceCount: 0, unknownDeviceCount: 0 }
  return new Map(firmwareVersionIds.map((id) => [id, known.get(id) ?? none]))
}
