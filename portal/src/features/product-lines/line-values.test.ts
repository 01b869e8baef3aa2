import type { ProductLine } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { pickChanges } from '../../components/merged-values.ts'
import { countLastDays, isSupportOver, listUnknown, readLine, writeLine } from './line-values.ts'

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
  const changesOf = (changes: object) =>
    pickChanges(writeLine(before), writeLine({ ...before, ...changes }))

  expect(changesOf({ name: ' Gateway ' })).toEqual({})
  expect(changesOf({ memberStates: [], contact: 'PSIRT' })).toEqual({
    memberStates: [],
    contact: 'PSIRT',
  })
})

it('names what nobody has said', () => {
  expect(listUnknown(LINE)).toEqual(['category', 'first placed on the market'])
})

it.each`
  now                       | isOver   | left
  ${'2026-11-30T23:59:59Z'} | ${false} | ${1}
  ${'2026-12-01T00:00:00Z'} | ${true}  | ${undefined}
  ${'2026-06-04T00:00:00Z'} | ${false} | ${180}
  ${'2026-06-03T23:59:59Z'} | ${false} | ${undefined}
`('ends support with the last day of the month, seen at $now', ({ now, isOver, left }) => {
  const at = new Date(now as string)

  expect([isSupportOver('2026-11', at), countLastDays('2026-11', at)]).toEqual([isOver, left])
})
