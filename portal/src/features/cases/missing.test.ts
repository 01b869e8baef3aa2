import type { Case, CaseClock, ProductLine } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { listMissing } from './missing.ts'

const NOW = new Date('2026-11-04T10:00:00Z')

const clock = (more: Partial<CaseClock>): CaseClock => ({
  stage: 'EarlyWarning',
  requestId: null,
  dueAt: '2026-11-03T21:40:00.000Z',
  basis: 'AwareAt',
  article: '14(2)(a)',
  isInterpretation: false,
  doneAt: null,
  state: 'Running',
  platformShowsAt: null,
  ...more,
})

const ANSWER = { answer: 'Yes', reason: null, at: NOW.toISOString(), by: null } as const

/** All is there, and nothing is due. */
const given = (more: Partial<Case> = {}) =>
  ({
    type: 'Vulnerability',
    state: 'Open',
    awareAt: '2026-11-02T21:40:00.000Z',
    isAwarenessEstimated: false,
    productLines: [{ id: 'line', name: 'Gateway' }],
    canBeExploited: ANSWER,
    wasExploited: ANSWER,
    assessBefore: null,
    nextLookAt: null,
    hasNewVersions: false,
    clocks: [],
    measureAvailableAt: null,
    reports: [],
    ...more,
    // What the list does not look at is left out.
  }) as unknown as Case

const line = (more: Partial<ProductLine> = {}) =>
  ({
    id: 'line',
    name: 'Gateway',
    memberStates: ['DE'],
    coordinatorState: 'DE',
    ...more,
  }) as unknown as ProductLine

const list = (one: Case, lines: ProductLine[] | undefined = [line()]) =>
  listMissing(one, { lines, now: NOW })
const texts = (one: Case, lines?: ProductLine[]) => list(one, lines).map(({ text }) => text)

it('lists nothing where all is there', () => {
  expect(list(given())).toEqual([])
})

it('puts what is late first, then the law, then good practice', () => {
  const one = given({
    isAwarenessEstimated: true,
    wasExploited: null,
    clocks: [
      clock({ stage: 'Notification', dueAt: '2026-11-05T21:40:00.000Z', article: '14(2)(b)' }),
      clock({}),
    ],
  })

  expect(list(one).map(({ text, article }) => [text, article])).toEqual([
    ['The submission of the early warning, late by 12 h 20 min', '14(2)(a)'],
    ['The submission of the notification', '14(2)(b)'],
    ['Whether it was exploited in the product', undefined],
    ['The exact instant of awareness: it is an estimate', undefined],
  ])
})

it('asks each of the two questions by itself, whichever is answered first', () => {
  const acts = list(given({ canBeExploited: null, wasExploited: null })).map(({ act }) => act)

  expect(acts).toEqual([{ question: 'CanBeExploited' }, { question: 'WasExploited' }])
})

it('leads to the draft of a report, where each field is kept, and asks for the text of an intermediate one', () => {
  const clocks = [
    clock({}),
    clock({ stage: 'IntermediateReport', requestId: 'asked', basis: 'RequestedByCsirt' }),
  ]

  expect(list(given({ clocks })).map(({ act }) => act)).toEqual([
    { draft: 'EarlyWarning' },
    { requestId: 'asked' },
  ])
})

it('says first that an instant lies in the future, as a clock that was ahead leaves it, and tolerates minutes', () => {
  const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString()

  expect(texts(given({ awareAt: later(4), measureAvailableAt: later(-1) }))).toEqual([])
  const ahead = given({ awareAt: later(60), measureAvailableAt: later(60), wasExploited: null })
  const [first, second, third] = list(ahead)
  expect(first?.text).toMatch(/^The instant of awareness lies in the future/)
  expect(second?.text).toMatch(/^The instant of the measure lies in the future/)
  expect(third?.text).toBe('Whether it was exploited in the product')
})

it('asks for the measure rather than for a final report that has no due date', () => {
  const waits = clock({ stage: 'FinalReport', dueAt: null, basis: 'WaitsForMeasure' })

  expect(list(given({ clocks: [waits] }))).toMatchObject([{ act: 'measure' }])
})

it('asks an incident for no final report before its notification', () => {
  const waits = clock({ stage: 'FinalReport', dueAt: null, basis: 'WaitsForNotification' })

  expect(list(given({ type: 'Incident', clocks: [waits] }))).toEqual([])
})

it('names each line that says no Member States or no coordinator, and not those that do', () => {
  const lines = [line(), line({ id: 'other', name: 'Display', memberStates: [] })]

  expect(list(given(), lines)).toMatchObject([
    { text: 'In which Member States Display was made available', act: { lineId: 'other' } },
  ])
  expect(texts(given(), [line({ coordinatorState: null })])).toEqual(['The coordinator of Gateway'])
})

it('says nothing of lines that are not read yet', () => {
  expect(listMissing(given(), { lines: undefined, now: NOW })).toEqual([])
})

it('asks for a product line where there is none', () => {
  expect(list(given({ productLines: [] }), [])).toMatchObject([{ act: 'lines' }])
})

it('asks for awareness before a clock runs, and says that an assessment is overdue', () => {
  const proposed = given({
    state: 'Proposed',
    awareAt: null,
    canBeExploited: null,
    assessBefore: '2026-11-04T09:00:00.000Z',
  })

  expect(list(proposed).map(({ act, article }) => [act, article])).toEqual([
    ['aware', '14(2)'],
    [undefined, undefined],
    [{ question: 'CanBeExploited' }, undefined],
  ])
})

it('asks nothing of a case that has ended, unless versions were found since', () => {
  expect(list(given({ state: 'Closed', productLines: [], clocks: [clock({})] }))).toEqual([])
  expect(texts(given({ state: 'Dismissed', productLines: [], hasNewVersions: true }))).toHaveLength(
    1,
  )
})
