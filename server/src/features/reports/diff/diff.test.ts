import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenVersion,
  type GivenProduct,
} from '../../../../test/given-findings.ts'
import { newId } from '../../../platform/ids.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

const component = ({ product }: GivenProduct, version: string) => ({
  packageName: product,
  version,
  cpes: [cpeOf(product, version)],
})
const versionOf = (...components: Parameters<typeof givenVersion>[2]) =>
  givenVersion(service.ctx, client.workspaceId, components)

interface Diff {
  components: Record<
    'added' | 'removed' | 'changed',
    { name: string; from?: string; to?: string }[]
  >
  fixed: Findings
  introduced: Findings
  remaining: Findings
}
interface Findings {
  countsBySeverity: { severity: string; count: number }[]
  findings: {
    cveId: string
    isKnownCisaExploit: boolean
    baseFinding: State | null
    finding: State | null
  }[]
}
interface State {
  id: string
  assessment: string
  isActive: boolean
}

async function diff(version: { firmwareVersionId: string }, base: { firmwareVersionId: string }) {
  const path = `/firmware-versions/${version.firmwareVersionId}/diff?base=${base.firmwareVersionId}`
  const response = await client.get(path)
  expect(response.statusCode).toBe(200)
  const whole = response.json<Diff>()
  expect((await client.get(path.replace('/diff?', '/diff-counts?'))).json()).toMatchObject(
    countAll(whole),
  )
  return whole
}

/** What the counts alone have to say of it. */
function countAll({ fixed, introduced, remaining }: Diff) {
  const isInBoth = ({ finding, baseFinding }: Findings['findings'][number]) =>
    finding !== null && baseFinding !== null
  const changed = [...fixed.findings, ...introduced.findings]
  const countOf = (those: Findings['findings']) => ({
    findingCount: those.length,
    exploitedCount: those.filter((one) => one.isKnownCisaExploit).length,
  })
  return {
    fixed: countOf(fixed.findings.filter((one) => !isInBoth(one))),
    introduced: countOf(introduced.findings.filter((one) => !isInBoth(one))),
    decidedOtherwise: countOf(changed.filter(isInBoth)),
    remaining: countOf(remaining.findings),
  }
}
const cves = ({ findings }: Findings) => findings.map(({ cveId }) => cveId)

describe('the difference of two firmware versions', () => {
  it('tells what became of components', async () => {
    const [same, changed, gone, come] = [
      await givenProduct(service.ctx, []),
      await givenProduct(service.ctx, []),
      await givenProduct(service.ctx, []),
      await givenProduct(service.ctx, []),
    ]
    const base = await versionOf(
      component(same, '1.0'),
      component(changed, '1.0'),
      component(gone, '1.0'),
      { packageName: 'unknown' },
    )
    const version = await versionOf(
      component(same, '1.0'),
      component(changed, '1.5'),
      component(come, '1.0'),
      { packageName: 'unknown' },
    )

    const { components } = await diff(version, base)

    expect(components).toMatchObject({
      added: [{ name: come.product, version: '1.0' }],
      removed: [{ name: gone.product, version: '1.0' }],
      changed: [{ name: changed.product, from: '1.0', to: '1.5' }],
    })
  })

  it('has the version of an identifier where the component declares none', async () => {
    const product = await givenProduct(service.ctx, ['High'])
    const undeclared = (version: string) => ({
      packageName: product.product,
      cpes: [cpeOf(product.product, version)],
    })
    const base = await versionOf(undeclared('1.0'))
    const version = await versionOf(undeclared('1.5'))

    const { components, remaining } = await diff(version, base)

    expect(components.changed).toMatchObject([{ from: '1.0', to: '1.5' }])
    expect(remaining.findings).toMatchObject([{ componentVersion: '1.5' }])
  })

  it('pairs versions of one software, and what is left over came or went', async () => {
    const product = await givenProduct(service.ctx, [])
    const base = await versionOf(component(product, '1.0'), component(product, '1.1'))
    const version = await versionOf(
      component(product, '1.1'),
      component(product, '1.2'),
      component(product, '1.3'),
    )

    const { components } = await diff(version, base)

    expect(components).toMatchObject({
      added: [{ version: '1.3' }],
      removed: [],
      changed: [{ from: '1.0', to: '1.2' }],
    })
  })

  it('tells what became of findings, also where the component has another version', async () => {
    const [kept, updated, added] = [
      await givenProduct(service.ctx, ['High']),
      await givenProduct(service.ctx, ['Critical', 'Low']),
      await givenProduct(service.ctx, ['Medium']),
    ]
    const base = await versionOf(component(kept, '1.0'), component(updated, '1.0'))
    const version = await versionOf(
      component(kept, '1.5'),
      component(updated, '2.0'),
      component(added, '1.0'),
    )

    const { fixed, introduced, remaining } = await diff(version, base)

    expect(cves(fixed)).toEqual(updated.cveIds)
    expect(cves(introduced)).toEqual(added.cveIds)
    expect(cves(remaining)).toEqual(kept.cveIds)
    expect(fixed.countsBySeverity.filter(({ count }) => count > 0)).toEqual([
      { severity: 'Critical', count: 1 },
      { severity: 'Low', count: 1 },
    ])
    expect(fixed.findings[0]).toMatchObject({ finding: null, baseFinding: { isActive: true } })
    expect(introduced.findings[0]).toMatchObject({ baseFinding: null, finding: { isActive: true } })
    for (const side of ['baseFinding', 'finding'] as const) {
      const id = remaining.findings[0]?.[side]?.id ?? ''
      const finding = await client.get(`/vulnerability-findings/${id}`)
      expect(finding.json()).toMatchObject({ cve: { id: kept.cveIds[0] } })
    }
  })

  it('says of a finding that no longer counts how it was assessed', async () => {
    const product = await givenProduct(service.ctx, ['High'])
    const base = await versionOf(component(product, '1.0'))
    const version = await versionOf(component(product, '1.0'))
    const vulnerabilityId = product.cveIds[0] ?? ''
    await givenDecision(service.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })

    const there = await diff(version, base)
    const back = await diff(base, version)

    expect(there.fixed.findings).toMatchObject([
      { finding: { assessment: 'NotAffected', isActive: false } },
    ])
    expect(there.remaining.findings).toEqual([])
    expect(back.introduced.findings).toMatchObject([
      { baseFinding: { assessment: 'NotAffected', isActive: false } },
    ])
  })

  it('is empty between a version and itself', async () => {
    const version = await versionOf(component(await givenProduct(service.ctx, ['High']), '1.0'))

    const { components, fixed, introduced } = await diff(version, version)

    expect(components).toEqual({ added: [], removed: [], changed: [] })
    expect([...fixed.findings, ...introduced.findings]).toEqual([])
  })

  it('is taken with the predecessor unless a base is stated', async () => {
    const product = await givenProduct(service.ctx, ['High'])
    const base = await versionOf(component(product, '1.0'))
    const version = await versionOf(component(product, '2.0'))
    const path = `/firmware-versions/${version.firmwareVersionId}/diff`
    const without = await client.get(path)
    await service.ctx.db
      .updateTable('firmwareVersions')
      .set({ predecessorId: base.firmwareVersionId })
      .where('id', '=', version.firmwareVersionId)
      .execute()

    expect(without.json()).toMatchObject({ status: 400, errors: [{ pointer: '/query/base' }] })
    expect((await client.get(path)).json()).toMatchObject({ base: { id: base.firmwareVersionId } })
  })

  it('is a 404 with a base that is not there, or not in the workspace', async () => {
    const version = await versionOf(component(await givenProduct(service.ctx, ['High']), '1.0'))
    const stranger = await givenClient(service)
    const theirs = await givenVersion(service.ctx, stranger.workspaceId, [])

    for (const base of [newId(), 'nothing', theirs.firmwareVersionId]) {
      const path = `/firmware-versions/${version.firmwareVersionId}/diff?base=${base}`
      expect((await client.get(path)).statusCode).toBe(404)
    }
  })
})
