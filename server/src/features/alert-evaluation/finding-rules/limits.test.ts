import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { begunCount, MINUTE, underClock } from '../../../../test/given-core-rules.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { newId } from '../../../platform/ids.ts'
import { changedJudgement, judgeFindings } from './store.ts'
import { type FindingRule, listFindingBacklogs, lookedAt } from './rules-store.ts'
import { settleSeries } from '../verdicts-store.ts'

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

it('takes down some at a time what is too much for one evaluation, and the rest when there is room', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const clock = underClock(test)
  const { product, cpes } = await givenProduct(test.ctx, Array(6).fill('High'))
  const rule = { type: 'NewVulnerabilityFinding' as const, condition: CONDITION }
  const id = await clock.rule(workspaceId, rule)
  const effectiveSince = test.ctx.now()
  await givenVersion(test.ctx, workspaceId, [{ packageName: product, version: '1.0', cpes }])
  let evaluatedUntil: Date | null = null
  const judge = async (limits: { together: number; atOnce: number }) => {
    clock.pass(180 * MINUTE)
    const windowEnd = test.ctx.now()
    const due: FindingRule = {
      ...rule,
      id,
      name: 'A rule',
      evaluationFrequency: '1m',
      repeatIntervalSeconds: null,
      notifyResolved: true,
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
      const looked = lookedAt([due], { backlogs, limits })
      const judgement = changedJudgement(await judgeFindings(tx, workspaceId, looked))
      await settleSeries(tx, workspaceId, { rules: [due], judgement })
    })
    return begunCount(test, id)
  }
  const few = { together: 2, atOnce: 5 }

  const counts = [await judge(few), await judge(few), await judge(few), await judge(few)]
  const all = [await judge({ together: 2, atOnce: 100 }), await judge(few)]

  expect(counts).toEqual([2, 4, 5, 5])
  expect(all).toEqual([6, 6])
})
