/** Which of the reported crashes are new, and which of them are kept. */
import type { DeviceCrash } from '../../../formats/device-messages/model.ts'
import { startOfHour } from '../../../formats/instants.ts'
import { addSequence, packRanges, type ReportOrigin, unpackRanges } from '../../telemetry/index.ts'

export type ReportedCrash = ReportOrigin & { crash: DeviceCrash }

export interface RunSeen {
  runId: string
  seen: number[]
}

/** What is remembered of a device between its reports. */
export interface CrashMemory {
  /** The newest run first. */
  runs: readonly RunSeen[]
  hour: Date
  /** Crashes that were kept of this hour. */
  taken: number
}

/** A device that crashes again and again says nothing new after some of them. */
export const KEPT_AN_HOUR = 60
const RUNS_REMEMBERED = 16

export interface AdmittedCrashes {
  kept: ReportedCrash[]
  droppedCount: number
  memory: CrashMemory
}

/** The crashes of one device, in the order received. What was reported before is left out. */
export function admitCrashes(
  before: CrashMemory,
  crashes: readonly ReportedCrash[],
  receivedAt: Date,
): AdmittedCrashes {
  const hour = startOfHour(receivedAt)
  const memory = {
    runs: [...before.runs],
    hour: hour > before.hour ? hour : before.hour,
    taken: hour > before.hour ? 0 : before.taken,
  }
  const kept: ReportedCrash[] = []
  let droppedCount = 0
  for (const one of crashes) {
    if (!isNew(memory, one)) continue
    if (memory.taken >= KEPT_AN_HOUR) droppedCount += 1
    else {
      memory.taken += 1
      kept.push(one)
    }
  }
  return { kept, droppedCount, memory }
}

/** A crash without a sequence, or of no known run, cannot be told from another one that is alike. */
function isNew(memory: { runs: RunSeen[] }, { runId, crash }: ReportedCrash): boolean {
  const { sequence } = crash
  if (runId === undefined || sequence === undefined) return true
  const ranges = unpackRanges(memory.runs.find((run) => run.runId === runId)?.seen ?? [])
  const isAdded = addSequence(ranges, sequence)
  const others = memory.runs.filter((run) => run.runId !== runId)
  memory.runs = [{ runId, seen: packRanges(ranges) }, ...others].slice(0, RUNS_REMEMBERED)
  return isAdded
}
