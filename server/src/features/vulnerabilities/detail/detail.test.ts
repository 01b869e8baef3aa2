/** One vulnerability over the workspace, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Detail {
  cveId: string
  isKnown: boolean
  findings: { id: string; firmwareVersion: { id: string }; isActive: boolean }[]
  fixedIn: { firmwareVersion: { id: string } }[]
  timeline: { decisionBatch: { id: string } | null }[]
}
const read = async (client: Client, id: string) => {
  const response = await client.get(`/vulnerabilities/${id}`)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Detail>()
}

it('has the versions with their findings, who runs them, and later versions without it', async () => {
  const client = await givenClient(test)
  const score = { version: '3.1', vectorString: 'CVSS:3.1/AV:N', baseScore: 9.8 }
  const product = await givenProduct(test.ctx, ['Critical'], {
    aliases: [`GHSA-${crypto.randomUUID()}`],
    scores: [{ ...score, baseSeverity: 'CRITICAL', source: 'nvd@nist.gov' }],
  })
  const vulnerabilityId = product.cveIds[0] ?? ''
  const holding = (version: string) => ({
    packageName: product.product,
    version,
    cpes: [cpeOf(product.product, version)],
  })
  const first = await givenVersion(test.ctx, client.workspaceId, [holding('1.0')])
  const { firmware } = (await client.get(`/firmware-versions/${first.firmwareVersionId}`)).json<{
    firmware: { id: string }
  }>()
  const next = async (name: string) => {
    const made = await client.post(`/firmwares/${firmware.id}/versions`, { name })
    return { workspaceId: client.workspaceId, firmwareVersionId: made.json<{ id: string }>().id }
  }
  const second = await next('2')
  await givenMatchedSbom(test.ctx, second, [holding('1.5')])
  await givenDecision(test.ctx, second, { vulnerabilityId, assessment: 'NotAffected' })
  const fixed = await next('3')
  await givenMatchedSbom(test.ctx, fixed, [holding('2.0')])
  await next('4')
  await givenRunning(test.ctx, 4, first, second)
  await givenRunning(test.ctx, 2, second)

  const detail = await read(client, vulnerabilityId)

  expect(detail).toMatchObject({
    cveId: vulnerabilityId,
    isKnown: true,
    vulnerability: { severity: 'Critical', cvssScores: [score], isKnownCisaExploit: false },
    records: [{ source: 'nvd', id: vulnerabilityId, isWithdrawn: false }],
    findingCount: 2,
    activeFindingCount: 1,
    activeFirmwareVersionCount: 1,
    affectedDeviceCount: 6,
    activeDeviceCount: 4,
    findings: [
      {
        firmwareVersion: { id: first.firmwareVersionId, firmware: { id: firmware.id } },
        component: { name: product.product, version: '1.0' },
        assessment: 'NotAssessed',
        isActive: true,
      },
      { firmwareVersion: { id: second.firmwareVersionId }, assessment: 'NotAffected' },
    ],
    lookedAt: { firmwareVersionCount: 3, packageCount: 3 },
  })
  // Of the fourth version nothing is known.
  expect(detail.fixedIn).toMatchObject([
    { firmwareVersion: { id: fixed.firmwareVersionId }, component: { version: '2.0' } },
  ])
  // Since when, fixed upstream in what, by which records, and where our versions stand between.
  expect(detail).toMatchObject({
    detectedAt: expect.any(String) as string,
    fixedVersions: ['2.0'],
    evidence: [{ source: 'nvd', verdict: 'affected', version: '1.0' }],
    versionLine: {
      component: product.product,
      stops: ['1.0', '1.5', '2.0'],
      lanes: [{ source: 'nvd', stretches: [{ from: null, to: 2, isToAffected: false }] }],
      firmwares: [
        {
          firmware: { id: firmware.id },
          places: [
            { stop: 0, isFixed: false, firmwareVersions: [{ id: first.firmwareVersionId }] },
            { stop: 1, isFixed: false, firmwareVersions: [{ name: '2' }] },
            { stop: 2, isFixed: true, firmwareVersions: [{ name: '3' }] },
          ],
          unplaced: [],
        },
      ],
    },
    timeline: [
      { type: 'Assessment', assessment: 'NotAffected', createdByEmail: 'ann@example.com' },
    ],
  })
  expect(detail.findings).toMatchObject([
    { decision: null },
    { decision: { decidedByEmail: 'ann@example.com', source: 'User' } },
  ])
  const finding = await client.get(`/vulnerability-findings/${detail.findings[0]?.id ?? ''}`)
  expect(finding.json()).toMatchObject({ firmwareVersion: { id: first.firmwareVersionId } })
})

it('tells a decision for all of its findings as one entry, and when it is taken back', async () => {
  const client = await givenClient(test)
  const product = await givenProduct(test.ctx, ['Critical', 'High'])
  const holding = [{ packageName: product.product, version: '1.0', cpes: product.cpes }]
  await givenVersion(test.ctx, client.workspaceId, holding)
  await givenVersion(test.ctx, client.workspaceId, holding)
  const [cveId = '', other = ''] = product.cveIds
  const command = { assessment: 'Exploitable', detail: 'Root for everyone.', response: 'update' }
  const decide = (cveIds: string[]) =>
    client.post('/vulnerability-findings/bulk-assess', { filter: { cveIds }, ...command })
  const { decisionBatchId } = (await decide([cveId, other])).json<{ decisionBatchId: string }>()

  const { timeline, findings } = await read(client, cveId)
  await client.post(`/decision-batches/${decisionBatchId}/undo`, {})
  const undone = await read(client, cveId)

  const told = { type: 'Assessment', assessment: 'Exploitable', detail: 'Root for everyone.' }
  const batch = { id: decisionBatchId, findingCount: 4, isUndone: false }
  expect(timeline).toMatchObject([
    { ...told, findingCount: 2, firmwareVersionCount: 2, decisionBatch: batch },
  ])
  expect(findings[0]).toMatchObject({
    decision: { detail: 'Root for everyone.', response: 'update' },
  })
  expect(undone.timeline).toMatchObject([
    { type: 'Assessment', assessment: 'NotAssessed', findingCount: 2, isUndo: true },
    { ...told, decisionBatch: { isUndone: true } },
  ])
  expect(undone.findings[0]).toMatchObject({ assessment: 'NotAssessed', decision: null })
})

it('is found by an alias, whatever the case, and says so where the workspace does not have it', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const alias = `ghsa-${crypto.randomUUID()}`.toUpperCase()
  const product = await givenProduct(test.ctx, ['High'], { aliases: [alias] })
  await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product.product, version: '1.0', cpes: product.cpes },
  ])

  const own = await read(client, alias.toLowerCase())
  const elsewhere = await read(stranger, alias)

  expect([own.cveId, own.findings.length]).toEqual([product.cveIds[0], 1])
  expect(elsewhere).toMatchObject({
    cveId: product.cveIds[0],
    isKnown: true,
    findingCount: 0,
    findings: [],
    fixedIn: [],
    lookedAt: { firmwareVersionCount: 0, packageCount: 0, newestSbomAt: null },
  })
})

it('is unknown where no source has it', async () => {
  const client = await givenClient(test)

  expect(await read(client, 'CVE-2099-99999')).toMatchObject({
    cveId: 'CVE-2099-99999',
    isKnown: false,
    vulnerability: null,
    records: [],
    findings: [],
    lookedAt: { sources: expect.arrayContaining([]) as object },
  })
})

it('names the release lines that have no version without it, where another line has one', async () => {
  const client = await givenClient(test)
  const { product, cveIds } = await givenProduct(test.ctx, ['High'])
  const make = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string }>().id
  const firmwareId = await make('/firmwares', { slug: `lines-${product.slice(-12)}` })
  const lines = ['2', '3'].map((line) => ({ name: `${line}.x`, patterns: [`^${line}\\.`] }))
  await client.put(`/firmwares/${firmwareId}/lines`, { lines })
  const add = async (name: string, version: string) => {
    const id = await make(`/firmwares/${firmwareId}/versions`, { name })
    const of = { workspaceId: client.workspaceId, firmwareVersionId: id }
    const component = { packageName: product, version, cpes: [cpeOf(product, version)] }
    await givenMatchedSbom(test.ctx, of, [component])
    return of
  }
  const old = await add('2.4', '1.0')
  await add('3.1', '1.0')
  const readLines = async () =>
    (await client.get(`/vulnerabilities/${cveIds[0]}`)).json<{
      fixedIn: { line: { name: string } | null; firmwareVersion: { name: string } }[]
      unfixedLines: { line: { name: string } | null }[]
    }>()

  const before = await readLines()
  await add('3.2', '2.0')
  const during = await readLines()
  await givenDecision(test.ctx, old, {
    vulnerabilityId: cveIds[0] ?? '',
    assessment: 'NotAffected',
  })
  const decided = await readLines()

  // Nothing is rid of it: there is no other line to name.
  expect(before.unfixedLines).toEqual([])
  expect(during.fixedIn).toMatchObject([
    { firmwareVersion: { name: '3.2' }, line: { name: '3.x' } },
  ])
  expect(during.unfixedLines).toMatchObject([{ line: { name: '2.x' } }])
  expect(decided.unfixedLines).toEqual([])
})
