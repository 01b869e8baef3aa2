import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']
const BUSYBOX = { name: 'busybox', version: '1.36.1', purl: 'pkg:generic/busybox@1.36.1' }
const ZLIB = { name: 'zlib', version: '1.3', publisher: 'zlib.net' }

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ withWorker: true })
})

async function givenEnvironment(): Promise<Environment> {
  return service.environmentOf(await service.givenWorkspace())
}

describe('plimsoll sbom upload', () => {
  it('creates what is missing, uploads several files and waits for them', async () => {
    const environment = await givenEnvironment()
    const files = [givenSbom('one ü.json', [BUSYBOX]), givenSbom('two.json', [ZLIB])]

    const { exitCode, stdout, stderr } = await runPlimsoll(environment, [
      'sbom',
      'upload',
      ...files,
      ...VERSION,
      '--create',
      '--wait',
    ])

    expect(exitCode).toBe(EXIT.ok)
    expect(stderr).toMatch(/^Uploading 1 kB\n/)
    expect(stderr).toContain('two.json: ready\n')
    expect(stdout).toMatch(/^FILE +STATE +FORMAT +COMPONENTS +UPLOADED \(UTC\) +ID\n/)
    expect(stdout).toMatch(/\none ü\.json +ready +CycloneDxJson 1\.6 +1 +20/)
  })

  it('answers as JSON, the same ids for the same bytes', async () => {
    const environment = await givenEnvironment()
    const command = [
      'sbom',
      'upload',
      givenSbom('a.json', [ZLIB]),
      ...VERSION,
      '--create',
      '--json',
    ]

    const first = await runPlimsoll(environment, command)
    const again = await runPlimsoll(environment, [...command, '--wait'])

    const { sboms } = JSON.parse(first.stdout) as { sboms: { id: string }[] }
    expect(sboms).toMatchObject([{ parsingState: 'InProgress' }])
    expect(JSON.parse(again.stdout)).toMatchObject({
      sboms: [{ id: sboms[0]?.id, fileName: 'a.json', parsingState: 'Succeeded' }],
    })
  })

  it('has an exit code for a document that cannot be read, and says why', async () => {
    const environment = await givenEnvironment()
    const file = givenFile('broken.json', '{"bomFormat": "CycloneDX", ')

    const outcome = await runPlimsoll(environment, [
      'sbom',
      'upload',
      file,
      ...VERSION,
      '--create',
      '--wait',
    ])

    expect(outcome.exitCode).toBe(EXIT.sbomFailed)
    expect(outcome.stdout).toContain('broken.json failed: ')
  })

  it('creates nothing unasked', async () => {
    const environment = await givenEnvironment()

    const outcome = await runPlimsoll(environment, [
      'sbom',
      'upload',
      givenSbom('a.json', [ZLIB]),
      ...VERSION,
    ])

    expect(outcome).toEqual({
      exitCode: EXIT.error,
      stdout: '',
      stderr:
        'No firmware has the slug "gateway"; plimsoll firmware list shows what there is, sbom upload --create makes it.\n',
    })
  })

  it('says which file does not exist, before it sends anything', async () => {
    const outcome = await runPlimsoll({}, ['sbom', 'upload', '/nowhere.json', ...VERSION])

    expect(outcome.stderr).toBe('Cannot read /nowhere.json: there is no such file.\n')
    expect(outcome.exitCode).toBe(EXIT.error)
  })

  it('takes the id of a version, also where it would create what a name does not find', async () => {
    const environment = await givenEnvironment()
    const file = givenSbom('a.json', [ZLIB])
    const upload = async (...args: string[]) => {
      const outcome = await runPlimsoll(environment, ['sbom', 'upload', ...args, '--json'])
      return (JSON.parse(outcome.stdout) as { firmwareVersionId: string }).firmwareVersionId
    }

    const made = await upload('gateway@3.0', file, '--create')

    expect(await upload(made, file, '--create')).toBe(made)
    expect(await upload('3.0', file, '--firmware', 'gateway', '--create')).toBe(made)
  })

  it('creates nothing for a file that is no SBOM', async () => {
    const environment = await givenEnvironment()
    const accounts = givenFile('passwd', 'root:x:0:0:root:/root:/bin/bash\n')

    const outcome = await runPlimsoll(environment, [
      'sbom',
      'upload',
      'gateway@2.4.1',
      accounts,
      '--create',
    ])

    expect(outcome.exitCode).toBe(EXIT.sbomFailed)
    expect(outcome.stderr).toMatch(/passwd is not an SBOM: .* Nothing was created\.\n$/)
    const listed = await runPlimsoll(environment, ['firmware', 'list', '--quiet'])
    expect(listed.stdout).toBe('')
  })

  it('shows the fields of a problem', async () => {
    const environment = await givenEnvironment()

    const outcome = await runPlimsoll(environment, [
      'sbom',
      'upload',
      givenSbom('a.json', [ZLIB]),
      '--firmware',
      'No Slug',
      '--version',
      '1',
      '--create',
    ])

    expect(outcome.exitCode).toBe(EXIT.error)
    expect(outcome.stderr).toMatch(/^\/slug is not written like [^\n]+\n$/)
  })

  it('takes names of versions that look alike for one, and says why it refuses others', async () => {
    const environment = await givenEnvironment()
    const upload = (version: string) =>
      runPlimsoll(environment, [
        'sbom',
        'upload',
        givenSbom('a.json', [ZLIB]),
        '--firmware',
        'gateway',
        `--version=${version}`,
        '--create',
      ])

    const taken = []
    for (const version of ['2.0\r', '2.0 ', ' 2.0', '2.0\u00a0', '2.0'])
      taken.push((await upload(version)).exitCode)
    const refused = await upload('2.0\u200b')
    const listed = await runPlimsoll(environment, ['firmware', 'versions', 'gateway', '--json'])

    expect(taken).toEqual([0, 0, 0, 0, 0])
    expect(refused).toMatchObject({ exitCode: EXIT.error })
    expect(refused.stderr).toContain('invisible character (U+200B)')
    const { firmwareVersions } = JSON.parse(listed.stdout) as {
      firmwareVersions: { name: string }[]
    }
    expect(firmwareVersions.map(({ name }) => name)).toEqual(['2.0'])
  })

  it('lets two pipelines create the same version at once', async () => {
    const environment = await givenEnvironment()
    const upload = (name: string) =>
      runPlimsoll(environment, [
        'sbom',
        'upload',
        givenSbom(name, [ZLIB]),
        ...VERSION,
        '--create',
        '--json',
      ])

    const outcomes = await Promise.all(['a.json', 'b.json', 'c.json'].map(upload))

    const versions = outcomes.map(
      ({ stdout }) => (JSON.parse(stdout) as { firmwareVersionId: string }).firmwareVersionId,
    )
    expect(new Set(versions).size).toBe(1)
  })
})

describe('plimsoll sbom list and components list', () => {
  it('show what a firmware version holds', async () => {
    const environment = await givenEnvironment()
    const file = givenSbom('image.json', [BUSYBOX, ZLIB])
    const uploaded = await runPlimsoll(environment, [
      'sbom',
      'upload',
      file,
      ...VERSION,
      '--create',
      '--wait',
      '--json',
    ])
    const { sboms } = JSON.parse(uploaded.stdout) as { sboms: { id: string }[] }

    const list = (...args: string[]) => runPlimsoll(environment, args)
    const [listed, all, named, ofSbom] = await Promise.all([
      list('sbom', 'list', ...VERSION, '--json'),
      list('components', 'list', ...VERSION),
      list('components', 'list', ...VERSION, '--name', 'BUSY', '--json'),
      list('components', 'list', '--sbom', sboms[0]?.id ?? '', '--json'),
    ])

    expect(JSON.parse(listed.stdout)).toMatchObject({ sboms: [{ componentCount: 2 }] })
    expect(all.stdout).toMatch(/^NAME +VERSION +VENDOR +PURL +CPE +NOT MATCHED BECAUSE\n/)
    expect(all.stdout).toMatch(/\nbusybox +1\.36\.1 +pkg:generic\/busybox@1\.36\.1/)
    expect(all.stdout).toMatch(/\nzlib +1\.3 +zlib\.net/)
    expect(all.stdout).toMatch(/\n2 components\n$/)
    expect(JSON.parse(named.stdout)).toMatchObject({ components: [{ packageName: 'busybox' }] })
    expect(JSON.parse(ofSbom.stdout)).toMatchObject({
      components: [{ packageName: 'busybox' }, { packageName: 'zlib' }],
    })
  })

  it('want a firmware version or an SBOM', async () => {
    const outcome = await runPlimsoll(await givenEnvironment(), ['components', 'list'])

    expect(outcome.exitCode).toBe(EXIT.error)
    expect(outcome.stderr).toContain('--sbom')
  })
})
