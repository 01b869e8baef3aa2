import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenFirmwareVersion, givenSbom, removeSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import { newId } from '../../../platform/ids.ts'
import { matchFirmwareVersion } from '../../findings/index.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})

/** A version that holds one component with findings of these severities. */
async function givenVulnerable({ workspaceId }: Client, severities: Severity[]) {
  const product = `product-${newId()}`
  for (const [index, severity] of severities.entries())
    await givenAdvisory(service.ctx.db, {
      id: `CVE-2024-${product}-${index}`,
      severity,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  const version = { workspaceId, firmwareVersionId }
  const components = [{ packageName: 'thing', version: '1.0', cpes }]
  const sbomId = await givenSbom(service.ctx, { ...version, components })
  await matchFirmwareVersion(service.ctx, version)
  return { ...version, sbomId }
}

interface Item {
  firmwareId: string
  firmwareVersionId: string
  vulnerabilitySummary: { lastEvaluatedAt: string }
}
const vulnerable = async (client: Client, query = '') =>
  (await client.get(`/vulnerable-firmware-versions${query}`)).json<Item[]>()

it('lists the versions with active findings, worst first, as their summaries count them', async () => {
  const client = await givenClient(service)
  const many = await givenVulnerable(client, ['High', 'High', 'Medium', 'Unknown'])
  const worst = await givenVulnerable(client, ['Critical'])
  await givenFirmwareVersion(service.ctx, client.workspaceId)

  const items = await vulnerable(client)

  expect(items.map((item) => item.firmwareVersionId)).toEqual([
    worst.firmwareVersionId,
    many.firmwareVersionId,
  ])
  expect(items[1]).toEqual({
    firmwareId: expect.any(String) as string,
    firmwareName: 'Gateway',
    firmwareVersionId: many.firmwareVersionId,
    firmwareVersionName: '1.0',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    mark: {
      state: 'Unknown',
      sentence: 'Unknown: no vulnerability source was ever read completely',
    },
    vulnerabilitySummary: {
      totalActiveIssues: 4,
      countsBySeverity: [
        { severity: 'Critical', count: 0 },
        { severity: 'High', count: 2 },
        { severity: 'Medium', count: 1 },
        { severity: 'Low', count: 0 },
        { severity: 'None', count: 0 },
        { severity: 'Unknown', count: 1 },
      ],
      affectedDeviceCount: 0,
      affectedDevices: { runningNow: 0, seenLastDay: 0, seenLastWeek: 0, older: 0 },
      lastEvaluatedAt: expect.any(String) as string,
    },
  })
})

it('leaves a version out once nothing is found in it', async () => {
  const client = await givenClient(service)
  const given = await givenVulnerable(client, ['High'])
  expect(await vulnerable(client)).toHaveLength(1)

  await removeSbom(service.ctx, given)

  expect(await vulnerable(client)).toEqual([])
})

it('can be asked for the versions of one firmware', async () => {
  const client = await givenClient(service)
  const { firmwareVersionId } = await givenVulnerable(client, ['High'])
  await givenVulnerable(client, ['High'])
  const item = (await vulnerable(client)).find((one) => one.firmwareVersionId === firmwareVersionId)

  expect(await vulnerable(client, `?firmwareId=${item?.firmwareId ?? ''}`)).toEqual([item])
  expect(await vulnerable(client, `?firmwareId=${newId()}`)).toEqual([])
  expect(await vulnerable(client, '?firmwareId=nothing')).toEqual([])
})

it('writes names as they are, whatever they hold', async () => {
  const client = await givenClient(service)
  const { firmwareVersionId } = await givenVulnerable(client, ['High'])
  const name = '1.0 "rc\\1"\n<b>ü</b>'
  await service.ctx.db
    .updateTable('firmwareVersions')
    .set({ name })
    .where('id', '=', firmwareVersionId)
    .execute()

  expect(await vulnerable(client)).toMatchObject([{ firmwareVersionName: name }])
})

it('was last evaluated when a source was last read completely, if nothing changed since', async () => {
  const client = await givenClient(service)
  await givenVulnerable(client, ['High'])
  const at = new Date(Date.now() + 60_000)
  await service.ctx.db
    .insertInto('vulnerabilitySources')
    .values({ source: 'nvd', lastSuccessAt: at })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ lastSuccessAt: at }))
    .execute()

  const [item] = await vulnerable(client)

  expect(item?.vulnerabilitySummary.lastEvaluatedAt).toBe(at.toISOString())
})

it('shows nothing of another workspace', async () => {
  const [client, stranger] = [await givenClient(service), await givenClient(service)]
  await givenVulnerable(client, ['High'])

  expect(await vulnerable(stranger)).toEqual([])
})
