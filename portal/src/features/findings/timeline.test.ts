import type { Exposure, FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { listEvents, listVulnerabilityEvents } from './timeline.ts'

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
    entry('Detected', '2026-01-05T00:00:00Z', { cause: 'SbomParsed' }),
    entry('Assessment', '2026-01-09T00:00:00Z', {
      createdByEmail: 'ines@example.com',
      assessment: { assessment: 'NotAffected', detail: 'not built in', recheckReason: null },
    }),
  ],
  exploitedSources: [{ source: 'cisa', dateAdded: '2026-01-07' }],
} as unknown as FindingDetail
const found = (name: string, detectedAt: string) => ({
  detectedAt,
  firmwareVersion: { id: name, name: '1', firmware: { name } },
})
const about = {
  vulnerability: finding,
  findings: [found('Gateway', '2026-01-05T09:00:00Z'), found('Display', '2026-01-05T08:00:00Z')],
  timeline: [
    {
      type: 'Assessment',
      timestamp: '2026-01-09T00:00:00Z',
      assessment: 'NotAffected',
      detail: 'not built in',
      createdByEmail: 'ines@example.com',
      findingCount: 7,
      firmwareVersionCount: 7,
      firmwareVersions: ['Gateway 1', 'Display 1'],
      decisionBatch: { id: 'batch', findingCount: 7, isUndone: false },
    },
  ],
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
  expect(listVulnerabilityEvents(about, exposure)).toMatchObject([
    { text: 'Roll-out of 2 to eu-west ended' },
    { text: 'Roll-out of 2 to eu-west began' },
    { text: 'Gateway 2 released, without it' },
    {
      text: 'Not affected for 7 findings, by ines@example.com',
      note: 'Gateway 1, Display 1, 5 more · not built in',
      batch: { id: 'batch' },
    },
    { text: 'Record of NVD last changed' },
    { text: 'Listed as exploited by CISA' },
    { text: 'Found in 2 versions', note: 'Gateway 1, Display 1' },
  ])
})

it('tells of one version what was found and decided in it', () => {
  expect(listEvents(finding)).toMatchObject([
    { text: 'Not affected, by ines@example.com', note: 'not built in', tone: 'decided' },
    { text: 'Listed as exploited by CISA', tone: 'detected' },
    { text: 'Found here', note: 'an SBOM was read', tone: 'detected' },
    { text: 'Published', tone: 'published' },
  ])
})
