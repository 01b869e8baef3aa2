import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  startedCount,
  firingCves,
  firingSeries,
  givenMatchedAdvisory,
  HOUR,
  MINUTE,
  statuses,
  underClock,
} from '../../../../test/given-non-metric-rules.ts'
import {
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenVersion,
  recordDecisions,
  type GivenVersion,
} from '../../../../test/given-findings.ts'
import { removeSbom } from '../../../../test/given-inventory.ts'
import { affectedIn } from '../../../../test/given-knowledge.ts'
import { givenFleetDevices } from '../../../../test/given-fleet.ts'
import type { Assessment } from '../../../formats/assessments.ts'
import type { NewFindingCondition } from '../../alert-rules/index.ts'
import { assessGate } from '../../release-gate/index.ts'

let test: TestApp
let workspaceId: string
let apiKey: string
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  ;({ workspaceId, apiKey } = await test.givenWorkspace())
  clock = underClock(test)
})

const ruleOf = (condition: Partial<NewFindingCondition> = {}, of = workspaceId) =>
  clock.rule(of, {
    type: 'NewVulnerabilityFinding',
    condition: {
      severities: [],
      knownCisaExploit: false,
      onlyWhereDevicesRun: false,
      firmwareIds: [],
      ...condition,
    },
  })

type Product = Awaited<ReturnType<typeof givenProduct>>
const componentOf = ({ product, cpes }: Product) => ({ packageName: product, version: '1.0', cpes })
const versionOf = (product: Product, of = workspaceId) =>
  givenVersion(test.ctx, of, [componentOf(product)])

/** An advisory about a product that versions contain already. */
async function published(
  product: Product,
  of: { id: string; severity: 'High' | 'Critical'; score?: number },
) {
  const affected = [affectedIn(`cpe:acme:${product.product}`, [{ fixed: '2.0' }])]
  const at = test.ctx.now()
  await givenMatchedAdvisory(test.ctx, { ...of, affected, at })
}

async function exploited(id: string): Promise<void> {
  await sql`update vulnerabilities set is_known_exploit = true, known_exploit_since = ${test.ctx.now()}
    where id = ${id}`.execute(test.ctx.db)
}

async function runs(deviceId: string, { firmwareVersionId }: GivenVersion): Promise<void> {
  const row = await test.ctx.db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .select(['firmware.slug', 'version.name'])
    .where('version.id', '=', firmwareVersionId)
    .executeTakeFirstOrThrow()
  const session = { runId: crypto.randomUUID(), firmware: [{ slug: row.slug, version: row.name }] }
  await test.doors.intake.receive({
    workspaceId,
    deviceId,
    door: 'Mqtt',
    receivedAt: test.ctx.now(),
    message: { kind: 'session', session },
  })
}

describe('a rule about new findings', () => {
  it('fires for findings of an SBOM that came after it, says which, and not for those that were there', async () => {
    const [old, product] = [
      await givenProduct(test.ctx, ['High']),
      await givenProduct(test.ctx, ['High', 'Low']),
    ]
    await versionOf(old)
    clock.pass(MINUTE)
    const rule = await ruleOf({ severities: ['Critical', 'High'] })
    await clock.evaluateAfter()
    const before = await firingCves(test, rule)

    clock.pass(1_000)
    await versionOf(product)
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(await firingSeries(test, rule)).toEqual([
      expect.objectContaining({
        label: `${product.cveIds[0] ?? ''} in ${product.product} 1.0, Gateway 1.0 (High)`,
      }),
    ])
    expect(await statuses(test, rule)).toEqual(['Firing', 'Ok'])
  })

  it('fires when a feed brings a vulnerability of what versions hold, in each version', async () => {
    const product = await givenProduct(test.ctx, [])
    await versionOf(product)
    await versionOf(product)
    clock.pass(MINUTE)
    const rule = await ruleOf({ severities: ['High'] })
    await clock.evaluateAfter()
    const id = `CVE-2026-${product.product}`

    await published(product, { id, severity: 'High' })
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([id, id])
  })

  it('sees a fact that bears a time before the window and was committed after its evaluation', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const rule = await ruleOf()
    await clock.evaluateAfter()
    clock.pass(30_000)
    const stamped = test.ctx.now()
    const version = await versionOf(product)
    await sql`update firmware_version_packages set since = (since at time zone 'UTC' + interval '1 day') at time zone 'UTC',
      until = (since at time zone 'UTC' + interval '1 day') at time zone 'UTC'
      where workspace_id = ${workspaceId}`.execute(test.ctx.db)
    await clock.evaluateAfter()
    await clock.evaluateAfter(30 * MINUTE)
    const before = await firingCves(test, rule)

    await sql`update firmware_version_packages set since = ${stamped}, until = null
      where firmware_version_id = ${version.firmwareVersionId}`.execute(test.ctx.db)
    await clock.evaluateAfter()
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(await firingCves(test, rule)).toEqual(product.cveIds)
    expect(await startedCount(test, rule)).toBe(1)
  })

  it('waits for a transaction that is open over an evaluation', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const { firmwareVersionId } = await versionOf(product)
    clock.pass(MINUTE)
    const rule = await ruleOf()
    await givenDecision(
      test.ctx,
      { workspaceId, firmwareVersionId },
      {
        vulnerabilityId: product.cveIds[0] ?? '',
        ignored: true,
      },
    )
    const { packageId } = await test.ctx.db
      .selectFrom('firmwareVersionPackages')
      .select('packageId')
      .where('firmwareVersionId', '=', firmwareVersionId)
      .executeTakeFirstOrThrow()
    clock.pass(MINUTE)

    await test.ctx.db.transaction().execute(async (tx) => {
      const decision = { vulnerabilityId: product.cveIds[0] ?? '', ignored: false }
      const by = { source: 'User' as const, createdByEmail: null }
      const decisions = [{ ...decision, ...by, firmwareVersionId, packageId }]
      await recordDecisions(test.ctx, tx, { workspaceId, decisions })
      await clock.evaluateAfter(5 * MINUTE)
    })
    const before = await firingCves(test, rule)
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(await firingCves(test, rule)).toEqual(product.cveIds)
  })

  it('covers a pause of a day in one evaluation', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const rule = await ruleOf()
    await clock.evaluateAfter()
    clock.pass(HOUR)
    await versionOf(product)

    await clock.evaluateAfter(26 * HOUR)

    expect(await firingCves(test, rule)).toEqual(product.cveIds)
    expect(await statuses(test, rule)).toEqual(['Firing', 'Ok'])
  })

  it('is of one workspace: another has its own', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const other = (await test.givenWorkspace()).workspaceId
    const [rule, others] = [await ruleOf(), await ruleOf({}, other)]
    await versionOf(product, other)

    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([])
    expect(await firingCves(test, others)).toEqual(product.cveIds)
  })

  it('watches only the firmware it names', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const [one, other] = [await versionOf(product), await versionOf(product)]
    const { firmwareId } = await test.ctx.db
      .selectFrom('firmwareVersions')
      .select('firmwareId')
      .where('id', '=', one.firmwareVersionId)
      .executeTakeFirstOrThrow()
    const rule = await ruleOf({ firmwareIds: [firmwareId] })
    const sbom = [componentOf(await givenProduct(test.ctx, ['Low']))]
    await givenMatchedSbom(test.ctx, one, sbom)
    await givenMatchedSbom(test.ctx, other, sbom)

    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toHaveLength(2)
  })
})

describe('a finding becomes new', () => {
  it('when its vulnerability becomes known as exploited, whatever its severity', async () => {
    const product = await givenProduct(test.ctx, ['Low', 'Low'])
    await versionOf(product)
    clock.pass(MINUTE)
    const wanting = await ruleOf({ severities: ['Critical'], knownCisaExploit: true })
    const rule = await ruleOf({ severities: ['Critical'] })
    await clock.evaluateAfter()

    await exploited(product.cveIds[1] ?? '')
    await clock.evaluateAfter()

    expect(await firingCves(test, wanting)).toEqual([product.cveIds[1]])
    expect((await firingSeries(test, wanting))[0]?.label).toContain('(Low, known exploited)')
    expect(await firingCves(test, rule)).toEqual([])
  })

  it('when it rises to a severity that is asked for, and not when its score moves within it', async () => {
    const product = await givenProduct(test.ctx, ['Medium', 'High'])
    await versionOf(product)
    clock.pass(MINUTE)
    const rule = await ruleOf({ severities: ['High', 'Critical'] })
    await clock.evaluateAfter()

    await published(product, { id: product.cveIds[0] ?? '', severity: 'High', score: 7.5 })
    await published(product, { id: product.cveIds[1] ?? '', severity: 'Critical', score: 9.1 })
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([product.cveIds[0]])
    expect((await firingSeries(test, rule))[0]?.value).toBe(7.5)
  })

  it('though its score moves again before the evaluation', async () => {
    const product = await givenProduct(test.ctx, ['Medium'])
    await versionOf(product)
    clock.pass(MINUTE)
    const rule = await ruleOf({ severities: ['High', 'Critical'] })
    const id = product.cveIds[0] ?? ''

    await published(product, { id, severity: 'High', score: 7.5 })
    clock.pass(1_000)
    await published(product, { id, severity: 'Critical', score: 9.8 })
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([id])
  })

  it('when devices begin to run its version, however old it is', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const [version, other] = [await versionOf(product), await versionOf(product)]
    await givenFleetDevices(test.ctx, workspaceId, ['one', 'two'])
    await runs('one', other)
    clock.pass(3 * HOUR)
    const rule = await ruleOf({ onlyWhereDevicesRun: true })
    await clock.evaluateAfter()
    const before = await firingCves(test, rule)

    clock.pass(30_000)
    await runs('two', version)
    await clock.evaluateAfter()
    const running = await firingCves(test, rule)
    await runs('two', other)
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(running).toEqual(product.cveIds)
    expect(await firingCves(test, rule)).toEqual([])
  })

  it('when devices begin to run its version before the first evaluation', async () => {
    const product = await givenProduct(test.ctx, ['High'])
    const version = await versionOf(product)
    await givenFleetDevices(test.ctx, workspaceId, ['one'])
    clock.pass(3 * HOUR)
    const rule = await ruleOf({ onlyWhereDevicesRun: true })
    clock.pass(1_000)
    await runs('one', version)

    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual(product.cveIds)
  })

  it('where devices run the version already', async () => {
    const product = await givenProduct(test.ctx, [])
    const version = await versionOf(product)
    await versionOf(product)
    await givenFleetDevices(test.ctx, workspaceId, ['one'])
    await runs('one', version)
    const rule = await ruleOf({ onlyWhereDevicesRun: true })
    await clock.evaluateAfter()
    const id = `CVE-2026-${product.product}`

    await published(product, { id, severity: 'High' })
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([id])
  })
})

describe('a finding that fires', () => {
  let product: Product
  let version: GivenVersion & { sbomId: string }
  let rule: string
  beforeEach(async () => {
    product = await givenProduct(test.ctx, ['High'])
    rule = await ruleOf()
    version = await versionOf(product)
    await clock.evaluateAfter()
  })
  const decide = (decision: { assessment?: Assessment; ignored?: boolean }) =>
    givenDecision(test.ctx, version, { vulnerabilityId: product.cveIds[0] ?? '', ...decision })

  it('fires once, however often its facts are looked at', async () => {
    for (let count = 0; count < 3; count += 1) await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual(product.cveIds)
    expect(await startedCount(test, rule)).toBe(1)
  })

  it.each([
    ['ignored', { ignored: true }, { ignored: false }],
    ['in triage', { assessment: 'InTriage' }, { assessment: 'NotAssessed' }],
  ] as const)(
    'ceases when it is %s, and fires again when that is taken back',
    async (_name, done, undone) => {
      clock.pass(1_000)
      await decide(done)
      await clock.evaluateAfter()
      const between = await firingCves(test, rule)
      await clock.evaluateAfter(3 * HOUR)

      await decide(undone)
      await clock.evaluateAfter()

      expect(between).toEqual([])
      expect(await firingCves(test, rule)).toEqual(product.cveIds)
      expect(await startedCount(test, rule)).toBe(2)
    },
  )

  const endedCause = async () => {
    const { endedCause: cause } = await test.ctx.db
      .selectFrom('alertIncidents')
      .select('endedCause')
      .where('ruleId', '=', rule)
      .orderBy('beganAt', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return cause
  }

  it('ends its incident as decided while it is still there, and as recovered once it is gone', async () => {
    clock.pass(1_000)
    await decide({ assessment: 'Exploitable' })
    await clock.evaluateAfter()
    const decided = await endedCause()
    clock.pass(1_000)
    await decide({ assessment: 'NotAssessed' })
    await clock.evaluateAfter()
    const again = await firingCves(test, rule)

    await removeSbom(test.ctx, version)
    await clock.evaluateAfter()

    expect(decided).toBe('Decided')
    expect(again).toEqual(product.cveIds)
    expect(await endedCause()).toBe('Recovered')
  })

  it('fires on under a rule that watches what is present, until it is closed, and again if that is taken back', async () => {
    rule = await ruleOf({ watches: 'Present' })
    const other = await givenProduct(test.ctx, ['High'])
    version = await versionOf(other)
    product = other
    await clock.evaluateAfter()
    const seen = [await firingCves(test, rule)]

    for (const assessment of ['InTriage', 'Exploitable', 'NotAffected', 'Exploitable'] as const) {
      clock.pass(1_000)
      await decide({ assessment })
      await clock.evaluateAfter()
      seen.push(await firingCves(test, rule))
      if (assessment === 'NotAffected') expect(await endedCause()).toBe('Decided')
    }
    await removeSbom(test.ctx, version)
    await clock.evaluateAfter()

    const held = product.cveIds
    expect(seen).toEqual([held, held, held, [], held])
    expect(await firingCves(test, rule)).toEqual([])
    expect(await endedCause()).toBe('Recovered')
  })

  it('ceases with what one command decided, fires again once that is taken back, and the gate follows', async () => {
    const { cveIds, ...others } = await givenProduct(test.ctx, ['Critical'])
    const { firmwareVersionId } = await versionOf({ cveIds, ...others })
    await decide({ ignored: true })
    const ask = async <Answer>(path: string, payload: object) => {
      const url = `/workspaces/${workspaceId}${path}`
      const headers = { authorization: `Bearer ${apiKey}` }
      return (await test.app.inject({ method: 'POST', url, headers, payload })).json<Answer>()
    }
    const look = async () => {
      clock.pass(1_000)
      await clock.evaluateAfter()
      const firmwareVersionIds = [firmwareVersionId]
      const gate = await assessGate(test.ctx, { workspaceId, firmwareVersionIds })
      return { firing: await firingCves(test, rule), held: gate.critical }
    }
    const before = await look()

    const { decisionBatchId } = await ask<{ decisionBatchId: string }>(
      '/vulnerability-findings/bulk-assess',
      { filter: { cveIds }, assessment: 'NotAffected', justification: 'code_not_reachable' },
    )
    const decided = await look()
    const undone = await ask(`/decision-batches/${decisionBatchId}/undo`, {})

    expect(before).toEqual({ firing: cveIds, held: 1 })
    expect(decided).toEqual({ firing: [], held: 0 })
    expect(undone).toMatchObject({ restored: 1, left: 0 })
    expect(await look()).toEqual(before)
  })

  it('ceases when its SBOM goes, and fires again when it comes back', async () => {
    await removeSbom(test.ctx, version)
    await clock.evaluateAfter()
    const between = await firingCves(test, rule)
    clock.pass(1_000)

    await givenMatchedSbom(test.ctx, version, [componentOf(product)])
    await clock.evaluateAfter()

    expect(between).toEqual([])
    expect(await firingCves(test, rule)).toEqual(product.cveIds)
  })

  it('ceases when the records say otherwise', async () => {
    clock.pass(1_000)
    const affected = [affectedIn(`cpe:acme:${product.product}`, [{ fixed: '0.9' }])]
    const id = product.cveIds[0] ?? ''
    await givenMatchedAdvisory(test.ctx, { id, affected })
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([])
    expect((await statuses(test, rule))[0]).toBe('Ok')
  })

  it('ceases when its firmware version is deleted', async () => {
    await test.ctx.db
      .deleteFrom('firmwareVersions')
      .where('id', '=', version.firmwareVersionId)
      .execute()
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([])
  })
})
