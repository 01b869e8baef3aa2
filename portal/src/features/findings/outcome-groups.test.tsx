import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { show } from '../../../test/components.tsx'
import { OutcomeGroups } from './outcome-groups.tsx'

const count = (outcome: string, totalCount: number) => ({
  outcome,
  totalCount,
  totalCountIsLowerBound: totalCount === 10_000,
  filter: {},
})

const outcomesOf = (opened: string) => ({
  isPending: false,
  counts: [count('Act', 0), count('Attend', 1), count('Track*', 10_000), count('Track', 7)],
  opened,
  error: null,
  refetch: vi.fn(),
})

it('draws the open findings between the headings, and opens another outcome by its heading', async () => {
  const change = vi.fn()
  const { person } = show(
    <main>
      <OutcomeGroups findings={{ outcomes: outcomesOf('Attend'), change }}>
        <p>The list</p>
      </OutcomeGroups>
    </main>,
  )

  expect(screen.getByRole('main').textContent).toBe(
    'Act0 findingsAttend1 findingThe listTrack*more than 10,000 findingsTrack7 findings',
  )
  expect(screen.getByRole('button', { expanded: true }).textContent).toContain('Attend')
  expect(screen.getByRole('button', { name: /^Act/ })).toHaveProperty('disabled', true)
  await person.click(screen.getByRole('button', { name: /^Track\*/ }))
  expect(change).toHaveBeenCalledWith({ outcome: 'Track*', at: undefined })
})

it('draws nothing around a list without groups', () => {
  const outcomes = { ...outcomesOf('Act'), counts: [], opened: undefined }
  show(
    <main>
      <OutcomeGroups findings={{ outcomes, change: vi.fn() }}>
        <p>The list</p>
      </OutcomeGroups>
    </main>,
  )

  expect(screen.getByRole('main').textContent).toBe('The list')
})
