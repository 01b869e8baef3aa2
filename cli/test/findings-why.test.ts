import { beforeAll, expect, it } from 'vitest'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const record = {
    schema_version: '1.7.0',
    id: 'CVE-2026-1001',
    modified: '2026-08-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'flawed', purl: 'pkg:npm/flawed' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    ],
  }
  await importFeeds(service.ctx, { path: givenFile('CVE-2026-1001.json', JSON.stringify(record)) })
  environment = service.environmentOf(await service.givenWorkspace())
  const components = ['1.0.0', '2.0.0'].map((version) => ({
    name: 'flawed',
    version,
    purl: `pkg:npm/flawed@${version}`,
  }))
  const file = givenSbom('image.json', [...components, { name: 'bare' }])
  await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create', '--wait'])
})

const why = (...args: string[]) =>
  runPlimsoll(environment, ['findings', 'why', ...VERSION, ...args])
const FLAW = ['--cve', 'CVE-2026-1001']

it('shows each record with its range and verdict, for what is found and for what is not', async () => {
  const { stdout, exitCode } = await why('--component', 'flawed', ...FLAW)

  expect(exitCode).toBe(EXIT.ok)
  expect(stdout).toMatch(/^flawed@1\.0\.0 of image\.json\nCVE-2026-1001: affected\. .*\nFinding: /m)
  expect(stdout).toMatch(/^flawed@2\.0\.0 of image\.json\nCVE-2026-1001: not affected\. /m)
  expect(stdout).toMatch(
    /\nSOURCE +RECORD +VERDICT +NAME +VERSION +RANGE +ORDER +CONFIDENCE +NOTES\nosv +CVE-2026-1001 +affected +purl:npm\/flawed +1\.0\.0 +before 2\.0\.0 /,
  )
  expect(stdout).toContain('  look-up: Records are looked up by purl:npm/flawed.')
})

it('explains a component alone, as text and as JSON', async () => {
  const text = await why('--component', 'bare')
  const json = await why('--component', 'flawed@1.0.0', ...FLAW, '--json')

  expect(text.stdout).toContain('not matched: It has neither purl, CPE nor repository')
  expect(JSON.parse(json.stdout)).toMatchObject({
    components: [{ vulnerabilities: [{ conclusion: 'affected' }] }],
  })
})

it('names similar components when there is none of the name', async () => {
  const { exitCode, stderr } = await why('--component', 'flaw', ...FLAW)

  expect(exitCode).toBe(EXIT.error)
  expect(stderr).toContain('has no component flaw. Similar: flawed@1.0.0, flawed@2.0.0.')
})
