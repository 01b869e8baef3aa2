/** One row of the list of findings, whatever it stands for: a vulnerability, a component, or one of both. */
import type {
  BulkFindingFilter,
  VulnerableComponent,
  WorkspaceFinding,
  WorkspaceVulnerability,
} from '@plimsoll/api-client'
import type { BulkTarget } from '../../components/decision/bulk.ts'
import type { AssignTarget } from '../../components/discussion/queries.ts'
import type { Severity } from '../../components/severity.tsx'
import { describeOutcome } from '../../components/ssvc/outcome.ts'
import { formatCountOf } from '../../format/counts.ts'

export interface ListedRow {
  /** Names the row in the address. */
  key: string
  severity: Severity
  isExploited: boolean
  isDisputed: boolean
  /** What people call it: a CVE id, a component. */
  name: string
  title: string
  /** In the second line. */
  detail: string
  versionCount: number
  deviceCount: number
  epssScore: number | null
  /** What SSVC decides: “Act”, or “Track to Act” where something is open; undefined: the list does not ask for it. */
  ssvc: string | undefined
  detectedAt: string
  /** Who looks after it; undefined: nobody, or the row stands for several. */
  assignee: string | undefined
  /** Whose it is by owner rules, where nobody is assigned. */
  owner: string | undefined
  commentCount: number
  /** What narrows the filter of the list to this row. */
  only: Only
}

interface Only {
  cveId?: string
  packageIds?: readonly string[]
}

export function readVulnerabilityRow(row: WorkspaceVulnerability): ListedRow {
  const { cveId, name, components, componentCount } = row
  return {
    ...ratedOf(row),
    key: cveId,
    name: cveId,
    title: name,
    detail: listOf(components.map(nameOf), componentCount),
    versionCount: row.firmwareVersionCount,
    only: { cveId },
  }
}

export function readFindingRow(row: WorkspaceFinding): ListedRow {
  const { cveId, name, componentName, componentVersion, packageId, firmwareVersions } = row
  const component = nameOf({ name: componentName, version: componentVersion })
  return {
    ...ratedOf(row),
    key: firmwareVersions[0]?.findingId ?? `${cveId} ${packageId}`,
    name: cveId,
    title: name,
    detail: row.componentSource ? `${component}, of ${row.componentSource}` : component,
    versionCount: row.firmwareVersionCount,
    only: { cveId, packageIds: [packageId] },
  }
}

export function readComponentRow(row: VulnerableComponent): ListedRow {
  const { name, versions, packageIds, vulnerabilityCount } = row
  return {
    ...ratedOf(row),
    key: name,
    name,
    title: vulnerabilityCount === 1 ? '1 vulnerability' : `${vulnerabilityCount} vulnerabilities`,
    detail: listOf(versions, packageIds.length),
    versionCount: row.firmwareVersionCount,
    only: { packageIds },
  }
}

interface RatedRow {
  severity: Severity
  exploitedSources?: readonly unknown[]
  isKnownCisaExploit?: boolean
  isExploited?: boolean
  isDisputed?: boolean
  epssScore: number | null
  ssvcOutcome?: string | null
  ssvcLeastOutcome?: string
  affectedDeviceCount: number
  detectedAt: string
  assignee?: { displayName: string; email: string } | null
  owners?: readonly { name: string }[]
  isPartlyUnowned?: boolean
  commentCount?: number
}

function ratedOf(row: RatedRow) {
  return {
    severity: row.severity,
    isExploited:
      row.isExploited ??
      ((row.exploitedSources?.length ?? 0) > 0 || row.isKnownCisaExploit === true),
    isDisputed: row.isDisputed === true,
    epssScore: row.epssScore,
    ssvc: describeOutcome(row),
    deviceCount: row.affectedDeviceCount,
    detectedAt: row.detectedAt,
    assignee: row.assignee?.displayName || row.assignee?.email,
    owner: row.assignee ? undefined : describeOwners(row),
    commentCount: row.commentCount ?? 0,
  }
}

/** "Boot and ann@example.com, in part": the rest is nobody's. */
function describeOwners({ owners = [], isPartlyUnowned = false }: RatedRow): string | undefined {
  if (owners.length === 0) return undefined
  const names = owners.map(({ name }) => name).join(' and ')
  return isPartlyUnowned ? `${names}, in part` : names
}

/** "Ann looks after it · 3 comments". */
export function describeDiscussion({ assignee, owner, commentCount }: ListedRow): string {
  const byRule = owner === undefined ? 'nobody looks after it' : `${owner} by a rule`
  const who = assignee === undefined ? byRule : `${assignee} looks after it`
  return commentCount === 0 ? who : `${who} · ${formatCountOf(commentCount, 'comment')}`
}

/** The vulnerabilities of these rows, to be given to somebody. */
export function listAssignTargets(rows: readonly ListedRow[]): AssignTarget[] {
  const cveIds = [...new Set(rows.flatMap(({ only }) => only.cveId ?? []))]
  const packageIds = rows.flatMap(({ only }) =>
    only.cveId === undefined ? (only.packageIds ?? []) : [],
  )
  return [
    ...(cveIds.length > 0 ? [{ cveIds }] : []),
    ...batches(packageIds).map((ids) => ({ filter: { packageIds: ids } })),
  ]
}

function nameOf({ name, version }: { name: string; version: string | null }): string {
  return [name, version].filter(Boolean).join(' ')
}

/** "xz 5.6.0 +2". */
function listOf(names: readonly string[], count: number): string {
  const [first = ''] = names
  return count > 1 ? `${first} +${count - 1}` : first
}

const MOST_IDS = 1000

/** The findings of the rows that the filter has. Rows of several components take one command for each. */
export function listTargets(filter: BulkFindingFilter, rows: readonly ListedRow[]): BulkTarget[] {
  if (rows.every(({ only }) => only.packageIds === undefined))
    return batches(rows.map(({ only }) => only.cveId ?? '')).map((cveIds) => ({
      filter: { ...filter, cveIds },
    }))
  if (rows.every(({ only }) => only.cveId === undefined))
    return batches(rows.flatMap(({ only }) => only.packageIds ?? [])).map((packageIds) => ({
      filter: { ...filter, packageIds },
    }))
  const byPackage = Map.groupBy(rows, ({ only }) => only.packageIds?.[0] ?? '')
  return [...byPackage].map(([packageId, same]) => ({
    filter: {
      ...filter,
      packageIds: [packageId],
      cveIds: same.map(({ only }) => only.cveId ?? ''),
    },
  }))
}

function batches(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / MOST_IDS)
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
  )
}
