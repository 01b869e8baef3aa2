/** Addresses at which others always find current documents about a firmware. */
import type { StandingAddress } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './customers.module.css'
import { describeLinkState } from './link-state.ts'
import { NewStandingAddress } from './new-standing-address.tsx'
import { standingAddressesQuery } from './queries.ts'
import { nameDocuments } from './standing-documents.ts'

export function StandingAddresses() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Customers: write')
  const query = useQuery({
    ...standingAddressesQuery(workspaceId),
    enabled: useMay('Customers: read'),
  })
  const error = findBlockingError(query)
  const addresses = query.data?.standingAddresses
  return (
    <Panel
      title="Standing addresses"
      note="VEX, SBOM and end of support that are always current, for everybody or by a link"
    >
      {mayWrite && <NewStandingAddress />}
      {error && <Failure error={error} onRetry={() => void query.refetch()} />}
      {!addresses && !error && <Loading rows={2} />}
      {addresses?.length === 0 && <p>There is none yet.</p>}
      {addresses && addresses.length > 0 && (
        <CardTable
          label="Standing addresses"
          list="standing-addresses"
          csv={{
            name: 'standing-addresses',
            columns: [
              'name',
              ['firmware', ({ firmware }) => firmware.name],
              ['line', ({ line }) => line?.name ?? ''],
              ['version', ({ firmwareVersion }) => firmwareVersion?.name ?? ''],
              ['documents', ({ documents }) => documents.join(' ')],
              ['isPublic', ({ isPublic }) => String(isPublic)],
              'endsAt',
              'lastUsedAt',
              'uses',
              'revokedAt',
              'id',
            ],
          }}
          columns={mayWrite ? [...COLUMNS, ACTS] : COLUMNS}
          rows={addresses}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}

const COLUMNS: readonly CardColumn<StandingAddress>[] = [
  { title: 'Name', isPlain: true, cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'About',
    cell: ({ firmware, line, firmwareVersion }) =>
      firmwareVersion === null
        ? `${firmware.name}, newest${line === null ? '' : ` of ${line.name}`}`
        : `${firmware.name} ${firmwareVersion.name}`,
  },
  { title: 'Documents', cell: ({ documents }) => nameDocuments(documents) },
  {
    title: 'For',
    cell: ({ isPublic, url }) =>
      isPublic ? <Copyable text={url} label="address" /> : 'whoever has the link',
  },
  {
    title: 'Ends',
    cell: ({ endsAt }) => (endsAt === null ? 'never' : <Time at={endsAt} as="date" />),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : <Time at={lastUsedAt} />),
  },
  { title: 'Uses', cell: ({ uses }) => formatCount(uses) },
  { title: 'State', cell: (address) => <Tag>{describeLinkState(address)}</Tag> },
]

const ACTS: CardColumn<StandingAddress> = {
  title: 'Acts',
  isActs: true,
  cell: (address) =>
    address.revokedAt === null && (
      <div className={css['acts']}>
        <RevokeAddress address={address} />
      </div>
    ),
}

function RevokeAddress({ address: { id, name, uses } }: { address: StandingAddress }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/standing-addresses/{standingAddressId}', {
        params: { workspaceId, standingAddressId: id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke ${name}`}
      title={`Revoke ${name}?`}
      verb="Revoke address"
      act={revoke}
      what={`Whoever reads it gets nothing from now on. It was used ${formatCountOf(uses, 'time')}.`}
    >
      Revoke…
    </ConfirmedButton>
  )
}
