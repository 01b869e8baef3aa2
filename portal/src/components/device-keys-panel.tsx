/** Keys with which devices connect, of the workspace or those that one device may use, and the first command of a device. */
import { TextInput } from '@mantine/core'
import type { BodyOf, DeviceKey } from '@plimsoll/api-client'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api.ts'
import { formatCount } from '../format/counts.ts'
import { SETTINGS, type SettingsSearch } from '../searches.ts'
import { useMay, useWorkspaceId } from '../session.ts'
import { findBlockingError } from './blocking-error.ts'
import { Button } from './button.tsx'
import { Chip, ChipRow } from './chip.tsx'
import css from './device-keys-panel.module.css'
import { DeviceKeysTable, useNewKey } from './device-keys-table.tsx'
import { DropFilters } from './drop-filters.tsx'
import { FilterInput } from './filter-input.tsx'
import { Form, FormFault, ShownOnce } from './form.tsx'
import { Panel } from './panel.tsx'
import { formatTotal } from './selection-bar.tsx'
import type { ListTotal } from './selection.ts'
import { Empty, Failure, Loading } from './states.tsx'
import { useForm } from './use-form.ts'

const LIST = '/workspaces/{workspaceId}/device-keys/list'

interface OfDevice {
  /** undefined: those of the whole workspace. */
  deviceId?: string | undefined
}

interface DeviceKeysPanelProps extends OfDevice {
  /** Of the workspace: what the address says of the list. */
  filters?: { search: SettingsSearch; onChange: (next: SettingsSearch) => void }
}

type Filter = NonNullable<NonNullable<BodyOf<'listDeviceKeyPages'>>['filter']>

const deviceKeysQuery = (workspaceId: string, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['device-keys', workspaceId, filter],
    queryFn: ({ pageParam: cursor }) =>
      api.post(LIST, {
        params: { workspaceId },
        body: { filter, limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

function readFilter({ deviceId, filters }: DeviceKeysPanelProps): Filter {
  const { key, keys } = filters?.search ?? {}
  return {
    ...(deviceId !== undefined && { deviceId }),
    ...(key !== undefined && { text: key.slice(0, MOST_TEXT) }),
    ...(keys !== undefined && { isRevoked: keys === 'revoked' }),
  }
}

const OF_WORKSPACE = 'with which devices connect; one for a fleet, or one for a device'
const OF_DEVICE = 'with which it may connect: its own, and those of all devices'
const PAGE = 50
const MOST_TEXT = 200

export function DeviceKeysPanel(props: DeviceKeysPanelProps) {
  const { deviceId, filters } = props
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const query = useInfiniteQuery(deviceKeysQuery(workspaceId, readFilter(props)))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.deviceKeys), [query.data])
  const error = findBlockingError(query)
  return (
    <Panel
      title="Device keys and certificates"
      note={deviceId === undefined ? OF_WORKSPACE : OF_DEVICE}
    >
      {mayWrite && <NewDeviceKey deviceId={deviceId} />}
      {filters && <KeyFilters {...filters} />}
      {error && <Failure error={error} onRetry={() => void query.refetch()} />}
      {!rows && !error && <Loading rows={2} />}
      {rows?.length === 0 && <NoKeys filters={filters} />}
      {rows && <KeyList rows={rows} total={query.data?.pages[0]} list={query} />}
    </Panel>
  )
}

interface KeyListProps {
  rows: readonly DeviceKey[]
  total: ListTotal | undefined
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

function KeyList({ rows, total, list }: KeyListProps) {
  if (rows.length === 0) return null
  return (
    <>
      <DeviceKeysTable rows={rows} />
      {list.hasNextPage && total && (
        <p className={css['more']}>
          <Button
            size="small"
            isBusy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>{' '}
          {formatCount(rows.length)} of {formatTotal(total)} are shown.
        </p>
      )}
    </>
  )
}

const STATES = [
  { keys: undefined, text: 'All' },
  { keys: 'notRevoked', text: 'Not revoked' },
  { keys: 'revoked', text: 'Revoked' },
] as const satisfies readonly { keys: SettingsSearch['keys']; text: string }[]

function KeyFilters({ search, onChange }: NonNullable<DeviceKeysPanelProps['filters']>) {
  return (
    <div className={css['row']}>
      <FilterInput
        label="Find a key"
        placeholder="name, device or id"
        value={search.key}
        onChange={(key) => onChange({ key: key === '' ? undefined : key })}
      />
      <ChipRow label="Which keys">
        {STATES.map(({ keys, text }) => (
          <Chip key={text} isOn={search.keys === keys} onChange={() => onChange({ keys })}>
            {text}
          </Chip>
        ))}
      </ChipRow>
    </div>
  )
}

function NoKeys({ filters }: { filters: DeviceKeysPanelProps['filters'] | undefined }) {
  const inUse = filters ? SETTINGS.listFilters(filters.search) : []
  if (!filters || inUse.length === 0)
    return <p>There is none yet: without a key or a certificate no device can connect.</p>
  return (
    <Empty
      title="No key matches"
      action={<DropFilters filters={inUse} onChange={filters.onChange} />}
    />
  )
}

function NewDeviceKey({ deviceId }: OfDevice) {
  const workspaceId = useWorkspaceId()
  const make = useNewKey()
  const first = { name: '' }
  const { save, submit, change, field } = useForm(first, {
    ...make,
    mutationFn: ({ name }) =>
      make.mutationFn({ name, ...(deviceId !== undefined && { deviceId }) }),
    onSuccess: () => {
      change(first)
    },
  })
  const example = deviceId ?? 'bench-1'
  return (
    <Form onSubmit={submit} label="New device key">
      <div className={css['row']}>
        <TextInput
          label={deviceId === undefined ? 'Name' : `Name of a key for ${deviceId} alone`}
          placeholder={deviceId === undefined ? 'meters' : 'since the repair'}
          required
          {...field('name')}
        />
        <Button type="submit" isBusy={save.isPending}>
          Create device key
        </Button>
      </div>
      <FormFault error={save.error} />
      {save.data && (
        <ShownOnce text={firstMessage(workspaceId, example, save.data.deviceKey)} label="command">
          The key, shown this once. A first message of {deviceId ?? `a device called ${example}`}:
        </ShownOnce>
      )}
    </Form>
  )
}

function firstMessage(workspaceId: string, deviceId: string, key: string): string {
  const session = JSON.stringify({
    session: { runId: '1', firmware: [{ slug: 'my-firmware', version: '1.0.0' }] },
  })
  return `curl ${globalThis.location.origin}/device/v1/${workspaceId}/${deviceId}/sync -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${session}'`
}
