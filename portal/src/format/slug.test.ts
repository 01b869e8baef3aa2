import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSlug } from './slug.ts'

it.each`
  name                     | slug
  ${'Gateway'}             | ${'gateway'}
  ${'Ströer Gateway (v2)'} | ${'stroer-gateway-v2'}
  ${'Straße & Söhne'}      | ${'strasse-sohne'}
  ${' pump_7 / EU.1 '}     | ${'pump_7-eu.1'}
  ${'ポンプ'}              | ${''}
`('$name is $slug', ({ name, slug }: { name: string; slug: string }) => {
  expect(createSlug(name)).toBe(slug)
})

it('is what the service takes, or empty', () => {
  const taken = /^(?:[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?)?$/
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) =>
      taken.test(createSlug(name)),
    ),
  )
})
