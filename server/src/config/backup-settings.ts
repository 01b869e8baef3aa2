/** Backups that the service takes by itself. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../formats/instants.ts'
import type { SettingsReader } from './reader.ts'

/** Which backups stay: so many of the newest, or those of so many days. The newest one always stays. */
export type Keep = { count: number } | { days: number }

export interface BackupSettings {
  /** A folder or `s3://bucket/folder`; undefined: the service takes no backups. */
  to: string | undefined
  everyMs: number
  keep: Keep
  /** Public keys of age. */
  encryptTo: readonly string[]
}

const UNITS: Record<string, number> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

export function readBackups(reader: SettingsReader): BackupSettings {
  const to = reader.text('PLIMSOLL_BACKUP_TO')
  if (to?.endsWith('.tar') === true)
    reader.faults.push(
      'PLIMSOLL_BACKUP_TO is a tar file; it must be a folder or s3://bucket/folder.',
    )
  const everyMs = parseDuration(reader.text('PLIMSOLL_BACKUP_EVERY') ?? '24h')
  if (everyMs === undefined)
    reader.faults.push('PLIMSOLL_BACKUP_EVERY must be a time such as 30m, 24h or 7d.')
  const keep = parseKeep(reader.text('PLIMSOLL_BACKUP_KEEP') ?? '14')
  if (!keep)
    reader.faults.push('PLIMSOLL_BACKUP_KEEP must be a number of backups (14) or of days (30d).')
  return {
    to,
    everyMs: everyMs ?? DAY_MS,
    keep: keep ?? { count: 1 },
    encryptTo: reader.list('PLIMSOLL_BACKUP_ENCRYPT_TO'),
  }
}

/** Reads a duration, such as `30m`, `24h` or `7d`. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0)
}

export function parseKeep(text: string): Keep | undefined {
  const [, amount, isDays] = /^([1-9]\d{0,4})(d?)$/.exec(text) ?? []
  if (amount === undefined) return undefined
  return isDays === 'd' ? { days: Number(amount) } : { count: Number(amount) }
}
