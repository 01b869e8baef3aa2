/** Finds the points and lines that were stored before, by device, run, series and sequence. */
import type { Tx } from '../../../platform/db/connect.ts'
import { addSequence, packRanges, type Ranges, unpackRanges } from './sequences.ts'
import * as store from './sequences-store.ts'

export interface SequencedEntry {
  deviceId: string
  runId: string
  /** Whose sequence it is: the id of a series, or `logs`. */
  counter: string
  sequence: number
}

/**
 * Records the sequences, and answers of each entry whether it is new. An undefined entry has no sequence and is always
 * new. Locks the runs: other transactions that store something of them wait for the end of this one.
 */
export async function recordSequences(
  tx: Tx,
  at: { workspaceId: string; updatedAt: Date },
  entries: readonly (SequencedEntry | undefined)[],
): Promise<boolean[]> {
  const runs = await openRuns(tx, at, listRuns(entries))
  const changed = new Set<OpenRun>()
  const isNew = entries.map((entry) => {
    if (!entry) return true
    const run = runs.get(formatName(entry))
    const ranges = run && getRanges(run, entry.counter)
    if (!run || !ranges || !addSequence(ranges, entry.sequence)) return false
    changed.add(run)
    return true
  })
  if (changed.size > 0) await store.updateRuns(tx, at, [...changed].map(closed))
  return isNew
}

interface OpenRun extends store.RunSequences {
  open: Map<string, Ranges>
}

function formatName({ deviceId, runId }: store.Run): string {
  return `${deviceId} ${runId}`
}

function listRuns(entries: readonly (SequencedEntry | undefined)[]): store.Run[] {
  const runs = new Map<string, store.Run>()
  for (const entry of entries)
    if (entry) runs.set(formatName(entry), { deviceId: entry.deviceId, runId: entry.runId })
  return [...runs.values()]
}

/** Insert all runs before locking the first one. A transaction that waits for an insert of another then holds no lock that the other needs. */
async function openRuns(
  tx: Tx,
  at: { workspaceId: string; updatedAt: Date },
  runs: readonly store.Run[],
): Promise<Map<string, OpenRun>> {
  if (runs.length === 0) return new Map()
  await store.insertMissingRuns(tx, at, runs)
  const locked = await store.lockRuns(tx, at.workspaceId, runs)
  return new Map(locked.map((run) => [formatName(run), { ...run, open: new Map() }]))
}

function getRanges(run: OpenRun, counter: string): Ranges {
  const ranges = run.open.get(counter) ?? unpackRanges(run.seen[counter] ?? [])
  run.open.set(counter, ranges)
  return ranges
}

function closed({ deviceId, runId, seen, open }: OpenRun): store.RunSequences {
  const changed = [...open].map(([counter, ranges]) => [counter, packRanges(ranges)] as const)
  return { deviceId, runId, seen: { ...seen, ...Object.fromEntries(changed) } }
}
