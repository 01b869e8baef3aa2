/** Addresses of files of a version for programs on devices that have no key, such as the delta handler of SWUpdate. */
import type { ArtifactAddress, FirmwareVersion, RoleArtifact } from '@plimsoll/api-client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { formatBytes, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { versionsQuery } from '../../workspace-queries.ts'
import { type CardColumn, CardTable } from '../card-table.tsx'
import { ConfirmedButton } from '../confirm.tsx'
import { CopyText } from '../copy-text.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Tag } from '../tag.tsx'
import { Time } from '../time.tsx'
import { describeRole } from './artifact-name.ts'
import css from './artifacts.module.css'
import { NewAddress } from './new-address.tsx'
import {
  ADDRESSES,
  addressesQuery,
  useReadArtifactsAgain,
  versionArtifactsQuery,
} from './queries.ts'

/** An address with what the page knows of its file. */
interface AddressRow extends ArtifactAddress {
  name: string
  /** undefined: not uploaded yet. */
  file: RoleArtifact | undefined
  isEnded: boolean
}

export function AddressesPanel({ version }: { version: FirmwareVersion }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  const query = useQuery(addressesQuery(workspaceId, version.id))
  const files = useQuery(versionArtifactsQuery(workspaceId, version.id))
  const artifacts = files.data?.artifacts
  const versions = useQuery(versionsQuery(workspaceId, version.firmware.id)).data?.firmwareVersions
  const rows =
    artifacts &&
    query.data?.addresses.map((address): AddressRow => {
      const base = versions?.find(({ id }) => id === address.baseVersionId)
      const isSame = (one: RoleArtifact) =>
        one.role === address.role && one.baseVersionId === address.baseVersionId
      return {
        ...address,
        name: describeRole({ role: address.role, baseVersion: base?.name }),
        file: artifacts.find(isSame),
        isEnded: Date.parse(address.endsAt) <= Date.now(),
      }
    })
  const columns = listColumns(version.id, mayWrite)
  return (
    <ListPanel
      query={query.error === null ? files : query}
      rows={rows}
      loadingRows={2}
      title="Standing addresses"
      note="for programs on devices that have no key; whoever knows one can download the file"
      empty={
        <p className={css['none']}>
          There is none. A build that writes an address into what it signs, such as for the delta
          handler of SWUpdate, makes it here before the file is uploaded.
        </p>
      }
      foot={
        mayWrite &&
        artifacts && (
          <NewAddress version={version} versions={versions ?? []} artifacts={artifacts} />
        )
      }
    >
      {(shown) => (
        <CardTable
          label="Standing addresses"
          list="artifact-addresses"
          csv={{
            name: `artifact-addresses-${version.name}`,
            columns: [
              'id',
              'name',
              ['fileName', ({ file }) => file?.fileName ?? ''],
              'url',
              'endsAt',
              'uses',
              'lastUsedAt',
              'createdByEmail',
              'createdAt',
            ],
          }}
          columns={columns}
          rows={shown}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

const COLUMNS: readonly CardColumn<AddressRow>[] = [
  {
    title: 'File',
    isPlain: true,
    cell: ({ name, file }) => (
      <>
        <strong>{name}</strong>
        <p className={css['note']}>
          {file === undefined
            ? 'Not uploaded yet: the address answers “not found” until it is'
            : `${file.fileName}, ${formatBytes(file.sizeBytes)}`}
        </p>
      </>
    ),
  },
  {
    title: 'Ends',
    cell: ({ endsAt, isEnded }) =>
      isEnded ? (
        <>
          <Tag>ended</Tag> <Time at={endsAt} as="date" />
        </>
      ) : (
        <Time at={endsAt} as="date" />
      ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt, uses }) =>
      lastUsedAt === null ? (
        'not yet'
      ) : (
        <>
          <Time at={lastUsedAt} />
          <p className={css['note']}>{formatCountOf(uses, 'request')} so far</p>
        </>
      ),
  },
  {
    title: 'Made',
    cell: ({ createdAt, createdByEmail }) => (
      <>
        <Time at={createdAt} />
        {createdByEmail !== null && <p className={css['note']}>by {createdByEmail}</p>}
      </>
    ),
  },
]

const listColumns = (versionId: string, mayWrite: boolean): readonly CardColumn<AddressRow>[] => [
  ...COLUMNS,
  {
    title: 'Acts',
    isActs: true,
    cell: (address) => (
      <div className={css['acts']}>
        {!address.isEnded && <CopyText text={address.url} label={`address of ${address.name}`} />}
        {mayWrite && <RevokeAddress versionId={versionId} address={address} />}
      </div>
    ),
  },
]

function RevokeAddress({ versionId, address }: { versionId: string; address: AddressRow }) {
  const { id, name, isEnded } = address
  const workspaceId = useWorkspaceId()
  const readAgain = useReadArtifactsAgain(versionId)
  const revoke = useMutation({
    mutationFn: () =>
      api.delete(`${ADDRESSES}/{addressId}`, {
        params: { workspaceId, firmwareVersionId: versionId, addressId: id },
      }),
    onSuccess: readAgain,
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke the address of ${name}`}
      title={`Revoke the address of ${name}?`}
      verb="Revoke address"
      act={revoke}
      what={
        isEnded ? (
          'It has ended and opens nothing. It leaves the list.'
        ) : (
          <Used {...address} versionId={versionId} />
        )
      }
    >
      Revoke…
    </ConfirmedButton>
  )
}

/** Read again when it is asked: the service writes uses some seconds late. */
function Used({ id, versionId }: { id: string; versionId: string }) {
  const query = useQuery({
    ...addressesQuery(useWorkspaceId(), versionId),
    refetchOnMount: 'always',
  })
  const address = query.data?.addresses.find((one) => one.id === id)
  if (!address || query.isFetching) return <p>Counting its requests…</p>
  const { uses, lastUsedAt } = address
  return (
    <p>
      {lastUsedAt === null ? (
        'Nobody has used it yet.'
      ) : (
        <>
          {formatCountOf(uses, 'request')} so far, the last one <Time at={lastUsedAt} />.
        </>
      )}{' '}
      From now on it answers “not found”, also on devices whose update names it. It cannot be taken
      back: a build needs another address.
    </p>
  )
}
