import { expect, it } from 'vitest'
import { isReplacedBy, type Replaceable, type Replacement } from './rules.ts'

const BOM = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a6aaaa'
const SPDX = 'https://acme.example/spdx/gateway-1'

const sbom = (uploadNumber: number, more: Partial<Replaceable> = {}): Replaceable => ({
  id: `${uploadNumber} ${JSON.stringify(more)}`,
  fileName: 'a.json',
  namespace: null,
  replaces: null,
  uploadNumber,
  ...more,
})

const asking = (replaces: Replacement, more: Partial<Replaceable> = {}) =>
  sbom(2, { replaces, ...more })

it.each`
  own                                            | other                                 | expected | because
  ${sbom(2)}                                     | ${sbom(1)}                            | ${false} | ${'nothing was asked'}
  ${asking('file')}                              | ${sbom(1)}                            | ${true}  | ${'the names are the same'}
  ${asking('file')}                              | ${sbom(1, { fileName: 'A.json' })}    | ${false} | ${'names differ by case'}
  ${asking('file')}                              | ${sbom(2)}                            | ${false} | ${'both are of one upload'}
  ${asking('file')}                              | ${sbom(3)}                            | ${false} | ${'the other came later'}
  ${asking('all')}                               | ${sbom(1, { fileName: 'b.json' })}    | ${true}  | ${'all is asked'}
  ${asking('all')}                               | ${sbom(2, { fileName: 'b.json' })}    | ${false} | ${'all is of earlier uploads'}
  ${asking('serial')}                            | ${sbom(1)}                            | ${false} | ${'no document is known by its name alone'}
  ${asking('serial', { namespace: `${BOM}/2` })} | ${sbom(1, { namespace: `${BOM}/2` })} | ${true}  | ${'it is the same document, built again'}
  ${asking('serial', { namespace: SPDX })}       | ${sbom(1, { namespace: SPDX })}       | ${true}  | ${'SPDX names documents by their namespace'}
  ${sbom(2, { namespace: SPDX })}                | ${sbom(1, { namespace: SPDX })}       | ${false} | ${'SPDX has no order of versions'}
  ${sbom(2, { namespace: `${BOM}/2` })}          | ${sbom(1, { namespace: `${BOM}/1` })} | ${true}  | ${'the later version counts'}
  ${sbom(1, { namespace: `${BOM}/10` })}         | ${sbom(2, { namespace: `${BOM}/9` })} | ${true}  | ${'versions are numbers, and the order of arrival is chance'}
  ${sbom(2, { namespace: `${BOM}/1` })}          | ${sbom(1, { namespace: `${BOM}/1` })} | ${false} | ${'neither version is later'}
  ${sbom(2, { namespace: `${BOM}/1` })}          | ${sbom(1, { namespace: `${BOM}/2` })} | ${false} | ${'an earlier version replaces none'}
  ${asking('file', { namespace: `${BOM}/1` })}   | ${sbom(1, { namespace: `${BOM}/2` })} | ${true}  | ${'a build of an older commit was asked for'}
`(
  'replaced: $expected, as $because',
  ({ own, other, expected }: { own: Replaceable; other: Replaceable; expected: boolean }) => {
    expect(isReplacedBy(own, other)).toBe(expected)
  },
)
