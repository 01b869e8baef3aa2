import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { NoTurn, Turns } from './turns.ts'

const PATIENT = 60_000

it('never has more at work than its limits, and serves everyone who waits', async () => {
  const owner = fc.constantFrom('a', 'b', 'c')
  await fc.assert(
    fc.asyncProperty(
      fc.array(owner, { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (owners, all, each) => {
        const turns = new Turns({ all, each, waitMs: PATIENT })
        const atWork = new Map<string, number>()
        const served: string[] = []
        await Promise.all(
          owners.map(async (name) => {
            const end = await turns.take(name)
            atWork.set(name, (atWork.get(name) ?? 0) + 1)
            expect(atWork.get(name)).toBeLessThanOrEqual(each)
            expect([...atWork.values()].reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(all)
            await Promise.resolve()
            atWork.set(name, (atWork.get(name) ?? 0) - 1)
            served.push(name)
            end()
            end()
          }),
        )
        expect(served.toSorted()).toEqual(owners.toSorted())
      },
    ),
    { numRuns: propertyRuns(200) },
  )
})

it('serves owners by turns, however many requests one of them has', async () => {
  const turns = new Turns({ all: 1, each: 1, waitMs: PATIENT })
  const served: string[] = []
  const end = await turns.take('first')
  const all = ['many', 'many', 'many', 'few', 'other'].map(async (owner) => {
    const over = await turns.take(owner)
    served.push(owner)
    over()
  })

  end()
  await Promise.all(all)

  expect(served).toEqual(['many', 'few', 'other', 'many', 'many'])
})

it('says whether the owner or others had all turns', async () => {
  const turns = new Turns({ all: 3, each: 2, waitMs: 10 })
  const ends = [await turns.take('a'), await turns.take('a')]

  await expect(turns.take('a')).rejects.toEqual(new NoTurn('owner'))
  ends.push(await turns.take('b'))
  await expect(turns.take('b')).rejects.toEqual(new NoTurn('all'))
  for (const end of ends) end()

  // Who gave up waiting takes no turn.
  await turns.take('b')
  await turns.take('b')
})
