import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFirmwareVersion, givenSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { matchChangedPackages } from '../../matching/index.ts'
import { maintainDailyCounters } from './service.ts'
import { matchFirmwareVersion } from '../../findings/index.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})

async function trendOf(workspaceId: string, apiKey: string, query = '') {
  const response = await service.app.inject({
    url: `/workspaces/${workspaceId}/vulnerability-trend${query}`,
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return { status: response.statusCode, body: response.json<{ days?: Day[] }>() }
}
interface Day {
  day: string
  totalActiveIssues: number
}

it('shows what stood at the end of each day, and today as it stands', async () => {
  const { workspaceId, apiKey } = await service.givenWorkspace()
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  const product = `product-${newId()}`
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  await givenSbom(service.ctx, {
    workspaceId,
    firmwareVersionId,
    components: [{ packageName: 'a', cpes }],
  })
  await matchFirmwareVersion(service.ctx, { workspaceId, firmwareVersionId })
  const daysAgo = (days: number) => () => new Date(Date.now() - days * 86_400_000)
  await maintainDailyCounters({ ...service.ctx, now: daysAgo(2) })
  const revision = await givenAdvisory(service.ctx.db, {
    id: `CVE-2024-${product}`,
    affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
  })
  await maintainDailyCounters({ ...service.ctx, now: daysAgo(1) })

  await matchChangedPackages(service.ctx, { revision })

  const { body } = await trendOf(workspaceId, apiKey, `?firmwareVersionId=${firmwareVersionId}`)
  expect(body.days?.map(({ totalActiveIssues }) => totalActiveIssues)).toEqual([0, 0, 1])
  expect(body.days?.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10))
  await maintainDailyCounters({ ...service.ctx, now: daysAgo(1) })
  const again = await trendOf(workspaceId, apiKey, '?days=2')
  expect(again.body.days?.map(({ totalActiveIssues }) => totalActiveIssues)).toEqual([1, 1])
})

it('knows no firmware version of another workspace', async () => {
  const { workspaceId, apiKey } = await service.givenWorkspace()
  const other = await service.givenWorkspace()
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, other.workspaceId)

  const { status } = await trendOf(workspaceId, apiKey, `?firmwareVersionId=${firmwareVersionId}`)

  expect(status).toBe(404)
  expect((await trendOf(workspaceId, apiKey, '?days=0')).status).toBe(400)
})
