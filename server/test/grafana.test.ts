/** The dashboard of devices asks the service what it answers. Grafana and its Infinity plugin are not run here. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startTestApp } from './app.ts'
import { givenDevice, logs, metrics, storeTelemetry } from './given-telemetry.ts'

interface Query {
  parser: string
  url: string
  url_options: { method: 'GET' | 'POST'; data?: string; body_content_type?: string }
  root_selector: string
  columns: { selector: string }[]
}

interface Dashboard {
  panels: { title: string; targets: Query[] }[]
  templating: { list: { name: string; query: string | { infinityQuery: Query } }[] }
}

const FOLDER = join(import.meta.dirname, '../../deploy/grafana')
const { panels, templating } = JSON.parse(
  readFileSync(join(FOLDER, 'plimsoll-devices.json'), 'utf8'),
) as Dashboard
const QUERIES = [
  ...templating.list.flatMap(({ name, query }) =>
    typeof query === 'string' ? [] : [{ name: `the variable ${name}`, query: query.infinityQuery }],
  ),
  ...panels.flatMap(({ title, targets }) => targets.map((query) => ({ name: title, query }))),
]

let base: string
let key: string
let beganAt: Date
beforeAll(async () => {
  const test = await startTestApp()
  const url = await test.app.listen({ port: 0, host: '127.0.0.1' })
  const { workspaceId } = await test.givenWorkspace()
  key = await test.givenKey(workspaceId, ['Devices: read'])
  const source = parse(readFileSync(join(FOLDER, 'datasource.yaml'), 'utf8')) as {
    datasources: { url: string }[]
  }
  base = (source.datasources[0]?.url ?? '')
    .replace('https://plimsoll.example.com', url)
    .replace('$PLIMSOLL_WORKSPACE', workspaceId)
  beganAt = new Date(Date.now() - 3_600_000)
  const device = await givenDevice(test.ctx, workspaceId, { id: 'gateway-0042' })
  await storeTelemetry(
    test.ctx,
    metrics(device, [{ name: 'temperature', labels: { sensor: 'cpu' }, value: 61.5 }]),
    logs(device, [{ severity: 'Error', message: 'watchdog', labels: {} }]),
  )
})

/** As Grafana and the plugin fill them in for an hour (docs of the plugin, query/macros). */
function filled(text: string): string {
  return text
    .replaceAll('${metric}', 'temperature')
    .replaceAll('${device}', 'gateway-0042')
    .replaceAll('${__from:date:iso}', beganAt.toISOString())
    .replaceAll('${__to:date:iso}', new Date(Date.now() + 60_000).toISOString())
    .replaceAll(/\$__customInterval\(\d+[hd],(\d+),.*?\)/g, '$1')
}

const hasJq = spawnSync('jq', ['--version']).status === 0
if (!hasJq) process.stderr.write('jq is missing: the rows of the dashboard are not read\n')

it.each(QUERIES)('the service answers $name', async ({ query }) => {
  const { method, data, body_content_type: type } = query.url_options
  const response = await fetch(base + filled(query.url), {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) },
    ...(data !== undefined && { body: filled(data) }),
  })
  const answer = await response.text()

  expect([response.status, answer]).toEqual([200, expect.stringContaining('{')])
  if (!hasJq) return
  // The plugin takes an array that a selector finds, or all that it finds, for rows.
  const select = `[${query.root_selector}] | flatten(1)`
  const { stdout, stderr } = spawnSync('jq', ['-c', select], { input: answer, encoding: 'utf8' })
  expect(stderr).toBe('')
  const rows = JSON.parse(stdout) as object[]
  expect(rows).toHaveLength(1)
  expect(Object.keys(rows[0] ?? {})).toEqual(
    expect.arrayContaining(query.columns.map(({ selector }) => selector)),
  )
})
