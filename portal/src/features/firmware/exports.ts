import { api } from '../../api.ts'

interface VersionFile {
  /** Below the address of the version. */
  path: string
  name: string
  use: string
}

/** The files that others get of a version. */
export const VERSION_FILES: readonly { title: string; files: readonly VersionFile[] }[] = [
  {
    title: 'Findings',
    files: [
      {
        path: 'vulnerability-findings/export?format=csv',
        name: 'CSV',
        use: 'findings for spreadsheets',
      },
      {
        path: 'vulnerability-findings/export?format=sarif',
        name: 'SARIF',
        use: 'findings for code scanning',
      },
    ],
  },
  {
    title: 'What we say about them',
    files: [
      {
        path: 'vex?format=openvex',
        name: 'OpenVEX',
        use: 'what is affected, and what is not, with reasons',
      },
      {
        path: 'vex?format=cyclonedx',
        name: 'CycloneDX VEX',
        use: 'the same, for tools that read CycloneDX',
      },
      { path: 'vex?format=csaf', name: 'CSAF VEX', use: 'the same, as an advisory to publish' },
    ],
  },
]

export const NOTHING_STATED =
  'States nothing yet: no finding of this version is decided, and no document of others applies.'

export const isStatement = (path: string): boolean => path.startsWith('vex?')

export const findVersionFiles = (workspaceId: string, versionId: string): string =>
  `/workspaces/${workspaceId}/firmware-versions/${versionId}`

/** Hands an SBOM to the browser as it was received. */
export async function downloadSbom(workspaceId: string, sbomId: string): Promise<void> {
  const { contentSasLink } = await api.get('/workspaces/{workspaceId}/sboms/{sbomId}/content', {
    params: { workspaceId, sbomId },
  })
  globalThis.location.assign(contentSasLink)
}
