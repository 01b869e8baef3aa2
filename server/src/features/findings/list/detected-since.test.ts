import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'

let service: TestApp
let client: Client
let firmwareVersionId: string
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
  const { product, cpes } = await givenProduct(service.ctx, ['High'])
  const components = [{ packageName: product, version: '1.0', cpes }]
  firmwareVersionId = (await givenVersion(service.ctx, client.workspaceId, components))
    .firmwareVersionId
})

/** As lists and bulk commands take it. */
async function statusesOf(detectedSince: string): Promise<number[]> {
  const filter = { detectedSince }
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const bulk = { filter, ignored: true, dryRun: true }
  const answers = [
    await client.post(path, { filter }),
    await client.post('/vulnerability-findings/list', { filter }),
    await client.post('/vulnerability-findings/bulk-ignore', bulk),
  ]
  return answers.map(({ statusCode }) => statusCode)
}

it.each([
  '0000-01-01T00:00:00Z',
  '2024-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '2024-01-01T00:00:00.1234567890123Z',
])('reads %s, which PostgreSQL alone would not', async (detectedSince) => {
  expect(await statusesOf(detectedSince)).toEqual([200, 200, 200])
})

it('refuses what is no instant', async () => {
  expect(await statusesOf('2024-02-30T00:00:00Z')).toEqual([400, 400, 400])
  expect(await statusesOf('2016-12-31T23:59:60Z')).toEqual([400, 400, 400])
})
