/** Validates what a person or an API key asks of a rule. */
import { DAY_SECONDS } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { readDecidingTree, requireOutcome } from '../ssvc/index.ts'
import {
  isAboutFindings,
  listReferences,
  type RuleCondition,
  type RuleType,
} from './conditions/condition.ts'
import { DURATION_PATTERN, parseDuration } from './duration.ts'
import { parseCondition } from './conditions/parse.ts'
import {
  listReferencedNames,
  lockTargets,
  type RuleFields,
  type RuleState,
  type RuleTarget,
} from './store.ts'
import type { EvaluationFrequency } from './schedule.ts'

export interface RuleCommand {
  name: string
  description?: string | null
  state?: RuleState
  type: RuleType
  evaluationFrequency: EvaluationFrequency
  condition: Record<string, unknown>
  targets?: readonly { id: string }[]
  repeatInterval?: string | null
  notifyResolved?: boolean
  notifyOwners?: boolean
}

/** The fields of the rule, without its targets. */
export async function validateCommand(
  tx: Tx,
  workspaceId: string,
  command: RuleCommand & { state: RuleState },
): Promise<RuleFields> {
  const { name, description = null, state, evaluationFrequency } = command
  const { notifyResolved = true, notifyOwners = false } = command
  const rule = parseCondition(command)
  if (notifyOwners && !isAboutFindings(rule.type))
    throw invalid('Only rules about findings can tell the owners of findings.', '/notifyOwners')
  await requireReferences(tx, workspaceId, rule)
  if (rule.type === 'UrgentVulnerabilityFinding') {
    const { tree } = await readDecidingTree(tx, workspaceId)
    requireOutcome(tree, rule.condition.ssvcFrom, '/condition/ssvcFrom')
  }
  return {
    ...rule,
    name: readName(name),
    description,
    state,
    evaluationFrequency,
    repeatIntervalSeconds: parseRepeat(command.repeatInterval ?? null, evaluationFrequency),
    notifyResolved,
    notifyOwners,
  }
}

const DURATION = new RegExp(DURATION_PATTERN, 'u')
const MAX_REPEAT_SECONDS = 30 * DAY_SECONDS

function parseRepeat(given: string | null, evaluationFrequency: string): number | null {
  if (given === null) return null
  const seconds = DURATION.test(given) ? parseDuration(given) : Number.NaN
  const isWithin = seconds >= parseDuration(evaluationFrequency) && seconds <= MAX_REPEAT_SECONDS
  if (isWithin) return seconds
  throw invalid(
    `The repeatInterval must be a duration such as 4h, at least the evaluationFrequency (${evaluationFrequency}) and at most 30d.`,
    '/repeatInterval',
  )
}

/** Cohorts and firmwares must exist when the rule is saved. If they are deleted later, the rule gets a warning. */
async function requireReferences(tx: Tx, workspaceId: string, rule: RuleCondition): Promise<void> {
  const { cohortIds, firmwareIds } = listReferences(rule)
  const names = await listReferencedNames(tx, workspaceId, [rule])
  const cohortId = cohortIds.find((id) => !names.has(id))
  if (cohortId !== undefined)
    throw invalid(
      `No deployment cohort has the id ${JSON.stringify(cohortId)}.`,
      '/condition/deploymentCohortId',
    )
  const firmwareId = firmwareIds.find((id) => !names.has(id))
  if (firmwareId !== undefined)
    throw invalid(
      `No firmware has the id ${JSON.stringify(firmwareId)}.`,
      `/condition/firmwareIds/${firmwareIds.indexOf(firmwareId)}`,
    )
}

/** Notification targets and webhooks. They are locked against deletion until the transaction ends. */
export async function findTargets(
  tx: Tx,
  workspaceId: string,
  given: RuleCommand['targets'] = [],
): Promise<RuleTarget[]> {
  const ids = given.map(({ id }) => id.toLowerCase())
  const found = await lockTargets(tx, workspaceId, ids.filter(isUuid))
  return ids.map((id, at) => {
    const target = found.get(id)
    if (!target)
      throw invalid(
        `No notification target and no webhook has the id ${JSON.stringify(given[at]?.id)}.`,
        `/targets/${at}/id`,
      )
    if (ids.indexOf(id) < at)
      throw invalid('The target is in the list more than once.', `/targets/${at}/id`)
    return target
  })
}
