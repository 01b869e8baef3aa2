import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']
const CHECK = ['findings', 'check', ...VERSION, '--sources', 'osv,kev']

type Service = Awaited<ReturnType<typeof startService>>
/** One that knows advisories, and one that knows none and works nothing off. */
let service: Service
let idle: Service
beforeAll(async () => {
  service = await startService({ withWorker: true })
  idle = await startService({ withWorker: false })
  await givenAdvisories(service)
})

const advisory = (id: string, name: string, vector: string) => ({
  schema_version: '1.7.0',
  id,
  summary: `Flaw of ${name}`,
  modified: '2026-08-01T00:00:00Z',
  published: '2026-08-01T00:00:00Z',
  severity: [{ type: 'CVSS_V3', score: `CVSS:3.1/${vector}` }],
  affected: [
    {
      package: { ecosystem: 'npm', name, purl: `pkg:npm/${name}` },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
    },
  ],
})

/** No version of the package has the fix. */
const withoutFix = (record: ReturnType<typeof advisory>) => ({
  ...record,
  affected: record.affected.map((one) => ({
    ...one,
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
  })),
})

const CRITICAL = 'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const MEDIUM = 'AV:N/AC:L/PR:N/UI:R/S:U/C:L/I:L/A:N'
const LOW = 'AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N'

async function givenAdvisories({ ctx }: Service): Promise<void> {
  const records = [
    advisory('CVE-2026-1001', 'flawed', CRITICAL),
    {
      ...advisory('CVE-2026-1002', 'flawed', MEDIUM),
      details: '** DISPUTED ** The maker says no.',
    },
    advisory('CVE-2026-1003', 'exploited', LOW),
    withoutFix(advisory('CVE-2026-1004', 'unfixed', CRITICAL)),
  ]
  const catalogue = {
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    catalogVersion: '2026.08.01',
    dateReleased: '2026-08-01T00:00:00.000Z',
    count: 1,
    vulnerabilities: [
      {
        cveID: 'CVE-2026-1003',
        vendorProject: 'Acme',
        product: 'exploited',
        vulnerabilityName: 'Acme exploited flaw',
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
  for (const record of records)
    await importFeeds(ctx, {
      path: givenFile(`${record.id}.json`, JSON.stringify(record)),
      complete: ['npm'],
    })
  await importFeeds(ctx, { path: givenFile('kev.json', JSON.stringify(catalogue)) })
}

const npm = (name: string, version = '1.0.0') => ({
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
})

/** A workspace whose version 1.0 of gateway has an SBOM of these components. */
async function givenVersion(of: Service, components: readonly object[] | undefined) {
  const environment = of.environmentOf(await of.givenWorkspace())
  const file = components
    ? givenSbom('image.json', components)
    : givenFile('image.json', `{"no SBOM": "${crypto.randomUUID()}"}`)
  await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create'])
  return environment
}

describe('plimsoll vulnerabilities list', () => {
  it('shows each vulnerability once, worst first, with what it affects', async () => {
    const environment = await givenVersion(service, [npm('flawed'), npm('exploited')])
    await runPlimsoll(environment, CHECK)
    const second = givenSbom('image.json', [npm('flawed', '1.1.0')])
    const args = ['--firmware', 'gateway', '--version', '2.0']
    await runPlimsoll(environment, ['sbom', 'upload', second, ...args, '--create'])
    await runPlimsoll(environment, ['findings', 'check', ...args, '--sources', 'osv,kev'])

    const { stdout } = await runPlimsoll(environment, ['vulnerabilities', 'list'])
    const chosen = ['--severity', 'critical,high', '--no-kev', '--active', '--json']
    const json = await runPlimsoll(environment, ['vulnerabilities', 'list', ...chosen])
    const one = await runPlimsoll(environment, ['vulnerabilities', 'list', '--limit', '1'])

    expect(stdout).toMatch(
      /^SEVERITY +CVSS +EPSS +KEV +SSVC +DEVICES +VERSIONS +FINDINGS +ACTIVE +CVE +COMPONENTS +ASSIGNEE +COMMENTS +NAME\nLow .*\n/,
    )
    expect(stdout).toMatch(
      /\nCritical +9\.8 +Track to Act +0 +2 +2 +2 +CVE-2026-1001 +flawed 1\.1\.0, and 1 more +Flaw of flawed\n/,
    )
    expect(stdout).toMatch(/ CVE-2026-1002 .* disputed: Flaw of flawed\n/)
    expect(stdout).toMatch(/\n3 vulnerabilities\n$/)
    expect(JSON.parse(json.stdout)).toMatchObject({
      vulnerabilities: [{ cveId: 'CVE-2026-1001', firmwareVersionCount: 2 }],
      totalCount: 1,
    })
    expect(one.stdout).toMatch(/\nLow .*\n\nShowing 1 of 3 vulnerabilities\n$/)
  })
})

describe('plimsoll findings list', () => {
  let environment: Environment
  beforeAll(async () => {
    environment = await givenVersion(service, [npm('flawed'), npm('exploited')])
    await runPlimsoll(environment, CHECK)
  })

  const list = async (...filter: string[]) => {
    const { stdout } = await runPlimsoll(environment, [
      'findings',
      'list',
      ...VERSION,
      ...filter,
      '--json',
    ])
    const { findings } = JSON.parse(stdout) as { findings: { cveId: string }[] }
    return findings.map(({ cveId }) => cveId)
  }

  it('shows a table, worst first', async () => {
    const { stdout, exitCode } = await runPlimsoll(environment, ['findings', 'list', ...VERSION])

    expect(exitCode).toBe(EXIT.ok)
    expect(stdout).toMatch(
      /^SEVERITY +CVSS +EPSS +KEV +SSVC +DEVICES +CVE +COMPONENT +VERSION +CONFIDENCE +ASSESSMENT +NAME\n/,
    )
    expect(stdout).toMatch(
      /\nCritical +9\.8 +Track to Act +0 +CVE-2026-1001 +flawed +1\.0\.0 +High +NotAssessed +Flaw of flawed\n/,
    )
    expect(stdout).toMatch(/\n3 findings\n$/)
  })

  it.each([
    ['2', 'Showing 2 of 3 findings'],
    ['3', '3 findings'],
  ])('with a limit of %s ends with %j', async (limit, ending) => {
    const args = ['findings', 'list', ...VERSION, '--limit', limit]
    const { stdout } = await runPlimsoll(environment, args)

    expect(stdout.endsWith(`\n${ending}\n`)).toBe(true)
  })

  it.each([
    [[], ['CVE-2026-1003', 'CVE-2026-1001', 'CVE-2026-1002']],
    [
      ['--severity', 'critical,low'],
      ['CVE-2026-1003', 'CVE-2026-1001'],
    ],
    [['--kev'], ['CVE-2026-1003']],
    [
      ['--ssvc', 'act, attend'],
      ['CVE-2026-1003', 'CVE-2026-1001', 'CVE-2026-1002'],
    ],
    [['--ssvc', 'track'], []],
    [['--no-kev'], ['CVE-2026-1001', 'CVE-2026-1002']],
    [['--name', 'cve-2026-1002'], ['CVE-2026-1002']],
    [['--component', 'exploited'], ['CVE-2026-1003']],
    [['--component', 'exploited@1.0.0'], ['CVE-2026-1003']],
    [['--component', 'exploited@2.0.0'], []],
    [['--assessment', 'not-assessed', '--no-ignored', '--limit', '1'], ['CVE-2026-1003']],
    [['--assessment', 'Resolved'], []],
    [['--ignored'], []],
    [
      ['--sort', 'cve-id'],
      ['CVE-2026-1003', 'CVE-2026-1002', 'CVE-2026-1001'],
    ],
    [
      ['--sort', 'cve-id', '--ascending', '--limit', '2'],
      ['CVE-2026-1001', 'CVE-2026-1002'],
    ],
  ])('with %j lists %j', async (filter, expected) => {
    expect(await list(...filter)).toEqual(expected)
  })
})

describe('plimsoll findings check', () => {
  it('waits for the findings of a new SBOM, and fails where one is over the threshold', async () => {
    const environment = await givenVersion(service, [npm('flawed'), npm('exploited')])

    const { exitCode, stdout, stderr } = await runPlimsoll(environment, CHECK)

    expect(exitCode).toBe(EXIT.findings)
    expect(stdout).toContain('CVE-2026-1001')
    expect(stdout).not.toContain('CVE-2026-1002')
    expect(stderr).toContain(
      '2 findings over the threshold: 1 Critical, 1 Low; 1 known to be exploited.\n',
    )
  })

  it('fails where SSVC decides so or more urgently, by what is known of the product', async () => {
    const environment = await givenVersion(service, [npm('flawed'), npm('exploited')])
    await runPlimsoll(environment, CHECK)
    const bySsvc = async (failOn: string) => {
      const { exitCode, stdout, stderr } = await runPlimsoll(environment, [
        ...CHECK,
        '--fail-on',
        failOn,
      ])
      const ids = [...new Set(stdout.match(/CVE-\d+-\d+/g))].toSorted()
      return { exitCode, ids, stderr }
    }

    const unknown = await bySsvc('act')
    const firmwares = await runPlimsoll(environment, ['api', 'GET', 'firmwares'])
    const [firmware] = (JSON.parse(firmwares.stdout) as { firmwares: { slug: string }[] }).firmwares
    const state = (...options: string[]) =>
      runPlimsoll(environment, ['ssvc', 'update', ...options, '--json'])
    await state('--mission', `${firmware?.slug}=Minimal`)
    const stated = await state('--well-being', `${firmware?.slug}=Minimal`)
    const unknownWord = await state('--mission', `${firmware?.slug}=Vital`)
    const noProduct = await state('--mission', 'toaster=Minimal')
    expect((JSON.parse(stated.stdout) as { products: object[] }).products).toMatchObject([
      { missionPrevalence: 'Minimal', publicWellBeing: 'Minimal' },
    ])
    expect([unknownWord.exitCode, noProduct.exitCode]).toEqual([EXIT.error, EXIT.error])
    expect(noProduct.stderr).toContain('toaster')
    await expect.poll(async () => (await bySsvc('act')).ids).toEqual([])
    const minimal = await bySsvc('act')
    const attend = await bySsvc('attend')
    const wrong = await bySsvc('ssvc:Immediate')
    const counted = await runPlimsoll(environment, ['ssvc', 'count', '--json'])
    const counts = (JSON.parse(counted.stdout) as { outcome: string; totalCount: number }[]).map(
      ({ outcome, totalCount }) => [outcome, totalCount],
    )
    const grouped = async (...command: string[]) => {
      const { stdout } = await runPlimsoll(environment, [...command, '--by', 'outcome', '--json'])
      const { outcomes } = JSON.parse(stdout) as {
        outcomes: { outcome: string; totalCount: number }[]
      }
      return outcomes.map(({ outcome, totalCount }) => [outcome, totalCount])
    }
    const ofVersion = await grouped('findings', 'list', ...VERSION)
    const ofWorkspace = await grouped('vulnerabilities', 'list', '--active')
    const dry = await state('--well-being', `${firmware?.slug}=Irreversible`, '--dry-run')
    const listed = await runPlimsoll(environment, [
      'vulnerabilities',
      'list',
      '--active',
      '--ssvc',
      'act,attend',
      '--json',
    ])
    const { totalCount } = JSON.parse(listed.stdout) as { totalCount: number }
    expect(Object.fromEntries(counts)).toMatchObject({ Act: 0, Attend: totalCount })

    expect(ofVersion.map(([outcome]) => outcome)).toEqual(['Act', 'Attend', 'Track*', 'Track'])
    expect(ofWorkspace).toEqual(ofVersion)
    const tried = JSON.parse(dry.stdout) as { findingCount: number; changedCount: number }
    const sum = ofVersion.reduce((total, [, some]) => total + Number(some), 0)
    expect([sum, tried.changedCount > 0]).toEqual([tried.findingCount, true])
    expect((await bySsvc('act')).ids).toEqual([])

    expect(unknown.ids).toEqual(['CVE-2026-1001', 'CVE-2026-1002', 'CVE-2026-1003'])
    expect(unknown.exitCode).toBe(EXIT.findings)
    expect([minimal.ids, minimal.exitCode]).toEqual([[], EXIT.ok])
    expect(attend.ids).toContain('CVE-2026-1003')
    expect(wrong.exitCode).toBe(EXIT.error)
    expect(wrong.stderr).toContain('"Immediate" is no outcome of the SSVC tree')
  })

  it('lists the ten worst, counts all, and ends with the same code', async () => {
    const versions = Array.from({ length: 11 }, (_, at) => npm('flawed', `1.0.${at}`))
    const environment = await givenVersion(service, [...versions, npm('exploited')])

    const ten = await runPlimsoll(environment, CHECK)
    const one = await runPlimsoll(environment, [...CHECK, '--limit', '1'])
    const all = await runPlimsoll(environment, [...CHECK, '--limit', '1', '--json'])
    const csv = await runPlimsoll(environment, [...CHECK, '-o', 'csv'])

    expect(ten.stdout.split('\n')).toHaveLength(14)
    expect(ten.stdout).toMatch(/\nShowing the worst 10 of 12 findings: --limit\n$/)
    expect(one.stdout).toMatch(/^SEVERITY .*\nLow .* CVE-2026-1003 .*\n\nShowing the worst 1 of 12/)
    expect(one.stderr).toContain(
      '12 findings over the threshold: 11 Critical, 1 Low; 1 known to be exploited.\n',
    )
    expect((JSON.parse(all.stdout) as { findings: object[] }).findings).toHaveLength(12)
    expect(csv.stdout).toMatch(/^id,.*cveId.*\r\n/)
    expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(13)
    expect([ten, one, all, csv].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2])
  })

  it('lists components with the counts of their findings', async () => {
    const environment = await givenVersion(service, [npm('flawed'), npm('exploited')])

    const { stdout, exitCode } = await runPlimsoll(environment, [
      ...CHECK,
      '--fail-on',
      'medium,kev',
      '--by',
      'component',
    ])

    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
    expect(exitCode).toBe(EXIT.findings)
    expect(lines.slice(0, 3)).toEqual([
      ['COMPONENT', 'VERSION', 'FINDINGS', 'EXPLOITED', 'CRITICAL', 'HIGH', 'WORST'],
      ['exploited', '1.0.0', '1', '1', '0', '0', 'CVE-2026-1003'],
      ['flawed', '1.0.0', '2', '0', '1', '0', 'CVE-2026-1001'],
    ])
  })

  it('counts only what has a fix where that is asked, and says what it leaves out', async () => {
    const unfixed = await givenVersion(service, [npm('unfixed')])
    const both = await givenVersion(service, [npm('unfixed'), npm('flawed')])
    const only = [...CHECK, '--only-fixed']

    const whole = await runPlimsoll(unfixed, CHECK)
    const none = await runPlimsoll(unfixed, only)
    const some = await runPlimsoll(both, only)
    const json = JSON.parse((await runPlimsoll(both, [...only, '--json'])).stdout) as object

    expect([whole.exitCode, none.exitCode, some.exitCode]).toEqual([2, 0, 2])
    expect(none.stderr).toContain('(--only-fixed): 1 finding over the threshold.\n')
    expect(some.stdout).toContain('CVE-2026-1001')
    expect(some.stdout).not.toContain('CVE-2026-1004')
    expect(json).toMatchObject({ findings: [{ cveId: 'CVE-2026-1001' }], notFixedCount: 1 })
  })

  it.each([
    ['critical', 'exploited', EXIT.ok],
    ['kev', 'exploited', EXIT.findings],
    ['kev', 'flawed', EXIT.ok],
    ['medium', 'flawed', EXIT.findings],
    ['low', 'sound', EXIT.ok],
  ])('with the threshold %s for the package %s ends with %i', async (failOn, name, expected) => {
    const environment = await givenVersion(service, [npm(name)])

    const { exitCode } = await runPlimsoll(environment, [...CHECK, '--fail-on', failOn])

    expect(exitCode).toBe(expected)
  })

  it('answers as JSON whatever the verdict', async () => {
    const environment = await givenVersion(service, [npm('flawed')])

    const { stdout } = await runPlimsoll(environment, [...CHECK, '--json'])

    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: EXIT.findings,
      reasons: [{ exitCode: EXIT.findings, text: '1 finding over the threshold: 1 Critical.' }],
      findings: [{ cveId: 'CVE-2026-1001' }],
      switchedOffCount: 0,
      sboms: [{ fileName: 'image.json' }],
    })
  })

  it.each([
    ['a failed SBOM', undefined, EXIT.sbomFailed, 'image.json could not be read'],
    ['an SBOM without components', [], EXIT.noComponents, 'image.json has no components'],
  ])('has an exit code for %s', async (_what, components, expected, text) => {
    const environment = await givenVersion(service, components)

    const { exitCode, stderr } = await runPlimsoll(environment, CHECK)

    expect(exitCode).toBe(expected)
    expect(stderr).toContain(text)
  })

  it('has an exit code for a source that is not up to date', async () => {
    const environment = await givenVersion(service, [npm('sound')])
    const soon = ['--max-source-age', '0.000001']

    const stale = await runPlimsoll(environment, [...CHECK, ...soon])
    const allowed = await runPlimsoll(environment, [...CHECK, ...soon, '--allow-stale-sources'])
    const all = await runPlimsoll(environment, ['findings', 'check', ...VERSION])

    expect(stale.exitCode).toBe(EXIT.sourceStale)
    expect(stale.stderr).toContain('The source osv was last read completely 0 days ago')
    expect(allowed.exitCode).toBe(EXIT.ok)
    expect(allowed.stderr).toContain('Warning: The source osv was last read completely')
    expect(all.exitCode).toBe(EXIT.sourceStale)
    expect(all.stderr).toContain('The source nvd was never read completely.')
  })

  it('gives up waiting in time', async () => {
    const environment = await givenVersion(idle, [npm('sound')])

    const { exitCode, stderr } = await runPlimsoll(environment, [...CHECK, '--timeout', '0.5'])

    expect(exitCode).toBe(EXIT.timedOut)
    expect(stderr).toContain('Not ready after 0.5 seconds:\n  image.json: parsing\n')
  })

  it.each([
    ['no key', {}, EXIT.unauthorised, 'PLIMSOLL_API_KEY'],
    ['an unknown key', { PLIMSOLL_API_KEY: 'plm_wrong' }, EXIT.unauthorised, 'key'],
    ['another address', { PLIMSOLL_API_KEY: 'k', PLIMSOLL_URL: 'ftp://x' }, EXIT.error, '--url'],
  ])('has an exit code for %s', async (_what, environment, expected, text) => {
    const { exitCode, stderr } = await runPlimsoll(
      { PLIMSOLL_URL: service.url, ...environment },
      CHECK,
    )

    expect(exitCode).toBe(expected)
    expect(stderr).toContain(text)
  })

  it('names the scope a key lacks', async () => {
    const { workspaceId } = await service.givenWorkspace()
    const apiKey = await service.givenKey(workspaceId, ['SBOMs: read'])

    const environment = service.environmentOf({ workspaceId, apiKey })
    const { exitCode, stderr } = await runPlimsoll(environment, CHECK)

    expect(exitCode).toBe(EXIT.unauthorised)
    expect(stderr).toContain('"Firmware: read"')
  })

  it('has an exit code for a service that is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.close()

    const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: 'plm_x' }
    const { exitCode, stderr } = await runPlimsoll(environment, CHECK)

    expect(exitCode).toBe(EXIT.unavailable)
    expect(stderr).toContain(`Cannot reach ${url}: connect ECONNREFUSED`)
  })
})
