/** What is overdue beside a plain model: of the targets by severity and by outcome of SSVC, the sooner one counts. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { countOverdueFindings, modelOf, readFacts } from '../../../../test/list-model.ts'
import {
  dayAt,
  filters,
  givenWorld,
  listAll,
  lists,
  randomOf,
} from '../../../../test/list-world.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import type { Client } from '../../../../test/given.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const day = fc.integer({ min: 1, max: 40 })
const targets = fc.record({
  bySeverity: fc.record({ Critical: day, High: day, Medium: day, Low: day }),
  byOutcome: fc.record({
    Act: fc.option(day),
    Attend: fc.option(day),
    'Track*': fc.option(day),
    Track: fc.option(day),
  }),
  today: fc.integer({ min: 20, max: 60 }),
})
type Given = typeof targets extends fc.Arbitrary<infer Value> ? Value : never

/** Between two days, so that no finding is due at this very instant. */
async function setTargets(client: Client, { bySeverity, byOutcome, today }: Given) {
  const now = Date.parse(dayAt(today)) + 3_600_000
  test.ctx.now = () => new Date(now)
  const answers = [
    await client.patch('/settings', { remediationTargetDays: bySeverity }),
    await client.patch('/ssvc', { targetDays: byOutcome }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  const stated = Object.entries(byOutcome).flatMap(([name, days]) =>
    days === null ? [] : [[name, days] as const],
  )
  return { bySeverity, byOutcome: Object.fromEntries(stated), now }
}

it.each([4, 5])(
  'lists as overdue what is past the sooner one of both targets, in workspace %i',
  async (seed) => {
    const world = await givenWorld(test, randomOf(seed))
    const facts = await readFacts(test.ctx.db, world.client.workspaceId)
    await fc.assert(
      fc.asyncProperty(targets, filters(world), lists, async (given, rest, list) => {
        const asked = { ...facts, targets: await setTargets(world.client, given) }
        const filter = { ...rest, overdue: true as const }

        const rows = await listAll(test, world.client, list, { filter, limit: 100 })

        expect(rows).toEqual(modelOf(asked, { filter, list, ascending: false }))
      }),
      { numRuns: propertyRuns(60), seed },
    )
  },
)

it('acts on the findings whose own outcome, or whose severity, is past its target', async () => {
  const world = await givenWorld(test, randomOf(6))
  const facts = await readFacts(test.ctx.db, world.client.workspaceId)
  await fc.assert(
    fc.asyncProperty(
      targets,
      fc.array(day, { minLength: 4, maxLength: 4 }),
      async (given, days) => {
        const [Act = 1, Attend = 1, TrackStar = 1, Track = 1] = days.toSorted((a, b) => a - b)
        const byOutcome = { Act, Attend, 'Track*': TrackStar, Track }
        const asked = await setTargets(world.client, { ...given, byOutcome })

        const dry = { filter: { overdue: true }, ignored: true, dryRun: true }
        const counted = await world.client.post('/vulnerability-findings/bulk-ignore', dry)

        expect(counted.json<{ matched: number }>().matched).toBe(
          countOverdueFindings({ ...facts, targets: asked }),
        )
      },
    ),
    { numRuns: propertyRuns(30), seed: 6 },
  )
})

it('counts the rows of each outcome, which are all rows together', async () => {
  const world = await givenWorld(test, randomOf(7))
  const facts = await readFacts(test.ctx.db, world.client.workspaceId)
  const list = { of: 'Finding' as const, sortColumn: 'Ssvc' }
  await fc.assert(
    fc.asyncProperty(filters(world), async (given) => {
      const { ssvcOutcomes: _, ...filter } = given
      const body = { filter, groupBy: 'Finding', chips: ['bySsvcOutcome'] }
      const counted = await world.client.post('/vulnerability-findings/counts', body)

      const { bySsvcOutcome: groups } = counted.json<{
        bySsvcOutcome: { outcome: string; totalCount: number }[]
      }>()
      expect(groups.map(({ outcome }) => outcome)).toEqual(['Act', 'Attend', 'Track*', 'Track'])
      const rowsOf = (more: object) =>
        modelOf(facts, { filter: { ...filter, ...more }, list, ascending: false }).length
      for (const { outcome, totalCount } of groups)
        expect([outcome, totalCount]).toEqual([outcome, rowsOf({ ssvcOutcomes: [outcome] })])
      expect(groups.reduce((sum, { totalCount }) => sum + totalCount, 0)).toBe(rowsOf({}))
    }),
    { numRuns: propertyRuns(30), seed: 7 },
  )
})
