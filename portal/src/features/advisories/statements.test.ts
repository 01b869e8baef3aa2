import { expect, it } from 'vitest'
import { compareDocuments, listStatements } from './statements.ts'

const DOCUMENT = {
  document: { title: 'A flaw', notes: [{ title: 'Summary', text: 'Update.' }] },
  product_tree: {
    branches: [
      {
        category: 'vendor',
        branches: [
          { category: 'product_version', product: { product_id: 'a', name: 'Gateway 1' } },
        ],
      },
    ],
    full_product_names: [{ product_id: 'b', name: 'Gateway < 2' }],
  },
  vulnerabilities: [
    {
      cve: 'CVE-2026-1',
      cwe: { id: 'CWE-787', name: 'Out-of-bounds Write' },
      notes: [{ title: 'Description', text: 'It writes.' }],
      product_status: { known_affected: ['a'], fixed: ['b'] },
      scores: [{ products: ['a'], cvss_v3: { vectorString: 'CVSS:3.1/AV:N' } }],
      remediations: [{ category: 'vendor_fix', details: 'Update to 2.', product_ids: ['a'] }],
      threats: [{ details: 'It is exploited.' }],
    },
  ],
}

it('lists all that a document says, product by product, by the names that people know', () => {
  expect(listStatements(DOCUMENT)).toEqual([
    'Title: A flaw',
    'Summary: Update.',
    'CVE-2026-1, description: It writes.',
    'CVE-2026-1, exploitation: It is exploited.',
    'CVE-2026-1: Gateway 1 is affected',
    'CVE-2026-1: Gateway < 2 is fixed',
    'CVE-2026-1: update for Gateway 1: Update to 2.',
    'CVE-2026-1: CVSS of Gateway 1 is CVSS:3.1/AV:N',
    'CVE-2026-1: weakness CWE-787',
  ])
})

it('names what is new and what is gone, and nothing that only stands elsewhere', () => {
  const [one] = DOCUMENT.vulnerabilities
  const later = {
    ...DOCUMENT,
    vulnerabilities: [{ ...one, product_status: { fixed: ['b', 'a'] }, remediations: [] }],
  }

  expect(compareDocuments(DOCUMENT, later)).toEqual({
    added: ['CVE-2026-1: Gateway 1 is fixed'],
    gone: ['CVE-2026-1: Gateway 1 is affected', 'CVE-2026-1: update for Gateway 1: Update to 2.'],
  })
  expect(compareDocuments(DOCUMENT, DOCUMENT)).toEqual({ added: [], gone: [] })
})

it('reads a withdrawal, which has no vulnerabilities, and what is no document at all', () => {
  expect(listStatements({ document: { title: 'Withdrawn: A flaw' } })).toEqual([
    'Title: Withdrawn: A flaw',
  ])
  expect(listStatements(null)).toEqual(['Title: '])
})
