/** What each type of rule asks for: checked, and complete with its defaults. */
import { LIMITS } from '../../formats/device-messages/limits.ts'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { AppError, type FieldError } from '../../platform/errors.ts'
import { FEED_SOURCES } from '../../config/feed-settings.ts'
import { AGGREGATIONS } from '../telemetry/index.ts'
import {
  type DeviceOfflineCondition,
  type FailureRateCondition,
  type MetricCondition,
  type NewFindingCondition,
  NO_DATA_BEHAVIORS,
  OPERATORS,
  type RuleCondition,
  type RuleType,
  type SourceStaleCondition,
} from './condition.ts'
import {
  duration,
  type Fields,
  flag,
  id,
  listOf,
  needed,
  number,
  numberWithin,
  oneOf,
  optional,
  orNull,
  readFields,
  text,
  textMap,
} from './field-readers.ts'
import { durationSeconds, formatDuration } from './duration.ts'

const DAY_SECONDS = 86_400
const LONGEST_SECONDS = 30 * DAY_SECONDS
/** What an evaluation reads, and the next one reads again, has to stay within bounds. */
const WINDOW_TURNS = 60
const LABEL_NAME = new RegExp(
  `^[A-Za-z_][A-Za-z0-9_.:/-]{0,${LIMITS.labelNameCharacters - 1}}$`,
  'u',
)

function metricFields(evaluationFrequency: string): Fields<MetricCondition> {
  const longest = Math.min(WINDOW_TURNS * durationSeconds(evaluationFrequency), LONGEST_SECONDS)
  return {
    metric: needed(text(LIMITS.metricNameCharacters)),
    labels: optional(
      {},
      textMap({
        most: LIMITS.labels,
        name: LABEL_NAME,
        nameWords: 'is no name a label can have',
        valueCharacters: LIMITS.labelValueCharacters,
      }),
    ),
    deploymentCohortId: optional(null, orNull(id)),
    aggregation: optional('Average', oneOf(AGGREGATIONS)),
    groupBy: optional('Device', oneOf(['Device', 'None'])),
    operator: needed(oneOf(OPERATORS)),
    threshold: needed(number),
    window: optional(formatDuration(durationSeconds(evaluationFrequency)), duration(longest)),
    delaySeconds: optional(0, numberWithin({ least: 0, most: DAY_SECONDS, isWhole: true })),
    onNoData: optional('Keep', oneOf(NO_DATA_BEHAVIORS)),
  }
}

const MOST_FIRMWARES = 100
const MOST_TAGS = 20

const FINDING: Fields<NewFindingCondition> = {
  severities: optional([], listOf<string>(oneOf(SEVERITIES), SEVERITIES.length)),
  knownCisaExploit: optional(false, flag),
  onlyWhereDevicesRun: optional(false, flag),
  firmwareIds: optional([], listOf(id, MOST_FIRMWARES)),
}

const SOURCE: Fields<SourceStaleCondition> = {
  sources: optional([], listOf<string>(oneOf(FEED_SOURCES), FEED_SOURCES.length)),
  olderThan: optional(null, orNull(duration(LONGEST_SECONDS))),
}

const OFFLINE: Fields<DeviceOfflineCondition> = {
  deploymentCohortId: optional(null, orNull(id)),
  tags: optional([], listOf(text(100), MOST_TAGS)),
  offlineFor: needed(duration(LONGEST_SECONDS)),
}

const FAILURE_RATE: Fields<FailureRateCondition> = {
  deploymentCohortId: optional(null, orNull(id)),
  thresholdPercent: needed(numberWithin({ least: 0, most: 99.999 })),
  minimumFinished: optional(5, numberWithin({ least: 1, most: 1_000_000, isWhole: true })),
}

export interface GivenCondition {
  type: RuleType
  evaluationFrequency: string
  condition: unknown
}

/** Throws what is wrong with it, each fault with a pointer below `/condition`. */
export function readCondition(given: GivenCondition): RuleCondition {
  const errors: FieldError[] = []
  const found = readByType(given, errors)
  if (found) return found
  const [first] = errors
  const detail = `${first?.pointer ?? '/condition'} ${first?.detail ?? 'is invalid'}.`
  throw new AppError('invalid', 'invalid-request', detail, errors.slice(0, MOST_ERRORS))
}

const MOST_ERRORS = 20

function readByType(
  { type, evaluationFrequency, condition: given }: GivenCondition,
  errors: FieldError[],
): RuleCondition | undefined {
  const read = <Shape extends object>(fields: Fields<Shape>) =>
    readFields(given, fields, { pointer: '/condition', errors })
  switch (type) {
    case 'MetricFixedThreshold':
    case 'MetricPercentualThreshold': {
      const condition = read(metricFields(evaluationFrequency))
      return condition && { type, condition }
    }
    case 'NewVulnerabilityFinding': {
      const condition = read(FINDING)
      return condition && { type, condition }
    }
    case 'VulnerabilitySourceStale': {
      const condition = read(SOURCE)
      return condition && { type, condition }
    }
    case 'DeviceOffline': {
      const condition = read(OFFLINE)
      return condition && { type, condition }
    }
    case 'DeploymentFailureRate': {
      const condition = read(FAILURE_RATE)
      return condition && { type, condition }
    }
  }
}
