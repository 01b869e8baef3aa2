/** The files that devices install of this version, where they are found, and what is stated about them. */
import type { FirmwareVersion, RoleArtifact } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { AddressesPanel } from '../../../components/artifacts/addresses-panel.tsx'
import { describeRole } from '../../../components/artifacts/artifact-name.ts'
import css from '../../../components/artifacts/artifacts.module.css'
import { versionArtifactsQuery } from '../../../components/artifacts/queries.ts'
import { SignaturesPanel } from '../../../components/artifacts/signatures-panel.tsx'
import { StatementsPanel } from '../../../components/artifacts/statements-panel.tsx'
import { WhoDidWhat } from '../../../components/audit/who-did-what.tsx'
import { type CardColumn, CardTable } from '../../../components/card-table.tsx'
import { CopyText } from '../../../components/copy-text.tsx'
import { ListPanel } from '../../../components/list-panel.tsx'
import { Time } from '../../../components/time.tsx'
import { formatBytes } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'

export default function ArtifactsTab({ version }: { version: FirmwareVersion }) {
  return (
    <>
      <FilesPanel version={version} />
      <SignaturesPanel version={version} />
      <StatementsPanel version={version} />
      <AddressesPanel version={version} />
      <WhoDidWhat subject={`firmware-version:${version.id}`} />
    </>
  )
}

function FilesPanel({ version: { id, name } }: { version: FirmwareVersion }) {
  const query = useQuery(versionArtifactsQuery(useWorkspaceId(), id))
  return (
    <ListPanel
      query={query}
      rows={query.data?.artifacts}
      loadingRows={2}
      title="What devices install"
      empty={
        <p className={css['none']}>
          Nothing yet. Upload it with <code>plimsoll artifact upload</code>.
        </p>
      }
      foot={
        query.data?.isDeployed === true && (
          <p className={css['none']}>
            A deployment holds this version: its files stay as they are.
          </p>
        )
      }
    >
      {(artifacts) => (
        <CardTable
          label="Files that devices install"
          list="artifacts"
          csv={{
            name: `artifacts-${name}`,
            columns: [
              'role',
              'baseVersion',
              'fileName',
              'sizeBytes',
              'sha256',
              'createdByEmail',
              'createdAt',
            ],
          }}
          columns={COLUMNS}
          rows={artifacts}
          keyOf={({ role, sha256 }) => `${role} ${sha256}`}
        />
      )}
    </ListPanel>
  )
}

const COLUMNS: readonly CardColumn<RoleArtifact>[] = [
  {
    title: 'File',
    isPlain: true,
    cell: (artifact) => (
      <>
        <strong>{describeRole(artifact)}</strong>
        <p className={css['note']}>{artifact.fileName}</p>
      </>
    ),
  },
  { title: 'Size', cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
  { title: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 16)}…</code> },
  {
    title: 'Uploaded',
    cell: ({ createdAt, createdByEmail }) => (
      <>
        <Time at={createdAt} />
        {createdByEmail !== null && <p className={css['note']}>by {createdByEmail}</p>}
      </>
    ),
  },
  {
    title: 'Acts',
    isActs: true,
    cell: (artifact) => (
      <CopyText text={artifact.sha256} label={`SHA-256 of ${describeRole(artifact)}`} />
    ),
  },
]
