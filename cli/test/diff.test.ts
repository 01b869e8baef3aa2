import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

let environment: Environment

/** The catalogue of CISA takes no other ids. */
const WEAK = 'CVE-2026-7777'
const LOW = 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N'
const CRITICAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

const advisory = (id: string, name: string) => ({
  schema_version: '1.7.0',
  id,
  summary: `Flaw of ${name}`,
  modified: '2026-08-01T00:00:00Z',
  published: '2026-08-01T00:00:00Z',
  severity: [{ type: 'CVSS_V3', score: name === 'weak' ? LOW : CRITICAL }],
  affected: [
    {
      package: { ecosystem: 'npm', name, purl: `pkg:npm/${name}` },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
    },
  ],
})

const KEV = {
  title: 'CISA Catalog of Known Exploited Vulnerabilities',
  catalogVersion: '2026.08.01',
  dateReleased: '2026-08-01T00:00:00.000Z',
  count: 1,
  vulnerabilities: [
    {
      cveID: WEAK,
      vendorProject: 'Acme',
      product: 'weak',
      vulnerabilityName: 'Acme weak flaw',
      dateAdded: '2026-08-01',
      shortDescription: 'A flaw.',
      requiredAction: 'Update.',
      dueDate: '2026-08-22',
      knownRansomwareCampaignUse: 'Unknown',
      notes: '',
      cwes: [],
    },
  ],
}

const npm = (name: string, version: string) => ({
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
})

beforeAll(async () => {
  const service = await startService({ withWorker: true })
  for (const name of ['old', 'fixed', 'new', 'weak'])
    await importFeeds(service.ctx, {
      path: givenFile(
        `${name}.json`,
        JSON.stringify(advisory(name === 'weak' ? WEAK : `CVE-2026-${name}`, name)),
      ),
      complete: ['npm'],
    })
  await importFeeds(service.ctx, { path: givenFile('kev.json', JSON.stringify(KEV)) })
  environment = service.environmentOf(await service.givenWorkspace())
  const upload = (version: string, components: readonly object[]) =>
    runPlimsoll(environment, [
      'sbom',
      'upload',
      givenSbom(`${version}.json`, components),
      '--firmware',
      'gateway',
      '--version',
      version,
      '--create',
      '--wait',
    ])
  await upload('1.0', [npm('old', '1.0.0'), npm('fixed', '1.0.0')])
  await upload('1.1', [npm('old', '1.1.0'), npm('fixed', '2.0.0'), npm('new', '1.0.0')])
  await upload('1.2', [
    npm('old', '1.1.0'),
    npm('fixed', '2.0.0'),
    npm('new', '1.0.0'),
    npm('weak', '1.0.0'),
  ])
})

it('begins with counts and findings, and lists components on request', async () => {
  const command = ['diff', 'gateway@1.0', 'gateway@1.1']
  const { stdout, exitCode } = await runPlimsoll(environment, command)
  const full = await runPlimsoll(environment, [...command, '--components'])

  const lines = full.stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(exitCode).toBe(EXIT.ok)
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    '1 finding introduced: 1 Critical',
    '1 finding fixed or closed: 1 Critical',
    '1 finding remaining: 1 Critical',
    '3 components changed: 1 added, 0 removed, 2 in another version',
  ])
  expect(stdout).toMatch(/introduced +Critical +CVE-2026-new/)
  expect(stdout).toMatch(/fixed +Critical +CVE-2026-fixed/)
  expect(stdout).not.toMatch(/^added/m)
  expect(lines).toContainEqual(['added', 'new', '1.0.0'])
  expect(lines).toContainEqual(['changed', 'old', '1.0.0', '1.1.0'])
})

it('says of licences what a version brings, where there are rules', async () => {
  const rules = givenFile('rules.json', JSON.stringify({ allow: ['MIT'], failOn: ['unknown'] }))
  await runPlimsoll(environment, ['licence', 'set', rules])

  const judged = await runPlimsoll(environment, ['diff', 'gateway@1.0', 'gateway@1.1'])
  await runPlimsoll(environment, ['licence', 'delete', '--yes'])

  expect(judged.stdout).toContain('\nBrings 1 component whose licence is not known\n')
})

it('lists what is worst first, as many as asked, or only what is exploited', async () => {
  const listed = async (...options: string[]) => {
    const { stdout } = await runPlimsoll(environment, [
      'diff',
      'gateway@1.0',
      'gateway@1.2',
      ...options,
    ])
    return stdout
  }
  const cves = async (...options: string[]) =>
    [...(await listed('--csv', ...options)).matchAll(/CVE-2026-\w+/g)].map(([cve]) => cve)

  expect(await cves()).toEqual([WEAK, 'CVE-2026-new', 'CVE-2026-fixed'])
  expect(await cves('--sort', 'severity')).toEqual(['CVE-2026-new', WEAK, 'CVE-2026-fixed'])
  expect(await cves('--exploited')).toEqual([WEAK])
  expect(await cves('--limit', '1')).toEqual([WEAK])
  expect(await listed('--limit', '1')).toMatch(
    /\nintroduced +Low +CVE-2026-7777 .*\n\nShowing 1 of 3 findings\n/,
  )
})

it('answers as JSON, and takes ids', async () => {
  const named = await runPlimsoll(environment, ['diff', 'gateway@1.0', 'gateway@1.1', '--json'])
  const answer = JSON.parse(named.stdout) as {
    base: { id: string }
    firmwareVersion: { id: string }
  }
  const { base, firmwareVersion } = answer

  const byId = await runPlimsoll(environment, ['diff', base.id, firmwareVersion.id, '--json'])

  expect(JSON.parse(byId.stdout)).toEqual(answer)
})

it('wants versions that are there', async () => {
  expect((await runPlimsoll(environment, ['diff', '1.0', 'gateway@1.1'])).exitCode).toBe(EXIT.error)
  expect((await runPlimsoll(environment, ['diff', 'gateway@0', 'gateway@1.1'])).stderr).toContain(
    'no version named "0"',
  )
})

it('fails a check on what is new since another version alone', async () => {
  const command = ['findings', 'check', '--firmware', 'gateway', '--version', '1.1']
  const check = (...more: string[]) =>
    runPlimsoll(environment, [...command, '--sources', 'osv', ...more, '--json'])
  const cves = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { findings: { cveId: string }[] }).findings.map(({ cveId }) => cveId)

  expect(cves(await check()).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'CVE-2026-new',
    'CVE-2026-old',
  ])
  for (const since of ['1.0', 'gateway@1.0']) {
    const checked = await check('--new-since', since)
    expect([checked.exitCode, cves(checked)]).toEqual([EXIT.findings, ['CVE-2026-new']])
  }
  const none = await check('--new-since', '1.1')
  expect([none.exitCode, cves(none)]).toEqual([EXIT.ok, []])
})
