/** Finds the licences in firmware versions of which the licence rules say what a rule asks for. */
import { formatCountOf } from '../../formats/counts.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import type { LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { shortenText } from '../../formats/shorten.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { LicenceCondition } from '../alert-rules/index.ts'
import { type LicenceInVersion, listLicencesInVersions } from '../licences/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'

export type LicenceRule = Extract<DueRule, { condition: LicenceCondition }>

/** A series is a licence in a firmware version; values are the components that state it. */
export async function judgeLicences(
  tx: Tx,
  workspaceId: string,
  rules: readonly LicenceRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { condition } of rules)
    verdicts.push(describeVerdict(await listLicencesInVersions(tx, { workspaceId, ...condition })))
  return verdicts
}

function describeVerdict(found: readonly LicenceInVersion[] | undefined): RuleVerdict {
  const licences = found ?? []
  const values = licences.map(({ componentCount }) => componentCount)
  return {
    meeting: licences.map((one) => ({
      series: `${one.firmwareVersionId}/${one.key}`,
      label: describeSeries(one),
      value: one.componentCount,
    })),
    kept: [],
    seriesCount: licences.length,
    // Without licence rules nothing is judged: NoData. Where all may ship the rule has a status of Ok.
    valueCount: found ? Math.max(licences.length, 1) : 0,
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

const OUTCOMES: Readonly<Record<LicenceOutcome, string>> = {
  allowed: 'allowed',
  review: 'to be reviewed',
  notListed: 'in no list',
  unknown: 'unknown',
  denied: 'denied',
}

const MOST_CHARACTERS = 200

/** `AGPL-3.0-only (denied) of 2 components in Gateway 1.4, on 12 devices` */
function describeSeries(one: LicenceInVersion): string {
  const { licence, outcome, componentCount, firmwareName, versionName, deviceCount } = one
  const named = licence === null ? 'No stated licence' : shortenText(licence, MOST_CHARACTERS)
  const components = formatCountOf(componentCount, 'component')
  const devices = formatCountOf(deviceCount, 'device')
  return `${named} (${OUTCOMES[outcome]}) of ${components} in ${firmwareName} ${versionName}, on ${devices}`
}
