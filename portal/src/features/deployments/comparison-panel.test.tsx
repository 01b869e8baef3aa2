import type { ComparisonResult, DeploymentComparison } from '@plimsoll/api-client'
import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { showInWorkspace } from '../../../test/components.tsx'
import { PhaseResults } from './comparison-panel.tsx'

const group = {
  deviceCount: 100,
  withoutValuesCount: 0,
  meanBefore: 2,
  meanAfter: 3,
  changePercent: 50,
}

function givenResult(overrides: Partial<ComparisonResult>): ComparisonResult {
  return {
    builtIn: null,
    name: 'memory_used',
    labels: {},
    worse: 'Higher',
    marginPercent: 10,
    verdict: 'NotWorse',
    detail: 'memory_used: as much as before',
    updated: group,
    waiting: group,
    differencePercent: 0,
    fromPercent: -3,
    toPercent: 4,
    pValue: 0.9,
    smallestPercent: 12,
    smallestDevices: null,
    isBlind: false,
    series: [],
    worstDevices: [],
    ...overrides,
  }
}

const WORSE = givenResult({
  builtIn: 'Restarts',
  name: 'Restarts',
  verdict: 'Worse',
  detail: 'Restarts: updated devices 31 % more',
  series: [
    { seconds: -3600, updated: 2, waiting: 2.5 },
    { seconds: 0, updated: 3, waiting: null },
  ],
  worstDevices: [
    { deviceId: 'pump-7', before: 2, after: 9, changePercent: 350 },
    { deviceId: 'pump-8', before: 0, after: 4, changePercent: null },
  ],
})

function givenPhase(results: ComparisonResult[]): DeploymentComparison['phases'][number] {
  return {
    phase: 0,
    state: 'Worse',
    reason: 'Restarts: updated devices 31 % more',
    checkedAt: '2026-11-30T05:00:00Z',
    blindTo: [],
    accepted: null,
    plan: {
      windowSeconds: 86_400,
      marginPercent: 10,
      confidencePercent: 95,
      metrics: [],
      builtIn: ['Restarts'],
      tooFew: 'Wait',
    },
    results,
  }
}

it('says each verdict in words, with a tick for what was measured and is not worse alone', async () => {
  const verdicts = ['Worse', 'NotWorse', 'TooFew', 'NotMeasured'] as const
  const results = verdicts.map((verdict) =>
    givenResult({ verdict, name: verdict, detail: `${verdict} in words` }),
  )
  await showInWorkspace(
    <PhaseResults result={givenPhase(results)} onAsk={undefined} isNext={false} />,
  )

  const lines = within(screen.getByRole('list', { name: 'Compared in phase 1' }))
    .getAllByText(/in words$/)
    .map((detail) => detail.closest('summary'))
  expect(lines.map((line) => line?.textContent?.trim())).toEqual([
    'Worse Worse in words',
    'Not worse NotWorse in words',
    'Too few to tell TooFew in words',
    'Not measured NotMeasured in words',
  ])
  const ticked = lines.filter((line) => line?.querySelector('.tabler-icon-check'))
  expect(ticked).toEqual([lines[1]])
})

it('gives no tick to what would hardly have been seen, and does not call the phase fine', async () => {
  const blind = givenResult({ name: 'rare', detail: 'rare in words', isBlind: true })
  const phase = { ...givenPhase([givenResult({}), blind]), state: 'Passed' as const }
  await showInWorkspace(
    <PhaseResults result={{ ...phase, blindTo: ['rare'] }} onAsk={undefined} isNext={false} />,
  )

  const line = screen.getByText('rare in words').closest('summary')
  expect(line?.textContent?.trim()).toBe('Hardly seen rare in words')
  expect(line?.querySelector('.tabler-icon-check')).toBeNull()
  expect(screen.getByRole('heading', { level: 3 }).textContent).toContain('nothing worse was seen')
  expect(
    screen.getByText(/^Even twice as much would have been missed in 1 signal of 2/),
  ).toBeDefined()
})

it('lists devices that fell silent without values', async () => {
  const silent = { deviceId: 'pump-9', before: 0, after: 1, changePercent: null }
  const silence = givenResult({
    builtIn: 'Silence',
    name: 'Silence',
    verdict: 'Worse',
    worstDevices: [silent],
  })
  await showInWorkspace(
    <PhaseResults result={givenPhase([silence])} onAsk={undefined} isNext={false} />,
  )

  expect(screen.getByRole('heading', { name: 'Updated devices that fell silent' })).toBeDefined()
  expect(screen.getByRole('link', { name: 'pump-9' }).closest('li')?.textContent).toBe('pump-9')
})

it('opens what is worse: a chart with its values as a table, and links to the devices that changed most', async () => {
  await showInWorkspace(
    <PhaseResults result={givenPhase([WORSE, givenResult({})])} onAsk={undefined} isNext={false} />,
  )

  expect(screen.getByText(WORSE.detail).closest('details')?.open).toBe(true)
  expect(screen.getByText('memory_used: as much as before').closest('details')?.open).toBe(false)
  expect(screen.getByRole('img', { name: /^Restarts: means of updated/ })).toBeDefined()
  const rows = screen.getAllByRole('row', { hidden: true }).map((row) => row.textContent)
  expect(rows).toEqual(['BeginsUpdatedWaiting', '1 hour before22.5', 'at the update3no data'])
  const device = screen.getByRole('link', { name: 'pump-7' })
  expect(device.getAttribute('href')).toBe('/w/one/devices/pump-7')
  expect(device.closest('li')?.textContent).toBe('pump-72 → 9 (+350 %)')
  expect(screen.getByText('0 → 4')).toBeDefined()
})

it('asks before it rolls back or goes on, and offers neither where nobody may decide', async () => {
  const onAsk = vi.fn()
  const { person } = await showInWorkspace(
    <PhaseResults result={givenPhase([WORSE])} onAsk={onAsk} isNext />,
  )

  await person.click(screen.getByRole('button', { name: 'Roll back…' }))
  await person.click(screen.getByRole('button', { name: 'Begin next phase nevertheless…' }))
  expect(onAsk.mock.calls).toEqual([['roll back'], ['next phase']])
})

it('shows who had it go on, and no acts', async () => {
  const accepted = { at: '2026-11-30T06:00:00Z', byEmail: 'ada@example.com', reason: 'known' }
  await showInWorkspace(
    <PhaseResults result={{ ...givenPhase([WORSE]), accepted }} onAsk={undefined} isNext />,
  )

  expect(screen.getByText(/^ada@example\.com had it go on nevertheless .*: “known”$/)).toBeDefined()
  expect(screen.queryAllByRole('button')).toEqual([])
})

it('says that nothing waits any more, and what was compared so far', async () => {
  const nobody = { ...group, deviceCount: 0, meanBefore: null, meanAfter: null }
  const alone = givenResult({ verdict: 'TooFew', waiting: { ...nobody, changePercent: null } })
  const show = async (phase: Partial<DeploymentComparison['phases'][number]>) => {
    const result = { ...givenPhase([]), ...phase }
    await showInWorkspace(<PhaseResults result={result} onAsk={undefined} isNext />)
  }
  await show({ state: 'TooFew', results: [alone, givenResult({})] })
  expect(screen.queryByText(/^Nothing waits any more/)).toBeNull()

  await show({ state: 'TooFew', results: [alone] })
  await show({ state: 'Waiting', reason: '40 compared so far', results: [givenResult({})] })

  expect(screen.getByText(/^Nothing waits any more/)).toBeDefined()
  expect(screen.getByText('40 compared so far')).toBeDefined()
})

it('says what it waits for before there is a result', async () => {
  const reason = '3 devices of at least 20 ran the update for 1 day'
  await showInWorkspace(
    <PhaseResults
      result={{ ...givenPhase([]), state: 'Waiting', reason }}
      onAsk={undefined}
      isNext
    />,
  )

  expect(screen.getByText('not told yet')).toBeDefined()
  expect(screen.getByText(reason)).toBeDefined()
})

it.each(['TooFew', 'NotMeasured'] as const)(
  'says of what is %s that nobody can tell which devices changed, and not that none did',
  async (verdict) => {
    const result = givenResult({ verdict, series: [], worstDevices: [] })
    await showInWorkspace(
      <PhaseResults result={givenPhase([result])} onAsk={undefined} isNext={false} />,
    )

    expect(screen.getByText('Nobody can tell: too few devices have values.')).toBeDefined()
    expect(screen.queryByText('None did.')).toBeNull()
  },
)
