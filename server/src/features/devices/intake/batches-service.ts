/** Takes reports of all doors, stores them in batches, and answers when they are stored. */
import {
  isDatabaseAway,
  isLockBusy,
  isOvertaken,
  isStatementTimeout,
} from '../../../platform/db/failures.ts'
import type {
  DesiredConfig,
  DesiredKey,
  DesiredUpdate,
} from '../../../formats/device-messages/model.ts'
import type { DeviceCredentials, DevicePrincipal } from '../keys/auth-service.ts'
import { asking } from '../../../platform/asking.ts'
import type { AppContext } from '../../../platform/context.ts'
import { startBatching, type WaitingItem } from './batching.ts'
import { isStateful, storeReports } from './service.ts'
import type { DeviceReport } from '../reactions.ts'
import { readCode } from '../../../platform/errors.ts'

export interface Intake {
  /** Resolves when the report is committed. Rejects when nothing of it is stored. */
  receive: (report: DeviceReport) => Promise<void>
  /** The number of waiting reports, of one workspace or all. A door that sees many takes no more for a while. */
  pending: (workspaceId?: string) => number
  /** Resolves when all that was received is stored. */
  close: () => Promise<void>
}

const LINGER_MS = 4
const MOST_REPORTS = 500
const REST = { from: 4, to: 100, mostMs: 50 }
const NO_REST = { ...REST, mostMs: 0 }
/** Metric points, log lines and crashes of one transaction. */
const MOST_ROWS = 20_000
const CONCURRENCY = 4
const TRIES = 5

/** `rests`: small batches leave half of the time to others, as batching.ts says; false where there are no others. */
export function startIntake(ctx: AppContext, { rests = true } = {}): Intake {
  const touches = new Touches()

  async function store(workspaceId: string, waiting: readonly WaitingItem<DeviceReport>[]) {
    const reports = waiting.map(({ item }) => item)
    const touched = touches.due(reports)
    // The batch may run in the context of a request of another workspace.
    await asking.run({ workspaceId }, () =>
      retrying(() => storeReports(ctx, { workspaceId, reports, touched })),
    )
    touches.record(reports, touched)
  }

  async function handle(workspaceId: string, waiting: readonly WaitingItem<DeviceReport>[]) {
    try {
      await store(workspaceId, waiting)
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      const [only] = waiting
      if (waiting.length === 1 && only) return only.reject(error)
      // A report that cannot be stored must not fail the others.
      if (isHeldUp(error)) for (const { reject } of waiting) reject(error)
      else for (const one of waiting) await handle(workspaceId, [one])
    }
  }

  const batching = startBatching<DeviceReport>({
    groupOf: ({ workspaceId }) => workspaceId,
    together: chooseBatch,
    handle,
    lingerMs: LINGER_MS,
    rest: rests ? REST : NO_REST,
    concurrency: CONCURRENCY,
  })
  return { receive: batching.add, pending: batching.pending, close: batching.drain }
}

/**
 * Which reports form the next batch: of each device those before its second stateful report, which has to see what the
 * first one changed. The later reports of a device wait for the next batch, so that no other device waits for them.
 */
function chooseBatch(reports: readonly DeviceReport[]): boolean[] {
  const stateful = new Set<string>()
  const held = new Set<string>()
  let count = 0
  let rows = 0
  return reports.map((report) => {
    const { deviceId } = report
    if (isStateful(report) && stateful.has(deviceId)) held.add(deviceId)
    if (count === MOST_REPORTS || rows >= MOST_ROWS || held.has(deviceId)) {
      // Later reports of a device do not overtake a waiting one.
      held.add(deviceId)
      return false
    }
    if (isStateful(report)) stateful.add(deviceId)
    count += 1
    rows += countRows(report)
    return true
  })
}

function countRows({ message }: DeviceReport): number {
  if (message.kind === 'metrics') return message.points.length
  if (message.kind === 'crashes') return Math.max(1, message.crashes.length)
  return message.kind === 'logs' ? message.lines.length : 1
}

async function retrying(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= TRIES || !isWorthRetrying(error)) throw error
    }
  }
}

/** Another transaction came first, or the default partition no longer takes the rows, as that of their day was made meanwhile. */
const isWorthRetrying = (error: unknown) => isOvertaken(error) || readCode(error) === '23514'

/** The devices may send the reports again; trying them one by one now would not help. */
const isHeldUp = (error: unknown) =>
  isDatabaseAway(error) || isOvertaken(error) || isLockBusy(error) || isStatementTimeout(error)

const TOUCH_MS = 60_000
const REMEMBERED = 200_000

/** When devices were last stored as seen, so that not every metric writes their rows. */
class Touches {
  private readonly times = new Map<string, number>()

  due(reports: readonly DeviceReport[]): Set<string> {
    const due = new Set<string>()
    for (const { workspaceId, deviceId, receivedAt } of reports) {
      const last = this.times.get(`${workspaceId} ${deviceId}`)
      if (last === undefined || receivedAt.getTime() - last >= TOUCH_MS) due.add(deviceId)
    }
    return due
  }

  record(reports: readonly DeviceReport[], touched: ReadonlySet<string>): void {
    // Forgetting them costs one more write for each device.
    if (this.times.size > REMEMBERED) this.times.clear()
    for (const report of reports)
      if (touched.has(report.deviceId) || isStateful(report))
        this.times.set(`${report.workspaceId} ${report.deviceId}`, report.receivedAt.getTime())
  }
}

export interface DesiredState {
  config: DesiredConfig
  /** The version that the device last acknowledged. null: none yet. */
  acknowledgedVersion: number | null
  update: DesiredUpdate | null
  /** null: it is to keep its key. */
  key: DesiredKey | null
}

/** What MQTT, HTTP and hawkBit share: authentication, reports, and desired state. */
export interface DeviceDoors {
  /** Registers devices where the workspace lets them do so; throws `unauthorized`, or `device-not-found`. */
  authenticate: (credentials: DeviceCredentials) => Promise<DevicePrincipal>
  intake: Intake
  /**
   * What is desired of those of the devices that exist. It writes: the updates it answers are recorded as offered, and
   * those that a device runs already succeed.
   */
  offerDesired: (
    workspaceId: string,
    deviceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, DesiredState>>
}
