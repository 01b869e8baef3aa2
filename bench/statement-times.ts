/**
 * Loaded before a program (`node --import`): at its end it writes to the file `PLIMSOLL_BENCH_TIMES` what each statement
 * cost, by wall clock and by processor time of the database process, and the processor time and memory of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'

export interface StatementTime {
  statement: string
  calls: number
  seconds: number
  /** Of the database's process on this machine; 0 where it runs elsewhere. */
  cpuSeconds: number
}

export interface ProgramTimes {
  statements: StatementTime[]
  cpuSeconds: number
  maxMebibytes: number
}

const byStatement = new Map<string, StatementTime>()

/** Nanoseconds on a processor (Linux, proc_pid_schedstat(5)). */
function backendSeconds(pid: unknown): number {
  try {
    return Number(readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')[0]) / 1e9
  } catch {
    return 0
  }
}

function nameOf(query: unknown): string {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query
  return typeof text === 'string' ? text.trim().replaceAll(/\s+/g, ' ').slice(0, 140) : 'unknown'
}

type Query = (this: object, ...args: unknown[]) => unknown
const original = Reflect.get(pg.Client.prototype, 'query') as Query

function timed(this: object, ...args: unknown[]): unknown {
  const pid: unknown = Reflect.get(this, 'processID')
  const statement = nameOf(args[0])
  const startedAt = performance.now()
  const cpu = backendSeconds(pid)
  const result = original.apply(this, args)
  const ended = () => {
    const time = byStatement.get(statement) ?? { statement, calls: 0, seconds: 0, cpuSeconds: 0 }
    byStatement.set(statement, time)
    time.calls++
    time.seconds += (performance.now() - startedAt) / 1000
    time.cpuSeconds += backendSeconds(pid) - cpu
  }
  if (result instanceof Promise) result.then(ended, ended)
  else if (typeof result === 'object' && result !== null && 'once' in result)
    (result as NodeJS.EventEmitter).once('finish', ended)
  return result
}
Reflect.set(pg.Client.prototype, 'query', timed)

process.once('exit', () => {
  const path = process.env['PLIMSOLL_BENCH_TIMES']
  if (path === undefined) return
  const { user, system } = process.cpuUsage()
  const times: ProgramTimes = {
    statements: [...byStatement.values()],
    cpuSeconds: (user + system) / 1e6,
    maxMebibytes: process.resourceUsage().maxRSS / 1024,
  }
  writeFileSync(path, JSON.stringify(times))
})
