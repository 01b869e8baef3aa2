/** Runs in a child process: one calculation after the other, each of a module that the service names. */
import { type FileHandle, open } from 'node:fs/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Calculation, CalculationMessage, CalculationTask } from './calculators.ts'
import { serveTasks } from './child-pool.ts'
import { createDb, createPool, type Db, STATEMENT_MS } from './db/connect.ts'
import { AppError } from './errors.ts'
import { lowerPriority } from './priority.ts'

let opened: Db | undefined

/** One connection, which stays open between calculations. */
function databaseOf({ connectionString, isOwnServer }: CalculationTask): Db {
  if (opened) return opened
  const name = 'plimsoll-calculator'
  const pool = createPool({ connectionString, poolSize: 1, name, onError: () => undefined })
  pool.on('connect', noticeLoss)
  if (isOwnServer) pool.on('connect', giveWay)
  opened = createDb(pool)
  return opened
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
  const out = writerOf(file)
  try {
    const module = (await import(task.module)) as { calculate: Calculation<unknown, unknown> }
    const db = databaseOf(task)
    await sql`set statement_timeout = ${sql.lit(task.statementMs || STATEMENT_MS)}`.execute(db)
    const answer = await module.calculate({ db, write: out.write }, task.input)
    await out.flush()
    yield { answer }
  } catch (error) {
    yield messageOf(error)
  } finally {
    await file?.close()
  }
}

const CHUNK_CHARACTERS = 65_536

/** Writes large chunks instead of each text. */
function writerOf(file: FileHandle | undefined) {
  let chunk = ''
  const flush = async () => {
    if (chunk !== '') await file?.writeFile(chunk)
    chunk = ''
  }
  const write = async (text: string) => {
    chunk += text
    if (chunk.length >= CHUNK_CHARACTERS) await flush()
  }
  return { write, flush }
}

function messageOf(error: unknown): CalculationMessage {
  if (error instanceof AppError) {
    const { kind, code, message: detail, errors } = error
    return { refused: { kind, code, detail, ...(errors && { errors }) } }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return { failed: { message, stack, code } }
}

serveTasks((task) => calculate(task as CalculationTask))
