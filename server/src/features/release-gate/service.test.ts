import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { assessGate } from './service.ts'

let test: TestApp
let workspace: TestWorkspace
beforeAll(async () => {
  test = await startTestApp()
  workspace = await test.givenWorkspace()
})

const assess = (...firmwareVersionIds: string[]) =>
  assessGate(test.ctx, { workspaceId: workspace.workspaceId, firmwareVersionIds })

async function setGate(releaseGate: 'Off' | 'Warn' | 'Block') {
  await test.ctx.db
    .updateTable('workspaces')
    .set({ releaseGate })
    .where('id', '=', workspace.workspaceId)
    .execute()
}

async function givenHoles() {
  const { ctx } = test
  const product = await givenProduct(ctx, ['Critical', 'Critical', 'High', 'Low'])
  const exploited = await givenProduct(ctx, ['Medium'], { isKnownExploit: true })
  const version = await givenVersion(ctx, workspace.workspaceId, [
    { packageName: product.product, cpes: product.cpes },
    { packageName: exploited.product, cpes: exploited.cpes },
  ])
  return { ...version, product, exploited }
}

describe('the release gate', () => {
  it.each`
    mode       | blocked
    ${'Off'}   | ${false}
    ${'Warn'}  | ${false}
    ${'Block'} | ${true}
  `(
    'tells of critical and known-exploited findings, and in mode $mode blocks: $blocked',
    async ({ mode, blocked }: { mode: 'Off' | 'Warn' | 'Block'; blocked: boolean }) => {
      await setGate(mode)
      const { firmwareVersionId, product, exploited } = await givenHoles()

      const gate = await assess(firmwareVersionId, firmwareVersionId)

      expect(gate).toMatchObject({ mode, critical: 2, knownExploited: 1, blocked })
      expect(gate.findings.map(({ cveId, severity }) => [cveId, severity])).toEqual([
        [exploited.cveIds[0], 'Medium'],
        [product.cveIds[0], 'Critical'],
        [product.cveIds[1], 'Critical'],
      ])
      const path = `/workspaces/${workspace.workspaceId}/vulnerability-findings/${gate.findings[0]?.id ?? ''}`
      const headers = { authorization: `Bearer ${workspace.apiKey}` }
      expect((await test.app.inject({ url: path, headers })).json()).toMatchObject({
        isKnownCisaExploit: true,
      })
    },
  )

  it('passes over what was closed or ignored, and lets the rest through', async () => {
    await setGate('Block')
    const { product, exploited, ...version } = await givenHoles()
    const [first = '', second = ''] = product.cveIds
    const [third = ''] = exploited.cveIds
    const decide = (decision: Parameters<typeof givenDecision>[2]) =>
      givenDecision(test.ctx, version, decision)
    await decide({ vulnerabilityId: first, assessment: 'NotAffected' })
    await decide({ vulnerabilityId: second, ignored: true })
    await decide({ vulnerabilityId: third, assessment: 'Resolved' })

    const gate = await assess(version.firmwareVersionId)

    const firmwareVersion = { id: version.firmwareVersionId, name: 'Gateway 1.0' }
    expect(gate).toEqual({
      mode: 'Block',
      rules: [{ firmwareVersion, mode: 'Block', supportRule: 'NotAsked', line: null }],
      critical: 0,
      undecidedCritical: 0,
      knownExploited: 0,
      componentCount: 2,
      notJudgedCount: 0,
      unknownSeverityCount: 0,
      failingLicenceCount: null,
      findings: [],
      acceptedCount: 1,
      accepted: [expect.objectContaining({ cveId: second, reason: null, until: null })],
      blocked: false,
    })
  })

  it('names the acceptances it counted on, and forbids those of exploited findings where the workspace says so', async () => {
    await setGate('Block')
    const { product, exploited, ...version } = await givenHoles()
    const cveIds = [...product.cveIds, ...exploited.cveIds]
    for (const vulnerabilityId of cveIds)
      await givenDecision(test.ctx, version, { vulnerabilityId, ignored: true })

    const accepting = await assess(version.firmwareVersionId)
    const forbid = (gateForbidsExploitedAcceptances: boolean) =>
      test.ctx.db
        .updateTable('workspaces')
        .set({ gateForbidsExploitedAcceptances })
        .where('id', '=', workspace.workspaceId)
        .execute()
    await forbid(true)
    const forbidding = await assess(version.firmwareVersionId)
    await forbid(false)

    expect(accepting).toMatchObject({
      critical: 0,
      knownExploited: 0,
      acceptedCount: 3,
      blocked: false,
    })
    expect(accepting.accepted.map(({ cveId }) => cveId)).toEqual([
      exploited.cveIds[0],
      ...product.cveIds.slice(0, 2),
    ])
    expect(forbidding).toMatchObject({
      critical: 0,
      knownExploited: 1,
      acceptedCount: 2,
      blocked: true,
    })
    expect(forbidding.findings).toMatchObject([{ cveId: exploited.cveIds[0] }])
  })

  it('lets critical findings through that somebody decided to live with', async () => {
    await setGate('Block')
    const { cveIds, ...product } = await givenProduct(test.ctx, ['Critical'])
    const version = await givenVersion(test.ctx, workspace.workspaceId, [
      { packageName: product.product, cpes: product.cpes },
    ])
    const decide = (assessment: 'InTriage' | 'Exploitable') =>
      givenDecision(test.ctx, version, { vulnerabilityId: cveIds[0] ?? '', assessment })

    await decide('InTriage')
    const triaged = await assess(version.firmwareVersionId)
    await decide('Exploitable')
    const decided = await assess(version.firmwareVersionId)

    expect(triaged).toMatchObject({ critical: 1, undecidedCritical: 1, blocked: true })
    expect(decided).toMatchObject({ critical: 1, undecidedCritical: 0, blocked: false })
  })

  it('tells of findings of unknown severity, and lets them through', async () => {
    await setGate('Block')
    const product = await givenProduct(test.ctx, ['Unknown', 'Low', 'Unknown'])
    const components = [{ packageName: product.product, cpes: product.cpes }]
    const version = await givenVersion(test.ctx, workspace.workspaceId, components)
    const [vulnerabilityId = ''] = product.cveIds
    await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })

    const gate = await assess(version.firmwareVersionId)

    expect(gate).toMatchObject({ critical: 0, unknownSeverityCount: 1, blocked: false })
  })

  it('lists the twenty worst and counts all', async () => {
    const { ctx } = test
    const product = await givenProduct(
      ctx,
      Array.from({ length: 25 }, () => 'Critical' as const),
    )
    const { firmwareVersionId } = await givenVersion(ctx, workspace.workspaceId, [
      { packageName: product.product, cpes: product.cpes },
    ])

    const gate = await assess(firmwareVersionId)

    expect(gate.critical).toBe(25)
    expect(gate.findings).toHaveLength(20)
  })

  it('sees nothing of another workspace', async () => {
    await setGate('Block')
    const { firmwareVersionId } = await givenHoles()
    const { workspaceId } = await test.givenWorkspace()

    const asked = assessGate(test.ctx, { workspaceId, firmwareVersionIds: [firmwareVersionId] })

    await expect(asked).rejects.toThrow('No firmware version has the id')
  })
})
