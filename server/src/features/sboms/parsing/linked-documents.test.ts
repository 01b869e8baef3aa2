import { expect, it } from 'vitest'
import { groupLinkedDocuments, listLinkedDocuments } from './linked-documents.ts'

const sbom = (id: string, format: string, hasExternalReferences = false) => ({
  id,
  format,
  hasExternalReferences,
})

it.each`
  own                                | others                                                          | expected      | because
  ${sbom('a', 'CycloneDxJson')}      | ${[sbom('b', 'CycloneDxXml')]}                                  | ${[]}         | ${'neither refers to another'}
  ${sbom('a', 'Spdx2Json', true)}    | ${[sbom('b', 'Spdx2TagValue'), sbom('c', 'Spdx3JsonLd', true)]} | ${['b']}      | ${'it refers, and only to its own standard'}
  ${sbom('a', 'Spdx2Json')}          | ${[sbom('b', 'Spdx2Json', true), sbom('c', 'Spdx2Json')]}       | ${['b', 'c']} | ${'another may refer to it'}
  ${sbom('a', 'CycloneDxXml', true)} | ${[sbom('b', 'CycloneDxJson')]}                                 | ${['b']}      | ${'a BOM-Link leads over encodings'}
`(
  'links $own.format with $expected, as $because',
  ({
    own,
    others,
    expected,
  }: {
    own: ReturnType<typeof sbom>
    others: ReturnType<typeof sbom>[]
    expected: string[]
  }) => {
    expect(listLinkedDocuments(own, others).map(({ id }) => id)).toEqual(expected)
  },
)

it('groups what has to be linked anew', () => {
  const sboms = [
    sbom('a', 'Spdx3JsonLd', true),
    sbom('b', 'Spdx3JsonLd'),
    sbom('c', 'CycloneDxJson'),
  ]

  expect(groupLinkedDocuments(sboms).map((group) => group.map(({ id }) => id))).toEqual([
    ['a', 'b'],
  ])
})
