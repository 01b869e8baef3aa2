/**
 * Plimsoll looks at itself: its SBOM and its VEX of a release, with published advisories. `npm run check` shows the lines that
 * begin with `notice:`. What is severe or exploited needs a decision in vex.json; decide, or leave the part out.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { startTestApp, type TestApp } from '../../server/test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../server/test/given.ts'
import { describeWithSharedData } from '../../server/test/shared-data.ts'
import { writeDocuments } from './build.ts'
import { readFacts } from './facts.ts'
import { takeInventory } from './inventory.ts'
import { REPOSITORY } from './paths.ts'
import { readDecisions } from './vex.ts'

const RECORDS = [
  'cve5/openssl-cna.jsonl.gz',
  'cve5/vulnrichment-firmware.jsonl.gz',
  'cve5/vulnrichment-sample.jsonl.gz',
  'nvd/nvd20-firmware.jsonl.gz',
  'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
  'nvd/nvd20-sample.jsonl.gz',
  'osv/bitnami.jsonl.gz',
  'osv/mixed-fixtures.jsonl.gz',
]

interface OwnFinding {
  cveId: string
  componentName: string
  componentVersion: string
  severity: string
  assessment: string
  isKnownCisaExploit: boolean
}

const isSevere = ({ severity, isKnownCisaExploit }: OwnFinding) =>
  severity === 'Critical' || severity === 'High' || isKnownCisaExploit
const undecided = (findings: readonly OwnFinding[]) =>
  findings
    .filter((finding) => isSevere(finding) && finding.assessment === 'NotAssessed')
    .map(({ cveId, componentName }) => `${cveId} of ${componentName}`)

/** Matching goes on while the import has ended. */
const POLLING = { timeout: 120_000, interval: 100 }

const work = mkdtempSync(join(tmpdir(), 'plimsoll-own-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** The records that may concern a part: all would take a minute. */
function recordsAboutUs(folder: string, products: readonly string[]): string {
  const feeds = mkdtempSync(join(work, 'feeds-'))
  const names = products.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')
  const ours = new RegExp(`[":](?:${names})[":]|"ecosystem":"npm"`, 'i')
  for (const path of RECORDS) {
    const lines = gunzipSync(readFileSync(join(folder, path)))
      .toString('utf8')
      .split('\n')
    const kept = lines.filter((line) => ours.test(line))
    writeFileSync(join(feeds, basename(path, '.gz')), `${kept.join('\n')}\n`)
  }
  return feeds
}

function madeUpRecord(): string {
  const file = join(work, 'CVE-2099-0001.json')
  const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }] }]
  const record = {
    schema_version: '1.6.0',
    id: 'CVE-2099-0001',
    modified: '2026-01-01T00:00:00Z',
    summary: 'Made up for this test',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
    affected: [{ package: { ecosystem: 'npm', name: 'fastify' }, ranges }],
  }
  writeFileSync(file, JSON.stringify(record))
  return file
}

async function listFindings(client: Client, firmwareVersionId: string): Promise<OwnFinding[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const answer = await client.post(path, { limit: 1000 })
  const { findings, hasMore } = answer.json<{ findings: OwnFinding[]; hasMore: boolean }>()
  expect(hasMore).toBe(false)
  return findings
}

function countBy<Item>(items: readonly Item[], name: (item: Item) => string): string {
  const groups = [...Map.groupBy(items, name)]
  return groups.map(([group, { length }]) => `${group} ${length}`).join(', ')
}

function show(findings: readonly OwnFinding[]): void {
  const lines = [
    `${findings.length} findings about Plimsoll itself (${countBy(findings, ({ severity }) => severity)}), ${undecided(findings).length} severe ones undecided`,
    ...[...Map.groupBy(findings, (one) => `${one.componentName} ${one.componentVersion}`)].map(
      ([name, of]) => `  ${name}: ${countBy(of, ({ assessment }) => assessment)}`,
    ),
  ]
  process.stdout.write(`\n${lines.map((line) => `notice: ${line}\n`).join('')}`)
}

describeWithSharedData('what Plimsoll finds about itself', (folder) => {
  let test: TestApp
  let client: Client
  let documents: unknown[]
  let texts: string[]

  beforeAll(async () => {
    const facts = await readFacts()
    texts = writeDocuments(facts, work).map((path) => readFileSync(path, 'utf8'))
    documents = texts.map((text) => JSON.parse(text) as unknown)
    const products = takeInventory(facts).parts.flatMap(({ cpe }) => cpe?.split(':')[4] ?? [])
    test = await startTestApp()
    await importFeeds(test.ctx, { path: recordsAboutUs(folder, products) })
    await importFeeds(test.ctx, { path: join(folder, 'kev/kev-2026-08-22.json.gz') })
    await test.startWorker()
    client = await givenClient(test)
  })

  /** @param vex the index of a document of the release. */
  async function assessed(vex: number): Promise<{ id: string; findings: OwnFinding[] }> {
    const id = await givenFirmwareVersion(client)
    const files = [{ name: 'plimsoll.cdx.json', bytes: texts[0] ?? '' }]
    await upload(test, client, { firmwareVersionId: id, files })
    await matchedSboms(client, id)
    const before = await listFindings(client, id)
    expect(undecided(before)).not.toEqual([])

    const taken = await client.post(`/firmware-versions/${id}/vex`, documents[vex] as object)

    expect(taken.json()).toMatchObject({ unmatched: [], conflicts: [] })
    return { id, findings: await listFindings(client, id) }
  }

  it('is decided where it is severe or exploited, and a new advisory asks for a decision', async () => {
    const { id, findings } = await assessed(3)
    show(findings)
    expect(undecided(findings)).toEqual([])

    await importFeeds(test.ctx, { path: madeUpRecord() })

    await expect
      .poll(async () => undecided(await listFindings(client, id)), POLLING)
      .toEqual(['CVE-2099-0001 of fastify'])
  })

  it('is said alike by both VEX documents', async () => {
    const [{ findings: openVex }, { findings: cycloneDx }] = [await assessed(3), await assessed(2)]
    const said = (of: OwnFinding[]) => of.map(({ cveId, assessment }) => [cveId, assessment])

    expect(said(cycloneDx)).toEqual(said(openVex))
  })
})

it('is refused where it is about what is shipped no longer, or says a thing twice', async () => {
  const inventory = takeInventory(await readFacts())
  const [part] = inventory.parts
  const decision = { purl: part?.purl, vulnerabilities: ['CVE-2099-0001'], assessment: 'InTriage' }
  const read = (...decisions: object[]) => readDecisions(inventory, JSON.stringify(decisions))

  expect(read(decision)).toHaveLength(1)
  expect(() => read(decision, decision)).toThrow('CVE-2099-0001 of')
  expect(() => read({ ...decision, purl: 'pkg:generic/gone@1' })).toThrow('is no part')
  expect(() => read({ ...decision, assessment: 'NotAffected' })).toThrow('justification')
})

it('rests on statements that use no XML', () => {
  const sql = [...globSync('server/{queries,migrations}/*.sql', { cwd: REPOSITORY })]
  const using = sql.filter((file) =>
    /\bxml|\bxpath/i.test(readFileSync(join(REPOSITORY, file), 'utf8')),
  )

  expect(sql.length).toBeGreaterThan(50)
  expect(using).toEqual([])
})
