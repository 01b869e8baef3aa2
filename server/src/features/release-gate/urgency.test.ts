/** What the release gate says of the urgency of findings by SSVC, and what it stops. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import {
  givenDecision,
  givenProduct,
  givenVersion,
  refreshKept,
} from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { classify } from '../../formats/ssvc/classes.ts'
import { assessGate } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const ACTIVE_TOTAL = classify({ exploitation: 'A', automatable: 'Y', technicalImpact: 'T' })
const QUIET = classify({ exploitation: 'N', automatable: 'N', technicalImpact: 'P' })
const PUBLISHED = [ACTIVE_TOTAL, QUIET, 0]

let client: Client
let version: { workspaceId: string; firmwareVersionId: string }
let firmwareId: string
/** Active and total, nothing of that, and nothing published: none of them critical. */
let cveIds: string[]
beforeEach(async () => {
  client = await givenClient(test)
  const given = await givenProduct(test.ctx, ['High', 'High', 'High'])
  cveIds = given.cveIds
  for (const [index, ssvcClass] of PUBLISHED.entries())
    await sql`update vulnerabilities set ssvc_class = ${ssvcClass} where id = ${cveIds[index]}`.execute(
      test.ctx.db,
    )
  version = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: given.product, version: '1.0', cpes: given.cpes },
  ])
  const read = await client.get(`/firmware-versions/${version.firmwareVersionId}`)
  firmwareId = read.json<{ firmware: { id: string } }>().firmware.id
})

async function state(stated: object): Promise<void> {
  const response = await client.patch('/ssvc', stated)
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  await refreshKept(test.ctx, version)
}

const setGate = (releaseGate: string) => client.patch('/settings', { releaseGate })

const assess = () =>
  assessGate(test.ctx, {
    workspaceId: client.workspaceId,
    firmwareVersionIds: [version.firmwareVersionId],
  })

const knowProduct = (missionPrevalence: string, publicWellBeing: string) =>
  state({ products: [{ firmwareId, missionPrevalence, publicWellBeing }] })

it('does not ask for outcomes by itself', async () => {
  await setGate('Block')

  const gate = await assess()

  expect(gate.blocked).toBe(false)
  expect(gate).not.toHaveProperty('ssvc')
})

it('stops what is as urgent, names it, and counts what may be less urgent once all is known', async () => {
  const [active = '', , unknown = ''] = cveIds
  await setGate('Block')
  await state({ gateFrom: 'Act' })

  const { blocked, ssvc } = await assess()

  expect(blocked).toBe(true)
  expect(ssvc).toMatchObject({ from: 'Act', count: 2, uncertainCount: 2, acceptedCount: 0 })
  const shown = ssvc?.findings.map((one) => [one.cveId, one.ssvcLeastOutcome, one.ssvcOutcome])
  expect(new Set(shown)).toEqual(
    new Set([
      [active, 'Track', 'Act'],
      [unknown, 'Track', 'Act'],
    ]),
  )
})

it('follows what is stated of the product', async () => {
  await setGate('Block')
  await state({ gateFrom: 'Act' })
  await knowProduct('Minimal', 'Minimal')
  const ofMinimal = await assess()
  await state({ gateFrom: 'Attend' })
  const fromAttend = await assess()
  await knowProduct('Essential', 'Irreversible')
  await state({ gateFrom: 'Act' })
  const ofEssential = await assess()

  expect([ofMinimal.blocked, ofMinimal.ssvc?.count]).toEqual([false, 0])
  expect([fromAttend.blocked, fromAttend.ssvc?.count]).toEqual([true, 2])
  expect(ofEssential.ssvc).toMatchObject({ count: 2, uncertainCount: 1 })
})

it('lets through what is closed or accepted, and lists what was accepted', async () => {
  const [active = '', , unknown = ''] = cveIds
  await setGate('Block')
  await state({ gateFrom: 'Act' })
  await givenDecision(test.ctx, version, { vulnerabilityId: active, assessment: 'NotAffected' })
  await givenDecision(test.ctx, version, { vulnerabilityId: unknown, ignored: true })

  const { blocked, ssvc } = await assess()

  expect(blocked).toBe(false)
  expect(ssvc).toMatchObject({ count: 0, acceptedCount: 1, findings: [] })
  expect(ssvc?.accepted.map(({ cveId }) => cveId)).toEqual([unknown])
})

it('only warns where the gate warns', async () => {
  await setGate('Warn')
  await state({ gateFrom: 'Attend' })

  expect(await assess()).toMatchObject({ blocked: false, ssvc: { count: 2 } })
})

it('takes all outcomes for possible in a version that was not counted yet', async () => {
  await setGate('Block')
  await state({ gateFrom: 'Act' })
  await knowProduct('Minimal', 'Minimal')
  await sql`delete from workspace_versions where workspace_id = ${client.workspaceId}`.execute(
    test.ctx.db,
  )

  expect(await assess()).toMatchObject({ blocked: true, ssvc: { count: 2, uncertainCount: 2 } })
})
