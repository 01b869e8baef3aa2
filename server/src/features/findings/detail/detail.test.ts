/** All that a finding shows of its vulnerability, from real feeds' records to the API. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { cveRecord, givenFolder, kevCatalogue, nvdPage } from '../../../../test/given-feeds.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenFirmwareVersion, givenSbom } from '../../../../test/given-inventory.ts'
import { importFeeds } from '../../advisories/index.ts'
import { matchFirmwareVersion } from '../service.ts'

const CVE = 'CVE-2026-80001'
const DAY_MS = 86_400_000
let test: TestApp
let client: Client
let findingId: string
let firmwareVersionId: string

beforeAll(async () => {
  test = await startTestApp()
  await importFeeds(test.ctx, {
    path: givenFolder({
      'nvd.json': JSON.stringify(nvdWithScores()),
      'cve.json': JSON.stringify(cveWithSsvc()),
      'kev.json': JSON.stringify(kevCatalogue([CVE], '2026-01-05T00:00:00.000Z')),
      'euvd.json': JSON.stringify([
        { cveId: CVE, euvdId: 'EUVD-2026-1', dateAdded: '2025-12-24', sources: ['eukev_kev'] },
      ]),
      'epss.csv': `#model_version:v2025.03.14,score_date:2026-01-05T00:00:00+0000\ncve,epss,percentile\n${CVE},0.9,0.99\n`,
    }),
  })
  client = await givenClient(test)
  firmwareVersionId = await givenFirmwareVersion(test.ctx, client.workspaceId)
  const version = { workspaceId: client.workspaceId, firmwareVersionId }
  const cpes = ['cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:*:*']
  await givenSbom(test.ctx, { ...version, components: [{ packageName: 'thing', cpes }] })
  await matchFirmwareVersion(test.ctx, version)
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const list = await client.post(path, {})
  findingId = list.json<{ findings: { id: string }[] }>().findings[0]?.id ?? ''
})

const clock = () => new Date()
afterEach(() => {
  test.ctx.now = clock
})

/** As CISA adds it to the records of others. */
function cveWithSsvc() {
  const record = cveRecord({ id: CVE, fixed: { 'acme/thing': '2.0' } })
  const options = [
    { Exploitation: 'active' },
    { Automatable: 'yes' },
    { 'Technical Impact': 'total' },
  ]
  const content = { id: CVE, timestamp: '2026-01-06T00:00:00.000000Z', options }
  const adp = {
    providerMetadata: { orgId: 'y', shortName: 'CISA-ADP' },
    metrics: [{ other: { type: 'ssvc', content } }],
  }
  return { ...record, containers: { ...record.containers, adp: [adp] } }
}

/** As NVD publishes them: one block for each version of CVSS. */
function nvdWithScores() {
  const page = nvdPage([{ id: CVE, score: 9.8, fixed: { 'acme:thing': '2.0' } }])
  const [entry] = page.vulnerabilities
  if (!entry) return page
  const metrics = {
    ...entry.cve.metrics,
    cvssMetricV40: [
      {
        source: 'cna@example.com',
        cvssData: {
          version: '4.0',
          vectorString: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
          baseScore: 9.3,
        },
      },
    ],
    cvssMetricV2: [
      {
        source: 'nvd@nist.gov',
        cvssData: { version: '2.0', vectorString: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', baseScore: 7.5 },
      },
    ],
  }
  const weaknesses = [
    { source: 'nvd@nist.gov', type: 'Primary', description: [{ lang: 'en', value: 'CWE-787' }] },
  ]
  const references = [
    { url: 'https://example.com/patch', source: 'cna@example.com', tags: ['Patch'] },
  ]
  return { ...page, vulnerabilities: [{ cve: { ...entry.cve, metrics, weaknesses, references } }] }
}

const read = async () => client.get(`/vulnerability-findings/${findingId}`)

it('a finding shows every score, the newest CVSS first in rank, and what is known of exploitation', async () => {
  const finding = (await read()).json<{ cve: { cvssScores: object[] } }>()

  expect(finding).toMatchObject({
    firmwareVersion: { id: firmwareVersionId, name: '1.0', firmware: { name: 'Gateway' } },
    isKnownCisaExploit: true,
    knownExploit: {
      dateAdded: '2026-01-01',
      dueDate: '2026-02-01',
      vendorProject: 'Vendor',
      product: 'Product',
      ransomware: false,
      notes: null,
    },
    exploitedSources: [
      { source: 'enisa', dateAdded: '2025-12-24' },
      { source: 'cisa', dateAdded: '2026-01-01' },
    ],
    epssScore: 0.9,
    epssPercentile: 0.99,
    affectedDeviceCount: 0,
    justification: null,
    responses: [],
    recheckReason: null,
    cve: {
      id: CVE,
      source: 'cvelist',
      severity: 'Critical',
      primaryBaseScore: 9.3,
      cwes: [{ id: 'CWE-787', name: 'Out-of-bounds Write' }],
      ssvc: [
        {
          source: 'CISA-ADP',
          exploitation: 'active',
          automatable: 'yes',
          technicalImpact: 'total',
        },
      ],
      references: [{ url: 'https://example.com/patch', tags: ['Patch'] }],
    },
  })
  expect(finding.cve.cvssScores).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ version: '4.0', baseScore: 9.3, source: 'cna@example.com' }),
      expect.objectContaining({ version: '3.1', baseScore: 9.8, source: 'nvd@nist.gov' }),
      expect.objectContaining({ version: '2.0', baseScore: 7.5, baseSeverity: 'HIGH' }),
    ]),
  )
})

it('a finding is overdue once the workspace’s target has passed, and only while it is active', async () => {
  const fresh = (await read()).json<{ dueAt: string; overdue: boolean }>()
  test.ctx.now = () => new Date(Date.now() + 8 * DAY_MS)

  const late = (await read()).json<object>()
  const path = `/vulnerability-findings/${findingId}/assessments`
  const closed = (await client.post(path, { assessment: 'Resolved' })).json<object>()

  const days = (new Date(fresh.dueAt).getTime() - Date.now()) / DAY_MS
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThan(7)
  expect(fresh.overdue).toBe(false)
  expect(late).toMatchObject({ dueAt: fresh.dueAt, overdue: true })
  expect(closed).toMatchObject({ dueAt: fresh.dueAt, overdue: false })
})
