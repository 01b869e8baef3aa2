/** What integrations/ gives to pipelines and build systems, run against a service as they would run there. */
import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, plimsoll, startService } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const INTEGRATIONS = join(ROOT, 'integrations')
const CLI = `${process.execPath} ${join(ROOT, 'cli/src/main.ts')}`

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

interface Ran {
  exitCode: number
  output: string
}

function run(command: string, args: string[], options: { cwd: string; env?: Environment }) {
  const { cwd, env } = options
  const all = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...environment, ...env }
  return new Promise<Ran>((done) => {
    const ended = (error: ExecFileException | null, stdout: string, stderr: string) =>
      done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    execFile(command, args, { cwd, env: all }, ended)
  })
}

const sbomsOf = async (version: string) => {
  const named = ['--firmware', 'gateway', '--version', version]
  return (await plimsoll(environment, ['sbom', 'list', ...named, '--csv'])).stdout
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
    'check-flags': '--sources osv',
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

it('the recipes of the guide install the client and state what there is to state', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/ci.md'), 'utf8')
  const [github, gitlab] = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
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
  const sboms = { PLIMSOLL_SBOMS: 'my?build/*.spdx.json', PLIMSOLL_CHECK_FLAGS: '--sources osv' }
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

  expect(first).toEqual({ exitCode: 0, output: 'gateway@2.0: 1 SBOMs uploaded\n' })
  expect(again).toEqual(first)
  expect(broken).toMatchObject({ exitCode: 1 })
  expect(broken.output).toMatch(/^Could not be read: broken\.spdx\.json: /)
  expect(await sbomsOf('2.0')).toContain('image.spdx.json')
  expect(alone).toMatchObject({ exitCode: 0 })
})

it.skipIf(isMissing('python3'))('the Yocto class holds Python that compiles', () => {
  const path = join(INTEGRATIONS, 'yocto/meta-plimsoll/classes/plimsoll-upload.bbclass')
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^python (\w*) ?\(\) \{\n(.*?)^\}/gms)]
  const code = blocks.map(([, name = '', body = '']) => `def ${name || 'anonymous'}():\n${body}`)

  const { status, stderr } = spawnSync(
    'python3',
    ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'],
    {
      input: code.join('\n'),
      encoding: 'utf8',
    },
  )

  expect({ status, stderr, blocks: blocks.length }).toEqual({ status: 0, stderr: '', blocks: 2 })
})

// A skipped test says so: west is a package of Python, `pip install west`.
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
  expect(sent).toEqual({ exitCode: 0, output: 'gateway@3.0: 1 SBOMs uploaded\n' })
  expect(await sbomsOf('3.0')).toContain('app.spdx')
})
