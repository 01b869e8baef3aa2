import { beforeAll, expect, it } from 'vitest'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { givenFolder } from '../../server/test/given-feeds.ts'
import { supportCycle, supportList, supportProduct } from '../../server/test/given-support.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenSbom, runPlimsoll, startService } from './service.ts'

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const product = supportProduct('acme-os', [supportCycle('5', '2020-01-01')], {
    label: 'Acme OS',
    identifiers: ['repology:acme-os'],
  })
  await importFeeds(service.ctx, { path: givenFolder({ 'full.json': supportList([product]) }) })
  environment = service.environmentOf(await service.givenWorkspace())
})

const run = (...args: string[]) => runPlimsoll(environment, args)

it('shows what is out of support, and takes dates of one’s own before it', async () => {
  const file = givenSbom('image.json', [
    { name: 'acme-os', version: '5.2' },
    { name: 'acme-sdk', version: '2.4' },
  ])
  const version = ['--firmware', 'gateway', '--version', '1.0']
  await run('sbom', 'upload', file, ...version, '--create', '--wait')
  await run('firmware', 'update', 'gateway', '--support-ends-on', '2031-12-31')

  const before = await run('support', 'show', 'gateway@1.0')
  const failing = await run('support', 'show', 'gateway@1.0', '--fail-within', '0')
  const stated = await run(
    'support',
    'state',
    '--name',
    'acme-sdk',
    '--before',
    '3',
    '--ends-on',
    '2030-06-30',
  )
  const after = await run('support', 'show', 'gateway@1.0')
  const { stdout: list } = await run('support', 'list', '--json')
  const [{ id } = { id: '' }] = (JSON.parse(list) as { statements: { id: string }[] }).statements
  const removed = await run('support', 'delete', id, '--yes')

  expect(before).toMatchObject({ exitCode: EXIT.ok })
  expect(before.stdout).toMatch(/\nAcme OS +5 +out since 2020-01-01 +acme-os 5\.2 /)
  expect(failing.exitCode).toBe(EXIT.findings)
  expect(before.stderr).toMatch(/^1 component of products that nothing is known of\./)
  expect(before.stderr).toContain('Support is promised until 2031-12-31.')
  expect(stated.stdout).toMatch(/: stated for 1 package of acme-sdk before 3\n$/)
  expect(after.stdout).toMatch(/\nacme-sdk +until 2030-06-30, before the promise +acme-sdk 2\.4 /)
  expect(removed).toMatchObject({ exitCode: EXIT.ok })
  expect((await run('support', 'list')).stdout).toBe('No stated ends of support.\n')
})

it.each([
  [['--ends-on', '2030-01-01'], '--name or --purl'],
  [['--name', 'a'], '--ends-on with a day, or --no-end'],
  [['--name', 'a', '--ends-on', '2030-01-01', '--no-end'], '--ends-on with a day, or --no-end'],
])('says what %j lacks', async (options, missing) => {
  const { exitCode, stderr } = await run('support', 'state', ...options)

  expect(exitCode).toBe(EXIT.error)
  expect(stderr).toContain(missing)
})
