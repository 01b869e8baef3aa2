/** Owner rules by a file, and what belongs to whom. */
import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

let environment: Environment
let email: string
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const workspace = await service.givenWorkspace()
  environment = service.environmentOf(workspace)
  const members = JSON.parse((await run('member', 'list', '--json')).stdout) as { email: string }[]
  email = members[0]?.email ?? ''
})

const run = (...args: string[]) => runPlimsoll(environment, args)
const rulesFile = (rules: object[]) =>
  givenFile('rules.json', JSON.stringify({ teams: [{ name: 'Boot', memberIds: [email] }], rules }))

it('gives findings to a team by a file that names members by address, and lists them', async () => {
  const file = givenSbom('image.json', [{ name: 'xz', version: '5.6.0' }])
  await run(
    'sbom',
    'upload',
    file,
    '--firmware',
    'gateway',
    '--version',
    '1.0',
    '--create',
    '--wait',
  )
  const rules = rulesFile([{ components: ['xz*'], team: 'Boot' }])

  const tried = await run('owner', 'set', rules, '--dry-run')
  const none = await run('owner', 'rules')
  const set = await run('owner', 'set', rules)
  const shown = await run('owner', 'rules')
  const listed = await run('owner', 'list')
  const again = await run(
    'owner',
    'set',
    givenFile('again.json', (await run('owner', 'rules', '--json')).stdout),
  )

  expect(tried).toMatchObject({ exitCode: EXIT.ok })
  expect(tried.stdout + tried.stderr).toContain('Nothing was changed.')
  expect(none.stdout).toBe('No owner rules.\n')
  expect(set.stdout + set.stderr).toContain('1 rule and 1 team hold now.')
  expect(shown.stdout).toMatch(/\nxz\* +Boot +[0-9a-f-]{36}\n/)
  expect(listed.stdout).toContain('Boot')
  expect(again.stdout + again.stderr).toContain('No active finding changes its owner.')
  for (const args of [
    ['findings', 'list', 'gateway@1.0', '--owner', 'Boot'],
    ['vulnerabilities', 'list', '--owner', email],
    ['vulnerabilities', 'list', '--owner', 'none'],
  ])
    expect(await run(...args)).toMatchObject({ exitCode: EXIT.ok })
})

it.each([
  [[{ components: [''], team: 'Boot' }], '/rules/0/components/0'],
  [[{ components: ['xz'], memberId: 'nobody@example.com' }], 'nobody@example.com'],
  [[{ components: ['xz'], team: 'None' }], '/rules/0/team'],
])('says what is wrong with %j', async (rules, words) => {
  const { exitCode, stderr } = await run('owner', 'set', rulesFile(rules))

  expect(exitCode).not.toBe(EXIT.ok)
  expect(stderr).toContain(words)
})

it('takes an older file whose teams and rules have gone, and says which members and firmwares are missing', async () => {
  await run('owner', 'set', rulesFile([{ components: ['xz*'], team: 'Boot' }]))
  const older = JSON.parse((await run('owner', 'rules', '--json')).stdout) as {
    teams: { id: string }[]
    rules: { firmwareIds: string[]; firmwares: object[] }[]
  }
  await run('owner', 'set', givenFile('none.json', JSON.stringify({ teams: [], rules: [] })))

  const again = await run('owner', 'set', givenFile('older.json', JSON.stringify(older)))

  expect(again).toMatchObject({ exitCode: EXIT.ok })
  expect(again.stdout + again.stderr).toContain('1 rule and 1 team hold now.')
  const [rule] = older.rules
  const gone = '01980000-0000-7000-8000-000000000001'
  const named = { id: gone, name: 'Old gateway' }
  const rules = [rule, { ...rule, firmwareIds: [gone], firmwares: [named] }]
  const file = givenFile('gone.json', JSON.stringify({ ...older, rules }))
  const refused = await run('owner', 'set', file)
  const skipped = await run('owner', 'set', file, '--skip-missing')
  expect(refused.exitCode).not.toBe(EXIT.ok)
  expect(refused.stderr).toContain('gone from the workspace: Old gateway.')
  expect(refused.stderr).toContain('--skip-missing')
  expect(skipped).toMatchObject({ exitCode: EXIT.ok })
  expect(skipped.stdout + skipped.stderr).toContain('1 rule and 1 team hold now.')
})
