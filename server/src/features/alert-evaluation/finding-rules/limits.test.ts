import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { startedCount, MINUTE, underClock } from '../../../../test/given-non-metric-rules.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { newId } from '../../../platform/ids.ts'
import { recordVerdicts } from '../verdicts-store.ts'
import { type FindingRule, listFindingBacklogs, planScan } from './rules-store.ts'
import { selectChangedFindings, scanFindings } from './store.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const CONDITION = {
  severities: [],
  knownCisaExploit: false,
  onlyWhereDevicesRun: false,
  firmwareIds: [],
}

it('adds findings over several evaluations when there are too many, up to the limit', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const clock = underClock(test)
  const { product, cpes } = await givenProduct(test.ctx, Array(6).fill('High'))
  const rule = { type: 'NewVulnerabilityFinding' as const, condition: CONDITION }
  const id = await clock.rule(workspaceId, rule)
  const effectiveSince = test.ctx.now()
  await givenVersion(test.ctx, workspaceId, [{ packageName: product, version: '1.0', cpes }])
  let evaluatedUntil: Date | null = null
  const evaluate = async (limits: { perEvaluation: number; firing: number }) => {
    clock.pass(180 * MINUTE)
    const windowEnd = test.ctx.now()
    const due: FindingRule = {
      ...rule,
      id,
      name: 'A rule',
      evaluationFrequency: '1m',
      repeatIntervalSeconds: null,
      notifyResolved: true,
      notifyOwners: false,
      effectiveSince,
      evaluatedUntil,
      incidentId: null,
      scheduledAt: windowEnd,
      windowStart: evaluatedUntil ?? effectiveSince,
      windowEnd,
      seriesIncidentId: newId(),
    }
    evaluatedUntil = windowEnd
    await test.ctx.db.transaction().execute(async (tx) => {
      const backlogs = await listFindingBacklogs(tx, workspaceId, [id])
      const scan = planScan([due], { backlogs, limits })
      const queries = selectChangedFindings(await scanFindings(tx, workspaceId, scan))
      await recordVerdicts(tx, workspaceId, { rules: [due], queries })
    })
    return startedCount(test, id)
  }
  const few = { perEvaluation: 2, firing: 5 }

  const counts = [
    await evaluate(few),
    await evaluate(few),
    await evaluate(few),
    await evaluate(few),
  ]
  const all = [await evaluate({ perEvaluation: 2, firing: 100 }), await evaluate(few)]

  expect(counts).toEqual([2, 4, 5, 5])
  expect(all).toEqual([6, 6])
})
