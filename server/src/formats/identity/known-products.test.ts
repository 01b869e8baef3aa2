import { describe, expect, it } from 'vitest'
import { productKeyOf } from '../advisories/keys.ts'
import { productKeysOfName, resolveName } from './known-products.ts'

/** `acme:thing` with the number of records that name it. */
function resolved(name: string, products: Record<string, number>) {
  const all = Object.entries(products).map(([product, records]) => ({
    key: product.includes('/') ? `name:${product}` : `cpe:${product}`,
    records,
  }))
  const known = Map.groupBy(all, ({ key }) => productKeyOf(key) ?? '')
  return Object.fromEntries(
    [...resolveName(name, known)].map(([key, { kind }]) => [key.slice(key.indexOf(':') + 1), kind]),
  )
}

describe('a name', () => {
  it.each`
    name               | products                                           | expected                                                               | because
    ${'thing'}         | ${{ 'acme:thing': 9 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'the records know one product of the name'}
    ${'thing'}         | ${{}}                                              | ${{}}                                                                  | ${'the records know none'}
    ${'thing'}         | ${{ 'acme:thing': 9, 'other:thing': 1 }}           | ${{ 'acme:thing': 'only' }}                                            | ${'one has far more records'}
    ${'thing'}         | ${{ 'acme:thing': 9, 'other:thing': 4 }}           | ${{ 'acme:thing': 'one of several', 'other:thing': 'one of several' }} | ${'two makers have about as many'}
    ${'thing'}         | ${{ 'acme:thing': 3, 'thing_project:thing': 2 }}   | ${{ 'acme:thing': 'only', 'thing_project:thing': 'only' }}             | ${'X_project:X stands for a maker unknown to NVD'}
    ${'thing'}         | ${{ 'acme:thing': 3, 'redhat:thing': 2 }}          | ${{ 'acme:thing': 'only', 'redhat:thing': 'only' }}                    | ${'distributions package what others make'}
    ${'thing'}         | ${{ 'acme:thing': 3, 'jenkins:thing': 4 }}         | ${{ 'acme:thing': 'only' }}                                            | ${'an extension of Jenkins is no program'}
    ${'a-thing'}       | ${{ 'acme:a_thing': 3 }}                           | ${{ 'acme:a_thing': 'only' }}                                          | ${'records write - as _'}
    ${'thing28'}       | ${{ 'acme:thing': 3 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'it ends in a version'}
    ${'thing2'}        | ${{ 'acme:thing2': 3, 'acme:thing': 3 }}           | ${{ 'acme:thing2': 'only' }}                                           | ${'the whole name is a product'}
    ${'thing3'}        | ${{ 'other:thing3': 1, 'acme:thing': 50 }}         | ${{ 'acme:thing': 'only' }}                                            | ${'the product without the version has far more records'}
    ${'python3.11'}    | ${{ 'python:python': 110 }}                        | ${{ 'python:python': 'only' }}                                         | ${'it is a version of a family'}
    ${'acme-thing'}    | ${{ 'acme:thing': 1, 'other:thing': 9 }}           | ${{ 'acme:thing': 'only' }}                                            | ${'it begins with the vendor'}
    ${'libthing'}      | ${{ 'acme:thing': 1 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'it is the library of the product'}
    ${'python3-thing'} | ${{ 'acme:thing': 1 }}                             | ${{ 'acme:thing': 'guess' }}                                           | ${'a module may bind the library of its name, or be another thing'}
    ${'thing'}         | ${{ 'acme:thing': 9, 'acme_foundation/thing': 1 }} | ${{ 'acme:thing': 'only', 'acme_foundation/thing': 'only' }}           | ${'the words say the same vendor'}
    ${'thing'}         | ${{ 'acme:thing': 9, 'others/thing': 1 }}          | ${{ 'acme:thing': 'only', 'others/thing': 'in words' }}                | ${'the words say another vendor'}
    ${'thing'}         | ${{ 'others/thing': 1 }}                           | ${{ 'others/thing': 'only' }}                                          | ${'records name it in words only'}
    ${'nodejs'}        | ${{ 'nodejs:node.js': 100, 'jenkins:nodejs': 3 }}  | ${{ 'nodejs:node.js': 'only' }}                                        | ${'a fact says so where no rule can'}
  `('$name of $products is $expected, as $because', ({ name, products, expected }) => {
    expect(resolved(String(name), products as Record<string, number>)).toEqual(expected)
  })
})

it('is looked up by few keys', () => {
  expect(productKeysOfName('thing')).toEqual([
    'cpe:*:thing',
    'name:*/thing',
    'cpe:*:libthing',
    'name:*/libthing',
  ])
})
