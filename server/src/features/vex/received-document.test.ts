import { expect, it } from 'vitest'
import { parseVex } from '../../formats/vex/parse-vex.ts'
import { refuseTooLarge } from './received-document.ts'

const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const product = (index: number) => ({ '@id': `pkg:generic/a${index}@1` })

interface Of {
  statements?: number
  products?: number
  parts?: number
  aliases?: number
}

function documentOf({ statements = 1, products = 1, parts = 0, aliases = 0 }: Of) {
  return parseVex({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    statements: times(statements, (index) => ({
      vulnerability: { name: `CVE-2024-${index}`, aliases: times(aliases, (one) => `GHSA-${one}`) },
      products: times(products, (one) => ({
        ...product(one),
        subcomponents: times(parts, product),
      })),
      status: 'fixed',
    })),
  })
}

it.each`
  what                                 | document
  ${'many statements'}                 | ${{ statements: 20_000 }}
  ${'many products in one statement'}  | ${{ products: 50_000 }}
  ${'some products in each statement'} | ${{ statements: 7_239, products: 3, parts: 1 }}
`('takes $what', ({ document }: { document: Of }) => {
  expect(() => refuseTooLarge(documentOf(document))).not.toThrow()
})

it.each`
  what                                 | document                               | said
  ${'more statements'}                 | ${{ statements: 20_001 }}              | ${'has 20,001 statements'}
  ${'more products in one statement'}  | ${{ products: 50_001 }}                | ${'has 50001 products'}
  ${'many products in each statement'} | ${{ statements: 1_000, products: 51 }} | ${'has 51000 products'}
  ${'more parts of a product'}         | ${{ parts: 50_000 }}                   | ${'has 50001 products'}
  ${'many aliases of many products'}   | ${{ products: 1_000, aliases: 50 }}    | ${'has 51000 products'}
`('refuses $what, and tells what helps', ({ document, said }: { document: Of; said: string }) => {
  const refused = () => refuseTooLarge(documentOf(document))

  expect(refused).toThrow(said)
  expect(refused).toThrow('Split it into several documents')
})
