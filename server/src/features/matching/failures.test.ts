import { pino } from 'pino'
import { Registry } from 'prom-client'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { cpeOf } from '../../../test/given-findings.ts'
import { givenFirmwareVersion, givenSbom } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import type { AppContext } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { buildManagement } from '../../platform/management.ts'
import { NodeMemory } from '../../platform/node-memory.ts'
import { matchFirmwareVersion } from '../findings/index.ts'
import { getEvaluationFailures } from './failures.ts'
import { reportMatchingHealth } from './health.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

/** A version with a package that two advisories are about; the evaluation of the broken one fails. */
async function givenBrokenAdvisory() {
  const product = `product-${newId()}`
  const [broken, whole] = [`CVE-2024-${product}-1`, `CVE-2024-${product}-2`]
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  for (const id of [broken, whole]) await givenAdvisory(test.ctx.db, { id, affected })
  await test.ctx.db
    .updateTable('advisoryAffected')
    .set({ statements: JSON.stringify([{ scheme: 'generic', defaultStatus: 'unaffected' }]) })
    .where('advisoryId', '=', broken)
    .execute()
  const { workspaceId } = await test.givenWorkspace()
  const firmwareVersionId = await givenFirmwareVersion(test.ctx, workspaceId)
  const version = { workspaceId, firmwareVersionId }
  const components = [{ packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] }]
  await givenSbom(test.ctx, { ...version, components })
  return { version, broken, whole }
}

async function packageOf(vulnerabilityId: string) {
  const matches = test.ctx.db.selectFrom('packageMatches').select('packageId')
  return matches.where('vulnerabilityId', '=', vulnerabilityId).executeTakeFirst()
}

/** A node of its own whose log is kept. */
function givenNode() {
  const logged: unknown[] = []
  const write = (line: string) => void logged.push(JSON.parse(line))
  const ctx: AppContext = {
    ...test.ctx,
    memory: new NodeMemory(),
    log: pino({ level: 'error' }, { write }),
  }
  return { ctx, logged }
}

it('evaluates the other advisories when a fault keeps one from being evaluated, and tells of it', async () => {
  const { version, broken, whole } = await givenBrokenAdvisory()
  const { ctx, logged } = givenNode()

  await matchFirmwareVersion(ctx, version)

  const match = await packageOf(whole)
  const failed = { packageId: match?.packageId, source: 'nvd', advisoryId: broken }
  expect(logged).toMatchObject([{ ...failed, err: { type: 'TypeError' } }])
  const management = buildManagement(
    { pools: test.pools, queue: test.queue },
    { started: true, stopping: false },
    [reportMatchingHealth(ctx)],
    new Registry(),
  )
  const ready = (await management.inject('/health/ready')).json<Record<string, unknown>>()
  expect(ready['matching']).toMatchObject({ failedEvaluations: 1, lastFailure: failed })
  const metrics = await management.inject('/metrics')
  expect(metrics.body).toContain('\nplimsoll_matching_failed_evaluations 1\n')
  await management.close()
})

it('fails the tests that meet such a fault', async () => {
  const { version, whole } = await givenBrokenAdvisory()
  const { ctx } = givenNode()
  const { isStrict } = getEvaluationFailures(test.ctx)
  getEvaluationFailures(ctx).isStrict = isStrict

  await expect(matchFirmwareVersion(ctx, version)).rejects.toThrow(TypeError)

  expect(await packageOf(whole)).toBeUndefined()
})
