import { expect, it } from 'vitest'
import { cveRecord } from './fixtures/cve-record.ts'
import { parseCveRecord } from './cve5.ts'
import type { ParsedRecord } from './model.ts'
import { parseNvdRecord } from './nvd.ts'
import { parseOsvRecord } from './osv.ts'

const isDisputed = (record: ParsedRecord) => {
  if (!record.ok) throw new Error(record.reason)
  return record.value.isDisputed === true
}

const nvd = (more: object) => parseNvdRecord({ cve: { id: 'CVE-2024-1000', ...more } })
const osv = (more: object) =>
  parseOsvRecord({ id: 'CVE-2024-1000', modified: '2024-01-01T00:00:00Z', ...more })
const cve = (cna: object, ...adp: object[]) => {
  const record = cveRecord(cna)
  return parseCveRecord({ ...record, containers: { ...record.containers, adp } })
}
const described = (value: string) => ({ descriptions: [{ lang: 'en', value }] })
const tagged = (...tags: unknown[]) => ({ cveTags: [{ sourceIdentifier: 'cve@mitre.org', tags }] })
const other = { sourceIdentifier: 'x@example.com', tags: ['disputed'] }

it.each`
  says                                     | record                                                                       | expected
  ${'tag of NVD'}                          | ${nvd(tagged('disputed'))}                                                   | ${true}
  ${'tag among others'}                    | ${nvd(tagged('unsupported-when-assigned', 'disputed'))}                      | ${true}
  ${'tag of another source'}               | ${nvd({ cveTags: [{ sourceIdentifier: 'a', tags: [] }, other] })}            | ${true}
  ${'other tag'}                           | ${nvd(tagged('exclusively-hosted-service'))}                                 | ${false}
  ${'no tag'}                              | ${nvd({ cveTags: [] })}                                                      | ${false}
  ${'tags of another form'}                | ${nvd({ cveTags: ['disputed', null, { tags: 'disputed' }] })}                | ${false}
  ${'mark in the description'}             | ${nvd(described('** DISPUTED ** The maker says no.'))}                       | ${true}
  ${'mark without spaces, in small'}       | ${nvd(described('\n**disputed**: The maker says no.'))}                      | ${true}
  ${'mark after another'}                  | ${nvd(described('** UNSUPPORTED WHEN ASSIGNED ** ** DISPUTED ** No.'))}      | ${true}
  ${'prose'}                               | ${nvd(described('NOTE: the vendor disputes this report.'))}                  | ${false}
  ${'mark in the middle'}                  | ${nvd(described('Unlike the other, which was ** DISPUTED **, it holds.'))}   | ${false}
  ${'dispute that was rejected, in prose'} | ${nvd(described('Disputed at first. The vendor agreed later.'))}             | ${false}
  ${'tag of the CNA'}                      | ${cve({ tags: ['disputed'] })}                                               | ${true}
  ${'tag of an ADP'}                       | ${cve({}, { tags: ['x_transferred'] }, { tags: ['disputed'] })}              | ${true}
  ${'other tag of the CNA'}                | ${cve({ tags: ['unsupported-when-assigned'] }, { tags: ['x_transferred'] })} | ${false}
  ${'mark in the title'}                   | ${cve({ title: '** DISPUTED ** Bad widget' })}                               | ${true}
  ${'mark that the record has no longer'}  | ${cve({ x_legacyV4Record: { description: '** DISPUTED ** No.' } })}          | ${false}
  ${'member of OSV'}                       | ${osv({ database_specific: { isDisputed: true } })}                          | ${true}
  ${'mark in OSV'}                         | ${osv({ details: '** DISPUTED ** No.' })}                                    | ${true}
  ${'nothing in OSV'}                      | ${osv({ details: 'A flaw.', database_specific: { isDisputed: false } })}     | ${false}
`(
  '$says: disputed is $expected',
  ({ record, expected }: { record: ParsedRecord; expected: boolean }) => {
    expect(isDisputed(record)).toBe(expected)
  },
)
