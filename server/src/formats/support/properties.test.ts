/** Ends of support of random lists, versions and days: what is not known never counts as supported. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { findCycle } from './cycles.ts'
import { type KnownSupport, matchSupport } from './match.ts'
import { parseSupportProduct } from './product.ts'
import { decideState, formatDay } from './states.ts'

const numRuns = propertyRuns(400)
const Numbers = fc.array(fc.nat(12), { minLength: 1, maxLength: 3 })
const Name = Numbers.map((numbers) => numbers.join('.'))
const Day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map(formatDay)

it('finds the cycle with the most numbers that the version begins with, and none for a version that begins with none', () => {
  fc.assert(
    fc.property(fc.uniqueArray(Name, { maxLength: 6 }), Numbers, (names, numbers) => {
      const begins = (name: string) => {
        const own = name.split('.')
        return own.every((one, index) => one === String(numbers[index]))
      }
      const [longest] = names
        .filter(begins)
        .toSorted((one, other) => other.split('.').length - one.split('.').length)

      const found = findCycle(
        numbers.join('.'),
        names.map((name) => ({ name })),
      )

      expect(found?.name).toBe(longest)
    }),
    { numRuns },
  )
})

it('stays out of support once a day of the end has come, and knows no end that is not stated', () => {
  const End = fc.record({
    endsOn: fc.option(Day),
    hasEnded: fc.option(fc.boolean()),
  })
  fc.assert(
    fc.property(End, Day, Day, (end, one, other) => {
      const [before, after] = [one, other].toSorted()
      const states = [decideState(end, before ?? ''), decideState(end, after ?? '')]

      if (states[0] === 'Ended') expect(states[1]).toBe('Ended')
      for (const state of states) {
        expect(state === 'NotKnown').toBe(end.endsOn === null && end.hasEnded === null)
        expect(state === 'NoEndPlanned').toBe(end.endsOn === null && end.hasEnded === false)
      }
      if (end.endsOn !== null) expect(decideState(end, end.endsOn)).toBe('Ended')
    }),
    { numRuns },
  )
})

/** What a record may say of an end: days, other texts, yes and no, and what is neither. */
const Stated = fc.oneof(
  Day,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('2026-02-30', '2026-13-01', 'Q3 2027', '2027', 'TBD', '12/31/2026'),
  fc.nat(),
)

it('takes a cycle for supported only by a readable day that is not there yet, or where no end is said to be planned', () => {
  const today = '2026-11-29'
  const isDay = (text: unknown) => typeof text === 'string' && /^20\d\d-\d\d-\d\d$/.test(text)
  fc.assert(
    fc.property(Stated, Stated, Stated, (eolFrom, isEol, eol) => {
      const parsed = parseSupportProduct({
        name: 'sdk',
        releases: [{ name: '1.0', eolFrom, isEol, eol }],
      })
      const [cycle] = parsed.ok ? parsed.value.cycles : []
      const { endsOn = null, hasEnded = null } = cycle ?? {}
      const state = decideState({ endsOn, hasEnded }, today)

      if (state === 'Ending') {
        expect([eolFrom, eol]).toContain(endsOn)
        expect(isDay(endsOn)).toBe(true)
      }
      if (state === 'NoEndPlanned') {
        expect([isEol, eol]).toContain(false)
        for (const text of [eolFrom, eol]) expect(typeof text).not.toBe('string')
      }
    }),
    { numRuns },
  )
})

const product = (name: string, cycles: string[], isGone: boolean): KnownSupport => ({
  product: name,
  keys: new Set(['name:sdk', 'distribution:Debian']),
  cycles: cycles.map((cycle) => ({ name: cycle })),
  isGone,
})
const Products = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    cycles: fc.uniqueArray(Name, { maxLength: 4 }),
    isGone: fc.boolean(),
  }),
  { maxLength: 3, selector: ({ name }) => name },
)

interface GivenBuild {
  version: string
  /** Of Debian; undefined: nobody built it for a distribution. */
  release?: string | undefined
}

const match = ({ version, release }: GivenBuild, products: readonly KnownSupport[]) => {
  const pair = { key: 'name:sdk', version, identifier: 'sdk' }
  const distro = release === undefined ? undefined : { ecosystem: 'Debian' as const, release }
  return matchSupport({ pairs: [pair], ...(distro && { distro }) }, products)
}

it('says the same whatever the order of products, and no cycle of a commit or of a distribution without its release', () => {
  fc.assert(
    fc.property(Products, Name, fc.option(Name), (given, version, ofDistribution) => {
      const products = given.map(({ name, cycles, isGone }) => product(name, cycles, isGone))
      const build = { version, release: ofDistribution ?? undefined }
      const found = match(build, products)
      const commit = '351150e3bee8868222e37c0d82770ac83e85be8a'

      expect(match(build, products.toReversed())).toEqual(found)
      expect(found === undefined).toBe(products.length === 0)
      expect(match({ version: commit }, products)?.cycle).toBeUndefined()
      expect(match({ version, release: '' }, products)?.cycle).toBeUndefined()
      if (found?.cycle !== undefined)
        expect(`${ofDistribution ?? version}.`.startsWith(`${found.cycle}.`)).toBe(true)
    }),
    { numRuns },
  )
})
