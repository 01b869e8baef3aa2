/** Runs in a child process: one calculation after the other, each of a module that the service names. */
import { type FileHandle, open } from 'node:fs/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type {
  Calculation,
  CalculationFailure,
  CalculationMessage,
  CalculationTask,
} from './calculators.ts'
import { serveTasks } from './child-pool.ts'
import { createDb, createPool, type Db, STATEMENT_MS } from './db/connect.ts'
import { isDataException, isStatementTimeout } from './db/failures.ts'
import { AppError, readCode } from './errors.ts'
import { lowerPriority } from './priority.ts'

const opened = new Map<string, Db>()

/** One connection to each server, which stays open between calculations. */
function openedAt(connectionString: string, create: () => pg.Pool): Db {
  const known = opened.get(connectionString)
  if (known) return known
  const pool = create()
  pool.on('connect', noticeLoss)
  const db = createDb(pool)
  opened.set(connectionString, db)
  return db
}

const NAMED = { name: 'plimsoll-calculator', poolSize: 1, onError: () => undefined }

function openPrimary({ connectionString, isOwnServer }: CalculationTask): Db {
  return openedAt(connectionString, () => {
    const pool = createPool({ ...NAMED, connectionString })
    return isOwnServer ? pool.on('connect', giveWay) : pool
  })
}

/** A statement that goes on after its limit is one of a host that vanished. */
const GRACE_MS = 5_000

function replicaAt(connectionString: string, task: CalculationTask): Db {
  const answerMs = readLimit(task) + GRACE_MS
  return openedAt(connectionString, () => createPool({ ...NAMED, connectionString, answerMs }))
}

/**
 * A statement ends a second after this process, which is killed when the client hangs up. PostgreSQL refuses the setting where the
 * system cannot notice it; a statement ends by its limit of time there.
 */
function noticeLoss(client: pg.PoolClient): void {
  client.query(`set client_connection_check_interval = '1s'`).catch(() => undefined)
}

/** The process of the database that calculates for this one has its priority: it takes as much of the processors. */
function giveWay(client: pg.PoolClient & { processID?: number }): void {
  lowerPriority(client.processID, 0)
}

async function* calculate(task: CalculationTask): AsyncGenerator<CalculationMessage> {
  const file = task.file === undefined ? undefined : await open(task.file, 'r+')
  if (file) yield { opened: true }
  try {
    yield* answers(task, createWriter(file))
  } catch (error) {
    yield createMessage(error)
  } finally {
    await file?.close()
  }
}

async function* answers(task: CalculationTask, out: Out): AsyncGenerator<CalculationMessage> {
  if (task.replica !== undefined)
    try {
      yield { answer: await answerFrom(replicaAt(task.replica, task), task, out) }
      return
    } catch (error) {
      if (isOfCalculation(error)) throw error
      yield { left: createFailure(error) }
      await out.restart()
    }
  yield { answer: await answerFrom(openPrimary(task), task, out) }
}

const readLimit = ({ statementMs }: CalculationTask) => statementMs || STATEMENT_MS

async function answerFrom(db: Db, task: CalculationTask, out: Out): Promise<unknown> {
  const module = (await import(task.module)) as { calculate: Calculation<unknown, unknown> }
  await sql`set statement_timeout = ${sql.lit(readLimit(task))}`.execute(db)
  const answer = await module.calculate({ db, write: out.write }, task.input)
  await out.flush()
  return answer
}

/** The primary would answer the same. */
function isOfCalculation(error: unknown): boolean {
  return error instanceof AppError || isStatementTimeout(error) || isDataException(error)
}

const CHUNK_CHARACTERS = 65_536

type Out = ReturnType<typeof createWriter>

/** Writes large chunks instead of each text. */
function createWriter(file: FileHandle | undefined) {
  let chunk = ''
  let end = 0
  const flush = async () => {
    let left: Uint8Array = Buffer.from(chunk)
    chunk = ''
    if (!file) return
    while (left.length > 0) {
      const { bytesWritten } = await file.write(left, 0, left.length, end)
      left = left.subarray(bytesWritten)
      end += bytesWritten
    }
  }
  const write = async (text: string) => {
    chunk += text
    if (chunk.length >= CHUNK_CHARACTERS) await flush()
  }
  const restart = async () => {
    chunk = ''
    end = 0
    await file?.truncate()
  }
  return { write, flush, restart }
}

function createMessage(error: unknown): CalculationMessage {
  if (!(error instanceof AppError)) return { failed: createFailure(error) }
  const { kind, code, message: detail, errors } = error
  return { refused: { kind, code, detail, ...(errors && { errors }) } }
}

function createFailure(error: unknown): CalculationFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = readCode(error)
  return { message, stack, code }
}

serveTasks((task) => calculate(task as CalculationTask))
