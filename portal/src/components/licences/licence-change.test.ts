import { expect, it } from 'vitest'
import { describeLicenceChange } from './licence-change.ts'

const NONE = { allowed: 0, review: 0, notListed: 0, unknown: 0, denied: 0 }

it('says what a version brings and leaves of licences that need somebody', () => {
  const brought = { ...NONE, denied: 2, unknown: 1, allowed: 7 }
  const left = { ...NONE, review: 1 }

  expect(describeLicenceChange({ brought, left })).toBe(
    'Brings 2 components with a denied licence and 1 component whose licence is not known. Leaves behind 1 component with a licence to review',
  )
})

it('says nothing where nothing changes, and where there are no rules', () => {
  expect(describeLicenceChange({ brought: { ...NONE, allowed: 3 }, left: NONE })).toBeUndefined()
  expect(describeLicenceChange(null)).toBeUndefined()
})
