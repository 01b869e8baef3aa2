/**
 * The Helm chart, read without Helm: what is conditional is there, and what is filled in is a word. Helm itself was tried by
 * hand (docs/guide/install.md).
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMap, isScalar, parse, parseAllDocuments, parseDocument, visit } from 'yaml'
import { readConfig, ROLES } from '../../server/src/config/config.ts'
import { REPOSITORY } from './paths.ts'

const CHART = join(REPOSITORY, 'deploy/helm/plimsoll')
const read = (path: string) => readFileSync(join(CHART, path), 'utf8')

interface Values {
  publicUrl: string
  settings: Record<string, string>
  roles: Record<string, object>
}

const values = parse(read('values.yaml')) as Values
/** The secret that the file asks for. */
const SECRET = {
  DATABASE_URL: 'postgres://db.example.com/plimsoll',
  PLIMSOLL_S3_ACCESS_KEY_ID: 'plimsoll',
  PLIMSOLL_S3_SECRET_ACCESS_KEY: 'secret',
}
const templates = globSync('templates/*.yaml', { cwd: CHART }).map(read)

interface Container {
  args: string[]
  env: { name: string; value: string }[]
  ports: { name: string; containerPort: number }[]
  volumeMounts: { mountPath: string }[]
  securityContext: object
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}

interface Resource {
  kind: string
  metadata: { name: string }
  spec: {
    selector: Record<string, string>
    ports: { targetPort: string }[]
    template: {
      metadata: { labels: Record<string, string> }
      spec: { containers: Container[]; [setting: string]: unknown }
    }
  }
}

/** All that the templates make for one role. */
function resourcesFor(role: string): Resource[] {
  return templates.flatMap((template) => {
    const text = template
      .replaceAll(/^\s*\{\{-? *(?:if|with|range|end)\b.*\}\}$/gm, '')
      .replaceAll('{{ $role }}', role)
      .replaceAll(/\{\{-?[^}]*\}\}/g, 'word')
    return parseAllDocuments(text, { merge: true }).flatMap((document) => {
      expect(document.errors).toEqual([])
      return (document.toJS() as Resource | null) ?? []
    })
  })
}

const ofKind = (role: string, kind: string) =>
  resourcesFor(role).filter((resource) => resource.kind === kind)

describe.each([...ROLES])('the deployment of the role %s', (role) => {
  const [deployment] = ofKind(role, 'Deployment')
  const pod = deployment?.spec.template
  const container = pod?.spec.containers[0]

  it('runs without root, on a root file system that is only read', () => {
    const [, uid] =
      /^USER (\d+)/m.exec(readFileSync(join(REPOSITORY, 'Containerfile'), 'utf8')) ?? []

    expect(pod?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: Number(uid) },
    })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp', '/data'])
  })

  it('has settings that the service accepts, and none that Kubernetes makes of services', () => {
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
    const { word: _, ...fixed } = env
    const { drainSeconds, warnings } = readConfig({
      ...fixed,
      ...values.settings,
      ...SECRET,
      PLIMSOLL_PUBLIC_URL: values.publicUrl,
    })

    expect(warnings.filter(({ code }) => code === 'unknown-setting')).toEqual([])
    for (const name of Object.keys(SECRET)) expect(read('values.yaml')).toContain(name)
    expect(drainSeconds + 30).toBeLessThanOrEqual(
      Number(pod?.spec['terminationGracePeriodSeconds']),
    )
    expect(pod?.spec['enableServiceLinks']).toBe(false)
    expect(() => readConfig({ PLIMSOLL_MQTT_PORT: 'tcp://10.0.0.1:1883' })).toThrow('whole number')
  })

  it('is asked for its health, and reached, at ports that it has', () => {
    const { port, mqtt, managementPort } = readConfig({})
    const ports = new Map(container?.ports.map(({ name, containerPort }) => [name, containerPort]))
    const probes = (['startup', 'readiness', 'liveness'] as const).map(
      (probe) => container?.[`${probe}Probe`]?.httpGet,
    )
    const services = ofKind(role, 'Service')
    const labels = pod?.metadata.labels ?? {}
    const mine = services.filter(({ spec }) =>
      Object.entries(spec.selector).every(([name, value]) => labels[name] === value),
    )

    expect(Object.fromEntries(ports)).toEqual({
      http: port,
      management: managementPort,
      mqtt: mqtt.port,
    })
    expect(probes).toEqual(
      ['started', 'ready', 'live'].map((path) => ({ path: `/health/${path}`, port: 'management' })),
    )
    expect(container?.args).toEqual(['--roles', role])
    expect(mine.length).toBeGreaterThan(0)
    for (const { spec } of mine)
      for (const { targetPort } of spec.ports) expect([...ports.keys()]).toContain(targetPort)
  })
})

it('has a role for each that the service knows, and the version of the release', () => {
  const { version } = parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string
  }

  expect(Object.keys(values.roles)).toEqual([...ROLES])
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version })
})

it('reads all values that it explains, and no others', () => {
  const used = templates.join('').matchAll(/\.Values\.([\w.]+)|\$of\.(\w+)/g)
  const reads = new Set([...used].map(([, path, ofRole]) => path ?? `roles.*.${ofRole}`))
  const stated = new Set<string>()
  visit(parseDocument(read('values.yaml')), {
    Pair: (_, pair, path) => {
      const keys = [...path, pair].flatMap((one) =>
        'key' in one && isScalar(one.key) ? String(one.key.value) : [],
      )
      if (keys[0] === 'roles' && keys.length > 1) keys[1] = '*'
      stated.add(keys.join('.'))
      // Below these, the chart takes all as it is.
      const isWhole = reads.has(keys.join('.'))
      return isMap(pair.value) && isWhole && keys[0] !== 'roles' ? visit.SKIP : undefined
    },
  })
  const isRead = (path: string) =>
    [...reads].some((one) => one === path || path.startsWith(`${one}.`))
  const hasParts = (path: string) => [...stated].some((one) => one.startsWith(`${path}.`))

  expect([...reads].filter((path) => !stated.has(path))).toEqual([])
  expect([...stated].filter((path) => !isRead(path) && !hasParts(path))).toEqual([])
})
