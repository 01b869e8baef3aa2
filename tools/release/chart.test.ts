/** The Helm chart as Helm renders it, against Kubernetes' schemas. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMap, isScalar, parse, parseDocument, visit } from 'yaml'
import { readConfig, ROLES } from '../../server/src/config/config.ts'
import { REPOSITORY } from './paths.ts'
import {
  CHART,
  checkSchemas,
  type Container,
  hasHelm,
  hasSchemas,
  renderChart,
  type Resource,
  runHelm,
} from './render-chart.ts'

const read = (path: string) => readFileSync(join(CHART, path), 'utf8')

interface Values {
  roles: Record<string, object>
}

const values = parse(read('values.yaml')) as Values
/** The secret that the file asks for. */
const SECRET = {
  DATABASE_URL: 'postgres://db.example.com/plimsoll',
  PLIMSOLL_S3_ACCESS_KEY_ID: 'plimsoll',
  PLIMSOLL_S3_SECRET_ACCESS_KEY: 'secret',
}

/** Value files as people write them, for all that the chart can do. */
const VALUES: Record<string, object> = {
  'no values': {},
  'everything on': {
    image: { repository: 'registry.example.com/plimsoll', digest: `sha256:${'0'.repeat(64)}` },
    imagePullSecrets: ['registry'],
    existingSecret: '',
    settings: { PLIMSOLL_S3_BUCKET: 'artifacts', PLIMSOLL_DRAIN_SECONDS: 3 },
    settingsFrom: {
      DATABASE_URL: { secretKeyRef: { name: 'plimsoll-app', key: 'uri' } },
      PLIMSOLL_PUBLIC_URL: { configMapKeyRef: { name: 'addresses', key: 'plimsoll' } },
    },
    trustedProxies: ['10.42.0.0/16', '10.43.0.0/16'],
    extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
    extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/plimsoll/authority' }],
    mqtt: { plain: true, service: { annotations: { 'example.com/balancer': 'a' } } },
    ingress: {
      enabled: true,
      className: 'nginx',
      tlsSecret: 'tls',
      hawkbitWorkspaces: ['acme', 'globex'],
      maxBodySize: '4g',
      annotations: { 'example.com/a': 'b' },
    },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    networkPolicy: { enabled: true, egress: [{ ports: [{ port: 5432 }] }] },
  },
  'an external broker, one pod a role': {
    mqtt: { enabled: false },
    migrationJob: { enabled: false },
    spreadOver: [],
    networkPolicy: { enabled: true, managementFrom: [] },
    roles: { api: { replicas: 1 }, worker: { replicas: 1 }, gateway: { replicas: 1 } },
  },
}

const ofKind = (resources: Resource[], kind: string) =>
  resources.filter((resource) => resource.kind === kind)
const containersOf = (resources: Resource[]) =>
  ['Deployment', 'Job'].flatMap((kind) =>
    ofKind(resources, kind).flatMap(({ spec }) => spec.template.spec.containers),
  )
const environmentOf = (container: Container | undefined) =>
  Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))

describe.skipIf(!hasHelm)('the chart (skipped where helm is absent)', () => {
  describe.each(Object.entries(VALUES))('with %s', (_, given) => {
    it('is clean to helm lint, and names each setting once', () => {
      const { stdout, status } = runHelm('lint', given)
      expect({ stdout, status }).toMatchObject({ status: 0 })
      const containers = containersOf(renderChart(given))
      expect(containers.length).toBeGreaterThan(2)
      for (const { env } of containers) {
        const names = env.map(({ name }) => name)
        expect(names).toEqual([...new Set(names)])
      }
    })

    it.skipIf(!hasSchemas)('fits the schemas of Kubernetes (skipped without kubeconform)', () => {
      const { resources, summary } = checkSchemas(given)
      const skipped = ofKind(renderChart(given), 'ServiceMonitor').length
      const valid = renderChart(given).length - skipped

      expect(resources).toEqual([])
      expect(summary).toEqual({ valid, invalid: 0, errors: 0, skipped })
    })
  })

  describe.each([...ROLES])('the deployment of the role %s', (role) => {
    const resources = hasHelm ? renderChart({}) : []
    const deployment = ofKind(resources, 'Deployment').find(
      ({ metadata }) => metadata.name === `plimsoll-${role}`,
    )
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
      expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
        '/tmp',
        '/data',
        ...(role === 'gateway' ? ['/etc/plimsoll/mqtt-tls'] : []),
      ])
    })

    it('has settings that the service accepts, and none that Kubernetes makes of services', () => {
      // The certificate is not on this machine.
      const env = Object.entries(environmentOf(container)).filter(([name]) => !/_TLS_/.test(name))
      const { drainSeconds, warnings } = readConfig({
        ...Object.fromEntries(env),
        ...SECRET,
      })

      expect(warnings.map(({ code }) => code)).toEqual(['secrets-in-clear'])
      for (const name of Object.keys(SECRET)) expect(read('values.yaml')).toContain(name)
      expect(drainSeconds + 30).toBeLessThanOrEqual(
        Number(pod?.spec['terminationGracePeriodSeconds']),
      )
      expect(pod?.spec['enableServiceLinks']).toBe(false)
      expect(() => readConfig({ PLIMSOLL_MQTT_PORT: 'tcp://10.0.0.1:1883' })).toThrow(
        'whole number',
      )
    })

    it('is asked for its health, and reached, at ports that it has', () => {
      const { port, managementPort } = readConfig({})
      const ports = new Map(
        container?.ports.map(({ name, containerPort }) => [name, containerPort]),
      )
      const probes = (['startup', 'readiness', 'liveness'] as const).map(
        (probe) => container?.[`${probe}Probe`]?.httpGet,
      )
      const labels = pod?.metadata.labels ?? {}
      const mine = ofKind(resources, 'Service').filter(({ spec }) =>
        Object.entries(spec.selector).every(([name, value]) => labels[name] === value),
      )

      expect(Object.fromEntries(ports)).toEqual({
        http: port,
        management: managementPort,
        ...(role === 'gateway' ? { mqtts: 8883 } : {}),
      })
      expect(probes).toEqual(
        ['started', 'ready', 'live'].map((path) => ({
          path: `/health/${path}`,
          port: 'management',
        })),
      )
      expect(container?.args).toEqual(['--roles', role])
      expect(mine).toHaveLength({ api: 1, gateway: 2, worker: 0 }[role])
      for (const { spec } of mine)
        for (const { targetPort } of spec.ports) expect([...ports.keys()]).toContain(targetPort)
    })
  })

  it('takes devices by MQTT with TLS alone until told otherwise', () => {
    const ports = (given: object) =>
      ofKind(renderChart(given), 'Service')
        .filter(({ metadata }) => metadata.name === 'plimsoll-mqtt')
        .flatMap(({ spec }) => spec.ports.map(({ port }) => port))

    expect(ports({})).toEqual([8883])
    expect(ports({ mqtt: { plain: true } })).toEqual([8883, 1883])
    expect(ports({ mqtt: { enabled: false } })).toEqual([])
    expect(
      containersOf(renderChart({})).map((one) => environmentOf(one)['PLIMSOLL_MQTT_PORT']),
    ).toEqual(['off', 'off', 'off', 'off'])
    expect(runHelm('template', { mqtt: { tls: { enabled: false } } }).stderr).toContain(
      'mqtt.enabled needs mqtt.tls.enabled or mqtt.plain',
    )
  })

  it('publishes the paths of devices and hawkBit, and not what a broker asks', () => {
    const [ingress] = ofKind(renderChart(VALUES['everything on'] ?? {}), 'Ingress')
    const paths = ingress?.spec.rules[0]?.http.paths ?? []

    expect(paths.map(({ path, backend }) => [path, backend.service.name])).toEqual([
      ['/device', 'plimsoll-gateway'],
      ['/acme/controller/v1', 'plimsoll-gateway'],
      ['/globex/controller/v1', 'plimsoll-gateway'],
      ['/', 'plimsoll-api'],
    ])
    expect(ingress?.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-body-size': '4g',
      'example.com/a': 'b',
    })
  })

  it('refuses an ingress whose addresses nobody believes, and a setting from two places', () => {
    const twice = { PLIMSOLL_S3_BUCKET: { secretKeyRef: { name: 'a', key: 'b' } } }

    expect(runHelm('template', { ingress: { enabled: true } }).stderr).toContain(
      'ingress.enabled needs trustedProxies',
    )
    expect(runHelm('template', { settingsFrom: twice }).stderr).toContain(
      'PLIMSOLL_S3_BUCKET is in settings and in settingsFrom',
    )
  })

  it('gives all pods, and the migration, what values add', () => {
    const resources = renderChart(VALUES['everything on'] ?? {})
    const containers = containersOf(resources)

    expect(containers.map(({ command }) => command).at(-1)).toEqual(['plimsoll-admin', 'migrate'])
    for (const container of containers) {
      expect(container.image).toMatch(/^registry\.example\.com\/plimsoll:[\d.]+@sha256:0{64}$/)
      expect(container.envFrom).toBeUndefined()
      expect(container.volumeMounts.map(({ name }) => name)).toContain('authority')
      expect(environmentOf(container)).toMatchObject({
        PLIMSOLL_DRAIN_SECONDS: '3',
        PLIMSOLL_TRUST_PROXY: '10.42.0.0/16,10.43.0.0/16',
      })
      expect(container.env).toContainEqual({
        name: 'DATABASE_URL',
        valueFrom: { secretKeyRef: { name: 'plimsoll-app', key: 'uri' } },
      })
    }
    for (const { spec } of ofKind(resources, 'Deployment')) {
      expect(spec.template.spec.imagePullSecrets).toEqual([{ name: 'registry' }])
      expect(spec.template.spec['topologySpreadConstraints']).toHaveLength(2)
    }
    expect(ofKind(resources, 'NetworkPolicy')).toHaveLength(ROLES.length)
    expect(ofKind(resources, 'ServiceMonitor')).toHaveLength(1)
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
  const templates = globSync('templates/*', { cwd: CHART }).map(read).join('\n')
  const stated = new Set<string>()
  visit(parseDocument(read('values.yaml')), {
    Pair: (_, { key, value }, path) => {
      if (path.length > 6 || !isScalar(key)) return undefined
      if (ROLES.some((role) => role === key.value)) return undefined
      stated.add(String(key.value))
      // Kubernetes reads what is in these.
      const isWhole = ['settings', 'resources'].includes(String(key.value))
      return isMap(value) && isWhole ? visit.SKIP : undefined
    },
  })
  const reads = [...templates.matchAll(/(?:Values|\$values|\$of|\$mqtt|\$image)\.([\w.]+)/g)]

  expect([...stated].filter((name) => !new RegExp(`\\.${name}\\b`).test(templates))).toEqual([])
  expect(
    reads.flatMap(([, path = '']) => path.split('.')).filter((name) => !stated.has(name)),
  ).toEqual([])
})
