import type { DeviceIssuer, DeviceIssuers } from '@plimsoll/api-client'
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { givenService } from '../../../test/answering-service.ts'
import { showInWorkspace } from '../../../test/components.tsx'
import { DeviceIssuersPanel } from './device-issuers-panel.tsx'

const ISSUER: DeviceIssuer = {
  id: 'factory',
  name: 'Factory 2026',
  subject: 'CN=Factory, O=Acme',
  certificate: '-----BEGIN CERTIFICATE-----',
  deviceIdField: 'CommonName',
  deviceIdPrefix: '',
  deviceIdSuffix: '',
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: '2036-01-01T00:00:00.000Z',
  state: 'Trusted',
  standing: 'Its revocation list names 3 certificates and holds until 2026-12-24T00:00:00.000Z.',
  deviceCount: 1_204,
  nextEndAt: '2026-12-10T00:00:00.000Z',
  revokedCount: 2,
  revocationList: null,
  acceptsAfterCrlEnd: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdByEmail: 'ann@example.com',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

const LIST = 'GET /workspaces/one/device-issuers'
const listOf = (...deviceIssuers: DeviceIssuer[]): DeviceIssuers => ({
  proofName: 'plimsoll-issuer-one',
  deviceIssuers,
})

it('says what holds of each issuer, and when the first certificate of a device ends', async () => {
  givenService({ [LIST]: listOf(ISSUER) })
  await showInWorkspace(<DeviceIssuersPanel />)

  const table = await screen.findByRole('table', { name: 'Issuers of device certificates' })

  expect(table.textContent).toContain('holds until 2026-12-24')
  expect(table.textContent).toContain('The team revoked 2 certificates.')
  expect(table.textContent).toContain('1,204')
  const times = [...table.querySelectorAll('time')].map(({ dateTime }) => dateTime)
  expect(times).toEqual([ISSUER.notAfter, ISSUER.nextEndAt])
})

it('says that its list has ended, in the words of the service', async () => {
  const standing = 'Its revocation list ended at 2026-11-01T00:00:00.000Z: nobody knows which'
  givenService({ [LIST]: listOf({ ...ISSUER, state: 'ListEnded', standing }) })
  await showInWorkspace(<DeviceIssuersPanel />)

  expect(await screen.findByText(new RegExp(standing))).toBeTruthy()
})

it('asks with the count of devices before an issuer is removed, and says that keys go on', async () => {
  const { sent } = givenService({
    [LIST]: listOf(ISSUER),
    'DELETE /workspaces/one/device-issuers/factory': {},
  })
  const { person } = await showInWorkspace(<DeviceIssuersPanel />)

  await person.click(await screen.findByRole('button', { name: 'Remove Factory 2026' }))
  const question = screen.getByRole('dialog')
  const before = [...sent]
  await person.click(within(question).getByRole('button', { name: 'Remove issuer' }))

  expect(question.textContent).toContain('1,204 devices')
  expect(question.textContent).toContain('unless they have a key')
  expect(before).toEqual([])
  await expect
    .poll(() => sent.map(({ call }) => call))
    .toEqual(['DELETE /workspaces/one/device-issuers/factory'])
})

it('names the certificate that proves whose authority it is, and offers nothing to those who only read', async () => {
  givenService({ [LIST]: listOf() })
  const { unmount } = await showInWorkspace(<DeviceIssuersPanel />)
  expect(
    await screen.findByRole('textbox', { name: /it issued for plimsoll-issuer-one/ }),
  ).toBeTruthy()
  unmount()

  givenService({ [LIST]: listOf(ISSUER) }, { scopes: ['Devices: read'] })
  await showInWorkspace(<DeviceIssuersPanel />)

  expect(await screen.findByText('Factory 2026')).toBeTruthy()
  expect(screen.queryAllByRole('button', { name: /Remove|Revoke|Trust/ })).toEqual([])
})
