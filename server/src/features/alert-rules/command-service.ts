/** Makes a rule of what a person or key asks for, or says what is wrong with it. */
import type { Tx } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { namedBy, type RuleCondition, type RuleType } from './condition.ts'
import { DURATION_PATTERN, durationSeconds } from './duration.ts'
import { readCondition } from './parse-condition.ts'
import { readName } from './rule-name.ts'
import { type RuleFields, type RuleState, type RuleTarget, shareTargets } from './store.ts'
import { findMissingIds } from './warnings-store.ts'

export interface RuleCommand {
  name: string
  description?: string | null
  state?: RuleState
  type: RuleType
  evaluationFrequency: string
  condition: Record<string, unknown>
  targets?: readonly { id: string }[]
  repeatInterval?: string | null
  notifyResolved?: boolean
}

/** All but its targets. */
export async function readRule(
  tx: Tx,
  workspaceId: string,
  command: RuleCommand & { state: RuleState },
): Promise<RuleFields> {
  const { name, description = null, state, evaluationFrequency, notifyResolved = true } = command
  const rule = readCondition(command)
  await requireNamed(tx, workspaceId, rule)
  return {
    ...rule,
    name: readName(name),
    description,
    state,
    evaluationFrequency,
    repeatIntervalSeconds: readRepeat(command.repeatInterval ?? null, evaluationFrequency),
    notifyResolved,
  }
}

const DURATION = new RegExp(DURATION_PATTERN, 'u')
const LONGEST_REPEAT_SECONDS = 30 * 86_400

function readRepeat(given: string | null, evaluationFrequency: string): number | null {
  if (given === null) return null
  const seconds = DURATION.test(given) ? durationSeconds(given) : Number.NaN
  const isWithin =
    seconds >= durationSeconds(evaluationFrequency) && seconds <= LONGEST_REPEAT_SECONDS
  if (isWithin) return seconds
  throw invalid(
    `The repeatInterval has to be a length of time such as 4h, at least the evaluationFrequency (${evaluationFrequency}) and at most 30d.`,
    '/repeatInterval',
  )
}

/** What a rule names has to be there when it is made; what goes later shows as a warning. */
async function requireNamed(tx: Tx, workspaceId: string, rule: RuleCondition): Promise<void> {
  const { cohortIds, firmwareIds } = namedBy(rule)
  const [cohortId] = await findMissingIds(tx, workspaceId, {
    table: 'deploymentCohorts',
    ids: cohortIds,
  })
  if (cohortId !== undefined)
    throw invalid(
      `No deployment cohort has the id ${JSON.stringify(cohortId)}.`,
      '/condition/deploymentCohortId',
    )
  const [firmwareId] = await findMissingIds(tx, workspaceId, {
    table: 'firmwares',
    ids: firmwareIds,
  })
  if (firmwareId !== undefined)
    throw invalid(
      `No firmware has the id ${JSON.stringify(firmwareId)}.`,
      `/condition/firmwareIds/${firmwareIds.indexOf(firmwareId)}`,
    )
}

/** Notification targets and webhooks alike; they stay until the transaction ends. */
export async function readTargets(
  tx: Tx,
  workspaceId: string,
  given: RuleCommand['targets'] = [],
): Promise<RuleTarget[]> {
  const ids = given.map(({ id }) => id.toLowerCase())
  const found = await shareTargets(tx, workspaceId, ids.filter(isUuid))
  return ids.map((id, at) => {
    const target = found.get(id)
    if (!target)
      throw invalid(
        `No notification target and no webhook has the id ${JSON.stringify(given[at]?.id)}.`,
        `/targets/${at}/id`,
      )
    if (ids.indexOf(id) < at) throw invalid('A target is named once.', `/targets/${at}/id`)
    return target
  })
}
