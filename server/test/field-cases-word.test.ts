/** Whose word counts: persons, VEX documents and builds, and what statements name, through upload and import. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { matchChangedPackages } from '../src/features/matching/index.ts'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom, type ListedFinding } from './field-cases.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'
import { affectedIn, givenAdvisory } from './given-knowledge.ts'
import { propertyRuns } from './property-runs.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

/** Cases have packages in common, which may be matched already. */
async function givenFlaw(id: string, key: string) {
  const affected = [affectedIn(key, [{ fixed: '99.0.0' }])]
  const revision = await givenAdvisory(service.ctx.db, { id, affected })
  await matchChangedPackages(service.ctx, { revision })
}

interface Version {
  client: Client
  firmwareVersionId: string
}

interface Outcome {
  document: { id: string | null }
  counts: Record<string, number>
  changes: { cveId: string; to: { assessment: string } }[]
  conflicts: { cveId: string }[]
  waiting: { reason: string }[]
  unmatched: { pointer: string; product: string | null; reason: string }[]
}

async function send({ client, firmwareVersionId }: Version, document: object, query = '') {
  return client.post(`/firmware-versions/${firmwareVersionId}/vex${query}`, document)
}

async function take(version: Version, document: object, query = ''): Promise<Outcome> {
  const response = await send(version, document, query)
  expect([response.statusCode, response.body.slice(0, 500)]).toEqual([200, expect.anything()])
  return response.json<Outcome>()
}

async function assessments({ client, firmwareVersionId }: Version) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const { findings } = (await client.post(path, { limit: 1000 })).json<{
    findings: ListedFinding[]
  }>()
  return findings
}

const readCase = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'vex.json'), 'utf8')) as object

describeFieldCase('c06-cpe-hash-vex', (folder) => {
  it('applies to products by CPE 2.3, CPE 2.2 and checksum', async () => {
    for (const id of ['CVE-2019-5747', 'CVE-2022-28391', 'CVE-2018-1000500'])
      await givenFlaw(id, 'cpe:busybox:busybox')
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const outcome = await take(version, readCase(folder))

    expect(outcome).toMatchObject({ unmatched: [], counts: { applied: 3, notUnderstood: 0 } })
    expect(
      Object.fromEntries(outcome.changes.map(({ cveId, to }) => [cveId, to.assessment])),
    ).toEqual({
      'CVE-2019-5747': 'NotAffected',
      'CVE-2022-28391': 'Resolved',
      'CVE-2018-1000500': 'InTriage',
    })
  })
})

describeFieldCase('c01-govulncheck-vex', (folder) => {
  it('applies to the version it is imported for, if that is said', async () => {
    await givenFlaw('CVE-2022-41723', 'purl:golang/golang.org/x/net')
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const without = await take(version, readCase(folder))
    expect(without).toMatchObject({
      counts: { applied: 0, notUnderstood: 1 },
      unmatched: [{ product: 'Unknown Product' }],
    })
    const outcome = await take(version, readCase(folder), '?forVersion=true')

    expect(outcome).toMatchObject({ unmatched: [], counts: { applied: 1 } })
    expect(outcome.changes).toMatchObject([
      { cveId: 'CVE-2022-41723', to: { assessment: 'NotAffected' } },
    ])
  })
})

describeFieldCase('a20-merged', (folder) => {
  it('tells of a statement about an id that two components share, and does not apply it', async () => {
    await givenFlaw('CVE-2018-25032', 'cpe:zlib:zlib')
    await givenFlaw('CVE-2019-5747', 'cpe:busybox:busybox')

    const { client, firmwareVersionId, findings } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )

    const about = findings.filter(({ cveId }) => /CVE-2018-25032|CVE-2019-5747/.test(cveId))
    expect(about.map(({ assessment }) => assessment)).toEqual(['NotAssessed', 'NotAssessed'])
    const list = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
    expect(list.body).toContain('names a component by an id that several share')
  })
})

let count = 0
const bom = (name: string, more: object = {}) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [
    {
      type: 'library',
      'bom-ref': name,
      name,
      version: '1.0',
      cpe: `cpe:2.3:a:acme:${name}:1.0:*:*:*:*:*:*:*`,
    },
  ],
  ...more,
})

async function uploaded({ client, firmwareVersionId }: Version, document: object) {
  const files = [{ name: `${crypto.randomUUID()}.json`, bytes: JSON.stringify(document) }]
  await upload(service, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
}

async function givenOne() {
  const name = `word${(count += 1)}`
  const cveId = `CVE-2098-${10_000 + count}`
  await givenFlaw(cveId, `cpe:acme:${name}`)
  const client = await givenClient(service)
  const version = { client, firmwareVersionId: await givenFirmwareVersion(client) }
  await uploaded(version, bom(name))
  return { ...version, name, cveId }
}

const STATUSES = {
  not_affected: 'NotAffected',
  affected: 'Exploitable',
  fixed: 'Resolved',
  under_investigation: 'InTriage',
} as const
type Status = keyof typeof STATUSES

const openVex = (
  { name, cveId }: { name: string; cveId: string },
  status: Status,
  members: object = {},
) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': `https://example.com/vex/${crypto.randomUUID()}`,
  author: 'Supplier PSIRT',
  timestamp: '2024-01-02T03:04:05Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: cveId },
      products: [{ '@id': `cpe:2.3:a:acme:${name}:1.0:*:*:*:*:*:*:*` }],
      status,
    },
  ],
  ...members,
})

interface Detail {
  id: string
  assessment: string
  origin: string | null
  ignored: boolean
  disagreements: { statementId: string; assessment: string; statedIn: object }[]
  timeline: { type: string; origin?: string; statedIn?: object }[]
}

async function detail(version: Version): Promise<Detail> {
  const [one] = await assessments(version)
  return (await version.client.get(`/vulnerability-findings/${one?.id ?? ''}`)).json<Detail>()
}

async function assess(version: Version, assessment: string) {
  const { id } = await detail(version)
  await version.client.post(`/vulnerability-findings/${id}/assessments`, { assessment })
}

const later = () => new Date(Date.now() + 60_000).toISOString()

describe('the word of a person', () => {
  it('stands against a later document, which is listed until it is accepted', async () => {
    const given = await givenOne()
    await assess(given, 'Exploitable')

    const outcome = await take(given, openVex(given, 'not_affected', { timestamp: later() }))

    expect(outcome).toMatchObject({ changes: [], counts: { disagreeing: 1, applied: 0 } })
    const before = await detail(given)
    expect(before).toMatchObject({ assessment: 'Exploitable', origin: 'Person' })
    const [disagreement] = before.disagreements
    expect(disagreement).toMatchObject({
      assessment: 'NotAffected',
      statedIn: {
        author: 'Supplier PSIRT',
        importedByEmail: expect.stringContaining('@') as unknown,
      },
    })
    const path = `/vulnerability-findings/${before.id}/accept-statement`
    const accepted = await given.client.post(path, { statementId: disagreement?.statementId })
    expect(accepted.json()).toMatchObject({
      assessment: 'NotAffected',
      origin: 'Person',
      disagreements: [],
    })
    expect(accepted.json<Detail>().timeline.at(-1)).toMatchObject({
      origin: 'Person',
      statedIn: { author: 'Supplier PSIRT' },
    })
    const unknown = await given.client.post(path, { statementId: crypto.randomUUID() })
    expect(unknown.json()).toMatchObject({ type: '/problems/vex-statement-not-found' })
    const stranger = await (
      await givenClient(service)
    ).post(path, {
      statementId: disagreement?.statementId,
    })
    expect(stranger.statusCode).toBe(404)
  })

  it('gives way to all that a document says, if that is accepted', async () => {
    const given = await givenOne()
    await assess(given, 'Exploitable')
    const { document } = await take(given, openVex(given, 'fixed', { timestamp: later() }))
    const path = `/vex-documents/${document.id ?? ''}/accept`

    const preview = await given.client.post(`${path}?dryRun=true`, undefined)
    expect(preview.json()).toMatchObject({
      dryRun: true,
      accepted: [{ cveId: given.cveId, from: 'Exploitable', to: 'Resolved' }],
    })
    expect(await detail(given)).toMatchObject({ assessment: 'Exploitable' })
    await given.client.post(path, undefined)

    expect(await detail(given)).toMatchObject({ assessment: 'Resolved', origin: 'Person' })
    expect((await given.client.post(path, undefined)).json()).toMatchObject({ accepted: [] })
  })

  it('lets an author decide whom the workspace named, by statements made since', async () => {
    const given = await givenOne()
    await given.client.patch('/settings', { decidingVexAuthors: ['Supplier PSIRT'] })
    await assess(given, 'Exploitable')

    await take(given, openVex(given, 'not_affected', { timestamp: '2024-01-01T00:00:00Z' }))
    expect(await detail(given)).toMatchObject({ assessment: 'Exploitable' })
    const others = { author: 'Somebody else', timestamp: later() }
    await take(given, openVex(given, 'under_investigation', others))
    expect(await detail(given)).toMatchObject({ assessment: 'Exploitable' })
    await take(given, openVex(given, 'fixed', { timestamp: later() }))

    const { timeline, ...one } = await detail(given)
    expect(one).toMatchObject({ assessment: 'Resolved', origin: 'Document' })
    expect(timeline.at(-1)).toMatchObject({ statedIn: { author: 'Supplier PSIRT' } })
    await assess(given, 'InTriage')
    expect(await detail(given)).toMatchObject({ assessment: 'InTriage', origin: 'Person' })
  })

  it('keeps being ignored, whatever documents say', async () => {
    const given = await givenOne()
    const { id } = await detail(given)
    await given.client.put(`/vulnerability-findings/${id}/ignore`, { ignored: true })

    await take(given, openVex(given, 'affected', { timestamp: later() }))

    expect(await detail(given)).toMatchObject({ assessment: 'Exploitable', ignored: true })
  })

  it('is what counts after any sequence of documents, decisions and SBOMs', async () => {
    const status = fc.constantFrom<Status>('not_affected', 'affected', 'fixed')
    const date = fc.constantFrom('2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', later())
    const command = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('import'), status, date }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('again'), status, date }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('assess'), status, date }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('upload'), status, date }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), status, date }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('next'), status, date }) },
    )
    const steps = fc.array(command, { minLength: 3, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const given = await givenOne()
        const same = { '@id': `https://example.com/vex/${given.name}` }
        let version: Version = given
        let documentId: string | null = null
        let word: string | undefined
        for (const { do: act, status: said, date: timestamp } of commands) {
          const document = openVex(given, said, { timestamp, ...(act === 'again' && same) })
          if (act === 'import') documentId = (await take(version, document)).document.id
          // An older version of the document is refused.
          if (act === 'again') await send(version, document)
          if (act === 'delete' && documentId !== null)
            await version.client.delete(`/vex-documents/${documentId}`)
          if (act === 'assess') await assess(version, (word = STATUSES[said]))
          if (act === 'upload' || act === 'next') {
            if (act === 'next') version = await nextVersion(version)
            const state = said === 'affected' ? 'exploitable' : 'not_affected'
            const vulnerabilities = [
              { id: given.cveId, analysis: { state }, affects: [{ ref: given.name }] },
            ]
            await uploaded(version, bom(given.name, { vulnerabilities }))
          }
          if (word === undefined) continue
          expect(await detail(version)).toMatchObject({ assessment: word, origin: 'Person' })
        }
      }),
      { numRuns: propertyRuns(24, 6), endOnFailure: true },
    )
  }, 240_000)
})

async function nextVersion({ client, firmwareVersionId }: Version): Promise<Version> {
  const one = await client.get(`/firmware-versions/${firmwareVersionId}`)
  const { firmware } = one.json<{ firmware: { id: string } }>()
  const name = `${(count += 1)}.0.0`
  const created = await client.post(`/firmwares/${firmware.id}/versions`, { name })
  return { client, firmwareVersionId: created.json<{ id: string }>().id }
}

describe('an import', () => {
  it('counts what became of each statement, with the reasons', async () => {
    const given = await givenOne()
    const ref = `cpe:2.3:a:acme:${given.name}:1.0:*:*:*:*:*:*:*`
    const about = (vulnerability: string, id = ref) => ({
      vulnerability: { name: vulnerability },
      products: [{ '@id': id }],
      status: 'fixed',
    })
    const statements = [
      about(given.cveId),
      about('CVE-2098-99999'),
      about(given.cveId, 'pkg:generic/elsewhere@1'),
      { ...about(given.cveId), status: 'who knows' },
      { ...about(given.cveId), products: [{ hashes: { 'sha-256': 'zz' } }] },
    ]

    const outcome = await take(given, openVex(given, 'fixed', { statements }))

    expect(outcome).toMatchObject({
      counts: { applied: 1, unchanged: 0, waiting: 1, disagreeing: 0, notUnderstood: 3 },
      waiting: [{ reason: expect.stringContaining('no finding') as unknown }],
    })
    expect(outcome.unmatched.map(({ reason }) => reason).join('\n')).toContain('checksums')
  })

  it('tells of entries of a report that state nothing', async () => {
    const given = await givenOne()
    const vulnerabilities = [
      { id: given.cveId, affects: [{ ref: 'x' }] },
      { id: given.cveId, analysis: { state: 'in_triage' } },
    ]
    const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, vulnerabilities }

    const outcome = await take(given, document, '?forVersion=true')

    expect(outcome).toMatchObject({
      counts: { applied: 1, notUnderstood: 1 },
      unmatched: [{ pointer: '/vulnerabilities/0' }],
    })
  })

  it('refuses to take two products for the one version', async () => {
    const given = await givenOne()
    const statements = ['A', 'B'].map((name) => ({
      vulnerability: { name: given.cveId },
      products: [{ '@id': name }],
      status: 'fixed',
    }))

    const document = openVex(given, 'fixed', { statements })
    const response = await send(given, document, '?forVersion=true')

    expect([response.statusCode, response.body]).toEqual([400, expect.stringContaining('"A')])
  })
})
