import { expect, it } from 'vitest'
import { readDocumentName } from './document-name.ts'

const UUID = '3e671687-395b-41f5-a30f-a58921a6aaaa'

it.each`
  head                                                                                 | expected
  ${`{"serialNumber": "urn:uuid:${UUID}", "version": 3`}                               | ${`urn:cdx:${UUID}/3`}
  ${`{"serialNumber": "urn:uuid:${UUID.toUpperCase()}"`}                               | ${`urn:cdx:${UUID}/1`}
  ${`<?xml version="1.0"?><bom serialNumber="urn:uuid:${UUID}" version="2" xmlns="">`} | ${`urn:cdx:${UUID}/2`}
  ${'{"documentNamespace": "https://a.example/b"'}                                     | ${'https://a.example/b'}
  ${'SPDXVersion: SPDX-2.3\nDocumentNamespace: https://a.example/b\n'}                 | ${'https://a.example/b'}
  ${'{"components": []'}                                                               | ${undefined}
`('reads what a document calls itself: $expected', ({ head, expected }) => {
  expect(readDocumentName(head as string)).toBe(expected)
})
