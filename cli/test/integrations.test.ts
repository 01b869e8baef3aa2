/** What integrations/ gives to pipelines and build systems, run against a service as they would run there. */
import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { findProgram } from '../../server/test/programs.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const INTEGRATIONS = join(ROOT, 'integrations')
const CLI = `${process.execPath} ${await findProgram('client')}`

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const record = {
    schema_version: '1.7.0',
    id: 'CVE-2026-1001',
    modified: '2026-08-01T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [{ package: { ecosystem: 'npm', name: 'flawed' }, versions: ['1.0.0'] }],
  }
  await importFeeds(service.ctx, { path: givenFile('CVE-2026-1001.json', JSON.stringify(record)) })
  environment = service.environmentOf(await service.givenWorkspace())
})

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-integration-'))
  mkdirSync(join(folder, 'my build/spdx'), { recursive: true })
  const sbom = givenSbom('image.json', [
    { name: 'flawed', version: '1.0.0', purl: 'pkg:npm/flawed@1.0.0' },
  ])
  for (const name of ['image.spdx.json', 'spdx/app.spdx'])
    writeFileSync(join(folder, 'my build', name), readFileSync(sbom))
  return folder
}

interface ProcessOutcome {
  exitCode: number
  output: string
}

function run(command: string, args: string[], options: { cwd: string; env?: Environment }) {
  const { cwd, env } = options
  const all = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...environment, ...env }
  return new Promise<ProcessOutcome>((done) => {
    const ended = (error: ExecFileException | null, stdout: string, stderr: string) =>
      done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    execFile(command, args, { cwd, env: all }, ended)
  })
}

const sbomsOf = async (version: string) => {
  const named = ['--firmware', 'gateway', '--version', version]
  return (await runPlimsoll(environment, ['sbom', 'list', ...named, '--csv'])).stdout
}

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>
  runs: { steps: { run: string; env: Record<string, string> }[] }
}

it('the GitHub action uploads, writes SARIF, and ends as the check does', async () => {
  const folder = givenFolder()
  const action = parse(readFileSync(join(INTEGRATIONS, 'github/action.yml'), 'utf8')) as Action
  const [step = { run: '', env: {} }] = action.runs.steps
  const given: Record<string, string> = {
    url: environment['PLIMSOLL_URL'] ?? '',
    'api-key': environment['PLIMSOLL_API_KEY'] ?? '',
    firmware: 'gateway',
    version: '1.0',
    sboms: 'my build/*.spdx.json\n',
    'check-flags': '--sources osv --max-not-judged 100%',
    cli: CLI,
  }
  const valueOf = (name: string) => given[name] ?? action.inputs[name]?.default ?? ''
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_whole, input: string) => valueOf(input)),
    ]),
  )

  const { exitCode, output } = await run('bash', ['-c', step.run], { cwd: folder, env })

  expect({ exitCode, output }).toMatchObject({ exitCode: EXIT.findings })
  expect(output).toContain('1 finding over the threshold: 1 Critical')
  expect(readFileSync(join(folder, 'plimsoll.sarif'), 'utf8')).toContain('CVE-2026-1001')
  expect(step.run).not.toContain('${{')
})

it.each([
  ['GitHub action', 'main-1', 1],
  ['GitHub action without replacing', 'main-2', 2],
] as const)('the %s builds a branch again and again', async (_name, version, expected) => {
  const folder = givenFolder()
  const action = parse(readFileSync(join(INTEGRATIONS, 'github/action.yml'), 'utf8')) as Action
  const [step = { run: '', env: {} }] = action.runs.steps
  const inputs = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])
  const given = {
    ...Object.fromEntries(inputs),
    url: environment['PLIMSOLL_URL'],
    'api-key': environment['PLIMSOLL_API_KEY'],
    firmware: 'gateway',
    version,
    sboms: 'image.json',
    'check-flags': '--sources osv --max-not-judged 100%',
    cli: CLI,
    ...(expected > 1 && { replace: '' }),
  } as Record<string, string>
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, input: string) => given[input] ?? ''),
    ]),
  )

  for (const build of ['1.0.0', '1.0.1']) {
    const sbom = givenSbom('image.json', [
      { name: 'a', version: build, purl: `pkg:npm/a@${build}` },
    ])
    writeFileSync(join(folder, 'image.json'), readFileSync(sbom))
    const ran = await run('bash', ['-c', step.run], { cwd: folder, env })
    expect(ran.output).not.toContain('error:')
  }

  expect((await sbomsOf(version)).match(/^image\.json/gm)).toHaveLength(expected)
})

it('the recipes of the guide install the client and state what there is to state', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/ci.md'), 'utf8')
  const [github, pullRequest, gitlab] = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    ([, text = '']) => parse(text) as Record<string, unknown>,
  )
  const { inputs } = parse(readFileSync(join(INTEGRATIONS, 'github/action.yml'), 'utf8')) as Action
  const required = Object.keys(inputs).filter((name) => inputs[name]?.required === true)

  expect(github).toMatchObject({
    jobs: {
      firmware: {
        permissions: { 'security-events': 'write' },
        steps: expect.arrayContaining([
          { run: expect.stringMatching(/^npm install --global /) as string },
          {
            uses: expect.stringContaining('integrations/github@') as string,
            with: Object.fromEntries(required.map((name) => [name, expect.any(String)])),
          },
        ]) as unknown[],
      },
    },
  })
  expect(pullRequest).toMatchObject([
    { run: expect.stringMatching(/^plimsoll sbom check /) as string },
  ])
  expect(gitlab).toMatchObject({
    'firmware findings': {
      extends: '.plimsoll',
      before_script: [expect.stringMatching(/^npm install --global /)],
    },
  })
})

it('the GitLab job uploads, writes SARIF, and ends as the check does', async () => {
  const folder = givenFolder()
  const file = readFileSync(join(INTEGRATIONS, 'gitlab/plimsoll.gitlab-ci.yml'), 'utf8')
  const { '.plimsoll': job } = parse(file) as {
    '.plimsoll': { variables: Environment; script: string[] }
  }
  const own = { PLIMSOLL_CLI: CLI, PLIMSOLL_FIRMWARE: 'gateway', PLIMSOLL_FIRMWARE_VERSION: '1.1' }
  const sboms = {
    PLIMSOLL_SBOMS: 'my?build/*.spdx.json',
    PLIMSOLL_CHECK_FLAGS: '--sources osv --max-not-judged 100%',
  }
  const env = { ...job.variables, ...own, ...sboms }

  const script = ['set -e', ...job.script].join('\n')
  const { exitCode, output } = await run('sh', ['-c', script], { cwd: folder, env })

  expect({ exitCode, output }).toMatchObject({ exitCode: EXIT.findings })
  expect(readFileSync(join(folder, 'plimsoll.sarif'), 'utf8')).toContain('CVE-2026-1001')
})

/** Machines of developers may lack it. */
const isMissing = (command: string) => spawnSync(command, ['--version']).status !== 0

it.skipIf(isMissing('python3'))('the Python module uploads, waits, and names faults', async () => {
  const folder = givenFolder()
  const module = join(INTEGRATIONS, 'python/plimsoll_upload.py')
  const upload = (...files: string[]) =>
    run('python3', [module, '--firmware', 'gateway', '--version', '2.0', '--wait', ...files], {
      cwd: folder,
    })
  writeFileSync(join(folder, 'broken.spdx.json'), '{"spdxVersion": ')

  const first = await upload('my build/image.spdx.json')
  const again = await upload('my build/image.spdx.json')
  const broken = await upload('broken.spdx.json')
  const alone = await run('python3', ['-m', 'unittest'], { cwd: join(INTEGRATIONS, 'python') })

  expect(first).toEqual({ exitCode: 0, output: 'gateway@2.0: SBOMs uploaded: 1\n' })
  expect(again).toEqual(first)
  expect(broken).toMatchObject({ exitCode: 1 })
  expect(broken.output).toMatch(/^Could not be read: broken\.spdx\.json: /)
  expect(await sbomsOf('2.0')).toContain('image.spdx.json')
  expect(alone).toMatchObject({ exitCode: 0 })
})

/** BitBake as the class sees it: `d` has the variables, `bb` says what it is told, and a fatal fault ends the task. */
const BITBAKE = `import json, sys
given = json.load(sys.stdin)
class Fatal(Exception): pass
class bb:
    @staticmethod
    def note(text): print('note:', text)
    @staticmethod
    def fatal(text): raise Fatal(text)
class d:
    @staticmethod
    def getVar(name): return given['variables'].get(name)
    @staticmethod
    def getVarFlag(name, flag, expand): return name in given['tasks'] or None
    @staticmethod
    def appendVarFlag(name, flag, text): print('%s[%s] +=%s' % (name, flag, text))
try:
    exec(given['code'])
except Fatal as fault:
    print('fatal:', fault)
`

interface Recipe {
  variables: Record<string, string>
  /** The tasks of the image. */
  tasks?: string[]
}

/** Runs a function of the class, the nameless one that every recipe runs or that of the task, and gives what it says. */
async function inBitBake(name: '' | 'do_plimsoll_upload', recipe: Recipe): Promise<string> {
  const layer = join(INTEGRATIONS, 'yocto/meta-plimsoll')
  const text = readFileSync(join(layer, 'classes/plimsoll-upload.bbclass'), 'utf8')
  const defaults = [...text.matchAll(/^(\w+) \?= "(.*)"$/gm)]
  const variables: Record<string, string> = {
    PLIMSOLL_PYTHON: join(INTEGRATIONS, 'python'),
    ...environment,
    ...recipe.variables,
  }
  for (const [, variable = '', value = ''] of defaults)
    variables[variable] ??= value.replaceAll(
      /\$\{(\w+)\}/g,
      (_, own: string) => variables[own] ?? '',
    )
  const blocks = [...text.matchAll(/^python (\w*) ?\(\) \{\n(.*?)^\}/gms)]
  const [, , body = ''] = blocks.find(([, own]) => own === name) ?? []
  const code = `def run():\n${body}\nrun()`
  const input = JSON.stringify({ variables, tasks: recipe.tasks ?? [], code })
  const child = execFile('python3', ['-c', BITBAKE])
  child.stdin?.end(input)
  const outputs = [child.stdout, child.stderr].flatMap((stream) => stream?.toArray() ?? [])
  return (await Promise.all(outputs)).flat().join('')
}

function givenImage(documents: readonly string[]): Recipe['variables'] {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-yocto-'))
  const sbom = givenSbom('image.json', [{ name: 'a', version: '1', purl: 'pkg:npm/a@1' }])
  for (const name of documents) writeFileSync(join(folder, name), readFileSync(sbom))
  return {
    PN: 'core-image-minimal',
    DISTRO_VERSION: '5.0.1',
    DEPLOY_DIR_IMAGE: folder,
    IMAGE_LINK_NAME: 'core-image-minimal-qemu',
  }
}

it.skipIf(isMissing('python3')).each([
  ['SPDX 3', ['core-image-minimal-qemu.spdx.json']],
  ['SPDX 2.2', ['core-image-minimal-qemu.spdx.tar.zst']],
])('the Yocto class uploads the %s of an image', async (kind, documents) => {
  const image = givenImage([...documents, 'other.spdx.json'])
  const named = { PLIMSOLL_FIRMWARE: 'gateway', PLIMSOLL_FIRMWARE_VERSION: `yocto-${kind}` }

  const said = await inBitBake('do_plimsoll_upload', { variables: { ...image, ...named } })
  const listed = await sbomsOf(named.PLIMSOLL_FIRMWARE_VERSION)

  expect(said).toBe(`note: gateway@${named.PLIMSOLL_FIRMWARE_VERSION}: SBOMs uploaded: 1\n`)
  expect(listed).toContain(documents[0])
  expect(listed).not.toContain('other')
})

it.skipIf(isMissing('python3'))('the Yocto class names image and distribution', async () => {
  const variables = givenImage(['core-image-minimal-qemu.spdx.json'])

  const said = await inBitBake('do_plimsoll_upload', { variables })

  expect(said).toBe('note: core-image-minimal@5.0.1: SBOMs uploaded: 1\n')
})

it.skipIf(isMissing('python3'))('the Yocto class fails the build with the reason', async () => {
  const image = givenImage(['core-image-minimal-qemu.spdx.json'])
  const uploadWith = (variables: Recipe['variables']) =>
    inBitBake('do_plimsoll_upload', { variables: { ...image, ...variables } })

  const none = await uploadWith({ IMAGE_LINK_NAME: 'nothing' })
  const noKey = await uploadWith({ PLIMSOLL_API_KEY: '' })
  const wrongKey = await uploadWith({ PLIMSOLL_API_KEY: 'plm_wrong' })

  expect(none).toMatch(/^fatal: No SBOM of the image was found.+nothing\.spdx\.json/)
  expect(noKey).toBe('fatal: No API key: set PLIMSOLL_API_KEY.\n')
  expect(wrongKey).toMatch(/^fatal: 401: /)
})

it.skipIf(isMissing('python3'))('the Yocto class waits for the task of the SBOM', async () => {
  const variables = { PN: 'core-image-minimal' }

  const styhead = await inBitBake('', { variables, tasks: ['do_create_image_sbom_spdx'] })
  const kirkstone = await inBitBake('', { variables })

  expect(styhead).toBe(
    'do_plimsoll_upload[depends] += core-image-minimal:do_create_image_sbom_spdx\n',
  )
  expect(kirkstone).toBe('')
})

// A skipped test says so: west is a package of Python, `pip install west`.
if (isMissing('west') && process.env['PLIMSOLL_REQUIRE_WEST'] === '1')
  throw new Error('PLIMSOLL_REQUIRE_WEST is set, and there is no west')

it.skipIf(isMissing('west'))('west plimsoll upload sends the documents of west spdx', async () => {
  const folder = givenFolder()
  const manifest = join(folder, 'app')
  mkdirSync(join(manifest, 'integrations'), { recursive: true })
  writeFileSync(
    join(manifest, 'west.yml'),
    'manifest:\n  self:\n    west-commands: integrations/west/west-commands.yml\n',
  )
  spawnSync('cp', [
    '-r',
    join(INTEGRATIONS, 'west'),
    join(INTEGRATIONS, 'python'),
    join(manifest, 'integrations'),
  ])
  await run('west', ['init', '-l', manifest], { cwd: folder })
  const build = ['--firmware', 'gateway', '--firmware-version', '3.0', '--wait']

  const none = await run('west', ['plimsoll', 'upload', '-d', 'nothing', ...build], { cwd: folder })
  const sent = await run('west', ['plimsoll', 'upload', '-d', 'my build', ...build], {
    cwd: folder,
  })

  expect(none).toMatchObject({ exitCode: 1 })
  expect(none.output).toContain('run west spdx -d nothing first')
  expect(sent).toEqual({ exitCode: 0, output: 'gateway@3.0: SBOMs uploaded: 1\n' })
  expect(await sbomsOf('3.0')).toContain('app.spdx')
})
