import { Registry } from 'prom-client'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestWorkspace } from '../../../test/app.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { parseOpenMetrics } from '../../../test/open-metrics-parser.ts'
import { buildApi } from '../../api.ts'
import { writeOpenMetrics } from '../open-metrics.ts'
import type { App } from './app.ts'

const NAME = 'plimsoll_http_request_duration_seconds'
const metrics = new Registry()
let app: App
let workspace: TestWorkspace

beforeAll(async () => {
  const test = await sharedTestApp()
  workspace = await test.givenWorkspace()
  app = await buildApi(test.ctx, { roles: ['api'], doors: test.doors, showsDocs: false, metrics })
  closeAtEndOfFile(() => app.close())
})

const ask = (path: string, method: 'GET' | 'POST' | 'HEAD' = 'GET', body?: object) =>
  app.inject({
    method,
    url: `/workspaces/${workspace.workspaceId}${path}`,
    headers: { authorization: `Bearer ${workspace.apiKey}` },
    ...(body && { payload: body }),
  })

async function counts(): Promise<Record<string, number>> {
  const samples = parseOpenMetrics(await writeOpenMetrics(metrics)).get(NAME)?.samples ?? []
  return Object.fromEntries(
    samples
      .filter(({ name }) => name === `${NAME}_count`)
      .map(({ labels: { method, route, status }, value }) => [
        `${method} ${route} ${status}`,
        value,
      ]),
  )
}

it('counts requests by the pattern of their route, however many devices they name', async () => {
  for (let id = 0; id < 20; id += 1) {
    await ask('/devices', 'POST', { id: `device-${id}` })
    await ask(`/devices/device-${id}`)
    await ask(`/devices/nobody-${id}`)
    await ask(`/no-such-path-${id}`)
  }
  await app.inject({ method: 'GET', url: '/workspaces/%zz' })

  const before = '/workspaces/:workspaceId/devices'
  expect(await counts()).toEqual({
    [`POST ${before} 2xx`]: 20,
    [`GET ${before}/:deviceId 2xx`]: 20,
    [`GET ${before}/:deviceId 4xx`]: 20,
    'GET unknown 4xx': 20,
  })
})

it('leaves out streams of events, which last as long as somebody looks', async () => {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = new AbortController()
  const response = await fetch(`${address}/workspaces/${workspace.workspaceId}/events`, {
    headers: { authorization: `Bearer ${workspace.apiKey}` },
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  leaving.abort()
  await app.close()

  expect(Object.keys(await counts()).filter((key) => key.includes('events'))).toEqual([])
})
