import { describe, expect, it } from 'vitest'
import { NO_CUSTOMER, readCustomer, writeCustomer } from './customer-values.ts'
import { describeLinkState } from './link-state.ts'

const CUSTOMER = {
  id: '1',
  name: 'Nord',
  note: null,
  tag: 'nord',
  contacts: [
    { email: 'a@b.example', name: null },
    { email: 'c@d.example', name: 'Security desk' },
  ],
  cohortIds: ['2'],
  cohorts: [{ id: '2', name: 'eu' }],
  deviceCount: 3,
  sharedDeviceCount: 0,
  linkCount: 0,
  lastViewedAt: null,
  createdAt: '2026-11-03T10:00:00.000Z',
  updatedAt: '2026-11-03T10:00:00.000Z',
} as NonNullable<Parameters<typeof readCustomer>[0]>

describe('the form of a customer', () => {
  it('sends what it read as it was', () => {
    const { name, note, tag, contacts, cohortIds } = CUSTOMER
    expect(writeCustomer(readCustomer(CUSTOMER))).toEqual({ name, note, tag, contacts, cohortIds })
  })

  it('takes contacts with and without a name, and leaves out empty lines', () => {
    const contacts = ' a@b.example \n\nDesk, night <n@b.example>\n<m@b.example>'
    expect(writeCustomer({ ...NO_CUSTOMER, contacts }).contacts).toEqual([
      { email: 'a@b.example', name: null },
      { email: 'n@b.example', name: 'Desk, night' },
      { email: 'm@b.example', name: null },
    ])
  })
})

it.each`
  revokedAt       | endsAt          | state
  ${null}         | ${null}         | ${'in use'}
  ${null}         | ${'2026-12-01'} | ${'in use'}
  ${null}         | ${'2026-11-01'} | ${'ended'}
  ${'2026-11-01'} | ${'2026-12-01'} | ${'revoked'}
`(
  'says that a link is $state when it ends at $endsAt and was revoked at $revokedAt',
  ({ state, ...link }: { state: string; revokedAt: string | null; endsAt: string | null }) => {
    expect(describeLinkState(link, new Date('2026-11-15'))).toBe(state)
  },
)
