import type { FirmwareVersion, RoleArtifact, RoleArtifacts } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { versionDeploymentsQuery, versionsQuery } from '../../workspace-queries.ts'
import { type CardColumn, CardTable } from '../card-table.tsx'
import { CopyText } from '../copy-text.tsx'
import type { ListFile } from '../download-csv.ts'
import { ListPanel } from '../list-panel.tsx'
import { Time } from '../time.tsx'
import { UploadRows, useUploads } from '../uploads/upload-rows.tsx'
import { describeRole } from './artifact-name.ts'
import css from './artifacts.module.css'
import { DeleteArtifact } from './delete-artifact.tsx'
import { NewArtifact } from './new-artifact.tsx'
import { artifactOffersQuery, versionArtifactsQuery } from './queries.ts'
import { UnfinishedUploads } from './unfinished-uploads.tsx'

/** A file with the counts that the page may know. */
interface FileRow extends RoleArtifact {
  offeredDeviceCount: number | undefined
  baseDeviceCount: number | undefined
}

/** The files that devices install of a version, and those that are on their way. */
export function FilesPanel({ version }: { version: FirmwareVersion }) {
  const { id, name } = version
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  const mayReadOffers = useMay('Deployments: read')
  const query = useQuery(versionArtifactsQuery(workspaceId, id))
  const offers = useQuery({ ...artifactOffersQuery(workspaceId, id), enabled: mayReadOffers })
  const { data } = query
  const rows = data?.artifacts.map((file): FileRow => {
    const count = offers.data?.artifacts.find(
      ({ role, baseVersionId }) => role === file.role && baseVersionId === file.baseVersionId,
    )
    return {
      ...file,
      offeredDeviceCount: count?.offeredDeviceCount,
      baseDeviceCount: count?.baseDeviceCount ?? undefined,
    }
  })
  return (
    <ListPanel
      query={query}
      rows={rows}
      loadingRows={2}
      title="What devices install"
      empty={
        <p className={css['none']}>
          Nothing yet. {mayWrite ? 'Upload it here, or' : 'Upload it'} with{' '}
          <code>plimsoll artifact upload</code>.
        </p>
      }
      foot={data && <Foot version={version} listed={data} />}
    >
      {(files) => (
        <CardTable
          label="Files that devices install"
          list="artifacts"
          csv={{ name: `artifacts-${name}`, columns: CSV_COLUMNS }}
          columns={listColumns({ versionId: id, mayWrite, mayReadOffers })}
          rows={files}
          keyOf={({ role, sha256 }) => `${role} ${sha256}`}
        />
      )}
    </ListPanel>
  )
}

const CSV_COLUMNS: ListFile<FileRow>['columns'] = [
  'role',
  'baseVersion',
  'fileName',
  'sizeBytes',
  'sha256',
  ['offeredDeviceCount', ({ offeredDeviceCount }) => offeredDeviceCount ?? ''],
  ['baseDeviceCount', ({ baseDeviceCount }) => baseDeviceCount ?? ''],
  'createdByEmail',
  'createdAt',
]

function Foot({ version, listed }: { version: FirmwareVersion; listed: RoleArtifacts }) {
  const { artifacts, uploads: unfinished, isDeployed } = listed
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  const versions = useQuery(versionsQuery(workspaceId, version.firmware.id))
  const own = useUploads(version.id, 'artifact')
  const known = versions.data?.firmwareVersions ?? []
  const mayAdd = mayWrite && (!isDeployed || known.some(({ id }) => id !== version.id))
  return (
    <>
      {isDeployed && <Held version={version} />}
      {own.length > 0 && (
        <div className={css['within']}>
          <UploadRows uploads={own} />
        </div>
      )}
      {mayWrite && <UnfinishedUploads versionId={version.id} unfinished={unfinished} own={own} />}
      {mayAdd && (
        <NewArtifact
          key={isDeployed ? 'deployed' : 'open'}
          version={version}
          versions={known}
          {...{ artifacts, isDeployed, unfinished, own }}
        />
      )}
    </>
  )
}

/** Why the files stay, and what runs with them. */
function Held({ version }: { version: FirmwareVersion }) {
  const mayRead = useMay('Deployments: read')
  const query = versionDeploymentsQuery(useWorkspaceId(), version.id)
  const { data } = useQuery({ ...query, enabled: mayRead })
  const active = data?.deployments.filter(({ isActive }) => isActive) ?? []
  const names = active.map(({ name, deploymentCohort }) => `${name} (${deploymentCohort.name})`)
  return (
    <p className={css['none']}>
      It was deployed, and devices know the digests of its files: these stay as they are. Other
      bytes need another version. A delta can be added: deployments that are made after that offer
      it, and those before go on without it.{' '}
      {data && active.length === 0 && 'No deployment of it is active now.'}
      {active.length > 0 &&
        `${formatCountOf(active.length, 'deployment of it is', 'deployments of it are')} active: ${names.join(', ')}.`}
    </p>
  )
}

const COLUMNS: readonly CardColumn<FileRow>[] = [
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
]

const OFFERED: CardColumn<FileRow> = {
  title: 'Offered now to',
  cell: ({ offeredDeviceCount, baseDeviceCount, baseVersion }) => (
    <>
      {offeredDeviceCount === undefined
        ? 'not counted yet'
        : formatCountOf(offeredDeviceCount, 'device')}
      {baseDeviceCount !== undefined && (
        <p className={css['note']}>
          {formatCountOf(baseDeviceCount, 'device reports', 'devices report')} {baseVersion}
        </p>
      )}
    </>
  ),
}

const UPLOADED: CardColumn<FileRow> = {
  title: 'Uploaded',
  cell: ({ createdAt, createdByEmail }) => (
    <>
      <Time at={createdAt} />
      {createdByEmail !== null && <p className={css['note']}>by {createdByEmail}</p>}
    </>
  ),
}

interface Shown {
  versionId: string
  mayWrite: boolean
  mayReadOffers: boolean
}

const listColumns = ({
  versionId,
  mayWrite,
  mayReadOffers,
}: Shown): readonly CardColumn<FileRow>[] => [
  ...COLUMNS,
  ...(mayReadOffers ? [OFFERED] : []),
  UPLOADED,
  {
    title: 'Acts',
    isActs: true,
    cell: (artifact) => (
      <div className={css['acts']}>
        <CopyText text={artifact.sha256} label={`SHA-256 of ${describeRole(artifact)}`} />
        {mayWrite && !artifact.isDeployed && (
          <DeleteArtifact versionId={versionId} artifact={artifact} />
        )}
      </div>
    ),
  },
]
