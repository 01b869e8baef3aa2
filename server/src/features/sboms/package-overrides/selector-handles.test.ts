import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../../test/property-runs.ts'
import {
  createOverrideFinder,
  listSelectorKeys,
  type OverrideSelector,
  type PackageOverride,
} from '../../../formats/identity.ts'
import { listSelectorHandles, hashSelectorKeys } from './selector-handles.ts'

const PARTS = ['a', 'B', '1', '-', '_', '.', '+', '@', '%', ' ', '\\', ':', 'é', '/']
const word = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))

function override(selector: Partial<OverrideSelector>): PackageOverride {
  const all = { purl: null, cpe: null, name: null, version: null, ...selector }
  const nothing = { purls: [], cpes: [], version: null, reason: null, madeFor: null }
  return { id: '1', selector: all, ignored: true, ...nothing }
}

it('a search by its handles finds every component an override is for', () => {
  const purlOf = (name: string) => `pkg:generic/x/${encodeURIComponent(name)}`
  const cpeOf = (product: string) =>
    `cpe:2.3:a:acme:${product.replace(/[^a-z0-9._-]/gi, '\\$&')}:1:*:*:*:*:*:*:*`
  fc.assert(
    fc.property(word, word, fc.boolean(), (stated, declared, isSame) => {
      const name = isSame ? stated : declared
      const component = {
        vendor: undefined,
        packageName: name,
        version: undefined,
        purl: `${purlOf(name)}@1`,
        cpes: [cpeOf(name)],
        builtFrom: undefined,
      }
      for (const selector of [{ purl: purlOf(stated) }, { cpe: cpeOf(stated) }, { name: stated }]) {
        const one = override(selector)
        if (createOverrideFinder([one])(component) === undefined) continue
        const { names, keys } = listSelectorHandles('w', [one])
        const stored = hashSelectorKeys('w', [...listSelectorKeys(component)])
        expect(names.includes(name) || keys.some((key) => stored.includes(key))).toBe(true)
      }
    }),
    { numRuns: propertyRuns(2000) },
  )
})

it('of one workspace finds nothing of another', () => {
  const [hash] = hashSelectorKeys('w1', ['cpe:acme:thing'])

  expect(hashSelectorKeys('w2', ['cpe:acme:thing'])).not.toContain(hash)
})
