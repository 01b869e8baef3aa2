/** For tests of calculators: what a slice's module would do, and its failures. */
import { sql } from 'kysely'
import type { Calculation } from '../src/platform/calculators.ts'
import { invalid } from '../src/platform/errors.ts'

export type TriedCalculation =
  | { kind: 'add'; numbers: number[] }
  | { kind: 'sleep'; mark: string; seconds: number }
  | { kind: 'write'; lines: number }
  /** Waits in the middle, at a replica for long. */
  | { kind: 'writeWaiting'; lines: number; mark: string }
  | { kind: 'refuse' | 'end' }

export const calculate: Calculation<TriedCalculation, unknown> = async ({ db, write }, asked) => {
  switch (asked.kind) {
    case 'add':
      return { sum: asked.numbers.reduce((sum, one) => sum + one, 0), pid: process.pid }
    case 'sleep':
      return sql`select ${asked.mark}::text, pg_sleep(${asked.seconds})`.execute(db)
    case 'write':
      for (let line = 0; line < asked.lines; line += 1) await write(`line ${line} ä\n`)
      return undefined
    case 'writeWaiting': {
      for (let line = 0; line < asked.lines; line += 1) {
        if (line === asked.lines / 2)
          await sql`
            select ${asked.mark}::text, case when pg_is_in_recovery() then pg_sleep(60) end`.execute(
            db,
          )
        await write(`line ${line} ä\n`)
      }
      return undefined
    }
    case 'refuse':
      throw invalid('Too much.', '/condition')
    case 'end':
      return process.kill(process.pid, 'SIGKILL')
  }
}
