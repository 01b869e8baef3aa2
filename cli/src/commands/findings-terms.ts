/** What `findings ignore` may say of an accepted risk. */
import { type Command, InvalidArgumentError } from 'commander'
import type { BodyOf } from '../../../api-client/src/index.ts'
import { parseLaterInstant } from '../instant.ts'
import type { Session } from '../session.ts'
import { findMember } from './member.ts'

export interface TermOptions extends ConditionOptions {
  reason?: string
  owner?: string
  until?: string
}

/** False takes a bound back. */
export interface ConditionOptions {
  untilExploited?: boolean
  untilEpss?: number | false
  untilDevices?: number | false
  untilFixed?: boolean
}

/** Any of them accepts the risk, until the first of what they name. */
export function withTerms(command: Command): Command {
  return command
    .option('--reason <text>', 'why the risk is accepted')
    .option('--owner <member>', 'address or id of the member who looks after it')
    .option(
      '--until <time>',
      'when that ends: a time, or a length of time from now (90d)',
      (text) => parseLaterInstant(text),
    )
    .option(
      '--until-exploited',
      'it ends once the vulnerability is exploited (default where terms are given)',
    )
    .option('--no-until-exploited', 'it does not end then')
    .option('--until-epss <score>', 'it ends once the EPSS score is higher: 0 to 1', readScore)
    .option('--until-devices <count>', 'it ends once more devices run the version', readCount)
    .option('--until-fixed', 'it ends once a record names a fixed version')
}

export function readScore(text: string): number {
  const score = Number(text)
  if (text.trim() !== '' && score >= 0 && score <= 1) return score
  throw new InvalidArgumentError('It must be a number from 0 to 1.')
}

export function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

type StatedAcceptance = NonNullable<BodyOf<'ignoreVulnerabilityFinding'>['acceptance']>

/** undefined: none of the options is given. */
export async function readTerms(
  session: Session,
  options: TermOptions,
): Promise<StatedAcceptance | undefined> {
  const { reason, owner, until } = options
  const conditions = readConditions(options)
  const member = owner === undefined ? undefined : await findMember(session, owner)
  const terms = {
    ...(reason !== undefined && { reason }),
    ...(member && { ownerId: member.id }),
    ...(until !== undefined && { until }),
    ...(conditions && { conditions }),
  }
  return Object.keys(terms).length > 0 ? terms : undefined
}

/** undefined: none of the options is given. */
export function readConditions(options: ConditionOptions) {
  const { untilExploited, untilEpss, untilDevices, untilFixed } = options
  const conditions = {
    ...(untilExploited !== undefined && { knownExploited: untilExploited }),
    ...(untilEpss !== undefined && { epssAbove: untilEpss === false ? null : untilEpss }),
    ...(untilDevices !== undefined && {
      devicesAbove: untilDevices === false ? null : untilDevices,
    }),
    ...(untilFixed !== undefined && { fixAvailable: untilFixed }),
  }
  return Object.keys(conditions).length > 0 ? conditions : undefined
}
