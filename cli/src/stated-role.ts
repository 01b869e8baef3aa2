/** Which file of a firmware version options name. */
import { usageError } from './failure.ts'

export interface StatedRole {
  /** undefined: the full image. */
  role?: string
  /** Of a delta: the version that a device has to run, as people name it. */
  base?: string
}

const DELTA = 'delta'

export function requireWholeRole({ role, base }: StatedRole): void {
  if (base !== undefined && role !== DELTA) throw usageError('--base belongs to --role delta.')
  if (base === undefined && role === DELTA)
    throw usageError('A delta needs --base: the version that a device has to run.')
}
