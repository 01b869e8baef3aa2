/** What the fuzz knows of a door, and how it tries cases at it. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { areConnectionsTaken } from '../../src/platform/db/failures.ts'

export const CASES = resolve(import.meta.dirname, 'cases')

interface Cases<Case> {
  /** Values of JSON, as they are stored. They hold no id of a run. */
  cases: fc.Arbitrary<Case>
  /** Throws a `Fault`. */
  run: (one: Case) => Promise<void> | void
  /** How many rounds are tried side by side; one if left out. For cases that wait for the database. */
  atOnce?: number
  /** Looks at what the cases left behind. Throws a `Fault`. Also called between cases. */
  check?: () => Promise<void>
}

export interface Door {
  tryCases: (trial: Trial) => Promise<DoorOutcome>
  /** Throws what is wrong with a stored case. */
  tryAgain: (stored: unknown) => Promise<void>
}

export function openDoor<Case>(cases: Cases<Case>): Door {
  return {
    tryCases: (trial) => tryAll(cases, trial),
    // The door itself has stored it.
    tryAgain: async (stored) => cases.run(stored as Case),
  }
}

/** The service did what it must not do. */
export class Fault extends Error {
  override readonly name = 'Fault'
  /** The case, where it is not the one that runs. */
  readonly of: unknown

  constructor(message: string, of?: unknown) {
    super(message)
    this.of = of
  }
}

export interface StoredCase {
  door: string
  fault: string
  case: unknown
}

interface Trial {
  name: string
  seed: number
  cases: number
  /** No further cases are begun after this instant (`performance.now()`). */
  until?: number
  onFault: (fault: StoredCase) => void
  /** Is told of each case; what it answers is called at the end of the case. */
  watch: (what: string, one: unknown) => () => void
}

/** So many cases have a seed of their own and end with a check. */
const ROUND = 500
/** Faults of one door; then it is time to mend some. */
const MOST_FAULTS = 10
/** A fault is not made smaller for longer. */
const ROUND_MS = 300_000

export interface DoorOutcome {
  name: string
  cases: number
  faults: StoredCase[]
  /** Until the last case, beside those of other doors. */
  seconds: number
}

async function tryAll<Case>(door: Cases<Case>, trial: Trial): Promise<DoorOutcome> {
  const tried: DoorOutcome = { name: trial.name, cases: 0, faults: [], seconds: 0 }
  const known = new Set<string>()
  const begunAt = performance.now()
  let round = 0
  const tryRounds = async () => {
    while (tried.cases < trial.cases && !isOver(trial) && tried.faults.length < MOST_FAULTS) {
      const numRuns = Math.min(ROUND, trial.cases - tried.cases)
      const seed = trial.seed + round
      round += 1
      tried.cases += numRuns
      const watch = (one: unknown) => trial.watch(`${trial.name}, seed ${seed}`, one)
      const fault = await tryRound(door, { seed, numRuns, known, watch })
      if (!fault) continue
      const found = { door: trial.name, ...fault }
      tried.faults.push(found)
      trial.onFault(found)
    }
  }
  await Promise.all(Array.from({ length: door.atOnce ?? 1 }, tryRounds))
  tried.seconds = (performance.now() - begunAt) / 1000
  return tried
}

const isOver = ({ until }: Trial) => until !== undefined && performance.now() > until

interface Round {
  seed: number
  numRuns: number
  known: Set<string>
  watch: (one: unknown) => () => void
}

async function tryRound<Case>(
  door: Cases<Case>,
  { seed, numRuns, known, watch }: Round,
): Promise<Omit<StoredCase, 'door'> | undefined> {
  const property = fc.asyncProperty(door.cases, async (one) => {
    const end = watch(one)
    try {
      await runUnlessBusy(door, one)
    } catch (error) {
      if (!known.has(signatureOf(error))) throw error
    } finally {
      end()
    }
  })
  const result = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit: ROUND_MS })
  if (result.failed && result.counterexample) {
    known.add(signatureOf(result.errorInstance))
    return { fault: textOf(result.errorInstance), case: result.counterexample[0] }
  }
  return checked(door)
}

/** Doors that use the database without a request meet that all its connections are taken, by other doors: no fault. */
async function runUnlessBusy<Case>(door: Cases<Case>, one: Case): Promise<void> {
  for (;;) {
    try {
      await door.run(one)
      return
    } catch (error) {
      if (!areConnectionsTaken(error)) throw error
    }
  }
}

async function checked<Case>({
  check,
}: Cases<Case>): Promise<Omit<StoredCase, 'door'> | undefined> {
  try {
    await check?.()
    return undefined
  } catch (error) {
    return { fault: textOf(error), case: error instanceof Fault ? error.of : undefined }
  }
}

/** Further cases of the same fault are passed over. */
function signatureOf(error: unknown): string {
  return textOf(error)
    .split('\n', 1)
    .join('')
    .replaceAll(/"[^"]*"|\d+/g, '#')
    .slice(0, 120)
}

export function textOf(error: unknown): string {
  if (error instanceof Fault) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** @returns the path of its file; of faults that no case makes alone, nothing. */
export function storeCase(found: StoredCase): string {
  if (found.case === undefined) return found.door
  const text = `${JSON.stringify(found, null, 2)}\n`
  const digest = createHash('sha256').update(JSON.stringify(found.case)).digest('hex').slice(0, 8)
  const file = resolve(CASES, `${found.door}-${digest}.json`)
  mkdirSync(CASES, { recursive: true })
  writeFileSync(file, text)
  return file
}

const RUNS_MS = 60_000

/** Throws when the work does not end. */
export async function ended<Result>(work: Promise<Result>, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault(`${what}: no end after ${RUNS_MS} ms`)), RUNS_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
