/** Parses the condition of a rule by its type, and fills in defaults. */
import { DAY_SECONDS } from '../../../formats/instants.ts'
import { LIMITS } from '../../../formats/device-messages/limits.ts'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { AppError, type FieldError } from '../../../platform/errors.ts'
import { FEED_SOURCES } from '../../../config/feed-settings.ts'
import { AGGREGATIONS } from '../../telemetry/index.ts'
import {
  ALERTED_OUTCOMES,
  type CaseDeadlineCondition,
  type CertificateEndingCondition,
  type ComponentSupportCondition,
  type Conditions,
  type DeviceOfflineCondition,
  type FailureRateCondition,
  FINDING_WATCHES,
  type LicenceCondition,
  type MetricCondition,
  type CrashRateCondition,
  type NewCrashCondition,
  type NewFindingCondition,
  type OldKeyCondition,
  NO_DATA_BEHAVIORS,
  OPERATORS,
  type RuleCondition,
  type RuleType,
  type SourceStaleCondition,
  type SupportEndingCondition,
  type UrgentFindingCondition,
} from './condition.ts'
import {
  parseDurationUpTo,
  type Fields,
  flag,
  parseId,
  parseListOf,
  parseNumber,
  parseNumberWithin,
  parseOneOf,
  allowAbsent,
  allowNull,
  parseFields,
  requireEntry,
  requireField,
  parseTextUpTo,
  parseTextMap,
} from './field-parsers.ts'
import { parseDuration, formatDuration } from '../duration.ts'

const MAX_SECONDS = 30 * DAY_SECONDS
/** The longest window in evaluation frequencies: every point is read at most so often. */
const MAX_WINDOW_FREQUENCIES = 60
const LABEL_NAME = new RegExp(
  `^[A-Za-z_][A-Za-z0-9_.:/-]{0,${LIMITS.labelNameCharacters - 1}}$`,
  'u',
)

function metricFields(evaluationFrequency: string): Fields<MetricCondition> {
  const longest = Math.min(MAX_WINDOW_FREQUENCIES * parseDuration(evaluationFrequency), MAX_SECONDS)
  return {
    metric: requireField(parseTextUpTo(LIMITS.metricNameCharacters)),
    labels: allowAbsent(
      {},
      parseTextMap({
        maxEntries: LIMITS.labels,
        name: LABEL_NAME,
        nameFault: 'is not a valid label name',
        maxValueCharacters: LIMITS.labelValueCharacters,
      }),
    ),
    deploymentCohortId: allowAbsent(null, allowNull(parseId)),
    aggregation: allowAbsent('Average', parseOneOf(AGGREGATIONS)),
    groupBy: allowAbsent('Device', parseOneOf(['Device', 'None'])),
    operator: requireField(parseOneOf(OPERATORS)),
    threshold: requireField(parseNumber),
    window: allowAbsent(
      formatDuration(parseDuration(evaluationFrequency)),
      parseDurationUpTo(longest),
    ),
    delaySeconds: allowAbsent(0, parseNumberWithin({ min: 0, max: DAY_SECONDS, isInteger: true })),
    onNoData: allowAbsent('Keep', parseOneOf(NO_DATA_BEHAVIORS)),
  }
}

const MAX_FIRMWARES = 100
const MAX_TAGS = 20

const FINDING_FIELDS: Fields<NewFindingCondition> = {
  severities: allowAbsent([], parseListOf(parseOneOf(SEVERITIES), SEVERITIES.length)),
  knownCisaExploit: allowAbsent(false, flag),
  onlyWhereDevicesRun: allowAbsent(false, flag),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
  watches: allowAbsent('Undecided', parseOneOf(FINDING_WATCHES)),
}

const SOURCE_FIELDS: Fields<SourceStaleCondition> = {
  sources: allowAbsent([], parseListOf<string>(parseOneOf(FEED_SOURCES), FEED_SOURCES.length)),
  olderThan: allowAbsent(null, allowNull(parseDurationUpTo(MAX_SECONDS))),
}

const OFFLINE_FIELDS: Fields<DeviceOfflineCondition> = {
  deploymentCohortId: allowAbsent(null, allowNull(parseId)),
  tags: allowAbsent([], parseListOf(parseTextUpTo(100), MAX_TAGS)),
  offlineFor: requireField(parseDurationUpTo(MAX_SECONDS)),
}

const FAILURE_RATE_FIELDS: Fields<FailureRateCondition> = {
  deploymentCohortId: allowAbsent(null, allowNull(parseId)),
  thresholdPercent: requireField(parseNumberWithin({ min: 0, max: 99.999 })),
  minimumFinished: allowAbsent(5, parseNumberWithin({ min: 1, max: 1_000_000, isInteger: true })),
}

const MOST_DAYS_BEFORE = 3_650

const SUPPORT_FIELDS: Fields<ComponentSupportCondition> = {
  daysBefore: allowAbsent(
    90,
    parseNumberWithin({ min: 0, max: MOST_DAYS_BEFORE, isInteger: true }),
  ),
  onlyWhereDevicesRun: allowAbsent(true, flag),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
}

const URGENT_FIELDS: Fields<UrgentFindingCondition> = {
  ssvcFrom: requireField(parseTextUpTo(200)),
  onlyWhereDevicesRun: allowAbsent(true, flag),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
  watches: allowAbsent('Undecided', parseOneOf(FINDING_WATCHES)),
}

const DEADLINE_FIELDS: Fields<CaseDeadlineCondition> = {
  includesDrills: allowAbsent(true, flag),
  includesGoodPractice: allowAbsent(true, flag),
}

const LICENCE_FIELDS: Fields<LicenceCondition> = {
  outcomes: allowAbsent(
    ['denied'],
    requireEntry(parseListOf(parseOneOf(ALERTED_OUTCOMES), ALERTED_OUTCOMES.length)),
  ),
  onlyWhereDevicesRun: allowAbsent(false, flag),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
}

const NEW_CRASH_FIELDS: Fields<NewCrashCondition> = {
  minimumDevices: allowAbsent(1, parseNumberWithin({ min: 1, max: 1_000_000, isInteger: true })),
  newForDays: allowAbsent(7, parseNumberWithin({ min: 1, max: 90, isInteger: true })),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
}

const CRASH_RATE_FIELDS: Fields<CrashRateCondition> = {
  thresholdPercent: requireField(parseNumberWithin({ min: 0, max: 99.999 })),
  windowDays: allowAbsent(7, parseNumberWithin({ min: 1, max: 90, isInteger: true })),
  minimumDeviceDays: allowAbsent(
    50,
    parseNumberWithin({ min: 1, max: 1_000_000, isInteger: true }),
  ),
  deploymentCohortId: allowAbsent(null, allowNull(parseId)),
  firmwareIds: allowAbsent([], parseListOf(parseId, MAX_FIRMWARES)),
}

const SUPPORT_ENDING_FIELDS: Fields<SupportEndingCondition> = {
  daysBefore: allowAbsent(
    180,
    parseNumberWithin({ min: 0, max: MOST_DAYS_BEFORE, isInteger: true }),
  ),
  onlyWhereDevicesRun: allowAbsent(false, flag),
}

const CERTIFICATE_FIELDS: Fields<CertificateEndingCondition> = {
  daysBefore: allowAbsent(
    30,
    parseNumberWithin({ min: 0, max: MOST_DAYS_BEFORE, isInteger: true }),
  ),
  includesDevices: allowAbsent(true, flag),
}

const OLD_KEY_FIELDS: Fields<OldKeyCondition> = {
  olderThanDays: allowAbsent(365, parseNumberWithin({ min: 1, max: 3_650, isInteger: true })),
  askedForDays: allowAbsent(14, parseNumberWithin({ min: 1, max: 3_650, isInteger: true })),
  deploymentCohortId: allowAbsent(null, allowNull(parseId)),
}

export interface ConditionInput {
  type: RuleType
  evaluationFrequency: string
  condition: unknown
}

/** Throws all faults, each with a pointer below `/condition`. */
export function parseCondition(given: ConditionInput): RuleCondition {
  const errors: FieldError[] = []
  const found = parseByType(given, errors)
  if (found) return found
  const [first] = errors
  const detail = `${first?.pointer ?? '/condition'} ${first?.detail ?? 'is invalid'}.`
  throw new AppError('invalid', 'invalid-request', detail, errors.slice(0, MAX_ERRORS))
}

const MAX_ERRORS = 20

type FieldsByType = {
  readonly [Type in RuleType]: (evaluationFrequency: string) => Fields<Conditions[Type]>
}

const FIELDS: FieldsByType = {
  MetricFixedThreshold: metricFields,
  MetricPercentualThreshold: metricFields,
  NewVulnerabilityFinding: () => FINDING_FIELDS,
  VulnerabilitySourceStale: () => SOURCE_FIELDS,
  DeviceOffline: () => OFFLINE_FIELDS,
  DeploymentFailureRate: () => FAILURE_RATE_FIELDS,
  ComponentSupportEnding: () => SUPPORT_FIELDS,
  UrgentVulnerabilityFinding: () => URGENT_FIELDS,
  CaseDeadline: () => DEADLINE_FIELDS,
  SupportEnding: () => SUPPORT_ENDING_FIELDS,
  CertificateEnding: () => CERTIFICATE_FIELDS,
  LicenceDenied: () => LICENCE_FIELDS,
  NewCrash: () => NEW_CRASH_FIELDS,
  CrashRate: () => CRASH_RATE_FIELDS,
  OldDeviceKey: () => OLD_KEY_FIELDS,
}

function parseByType<Type extends RuleType>(
  { type, evaluationFrequency, condition: given }: ConditionInput & { type: Type },
  errors: FieldError[],
): Extract<RuleCondition, { type: Type }> | undefined {
  const fields = FIELDS[type](evaluationFrequency)
  const condition = parseFields(given, fields, { pointer: '/condition', errors })
  return condition && ({ type, condition } as unknown as Extract<RuleCondition, { type: Type }>)
}
