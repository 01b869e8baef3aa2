/** Lists as CSV, with the filter and the order of the list. */
import type { Readable } from 'node:stream'
import type { AppContext } from '../../../platform/context.ts'
import { type CsvColumns, exportList } from './csv-pages-service.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import {
  type ListFindings,
  listFindings,
  listWorkspaceFindings,
  type ListWorkspaceFindings,
} from '../../findings/index.ts'
import { listWorkspaceComponents, type ListWorkspaceComponents } from '../../sboms/index.ts'
import {
  listVulnerabilities,
  type ListVulnerabilities,
  listVulnerableComponents,
  type ListVulnerableComponents,
} from '../../vulnerabilities/index.ts'

type RowOf<List extends (...args: never[]) => Promise<unknown>, Name extends string> =
  Awaited<ReturnType<List>> extends Record<Name, readonly (infer Row)[]> ? Row : never

interface Exploited {
  severity: string
  cvssScore: number | null
  epssScore: number | null
  isKnownCisaExploit: boolean
  exploitedSources: readonly { source: string }[]
  detectedAt: Date
}
const rated = {
  severity: ({ severity }: Exploited) => severity,
  cvssScore: ({ cvssScore }: Exploited) => cvssScore,
  epssScore: ({ epssScore }: Exploited) => epssScore,
  isKnownCisaExploit: ({ isKnownCisaExploit }: Exploited) => isKnownCisaExploit,
  exploitedSources: ({ exploitedSources }: Exploited) =>
    exploitedSources.map(({ source }) => source),
  detectedAt: ({ detectedAt }: Exploited) => detectedAt.toISOString(),
}
const assessmentsOf = ({
  assessments,
}: {
  assessments: readonly { assessment: string; count: number }[]
}) => assessments.map(({ assessment, count }) => `${assessment} ${count}`)

const VULNERABILITIES: CsvColumns<RowOf<typeof listVulnerabilities, 'vulnerabilities'>> = {
  cveId: ({ cveId }) => cveId,
  name: ({ name }) => name,
  ...rated,
  firmwareVersionCount: ({ firmwareVersionCount }) => firmwareVersionCount,
  findingCount: ({ findingCount }) => findingCount,
  activeFindingCount: ({ activeFindingCount }) => activeFindingCount,
  affectedDeviceCount: ({ affectedDeviceCount }) => affectedDeviceCount,
  assessments: assessmentsOf,
  componentCount: ({ componentCount }) => componentCount,
  components: ({ components }) =>
    components.map(({ name, version }) => [name, version].filter(Boolean).join(' ')),
}

const VULNERABLE_COMPONENTS: CsvColumns<RowOf<typeof listVulnerableComponents, 'components'>> = {
  name: ({ name }) => name,
  versions: ({ versions }) => versions,
  severity: ({ severity }) => severity,
  isExploited: ({ isExploited }) => isExploited,
  epssScore: ({ epssScore }) => epssScore,
  vulnerabilityCount: ({ vulnerabilityCount }) => vulnerabilityCount,
  detectedAt: ({ detectedAt }) => detectedAt.toISOString(),
  firmwareVersionCount: ({ firmwareVersionCount }) => firmwareVersionCount,
  affectedDeviceCount: ({ affectedDeviceCount }) => affectedDeviceCount,
}

const WORKSPACE_FINDINGS: CsvColumns<RowOf<typeof listWorkspaceFindings, 'findings'>> = {
  cveId: ({ cveId }) => cveId,
  name: ({ name }) => name,
  componentName: ({ componentName }) => componentName,
  componentVersion: ({ componentVersion }) => componentVersion,
  ...rated,
  confidence: ({ confidence }) => confidence,
  firmwareVersionCount: ({ firmwareVersionCount }) => firmwareVersionCount,
  activeFirmwareVersionCount: ({ activeFirmwareVersionCount }) => activeFirmwareVersionCount,
  affectedDeviceCount: ({ affectedDeviceCount }) => affectedDeviceCount,
  assessments: assessmentsOf,
  firmwareVersions: ({ firmwareVersions }) =>
    firmwareVersions.map(({ firmwareName, name }) => `${firmwareName} ${name}`),
}

const FINDINGS: CsvColumns<RowOf<typeof listFindings, 'findings'>> = {
  id: ({ id }) => id,
  cveId: ({ cveId }) => cveId,
  name: ({ name }) => name,
  componentName: ({ componentName }) => componentName,
  componentVersion: ({ componentVersion }) => componentVersion,
  ...rated,
  confidence: ({ confidence }) => confidence,
  assessment: ({ assessment }) => assessment,
  ignored: ({ ignored }) => ignored,
  recheckReason: ({ recheckReason }) => recheckReason,
  affectedDeviceCount: ({ affectedDeviceCount }) => affectedDeviceCount,
}

const COMPONENTS: CsvColumns<RowOf<typeof listWorkspaceComponents, 'components'>> = {
  packageName: ({ packageName }) => packageName,
  version: ({ version }) => version,
  vendor: ({ vendor }) => vendor,
  purl: ({ purl }) => purl,
  cpes: ({ cpes }) => cpes,
  licenses: ({ licenses }) => licenses,
  scope: ({ scope }) => scope,
  notMatchedReason: ({ notMatchedReason }) => notMatchedReason,
  sbom: ({ sbom }) => sbom.fileName,
  firmware: ({ firmwareVersion }) => firmwareVersion.firmware.slug,
  firmwareVersion: ({ firmwareVersion }) => firmwareVersion.name,
  affectedDeviceCount: ({ affectedDeviceCount }) => affectedDeviceCount,
}

export interface ExportedList {
  content: Readable
  fileName: string
}

export async function exportVulnerabilities(
  ctx: AppContext,
  input: ListVulnerabilities,
): Promise<ExportedList> {
  const content = await exportList({
    name: 'vulnerabilities',
    columns: VULNERABILITIES,
    list: (page) => listVulnerabilities(ctx, { ...input, ...page }),
  })
  return { content, fileName: 'vulnerabilities.csv' }
}

export async function exportVulnerableComponents(
  ctx: AppContext,
  input: ListVulnerableComponents,
): Promise<ExportedList> {
  const content = await exportList({
    name: 'components',
    columns: VULNERABLE_COMPONENTS,
    list: (page) => listVulnerableComponents(ctx, { ...input, ...page }),
  })
  return { content, fileName: 'vulnerable-components.csv' }
}

export async function exportWorkspaceFindings(
  ctx: AppContext,
  input: ListWorkspaceFindings,
): Promise<ExportedList> {
  const content = await exportList({
    name: 'findings',
    columns: WORKSPACE_FINDINGS,
    list: (page) => listWorkspaceFindings(ctx, { ...input, ...page }),
  })
  return { content, fileName: 'findings.csv' }
}

export async function exportListedFindings(
  ctx: AppContext,
  input: ListFindings,
): Promise<ExportedList> {
  const { workspaceId, firmwareVersionId } = input
  const { name, firmware } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const content = await exportList({
    name: 'findings',
    columns: FINDINGS,
    list: (page) => listFindings(ctx, { ...input, ...page }),
  })
  return { content, fileName: `${firmware.slug}-${name}-findings.csv` }
}

export async function exportWorkspaceComponents(
  ctx: AppContext,
  input: ListWorkspaceComponents,
): Promise<ExportedList> {
  const content = await exportList({
    name: 'components',
    columns: COMPONENTS,
    list: (page) => listWorkspaceComponents(ctx, { ...input, ...page }),
  })
  return { content, fileName: 'components.csv' }
}
