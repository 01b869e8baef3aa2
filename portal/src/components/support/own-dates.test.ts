import type { SupportStatement } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { formatCalendarDay } from '../../format/dates.ts'
import {
  describeOwnDate,
  nameOwnDate,
  readOwnDate,
  restoreOwnDate,
  startOwnDate,
  writeOwnDate,
} from './own-dates.ts'

const STATEMENT: SupportStatement = {
  id: 'a',
  purl: null,
  name: 'acme-bsp',
  versionFrom: null,
  versionBefore: '3.0',
  endsOn: '2027-06-30',
  link: 'https://acme.example/lifecycle',
  note: null,
  state: 'Ending',
  packageCount: 0,
  createdAt: '2026-11-01T00:00:00.000Z',
  createdByEmail: null,
  updatedAt: '2026-11-01T00:00:00.000Z',
}

it('puts back what a statement said', () => {
  const { purl, name, versionFrom, versionBefore, endsOn, link, note } = STATEMENT

  expect(restoreOwnDate(STATEMENT)).toEqual({
    purl,
    name,
    versionFrom,
    versionBefore,
    endsOn,
    link,
    note,
  })
})

it('takes a text that begins with pkg: as a purl', () => {
  const draft = { ...startOwnDate({ components: [] }), component: ' pkg:github/acme/sdk ' }

  expect(writeOwnDate(draft)).toMatchObject({ purl: 'pkg:github/acme/sdk', name: null })
})

it('begins with the name of the component that was opened', () => {
  const draft = startOwnDate({ components: [{ name: 'openssl', version: '3.0.13' }] })

  expect(draft).toMatchObject({ component: 'openssl', isWithoutEnd: false, endsOn: '' })
})

it('says that no end is planned only where somebody has chosen that', () => {
  const draft = { ...readOwnDate(STATEMENT), isWithoutEnd: true }

  expect(writeOwnDate(draft).endsOn).toBeNull()
  expect(readOwnDate({ ...STATEMENT, endsOn: null }).isWithoutEnd).toBe(true)
})

it('names what a date is about, and says where it is about nothing', () => {
  expect(nameOwnDate(STATEMENT)).toBe('acme-bsp before 3.0')
  expect(describeOwnDate(STATEMENT)).toBe(
    `until ${formatCalendarDay('2027-06-30')}; about 0 packages of your versions`,
  )
})
