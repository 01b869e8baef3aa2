/** Decisions that hold for findings to come, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { cpeOf, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { matchChangedPackages } from '../../matching/index.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const NOT_AFFECTED = { assessment: 'NotAffected', detail: 'Not built in.' }
const decide = (client: Client, filter: object, more: object = {}) =>
  client.post('/vulnerability-findings/bulk-assess', { ...NOT_AFFECTED, filter, ...more })

interface Finding {
  cveId: string
  assessment: string
}
async function assessments(client: Client, { firmwareVersionId }: { firmwareVersionId: string }) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const { findings } = (await client.post(path, { sortColumn: 'CveId', ascending: true })).json<{
    findings: Finding[]
  }>()
  return findings.map(({ assessment }) => assessment)
}
const versionWith = (client: Client, product: string, packageName = product, version = '1.0') =>
  givenVersion(test.ctx, client.workspaceId, [
    { packageName, version, cpes: [cpeOf(product, version)] },
  ])

it('decides findings of versions that come later, in this workspace alone, until it is ended', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const { product, cveIds } = await givenProduct(test.ctx, ['High', 'Low'])
  const first = await versionWith(client, product)
  const filter = { cveIds: [cveIds[0]] }

  const preview = await decide(client, filter, { alsoFuture: true, dryRun: true })
  const none = (await client.get('/standing-decisions')).json<{ standingDecisions: object[] }>()
  await decide(client, filter, { alsoFuture: true })
  const second = await versionWith(client, product, product, '1.5')
  const { standingDecisions } = (await client.get('/standing-decisions')).json<{
    standingDecisions: { id: string }[]
  }>()
  const path = `/standing-decisions/${standingDecisions[0]?.id ?? ''}`
  const foreign = await stranger.delete(path)
  const ended = await client.delete(path)
  const third = await versionWith(client, product, product, '1.6')

  expect(preview.json()).toMatchObject({ matched: 1, changed: 1 })
  expect(none.standingDecisions).toEqual([])
  expect(standingDecisions).toMatchObject([
    { vulnerabilityId: cveIds[0], componentName: null, ...NOT_AFFECTED },
  ])
  expect([foreign.statusCode, ended.statusCode]).toEqual([404, 204])
  expect(await assessments(client, first)).toEqual(['NotAffected', 'NotAssessed'])
  expect(await assessments(client, second)).toEqual(['NotAffected', 'NotAssessed'])
  expect(await assessments(client, third)).toEqual(['NotAssessed', 'NotAssessed'])
  expect(await assessments(stranger, await versionWith(stranger, product))).toEqual([
    'NotAssessed',
    'NotAssessed',
  ])
})

it('decides findings that begin when a record changes, and moves the counters', async () => {
  const client = await givenClient(test)
  const product = `product-${newId()}`
  const id = `CVE-2026-${product}`
  const version = await versionWith(client, product)
  await decide(client, { cveIds: [id] }, { alsoFuture: true })

  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  const revision = await givenAdvisory(test.ctx.db, { id, severity: 'Critical', affected })
  await matchChangedPackages(test.ctx, { revision })

  expect(await assessments(client, version)).toEqual(['NotAffected'])
  const summary = await client.get(
    `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/summary`,
  )
  expect(summary.json()).toMatchObject({ totalActiveIssues: 0 })
})

it('holds for one component only, if it names one', async () => {
  const client = await givenClient(test)
  const { product, cveIds } = await givenProduct(test.ctx, ['High'])
  const filter = { cveIds: cveIds, components: [{ packageName: 'boot' }] }
  await client.post('/vulnerability-findings/bulk-ignore', {
    filter,
    ignored: true,
    alsoFuture: true,
  })

  const boot = await versionWith(client, product, 'boot')
  const app = await versionWith(client, product, 'app', '1.5')
  const ignored = async ({ firmwareVersionId }: { firmwareVersionId: string }) => {
    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
    const { findings } = (await client.post(path, {})).json<{ findings: { ignored: boolean }[] }>()
    return findings.map((finding) => finding.ignored)
  }

  expect([await ignored(boot), await ignored(app)]).toEqual([[true], [false]])
})

it.each([
  { severities: ['Low'] },
  { cveIds: ['CVE-1', 'CVE-2'] },
  { cveIds: ['CVE-1'], activeOnly: true },
  { cveIds: ['CVE-1'], components: [{ packageName: 'a', version: '1' }] },
])('refuses a filter that tells nothing of findings to come: %j', async (filter) => {
  const client = await givenClient(test)

  const refused = await decide(client, filter, { alsoFuture: true })

  expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/filter' }] })
})
