/**
 * The lists over a workspace beside a plain model, which reads all facts and knows nothing of what the workspace keeps: random
 * workspaces, filters, orders and pages.
 */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { modelOf, readFacts } from '../../../../test/list-model.ts'
import { filters, givenWorld, listAll, lists, randomOf } from '../../../../test/list-world.ts'

let byOrder: TestApp
let byFilter: TestApp
beforeAll(async () => {
  byOrder = await startTestApp({ fewMatches: 0 })
  byFilter = await startTestApp({ fewMatches: 10_000 }, byOrder.connectionString)
})

it.each([1, 2, 3])('lists what the facts say, in workspace %i', async (seed) => {
  const world = await givenWorld(byOrder, randomOf(seed))
  const facts = await readFacts(byOrder.ctx.db, world.client.workspaceId)
  await fc.assert(
    fc.asyncProperty(
      filters(world),
      lists,
      fc.boolean(),
      fc.constantFrom(2, 5, 100),
      async (filter, list, ascending, limit) => {
        const expected = modelOf(facts, { filter, list, ascending })
        const body = { filter, ascending, limit }
        for (const app of [byOrder, byFilter])
          expect(await listAll(app, world.client, list, body)).toEqual(expected)
      },
    ),
    { numRuns: 80, seed },
  )
})
