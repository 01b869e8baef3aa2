import type { Device, DeviceKey } from '@plimsoll/api-client'
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { givenService } from '../../../test/answering-service.ts'
import { showInWorkspace } from '../../../test/components.tsx'
import { ActsContext, useSentActs } from '../../components/acts.ts'
import { RegistrationTab } from './registration-tab.tsx'

const DEVICE: Device = {
  id: 'pump-1',
  description: null,
  tags: [],
  attributes: {},
  alternation: null,
  unnamedVersion: null,
  cohort: null,
  connected: true,
  door: 'Mqtt',
  client: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  firstSeenAt: null,
  lastSeenAt: null,
  reportedAt: null,
  firmware: [],
  worst: null,
  exploited: false,
  configuration: { desiredVersion: 1, desiredLogSeverity: 'Info', acknowledgedVersion: null },
  currentUpdate: null,
  lastUpdatedAt: null,
  keyRotation: null,
  oldestKeyAt: '2026-01-01T00:00:00.000Z',
}

const KEY: DeviceKey = {
  id: 'key',
  deviceId: 'pump-1',
  name: 'at the factory',
  certificate: null,
  createdByEmail: 'ann@example.com',
  createdAt: '2026-01-01T00:00:00.000Z',
  isNext: false,
  revokedAt: null,
  lastUsedAt: '2026-11-01T00:00:00.000Z',
  ageDays: 400,
  replacement: { askedAt: null, state: null, standing: 'Nobody asked the device to replace it.' },
}
const CERTIFICATE: DeviceKey = {
  ...KEY,
  id: 'certificate',
  name: 'CN=pump-1',
  createdByEmail: null,
  certificate: {
    issuer: { id: 'factory', name: 'Factory 2026' },
    serial: '5c0ffee1',
    expiresAt: '2099-01-01T00:00:00.000Z',
  },
}

const rotationOf = (
  state: NonNullable<Device['keyRotation']>['state'],
): NonNullable<Device['keyRotation']> => ({
  state,
  standing: `What holds: ${state}.`,
  askedAt: '2026-11-02T00:00:00.000Z',
  askedByEmail: 'ann@example.com',
  isScheduled: false,
  toldAt: null,
  fetchedAt: state === 'Fetched' || state === 'Done' ? '2026-11-03T00:00:00.000Z' : null,
  doneAt: state === 'Done' ? '2026-11-04T00:00:00.000Z' : null,
})

const KEYS = 'POST /workspaces/one/device-keys/list'
const pageOf = (...deviceKeys: object[]) => ({
  deviceKeys,
  totalCount: deviceKeys.length,
  totalCountIsLowerBound: false,
  hasMore: false,
})
function Tab({ device }: { device: Device }) {
  return (
    <ActsContext value={useSentActs()}>
      <RegistrationTab device={device} />
    </ActsContext>
  )
}

const showTab = (device: Partial<Device>) =>
  showInWorkspace(<Tab device={{ ...DEVICE, ...device }} />)

it('lists keys and certificates together, and which key was fetched and not used yet', async () => {
  givenService({ [KEYS]: pageOf(KEY, CERTIFICATE, { ...KEY, id: 'next', isNext: true }) })
  await showTab({})

  const table = await screen.findByRole('table', { name: 'Device keys' })
  const rows = within(table).getAllByRole('row').slice(1)

  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringContaining('in use'),
    expect.stringContaining('certificate 5c0ffee1 of Factory 2026'),
    expect.stringContaining('fetched, not used yet'),
  ])
})

it('says how far the device is, by whom it was asked, and offers the way back only until it fetched', async () => {
  givenService({ [KEYS]: pageOf() })
  const asked = await showTab({ keyRotation: rotationOf('Asked') })
  expect(await screen.findByText('What holds: Asked.')).toBeTruthy()
  expect(screen.getByText(/by ann@example.com/)).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Ask no more' })).toBeTruthy()
  asked.unmount()

  const fetched = await showTab({ keyRotation: rotationOf('Fetched') })
  await screen.findByText('What holds: Fetched.')
  expect(screen.queryByRole('button', { name: /Ask/ })).toBeNull()
  fetched.unmount()

  await showTab({ keyRotation: rotationOf('Done') })
  expect(await screen.findByRole('button', { name: 'Ask it to replace its key' })).toBeTruthy()
})

it('asks the device, and takes that back by the way that the act has', async () => {
  const path = '/workspaces/one/devices/pump-1/key-rotation'
  const { sent } = givenService({
    [KEYS]: pageOf(),
    [`POST ${path}`]: DEVICE,
    [`DELETE ${path}`]: DEVICE,
  })
  const { person, unmount } = await showTab({})
  await person.click(await screen.findByRole('button', { name: 'Ask it to replace its key' }))
  // The list of keys is asked for by POST, too.
  const listActs = () => sent.map(({ call }) => call).filter((call) => call !== KEYS)
  await expect.poll(listActs).toEqual([`POST ${path}`])
  unmount()

  await showTab({ keyRotation: rotationOf('Told') }).then(async (told) => {
    await told.person.click(await screen.findByRole('button', { name: 'Ask no more' }))
  })

  await expect.poll(() => listActs().at(-1)).toBe(`DELETE ${path}`)
})
