import type { RoleArtifact } from '@plimsoll/api-client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { ConfirmedButton } from '../confirm.tsx'
import { describeRole } from './artifact-name.ts'
import { ChangeEffects } from './change-effects.tsx'
import { useReadArtifactsAgain, versionArtifactsQuery } from './queries.ts'

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}' as const

export function DeleteArtifact({
  versionId,
  artifact,
}: {
  versionId: string
  artifact: RoleArtifact
}) {
  const { role, baseVersionId } = artifact
  const workspaceId = useWorkspaceId()
  const readAgain = useReadArtifactsAgain(versionId)
  const params = { workspaceId, firmwareVersionId: versionId }
  const act = useMutation({
    mutationFn: () =>
      role === 'image'
        ? api.delete(`${VERSION}/artifact`, { params })
        : api.delete(`${VERSION}/artifacts/{role}`, {
            params: { ...params, role },
            query: { ...(baseVersionId !== null && { baseVersionId }) },
          }),
    onSuccess: readAgain,
    // It may have been refused for what the page does not show yet.
    onError: readAgain,
  })
  const name = describeRole(artifact)
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${name}`}
      title={`Delete ${name}?`}
      verb="Delete file"
      act={act}
      what={<Effects versionId={versionId} artifact={artifact} />}
    >
      Delete…
    </ConfirmedButton>
  )
}

function Effects({ versionId, artifact }: { versionId: string; artifact: RoleArtifact }) {
  const { role, baseVersion } = artifact
  const { data } = useQuery(versionArtifactsQuery(useWorkspaceId(), versionId))
  const others = (data?.artifacts.length ?? 1) - 1
  return (
    <>
      <p>{artifact.fileName} is deleted, and cannot be taken back: it would be uploaded again.</p>
      {role === 'image' && (
        <p>
          Without its full image the version cannot be deployed
          {others > 0 ? ', also not by its deltas and parts, which stay.' : '.'}
        </p>
      )}
      <ChangeEffects
        versionId={versionId}
        artifact={artifact}
        then={
          baseVersion === null
            ? 'are not offered it'
            : 'are offered the full image instead when this version is deployed'
        }
        addressed="answer “not found” until it is uploaded again"
      />
    </>
  )
}
