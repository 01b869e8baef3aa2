import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: false })
  environment = service.environmentOf(await service.givenWorkspace())
})

const run = (...args: string[]) => runPlimsoll(environment, args)

it('adds, tries, changes and deletes release lines', async () => {
  await run('firmware', 'create', 'gateway')
  for (const name of ['2.4', '3.0', '2.5'])
    await run('firmware-version', 'create', `gateway@${name}`)

  const tried = await run('line', 'set', 'gateway', '2.x LTS', '--pattern', '^2\\.', '--dry-run')
  const untouched = await run('line', 'list', 'gateway')
  const added = await run('line', 'set', 'gateway', '2.x LTS', '--pattern', '^2\\.')
  await run('line', 'set', 'gateway', 'Acme')
  const stated = await run('firmware-version', 'update', 'gateway@3.0', '--line', 'Acme')
  const versions = await run('firmware', 'versions', 'gateway')
  const shown = await run('firmware-version', 'show', 'gateway@3.0')
  const renamed = await run(
    'line',
    'set',
    'gateway',
    '2.x LTS',
    '--name',
    'LTS',
    '--support-ends-on',
    '2031-12-31',
  )
  const refused = await run('line', 'delete', 'gateway', 'Acme', '--yes')
  const deleted = await run('line', 'delete', 'gateway', 'LTS', '--yes')

  expect(tried.stdout).toBe(
    '2.x LTS: Moves 2 of 3 versions to another line; 1 belong to none. Nothing was changed.\n',
  )
  expect(untouched.stdout).toBe('No release lines.\n')
  expect(added.stdout).toMatch(/^2\.x LTS: added\. Moves 2 of 3 versions/)
  expect(stated).toMatchObject({ exitCode: EXIT.ok })
  expect(versions.stdout).toMatch(
    /2\.5 +2\.x LTS, newest .*\n3\.0 +Acme, newest .*\n2\.4 +2\.x LTS /,
  )
  expect(shown.stdout).toMatch(/Line: +Acme, its newest version, as stated\n/)
  expect(renamed.stdout).toMatch(/^LTS: changed\. Moves 0 of 3 versions/)
  expect(refused.exitCode).not.toBe(EXIT.ok)
  expect(refused.stderr).toContain('1 version is stated to belong to the line "Acme"')
  expect(deleted.stdout).toMatch(/^LTS: deleted\. Moves 2 of 3 versions/)
})

it('says what of a pattern is not taken', async () => {
  await run('firmware', 'create', 'sensor')

  const { exitCode, stderr } = await run('line', 'set', 'sensor', 'x', '--pattern', '(a){2}')

  expect(exitCode).not.toBe(EXIT.ok)
  expect(stderr).toContain('"{" is not taken')
})
