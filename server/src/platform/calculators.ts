/**
 * Long calculations of requests, in processes of their own: in the service each would hold up all other answers. Their
 * processes have connections to the database and a lower priority.
 */
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Requester, asking, NO_WORKSPACE } from './asking.ts'
import { ChildFailure, ChildPool } from './child-pool.ts'
import type { Db } from './db/connect.ts'
import type { Replica } from './db/replica.ts'
import { AppError, type ErrorKind, type FieldError } from './errors.ts'
import { spoolElsewhere } from './http/spooled-text.ts'
import { GIVING_WAY } from './priority.ts'

/** What a module of a slice exports as `calculate`. Its input and answer are copied between the processes. */
export type Calculation<Input, Answer = void> = (
  on: { db: Db; write: (text: string) => Promise<void> },
  input: Input,
) => Promise<Answer>

/** What the process is told. */
export interface CalculationTask {
  /** The URL of the module. */
  module: string
  input: unknown
  /** A replica that has all that the calculation has to read. */
  replica: string | undefined
  connectionString: string
  /** Whether the processes of the database are on this machine, and may be given a priority. */
  isOwnServer: boolean
  /** 0: the limit of the connection. */
  statementMs: number
  /** Where `write` writes. */
  file: string | undefined
}

/** What the process says. */
export type CalculationMessage =
  | { opened: true }
  /** The replica failed; the calculation begins again at the primary. */
  | { left: CalculationFailure }
  | { answer: unknown }
  | { refused: { kind: ErrorKind; code: string; detail: string; errors?: readonly FieldError[] } }
  | { failed: CalculationFailure }

export interface CalculationFailure {
  message: string
  stack: string | undefined
  code: string | undefined
}

const ENTRY = new URL('./calculator-process.ts', import.meta.url)
/** Exports and dry runs within their limits need less than half of it. */
const HEAP_MEGABYTES = 512
const IDLE_MS = 30_000
const MOST_SECONDS = 120
const MOST_PROCESSES = 4

interface CalculatorDatabase extends Pick<CalculationTask, 'connectionString' | 'isOwnServer'> {
  replica?: { connectionString: string; state: Replica } | undefined
}

/** The processes of requests that may read from the replica read there, and begin again at the primary where that fails. */
export class Calculators {
  readonly #pool = new ChildPool({
    entry: fileURLToPath(ENTRY),
    size: Math.min(MOST_PROCESSES, availableParallelism()),
    heapMegabytes: HEAP_MEGABYTES,
    idleMs: IDLE_MS,
    env: process.env,
    niceness: GIVING_WAY,
  })
  readonly #database: CalculatorDatabase

  constructor(database: CalculatorDatabase) {
    this.#database = database
  }

  /** Ends with the request that asks for it. Throws what the calculation threw, 503 if its process ended. */
  async answer(module: URL, input: unknown): Promise<unknown> {
    let answer: unknown
    for await (const message of this.#run(module, input))
      if ('answer' in message) answer = message.answer
    return answer
  }

  /** The text that the calculation writes, when all of it is written. */
  text(module: URL, input: unknown): Promise<Readable> {
    return spoolElsewhere(async (file, opened) => {
      for await (const message of this.#run(module, input, file))
        if ('opened' in message) await opened()
    })
  }

  close(): void {
    this.#pool.close()
  }

  async *#run(module: URL, input: unknown, file?: string): AsyncGenerator<CalculationMessage> {
    const asked = asking.getStore() ?? NO_WORKSPACE
    const { hungUp: signal, statementMs = 0 } = asked.read ?? {}
    const from = await this.#chooseServer(asked)
    const task: CalculationTask = { module: module.href, input, ...from, statementMs, file }
    let fault: Error | undefined
    try {
      // Read to its end, as the process of an abandoned task is killed.
      for await (const message of this.#pool.run(task, MOST_SECONDS, { signal })) {
        const said = message as CalculationMessage
        if ('left' in said) this.#database.replica?.state.fail(restoreFailure(said.left), asked)
        else if ('refused' in said || 'failed' in said) fault = createError(said)
        else yield said
      }
    } catch (error) {
      throw error instanceof ChildFailure ? ended(error) : error
    }
    if (fault) throw fault
  }

  async #chooseServer(asked: Requester) {
    const { replica, ...primary } = this.#database
    const isCurrent = asked.read !== undefined && (await replica?.state.isCurrent(asked)) === true
    return { ...primary, replica: isCurrent ? replica?.connectionString : undefined }
  }
}

type Unsuccessful = Extract<CalculationMessage, { refused: unknown } | { failed: unknown }>

function createError(said: Unsuccessful): Error {
  if ('refused' in said) {
    const { kind, code, detail, errors } = said.refused
    return new AppError(kind, code, detail, errors)
  }
  return restoreFailure(said.failed)
}

/** With the code it is answered like the same error of the service itself: of the database, for example. */
function restoreFailure({ message, stack, code }: CalculationFailure): Error {
  return Object.assign(new Error(message), { stack }, code !== undefined && { code })
}

const REASONS = {
  memory: 'needed more memory than it may have',
  time: `took longer than ${MOST_SECONDS} s`,
  crash: 'ended before it was done',
}

function ended({ reason }: ChildFailure): AppError {
  return new AppError(
    'unavailable',
    'calculation-ended',
    `The calculation ${REASONS[reason]}; nothing was written. Ask for less, or try again later.`,
  )
}
