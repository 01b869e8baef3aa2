/** Compares updated devices with those that wait: reads their signals, has them judged, and tells the result. */
import { SECOND_MS } from '../../formats/instants.ts'
import { asking } from '../../platform/asking.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { DueComparison } from './due-store.ts'
import type { JudgedSignal } from './judging-process.ts'
import { type AskedSignal, buildUnread, TOO_LONG } from './measuring-process.ts'
import { listSignals } from './plan.ts'
import type { GroupCounts, SignalResult } from './result.ts'
import type { Silence } from './silence.ts'
import { askJudge, describeSignals, type MeasuredSignal } from './signal-results.ts'
import type { PlacedDevice } from './windows.ts'

export type ComparingContext = Pick<AppContext, 'db' | 'config' | 'now' | 'log' | 'calculators'>

const MEASURER = new URL('./measuring-process.ts', import.meta.url)
const JUDGE = new URL('./judging-process.ts', import.meta.url)
/** All signals of a deployment together. What was not read by then is not measured. */
const MOST_READING_MS = 100_000

interface Compared {
  devices: readonly PlacedDevice[]
  silence: Silence
  ranIt: GroupCounts
  confidencePercent: number
  /** Then it throws. */
  stopping: AbortSignal | undefined
}

export async function compareDevices(
  ctx: ComparingContext,
  due: DueComparison,
  { devices, silence, ranIt, confidencePercent, stopping }: Compared,
): Promise<SignalResult[]> {
  const measuring: Measuring = {
    workspaceId: due.workspaceId,
    windowSeconds: due.plan.windowSeconds,
    devices,
    silentIds: listSilent(silence),
    querySeconds: ctx.config.telemetry.querySeconds,
  }
  const until = performance.now() + MOST_READING_MS
  const signals: MeasuredSignal[] = []
  for (const signal of listSignals(due.plan)) {
    const mostMs = until - performance.now()
    const measured = await measureSignal(ctx, { ...measuring, signal, mostMs }, stopping)
    if (measured.failure !== undefined)
      ctx.log.warn(
        { workspaceId: due.workspaceId, signal: signal.name, failure: measured.failure },
        'a signal was not compared',
      )
    signals.push(measured)
  }
  const measured = { signals, silence, ranIt }
  const asked = askJudge(measured, {
    confidencePercent,
    seed: parseInt(due.deploymentId.slice(-8), 16),
    hasWaiting: devices.some(({ isUpdated }) => !isUpdated) || silence.waiting.length > 0,
  })
  const judged = (await ctx.calculators.answer(JUDGE, asked)) as JudgedSignal[]
  return describeSignals(measured, judged, due.plan)
}

type Measuring = Omit<AskedSignal, 'signal' | 'mostMs'>

const listSilent = ({ updated, waiting }: Silence): ReadonlySet<string> =>
  new Set([...updated, ...waiting].flatMap(({ deviceId, isSilent }) => (isSilent ? deviceId : [])))

/** One process a signal, so that other calculations have their turns between. Ends with the worker that waits for it. */
async function measureSignal(
  { calculators }: ComparingContext,
  asked: AskedSignal,
  stopping = new AbortController().signal,
): Promise<MeasuredSignal> {
  stopping.throwIfAborted()
  if (asked.mostMs <= 0) return buildUnread(asked, TOO_LONG)
  const { workspaceId, querySeconds } = asked
  const read = { statementMs: querySeconds * SECOND_MS, hungUp: stopping }
  try {
    const answer = () => calculators.answer(MEASURER, asked)
    return (await asking.run({ workspaceId, read }, answer)) as MeasuredSignal
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return buildUnread(asked, error.message)
  }
}

export const endOfWindow = (now: Date, { windowSeconds }: { windowSeconds: number }) =>
  new Date(now.getTime() - windowSeconds * SECOND_MS)
