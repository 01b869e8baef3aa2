/** The files that devices install of this version: its full image, parts and deltas. */
import type { RoleArtifact } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { ListPanel } from '../../../components/list-panel.tsx'
import { Time } from '../../../components/time.tsx'
import { formatBytes } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import { versionArtifactsQuery } from '../queries.ts'
import own from './compare-tab.module.css'

export default function ArtifactsTab({ versionId }: { versionId: string }) {
  const query = useQuery(versionArtifactsQuery(useWorkspaceId(), versionId))
  const isDeployed = query.data?.isDeployed === true
  return (
    <ListPanel
      query={query}
      rows={query.data?.artifacts}
      loadingRows={2}
      title="What devices install"
      empty={
        <p className={own['none']}>
          Nothing yet. Upload it with <code>plimsoll artifact upload</code>.
        </p>
      }
      foot={
        isDeployed && (
          <p className={own['foot']}>
            A deployment holds this version: its files stay as they are.
          </p>
        )
      }
    >
      {(artifacts) => (
        <ul className={own['list']}>
          {artifacts.map((artifact) => (
            <ArtifactRow key={artifact.sha256 + artifact.role} artifact={artifact} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

function ArtifactRow({ artifact }: { artifact: RoleArtifact }) {
  const { fileName, sizeBytes, sha256, createdAt } = artifact
  return (
    <li>
      <strong>{nameRole(artifact)}</strong>
      <span>
        {fileName}, {formatBytes(sizeBytes)}
      </span>
      <code title={sha256}>SHA-256 {sha256.slice(0, 16)}…</code>
      <Time at={createdAt} as="date" />
    </li>
  )
}

function nameRole({ role, baseVersion }: RoleArtifact): string {
  if (role === 'image') return 'Full image'
  return baseVersion === null ? role : `Delta from ${baseVersion}`
}
