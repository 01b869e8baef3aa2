import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { withReplacement } from '../src/replacement.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', 'main']
const OLD = { name: 'zlib', version: '1.2.11' }
const NEW = { name: 'zlib', version: '1.3.2' }

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ withWorker: true })
})

async function givenUploaded(): Promise<Environment> {
  const environment = service.environmentOf(await service.givenWorkspace())
  for (const name of ['image.json', 'other.json']) {
    const file = givenSbom(name, [OLD])
    await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create', '--wait'])
  }
  return environment
}

const list = async (environment: Environment, ...more: string[]) => {
  const { stdout } = await runPlimsoll(environment, ['sbom', 'list', ...VERSION, '--json', ...more])
  return (JSON.parse(stdout) as { sboms: { id: string; fileName: string }[] }).sboms
}

const namesOf = (sboms: readonly { fileName: string }[]) => sboms.map(({ fileName }) => fileName)

describe('plimsoll sbom upload --replace', () => {
  it('replaces the file of the same name, says so before, and keeps the old one', async () => {
    const environment = await givenUploaded()
    const file = givenSbom('image.json', [NEW])

    const asked = await runPlimsoll(environment, [
      'sbom',
      'upload',
      '--replace',
      '--dry-run',
      file,
      ...VERSION,
    ])
    const before = await list(environment)
    const done = await runPlimsoll(environment, [
      'sbom',
      'upload',
      '--replace',
      file,
      ...VERSION,
      '--wait',
    ])

    const text = 'Replaces 1 SBOM with 1 component (image.json); 1 stay.\n'
    expect(asked).toEqual({ exitCode: EXIT.ok, stdout: text, stderr: '' })
    expect(namesOf(before)).toEqual(['image.json', 'other.json'])
    expect(done).toMatchObject({ exitCode: EXIT.ok })
    expect(done.stderr).toContain(text)
    expect(namesOf(await list(environment))).toEqual(['other.json', 'image.json'])
    expect(namesOf(await list(environment, '--replaced'))).toEqual(['image.json'])
  })

  it('asks a person at a terminal', async () => {
    const environment = await givenUploaded()
    const file = givenSbom('image.json', [NEW])
    const command = ['sbom', 'upload', file, ...VERSION, '--replace', 'all']

    const refused = await runPlimsoll(environment, command, { input: 'n\n', isTerminal: true })
    const before = await list(environment)
    const agreed = await runPlimsoll(environment, [...command, '--wait'], {
      input: 'y\n',
      isTerminal: true,
    })

    expect(refused.stderr).toContain('Replaces 2 SBOMs with 2 components')
    expect(refused).toMatchObject({ exitCode: EXIT.error })
    expect(before).toHaveLength(2)
    expect(agreed).toMatchObject({ exitCode: EXIT.ok })
    expect(namesOf(await list(environment))).toEqual(['image.json'])
  })

  it('warns without it', async () => {
    const environment = await givenUploaded()

    const done = await runPlimsoll(environment, [
      'sbom',
      'upload',
      givenSbom('image.json', [NEW]),
      ...VERSION,
      '--json',
    ])

    expect(done.stderr).toContain('The version has another SBOM named "image.json"')
    expect(JSON.parse(done.stdout)).toMatchObject({ warnings: [expect.any(String)] })
  })

  it('says that an earlier version of a document does not count', async () => {
    const environment = await givenUploaded()
    const serialNumber = `urn:uuid:${crypto.randomUUID()}`
    const upload = (version: number) => {
      const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version }
      const file = givenFile(`v${version}.json`, JSON.stringify({ ...bom, components: [] }))
      return runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--wait'])
    }

    await upload(2)
    const earlier = await upload(1)

    expect(earlier).toMatchObject({ exitCode: EXIT.ok })
    expect(earlier.stderr).toContain('v1.json does not count: the SBOM ')
    expect(namesOf(await list(environment))).toContain('v2.json')
  })
})

describe('plimsoll sbom delete', () => {
  it('asks with counts, and deletes by id or file name', async () => {
    const environment = await givenUploaded()
    const [, other] = await list(environment)

    const unasked = await runPlimsoll(environment, ['sbom', 'delete', 'image.json', ...VERSION])
    const byName = await runPlimsoll(environment, [
      'sbom',
      'delete',
      'image.json',
      ...VERSION,
      '--yes',
    ])
    const byId = await runPlimsoll(environment, ['sbom', 'delete', other?.id ?? '', '-y', '--json'])
    const again = await runPlimsoll(environment, ['sbom', 'delete', other?.id ?? '', '--yes'])

    expect(unasked.exitCode).toBe(EXIT.error)
    expect(unasked.stderr).toContain('Delete the SBOM image.json with 1 component?')
    expect(byName.stdout).toBe('image.json: deleted with 1 component\n')
    expect(JSON.parse(byId.stdout)).toEqual({ id: other?.id, fileName: 'other.json' })
    expect(again.exitCode).toBe(EXIT.error)
    expect(await list(environment)).toEqual([])
  })

  it('wants an id where a name is not enough', async () => {
    const environment = await givenUploaded()
    const more = givenSbom('image.json', [NEW])
    await runPlimsoll(environment, ['sbom', 'upload', more, ...VERSION, '--wait'])

    const two = await runPlimsoll(environment, [
      'sbom',
      'delete',
      'image.json',
      ...VERSION,
      '--yes',
    ])
    const bare = await runPlimsoll(environment, ['sbom', 'delete', 'image.json', '--yes'])
    const absent = await runPlimsoll(environment, [
      'sbom',
      'delete',
      'no.json',
      ...VERSION,
      '--yes',
    ])

    expect(two.stderr).toContain('has 2 SBOMs named "image.json"')
    expect(bare.stderr).toContain('by its file name and its version')
    expect(absent.stderr).toContain('has no SBOM named "no.json"')
    expect(await list(environment)).toHaveLength(3)
  })
})

it.each`
  args                                         | expected
  ${['sbom', 'upload', '--replace', 'a.json']} | ${['sbom', 'upload', '--replace=file', 'a.json']}
  ${['sbom', 'upload', 'a', '--replace']}      | ${['sbom', 'upload', 'a', '--replace=file']}
  ${['sbom', 'upload', '--replace', 'all']}    | ${['sbom', 'upload', '--replace', 'all']}
  ${['sbom', 'upload', '--replace=all', 'a']}  | ${['sbom', 'upload', '--replace=all', 'a']}
`('reads $args', ({ args, expected }: { args: string[]; expected: string[] }) => {
  expect(withReplacement(args)).toEqual(expected)
})
