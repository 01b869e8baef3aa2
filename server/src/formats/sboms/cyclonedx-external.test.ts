/** `isExternal` of CycloneDX 1.7: what the environment provides is not part of the firmware. */
import { expect, it } from 'vitest'
import { parseSboms } from './parse.ts'

function scopesOf(text: string): { scopes: Record<string, unknown>; warnings: string[] } {
  const [sbom] = parseSboms([Buffer.from(text)])
  const components = sbom?.components ?? []
  const scopes = Object.fromEntries(components.map((one) => [one.packageName, one.scope]))
  return { scopes, warnings: sbom?.warnings ?? [] }
}

const component = (name: string, more: object = {}) => ({
  type: 'library',
  name,
  version: '1',
  ...more,
})

const json = (specVersion: string, members: object) =>
  JSON.stringify({ bomFormat: 'CycloneDX', specVersion, ...members })

it('reads what is external and what is nested in it, whatever scope they state', () => {
  const components = [
    component('own', { isExternal: false }),
    component('libc', {
      isExternal: true,
      scope: 'required',
      components: [component('libm', { isExternal: false, components: [component('deep')] })],
    }),
    component('after', { components: [component('inner', { isExternal: true })] }),
  ]

  expect(scopesOf(json('1.7', { components })).scopes).toEqual({
    own: undefined,
    libc: 'external',
    libm: 'external',
    deep: 'external',
    after: undefined,
    inner: 'external',
  })
})

it('reads the attribute of XML', () => {
  const inside = (value: string) =>
    `<component type="library" isExternal="${value}"><name>${value}</name><version>1</version></component>`
  const values = ['true', '1', 'false', '0', 'yes'].map(inside).join('')

  const { scopes } = scopesOf(
    `<bom xmlns="http://cyclonedx.org/schema/bom/1.7"><components>${values}</components></bom>`,
  )

  expect(scopes).toEqual({
    true: 'external',
    1: 'external',
    false: undefined,
    0: undefined,
    yes: undefined,
  })
})

it.each([
  ['a document of a version that does not know it', '1.6', true],
  ['a text', '1.7', 'true'],
])('hides nothing by %s', (_what, specVersion, isExternal) => {
  const { scopes, warnings } = scopesOf(
    json(specVersion, { components: [component('libc', { isExternal })] }),
  )

  expect(scopes).toEqual({ libc: undefined })
  expect(warnings).not.toEqual([])
})

it('takes the product itself for no external component', () => {
  const metadata = {
    component: component('image', { isExternal: true, components: [component('zlib')] }),
  }

  const { scopes, warnings } = scopesOf(json('1.7', { metadata }))

  expect(scopes).toEqual({ image: undefined, zlib: undefined })
  expect(warnings).toContain('The component of the metadata cannot be external.')
})
