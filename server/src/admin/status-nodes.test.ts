import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { startBeats } from '../nodes/beats.ts'
import { VERSION } from '../version.ts'
import { describeNodes } from './status-nodes.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})
beforeEach(async () => {
  await test.ctx.db.deleteFrom('nodes').execute()
})

const change = (values: { beatAt?: Date; version?: string }, role: string) =>
  test.ctx.db
    .updateTable('nodes')
    .set(values)
    .where(sql<boolean>`${role} = any(roles)`)
    .execute()

async function statusByName() {
  const lines = await describeNodes(test.ctx)
  return Object.fromEntries(lines.map(({ name, ...rest }) => [name, rest]))
}

it('counts the nodes of each role, and forgets one that ends', async () => {
  const ends = [
    await startBeats(test.ctx, ['api', 'worker']),
    await startBeats(test.ctx, ['worker', 'gateway']),
  ]

  const both = await statusByName()
  await ends[1]?.()
  const one = await statusByName()
  await ends[0]?.()
  const none = await statusByName()

  expect(both).toMatchObject({
    'role api': { text: 'runs at 1 node', isFault: false },
    'role worker': { text: 'runs at 2 nodes', isFault: false },
    'role gateway': { text: 'runs at 1 node', isFault: false },
    node: { text: expect.stringContaining(`, ${VERSION}, since 20`) as string },
  })
  expect(one).toMatchObject({
    'role worker': { text: 'runs at 1 node' },
    'role gateway': { text: 'runs nowhere', isFault: false },
  })
  expect(none).toEqual({
    'role api': { text: 'runs nowhere', isFault: true },
    'role worker': { text: 'runs nowhere', isFault: true },
    'role gateway': { text: 'runs nowhere', isFault: false },
  })
})

it('takes a silent node for ended, says when it was seen, and forgets it after a day', async () => {
  const end = await startBeats(test.ctx, ['worker'])
  const silentSince = new Date(test.ctx.now().getTime() - 60_000)
  await change({ beatAt: silentSince }, 'worker')

  const silent = await statusByName()
  await change({ beatAt: new Date(silentSince.getTime() - 86_400_000) }, 'worker')
  const endOther = await startBeats(test.ctx, ['api'])
  const dayLater = await statusByName()
  await end()
  await endOther()

  expect(silent['role worker']?.text).toMatch(/^runs nowhere; last seen at .+Z$/)
  expect(silent['role worker']?.text).toContain(silentSince.toISOString())
  expect(silent['node']).toBeUndefined()
  expect(dayLater['role worker']).toEqual({ text: 'runs nowhere', isFault: true })
})

it('tells of two versions during an upgrade', async () => {
  const ends = [await startBeats(test.ctx, ['api']), await startBeats(test.ctx, ['worker'])]
  await change({ version: '9.9.9' }, 'worker')

  const { versions } = await statusByName()
  await Promise.all(ends.map((end) => end()))

  expect(versions).toEqual({ text: `${VERSION} and 9.9.9 run side by side` })
})
