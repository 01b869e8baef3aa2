import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import type { Precondition } from '../../../platform/http/editing.ts'
import { recordAudit } from '../../audit/index.ts'
import { shareSettings } from '../../workspaces/index.ts'
import { signalDesiredChange } from '../signals-store.ts'
import * as store from './store.ts'
import { type DesiredConfiguration, decideLogLevel, mergeReport } from './configuration.ts'
import { isDeviceId } from '../keys/auth-service.ts'
import type { ReportBatch } from '../reactions.ts'

type ReadContext = Pick<AppContext, 'db' | 'now'>

/**
 * The desired configurations of the devices that exist. It writes: when what a device has from its cohort or the workspace has
 * changed, it stores a new version for it before anybody sees it. So a change of a default itself writes no device.
 */
export async function issueDesiredConfigurations(
  ctx: ReadContext,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, DesiredConfiguration>> {
  const rows = await issueRows(ctx, workspaceId, deviceIds)
  return new Map(
    rows.map(({ id, version, effective, acknowledgedVersion, isAskedForKey }) => [
      id,
      { version, logSeverity: effective, acknowledgedVersion, isAskedForKey },
    ]),
  )
}

async function issueRows(ctx: ReadContext, workspaceId: string, deviceIds: readonly string[]) {
  const rows = await store.listDesiredConfigurations(ctx.db, workspaceId, deviceIds)
  const overtaken = rows.filter(
    ({ effective, ...levels }) => effective !== decideLogLevel(levels).logSeverity,
  )
  if (overtaken.length === 0) return rows
  const ids = overtaken.map(({ id }) => id)
  await ctx.db
    .transaction()
    // Sends no signal: the change of the default, of the cohort or of its members has signalled the device.
    .execute((tx) => writeDesired(ctx, tx, { workspaceId, deviceIds: ids }))
  return store.listDesiredConfigurations(ctx.db, workspaceId, deviceIds)
}

interface WriteDesired {
  workspaceId: string
  deviceIds: readonly string[]
  /** The own value of the devices. undefined: each keeps its own. */
  logSeverity?: LogSeverity | null
}

/**
 * Locks the defaults of the workspace and of the devices' cohorts until the transaction ends, so that no node stores an older
 * default after a newer one.
 * Answers the devices as they were, and those whose effective value changed: the caller signals them.
 */
export async function writeDesired(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deviceIds, ...own }: WriteDesired,
) {
  // Before the rows of devices, which all changes lock in this order.
  await shareSettings(tx, workspaceId)
  const defaultLogSeverity = await store.findDefaultLogSeverity(tx, workspaceId)
  if (defaultLogSeverity === undefined) throw notFound('workspace', workspaceId)
  const before = await store.lockDesiredConfigurations(tx, workspaceId, deviceIds)
  const ids = before.map(({ id }) => id)
  await store.shareCohortsOfDevices(tx, workspaceId, ids)
  const written = await store.updateDesiredConfigurations(tx, workspaceId, {
    ...own,
    deviceIds: ids,
    defaultLogSeverity,
    at: ctx.now(),
  })
  return { before, effective: written.filter(({ isEffective }) => isEffective) }
}

export async function getDesiredConfiguration(
  ctx: ReadContext,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
) {
  const [row] = isDeviceId(deviceId) ? await issueRows(ctx, workspaceId, [deviceId]) : []
  if (!row) throw notFound('device', deviceId)
  const { logSeverity, effective, version, acknowledgedVersion, changedAt } = row
  return {
    configuration: { logSeverity },
    effective: { logSeverity: effective },
    source: { logSeverity: decideLogLevel(row).level },
    inherited: {
      cohort: row.cohort,
      workspace: { logSeverity: row.defaultLogSeverity },
    },
    version,
    acknowledgedVersion,
    changedAt,
  }
}

export interface SetDesiredConfiguration {
  workspaceId: string
  deviceId: string
  /** null or absent: that of the cohort applies, or else the workspace default. */
  logSeverity?: LogSeverity | null
  /** The same, as an answer holds it. */
  configuration?: { logSeverity?: LogSeverity | null }
  actor: Actor
  precondition?: Precondition | undefined
}

function statedSeverity({ logSeverity, configuration }: SetDesiredConfiguration) {
  const inside = configuration?.logSeverity
  if (logSeverity !== undefined && inside !== undefined && logSeverity !== inside)
    throw invalid('logSeverity and configuration.logSeverity differ: state one.', '/logSeverity')
  return logSeverity ?? inside ?? null
}

export async function setDesiredConfiguration(
  ctx: AppContext,
  input: SetDesiredConfiguration,
): Promise<void> {
  const { workspaceId, deviceId, actor } = input
  const logSeverity = statedSeverity(input)
  await ctx.db.transaction().execute(async (tx) => {
    const deviceIds = isDeviceId(deviceId) ? [deviceId] : []
    const written = await writeDesired(ctx, tx, { workspaceId, deviceIds, logSeverity })
    const [device] = written.before
    if (!device) throw notFound('device', deviceId)
    input.precondition?.({ configuration: { logSeverity: device.logSeverity } })
    if (written.effective.length > 0) await signalDesiredChange(tx, workspaceId, [deviceId])
    if (device.logSeverity === logSeverity) return
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'device-configuration.update',
      resourceType: 'device',
      resourceId: deviceId,
      before: { logSeverity: device.logSeverity },
      after: { logSeverity },
    })
  })
}

export async function getReportedConfiguration(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
) {
  const device = isDeviceId(deviceId)
    ? await store.findReportedConfiguration(db, workspaceId, deviceId)
    : undefined
  if (!device) throw notFound('device', deviceId)
  const { reported, reportedAt, version } = device
  if (!reported || !reportedAt)
    throw new AppError(
      'notFound',
      'configuration-not-reported',
      `The device ${JSON.stringify(deviceId)} has not reported its configuration yet.`,
    )
  const { logSeverity = null, compiledLogSeverity = null } = reported
  const { acknowledgedDesiredConfigurationVersion = null } = reported
  return {
    configuration: { logSeverity, compiledLogSeverity, acknowledgedDesiredConfigurationVersion },
    version,
    reportedAt,
  }
}

/** The rows of the devices have to be locked. Each device has at most one such report in a batch. */
export async function storeReportedConfigurations(
  tx: Tx,
  { workspaceId, reports }: ReportBatch,
): Promise<void> {
  const configs = new Map(
    reports.flatMap(({ deviceId, receivedAt, message }) =>
      message.kind === 'config'
        ? [[deviceId, { report: message.config, at: receivedAt }] as const]
        : [],
    ),
  )
  if (configs.size === 0) return
  const deviceIds = [...configs.keys()].toSorted()
  const known = await store.listReportedConfigurations(tx, workspaceId, deviceIds)
  const changed = known.flatMap(({ id, ...configuration }) => {
    const received = configs.get(id)
    const reported = received && mergeReport(configuration, received.report)
    return received && reported ? [{ id, reported, at: received.at }] : []
  })
  if (changed.length > 0) await store.updateReportedConfigurations(tx, workspaceId, changed)
}
