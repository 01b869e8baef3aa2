/** Findings grouped by component are the findings of the list, each once. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'
import { COMPONENT_SORT_COLUMNS } from './schemas.ts'

interface Row {
  name: string
  versions: string[]
  packageIds: string[]
  severity: string
  isExploited: boolean
  vulnerabilityCount: number
  firmwareVersionCount: number
  affectedDeviceCount: number
}
interface Page {
  components: Row[]
  nextCursor?: string
  totalCount: number
}
interface Finding {
  cveId: string
  packageId: string
  componentName: string
}

let service: TestApp
let client: Client
/** The first is in two versions of two firmware versions, the second in one, exploited. */
let names: [string, string]
let firmwareVersionIds: string[]
beforeAll(async () => {
  service = await sharedTestApp()
  client = await givenClient(service)
  const { ctx } = service
  const common = await givenProduct(ctx, ['High', 'Low', 'Low'])
  const exploited = await givenProduct(ctx, ['Medium'], { isKnownExploit: true })
  const component = (product: string, version: string) => ({
    packageName: product,
    version,
    cpes: [cpeOf(product, version)],
  })
  const first = await givenVersion(ctx, client.workspaceId, [
    component(common.product, '1.0'),
    component(common.product, '1.5'),
  ])
  const second = await givenVersion(ctx, client.workspaceId, [
    component(common.product, '1.0'),
    component(exploited.product, '1.0'),
  ])
  await givenDecision(ctx, second, {
    vulnerabilityId: exploited.cveIds[0] ?? '',
    assessment: 'NotAffected',
  })
  await givenRunning(ctx, 5, first)
  await givenRunning(ctx, 2, first, second)
  names = [common.product, exploited.product]
  firmwareVersionIds = [first.firmwareVersionId, second.firmwareVersionId]
})

async function list(body: object = {}, asking = client): Promise<Page> {
  const response = await asking.post('/vulnerable-components/list', body)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Page>()
}
const findingsOf = async (filter: object) =>
  (await client.post('/vulnerability-findings/list', { filter })).json<{ findings: Finding[] }>()
    .findings

describe('the vulnerable components of a workspace', () => {
  it('come by risk, with what is worst of their findings, and each device once', async () => {
    const { components, totalCount } = await list()

    expect(totalCount).toBe(2)
    expect(components).toMatchObject([
      { name: names[1], isExploited: true, severity: 'Medium', affectedDeviceCount: 2 },
      {
        name: names[0],
        isExploited: false,
        severity: 'High',
        versions: ['1.0', '1.5'],
        vulnerabilityCount: 3,
        firmwareVersionCount: 2,
        affectedDeviceCount: 7,
      },
    ])
  })

  it.each([
    {},
    { activeOnly: true },
    { severities: ['High'] },
    { assessments: ['NotAffected'] },
    { exploited: true },
    { affectedDevicesOnly: true },
    { detectedSince: '2020-01-01T00:00:00Z' },
    { detectedSince: '2999-01-01T00:00:00Z' },
  ])('have the findings of the list with %o, in one version or all', async (filter) => {
    for (const scope of [{}, { firmwareVersionIds: firmwareVersionIds.slice(1) }]) {
      const asked = { ...filter, ...scope }
      const { components, totalCount } = await list({ filter: asked })
      const findings = await findingsOf(asked)
      expect(new Set(components.map(({ name }) => name))).toEqual(
        new Set(findings.map(({ componentName }) => componentName)),
      )
      expect(totalCount).toBe(components.length)
      for (const { name, packageIds, vulnerabilityCount } of components) {
        const own = findings.filter(({ componentName }) => componentName === name)
        expect(vulnerabilityCount).toBe(new Set(own.map(({ cveId }) => cveId)).size)
        expect(await findingsOf({ ...asked, packageIds })).toHaveLength(own.length)
      }
    }
  })

  it.each(COMPONENT_SORT_COLUMNS)('by %s have the same rows page by page', async (sortColumn) => {
    for (const ascending of [true, false]) {
      const whole = await list({ sortColumn, ascending })
      const first = await list({ sortColumn, ascending, limit: 1 })
      const second = await list({ sortColumn, ascending, limit: 1, cursor: first.nextCursor })

      expect([...first.components, ...second.components]).toEqual(whole.components)
    }
  })

  it('are as many as the chips say', async () => {
    const counts = await client.post('/vulnerability-findings/counts', {
      groupBy: 'Component',
      chips: ['toDecide', 'exploited', 'recheck'],
    })

    expect(counts.json()).toMatchObject({
      toDecide: { totalCount: 1 },
      exploited: { totalCount: 0 },
      recheck: { totalCount: 0 },
    })
  })

  it('are called as their newest version calls them, and together if two packages are called alike', async () => {
    const asking = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High', 'Low'])
    const called = (packageName: string, version: string) =>
      givenVersion(service.ctx, asking.workspaceId, [
        { packageName, version, cpes: [cpeOf(product.product, version)] },
      ])
    const counted = async () =>
      (await list({ sortColumn: 'Name', ascending: true }, asking)).components.map(
        ({ name, vulnerabilityCount, versions }) => ({
          [name]: [vulnerabilityCount, versions],
        }),
      )

    await called('old', '1.0')
    await called('new', '1.5')
    expect(await counted()).toEqual([{ new: [2, ['1.5']] }, { old: [2, ['1.0']] }])

    await called('new', '1.0')
    expect(await counted()).toEqual([{ new: [2, ['1.0', '1.5']] }])
  })

  it('are decided in bulk by their packages', async () => {
    const packageIds = (await list()).components.find(({ name }) => name === names[0])?.packageIds
    const body = { filter: { packageIds }, assessment: 'InTriage', dryRun: true }

    const preview = await client.post('/vulnerability-findings/bulk-assess', body)

    // Two versions in the first firmware version and one in the second, with three vulnerabilities each.
    expect(preview.json()).toMatchObject({ matched: 9 })
  })

  it('of another workspace are not seen', async () => {
    const stranger = await givenClient(service)

    expect(await list({}, stranger)).toMatchObject({ components: [], totalCount: 0 })
  })
})
