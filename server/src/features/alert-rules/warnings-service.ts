/** What a rule may be waiting for in vain: said when it is made, and whenever it is read. */
import type { Db } from '../../platform/db/connect.ts'
import { namedBy, type RuleCondition } from './condition.ts'
import { durationSeconds } from './duration.ts'
import { nearNames } from './similar-names.ts'
import * as store from './warnings-store.ts'

type Warned = RuleCondition & { id: string }

const NAMES_LOOKED_AT = 2_000
const NAMES_SHOWN = 3
const DAY_SECONDS = 86_400

/** By the ids of rules; those without a warning are left out. */
export async function listWarnings(
  db: Db,
  workspaceId: string,
  rules: readonly Warned[],
): Promise<Map<string, string[]>> {
  const unknown = await unknownMetrics(db, workspaceId, rules)
  const cohorts = await missing(db, workspaceId, {
    table: 'deploymentCohorts',
    ids: rules.flatMap((rule) => namedBy(rule).cohortIds),
  })
  const firmwares = await missing(db, workspaceId, {
    table: 'firmwares',
    ids: rules.flatMap((rule) => namedBy(rule).firmwareIds),
  })
  const retentionDays = await store.findMetricRetentionDays(db, workspaceId)
  const warnings = rules.map((rule): [string, string[]] => {
    const { cohortIds, firmwareIds } = namedBy(rule)
    return [
      rule.id,
      [
        ...('metric' in rule.condition ? (unknown.get(rule.condition.metric) ?? []) : []),
        ...beyondRetention(rule, retentionDays),
        ...cohortIds
          .filter((id) => cohorts.has(id))
          .map((id) => `The deployment cohort ${id} is gone: the rule means no device any more.`),
        ...firmwareIds.filter((id) => firmwares.has(id)).map((id) => `The firmware ${id} is gone.`),
      ],
    ]
  })
  return new Map(warnings.filter(([, texts]) => texts.length > 0))
}

async function missing(...asked: Parameters<typeof store.findMissingIds>): Promise<Set<string>> {
  return new Set(await store.findMissingIds(...asked))
}

/** Names that are near cost their time: they are looked for when one rule is asked for. */
async function unknownMetrics(
  db: Db,
  workspaceId: string,
  rules: readonly Warned[],
): Promise<Map<string, string[]>> {
  const names = new Set(
    rules.flatMap(({ condition }) => ('metric' in condition ? condition.metric : [])),
  )
  const unknown =
    names.size === 0 ? [] : await store.listUnknownMetrics(db, workspaceId, [...names])
  const known =
    unknown.length === 1 && rules.length === 1
      ? await store.listMetricNames(db, workspaceId, NAMES_LOOKED_AT)
      : []
  return new Map(
    unknown.map((name) => {
      const near = nearNames(name, known, NAMES_SHOWN)
      const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
      return [name, [`No device has reported the metric ${name} so far.${hint}`]]
    }),
  )
}

function beyondRetention({ type, condition }: Warned, retentionDays: number): string[] {
  if (!('window' in condition)) return []
  const windows = type === 'MetricPercentualThreshold' ? 2 : 1
  const seconds = windows * durationSeconds(condition.window) + condition.delaySeconds
  if (seconds <= retentionDays * DAY_SECONDS) return []
  return [`The workspace keeps metrics for ${retentionDays} days, and the rule looks further back.`]
}
