import { expect, it } from 'vitest'
import { canManageRole } from './roles.ts'
import { ROLES } from '../../formats/roles.ts'

it.each`
  role          | manages
  ${'Owner'}    | ${['Owner', 'Admin', 'Engineer', 'Viewer']}
  ${'Admin'}    | ${['Admin', 'Engineer', 'Viewer']}
  ${'Engineer'} | ${[]}
  ${'Viewer'}   | ${[]}
`(
  '$role manages $manages',
  ({ role, manages }: { role: (typeof ROLES)[number]; manages: string[] }) => {
    expect(ROLES.filter((other) => canManageRole(role, other))).toEqual(manages)
  },
)
