import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { givenDeviceKey } from '../../../../test/given-ddi.ts'
import { authenticateByKey } from './auth-service.ts'
import type { DevicesChanged } from '../reactions.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

function givenReactions() {
  const changed: DevicesChanged[] = []
  const devicesTagged = (_ctx: unknown, _tx: unknown, one: DevicesChanged) => {
    changed.push(one)
    return Promise.resolve()
  }
  return { changed, reactions: { ...test.ctx.reactions, devicesTagged } }
}

it('speaks of a workspace under one spelling, whatever the device writes', async () => {
  const { workspaceId } = await givenClient(test)
  const deviceKey = await givenDeviceKey(test, workspaceId)
  await test.ctx.db
    .updateTable('workspaces')
    .set({ deviceAutoRegistration: true })
    .where('id', '=', workspaceId)
    .execute()
  const { changed, reactions } = givenReactions()
  const credentials = { workspaceId: workspaceId.toUpperCase(), deviceId: 'new', deviceKey }

  const principal = await authenticateByKey({ ...test.ctx, reactions }, credentials)

  expect(principal.workspaceId).toBe(workspaceId)
  expect(changed).toEqual([{ workspaceId, deviceIds: ['new'] }])
})

it('tells when a key was last used, once a minute, and lets in who comes while another tells', async () => {
  const { workspaceId, ...client } = await givenClient(test)
  await client.post('/devices', { id: 'one' })
  const deviceKey = await givenDeviceKey(test, workspaceId)
  const { reactions } = givenReactions()
  const enter = (now: Date) =>
    authenticateByKey(
      { ...test.ctx, reactions, now: () => now },
      { workspaceId, deviceId: 'one', deviceKey },
    )
  const lastUsed = async () => {
    const key = test.ctx.db.selectFrom('deviceKeys').select('lastUsedAt')
    return (await key.where('workspaceId', '=', workspaceId).executeTakeFirst())?.lastUsedAt
  }
  const first = new Date('2026-11-20T10:00:00Z')
  const soon = new Date('2026-11-20T10:00:59Z')
  const later = new Date('2026-11-20T10:01:00Z')

  await enter(first)
  await enter(soon)
  const afterSoon = await lastUsed()
  const entered = await test.ctx.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('deviceKeys')
      .set({ name: 'held' })
      .where('workspaceId', '=', workspaceId)
      .execute()
    return enter(later)
  })
  const whileHeld = await lastUsed()
  await enter(later)

  expect([afterSoon, whileHeld, await lastUsed()]).toEqual([first, first, later])
  expect(entered.isFleetKey).toBe(true)
})
