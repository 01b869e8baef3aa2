/** Traces as a collector gets them, from the real service. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase } from './database.ts'
import { parseOpenMetrics } from './open-metrics-parser.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-tracing-'))
const spans: Span[] = []
let isSilent = false
const collector = createServer((request, response) => {
  if (isSilent) return
  void json(request).then((body) => {
    const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    for (const { scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end('{}')
  })
})
let service: ServiceProcess
let settings: ServiceSettings

beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { connectionString } = await createTestDatabase()
  const { port } = collector.address() as AddressInfo
  settings = {
    dataDir,
    port: await freePort(),
    managementPort: await freePort(),
    env: {
      DATABASE_URL: connectionString,
      PLIMSOLL_SLOW_STATEMENT_MS: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  }
  service = await startServiceProcess(settings)
})

afterAll(async () => {
  collector.closeAllConnections()
  collector.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'

it('follows an upload from the caller over its request to its jobs and their statements', async () => {
  const { stdout, stderr } = await runAdmin(
    settings,
    'bootstrap',
    '--workspace',
    'Traced',
    '--owner',
    'ops@example.com',
    '--json',
  )
  expect(stderr).toBe('')
  const { workspaceId, apiKey } = JSON.parse(stdout) as { workspaceId: string; apiKey: string }
  const ask = async (path: string, init: RequestInit) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    }
    const answer = await fetch(`${service.url}/workspaces/${workspaceId}${path}`, {
      method: 'POST',
      ...init,
      headers: { ...headers, ...(init.headers as object) },
    })
    expect(answer.ok).toBe(true)
    return { id: ((await answer.json()) as { id?: string }).id ?? '', headers: answer.headers }
  }
  const asJson = (body: object) => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const firmware = await ask('/firmwares', asJson({ slug: 'gateway', name: 'Gateway' }))
  const version = await ask(`/firmwares/${firmware.id}/versions`, asJson({ name: '1.0' }))
  const form = new FormData()
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [] }
  form.append('file', new Blob([JSON.stringify(document)]), 'sbom.json')
  const uploaded = await ask(`/firmware-versions/${version.id}/sboms`, { body: form })

  const job = await vi.waitFor(
    () => {
      const found = spans.find(({ name, traceId }) => name.startsWith('job ') && traceId === TRACE)
      if (!found) throw new Error(`no job among ${spans.map(({ name }) => name).join(', ')}`)
      return found
    },
    { timeout: 60_000, interval: 100 },
  )
  const request = spans.find(({ spanId }) => spanId === job.parentSpanId)
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331' })
  expect(request?.name).toMatch(/^POST \/workspaces\/:workspaceId\/.*sboms/)
  expect(attributesOf(request)).toMatchObject({
    'http.request.method': 'POST',
    'plimsoll.request_id': uploaded.headers.get('x-request-id'),
  })
  const statements = spans.filter(({ parentSpanId }) =>
    [job.spanId, request?.spanId].includes(parentSpanId),
  )
  expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['insert', 'select']))
  expect(attributesOf(statements[0])).toMatchObject({ 'db.system.name': 'postgresql' })
  expect(JSON.stringify(spans)).not.toContain(apiKey)
})

it('leads from measurements of the request and its job to the trace', async () => {
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'
  const answer = await fetch(`${service.managementUrl}/metrics`, { headers: { accept } })
  const families = parseOpenMetrics(await answer.text())
  const tracedOf = (name: string) =>
    (families.get(name)?.samples ?? []).filter(
      ({ exemplar }) => exemplar?.labels['trace_id'] === TRACE,
    )

  expect(answer.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  )
  expect(
    tracedOf('plimsoll_http_request_duration_seconds').map(({ labels }) => labels),
  ).toContainEqual({
    method: 'POST',
    route: '/workspaces/:workspaceId/firmware-versions/:firmwareVersionId/sboms',
    status: '2xx',
    le: expect.any(String) as string,
  })
  expect(tracedOf('plimsoll_job_duration_seconds').map(({ labels }) => labels)).toContainEqual({
    queue: 'sboms.uploaded-small',
    status: 'completed',
    le: expect.any(String) as string,
  })
  expect(await (await fetch(`${service.managementUrl}/metrics`)).text()).not.toContain(TRACE)
})

it('names slow statements in the log', () => {
  expect(service.output()).toMatch(
    /"statement":"(?:select|insert|with)[^"]*.*"msg":"slow statement"/,
  )
})

function attributesOf(span: Span | undefined) {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  )
}

// The last test, as it ends the service.
it('lets the service end as usual when its collector does not answer any more', async () => {
  isSilent = true
  await fetch(`${service.url}/me`)
  await endProcess(service.child, 'SIGTERM')

  expect(service.child.exitCode).toBe(0)
})
