/** The period and the firmware that figures are asked for. */
import type { Command } from 'commander'
import { notFound } from './named.ts'
import { findFirmware } from './firmware-version.ts'
import type { Session } from './session.ts'

export interface PeriodOptions {
  from: string
  to?: string
  firmware?: string
  line?: string
}

export const withPeriod = (command: Command) =>
  command
    .requiredOption('--from <day>', 'the first day (UTC), such as 2026-07-01')
    .option('--to <day>', 'the last day (default: today)')
    .option('--firmware <slug>', 'only this firmware (slug or id)')
    .option('--line <name>', 'with --firmware: only this release line of it')

export async function readPeriod(session: Session, { from, to, firmware, line }: PeriodOptions) {
  const found = firmware === undefined ? undefined : await findFirmware(session, firmware)
  if (firmware !== undefined && !found)
    throw notFound('firmware', `slug ${JSON.stringify(firmware)}`)
  return {
    from,
    ...(to !== undefined && { to }),
    ...(found && { firmwareId: found.id }),
    ...(line !== undefined && { line }),
  }
}
