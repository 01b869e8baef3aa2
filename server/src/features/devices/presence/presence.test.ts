import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { newId } from '../../../platform/ids.ts'
import { beat, disconnectSilentGateways } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const LONG_AGO_MS = 60_000

async function givenSilentGateway() {
  const client = await givenClient(test)
  const { workspaceId } = client
  const gateway = { id: newId(), startedAt: test.ctx.now() }
  const then = new Date(test.ctx.now().getTime() - LONG_AGO_MS)
  await beat(test.ctx, gateway)
  await test.ctx.db
    .updateTable('gateways')
    .set({ beatAt: then })
    .where('id', '=', gateway.id)
    .execute()
  const connect = (deviceId: string) =>
    test.doors.intake.receive({
      workspaceId,
      deviceId,
      door: 'Mqtt',
      receivedAt: then,
      message: { kind: 'connected', connectionId: newId(), gatewayId: gateway.id },
    })
  await client.post('/devices', { id: 'one' })
  await connect('one')
  const isConnected = async () =>
    (await client.get('/devices/one')).json<{ connected: boolean }>().connected
  const isKnown = async () => {
    const known = test.ctx.db.selectFrom('gateways').select('id').where('id', '=', gateway.id)
    return (await known.executeTakeFirst()) !== undefined
  }
  const lastSeen = async () =>
    (await client.get('/devices/one')).json<{ lastSeenAt: string }>().lastSeenAt
  const seen = { isConnected, isKnown, lastSeen }
  return { client, workspaceId, gateway, silentSince: then, connect, ...seen }
}

it('ends for devices of a gateway that is silent for long', async () => {
  const { isConnected, isKnown } = await givenSilentGateway()

  await disconnectSilentGateways(test.ctx)

  expect([await isConnected(), await isKnown()]).toEqual([false, false])
})

it('stays with a gateway that beats again while others take it for dead', async () => {
  const { gateway, isConnected, isKnown } = await givenSilentGateway()

  await test.ctx.db.transaction().execute(async (tx) => {
    await beat({ db: tx }, gateway)
    await disconnectSilentGateways(test.ctx)
  })
  await disconnectSilentGateways(test.ctx)

  expect([await isConnected(), await isKnown()]).toEqual([true, true])
})

it('leaves a device that said nothing for days away since its gateway is silent', async () => {
  const { workspaceId, silentSince, lastSeen } = await givenSilentGateway()
  await test.ctx.db
    .updateTable('devices')
    .set({ lastSeenAt: new Date(0) })
    .where('workspaceId', '=', workspaceId)
    .execute()

  await disconnectSilentGateways(test.ctx)

  expect(new Date(await lastSeen())).toEqual(silentSince)
})

it('goes with a device that is deleted, and stays of all others of that name and workspace', async () => {
  const gone = await givenSilentGateway()
  const other = await givenSilentGateway()
  await gone.client.post('/devices', { id: 'two' })
  await gone.connect('two')

  await gone.client.delete('/devices/one')

  const rows = await test.ctx.db
    .selectFrom('devicePresenceChanges')
    .select(['workspaceId', 'deviceId', 'kind'])
    .where('workspaceId', 'in', [gone.workspaceId, other.workspaceId])
    .execute()
  expect(rows).toHaveLength(2)
  expect(rows).toEqual(
    expect.arrayContaining([
      { workspaceId: gone.workspaceId, deviceId: 'two', kind: 'Connected' },
      { workspaceId: other.workspaceId, deviceId: 'one', kind: 'Connected' },
    ]),
  )
})
