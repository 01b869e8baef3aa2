/** Rules about findings that SSVC says are urgent: whatever makes them so, until it no longer does or somebody decides. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
  refreshKept,
} from '../../../test/given-findings.ts'
import {
  firingCves,
  firingSeries,
  statuses,
  underClock,
} from '../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { classify } from '../../formats/ssvc/classes.ts'
import type { UrgentFindingCondition } from '../alert-rules/index.ts'

const ACTIVE_TOTAL = classify({ exploitation: 'A', automatable: 'Y', technicalImpact: 'T' })
const QUIET = classify({ exploitation: 'N', automatable: 'N', technicalImpact: 'P' })

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
let version: { workspaceId: string; firmwareVersionId: string }
let firmwareId: string
let cveIds: string[]
/** A version that a device runs, with a finding that is exploited and total, and one that is none of it. */
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test)
  const given = await givenProduct(test.ctx, ['High', 'High'])
  cveIds = given.cveIds
  await publish(0, ACTIVE_TOTAL)
  await publish(1, QUIET)
  version = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: given.product, version: '1.0', cpes: given.cpes },
  ])
  await givenRunning(test.ctx, 1, version)
  const read = await client.get(`/firmware-versions/${version.firmwareVersionId}`)
  firmwareId = read.json<{ firmware: { id: string } }>().firmware.id
  await refreshKept(test.ctx, version)
})

/** As an import writes it, and the copy of what the workspace keeps. */
async function publish(index: number, ssvcClass: number): Promise<void> {
  const { db } = test.ctx
  await sql`update vulnerabilities set ssvc_class = ${ssvcClass} where id = ${cveIds[index]}`.execute(
    db,
  )
  await sql`
    update workspace_component_vulnerabilities set ssvc_class = ${ssvcClass}
    where workspace_id = ${client.workspaceId} and vulnerability_id = ${cveIds[index]}`.execute(db)
}

const ruleOf = (condition: Partial<UrgentFindingCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'UrgentVulnerabilityFinding',
    condition: {
      ssvcFrom: 'Act',
      onlyWhereDevicesRun: true,
      firmwareIds: [],
      watches: 'Undecided',
      ...condition,
    },
  })

async function state(stated: object): Promise<void> {
  expect((await client.patch('/ssvc', stated)).statusCode).toBe(200)
  await refreshKept(test.ctx, version)
}

const knowProduct = (missionPrevalence: string, publicWellBeing: string) =>
  state({ products: [{ firmwareId, missionPrevalence, publicWellBeing }] })

it('fires at once on what is as urgent, and says what it may be where not all is known', async () => {
  const rule = await ruleOf()

  await clock.evaluateAfter()

  const [one, ...others] = await firingSeries(test, rule)
  expect(others).toEqual([])
  expect(one?.label).toMatch(
    new RegExp(`^${cveIds[0]} in .* 1\\.0, Gateway 1\\.0 \\(Track to Act\\)$`),
  )
})

it('follows what is stated of the product, and what records publish', async () => {
  await knowProduct('Minimal', 'Minimal')
  const rule = await ruleOf()
  const firing = async () => {
    await clock.evaluateAfter()
    return firingCves(test, rule)
  }

  expect(await firing()).toEqual([])
  await knowProduct('Essential', 'Irreversible')
  expect(await firing()).toEqual([cveIds[0]])
  await publish(1, ACTIVE_TOTAL)
  expect(await firing()).toEqual([...cveIds].toSorted((a, b) => a.localeCompare(b)))
  await knowProduct('Minimal', 'Minimal')
  expect(await firing()).toEqual([])
  expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Firing', 'Ok'])
})

it('takes more urgent outcomes than the stated one too', async () => {
  const rule = await ruleOf({ ssvcFrom: 'track' })

  await clock.evaluateAfter()

  expect(await firingCves(test, rule)).toHaveLength(2)
})

it.each`
  watches        | assessment       | fires
  ${'Undecided'} | ${'InTriage'}    | ${false}
  ${'Present'}   | ${'InTriage'}    | ${true}
  ${'Present'}   | ${'NotAffected'} | ${false}
`(
  'watching $watches it fires after $assessment: $fires',
  async ({ watches, assessment, fires }) => {
    const rule = await ruleOf({ watches: watches as 'Present' })
    await clock.evaluateAfter()
    await givenDecision(test.ctx, version, {
      vulnerabilityId: cveIds[0] ?? '',
      assessment: assessment as 'InTriage',
    })

    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual(fires === true ? [cveIds[0]] : [])
  },
)

it('needs devices that run the version, unless it is told otherwise, and the stated firmware', async () => {
  const given = await givenProduct(test.ctx, ['High'])
  cveIds = given.cveIds
  await publish(0, ACTIVE_TOTAL)
  const idle = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: given.product, version: '1.0', cpes: given.cpes },
  ])
  await refreshKept(test.ctx, idle)
  const running = await ruleOf()
  const any = await ruleOf({ onlyWhereDevicesRun: false })
  const ofFirmware = await ruleOf({ onlyWhereDevicesRun: false, firmwareIds: [firmwareId] })

  await clock.evaluateAfter()

  const counts = [running, any, ofFirmware].map(
    async (rule) => (await firingCves(test, rule)).length,
  )
  expect(await Promise.all(counts)).toEqual([1, 2, 1])
})

it('fails in words and keeps what fires once a tree holds that lacks the outcome', async () => {
  const rule = await ruleOf()
  await clock.evaluateAfter()
  const point = (namespace: string, key: string, values: [string, string][]) => ({
    namespace,
    key,
    version: '1.0.0',
    name: key,
    values: values.map(([one, name]) => ({ key: one, name })),
  })
  const table = {
    namespace: 'x_test',
    key: 'DT_WHEN',
    version: '1.0.0',
    name: 'When',
    decision_points: {
      'cisa:KEV:1.0.0': point('cisa', 'KEV', [
        ['N', 'No'],
        ['Y', 'Yes'],
      ]),
      'x_test:WHEN:1.0.0': point('x_test', 'WHEN', [
        ['L', 'Later'],
        ['N', 'Now'],
      ]),
    },
    outcome: 'x_test:WHEN:1.0.0',
    mapping: [
      { 'cisa:KEV:1.0.0': 'N', 'x_test:WHEN:1.0.0': 'L' },
      { 'cisa:KEV:1.0.0': 'Y', 'x_test:WHEN:1.0.0': 'N' },
    ],
  }
  const added = await client.post('/ssvc/trees', { tables: [table] })
  await state({ tree: added.json<{ id: string }>().id })

  await clock.evaluateAfter()

  expect(await statuses(test, rule)).toEqual(['Failed', 'Firing'])
  expect(await firingCves(test, rule)).toEqual([cveIds[0]])
  const reasons = await test.ctx.db
    .selectFrom('alertEvaluations')
    .select('reason')
    .where('ruleId', '=', rule)
    .where('status', '=', 'Failed')
    .execute()
  expect(reasons).toEqual([{ reason: '"Act" is no outcome of the SSVC tree "When": Later, Now.' }])
  const tried = { type: 'UrgentVulnerabilityFinding', evaluationFrequency: '5m' }
  const dryRun = await client.post('/alert-rules/dry-run', {
    name: 'x',
    ...tried,
    condition: { ssvcFrom: 'Act' },
  })
  expect([dryRun.statusCode, dryRun.json<{ errors: object[] }>().errors]).toEqual([
    400,
    [expect.objectContaining({ pointer: '/condition/ssvcFrom' })],
  ])
})

it('sees nothing of another workspace', async () => {
  client = await givenClient(test)
  const rule = await ruleOf({ onlyWhereDevicesRun: false })

  await clock.evaluateAfter()

  expect(await firingCves(test, rule)).toEqual([])
})
