import { expect, it } from 'vitest'
import { drawCrash, listSimulatedLines } from './crashes.ts'

const draw = (version: string, number: number) =>
  drawCrash({ slug: 'gateway', version, words: `seed ${number}` })
const drawMany = (version: string) => Array.from({ length: 200 }, (_, at) => draw(version, at))

it('draws the same crash for the same words', () => {
  expect(drawMany('2.4.1')).toEqual(drawMany('2.4.1'))
})

it('draws three kinds of crashes of a version, the first of them most often', () => {
  const counts = new Map<string, number>()
  for (const { reason } of drawMany('2.4.1')) counts.set(reason, (counts.get(reason) ?? 0) + 1)

  const [most, ...others] = [...counts.values()].toSorted((one, other) => other - one)

  expect([counts.size, most === counts.get('HardFault')]).toEqual([3, true])
  expect(Math.min(most ?? 0, ...others)).toBeGreaterThan(0)
})

it('crashes in some versions as in no other, and has code elsewhere in each build', () => {
  const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0']
  const reasons = versions.map((version) => new Set(drawMany(version).map((one) => one.reason)))
  const counters = versions.map((version) => draw(version, 1).pc)

  expect(new Set(reasons.map((one) => [...one].toSorted().join())).size).toBeGreaterThan(1)
  expect(new Set(counters).size).toBe(versions.length)
})

it('has a line for each address, where the service looks it up', () => {
  const known = new Set(listSimulatedLines('gateway', '2.4.1').map(({ address }) => address))

  for (const { pc = '', returnAddresses = [] } of drawMany('2.4.1')) {
    const calls = returnAddresses.map((address) => `0x${(BigInt(address) - 2n).toString(16)}`)
    expect([pc, ...calls].filter((address) => !known.has(address))).toEqual([])
  }
})
