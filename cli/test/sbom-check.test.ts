import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', 'main']
const FLAWED = { name: 'flawed', version: '1.0.0', purl: 'pkg:npm/flawed@1.0.0' }
const FINE = { name: 'flawed', version: '2.0.0', purl: 'pkg:npm/flawed@2.0.0' }

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
beforeAll(async () => {
  service = await startService({ withWorker: true })
  const record = {
    schema_version: '1.7.0',
    id: 'CVE-2026-1001',
    modified: '2026-08-01T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [{ package: { ecosystem: 'npm', name: 'flawed' }, versions: ['1.0.0'] }],
  }
  await importFeeds(service.ctx, { path: givenFile('CVE-2026-1001.json', JSON.stringify(record)) })
  environment = service.environmentOf(await service.givenWorkspace())
})

const check = (file: string, ...more: string[]) =>
  runPlimsoll(environment, [
    'sbom',
    'check',
    file,
    '--sources',
    'osv',
    '--max-not-judged',
    '100%',
    ...more,
  ])

const TABLES = ['firmwares', 'firmware_versions', 'sboms', 'sbom_components', 'sbom_graph_nodes']
const KEPT = [...TABLES, 'firmware_version_packages', 'finding_decisions', 'audit_log']

/** How many rows there are of all that a check could leave behind. */
async function rowsLeft(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of KEPT) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)}`.execute(service.ctx.db)
    counts[table] = rows[0]?.count ?? -1
  }
  const copies = readdirSync(tmpdir()).filter((name) =>
    name.startsWith(`plimsoll-copies-${process.pid}-`),
  )
  return { ...counts, copies: copies.length }
}

describe('plimsoll sbom check', () => {
  it('judges as findings check does after an upload, and keeps nothing', async () => {
    const file = givenSbom('image.json', [FLAWED])
    const before = await rowsLeft()

    const checked = await check(file)
    const asJson = JSON.parse((await check(file, '--json')).stdout) as object
    const after = await rowsLeft()
    await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create', '--wait'])
    const uploaded = await runPlimsoll(environment, [
      'findings',
      'check',
      ...VERSION,
      '--sources',
      'osv',
      '--max-not-judged',
      '100%',
      '--quiet',
    ])

    expect(checked).toMatchObject({ exitCode: EXIT.findings })
    expect(checked.stderr).toContain('1 finding over the threshold: 1 Critical')
    expect(checked.stdout).toContain('CVE-2026-1001')
    expect(uploaded.exitCode).toBe(checked.exitCode)
    expect(asJson).toMatchObject({
      exitCode: EXIT.findings,
      coverage: { componentCount: 1 },
      findings: [{ cveId: 'CVE-2026-1001', componentName: 'flawed' }],
      sboms: [{ fileName: 'image.json', parsingState: 'Succeeded', componentCount: 1 }],
    })
    expect(after).toEqual(before)
  })

  it('ends well, with a document that cannot be read, and without components', async () => {
    const fine = await check(givenSbom('fine.json', [FINE]))
    const broken = await check(givenFile('broken.json', '{"bomFormat": "CycloneDX", '))
    const empty = await check(givenSbom('empty.json', []))
    const nothing = await check(givenFile('nothing.json', ''))

    expect(fine).toMatchObject({
      exitCode: EXIT.ok,
      stdout: expect.stringContaining('No findings over the threshold') as string,
    })
    expect(broken.exitCode).toBe(EXIT.sbomFailed)
    expect(broken.stderr).toContain('The SBOM broken.json could not be read')
    expect(empty.exitCode).toBe(EXIT.noComponents)
    expect(nothing.exitCode).toBe(EXIT.error)
  })

  it('takes over the decisions of the version that it is compared with', async () => {
    const file = givenSbom('decided.json', [FLAWED])
    const named = ['--firmware', 'gateway', '--version', 'decided']
    await runPlimsoll(environment, ['sbom', 'upload', file, ...named, '--create', '--wait'])
    const { stdout } = await runPlimsoll(environment, ['findings', 'list', ...named, '--json'])
    const [finding] = (JSON.parse(stdout) as { findings: { id: string }[] }).findings
    const assessment = ['--assessment', 'not-affected', '--justification', 'code_not_reachable']
    await runPlimsoll(environment, ['findings', 'assess', finding?.id ?? '', ...assessment])
    const next = givenSbom('next.json', [FLAWED])
    const before = await rowsLeft()

    const based = await check(next, ...named)
    const alone = await check(next)
    const half = await check(next, '--firmware', 'gateway')

    expect(based).toMatchObject({ exitCode: EXIT.ok })
    expect(alone).toMatchObject({ exitCode: EXIT.findings })
    expect(half.stderr).toContain('--firmware and --version belong together')
    expect(await rowsLeft()).toEqual(before)
  })

  it('needs a key that may upload and read findings', async () => {
    const workspace = await service.givenWorkspace()
    const file = givenSbom('image.json', [FLAWED])
    const keys = [['SBOMs: read'], ['SBOMs: write'], ['Vulnerabilities: read']] as const
    const codes = []
    for (const scopes of keys) {
      const apiKey = await service.givenKey(workspace.workspaceId, [...scopes])
      const own = service.environmentOf({ ...workspace, apiKey })
      codes.push((await runPlimsoll(own, ['sbom', 'check', file])).exitCode)
    }

    expect(codes).toEqual([EXIT.unauthorised, EXIT.unauthorised, EXIT.unauthorised])
  })

  it('says what is out of support and which licences may not ship, as firmware-version show does', async () => {
    const run = (...args: string[]) => runPlimsoll(environment, args)
    const rules = { allow: [], deny: ['AGPL-3.0-only'], review: [], failOn: ['denied'] }
    const stated = await run('support', 'state', '--name', 'old-sdk', '--ends-on', '2020-01-01')
    const set = await run('licence', 'set', givenFile('rules.json', JSON.stringify(rules)))
    const licenses = [{ license: { id: 'AGPL-3.0-only' } }]
    const old = { name: 'old-sdk', version: '1.0', purl: 'pkg:generic/old-sdk@1.0', licenses }
    const file = givenSbom('ends.json', [FINE, old])
    const named = ['--firmware', 'gateway', '--version', 'ends']

    const checked = await check(file)
    await run('sbom', 'upload', file, ...named, '--create', '--wait')
    const shown = await run('firmware-version', 'show', 'gateway@ends')

    expect([stated.exitCode, set.exitCode]).toEqual([EXIT.ok, EXIT.ok])
    const support = '1 component out of support (old-sdk), 0 more within 90 days, not known of 1.'
    const licences =
      '1 component with a denied licence, 1 with an unknown one, 0 with one that is not listed.'
    for (const line of [support, licences]) {
      expect(checked.stderr).toContain(line)
      expect(shown.stdout).toContain(line)
    }
  })
})
