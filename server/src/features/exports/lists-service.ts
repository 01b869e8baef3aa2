/** Lists as CSV: the rows that the pages of a list have, with its filter and in its order. */
import type { AppContext } from '../../platform/context.ts'
import {
  listFindings,
  listVulnerabilities,
  listVulnerableComponents,
  listWorkspaceFindings,
} from '../findings/index.ts'
import {
  listDeployments,
  listDeviceUpdates,
  listUpdatesOfDevice,
  DEVICE_STATES,
  type DeviceState,
  UPDATE_STATES,
  type UpdateState,
} from '../deployments/index.ts'
import { listDevices } from '../devices/index.ts'
import { listAcceptances } from '../triage/index.ts'
import { normalisePurl } from '../../formats/purl.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { listWorkspaceComponents } from '../components/index.ts'
import { describeOutcome } from '../ssvc/index.ts'
import { type ExportedList, defineExport } from './define-export-service.ts'

const EXPLOITED_SOURCES = [
  'exploitedSources',
  ({ exploitedSources }: { exploitedSources: readonly { source: string }[] }) =>
    exploitedSources.map(({ source }) => source),
] as const
const ASSESSMENTS = [
  'assessments',
  ({ assessments }: { assessments: readonly { assessment: string; count: number }[] }) =>
    assessments.map(({ assessment, count }) => `${assessment} ${count}`),
] as const
const DISCUSSED = [
  ['assignee', ({ assignee }: { assignee: { email: string } | null }) => assignee?.email ?? null],
  'commentCount',
] as const
const JUDGED = ['supportState', 'supportEndsOn', 'supportedAs', 'licenceOutcome'] as const
const OWNED = [
  [
    'owners',
    ({ owners }: { owners: readonly { name: string }[] }) => owners.map(({ name }) => name),
  ],
  'isPartlyUnowned',
] as const
const SSVC = ['ssvcOutcome', describeOutcome] as const
const RATING = [
  'severity',
  'cvssScore',
  'epssScore',
  'isKnownCisaExploit',
  EXPLOITED_SOURCES,
  'detectedAt',
] as const

export const exportVulnerabilities = defineExport(
  listVulnerabilities,
  'vulnerabilities',
  [
    'cveId',
    'name',
    ...RATING,
    'firmwareVersionCount',
    'findingCount',
    'activeFindingCount',
    'affectedDeviceCount',
    ASSESSMENTS,
    'componentCount',
    [
      'components',
      ({ components }) =>
        components.map(({ name, version }) => [name, version].filter(Boolean).join(' ')),
    ],
    ...DISCUSSED,
    SSVC,
    ...OWNED,
  ],
  'vulnerabilities.csv',
)

export const exportVulnerableComponents = defineExport(
  listVulnerableComponents,
  'components',
  [
    'name',
    'versions',
    'severity',
    'isExploited',
    'epssScore',
    'vulnerabilityCount',
    'detectedAt',
    'firmwareVersionCount',
    'affectedDeviceCount',
    'ssvcOutcome',
  ],
  'vulnerable-components.csv',
)

export const exportWorkspaceFindings = defineExport(
  listWorkspaceFindings,
  'findings',
  [
    'cveId',
    'name',
    'componentName',
    'componentVersion',
    ...RATING,
    'confidence',
    'firmwareVersionCount',
    'activeFirmwareVersionCount',
    'affectedDeviceCount',
    ASSESSMENTS,
    [
      'firmwareVersions',
      ({ firmwareVersions }) =>
        firmwareVersions.map(({ firmwareName, name }) => `${firmwareName} ${name}`),
    ],
    ...DISCUSSED,
    SSVC,
    'componentSource',
    ...OWNED,
  ],
  'findings.csv',
)

export async function exportListedFindings(
  ctx: AppContext,
  input: Parameters<typeof listFindings>[1],
): Promise<ExportedList> {
  const { workspaceId, firmwareVersionId } = input
  const { name, firmware } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const { content } = await exportFindings(ctx, input)
  return { content, fileName: `${firmware.slug}-${name}-findings.csv` }
}

const exportFindings = defineExport(
  listFindings,
  'findings',
  [
    'id',
    'cveId',
    'name',
    'componentName',
    'componentVersion',
    ...RATING,
    'confidence',
    'assessment',
    'ignored',
    'recheckReason',
    'affectedDeviceCount',
    ...DISCUSSED,
    SSVC,
    'componentSource',
    ...OWNED,
  ],
  'findings.csv',
)

export const exportAcceptances = defineExport(
  listAcceptances,
  'acceptances',
  [
    'state',
    ['until', ({ acceptance }) => acceptance?.until ?? null],
    'cveId',
    'componentName',
    'componentVersion',
    ['firmware', ({ firmwareVersion }) => firmwareVersion.firmware.name],
    ['firmwareVersion', ({ firmwareVersion }) => firmwareVersion.name],
    'severity',
    'isExploited',
    'epssScore',
    'affectedDevices',
    'assessment',
    'ownerEmail',
    ['knownExploited', ({ acceptance }) => acceptance?.conditions.knownExploited ?? null],
    ['epssAbove', ({ acceptance }) => acceptance?.conditions.epssAbove ?? null],
    ['devicesAbove', ({ acceptance }) => acceptance?.conditions.devicesAbove ?? null],
    ['fixAvailable', ({ acceptance }) => acceptance?.conditions.fixAvailable ?? null],
    ['acceptedAt', ({ acceptance }) => acceptance?.acceptedAt ?? null],
    ['acceptedByEmail', ({ acceptance }) => acceptance?.acceptedByEmail ?? null],
    ['endedAt', ({ acceptance }) => acceptance?.ended?.at ?? null],
    ['endedBecause', ({ acceptance }) => acceptance?.ended?.causes ?? []],
    ['reason', ({ acceptance }) => acceptance?.reason ?? null],
    'findingId',
  ],
  'accepted-risks.csv',
)

export const exportWorkspaceComponents = defineExport(
  listWorkspaceComponents,
  'components',
  [
    'packageName',
    'version',
    'vendor',
    ['purl', ({ purl }) => purl && normalisePurl(purl)],
    'cpes',
    'licenses',
    'scope',
    'notMatchedReason',
    ['sbom', ({ sbom }) => sbom.fileName],
    ['firmware', ({ firmwareVersion }) => firmwareVersion.firmware.slug],
    ['firmwareVersion', ({ firmwareVersion }) => firmwareVersion.name],
    'affectedDeviceCount',
    ...JUDGED,
  ],
  'components.csv',
)

const nameReported = ({ slug, version }: { slug: string; version: string }, isUnknown: boolean) =>
  `${slug}@${version}${isUnknown ? ' (unknown)' : ''}`

/** A device that is seen meanwhile moves in the order of `LastSeenAt`. */
export const exportDevices = defineExport(
  listDevices,
  'devices',
  [
    'id',
    'description',
    'tags',
    ['cohort', ({ cohort }) => cohort?.name ?? null],
    'connected',
    'lastSeenAt',
    'reportedAt',
    ['firmware', ({ firmware }) => firmware.map((one) => nameReported(one, !one.firmwareVersion))],
    ['otherImage', (row) => row.firmware.some((one) => one.firmwareVersion && one.isBlindSpot)],
    'worst',
    'client',
    ['currentUpdate', ({ currentUpdate }) => currentUpdate?.state ?? null],
    'lastUpdatedAt',
    'createdAt',
  ],
  'devices.csv',
)

const countDevices =
  (state: DeviceState) => (row: { deviceCounts: Record<DeviceState, number> | null }) =>
    row.deviceCounts?.[state] ?? null

const countUpdates =
  (state: UpdateState) => (row: Record<'deviceUpdateStateCounts', Record<UpdateState, number>>) =>
    row.deviceUpdateStateCounts[state]

export const exportDeployments = defineExport(
  listDeployments,
  'deployments',
  [
    'id',
    'name',
    'state',
    'stateReason',
    [
      'firmwareVersions',
      ({ artifacts }) =>
        artifacts.map(({ firmware }) => `${firmware.slug}@${firmware.firmwareVersion.name}`),
    ],
    ...UPDATE_STATES.map((state) => [state, countUpdates(state)] as const),
    ...DEVICE_STATES.map((state) => [`devices-${state}`, countDevices(state)] as const),
    'createdAt',
    'createdByEmail',
    'startsAt',
    'endedAt',
    'rollbackOfId',
    'note',
  ],
  'deployments.csv',
)

const UPDATE = [
  'state',
  'reason',
  'attempt',
  'progress',
  'unconfirmed',
  'createdAt',
  'releasedAt',
  'startedAt',
  'installedAt',
  'finishedAt',
  'deadlineAt',
] as const

export const exportDeviceUpdates = defineExport(
  listDeviceUpdates,
  'deviceUpdates',
  [
    'deviceId',
    'deviceState',
    [
      'reports',
      ({ reports }) => reports.map((one) => nameReported(one, one.firmwareVersionId === null)),
    ],
    ...UPDATE,
  ],
  'device-updates.csv',
)

export const exportUpdatesOfDevice = defineExport(
  listUpdatesOfDevice,
  'deviceUpdates',
  [
    ['deployment', ({ deployment }) => deployment.name],
    ['deploymentId', ({ deployment }) => deployment.id],
    ['cohort', ({ deployment }) => deployment.cohort.name],
    [
      'firmwareVersions',
      ({ deployment }) =>
        deployment.firmwareVersions.map(({ firmware, name }) => `${firmware.name} ${name}`),
    ],
    ...UPDATE,
  ],
  'updates-of-device.csv',
)
