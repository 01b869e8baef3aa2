import type { SecurityAdvisory } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { beginRemediation, dropVersion, readDraft, writeDraft } from './draft-values.ts'

const ONE: SecurityAdvisory['vulnerabilities'][number] = {
  vulnerabilityId: 'CVE-2026-1',
  title: null,
  description: 'It writes.',
  exploitation: null,
  cvssVector: null,
  cweId: 'CWE-787',
  statuses: [
    { firmwareVersionId: 'a', status: 'KnownAffected' },
    { firmwareVersionId: 'b', status: 'KnownAffected' },
    { firmwareVersionId: 'c', status: 'Fixed' },
  ],
  remediations: [
    { kind: 'VendorFix', details: 'Update.', url: null, firmwareVersionIds: ['a'] },
    { kind: 'Workaround', details: 'Close it.', url: null, firmwareVersionIds: ['a', 'c'] },
  ],
}

const ADVISORY: SecurityAdvisory = {
  id: 'advisory',
  trackingId: null,
  title: 'A flaw',
  summary: 'Update.',
  details: null,
  heldUntil: '2026-11-03T10:00:30.000Z',
  heldReason: 'Users cannot update',
  vulnerabilities: [ONE],
  state: 'Draft',
  missing: [],
  products: [],
  caseId: null,
  revisions: [],
  documentUrl: null,
  pageUrl: null,
  createdAt: '2026-11-03T10:00:00.000Z',
  createdByEmail: null,
  updatedAt: '2026-11-03T10:00:00.000Z',
}

it('sends what it read where nobody typed anything, to the second', () => {
  const { title, summary, details, heldUntil, heldReason, vulnerabilities } = ADVISORY

  expect(writeDraft(readDraft(ADVISORY), ADVISORY)).toEqual({
    title,
    summary,
    details,
    heldUntil,
    heldReason,
    vulnerabilities,
  })
})

it('sends a cleared field as nothing said, and not as an empty text', () => {
  const cleared = { ...readDraft(ADVISORY), heldUntil: '', heldReason: ' ', details: ' ' }
  const vulnerabilities = [{ ...ONE, title: ' ', cweId: '' }]

  expect(writeDraft({ ...cleared, vulnerabilities }, ADVISORY)).toMatchObject({
    heldUntil: null,
    heldReason: null,
    details: null,
    vulnerabilities: [{ title: null, cweId: null }],
  })
})

it('begins a remedy for the affected versions that have none', () => {
  expect(beginRemediation(ONE).firmwareVersionIds).toEqual(['b'])
})

it('drops a version with the remedies that were for it alone', () => {
  const dropped = dropVersion(ONE, 'a')

  expect(dropped.statuses.map(({ firmwareVersionId }) => firmwareVersionId)).toEqual(['b', 'c'])
  expect(dropped.remediations).toMatchObject([{ kind: 'Workaround', firmwareVersionIds: ['c'] }])
})
