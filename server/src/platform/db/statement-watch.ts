/** Looks at each statement when it has ended: slow ones are named in the log, all may become part of a trace. */
import type { LogEvent } from 'kysely'
import type { Logger } from 'pino'
import { asking } from '../asking.ts'
import { traceStatement } from '../tracing/tracing.ts'

export type StatementWatch = (event: LogEvent) => void

/** Enough to find a statement by. */
const SHOWN = 400

/** `slowMs` 0: none is slow. */
export function watchStatements(log: Logger, slowMs: number): StatementWatch {
  return ({ level, query, queryDurationMillis, ...rest }) => {
    const failure = 'error' in rest ? readMessage(rest.error) : undefined
    traceStatement({ text: query.sql, ms: queryDurationMillis, failure })
    if (slowMs === 0 || queryDurationMillis < slowMs) return
    const statement = query.sql.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN)
    const { workspaceId } = asking.getStore() ?? {}
    const ms = Math.round(queryDurationMillis)
    const about = { ms, statement, ...(workspaceId && { workspaceId }) }
    log.warn({ ...about, ...(level === 'error' && { failure }) }, 'slow statement')
  }
}

const readMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))
