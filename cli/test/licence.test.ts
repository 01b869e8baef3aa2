import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  environment = service.environmentOf(await service.givenWorkspace())
})

const run = (...args: string[]) => runPlimsoll(environment, args)
const licensed = (name: string, expression: string) => ({
  name,
  version: '1',
  licenses: [{ expression }],
})

it('states rules, judges a version by them, and writes its notice', async () => {
  const file = givenSbom('image.json', [licensed('good', 'MIT'), licensed('bad', 'GPL-3.0-only')])
  const version = ['--firmware', 'gateway', '--version', '1.0']
  await run('sbom', 'upload', file, ...version, '--create', '--wait')
  const rules = { allow: ['MIT'], deny: ['GPL-3.0-only'], review: [], failOn: ['denied'] }

  const unjudged = await run('licence', 'show', 'gateway@1.0', '--fail')
  const set = await run('licence', 'set', givenFile('rules.json', JSON.stringify(rules)))
  const judged = await run('licence', 'show', 'gateway@1.0', '--fail')
  const shown = await run('licence', 'rules', '--firmware', 'gateway')
  const listed = await run('components', 'list', 'gateway@1.0', '--licence', 'denied')
  const supported = await run('components', 'list', 'gateway@1.0', '--support', 'ended,ending')
  const notKnown = await run('components', 'list', 'gateway@1.0', '--support', 'not-known')
  const notice = await run('licence', 'notice', 'gateway@1.0')
  const wrong = givenFile('wrong.json', JSON.stringify({ allow: ['MIT OR X'] }))
  const refused = await run('licence', 'set', wrong)
  const deleted = await run('licence', 'delete', '--yes')

  expect(unjudged.exitCode).toBe(EXIT.licencesNotMet)
  expect(unjudged.stderr).toContain('2 components; nothing was judged, as there are no rules')
  expect(set).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
  expect(judged.exitCode).toBe(EXIT.licencesNotMet)
  expect(judged.stdout).toMatch(/\nGPL-3\.0-only +denied +bad 1 .*\nMIT +allowed +good 1 /)
  expect(judged.stderr).toContain('By the rules of the workspace, 1 may not ship.')
  expect(JSON.parse(shown.stdout)).toEqual(rules)
  expect(listed.stdout).toMatch(/\nbad +1 +not known +GPL-3\.0-only +denied\n\n1 component\n$/)
  expect(supported.stdout).toBe('No components.\n')
  expect(notKnown.stdout).toMatch(/\n2 components\n$/)
  expect(notice.stdout).toContain('GPL-3.0-only\n  - bad 1')
  expect(refused).toMatchObject({ exitCode: EXIT.error })
  expect(deleted).toMatchObject({ exitCode: EXIT.ok })
  expect((await run('licence', 'show', 'gateway@1.0')).exitCode).toBe(EXIT.ok)
})
