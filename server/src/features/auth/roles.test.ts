import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { canManageRole, ROLE_MEANINGS } from './roles.ts'
import { ROLES } from '../../formats/roles.ts'

it('is the table of the guide', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/people.md', import.meta.url), 'utf8')
  const [, table = ''] = /<!-- roles:.*?-->\n(.*?)<!-- end of roles -->/s.exec(guide) ?? []
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))

  expect(rows.map(([, role, description]) => [role, description])).toEqual(
    ROLE_MEANINGS.map(({ role, description }) => [`\`${role}\``, description]),
  )
})

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
