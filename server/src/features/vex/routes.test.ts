import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { putArtifact } from '../../../test/given-artifacts.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { waitForLocks } from '../../../test/lock-waits.ts'
import { sharedData } from '../../../test/shared-data.ts'
import { vexSchemas } from '../../../test/vex-schemas.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { applyStatements } from './decisions/service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})

let count = 1_000
/** A CVE of a product that no other test uses. */
async function givenFlaw(product = `product${(count += 1)}`, fixed = '2.0') {
  count += 1
  const id = `CVE-2024-${count}`
  await givenAdvisory(test.ctx.db, {
    id,
    score: 9.8,
    severity: 'Critical',
    title: `Flaw of ${product}`,
    aliases: [`GHSA-aaaa-bbbb-${count}`],
    affected: [affectedIn(`cpe:acme:${product}`, [{ fixed }])],
  })
  return { id, product }
}

interface BomComponent {
  name: string
  version?: string
  purl?: string
}

function bom(components: BomComponent[], members: object = {}) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    version: 1,
    metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'image', version: '7' } },
    components: components.map(({ name, version = '1.0', purl }) => ({
      type: 'library',
      'bom-ref': name,
      name,
      version,
      cpe: `cpe:2.3:a:acme:${name}:${version}:*:*:*:*:*:*:*`,
      ...(purl !== undefined && { purl }),
    })),
    dependencies: [{ ref: 'root', dependsOn: components.map(({ name }) => name) }],
    ...members,
  }
}

interface GivenVersion {
  client: Client
  firmwareVersionId: string
  purl: string
}

async function givenVersion(document: object, client?: Client): Promise<GivenVersion> {
  const of = client ?? (await givenClient(test))
  const firmwareVersionId = await givenFirmwareVersion(of)
  await uploaded(of, firmwareVersionId, document)
  const version = (await of.get(`/firmware-versions/${firmwareVersionId}`)).json<{
    name: string
    firmware: { slug: string }
  }>()
  return { client: of, firmwareVersionId, purl: `pkg:generic/${version.firmware.slug}@1.0.0` }
}

/** Another version of the same firmware. */
async function givenNextVersion({ client, firmwareVersionId }: GivenVersion, document: object) {
  const path = `/firmware-versions/${firmwareVersionId}`
  const { firmware } = (await client.get(path)).json<{ firmware: { id: string; slug: string } }>()
  const created = await client.post(`/firmwares/${firmware.id}/versions`, { name: '2.0.0' })
  const { id } = created.json<{ id: string }>()
  await uploaded(client, id, document)
  return { client, firmwareVersionId: id, purl: `pkg:generic/${firmware.slug}@2.0.0` }
}

async function uploaded(client: Client, firmwareVersionId: string, document: object) {
  const files = [{ name: `${crypto.randomUUID()}.json`, bytes: JSON.stringify(document) }]
  const response = await upload(test, client, { firmwareVersionId, files })
  expect(response.statusCode).toBe(202)
  const [last] = (await matchedSboms(client, firmwareVersionId)).slice(-1)
  expect(last).toMatchObject({ parsingState: 'Succeeded' })
  return last?.id ?? ''
}

interface Finding {
  id: string
  cveId: string
  componentName: string
  assessment: string
}

async function findings({ client, firmwareVersionId }: GivenVersion): Promise<Finding[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  return (await client.post(path, {})).json<{ findings: Finding[] }>().findings
}

async function finding(given: GivenVersion, cveId: string): Promise<Finding> {
  const one = (await findings(given)).find((each) => each.cveId === cveId)
  if (!one) throw new Error(`no finding of ${cveId}`)
  return one
}

async function activeCount({ client, firmwareVersionId }: GivenVersion): Promise<number> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

interface Change {
  findingId: string
  cveId: string
  componentName: string
  from: Record<string, unknown>
  to: Record<string, unknown>
}
interface Outcome {
  dryRun: boolean
  document: { id: string | null; format: string; statedAt: string | null }
  statementCount: number
  changes: Change[]
  conflicts: Change[]
  unchangedCount: number
  waiting: { pointer: string; vulnerability: string }[]
  unmatched: { pointer: string; product: string | null; reason: string; isKept: boolean }[]
}

function send({ client, firmwareVersionId }: GivenVersion, document: object, query = '') {
  return client.post(`/firmware-versions/${firmwareVersionId}/vex${query}`, document)
}

async function take(given: GivenVersion, document: object, query = ''): Promise<Outcome> {
  const response = await send(given, document, query)
  expect([response.statusCode, response.body.slice(0, 500)]).toEqual([200, expect.anything()])
  return response.json<Outcome>()
}

function openVex(statements: object[], members: object = {}) {
  return {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `https://example.com/vex/${crypto.randomUUID()}`,
    author: 'Example PSIRT',
    timestamp: '2024-01-02T03:04:05Z',
    version: 1,
    ...members,
    statements,
  }
}
const notAffected = (vulnerability: string, ...products: object[]) => ({
  vulnerability: { name: vulnerability },
  products,
  status: 'not_affected',
  justification: 'vulnerable_code_not_present',
  impact_statement: 'Not built.',
})

async function assess({ client }: GivenVersion, { id }: Finding, body: object) {
  const response = await client.post(`/vulnerability-findings/${id}/assessments`, body)
  expect(response.statusCode).toBe(200)
}

describe('importing', () => {
  it('makes statements about the firmware version decisions, with counters and timeline', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    expect(await activeCount(given)).toBe(1)

    const outcome = await take(given, openVex([notAffected(id, { '@id': given.purl })]))

    expect(outcome).toMatchObject({
      dryRun: false,
      document: { format: 'OpenVex' },
      statementCount: 1,
      changes: [
        {
          cveId: id,
          componentName: product,
          from: { assessment: 'NotAssessed', source: null },
          to: {
            assessment: 'NotAffected',
            justification: 'vulnerable_code_not_present',
            detail: 'Not built.',
            statedAt: '2024-01-02T03:04:05.000Z',
          },
        },
      ],
      conflicts: [],
      unmatched: [],
    })
    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAffected' })
    expect(await activeCount(given)).toBe(0)
  })

  it('shows beforehand what it would change, and changes nothing', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const document = openVex([notAffected(id, { '@id': given.purl })])

    const preview = await take(given, document, '?dryRun=true')

    expect(preview).toMatchObject({ dryRun: true, changes: [{ cveId: id }] })
    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAssessed' })
    expect(await activeCount(given)).toBe(1)
    const applied = await take(given, document)
    expect({ ...applied, dryRun: true }).toEqual(preview)
  })

  it('takes the same document twice without doing anything twice', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const document = openVex([notAffected(id, { '@id': given.purl })])
    await take(given, document)

    const again = await take(given, document)

    expect(again).toMatchObject({ changes: [], conflicts: [], unchangedCount: 1 })
    const detail = await given.client.get(
      `/vulnerability-findings/${(await finding(given, id)).id}`,
    )
    const { timeline } = detail.json<{ timeline: { type: string; source?: string }[] }>()
    expect(timeline.filter(({ type }) => type === 'Assessment')).toMatchObject([{ source: 'Vex' }])
  })

  it('restricts a statement to the parts of the product it names', async () => {
    const [one, other] = [await givenFlaw(), await givenFlaw()]
    const sameCve = await givenFlaw()
    await givenAdvisory(test.ctx.db, {
      id: sameCve.id,
      affected: [one, other].map(({ product }) =>
        affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }]),
      ),
    })
    const given = await givenVersion(bom([{ name: one.product }, { name: other.product }]))

    const outcome = await take(
      given,
      openVex([
        notAffected(sameCve.id, {
          '@id': given.purl,
          subcomponents: [
            { identifiers: { cpe23: `cpe:2.3:a:acme:${one.product}:1.0:*:*:*:*:*:*:*` } },
          ],
        }),
      ]),
    )

    expect(outcome.changes.map(({ componentName }) => componentName)).toEqual([one.product])
    const assessed = (await findings(given)).filter(({ cveId }) => cveId === sameCve.id)
    expect(
      Object.fromEntries(assessed.map((each) => [each.componentName, each.assessment])),
    ).toEqual({
      [one.product]: 'NotAffected',
      [other.product]: 'NotAssessed',
    })
  })

  it.each([
    'component',
    'root',
    'bomLink',
    'encodedLink',
    'encodedPurl',
    'rootBomLink',
    'document',
    'alias',
  ])('finds what a statement is about by its %s', async (how) => {
    const { id, product } = await givenFlaw()
    const purl = `pkg:github/acme/${product}@1.0`
    const sbom = bom([{ name: product, purl }])
    const given = await givenVersion(sbom)
    const link = `urn:cdx:${sbom.serialNumber.slice('urn:uuid:'.length)}/1`
    const cdx = (ref: string) => ({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      vulnerabilities: [{ id, analysis: { state: 'not_affected' }, affects: [{ ref }] }],
    })
    const documents: Record<string, object> = {
      component: openVex([notAffected(id, { '@id': purl })]),
      root: {
        ...cdx('x'),
        metadata: {
          component: { type: 'firmware', 'bom-ref': 'x', name: 'image', version: '7' },
        },
      },
      bomLink: cdx(`${link}#${product}`),
      encodedLink: cdx(`${link}#%${product.charCodeAt(0).toString(16)}${product.slice(1)}`),
      encodedPurl: cdx(`urn:cdx:${crypto.randomUUID()}/1#${encodeURIComponent(purl)}`),
      rootBomLink: cdx(`${link}#root`),
      document: cdx(link),
      alias: openVex([notAffected(id.replace('CVE-2024', 'GHSA-aaaa-bbbb'), { '@id': purl })]),
    }

    const outcome = await take(given, documents[how] ?? {})

    expect(outcome.unmatched).toEqual([])
    expect(outcome.changes).toMatchObject([{ cveId: id, to: { assessment: 'NotAffected' } }])
  })

  it('lists what names nothing here with the reason, and applies nothing of it', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(
      bom([{ name: product, purl: `pkg:github/acme/${product}@1.0` }]),
    )

    const outcome = await take(
      given,
      openVex([
        notAffected(id, { '@id': 'pkg:generic/nothing@1' }),
        notAffected(id, { '@id': given.purl.replace('1.0.0', '0.9.0') }),
        notAffected(id, { '@id': `pkg:github/acme/${product}@0.9` }),
        notAffected(id, { '@id': given.purl, subcomponents: [{ '@id': 'pkg:generic/later@1' }] }),
        notAffected(id),
        { vulnerability: { name: id }, status: 'perhaps' },
      ]),
    )

    expect(outcome.changes).toEqual([])
    expect(outcome.statementCount).toBe(1)
    expect(outcome.unmatched).toMatchObject([
      {
        pointer: '/statements/5/status',
        reason: 'The statement cannot be read: is not an OpenVEX status: "perhaps".',
      },
      { pointer: '/statements/0', product: 'pkg:generic/nothing@1', isKept: false },
      { pointer: '/statements/1', reason: 'The product is another version of this firmware.' },
      {
        pointer: '/statements/2',
        reason: 'This firmware version holds another version or build of the product.',
      },
      { pointer: '/statements/3', product: 'pkg:generic/later@1', isKept: true },
      { pointer: '/statements/4', reason: 'The statement names no product.' },
    ])
    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAssessed' })
  })

  it('lets the assessment of a person stand, and lists the statement beside it', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    await assess(given, await finding(given, id), {
      assessment: 'Exploitable',
      detail: 'Tried it.',
    })

    const outcome = await take(given, openVex([notAffected(id, { '@id': given.purl })]))

    expect(outcome).toMatchObject({
      changes: [],
      conflicts: [
        {
          cveId: id,
          from: { assessment: 'Exploitable', detail: 'Tried it.' },
          to: { assessment: 'NotAffected' },
        },
      ],
    })
    const { id: findingId, assessment } = await finding(given, id)
    expect(assessment).toBe('Exploitable')
    expect((await given.client.get(`/vulnerability-findings/${findingId}`)).json()).toMatchObject({
      origin: 'Person',
      vexConflict: { author: 'Example PSIRT', assessment: 'NotAffected', detail: 'Not built.' },
      disagreements: [
        {
          assessment: 'NotAffected',
          statedIn: { author: 'Example PSIRT', format: 'OpenVex', sbomFileName: null },
        },
      ],
    })
  })

  it('lets the assessment of a person stand also where it was carried over', async () => {
    const { id, product } = await givenFlaw()
    const earlier = await givenVersion(bom([{ name: product }]))
    await assess(earlier, await finding(earlier, id), { assessment: 'Exploitable' })
    const between = new Date().toISOString()
    const later = await givenNextVersion(earlier, bom([{ name: product }]))
    expect(await finding(later, id)).toMatchObject({ assessment: 'Exploitable' })

    const older = await take(later, openVex([notAffected(id, { '@id': later.purl })]))
    expect(older).toMatchObject({ changes: [], conflicts: [{ cveId: id }] })
    expect(await finding(later, id)).toMatchObject({ assessment: 'Exploitable' })

    const timestamp = { timestamp: between }
    const newer = await take(later, openVex([notAffected(id, { '@id': later.purl })], timestamp))
    expect(newer).toMatchObject({ changes: [], conflicts: [{ cveId: id }] })
    expect(await finding(later, id)).toMatchObject({ assessment: 'Exploitable' })
  })

  it('takes no statement for newer than what people decide after it was received', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const timestamp = '2999-01-01T00:00:00Z'
    await take(given, openVex([notAffected(id, { '@id': given.purl })], { timestamp }))
    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAffected' })
    await assess(given, await finding(given, id), { assessment: 'Exploitable' })

    await uploaded(given.client, given.firmwareVersionId, bom([{ name: 'other' }]))

    expect(await finding(given, id)).toMatchObject({ assessment: 'Exploitable' })
  })

  it('lets the assessment of a person stand against a statement made after it', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    await assess(given, await finding(given, id), { assessment: 'Exploitable' })
    const timestamp = new Date(Date.now() + 60_000).toISOString()

    const document = openVex([notAffected(id, { '@id': given.purl })], { timestamp })

    expect(await take(given, document)).toMatchObject({ changes: [], conflicts: [{ cveId: id }] })

    expect(await finding(given, id)).toMatchObject({ assessment: 'Exploitable' })
    expect(await activeCount(given)).toBe(1)
  })

  it('keeps a statement about what has no id of a vulnerability, which decides nothing', async () => {
    const given = await givenVersion(bom([{ name: `product${(count += 1)}` }]))
    const id = randomBytes(8_000).toString('base64')

    const outcome = await take(given, openVex([notAffected(id, { '@id': given.purl })]))

    expect(outcome).toMatchObject({ statementCount: 1, changes: [], waiting: [{}] })
  })

  it.each(['\u0000', '\ud800'])(
    'takes a member named %j, which no statement knows',
    async (name) => {
      const { id, product } = await givenFlaw()
      const given = await givenVersion(bom([{ name: product }]))
      const statement = { ...notAffected(id, { '@id': given.purl }), [name]: 1 }

      const outcome = await take(given, openVex([statement]))

      expect(outcome).toMatchObject({ statementCount: 1 })
      expect(await activeCount(given)).toBe(0)
    },
  )

  it('lets the newest of several statements count', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const older = { ...notAffected(id, { '@id': given.purl }), timestamp: '2023-01-01T00:00:00Z' }
    const newer = {
      vulnerability: { name: id },
      products: [{ '@id': given.purl }],
      status: 'affected',
      action_statement: 'Update.',
      timestamp: '2023-06-01T00:00:00Z',
    }

    const outcome = await take(given, openVex([newer, older]))

    expect(outcome.changes).toMatchObject([
      { to: { assessment: 'Exploitable', detail: 'Update.' } },
    ])
    expect(outcome.waiting).toMatchObject([{ pointer: '/statements/1', vulnerability: id }])
  })

  it('has all responses of CycloneDX, and justifications beside verdicts people could not give', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))

    const outcome = await take(given, {
      bomFormat: 'CycloneDX',
      specVersion: '1.4',
      version: 1,
      vulnerabilities: [
        {
          id,
          analysis: {
            state: 'exploitable',
            justification: 'requires_environment',
            response: ['can_not_fix', 'workaround_available'],
          },
          affects: [{ ref: given.purl }],
        },
      ],
    })

    expect(outcome.changes).toMatchObject([
      {
        to: {
          assessment: 'Exploitable',
          justification: 'requires_environment',
          responses: ['can_not_fix', 'workaround_available'],
        },
      },
    ])
  })

  it('applies to findings that begin later, in components that come later', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: `other${product}` }]))
    const outcome = await take(
      given,
      openVex([
        notAffected(id, {
          '@id': given.purl,
          subcomponents: [{ '@id': `pkg:github/acme/${product}@1.0` }],
        }),
      ]),
    )
    expect(outcome).toMatchObject({ changes: [], statementCount: 1, unmatched: [{ isKept: true }] })

    await uploaded(
      given.client,
      given.firmwareVersionId,
      bom([{ name: product, purl: `pkg:github/acme/${product}@1.0` }]),
    )

    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAffected' })
    expect(await activeCount(given)).toBe(0)
  })

  it('applies to findings that begin when a vulnerability becomes known', async () => {
    const product = `product${(count += 1)}`
    const given = await givenVersion(bom([{ name: product }]))
    count += 1
    const id = `CVE-2024-${count}`
    const outcome = await take(given, openVex([notAffected(id, { '@id': given.purl })]))
    expect(outcome.waiting).toMatchObject([{ pointer: '/statements/0', vulnerability: id }])

    const revision = await givenAdvisory(test.ctx.db, {
      id,
      score: 9.8,
      severity: 'Critical',
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })
    await knowledgeChanged(revision, given)

    expect(await finding(given, id)).toMatchObject({ assessment: 'NotAffected' })
    expect(await activeCount(given)).toBe(0)
  })

  it('replaces an earlier version of the document, and refuses to go back', async () => {
    const [one, other] = [await givenFlaw(), await givenFlaw()]
    const given = await givenVersion(bom([{ name: one.product }, { name: other.product }]))
    const first = openVex([notAffected(one.id, { '@id': given.purl })])
    const second = {
      ...first,
      version: 2,
      timestamp: '2024-02-01T00:00:00Z',
      statements: [notAffected(other.id, { '@id': given.purl })],
    }
    await take(given, first)
    await take(given, second)

    const back = await send(given, first)

    expect(back.statusCode).toBe(409)
    expect(back.json()).toMatchObject({ type: '/problems/vex-outdated' })
    const { documents } = (
      await given.client.get(`/firmware-versions/${given.firmwareVersionId}/vex-documents`)
    ).json<{ documents: object[] }>()
    expect(documents).toMatchObject([{ format: 'OpenVex', statementCount: 1 }])
  })

  it('takes a document from the future for one of today, which its successor replaces', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const first = openVex([notAffected(id, { '@id': given.purl })], {
      timestamp: '2999-01-01T00:00:00Z',
    })
    const startedAt = new Date().toISOString()
    const { document } = await take(given, first)
    expect(document.statedAt).toMatch(/^20/)
    const fixed = {
      vulnerability: { name: id },
      products: [{ '@id': given.purl }],
      status: 'fixed',
    }

    const older = await send(given, { ...first, timestamp: startedAt })
    await take(given, { ...first, timestamp: new Date().toISOString(), statements: [fixed] })

    expect(older.json()).toMatchObject({ type: '/problems/vex-outdated' })
    expect(await finding(given, id)).toMatchObject({ assessment: 'Resolved' })
  })

  it('deletes a document once, however many ask for it at a time', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const { document } = await take(given, openVex([notAffected(id, { '@id': given.purl })]))
    const { workspaceId } = given.client
    const holding = await test.ctx.db.startTransaction().execute()
    await lockFirmwareVersion(holding, workspaceId, given.firmwareVersionId)

    const both = [1, 2].map(() => given.client.delete(`/vex-documents/${document.id ?? ''}`))
    const answers = Promise.all(both)
    await waitForLocks(test.ctx, 2)
    await holding.commit().execute()

    expect(new Set((await answers).map(({ statusCode }) => statusCode))).toEqual(
      new Set([204, 404]),
    )
    const { entries } = (await given.client.get('/audit-log')).json<{
      entries: { action: string }[]
    }>()
    expect(entries.filter(({ action }) => action === 'vex.delete')).toHaveLength(1)
  })

  it('misses no finding that begins while it looks', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: `${product}x` }]))
    const { workspaceId } = given.client
    // Like matching: locks the package, writes the match, and looks for statements.
    const matching = await test.ctx.db.startTransaction().execute()
    const { rows } = await sql<{ id: string }>`
      select package_id as id from firmware_version_packages
      where workspace_id = ${workspaceId} and component_name = ${`${product}x`}`.execute(matching)
    const packageId = rows[0]?.id ?? ''
    await lockPackages(matching, [packageId], 'exclusive')

    const taking = take(given, openVex([notAffected(id, { '@id': given.purl })]))
    await waitForLocks(test.ctx)
    await sql`
      insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity)
      values (${packageId}, ${id}, now(), 'KnowledgeChanged', 'Low', 'High')`.execute(matching)
    const heard = await applyStatements(test.ctx, matching, {
      workspaceId,
      packageIds: [packageId],
      vulnerabilityIds: [id],
    })
    await matching.commit().execute()

    expect(heard).toEqual([])
    expect((await taking).changes).toMatchObject([{ cveId: id }])
  })

  it('is in the audit log', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))

    await take(given, openVex([notAffected(id, { '@id': given.purl })]))

    const { entries } = (await given.client.get('/audit-log')).json<{ entries: object[] }>()
    expect(entries[0]).toMatchObject({
      action: 'vex.import',
      resourceId: given.firmwareVersionId,
      after: { format: 'OpenVex', statements: 1, changes: 1, unmatched: 0 },
    })
  })
})

/** The service's own job matches the advisory. When the finding is there, the statement has been applied, too. */
async function knowledgeChanged(revision: number, given: GivenVersion): Promise<void> {
  await test.ctx.db
    .transaction()
    .execute((tx) => test.ctx.queue.enqueue(tx, KnowledgeChanged, { revision }))
  while ((await findings(given)).length === 0) await delay(20)
}

describe('refusals', () => {
  it.each`
    document                                           | status | type
    ${'{"a": 1}'}                                      | ${400} | ${'vex-invalid'}
    ${'[]'}                                            | ${400} | ${'invalid-request'}
    ${'{"a": 1, "a": 2}'}                              | ${400} | ${'invalid-request'}
    ${'{"a": '}                                        | ${400} | ${'malformed-json'}
    ${''}                                              | ${400} | ${'malformed-json'}
    ${`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`} | ${413} | ${'body-too-large'}
  `('answers $status to $document', async ({ document, status, type }) => {
    const client = await givenClient(test)
    const firmwareVersionId = await givenFirmwareVersion(client)

    const response = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/vex`,
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
      payload: String(document),
    })

    expect([response.statusCode, response.json<{ type: string }>().type]).toEqual([
      status,
      `/problems/${String(type)}`,
    ])
  })

  it('tells to split a document that names too much', async () => {
    const client = await givenClient(test)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const products = Array.from({ length: 50_001 }, (_, index) => ({ '@id': `pkg:a/b@${index}` }))

    const response = await client.post(
      `/firmware-versions/${firmwareVersionId}/vex`,
      openVex([notAffected('CVE-2024-1', ...products)]),
    )

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      type: '/problems/vex-invalid',
      detail: expect.stringContaining('Split it') as string,
    })
  })

  it('previews with a key that may read, and applies with one that may write', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const apiKey = await test.givenKey(given.client.workspaceId, ['Vulnerabilities: read'])
    const document = openVex([notAffected(id, { '@id': given.purl })])
    const path = `/workspaces/${given.client.workspaceId}/firmware-versions/${given.firmwareVersionId}/vex`
    const headers = { authorization: `Bearer ${apiKey}` }

    const preview = await test.app.inject({
      method: 'POST',
      url: `${path}?dryRun=true`,
      headers,
      payload: document,
    })
    const applied = await test.app.inject({ method: 'POST', url: path, headers, payload: document })

    expect(preview.statusCode).toBe(200)
    expect(applied.statusCode).toBe(403)
  })

  it('knows nothing of firmware versions and documents of another workspace', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const document = openVex([notAffected(id, { '@id': given.purl })])
    const { document: taken } = await take(given, document)
    const other = await givenClient(test)

    const answers = await Promise.all([
      other.post(`/firmware-versions/${given.firmwareVersionId}/vex`, document),
      other.get(`/firmware-versions/${given.firmwareVersionId}/vex`),
      other.get(`/firmware-versions/${given.firmwareVersionId}/vex-documents`),
      other.delete(`/vex-documents/${taken.id ?? ''}`),
    ])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
  })
})

describe('statements inside an SBOM', () => {
  it('apply when it is parsed, and end when it is deleted', async () => {
    const [one, later] = [await givenFlaw(), await givenFlaw()]
    const vulnerabilities = [one, later].map(({ id, product }) => ({
      id,
      analysis: {
        state: 'not_affected',
        justification: 'code_not_reachable',
        detail: 'Dead code.',
      },
      affects: [{ ref: product }],
    }))
    const sbom = bom([{ name: one.product }, { name: later.product, version: '3.0' }], {
      vulnerabilities,
    })
    const given = await givenVersion(sbom)

    expect(await findings(given)).toMatchObject([{ cveId: one.id, assessment: 'NotAffected' }])
    const path = `/firmware-versions/${given.firmwareVersionId}/vex-documents`
    const { documents } = (await given.client.get(path)).json<{
      documents: { id: string; sbomId: string | null }[]
    }>()
    expect(documents).toMatchObject([{ format: 'CycloneDx', statementCount: 2 }])
    const refused = await given.client.delete(`/vex-documents/${documents[0]?.id ?? ''}`)
    expect(refused.json()).toMatchObject({ type: '/problems/vex-in-sbom' })

    await given.client.delete(`/sboms/${documents[0]?.sbomId ?? ''}`)
    await uploaded(
      given.client,
      given.firmwareVersionId,
      bom([{ name: one.product }, { name: later.product }]),
    )

    const assessed = await findings(given)
    expect(
      Object.fromEntries(assessed.map(({ cveId, assessment }) => [cveId, assessment])),
    ).toEqual({
      [one.id]: 'NotAssessed',
      [later.id]: 'NotAssessed',
    })
    expect((await given.client.get(path)).json()).toEqual({ documents: [], exportable: false })
  })
})

describe('statements inside an SBOM that say nothing of when they were made', () => {
  const stated = ({ id, product }: { id: string; product: string }) =>
    bom([{ name: product }], {
      vulnerabilities: [{ id, analysis: { state: 'not_affected' }, affects: [{ ref: product }] }],
    })

  it('let stand what a person decided in this version before the SBOM came', async () => {
    const flaw = await givenFlaw()
    const given = await givenVersion(bom([{ name: flaw.product }]))
    await assess(given, await finding(given, flaw.id), { assessment: 'Exploitable' })

    await uploaded(given.client, given.firmwareVersionId, stated(flaw))

    expect(await finding(given, flaw.id)).toMatchObject({ assessment: 'Exploitable' })
  })

  it('let stand what a person decided in an earlier version', async () => {
    const flaw = await givenFlaw()
    const earlier = await givenVersion(bom([{ name: flaw.product }]))
    await assess(earlier, await finding(earlier, flaw.id), { assessment: 'Exploitable' })

    const later = await givenNextVersion(earlier, stated(flaw))

    const { id, assessment } = await finding(later, flaw.id)
    expect(assessment).toBe('Exploitable')
    expect((await later.client.get(`/vulnerability-findings/${id}`)).json()).toMatchObject({
      disagreements: [
        {
          assessment: 'NotAffected',
          statedIn: { sbomFileName: expect.stringContaining('.json') as unknown },
        },
      ],
    })
  })
})

describe('exporting', () => {
  const validate = sharedData === undefined ? undefined : vexSchemas(sharedData)

  async function givenAssessed() {
    const [own, received] = [await givenFlaw(), await givenFlaw()]
    const given = await givenVersion(bom([{ name: own.product }, { name: received.product }]))
    await assess(given, await finding(given, own.id), {
      assessment: 'NotAffected',
      justification: 'code_not_reachable',
      detail: 'Never called.',
      response: 'will_not_fix',
    })
    const statement = {
      ...notAffected(received.id, { '@id': given.purl }),
      '@id': 'https://example.com/vex/statement-1',
      supplier: 'Example',
    }
    await take(given, openVex([statement]))
    return { given, own, received, statement }
  }

  it.each(['openvex', 'cyclonedx', 'csaf'] as const)(
    'writes %s that is valid, the same each time, and says what was assessed',
    async (format) => {
      const { given, own, received } = await givenAssessed()
      const path = `/firmware-versions/${given.firmwareVersionId}/vex?format=${format}`

      const response = await given.client.get(path)

      expect(response.statusCode).toBe(200)
      const document = response.json<object>()
      expect(validate?.(format, document) ?? []).toEqual([])
      expect((await given.client.get(path)).json()).toEqual(document)
      const copy = await givenVersion(
        bom([{ name: own.product }, { name: received.product }]),
        given.client,
      )
      const restated = JSON.parse(
        JSON.stringify(document).replaceAll(given.purl, copy.purl),
      ) as object
      await take(copy, restated)
      const assessed = (await findings(copy)).toSorted((a, b) => (a.cveId < b.cveId ? -1 : 1))
      expect(assessed).toMatchObject([
        { cveId: own.id, assessment: 'NotAffected' },
        { cveId: received.id, assessment: 'NotAffected' },
      ])
    },
  )

  it.each(['openvex', 'cyclonedx', 'csaf'] as const)(
    'writes %s that names the same components where the SBOM has CPE 2.2 names',
    async (format) => {
      const { id, product } = await givenFlaw()
      const sbom = bom([{ name: product, version: '1.0-r1' }])
      const given = await givenVersion({
        ...sbom,
        components: sbom.components.map((one) => ({ ...one, cpe: `cpe:/a:acme:${product}:1.0` })),
      })
      await assess(given, await finding(given, id), { assessment: 'FalsePositive' })
      const path = `/firmware-versions/${given.firmwareVersionId}/vex`

      const document = (await given.client.get(`${path}?format=${format}`)).json<object>()

      expect(validate?.(format, document) ?? []).toEqual([])
      expect(JSON.stringify(document)).toContain(`cpe:2.3:a:acme:${product}:1.0:*`)
      const preview = await given.client.post(`${path}?dryRun=true`, document)
      expect(preview.json()).toMatchObject({ unchangedCount: 1, unmatched: [] })
    },
  )

  it.each(['openvex', 'cyclonedx', 'csaf'] as const)(
    'writes %s with the canonical purls of the component and of the version, whatever was declared',
    async (format) => {
      const { id, product } = await givenFlaw()
      const purl = `pkg://PyPI/${product.toUpperCase()}_X@1.0?b=2&A=1`
      const given = await givenVersion(bom([{ name: product, purl }]))
      const path = `/firmware-versions/${given.firmwareVersionId}`
      await given.client.patch(path, { purl: 'pkg:GitHub/Acme/Gateway@2' })
      const { firmwareVersionId } = given
      const query = { fileName: 'gateway.swu' }
      await putArtifact(test, given.client, { firmwareVersionId, bytes: 'the image', query })
      await assess(given, await finding(given, id), { assessment: 'FalsePositive' })

      const answer = await given.client.get(`${path}/vex?format=${format}`)

      expect(validate?.(format, answer.json()) ?? []).toEqual([])
      expect(answer.body).toContain(`"pkg:pypi/${product.toLowerCase()}-x@1.0?a=1&b=2"`)
      expect(answer.body).toContain('"pkg:github/acme/gateway@2"')
      expect(answer.body).not.toContain('PyPI')
      expect(answer.body).toContain(createHash('sha256').update('the image').digest('hex'))
      const preview = await given.client.post(`${path}/vex?dryRun=true`, answer.json<object>())
      expect(preview.json()).toMatchObject({ unchangedCount: 1, unmatched: [] })
    },
  )

  /** Findings decided in each way: by persons, by documents of each standard, in an SBOM, in the version before. */
  async function givenDecidedInEachWay() {
    const flaws = []
    for (let index = 0; index < 12; index++) flaws.push(await givenFlaw())
    const [carried, ofSbom, openvex, cyclonedx, csaf, ...own] = flaws.map(({ id }) => id)
    const components = flaws.map(({ product }) => ({ name: product }))
    const before = await givenVersion(bom(components))
    await take(before, openVex([notAffected(carried ?? '', { '@id': before.purl })]))
    const analysis = { state: 'not_affected', detail: 'Not called.', response: ['update'] }
    const vulnerabilities = [{ id: ofSbom, analysis, affects: [{ ref: flaws[1]?.product }] }]
    const given = await givenNextVersion(before, bom(components, { vulnerabilities }))
    const statement = { id: cyclonedx, analysis, affects: [{ ref: given.purl }] }
    await take(given, { bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities: [statement] })
    await take(given, openVex([notAffected(openvex ?? '', { '@id': given.purl })]))
    await take(given, csafOf(given.purl, csaf ?? ''))
    const verdicts = [
      {
        assessment: 'NotAffected',
        justification: 'code_not_reachable',
        detail: ' Never.\n\n\nOh. ',
      },
      { assessment: 'NotAffected' },
      { assessment: 'FalsePositive', detail: 'Another product.', response: 'will_not_fix' },
      { assessment: 'Exploitable', detail: 'Tried.', response: 'rollback' },
      { assessment: 'Exploitable' },
      { assessment: 'Resolved', detail: 'Patched.' },
      { assessment: 'InTriage', detail: 'Asked upstream.', response: 'update' },
    ]
    for (const [index, verdict] of verdicts.entries())
      await assess(given, await finding(given, own[index] ?? ''), verdict)
    return given
  }

  const csafOf = (purl: string, cve: string) => ({
    document: {
      category: 'csaf_vex',
      csaf_version: '2.0',
      publisher: { category: 'vendor', name: 'Example', namespace: 'https://example.com' },
      title: 'VEX',
      tracking: {
        id: `example-${cve}`,
        status: 'final',
        version: '1',
        initial_release_date: '2024-01-02T00:00:00Z',
        current_release_date: '2024-01-03T00:00:00Z',
        revision_history: [{ number: '1', date: '2024-01-03T00:00:00Z', summary: 'First.' }],
      },
    },
    product_tree: {
      full_product_names: [
        { product_id: 'P', name: 'Gateway', product_identification_helper: { purl } },
      ],
    },
    vulnerabilities: [
      {
        cve,
        notes: [{ category: 'description', text: 'A flaw' }],
        product_status: { known_affected: ['P'] },
        remediations: [{ category: 'no_fix_planned', details: 'Too old.', product_ids: ['P'] }],
      },
    ],
  })

  async function timelinesOf(given: GivenVersion): Promise<unknown[]> {
    const all = await findings(given)
    const shown = all.map(async ({ id }) => {
      const one = await given.client.get(`/vulnerability-findings/${id}`)
      const { timeline, assessment, detail, responses } = one.json<Record<string, unknown>>()
      return { id, timeline, assessment, detail, responses }
    })
    return Promise.all(shown)
  }

  it('changes nothing, in any standard, where its own document is imported again', async () => {
    const given = await givenDecidedInEachWay()
    const before = await timelinesOf(given)
    expect(before).toHaveLength(12)
    const path = `/firmware-versions/${given.firmwareVersionId}/vex`
    for (const format of ['openvex', 'cyclonedx', 'csaf'] as const) {
      const document = (await given.client.get(`${path}?format=${format}`)).json<object>()

      const outcome = await take(given, document)

      expect([format, outcome]).toMatchObject([
        format,
        { changes: [], conflicts: [], unmatched: [], unchangedCount: 12 },
      ])
      expect((await given.client.get(`${path}?format=${format}`)).json()).toEqual(document)
    }
    expect(await timelinesOf(given)).toEqual(before)
  })

  it('follows a later version of a document that says the same without a new decision', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(bom([{ name: product }]))
    const first = openVex([notAffected(id, { '@id': given.purl })])
    await take(given, first)
    const before = await timelinesOf(given)

    const second = { ...first, version: 2, timestamp: '2024-02-01T00:00:00Z' }
    expect(await take(given, second)).toMatchObject({ changes: [], unchangedCount: 1 })

    expect(await timelinesOf(given)).toEqual(before)
    const path = `/firmware-versions/${given.firmwareVersionId}/vex`
    expect((await given.client.get(path)).json()).toMatchObject({
      statements: [{ ...first.statements[0], timestamp: '2024-02-01T00:00:00.000Z' }],
    })
  })

  it('keeps a statement whole that is in force', async () => {
    const { given, statement } = await givenAssessed()

    const document = await given.client.get(`/firmware-versions/${given.firmwareVersionId}/vex`)

    const { statements } = document.json<{ statements: object[] }>()
    expect(statements).toContainEqual({ ...statement, timestamp: '2024-01-02T03:04:05.000Z' })
    const path = `/firmware-versions/${given.firmwareVersionId}/vex-documents`
    expect((await given.client.get(path)).json()).toMatchObject({ exportable: true })
  })

  it('does not repeat a statement that a person has overruled', async () => {
    const { given, received } = await givenAssessed()
    await assess(given, await finding(given, received.id), {
      assessment: 'Exploitable',
      detail: 'Tried it.',
    })

    const document = await given.client.get(`/firmware-versions/${given.firmwareVersionId}/vex`)

    const { statements } = document.json<{
      statements: { vulnerability: { name: string }; status: string }[]
    }>()
    const about = statements.filter(({ vulnerability }) => vulnerability.name === received.id)
    expect(about).toMatchObject([{ status: 'affected', action_statement: 'Tried it.' }])
  })

  it('says so when there is nothing to state', async () => {
    const client = await givenClient(test)
    const firmwareVersionId = await givenFirmwareVersion(client)

    const response = await client.get(`/firmware-versions/${firmwareVersionId}/vex`)

    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ type: '/problems/vex-nothing-stated' })
    const listed = await client.get(`/firmware-versions/${firmwareVersionId}/vex-documents`)
    expect(listed.json()).toEqual({ documents: [], exportable: false })
  })
})

it('lets a document apply no longer when it is deleted; what was decided by it stays', async () => {
  const { id, product } = await givenFlaw()
  const given = await givenVersion(bom([{ name: product }]))
  const { document } = await take(given, openVex([notAffected(id, { '@id': given.purl })]))

  const deleted = await given.client.delete(`/vex-documents/${document.id ?? ''}`)
  const again = await given.client.delete(`/vex-documents/${document.id ?? ''}`)

  expect([deleted.statusCode, again.statusCode]).toEqual([204, 404])
  expect(await finding(given, id)).toMatchObject({ assessment: 'NotAffected' })
})
