import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenVersion,
  type GivenVersion,
} from '../../../../test/given-findings.ts'
import { givenSbom, removeSbom } from '../../../../test/given-inventory.ts'
import { givenAdvisory } from '../../../../test/given-knowledge.ts'
import { matchChangedPackages } from '../../matching/index.ts'
import { matchFirmwareVersion } from '../service.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

/** An instant between what was before and what comes after. */
async function anInstant(): Promise<string> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  await pause()
  const at = service.ctx.now().toISOString()
  await pause()
  return at
}

interface Finding {
  id: string
  cveId: string
  assessment: string
  ignored: boolean
  severity: string
  isKnownCisaExploit: boolean
  epssScore: number | null
}

async function list({ firmwareVersionId }: GivenVersion, body: object = {}): Promise<Finding[]> {
  const response = await client.post(
    `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`,
    body,
  )
  expect(response.statusCode).toBe(200)
  return response.json<{ findings: Finding[] }>().findings
}
async function total({ firmwareVersionId }: GivenVersion, asOf?: string): Promise<number> {
  const query = asOf === undefined ? '' : `?asOf=${encodeURIComponent(asOf)}`
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary${query}`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

describe('as of an instant', () => {
  it('is said in the body of a list; in its address it is refused, not left unread', async () => {
    const version = await givenVersion(service.ctx, client.workspaceId, [])
    const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`

    const response = await client.post(`${path}?asOf=2026-01-01T00:00:00Z`, {})

    expect(response.statusCode).toBe(400)
  })

  it('decisions are those of then', async () => {
    const { cpes, cveIds } = await givenProduct(service.ctx, ['High', 'Low'])
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes },
    ])
    const vulnerabilityId = cveIds[0] ?? ''
    const before = await anInstant()
    await givenDecision(service.ctx, version, { vulnerabilityId, assessment: 'InTriage' })
    const between = await anInstant()
    await givenDecision(service.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })
    await givenDecision(service.ctx, version, { vulnerabilityId, ignored: true })

    const seen = async (asOf?: string) => {
      const [finding] = await list(version, asOf === undefined ? {} : { asOf })
      return [finding?.assessment, finding?.ignored, await total(version, asOf)]
    }

    expect(await seen(before)).toEqual(['NotAssessed', false, 2])
    expect(await seen(between)).toEqual(['InTriage', false, 2])
    expect(await seen()).toEqual(['NotAffected', true, 1])
    const filter = { assessments: ['InTriage'] }
    expect(await list(version, { asOf: between, filter })).toHaveLength(1)
    expect(await list(version, { filter })).toHaveLength(0)
  })

  it('the inventory is that of then', async () => {
    const { cpes } = await givenProduct(service.ctx, ['High'])
    const components = [{ packageName: 'thing', version: '1.0', cpes }]
    const version = await givenVersion(service.ctx, client.workspaceId, components)
    const before = await anInstant()
    await removeSbom(service.ctx, version)
    const gone = await anInstant()
    await givenSbom(service.ctx, { ...version, components })

    expect(await list(version, { asOf: before })).toHaveLength(1)
    expect(await list(version, { asOf: gone })).toHaveLength(0)
    expect(await list(version)).toHaveLength(1)
    expect([await total(version, before), await total(version, gone)]).toEqual([1, 0])
  })

  it('severities and matches are those of then', async () => {
    const { cpes, cveIds } = await givenProduct(service.ctx, ['Low'])
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes },
    ])
    const before = await anInstant()
    const revision = await givenAdvisory(service.ctx.db, {
      id: cveIds[0] ?? '',
      severity: 'Critical',
      affected: [],
    })
    await matchChangedPackages(service.ctx, { revision })

    expect(await list(version, { asOf: before })).toMatchObject([{ severity: 'Low' }])
    expect(await list(version)).toEqual([])
  })

  it('is known to be exploited since it was listed, and has no EPSS score', async () => {
    const { cpes, cveIds } = await givenProduct(service.ctx, ['Low'])
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes },
    ])
    const id = cveIds[0] ?? ''
    const before = await anInstant()
    await service.ctx.db
      .updateTable('vulnerabilities')
      .set({ isKnownExploit: true, knownExploitSince: service.ctx.now() })
      .where('id', '=', id)
      .execute()
    await service.ctx.db.insertInto('epssScores').values({ cveId: id, score: 0.5 }).execute()
    const after = await anInstant()

    const seen = async (body: object) => {
      const [finding] = await list(version, body)
      return [finding?.isKnownCisaExploit, finding?.epssScore]
    }

    expect(await seen({ asOf: before })).toEqual([false, null])
    expect(await seen({ asOf: after })).toEqual([true, null])
    expect(await seen({})).toEqual([true, 0.5])
  })

  it('a finding shows the decisions, the timeline and the severity of then', async () => {
    const { cpes, cveIds } = await givenProduct(service.ctx, ['Low'])
    const early = await anInstant()
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes },
    ])
    const vulnerabilityId = cveIds[0] ?? ''
    await givenDecision(service.ctx, version, {
      vulnerabilityId,
      assessment: 'InTriage',
      detail: 'Looking',
    })
    const then = await anInstant()
    await givenDecision(service.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })
    await service.ctx.db
      .insertInto('epssScores')
      .values({ cveId: vulnerabilityId, score: 0.5 })
      .execute()
    await removeSbom(service.ctx, version)
    const [id] = (await list(version, { asOf: then })).map((finding) => finding.id)
    const path = `/vulnerability-findings/${id ?? ''}`
    const types = (body: { timeline: { type: string }[] }) => body.timeline.map(({ type }) => type)

    const past = await client.get(`${path}?asOf=${then}`)
    const now = await client.get(path)

    expect(past.json()).toMatchObject({
      assessment: 'InTriage',
      detail: 'Looking',
      isActive: true,
      epssScore: null,
      cve: { severity: 'Low' },
    })
    expect(types(past.json())).toEqual(['Detected', 'Assessment'])
    expect(now.json()).toMatchObject({ assessment: 'NotAffected', isActive: false, epssScore: 0.5 })
    expect(types(now.json())).toEqual(['Detected', 'Assessment', 'Assessment', 'Resolved'])
    expect((await client.get(`${path}?asOf=${early}`)).statusCode).toBe(404)
    expect((await client.get(`${path}?asOf=2999-01-01T00:00:00Z`)).statusCode).toBe(400)
  })

  it('pages go on at the same instant, and take no cursor of another', async () => {
    const { cpes } = await givenProduct(service.ctx, ['High', 'Low', 'Medium'])
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes },
    ])
    const asOf = await anInstant()
    await removeSbom(service.ctx, version)
    const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`

    const first = await client.post(path, { asOf, limit: 2 })
    const { nextCursor: cursor } = first.json<{ nextCursor: string }>()
    const second = await client.post(path, { asOf, limit: 2, cursor })

    expect(second.json()).toMatchObject({ findings: [{ severity: 'Low' }], hasMore: false })
    expect((await client.post(path, { cursor })).statusCode).toBe(400)
  })

  it.each([
    ['lies in the future', () => new Date(Date.now() + 60_000).toISOString()],
    ['is not a time', () => 'yesterday'],
    ['is no day', () => '2026-02-30T00:00:00Z'],
  ])('that %s is refused', async (_, asOf) => {
    const { firmwareVersionId } = await givenVersion(service.ctx, client.workspaceId, [])
    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings`

    const listed = await client.post(`${path}/list`, { asOf: asOf() })
    const summed = await client.get(`${path}/summary?asOf=${asOf()}`)

    expect(listed.json()).toMatchObject({ status: 400, errors: [{ pointer: '/asOf' }] })
    expect(summed.json()).toMatchObject({ status: 400, errors: [{ pointer: '/query/asOf' }] })
  })
})

describe('the list', () => {
  it('keeps what was first there since an instant, as it sorts by it', async () => {
    const first = await givenProduct(service.ctx, ['High'])
    const second = await givenProduct(service.ctx, ['Low'])
    const component = ({ product, cpes }: typeof first) => ({
      packageName: product,
      version: '1.0',
      cpes,
    })
    const components = [component(first)]
    const version = await givenVersion(service.ctx, client.workspaceId, components)
    const detectedSince = await anInstant()
    await givenSbom(service.ctx, { ...version, components: [component(second)] })
    await matchFirmwareVersion(service.ctx, version)

    const cves = async (body: object) => (await list(version, body)).map(({ cveId }) => cveId)

    expect(await cves({ filter: { detectedSince } })).toEqual(second.cveIds)
    expect(await cves({ sortColumn: 'DetectedAt' })).toEqual([...second.cveIds, ...first.cveIds])
  })

  it('keeps those to look at again', async () => {
    const { cveIds, product } = await givenProduct(service.ctx, ['High', 'Low'])
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: 'thing', version: '1.0', cpes: [cpeOf(product, '1.0')] },
    ])
    const vulnerabilityId = cveIds[1] ?? ''
    const recheckReason = 'Not affected in 1.0 on evidence that has changed since'
    await givenDecision(service.ctx, version, {
      vulnerabilityId,
      assessment: 'NotAssessed',
      recheckReason,
    })

    expect(await list(version, { filter: { recheck: true } })).toMatchObject([
      { cveId: vulnerabilityId, recheckReason },
    ])
    expect(await list(version, { filter: { recheck: false } })).toMatchObject([
      { cveId: cveIds[0] },
    ])
    const asOf = await anInstant()
    expect(await list(version, { asOf, filter: { recheck: true } })).toHaveLength(1)
  })
})
