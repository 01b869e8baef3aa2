import { expect, it } from 'vitest'
import { startTestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { insertDevices } from '../store.ts'

it('stores what a whole fleet runs at once, however many firmwares each device has', async () => {
  const test = await startTestApp()
  const { workspaceId } = await givenClient(test)
  const ids = Array.from({ length: 200 }, (_, at) => `gw-${at}`)
  const createdAt = test.ctx.now()
  const fields = { description: null, tags: [], attributes: {}, createdAt }
  await insertDevices(
    test.ctx.db,
    workspaceId,
    ids.map((id) => ({ workspaceId, id, ...fields })),
  )
  const firmware = Array.from({ length: 64 }, (_, at) => ({ slug: `part-${at}`, version: '1' }))

  await Promise.all(
    ids.map((deviceId) =>
      test.doors.intake.receive({
        workspaceId,
        deviceId,
        door: 'Mqtt',
        receivedAt: createdAt,
        message: { kind: 'session', session: { runId: 'a', firmware } },
      }),
    ),
  )

  const { count } = await test.ctx.db
    .selectFrom('deviceFirmwares')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
  expect(count).toBe(ids.length * firmware.length)
})
