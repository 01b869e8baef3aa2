/**
 * Renders the Helm chart for tests. `helm` and `kubeconform` are looked for on the path, or as PLIMSOLL_TEST_HELM and PLIMSOLL_TEST_KUBECONFORM.
 * PLIMSOLL_TEST_KUBERNETES_SCHEMAS is a folder of schemas of Python's package kubernetes-validate, such as v1.34.0-local-strict.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { REPOSITORY } from './paths.ts'

export const CHART = join(REPOSITORY, 'deploy/helm/plimsoll')
const HELM = process.env['PLIMSOLL_TEST_HELM'] ?? 'helm'
const KUBECONFORM = process.env['PLIMSOLL_TEST_KUBECONFORM'] ?? 'kubeconform'
const SCHEMAS = process.env['PLIMSOLL_TEST_KUBERNETES_SCHEMAS']

export const hasHelm = spawnSync(HELM, ['version']).status === 0
export const hasSchemas = SCHEMAS !== undefined && spawnSync(KUBECONFORM, ['-v']).status === 0

export interface Container {
  args: string[]
  command?: string[]
  image: string
  env: { name: string; value?: string; valueFrom?: object }[]
  envFrom?: object[]
  ports: { name: string; containerPort: number }[]
  volumeMounts: { name: string; mountPath: string }[]
  securityContext: object
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}

export interface Resource {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec: {
    selector: Record<string, string>
    ports: { port: number; targetPort: string }[]
    ingress: object[]
    rules: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[]
    template: {
      metadata: { labels: Record<string, string> }
      spec: {
        containers: Container[]
        volumes: { name: string }[]
        imagePullSecrets?: object[]
        [setting: string]: unknown
      }
    }
  }
}

export function runHelm(command: 'lint' | 'template', given: object) {
  return inFolder((folder) => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(given))
    const args = command === 'lint' ? [CHART, '--strict'] : ['plimsoll', CHART]
    const version = ['--kube-version', '1.34.0']
    return spawnSync(HELM, [command, ...args, ...version, '--values', file], { encoding: 'utf8' })
  })
}

export function renderChart(given: object): Resource[] {
  const { stdout, stderr } = runHelm('template', given)
  if (stderr !== '') throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0]
    return (document.toJS() as Resource | null) ?? []
  })
}

/** What kubeconform says of the rendered chart; it has no schema of ServiceMonitor. */
export function checkSchemas(given: object) {
  return inFolder((folder) => {
    for (const file of globSync(join(SCHEMAS ?? '', '*.json'))) {
      // kubeconform resolves references by files, not by the identifiers of the package.
      const { $id: _id, ...schema } = JSON.parse(
        readFileSync(file, 'utf8').replaceAll('"/api/_definitions.json#', '"_definitions.json#'),
      ) as Record<string, unknown>
      writeFileSync(join(folder, basename(file)), JSON.stringify(schema))
    }
    const location = join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json')
    const args = ['-summary', '-output=json', '-skip=ServiceMonitor', '-schema-location', location]
    const input = runHelm('template', given).stdout
    const { stdout } = spawnSync(KUBECONFORM, args, { encoding: 'utf8', input })
    return JSON.parse(stdout) as { resources: object[]; summary: object }
  })
}

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-chart-'))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
