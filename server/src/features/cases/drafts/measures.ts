/** What was done, and what users can do: by stated measures, and by roll-outs of versions without the vulnerability. */
import { formatInstant } from '../../../formats/instants.ts'
import { formatNumber } from '../../../formats/counts.ts'
import { lowerWords } from '../../../formats/words.ts'
import type { DraftFacts, RollOut } from './draft-facts.ts'
import {
  formatLocally,
  listDistinct,
  MOST_LISTED,
  type ProposedText,
  proposeText,
  tellBy,
} from './proposed-text.ts'

const isInForce = ({ state }: RollOut) => state !== 'Cancelled'

/** A planned one is no measure yet. */
const listStarted = ({ rollOuts, now }: Pick<DraftFacts, 'rollOuts' | 'now'>) =>
  rollOuts.filter((one) => isInForce(one) && one.startedAt <= now)

export function proposeMeasuresTaken({
  rollOuts,
  standing,
  now,
}: DraftFacts): ProposedText | undefined {
  const measure = standing.measure
  const kind = measure?.detail.measure === 'Mitigating' ? 'mitigating' : 'corrective'
  const stated = measure?.instant
    ? `A ${kind} measure is available since ${formatInstant(measure.instant)}${measure.text === null ? '' : `: ${measure.text}`}.`
    : ''
  const told = rollOuts.filter(isInForce).slice(0, MOST_LISTED).map(tellRollOut)
  const parts = [
    stated,
    told.length === 0
      ? ''
      : `Roll-outs of versions without the vulnerability, as of ${formatInstant(now)}:`,
    ...told,
  ]
  const text = parts.filter((part) => part !== '').join('\n')
  const source = told.length === 0 ? 'stated measure' : 'deployments'
  return proposeText(
    text,
    stated !== '' && told.length > 0 ? 'stated measure and deployments' : source,
  )
}

function tellRollOut(one: RollOut): string {
  const failed = one.failed === 0 ? '' : `, ${formatNumber(one.failed)} failed`
  const ended = one.endedAt === null ? '' : ` on ${formatInstant(one.endedAt)}`
  const state = `${lowerWords(one.state)}${ended}`
  return `${one.firmware} ${one.version} to ${one.cohort} since ${formatInstant(one.startedAt)}: ${state}; ${formatNumber(one.succeeded)} of ${formatNumber(one.total)} devices updated${failed}.`
}

/** Versions that devices can get. */
const listFixes = (facts: DraftFacts) =>
  listDistinct(listStarted(facts).map((one) => `${one.firmware} ${one.version}`))

export function proposeForUsers(facts: DraftFacts): ProposedText | undefined {
  const fixes = listFixes(facts).slice(0, MOST_LISTED)
  const { measure } = facts.standing
  const workaround = measure?.detail.measure === 'Mitigating' ? (measure.text ?? '') : ''
  const parts = [fixes.length === 0 ? '' : `Install ${fixes.join(', ')} or later.`, workaround]
  const text = parts.filter((part) => part !== '').join('\n')
  return proposeText(text, workaround === '' ? 'deployments' : 'deployments and stated measure')
}

export function proposeMeasureAvailable(facts: DraftFacts): ProposedText | undefined {
  const { standing, lines } = facts
  const { measure } = standing
  if (measure?.instant)
    return proposeText(
      formatLocally(measure.instant, lines),
      `instant stated by ${tellBy(measure)}`,
    )
  const [first] = listStarted(facts)
  return (
    first &&
    proposeText(
      formatLocally(first.startedAt, lines),
      `first deployment of ${first.firmware} ${first.version}; nobody has confirmed it`,
    )
  )
}

export function proposeMeasureSoon(facts: DraftFacts): ProposedText | undefined {
  if (facts.standing.measure) return proposeText('Yes', 'stated measure')
  return facts.rollOuts.some(isInForce) ? proposeText('Yes', 'deployments') : undefined
}
