import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { affectedIn, givenAdvisory } from '../../server/test/given-knowledge.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const CPE = 'cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'
let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
beforeAll(async () => {
  service = await startService({ withWorker: true })
  environment = service.environmentOf(await service.givenWorkspace())
  await givenAdvisory(service.ctx.db, {
    id: 'CVE-2024-1234',
    score: 9.8,
    affected: [affectedIn('cpe:acme:widget', [{ fixed: '2.0' }])],
  })
  const sbom = givenSbom('image.json', [{ name: 'widget', version: '1.0', cpe: CPE }])
  const version = ['--firmware', 'gateway', '--version', '1.0']
  await runPlimsoll(environment, ['sbom', 'upload', sbom, ...version, '--create', '--wait'])
})

const DOCUMENT = givenFile(
  'vex.json',
  JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex/1',
    author: 'Example',
    timestamp: '2024-01-01T00:00:00Z',
    version: 1,
    statements: [
      {
        vulnerability: { name: 'CVE-2024-1234' },
        products: [{ '@id': 'pkg:generic/gateway@1.0' }, { '@id': 'pkg:generic/other@1' }],
        status: 'not_affected',
        justification: 'component_not_present',
      },
    ],
  }),
)

it('previews, imports and exports VEX', async () => {
  const version = ['--firmware-version', 'gateway@1.0']

  const preview = await runPlimsoll(environment, [
    'vex',
    'import',
    DOCUMENT,
    ...version,
    '--dry-run',
  ])
  const taken = await runPlimsoll(environment, ['vex', 'import', DOCUMENT, ...version])
  const file = givenFile('out.json', '')
  const written = await runPlimsoll(environment, [
    'vex',
    'export',
    ...version,
    '--format',
    'cyclonedx',
    '--output',
    file,
  ])

  expect(preview.stdout).toMatch(
    /CVE-2024-1234 +widget 1\.0 +NotAssessed +NotAffected +component_not_present/,
  )
  expect(preview.stdout).toContain('1 finding would change')
  expect(preview.stderr).toContain(
    '/statements/0 CVE-2024-1234 pkg:generic/other@1: The product is neither this firmware version nor a component of it.',
  )
  expect(taken.stdout).toContain('1 finding changed')
  expect(written.exitCode).toBe(EXIT.ok)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    bomFormat: 'CycloneDX',
    vulnerabilities: [{ id: 'CVE-2024-1234', analysis: { state: 'not_affected' } }],
  })
})

it('says by its exit code that a person decided otherwise, until that is accepted', async () => {
  const version = ['--firmware', 'gateway', '--version', '1.0']
  const named = ['CVE-2024-1234', ...version]
  const text = readFileSync(DOCUMENT, 'utf8')
    .replace('vex/1', 'vex/2')
    .replace('2024-01', '2025-01')
  await runPlimsoll(environment, ['findings', 'assess', ...named, '--assessment', 'exploitable'])

  const taken = await runPlimsoll(environment, [
    'vex',
    'import',
    givenFile('later.json', text),
    ...version,
  ])

  expect(taken.exitCode).toBe(EXIT.vexNotApplied)
  expect(taken.stdout).toContain('1 disagreeing with a person')
  const [, id = ''] = /plimsoll vex accept (\S+)/.exec(taken.stderr) ?? []
  const list = await runPlimsoll(environment, ['vex', 'list', ...version])
  expect(list.stdout).toContain(id)
  const preview = await runPlimsoll(environment, ['vex', 'accept', id, '--dry-run'])
  expect(preview.stdout).toMatch(/CVE-2024-1234 +widget 1\.0 +Exploitable +NotAffected/)
  const accepted = await runPlimsoll(environment, ['findings', 'accept', ...named])
  expect([accepted.exitCode, accepted.stdout]).toEqual([EXIT.ok, expect.stringContaining('Not')])
  const again = await runPlimsoll(environment, ['vex', 'accept', id])
  expect(again.stdout).toContain('0 findings changed')
})

it.each`
  args                                                                              | message
  ${['import', '/nowhere.json', '--firmware-version', 'a@1']}                       | ${'Cannot read /nowhere.json'}
  ${['import', givenFile('broken.json', '{"a": ')]}                                 | ${'is not JSON'}
  ${['import', givenFile('list.json', '[]')]}                                       | ${'does not hold a JSON object'}
  ${['import', givenFile('other.json', '{}'), '--firmware-version', 'gateway@1.0']} | ${'This is not a VEX document.'}
  ${['export']}                                                                     | ${'Name the firmware version'}
  ${['export', '--firmware-version', 'gateway@9']}                                  | ${'gateway has no version named "9"'}
`('refuses $args', async ({ args, message }) => {
  const { exitCode, stderr } = await runPlimsoll(environment, ['vex', ...(args as string[])])

  expect(exitCode).toBe(EXIT.error)
  expect(stderr).toContain(message as string)
})
