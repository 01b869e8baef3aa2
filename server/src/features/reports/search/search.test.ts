/** Searching a workspace, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { givenCohort, givenFleetDevices } from '../../../../test/given-fleet.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface SearchAnswer {
  results: { kind: string; id: string; title: string; firmwareId?: string }[]
  vulnerability: { cveId: string; isKnown: boolean; isHere: boolean } | null
}
const find = async (client: Client, q: string) =>
  (await client.get(`/search?q=${encodeURIComponent(q)}`)).json<SearchAnswer>()
const kinds = ({ results }: SearchAnswer) => results.map(({ kind, title }) => `${kind} ${title}`)

it('finds things of all kinds, those named so first', async () => {
  const client = await givenClient(test)
  const name = `x${crypto.randomUUID().slice(0, 8)}`
  const product = await givenProduct(test.ctx, ['High'])
  await givenVersion(test.ctx, client.workspaceId, [
    { packageName: `lib${name}`, version: '1.0', cpes: product.cpes },
  ])
  await givenFleetDevices(test.ctx, client.workspaceId, [`gw-${name}`, 'other'])
  await givenCohort(client, { name: `${name} west` })
  const firmware = await client.post('/firmwares', { slug: name, name: 'Gateway' })
  const { id: firmwareId } = firmware.json<{ id: string }>()
  await client.post(`/firmwares/${firmwareId}/versions`, { name: '2.4.1' })

  const found = await find(client, name.toUpperCase())
  const version = await find(client, `${name}@2.4`)

  expect(kinds(found)).toEqual([
    'Firmware Gateway',
    'FirmwareVersion 2.4.1',
    `DeploymentCohort ${name} west`,
    `Component lib${name} 1.0`,
    `Device gw-${name}`,
  ])
  expect(found.vulnerability).toBeNull()
  expect(version.results).toMatchObject([{ kind: 'FirmwareVersion', firmwareId }])
  expect(await find(client, '%')).toMatchObject({ results: [] })
})

it('finds vulnerabilities by id, alias and words, and says who knows one that is not here', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const alias = `GHSA-${crypto.randomUUID()}`
  const product = await givenProduct(test.ctx, ['High'], { aliases: [alias] })
  const cveId = product.cveIds[0] ?? ''
  await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product.product, version: '1.0', cpes: product.cpes },
  ])

  const own = await find(client, cveId.toLowerCase())
  const elsewhere = await find(stranger, cveId)

  expect(kinds(own)[0]).toBe(`Vulnerability ${cveId}`)
  expect(own.vulnerability).toEqual({ cveId, isKnown: true, isHere: true })
  expect(kinds(await find(client, alias))).toEqual([`Vulnerability ${cveId}`])
  expect(kinds(await find(client, 'flaw 0'))).toEqual([`Vulnerability ${cveId}`])
  expect(elsewhere).toEqual({ results: [], vulnerability: { cveId, isKnown: true, isHere: false } })
  expect((await find(client, 'cve-2099-12345')).vulnerability).toEqual({
    cveId: 'cve-2099-12345',
    isKnown: false,
    isHere: false,
  })
})

it('finds only what the key may read', async () => {
  const client = await givenClient(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['gw-1'])
  const key = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])

  const response = await test.app.inject({
    url: `/workspaces/${client.workspaceId}/search?q=gw`,
    headers: { authorization: `Bearer ${key}` },
  })

  expect(kinds(await find(client, 'gw'))).toEqual(['Device gw-1'])
  expect(response.json()).toEqual({ results: [], vulnerability: null })
  expect((await client.get('/search?q=')).statusCode).toBe(400)
})
