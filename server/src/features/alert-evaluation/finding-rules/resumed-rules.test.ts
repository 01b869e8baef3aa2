/** Findings that were firing when somebody switched their rule off, or changed it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { firingCves, MINUTE, underClock } from '../../../../test/given-non-metric-rules.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
let rule: string
let old: string
let version: Awaited<ReturnType<typeof versionOf>>
let critical: string
let low: string

const SEVERITIES = ['Critical', 'Low']
const bodyOf = (severities: readonly string[]) => ({
  name: 'New findings',
  type: 'NewVulnerabilityFinding',
  evaluationFrequency: '1m',
  condition: { severities, knownCisaExploit: false, onlyWhereDevicesRun: false, firmwareIds: [] },
  targets: [],
})

async function versionOf(product: Awaited<ReturnType<typeof givenProduct>>) {
  const component = { packageName: product.product, version: '1.0', cpes: product.cpes }
  return givenVersion(test.ctx, client.workspaceId, [component])
}

/** A rule with two findings that are firing, and one that was there before it. */
beforeEach(async () => {
  test ??= await startTestApp()
  clock = underClock(test)
  client = await givenClient(test)
  const before = await givenProduct(test.ctx, ['Critical'])
  old = before.cveIds[0] ?? ''
  await versionOf(before)
  clock.pass(MINUTE)
  rule = (await client.post('/alert-rules', bodyOf(SEVERITIES))).json<{ id: string }>().id
  const product = await givenProduct(test.ctx, SEVERITIES as ['Critical', 'Low'])
  ;[critical = '', low = ''] = product.cveIds
  version = await versionOf(product)
  await clock.evaluateAfter()
  expect(await firingCves(test, rule)).toEqual([critical, low].toSorted())
  clock.pass(1_000)
})

const turn = (to: 'enable' | 'disable') => client.post(`/alert-rules/${rule}/${to}`)
const change = (severities: readonly string[]) =>
  client.put(`/alert-rules/${rule}`, bodyOf(severities))

async function listIncidents() {
  const listed = await client.post('/alert-incidents/list', {})
  return listed.json<{ incidents: { endedCause: string | null; firingSeriesCount: number }[] }>()
    .incidents
}

describe('what is firing when its rule is switched off', () => {
  it('is firing in a new incident once the rule is on again, and what was there before is not', async () => {
    await turn('disable')
    await clock.evaluateAfter(5 * MINUTE)
    const whileOff = await firingCves(test, rule)
    await turn('enable')
    await clock.evaluateAfter()

    expect(whileOff).toEqual([])
    expect(await firingCves(test, rule)).not.toContain(old)
    expect(await listIncidents()).toMatchObject([
      { endedCause: null, firingSeriesCount: 2 },
      { endedCause: 'RuleDisabled', firingSeriesCount: 0 },
    ])
  })

  it('stays ended where it was decided meanwhile', async () => {
    await turn('disable')
    await givenDecision(test.ctx, version, { vulnerabilityId: low, assessment: 'InTriage' })
    await turn('enable')
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([critical])
  })

  it('is firing again though the rule was off and on several times between two evaluations', async () => {
    for (let count = 0; count < 3; count += 1) {
      await turn('disable')
      await turn('enable')
      clock.pass(1_000)
    }
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([critical, low].toSorted())
  })
})

describe('what is firing when its rule is changed', () => {
  it('is firing where the changed rule asks for it, and again as soon as one does', async () => {
    await change(['Critical'])
    await clock.evaluateAfter()
    const narrow = await firingCves(test, rule)
    await change(SEVERITIES)
    await clock.evaluateAfter()

    expect(narrow).toEqual([critical])
    expect(await firingCves(test, rule)).toEqual([critical, low].toSorted())
  })

  it('is joined by what no evaluation had seen before the change', async () => {
    const late = await givenProduct(test.ctx, ['Critical'])
    await versionOf(late)
    clock.pass(1_000)
    await change(['Critical'])
    await clock.evaluateAfter()

    expect(await firingCves(test, rule)).toEqual([critical, ...late.cveIds].toSorted())
  })
})
