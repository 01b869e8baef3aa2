/** Warnings about rules that probably contain a mistake: shown when a rule is saved, and whenever it is read. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { DAY_MS, SECOND_MS } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { hasCrashReporters } from '../../crashes/index.ts'
import { hasDeviceIssuers } from '../../device-issuers/index.ts'
import { countKeyHolders } from '../../devices/index.ts'
import { listRuledFirmwares } from '../../licences/index.ts'
import { hasSupportEnds } from '../../product-lines/index.ts'
import { hasTrustedCertificates } from '../../trusted-keys/index.ts'
import { listReferences, type RuleCondition, type RuleType } from '../conditions/condition.ts'
import type { Names } from '../conditions/describe.ts'
import { parseDuration } from '../duration.ts'
import { findSimilarNames } from '../../../formats/similar-names.ts'
import * as store from './store.ts'

type CheckedRule = RuleCondition & {
  id: string
  notifyOwners: boolean
  targets: readonly unknown[]
}

const NOBODYS = 'Without a target nobody is told of findings that have no owner.'

const UNJUDGED =
  'There are no licence rules for it, so that no licence is judged: the rule is never firing.'

const ENDLESS =
  'Nobody stated until when a product line, a release line or a firmware is supported: the rule is never firing.'

const UNCERTIFIED =
  'The workspace trusts no certificate, and no issuer of device certificates: the rule is never firing. A public key has no end.'

const UNMEASURED =
  'No device that runs it reports crashes, so that none of a version means nothing: the rule is never firing.'

const MAX_NAMES_COMPARED = 2_000
const MAX_NAMES_SUGGESTED = 3

/** By the ids of rules; rules without a warning are left out. */
export async function listWarnings(
  db: Db,
  workspaceId: string,
  { rules, names }: { rules: readonly CheckedRule[]; names: Names },
): Promise<Map<string, string[]>> {
  const unknown = await unknownMetrics(db, workspaceId, rules)
  const retentionDays = await store.findMetricRetentionDays(db, workspaceId)
  const isUnjudged = await findUnjudged(db, workspaceId, rules)
  const unmeasured = await listUnmeasured(db, workspaceId, rules)
  const endless = await describeEndless(db, workspaceId, rules)
  const keyless = await describeKeyless(db, workspaceId, rules)
  const warnings = rules.map((rule): [string, string[]] => {
    const { cohortIds, firmwareIds } = listReferences(rule)
    return [
      rule.id,
      [
        ...('metric' in rule.condition ? (unknown.get(rule.condition.metric) ?? []) : []),
        ...beyondRetention(rule, retentionDays),
        ...cohortIds
          .filter((id) => !names.has(id))
          .map((id) => `The deployment cohort ${id} was deleted: the rule applies to no device.`),
        ...firmwareIds
          .filter((id) => !names.has(id))
          .map((id) => `The firmware ${id} was deleted.`),
        ...(isUnjudged(rule) ? [UNJUDGED] : []),
        ...(endless.get(rule.type) ?? []),
        ...(unmeasured.has(rule) ? [UNMEASURED] : []),
        ...(keyless.get(rule) ?? []),
        ...(rule.notifyOwners && rule.targets.length === 0 ? [NOBODYS] : []),
      ],
    ]
  })
  return new Map(warnings.filter(([, texts]) => texts.length > 0))
}

/** By types of rules: where nothing is known that could end. */
async function describeEndless(
  db: Db,
  workspaceId: string,
  rules: readonly CheckedRule[],
): Promise<ReadonlyMap<RuleType, string[]>> {
  const endless = new Map<RuleType, string[]>()
  const types = new Set(rules.map(({ type }) => type))
  if (types.has('SupportEnding') && !(await hasSupportEnds(db, workspaceId)))
    endless.set('SupportEnding', [ENDLESS])
  if (types.has('CertificateEnding') && !(await hasCertificates(db, workspaceId)))
    endless.set('CertificateEnding', [UNCERTIFIED])
  return endless
}

/** Rules about crashes of devices of which none reports any. */
async function listUnmeasured(
  db: Db,
  workspaceId: string,
  rules: readonly CheckedRule[],
): Promise<ReadonlySet<CheckedRule>> {
  const unmeasured = new Set<CheckedRule>()
  for (const rule of rules) {
    if (rule.type !== 'NewCrash' && rule.type !== 'CrashRate') continue
    if (!(await hasCrashReporters(db, workspaceId, rule.condition.firmwareIds)))
      unmeasured.add(rule)
  }
  return unmeasured
}

/** Rules about the age of keys of devices that have none of their own: of these nothing is judged. */
async function describeKeyless(
  db: Db,
  workspaceId: string,
  rules: readonly CheckedRule[],
): Promise<ReadonlyMap<CheckedRule, string[]>> {
  const keyless = new Map<CheckedRule, string[]>()
  for (const rule of rules) {
    if (rule.type !== 'OldDeviceKey') continue
    const { deploymentCohortId: cohortId } = rule.condition
    const { devices, withOwnKey, fleetKeys } = await countKeyHolders(db, { workspaceId, cohortId })
    const judgedFleetKeys = cohortId === null ? fleetKeys : 0
    if (withOwnKey + judgedFleetKeys === 0) keyless.set(rule, [KEYLESS])
    else if (withOwnKey < devices)
      keyless.set(rule, [describeUnjudged(devices - withOwnKey, devices, judgedFleetKeys)])
  }
  return keyless
}

const KEYLESS =
  'There is no key of a device whose age it could judge: the rule is never firing. Certificates have ends of their own (CertificateEnding).'

function describeUnjudged(without: number, devices: number, fleetKeys: number): string {
  const own = without === 1 ? 'has no key of its own' : 'have no key of their own'
  const judged = fleetKeys > 0 ? 'nothing but the keys of all devices' : 'nothing'
  return `${formatNumber(without)} of ${formatCountOf(devices, 'device')} ${own}: of these the rule judges ${judged}.`
}

const hasCertificates = async (db: Db, workspaceId: string): Promise<boolean> =>
  (await hasTrustedCertificates(db, workspaceId)) || (await hasDeviceIssuers(db, workspaceId))

/** Whether a rule about licences is about firmwares for which nobody stated licence rules. */
async function findUnjudged(
  db: Db,
  workspaceId: string,
  rules: readonly CheckedRule[],
): Promise<(rule: CheckedRule) => boolean> {
  if (!rules.some(({ type }) => type === 'LicenceDenied')) return () => false
  const ruled = await listRuledFirmwares(db, workspaceId)
  return (rule) => {
    if (rule.type !== 'LicenceDenied') return false
    const { firmwareIds } = rule.condition
    if (firmwareIds.length === 0) return ruled.size === 0
    return !ruled.has(null) && !firmwareIds.some((id) => ruled.has(id))
  }
}

/** Comparing names is expensive, so that similar ones are only suggested when a single rule is read. */
async function unknownMetrics(
  db: Db,
  workspaceId: string,
  rules: readonly CheckedRule[],
): Promise<Map<string, string[]>> {
  const names = new Set(
    rules.flatMap(({ condition }) => ('metric' in condition ? condition.metric : [])),
  )
  const unknown =
    names.size === 0 ? [] : await store.listUnknownMetrics(db, workspaceId, [...names])
  const known =
    unknown.length === 1 && rules.length === 1
      ? await store.listMetricNames(db, workspaceId, MAX_NAMES_COMPARED)
      : []
  return new Map(
    unknown.map((name) => {
      const similar = findSimilarNames(name, known, MAX_NAMES_SUGGESTED)
      const hint = similar.length > 0 ? ` Did you mean ${similar.join(', ')}?` : ''
      return [name, [`No device has reported the metric ${name} so far.${hint}`]]
    }),
  )
}

function beyondRetention({ type, condition }: CheckedRule, retentionDays: number): string[] {
  if (!('window' in condition)) return []
  const windows = type === 'MetricPercentualThreshold' ? 2 : 1
  const seconds = windows * parseDuration(condition.window) + condition.delaySeconds
  if (seconds <= (retentionDays * DAY_MS) / SECOND_MS) return []
  return [
    `The rule looks further back than the ${formatCountOf(retentionDays, 'day')} for which the workspace keeps metrics.`,
  ]
}
