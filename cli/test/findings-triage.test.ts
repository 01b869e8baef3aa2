import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']
let environment: Environment
let findingId: string

beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const record = {
    schema_version: '1.7.0',
    id: 'CVE-2026-1001',
    modified: '2026-08-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'flawed' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    ],
  }
  await importFeeds(service.ctx, { path: givenFile('record.json', JSON.stringify(record)) })
  environment = service.environmentOf(await service.givenWorkspace())
  const components = [{ name: 'flawed', version: '1.0.0', purl: 'pkg:npm/flawed@1.0.0' }]
  const file = givenSbom('image.json', components)
  await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create', '--wait'])
  const { stdout } = await runPlimsoll(environment, ['findings', 'list', ...VERSION, '--json'])
  findingId = (JSON.parse(stdout) as { findings: { id: string }[] }).findings[0]?.id ?? ''
})

describe('plimsoll findings', () => {
  it('assess says how the finding stands by then', async () => {
    const verdict = ['--assessment', 'not-affected', '--justification', 'code-not-reachable']
    const args = ['findings', 'assess', findingId, ...verdict, '--detail', 'Switched off.']

    const { stdout, exitCode } = await runPlimsoll(environment, args)
    const whole = await runPlimsoll(environment, [...args, '--response', 'will_not_fix', '--json'])

    expect(exitCode).toBe(EXIT.ok)
    expect(stdout).toBe('CVE-2026-1001 in flawed 1.0.0: NotAffected; not active\n')
    expect(JSON.parse(whole.stdout)).toMatchObject({
      id: findingId,
      assessment: 'NotAffected',
      justification: 'code_not_reachable',
      detail: 'Switched off.',
      response: 'will_not_fix',
    })
  })

  it('show says what it is, where, who has it and what was decided, by id or by name', async () => {
    const verdict = ['--assessment', 'exploitable', '--detail', 'The next release mends it.']
    await runPlimsoll(environment, ['findings', 'assess', findingId, ...verdict])

    const byId = await runPlimsoll(environment, ['findings', 'show', findingId])
    const byName = await runPlimsoll(environment, ['findings', 'show', 'cve-2026-1001', ...VERSION])
    const json = await runPlimsoll(environment, ['findings', 'show', findingId, '--json'])
    const none = await runPlimsoll(environment, ['findings', 'show', 'CVE-2000-1', ...VERSION])

    expect(byId.stdout).toMatch(/^Finding: +CVE-2026-1001 in flawed 1\.0\.0$/m)
    expect(byId.stdout).toMatch(/^Of: +gateway@1\.0$/m)
    expect(byId.stdout).toMatch(/^Decision: +Exploitable$/m)
    expect(byId.stdout).toMatch(/^Fixed in: +2\.0\.0$/m)
    expect(byId.stdout).toMatch(/^Devices: +0: 0 now/m)
    expect(byId.stdout).toMatch(/^20.+ Exploitable .* The next release/m)
    expect(byName.stdout).toBe(byId.stdout)
    expect(JSON.parse(json.stdout)).toMatchObject({ id: findingId, assessment: 'Exploitable' })
    expect(none).toMatchObject({
      exitCode: EXIT.error,
      stdout: '',
      stderr: 'gateway@1.0 has no finding of CVE-2000-1.\n',
    })
  })

  it('ignore and unignore leave the assessment', async () => {
    await runPlimsoll(environment, ['findings', 'assess', findingId, '--assessment', 'InTriage'])

    const ignored = await runPlimsoll(environment, ['findings', 'ignore', findingId])
    const undone = await runPlimsoll(environment, ['findings', 'unignore', findingId])

    expect(ignored.stdout).toBe('CVE-2026-1001 in flawed 1.0.0: InTriage, ignored; not active\n')
    expect(undone.stdout).toBe('CVE-2026-1001 in flawed 1.0.0: InTriage\n')
  })

  it('repeat ignores again what was ignored for another version of the package', async () => {
    await runPlimsoll(environment, ['findings', 'ignore', findingId])
    const components = [{ name: 'flawed', version: '1.1.0', purl: 'pkg:npm/flawed@1.1.0' }]
    const next = ['--firmware', 'gateway', '--version', '1.1']
    const file = givenSbom('next.json', components)
    await runPlimsoll(environment, ['sbom', 'upload', file, ...next, '--create', '--wait'])

    const preview = await runPlimsoll(environment, ['findings', 'repeat', ...next, '--dry-run'])
    const done = await runPlimsoll(environment, ['findings', 'repeat', ...next, '--ignored'])
    const again = await runPlimsoll(environment, ['findings', 'repeat', ...next])

    expect(preview.stdout).toBe('1 finding would be decided as before\n')
    expect(done.stdout).toBe('1 finding is decided as before\n')
    expect(again.stdout).toBe('0 findings are decided as before\n')
  })

  it('undo takes back what was decided last, one command after the other', async () => {
    await runPlimsoll(environment, ['findings', 'unignore', findingId])
    await runPlimsoll(environment, ['findings', 'assess', findingId, '--assessment', 'InTriage'])
    await runPlimsoll(environment, ['findings', 'ignore', findingId])
    const shown = async () => {
      const { stdout } = await runPlimsoll(environment, ['findings', 'show', findingId, '--json'])
      const { assessment, ignored } = JSON.parse(stdout) as Record<string, unknown>
      return { assessment, ignored }
    }

    const preview = await runPlimsoll(environment, ['findings', 'undo', '--dry-run'])
    const untouched = await shown()
    const done = await runPlimsoll(environment, ['findings', 'undo'])
    const listed = await runPlimsoll(environment, ['findings', 'decisions', '--limit', '2'])
    const [batch = ''] = /\S+$/m.exec(listed.stdout.split('\n')[1] ?? '') ?? []
    const again = await runPlimsoll(environment, ['findings', 'undo', batch])

    expect(preview.stdout).toBe('1 finding would have again what was decided before\n')
    expect(untouched).toEqual({ assessment: 'InTriage', ignored: true })
    expect(done.stdout).toBe('1 finding has again what was decided before\n')
    expect(await shown()).toEqual({ assessment: 'InTriage', ignored: false })
    expect(listed.stdout).toMatch(/ Ignore +1 +CVE-2026-1001 +20/)
    expect(again).toMatchObject({ exitCode: EXIT.error })
    expect(again.stderr).toContain('taken back by')
  })

  it.each([
    [['assess', 'x', '--assessment', 'Resolved'], 'No finding has the id'],
    [['ignore', 'x'], 'No finding has the id'],
    [['assess', 'x'], "required option '--assessment <word>' not specified"],
    [['assess', 'x', '--assessment', 'fine'], 'Use one of: NotAssessed'],
    [
      ['assess', 'x', '--assessment', 'Resolved', '--justification', 'code_not_present'],
      'A justification explains NotAffected or FalsePositive',
    ],
  ])('%j fails with words', async (args, words) => {
    const { stderr, exitCode } = await runPlimsoll(environment, ['findings', ...args])

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(words)
  })
})

describe('a firmware version and a finding', () => {
  const named = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await runPlimsoll(environment, args)
    return { text: stdout + stderr, exitCode }
  }

  it.each([
    ['findings', 'list', 'gateway@1.0', '--quiet'],
    ['findings', 'list', '1.0', '--firmware', 'gateway', '--quiet'],
    ['sbom', 'list', 'gateway@1.0', '--quiet'],
    ['components', 'list', 'gateway@1.0', '--quiet'],
    ['vex', 'export', 'gateway@1.0'],
    ['reports', 'version', 'gateway@1.0'],
    ['findings', 'export', 'gateway@1.0'],
    ['findings', 'why', 'gateway@1.0', '--component', 'flawed'],
    ['findings', 'repeat', 'gateway@1.0', '--dry-run'],
  ])('are named as slug@name: %s %s %s', async (...args) => {
    const byOptions = args
      .filter((arg) => arg !== '--firmware' && arg !== 'gateway')
      .flatMap((arg) => (/^(gateway@)?1\.0$/.test(arg) ? VERSION : [arg]))

    const { text, exitCode } = await named(...args)

    expect([exitCode, text.length > 0]).toEqual([EXIT.ok, true])
    const timeless = (answer: string) => answer.replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+/g, 'time')
    expect(timeless((await named(...byOptions)).text)).toBe(timeless(text))
  })

  it('are named by the vulnerability and the version, with the component where it needs one', async () => {
    const ignored = await named('findings', 'ignore', 'CVE-2026-1001', 'gateway@1.0')
    const shown = await named('findings', 'show', 'CVE-2026-1001', 'gateway@1.0')
    const back = await named('findings', 'unignore', 'CVE-2026-1001', 'gateway@1.0')

    expect(ignored.text).toMatch(/^CVE-2026-1001 in flawed 1\.0\.0: \w+, ignored/)
    expect(shown.text).toContain(findingId)
    expect(back.exitCode).toBe(EXIT.ok)
  })

  it.each([
    { args: ['findings', 'list'], says: 'such as gateway@2.4.1' },
    { args: ['findings', 'list', '--firmware', 'gateway'], says: 'belong together' },
    { args: ['findings', 'list', 'gateway'], says: 'give its id, or slug@name' },
    { args: ['findings', 'list', 'gateway@1.0', '--version', '1.0'], says: 'Name one version' },
    { args: ['findings', 'show', 'CVE-2026-1001'], says: 'CVE-2026-1001 gateway@2.4.1' },
    { args: ['sbom', 'upload', 'gateway@1.0'], says: 'sbom upload gateway@2.4.1 FILE' },
    { args: ['sbom', 'delete', 'image.json'], says: 'sbom delete FILE gateway@2.4.1' },
    { args: ['components', 'list'], says: 'such as gateway@2.4.1' },
  ])('are asked for with an example: $args', async ({ args, says }) => {
    const { text, exitCode } = await named(...args)

    expect(text).toContain(says)
    expect([exitCode, text.trim().split('\n').length]).toEqual([EXIT.error, 1])
  })

  it('decides by vulnerability and component or version, with true counts and the way back', async () => {
    const components = ['1.2.0', '1.3.0'].map((version) => ({
      name: 'flawed',
      version,
      purl: `pkg:npm/flawed@${version}`,
    }))
    const file = givenSbom('two.json', components)
    await runPlimsoll(environment, ['sbom', 'upload', 'gateway@1.2', file, '--create', '--wait'])
    const states = async () => {
      const { stdout } = await runPlimsoll(environment, [
        'findings',
        'list',
        'gateway@1.2',
        '--csv',
      ])
      return stdout
        .split('\r\n')
        .slice(1, 3)
        .map((line) => line.split(',').at(-2))
    }
    const assess = [
      'findings',
      'assess',
      'CVE-2026-1001',
      'gateway@1.2',
      '--assessment',
      'in-triage',
    ]
    const before = await states()

    const asked = await runPlimsoll(environment, assess)
    const counted = await runPlimsoll(environment, [...assess, '--dry-run'])
    const untouched = await states()
    const one = await runPlimsoll(environment, [...assess, '--component', 'flawed@1.2.0'])
    const both = await runPlimsoll(environment, [...assess, '--component', 'flawed', '--yes'])
    const after = await states()
    const [, batch = ''] = /findings undo (\S+)\n/.exec(both.stdout) ?? []
    const undone = await runPlimsoll(environment, ['findings', 'undo', batch])
    const all = await runPlimsoll(environment, ['findings', 'ignore', 'CVE-2026-1001', '--dry-run'])
    const none = await runPlimsoll(environment, ['findings', 'ignore', 'CVE-2000-1', '--yes'])

    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toBe(
      '2 findings of CVE-2026-1001 of gateway@1.2 (now 2 NotAssessed) will be assessed as InTriage. Go on? Nobody can be asked here: repeat it with --yes.\n',
    )
    expect(counted.stdout).toBe('2 findings of 2 would be assessed as InTriage\n')
    expect(untouched).toEqual(before)
    expect(one.stdout).toBe('CVE-2026-1001 in flawed 1.2.0: InTriage\n')
    expect(one.stderr).toBe('Take it back with: plimsoll findings undo\n')
    expect(both.stdout).toMatch(
      /^2 findings of CVE-2026-1001 in flawed of gateway@1\.2: 1 is now assessed as InTriage\nTake it back with: plimsoll findings undo \S+\n$/,
    )
    expect(after).toEqual(['InTriage', 'InTriage'])
    expect(undone.stdout).toBe('1 finding has again what was decided before\n')
    expect(all.stdout).toMatch(/^\d findings of 4 would be ignored\n$/)
    expect(none.stderr).toBe(
      'There is no finding of CVE-2000-1 of all firmware versions; plimsoll findings list VERSION shows what there is.\n',
    )
  })

  it('decides for a release line, and leaves other lines as they are', async () => {
    const file = givenSbom('line.json', [
      { name: 'flawed', version: '1.0.0', purl: 'pkg:npm/flawed@1.0.0' },
    ])
    await runPlimsoll(environment, ['sbom', 'upload', 'lined@2.0', file, '--create', '--wait'])
    const lines = ['line', 'set', 'lined']
    await runPlimsoll(environment, [...lines, '2.x LTS', '--pattern', '^2\\.'])
    await runPlimsoll(environment, [...lines, '3.x', '--pattern', '^3\\.'])
    const verdict = ['--assessment', 'not-affected', '--detail', 'No server in 2.x.']
    const assess = ['findings', 'assess', 'CVE-2026-1001', ...verdict]
    const ofLine = [...assess, '--line', 'lined@2.x LTS', '--also-future']

    const counted = await runPlimsoll(environment, [...ofLine, '--dry-run'])
    const done = await runPlimsoll(environment, ofLine)
    for (const version of ['lined@2.1', 'lined@3.0'])
      await runPlimsoll(environment, ['sbom', 'upload', version, file, '--create', '--wait'])
    const [two, three] = await Promise.all(
      ['lined@2.1', 'lined@3.0'].map((version) =>
        runPlimsoll(environment, ['findings', 'show', 'CVE-2026-1001', version]),
      ),
    )
    const unknown = await runPlimsoll(environment, [...assess, '--line', 'lined@4.x', '--yes'])
    const both = await runPlimsoll(environment, [...ofLine, 'lined@2.0'])

    expect(counted.stdout).toBe('1 finding of 1 would be assessed as NotAffected\n')
    expect(done.stdout).toMatch(
      /^1 finding of CVE-2026-1001 of the line lined@2\.x LTS and to come: 1 is now assessed as NotAffected\nTake it back with: /,
    )
    expect(two?.stdout).toContain('NotAffected, for the line 2.x LTS alone')
    expect(three?.stdout).toContain('NotAssessed')
    expect(unknown.stderr).toContain('No release line has the id or slug@name "lined@4.x".')
    expect(both.stderr).toContain('--line and --also-future need no version')
  })
})
