import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../../test/components.tsx'
import { SsvcDecision } from './ssvc-decision.tsx'

const step = (name: string, values: string[], source: 'Record' | 'Product') => ({
  point: name,
  name,
  values,
  isKnown: values.length === 1,
  source,
})

it('says the outcome, and of each step whose word it is or that it is not known', () => {
  show(
    <SsvcDecision
      decision={{
        tree: 'Fleet',
        treeName: 'CISA with the fleet',
        outcome: 'Attend',
        possibleOutcomes: ['Track', 'Attend'],
        steps: [
          step('Exploitation', ['Public PoC'], 'Record'),
          step('Mission Prevalence', ['Minimal', 'Support', 'Essential'], 'Product'),
        ],
      }}
      stateIt={(part) => <a href={`#${part}`}>State it</a>}
    />,
  )

  expect(screen.getByText(/1 of 2 steps not known/)).toBeTruthy()
  expect(screen.getByText(/Exploitation/).textContent).toBe(
    'Exploitation: Public PoC (by the CVE record)',
  )
  expect(screen.getByText(/Mission Prevalence/).textContent).toBe(
    'Mission Prevalence: not known (it may be Minimal, Support, Essential) State it',
  )
  expect(screen.getByRole('link', { hidden: true }).getAttribute('href')).toBe('#products')
  expect(screen.getByText(/What is not known/).textContent).toContain('may decide Track, Attend.')
})
