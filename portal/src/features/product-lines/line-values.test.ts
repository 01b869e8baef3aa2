import type { ProductLine } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { listChanges, listUnknown, readLine, writeLine } from './line-values.ts'

const LINE: ProductLine = {
  id: 'line',
  name: 'Gateway',
  manufacturer: 'Acme',
  role: 'Manufacturer',
  productClass: 'Default',
  category: null,
  memberStates: ['DE'],
  coordinatorState: 'DE',
  timeZone: 'Europe/Berlin',
  firstPlacedOn: null,
  supportEndsIn: '2031-12',
  expectedUseYears: 10,
  expectedUseReason: null,
  contact: null,
  firmwareIds: ['firmware'],
  firmwares: [{ id: 'firmware', name: 'Gateway' }],
  createdAt: '2026-11-03T10:00:00.000Z',
  updatedAt: '2026-11-03T10:00:00.000Z',
}

it('sends what nobody has said as unknown, and not as an empty text', () => {
  const { firmwares: _names, id: _id, createdAt: _at, updatedAt: _since, ...written } = LINE

  expect(writeLine(readLine(LINE))).toEqual(written)
  expect(writeLine({ ...readLine(LINE), supportEndsIn: ' ', expectedUseYears: '' })).toMatchObject({
    supportEndsIn: null,
    expectedUseYears: null,
  })
})

it('sends only what was changed', () => {
  const before = readLine(LINE)

  expect(listChanges(before, { ...before, name: ' Gateway ' })).toEqual({})
  expect(listChanges(before, { ...before, memberStates: [], contact: 'PSIRT' })).toEqual({
    memberStates: [],
    contact: 'PSIRT',
  })
})

it('names what nobody has said', () => {
  expect(listUnknown(LINE)).toEqual(['category', 'first placed on the market'])
})
