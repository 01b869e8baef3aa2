import { ApiProblem } from '@plimsoll/api-client'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { show } from '../../../test/components.tsx'
import { TargetsPanel } from './targets-panel.tsx'

const OUTCOMES = ['Track', 'Attend', 'Act']

function givenPanel({ gateFrom, error }: { gateFrom: string | null; error?: unknown }) {
  const onGateFrom = vi.fn<(outcome: string | null) => void>()
  const onChange = vi.fn<(outcome: string, days: number | null) => void>()
  const shown = show(
    <TargetsPanel
      outcomes={OUTCOMES}
      targetDays={{ Act: 7 }}
      gateFrom={gateFrom}
      error={error}
      onChange={onChange}
      onGateFrom={onGateFrom}
    />,
  )
  return { ...shown, onGateFrom, onChange }
}

const gate = () => screen.getByRole('combobox', { name: 'Release gate: stops findings from' })

it('offers the outcomes for the release gate, the most urgent one first', async () => {
  const { person, onGateFrom } = givenPanel({ gateFrom: null })

  await person.click(gate())
  const offered = screen.getAllByRole('option').map(({ textContent }) => textContent)
  await person.click(screen.getByRole('option', { name: 'Attend' }))

  expect(offered).toEqual(['Act', 'Attend', 'Track'])
  expect(onGateFrom.mock.calls[0]?.[0]).toBe('Attend')
})

it('shows what the gate asks for although the chosen tree lacks it, with what the service said', () => {
  const error = new ApiProblem({
    type: '/problems/invalid-request',
    title: 'Invalid request',
    status: 400,
    detail: 'The release gate asks for "Now".',
    errors: [{ pointer: '/gateFrom', detail: 'The release gate asks for "Now".' }],
  })

  givenPanel({ gateFrom: 'Now', error })

  expect(gate()).toHaveProperty('value', 'Now: not in this tree')
  expect(screen.getByText(/asks for "Now"/)).toBeTruthy()
})
