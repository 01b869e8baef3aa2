import type { RequestLog } from '../platform/http/request-log.ts'
import type { SettingsReader } from './reader.ts'

export interface LogSettings {
  logLevel: string
  requestLog: RequestLog
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const MEMBERS = ['actor', 'address']
const REQUEST_LOG = 'PLIMSOLL_REQUEST_LOG'

/**
 * An actor is an id, which only the database resolves, and without which misuse is traced to nobody. An address is personal data by
 * itself (Court of Justice of the EU, C-582/14, Breyer), and logs are copied and kept: it is left out unless somebody asks for it.
 */
export function readLog(reader: SettingsReader): LogSettings {
  const logLevel = reader.text('PLIMSOLL_LOG_LEVEL') ?? 'info'
  if (!LOG_LEVELS.includes(logLevel))
    reader.faults.push(`PLIMSOLL_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)
  return { logLevel, requestLog: readRequestLog(reader) }
}

function readRequestLog(reader: SettingsReader): RequestLog {
  const stated = reader.list(REQUEST_LOG)
  const isNone = stated.length === 1 && stated[0] === 'none'
  if (!isNone && stated.some((member) => !MEMBERS.includes(member)))
    reader.faults.push(`${REQUEST_LOG} takes ${MEMBERS.join(', ')}, or none.`)
  return {
    actor: stated.length === 0 || stated.includes('actor'),
    address: stated.includes('address'),
  }
}
