import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFindingId, encodeFindingId } from './finding-id.ts'

describe('the id of a finding', () => {
  it('says which finding it is, and nothing else does', () => {
    const vulnerabilityId = fc.string({
      unit: fc.constantFrom(...'CVEGHSA-0123456789:._'.split('')),
      minLength: 1,
      maxLength: 100,
    })
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), vulnerabilityId, (firmwareVersionId, packageId, id) => {
        const key = { firmwareVersionId, packageId, vulnerabilityId: id }
        expect(decodeFindingId(encodeFindingId(key))).toEqual(key)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        const key = decodeFindingId(text)
        expect(key === undefined || encodeFindingId(key) === text).toBe(true)
      }),
    )
  })
})
