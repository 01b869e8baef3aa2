/** What an advisory says before people have written anything: it follows from decisions, and claims nothing that nobody decided. */
import { findWeaknessName } from '../../formats/advisories/cwe-names.ts'
import type { AdvisoryRecord } from '../../formats/advisories/model.ts'
import { comparePreference } from '../../formats/advisories/preference.ts'
import type { Assessment } from '../../formats/assessments.ts'
import { readBaseVector } from '../../formats/cvss.ts'
import type { ProductStatus } from '../../formats/vex/write-advisory.ts'
import type { NamedProduct, WrittenVulnerability } from './content.ts'

export interface KnownVersion extends NamedProduct {
  firmwareId: string
  /** Its release line; null: it is in none. */
  lineId: string | null
  createdAt: Date
  /** Without components nothing is known of it. */
  hasComponents: boolean
  /** It mends security alone; null: nobody has said. */
  securityOnly: boolean | null
}

export interface KnownFinding {
  firmwareVersionId: string
  vulnerabilityId: string
  component: string
  isUncertain: boolean
  assessment: Assessment
}

export interface KnownVulnerability {
  id: string
  title: string
  isKnownExploit: boolean
  /** As its records state them. */
  cvssVector: string | null
  cweId: string | null
}

interface Known {
  vulnerabilities: readonly KnownVulnerability[]
  /** Oldest first. */
  versions: readonly KnownVersion[]
  findings: readonly KnownFinding[]
  /** Somebody has said that it can be exploited in the products. */
  isConfirmed: boolean
  /** Versions that people named, whatever is found in them. */
  namedIds: ReadonlySet<string>
}

/** undefined: nothing can be said. */
function decideStatus(
  findings: readonly KnownFinding[],
  isConfirmed: boolean,
): ProductStatus | undefined {
  const certain = findings.filter(
    ({ isUncertain, assessment }) => !isUncertain || assessment !== 'NotAssessed',
  )
  const has = (...assessments: Assessment[]) =>
    certain.some(({ assessment }) => assessments.includes(assessment))
  if (certain.length < findings.length && !has('Exploitable')) return undefined
  if (has('Exploitable')) return 'KnownAffected'
  if (has('NotAssessed', 'InTriage')) return isConfirmed ? 'KnownAffected' : 'UnderInvestigation'
  return has('Resolved') ? 'Fixed' : 'KnownNotAffected'
}

/** CVSS 4.0 is left out: CSAF 2.0 has no place for it. Of the others the newest version counts. */
const VERSIONS = ['3.1', '3.0', '2.0'] as const

/** One score and one weakness, of the record that is preferred. */
export function readStatements(records: readonly AdvisoryRecord[]): {
  cvssVector: string | null
  cweId: string | null
} {
  const ordered = records.filter(({ isWithdrawn }) => !isWithdrawn).toSorted(comparePreference)
  const vectors = ordered.flatMap(({ record }) =>
    record.scores.flatMap(({ vectorString }) => readBaseVector(vectorString) ?? []),
  )
  const ids = ordered.flatMap(({ record }) => record.cweIds)
  const [vector] = VERSIONS.flatMap((version) =>
    vectors.filter((one) => one.version === version).slice(0, 1),
  )
  return {
    cvssVector: vector?.vectorString ?? null,
    cweId: ids.find((id) => findWeaknessName(id) !== undefined) ?? null,
  }
}

export function proposeVulnerabilities(known: Known): WrittenVulnerability[] {
  const { vulnerabilities, findings, versions } = known
  const byVulnerability = Map.groupBy(findings, ({ vulnerabilityId }) => vulnerabilityId)
  return vulnerabilities.map(({ id, title, isKnownExploit, cvssVector, cweId }) => {
    const of = byVulnerability.get(id) ?? []
    const statuses = [...Map.groupBy(versions, ({ firmwareId }) => firmwareId).values()].flatMap(
      (ofFirmware) => proposeStatuses(ofFirmware, of, known),
    )
    const components = [...new Set(of.map(({ component }) => component))].toSorted()
    return {
      vulnerabilityId: id,
      title: title === id ? null : title,
      description: [title, components.length > 0 && `Affected component: ${components.join(', ')}.`]
        .filter(Boolean)
        .join('\n\n'),
      exploitation: isKnownExploit ? KNOWN_EXPLOIT : null,
      cvssVector,
      cweId,
      statuses: statuses.map(({ version, status }) => ({
        firmwareVersionId: version.firmwareVersionId,
        status,
      })),
      remediations: proposeUpdates(statuses),
    }
  })
}

const KNOWN_EXPLOIT =
  'A public list names it as exploited. That does not say that it was exploited in these products.'

interface StatedVersion {
  version: KnownVersion
  status: ProductStatus
}

/** A version without the finding is fixed if an earlier one has it; of others nothing is said. */
function proposeStatuses(
  versions: readonly KnownVersion[],
  findings: readonly KnownFinding[],
  { isConfirmed, namedIds }: Pick<Known, 'isConfirmed' | 'namedIds'>,
): StatedVersion[] {
  const byVersion = Map.groupBy(findings, ({ firmwareVersionId }) => firmwareVersionId)
  let isSeen = false
  return versions.flatMap((version) => {
    const of = byVersion.get(version.firmwareVersionId)
    const isNamed = of === undefined && namedIds.has(version.firmwareVersionId)
    const named = isConfirmed ? 'KnownAffected' : 'UnderInvestigation'
    const fixed = isSeen && version.hasComponents ? 'Fixed' : undefined
    const unfound = isNamed ? named : fixed
    const status = of ? decideStatus(of, isConfirmed) : unfound
    if ((of || isNamed) && status !== undefined) isSeen = true
    return status === undefined ? [] : [{ version, status }]
  })
}

/** The newest version that is fixed, of the same release line and later: nobody is told to go back, or to another line. */
function proposeUpdates(statuses: readonly StatedVersion[]): WrittenVulnerability['remediations'] {
  const fixes = statuses.filter(({ status }) => status === 'Fixed').map(({ version }) => version)
  const open = statuses.filter(
    ({ status }) => status === 'KnownAffected' || status === 'UnderInvestigation',
  )
  const byFix = Map.groupBy(open, ({ version }) =>
    fixes.findLast(
      (fix) =>
        fix.firmwareId === version.firmwareId &&
        fix.lineId === version.lineId &&
        fix.createdAt > version.createdAt,
    ),
  )
  return [...byFix].flatMap(([fix, affected]) =>
    fix === undefined
      ? []
      : {
          kind: 'VendorFix' as const,
          details: `Update to ${fix.firmware} ${fix.version}.${fix.securityOnly === true ? ' It mends security alone and brings no features.' : ''}`,
          url: null,
          firmwareVersionIds: affected.map(({ version }) => version.firmwareVersionId),
        },
  )
}

const MOST_NAMES = 3

/** "Gateway, Sensor and 2 more". */
export function joinNames(names: readonly string[]): string {
  const all = [...new Set(names)]
  if (all.length <= MOST_NAMES) return all.join(', ')
  return `${all.slice(0, MOST_NAMES).join(', ')} and ${all.length - MOST_NAMES} more`
}
