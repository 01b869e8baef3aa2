import { expect, it } from 'vitest'
import { parseKevEntry } from './kev.ts'

const ENTRY = {
  cveID: 'CVE-2021-44228',
  vendorProject: 'Apache',
  product: 'Log4j2',
  vulnerabilityName: 'Apache Log4j2 Remote Code Execution Vulnerability',
  dateAdded: '2021-12-10',
  dueDate: '2021-12-24',
  knownRansomwareCampaignUse: 'Known',
  notes: 'https://nvd.nist.gov/vuln/detail/CVE-2021-44228',
}

it('an entry is kept with its days and whether ransomware uses it', () => {
  expect(parseKevEntry(ENTRY)).toEqual({
    ok: true,
    value: {
      cveId: 'CVE-2021-44228',
      vendorProject: 'Apache',
      product: 'Log4j2',
      vulnerabilityName: 'Apache Log4j2 Remote Code Execution Vulnerability',
      dateAdded: '2021-12-10',
      dueDate: '2021-12-24',
      ransomware: true,
      notes: 'https://nvd.nist.gov/vuln/detail/CVE-2021-44228',
    },
  })
})

it('what is unknown or absent is neither ransomware nor due', () => {
  const { dueDate, ...undated } = ENTRY
  const parsed = parseKevEntry({ ...undated, knownRansomwareCampaignUse: 'Unknown' })

  expect(dueDate).toBeDefined()
  expect(parsed).toMatchObject({ ok: true, value: { ransomware: false, dueDate: undefined } })
})

it.each`
  change                         | reason
  ${{ cveID: 'CVE-1' }}          | ${'/cveID is not a CVE id'}
  ${{ dateAdded: undefined }}    | ${'/dateAdded is missing'}
  ${{ dateAdded: '2021-02-30' }} | ${'/dateAdded is not a date'}
  ${{ dueDate: 'soon' }}         | ${'/dueDate is not a date'}
  ${{ dueDate: 20211224 }}       | ${'/dueDate is not a string'}
  ${{ product: [] }}             | ${'/product is not a string'}
`(
  'an entry with $change is skipped: $reason',
  ({ change, reason }: { change: object; reason: string }) => {
    expect(parseKevEntry({ ...ENTRY, ...change })).toMatchObject({ ok: false, reason })
  },
)
