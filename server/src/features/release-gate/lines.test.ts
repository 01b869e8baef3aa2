/** Release lines that say otherwise than the workspace what the release gate does. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenMatchedSbom, givenProduct } from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { assessGate } from './service.ts'

let test: TestApp
let client: Client
let firmware: string
/** Critical and undecided. */
let flawed: string
let clean: string

beforeAll(async () => {
  test = await sharedTestApp()
})
beforeEach(async () => {
  client = await givenClient(test)
  const { cpes } = await givenProduct(test.ctx, ['Critical'])
  const created = await client.post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  firmware = `/firmwares/${created.json<{ id: string }>().id}`
  const addVersion = async (name: string, packageName: string, more: object) => {
    const added = await client.post(`${firmware}/versions`, { name })
    const { id: firmwareVersionId } = added.json<{ id: string }>()
    const version = { workspaceId: client.workspaceId, firmwareVersionId }
    await givenMatchedSbom(test.ctx, version, [{ packageName, version: '1.0', ...more }])
    return firmwareVersionId
  }
  flawed = await addVersion('2.0', 'tool', { cpes })
  clean = await addVersion('3.0', 'other', {})
})

const setLines = (two: object, three: object = {}) =>
  client.put(`${firmware}/lines`, {
    lines: [
      { name: '2.x', patterns: ['^2'], ...two },
      { name: '3.x', patterns: ['^3'], ...three },
    ],
  })
const assess = (...firmwareVersionIds: string[]) =>
  assessGate(test.ctx, { workspaceId: client.workspaceId, firmwareVersionIds })

it('blocks for a line although the workspace only warns, and says which line says so', async () => {
  await client.patch('/settings', { releaseGate: 'Warn' })
  const before = await assess(flawed)
  await setLines({ releaseGate: 'Block' })

  const gate = await assess(flawed, clean)

  expect([before.mode, before.blocked]).toEqual(['Warn', false])
  expect(gate).toMatchObject({
    mode: 'Block',
    blocked: true,
    rules: [
      {
        firmwareVersion: { id: flawed, name: 'Gateway 2.0' },
        mode: 'Block',
        line: { name: '2.x' },
      },
      { firmwareVersion: { id: clean, name: 'Gateway 3.0' }, mode: 'Warn', line: null },
    ],
  })
})

it('does not block for what ships in a line that lets it through, and still counts it', async () => {
  await client.patch('/settings', { releaseGate: 'Block' })
  await setLines({ releaseGate: 'Off' })

  const alone = await assess(flawed)
  const both = await assess(flawed, clean)

  expect(alone).toMatchObject({ mode: 'Off', blocked: false, undecidedCritical: 1 })
  expect(both).toMatchObject({ mode: 'Block', blocked: false, undecidedCritical: 1 })
})

it('asks of the support of a line what the line says, and stops by that', async () => {
  await client.patch('/settings', { releaseGate: 'Off' })
  await client.post('/support-statements', { name: 'other', endsOn: '2020-01-01' })
  await setLines({}, { releaseGate: 'Block', gateSupport: 'NotEnded' })

  const gate = await assess(flawed, clean)

  expect(gate).toMatchObject({
    blocked: true,
    support: { rule: 'NotEnded', verdict: 'Fails', failing: [{ firmwareVersionId: clean }] },
  })
  expect(await assess(flawed)).not.toHaveProperty('support')
})

it('keeps the gate of a line that is named by its id, and takes it back with null', async () => {
  const put = await setLines({ releaseGate: 'Block', gateSupport: 'NotEnded' })
  const [two] = put.json<{ lines: { id: string; releaseGate: string }[] }>().lines

  const lines = [{ ...two, versionCount: undefined, releaseGate: null }]
  const after = await client.put(`${firmware}/lines`, { lines })
  const wrong = await client.put(`${firmware}/lines`, { lines: [{ name: 'a', releaseGate: 'No' }] })

  expect(two?.releaseGate).toBe('Block')
  expect(after.json()).toMatchObject({ lines: [{ releaseGate: null, gateSupport: 'NotEnded' }] })
  expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/lines/0/releaseGate' }] })
})
