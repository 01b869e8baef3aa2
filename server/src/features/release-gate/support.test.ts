/** What the release gate says of the support of components: what is known, what is not, and what it stops. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenVersion } from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { assessGate } from './service.ts'

let test: TestApp
let client: Client
let firmwareVersionId: string
let firmwareId: string
beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => new Date('2026-11-29T12:00:00Z')
})
beforeEach(async () => {
  client = await givenClient(test)
  const names = ['old-sdk', 'short-sdk', 'long-sdk', 'strange-sdk']
  const version = await givenVersion(
    test.ctx,
    client.workspaceId,
    names.map((packageName) => ({ packageName, version: '1.0' })),
  )
  firmwareVersionId = version.firmwareVersionId
  const read = await client.get(`/firmware-versions/${firmwareVersionId}`)
  firmwareId = read.json<{ firmware: { id: string } }>().firmware.id
})

const setRule = (gateSupport: string, releaseGate = 'Block') =>
  client.patch('/settings', { gateSupport, releaseGate })

const state = (name: string, endsOn: string | null) =>
  client.post('/support-statements', { name, endsOn })

const promise = (supportEndsOn: string) =>
  client.patch(`/firmwares/${firmwareId}`, { supportEndsOn })

const assess = () =>
  assessGate(test.ctx, {
    workspaceId: client.workspaceId,
    firmwareVersionIds: [firmwareVersionId],
  })

async function givenStatements() {
  await state('old-sdk', '2026-11-29')
  await state('short-sdk', '2027-06-30')
  await state('long-sdk', null)
}

it('does not ask for support by itself', async () => {
  await givenStatements()
  await client.patch('/settings', { releaseGate: 'Block' })

  const gate = await assess()

  expect(gate.blocked).toBe(false)
  expect(gate).not.toHaveProperty('support')
})

it('stops what is out of support, and counts what is not known', async () => {
  await givenStatements()
  await setRule('NotEnded')

  const gate = await assess()

  expect(gate.blocked).toBe(true)
  expect(gate.support).toEqual({
    rule: 'NotEnded',
    verdict: 'Fails',
    endedCount: 1,
    endingBeforePromiseCount: 0,
    notKnownCount: 1,
    withoutPromiseCount: 1,
    failing: [
      {
        firmwareVersionId,
        label: 'old-sdk',
        cycle: null,
        state: 'Ended',
        endsOn: '2026-11-29',
        componentCount: 1,
      },
    ],
  })
})

it('stops besides what ends before the promised day where it is asked for', async () => {
  await givenStatements()
  await promise('2027-07-01')

  await setRule('UntilPromise')
  const gate = await assess()
  await promise('2027-06-30')
  const shorter = await assess()

  expect(gate.support?.failing.map(({ label }) => label)).toEqual(['old-sdk', 'short-sdk'])
  expect(gate.support).toMatchObject({ endingBeforePromiseCount: 1, withoutPromiseCount: 0 })
  expect(shorter.support?.failing.map(({ label }) => label)).toEqual(['old-sdk'])
})

it.each`
  rule              | promised        | known    | verdict
  ${'NotEnded'}     | ${undefined}    | ${false} | ${'NotKnown'}
  ${'NotEnded'}     | ${undefined}    | ${true}  | ${'Passes'}
  ${'UntilPromise'} | ${undefined}    | ${true}  | ${'NotKnown'}
  ${'UntilPromise'} | ${'2027-01-01'} | ${true}  | ${'Passes'}
  ${'UntilPromise'} | ${'2027-01-01'} | ${false} | ${'NotKnown'}
`(
  'says $verdict by $rule, promised $promised, all known: $known, and lets it through',
  async ({ rule, promised, known, verdict }) => {
    for (const name of ['old-sdk', 'short-sdk', 'long-sdk']) await state(name, '2027-06-30')
    if (known === true) await state('strange-sdk', null)
    if (promised !== undefined) await promise(promised as string)
    await setRule(rule as string)

    const gate = await assess()

    expect(gate.support?.verdict).toBe(verdict)
    expect(gate.blocked).toBe(false)
  },
)

it('only warns where the gate warns', async () => {
  await givenStatements()
  await setRule('NotEnded', 'Warn')

  expect(await assess()).toMatchObject({ blocked: false, support: { verdict: 'Fails' } })
})
