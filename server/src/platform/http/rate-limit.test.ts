import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'

it('answers 429 with Retry-After to the key that asks too often, and to that one only', async () => {
  const test = await startTestApp({ rateLimitPerMinute: 3 })
  const one = await test.givenWorkspace()
  const other = await test.givenWorkspace()
  const ask = ({ workspaceId, apiKey }: typeof one, path = `/workspaces/${workspaceId}/settings`) =>
    test.app.inject({ url: path, headers: { authorization: `Bearer ${apiKey}` } })

  for (let request = 0; request < 3; request += 1) expect((await ask(one)).statusCode).toBe(200)
  const refused = await ask(one)

  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['content-type']).toBe('application/problem+json')
  expect(refused.json()).toMatchObject({ type: '/problems/rate-limited', status: 429 })
  expect((await ask(other)).statusCode).toBe(200)
  for (let request = 0; request < 3; request += 1) await ask(one, '/whoami')
  expect((await ask(one, '/whoami')).statusCode).toBe(429)
})
