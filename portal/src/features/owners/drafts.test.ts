import { ApiProblem, type OwnerRules } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import {
  describeDifference,
  findRowFault,
  isSame,
  moveRule,
  readDrafts,
  removeTeam,
  restoreOwners,
  writeDrafts,
} from './drafts.ts'

const [ANN, BOOT] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b']

const ruleOf = (id: string, owner: OwnerRules['rules'][number]['owner']) => ({
  id,
  components: ['u-boot*'],
  purls: [],
  files: [],
  firmwareIds: [],
  firmwares: [],
  memberId: owner.type === 'Member' ? owner.id : null,
  team: owner.type === 'Team' ? owner.name : null,
  owner,
  vacancy: null,
})

const FOUND: OwnerRules = {
  teams: [{ id: BOOT, name: 'Boot', memberIds: [ANN], members: [] }],
  rules: [
    ruleOf('one', { type: 'Team', id: BOOT, name: 'Boot' }),
    ruleOf('two', { type: 'Member', id: ANN, name: 'ann@example.com' }),
  ],
}

it('sends what was read as it was: members by id, teams by name', () => {
  const sent = writeDrafts(readDrafts(FOUND))

  expect(sent.teams).toEqual([{ id: BOOT, name: 'Boot', memberIds: [ANN] }])
  expect(sent.rules).toMatchObject([
    { id: 'one', components: ['u-boot*'], team: 'Boot' },
    { id: 'two', components: ['u-boot*'], memberId: ANN },
  ])
  expect(isSame(readDrafts(FOUND), readDrafts(FOUND))).toBe(true)
})

it('lets rules follow a team that gets another name', () => {
  const { teams, rules } = readDrafts(FOUND)
  const renamed = teams.map((team) => ({ ...team, name: ' Loader ' }))

  expect(writeDrafts({ teams: renamed, rules }).rules[0]).toMatchObject({ team: 'Loader' })
})

it('removes a team with the rules that give to it, and says both', () => {
  const before = readDrafts(FOUND)
  const after = removeTeam(before, BOOT)

  expect(after.rules.map(({ key }) => key)).toEqual(['two'])
  expect(describeDifference(before, after)).toBe('1 team goes, 1 rule goes.')
})

it('says that the order changes where rules are moved, and not where one goes', () => {
  const before = readDrafts(FOUND)
  const moved = { ...before, rules: moveRule(before.rules, 0, 1) }

  expect(moved.rules.map(({ key }) => key)).toEqual(['two', 'one'])
  expect(describeDifference(before, moved)).toBe('The order of rules changes.')
  expect(describeDifference(before, { ...before, rules: before.rules.slice(1) })).toBe(
    '1 rule goes.',
  )
})

it('states again what had gone, without the ids that went with it', () => {
  const restored = restoreOwners(FOUND, { teams: [], rules: FOUND.rules.slice(1) })

  expect(restored.teams).toEqual([{ name: 'Boot', memberIds: [ANN] }])
  expect(restored.rules).toMatchObject([{ team: 'Boot' }, { id: 'two' }])
  expect(restored.rules[0]).not.toHaveProperty('id')
})

it('finds what the service said of a row, and nothing said of rows that begin alike', () => {
  const error = new ApiProblem({
    type: '/problems/invalid-request',
    title: 'Invalid request',
    status: 400,
    detail: 'The owner rules are wrong.',
    errors: [{ pointer: '/rules/10/components/0', detail: 'At most 5 times * is taken.' }],
  })

  expect(findRowFault(error, 'rules', 10)).toBe('At most 5 times * is taken.')
  expect(findRowFault(error, 'rules', 1)).toBeUndefined()
  expect(findRowFault(error, 'teams', 10)).toBeUndefined()
})
