/** Makes an alert rule of options, and examples of rules of every type. */
import { type Command, InvalidArgumentError } from 'commander'
import {
  CREATE_ALERT_RULE_COMMAND_EXAMPLES,
  EVALUATION_FREQUENCY,
  type CreateAlertRuleCommand,
} from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { findCohortId, findIdByName } from './named.ts'
import { collect, readLabels, readOneOf } from './option-values.ts'
import { readRule } from './rule-file.ts'
import type { Session } from './session.ts'

type RuleType = CreateAlertRuleCommand['type']
type Frequency = CreateAlertRuleCommand['evaluationFrequency']

const AGGREGATIONS = ['Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'] as const

export interface RuleOptions {
  file?: string
  name?: string
  description?: string
  metric?: string
  above?: number
  below?: number
  window?: string
  every?: Frequency
  aggregation?: (typeof AGGREGATIONS)[number]
  label?: Record<string, string>
  cohort?: string
  target?: string[]
  remind?: string
}

/** A rule on a metric; rules of other types come from a file. */
export function withRuleOptions(command: Command): Command {
  return command
    .option('--file <file>', 'the rule as JSON; - for stdin (--example prints one of each type)')
    .option('--metric <metric>', 'in place of a file: a rule on this metric')
    .option('--above <number>', 'it is firing above this value', readNumber)
    .option('--below <number>', 'it is firing below this value', readNumber)
    .option('--name <text>', 'its name (default: what it says, such as "temperature above 80")')
    .option('--description <text>', 'what to do, or why')
    .option('--window <length>', 'how long the values are that it looks at: 5m, 1h')
    .option(
      '--every <length>',
      `how often: ${EVALUATION_FREQUENCY.join(', ')}`,
      readOneOf(EVALUATION_FREQUENCY),
    )
    .option('--aggregation <word>', AGGREGATIONS.join(', '), readOneOf(AGGREGATIONS))
    .option('--label <name=value>', 'only series with this label; may be repeated', readLabels)
    .option('--cohort <cohort>', 'only devices of the cohort with this id or name')
    .option('--target <target>', 'id or name of a target or webhook; may be repeated', collect)
    .option('--remind <length>', 'a reminder so often while it lasts: 4h')
}

function readNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('It must be a number.')
  return number
}

/** Reads the rule of a file, or makes one on a metric. */
export async function readStatedRule(
  options: RuleOptions,
  open: () => Promise<Session>,
): Promise<CreateAlertRuleCommand> {
  const { file, metric, ...others } = options
  if ((file === undefined) === (metric === undefined))
    throw usageError(
      'Say what the rule watches: --metric temperature --above 80, or --file rule.json. --example shows a rule of every type.',
    )
  if (metric !== undefined) return makeMetricRule(metric, others, open)
  const [extra] = Object.keys(others)
  if (extra !== undefined) throw usageError(`--${extra} belongs into the file, beside --file.`)
  return readRule(file ?? '')
}

async function makeMetricRule(
  metric: string,
  options: Omit<RuleOptions, 'metric' | 'file'>,
  open: () => Promise<Session>,
): Promise<CreateAlertRuleCommand> {
  const { above, below, description, remind, target = [], every = '1m' } = options
  if ((above === undefined) === (below === undefined))
    throw usageError('Say when it is firing: --above or --below, one of them.')
  const { name = `${metric} ${above === undefined ? `below ${below}` : `above ${above}`}` } =
    options
  const session = await open()
  return {
    name,
    type: 'MetricFixedThreshold',
    evaluationFrequency: every,
    condition: await makeCondition(session, metric, options),
    ...(description !== undefined && { description }),
    ...(remind !== undefined && { repeatInterval: remind }),
    ...(target.length > 0 && { targets: await findTargets(session, target) }),
  }
}

/** What is undefined is not sent. */
async function makeCondition(
  session: Session,
  metric: string,
  { above, below, window, aggregation, label: labels, cohort }: RuleOptions,
) {
  const isAbove = above !== undefined
  return {
    metric,
    operator: isAbove ? 'GreaterThan' : 'LessThan',
    threshold: isAbove ? above : below,
    window,
    aggregation,
    labels,
    deploymentCohortId: cohort === undefined ? undefined : await findCohortId(session, cohort),
  }
}

async function findTargets({ client, workspaceId }: Session, names: readonly string[]) {
  const params = { workspaceId }
  const list = async () => [
    ...(await client.get('/workspaces/{workspaceId}/notification-targets', { params }))
      .notificationTargets,
    ...(await client.get('/workspaces/{workspaceId}/webhooks', { params })).webhooks,
  ]
  const ids = names.map((name) => findIdByName(name, 'notification target or webhook', list))
  return (await Promise.all(ids)).map((id) => ({ id }))
}

/** To be written to a file, changed and created. */
export function findExample(type: RuleType): CreateAlertRuleCommand | undefined {
  return CREATE_ALERT_RULE_COMMAND_EXAMPLES.find((example) => example.type === type)
}
