import type { Exposure, FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { listEvents } from './timeline.ts'

const entry = (type: string, timestamp: string, more: object = {}) => ({
  type,
  timestamp,
  createdByEmail: null,
  source: 'System',
  cause: null,
  assessment: null,
  ...more,
})
const finding = {
  timeline: [
    entry('Published', '2026-01-01T00:00:00Z'),
    entry('Detected', '2026-01-05T00:00:00Z', { cause: 'the SBOM was uploaded' }),
    entry('Assessment', '2026-01-09T00:00:00Z', {
      createdByEmail: 'ines@example.com',
      assessment: { assessment: 'NotAffected', detail: 'not built in', recheckReason: null },
    }),
  ],
  exploitedSources: [{ source: 'cisa', dateAdded: '2026-01-07' }],
} as unknown as FindingDetail
const about = {
  fixedIn: [{ firmwareVersion: { id: 'fixed' } }],
  records: [
    { source: 'nvd', id: 'CVE-1', isWithdrawn: false, modifiedAt: '2026-01-08T00:00:00Z' },
    { source: 'osv', id: 'OSV-1', isWithdrawn: true, modifiedAt: null },
  ],
} as unknown as WorkspaceVulnerabilityDetail
const exposure = {
  releases: [
    {
      firmwareVersionId: 'fixed',
      firmwareName: 'Gateway',
      version: '2',
      at: '2026-01-10T00:00:00Z',
    },
    {
      firmwareVersionId: 'other',
      firmwareName: 'Gateway',
      version: '3',
      at: '2026-01-10T00:00:00Z',
    },
  ],
  rollouts: [
    {
      firmwareVersionId: 'fixed',
      firmwareVersionName: '2',
      cohortName: 'eu-west',
      startedAt: '2026-01-11T00:00:00Z',
      endedAt: '2026-01-12T00:00:00Z',
      state: 'Completed',
    },
  ],
} as unknown as Exposure

it('tells of record, list, detection, decision, release and roll-out, newest first', () => {
  expect(listEvents(finding, about, exposure).map(({ text }) => text)).toEqual([
    'Roll-out of 2 to eu-west ended',
    'Roll-out of 2 to eu-west began',
    'Gateway 2 released, without it',
    'Not affected, by ines@example.com',
    'Record of NVD last changed',
    'Listed as exploited by CISA',
    'Found here',
    'Published',
  ])
})

it('tells what the finding alone knows while the rest is loading', () => {
  expect(listEvents(finding)).toMatchObject([
    { text: 'Not affected, by ines@example.com', note: 'not built in', tone: 'decided' },
    { text: 'Listed as exploited by CISA', tone: 'detected' },
    { text: 'Found here', note: 'the SBOM was uploaded', tone: 'detected' },
    { text: 'Published', tone: 'published' },
  ])
})
