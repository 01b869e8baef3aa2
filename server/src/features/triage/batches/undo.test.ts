/** Taking back what one command decided, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { listFaults } from '../../../../test/doctor.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenFirmwareVersion, givenSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { findingChecks, matchFirmwareVersion } from '../../findings/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

/** A product with a flaw in some firmware versions: a finding in each. */
async function givenFindings(count: number) {
  const product = `product-${newId()}`
  const cveId = `CVE-2024-${product}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(service.ctx.db, { id: cveId, severity: 'Critical', affected })
  const versions: string[] = []
  for (let index = 0; index < count; index++) {
    versions.push(await givenVersion(product))
  }
  const findings = await Promise.all(versions.map(async (version) => findingIn(version)))
  return { cveId, product, versions, findings, findingIds: findings.map(({ id }) => id) }
}

async function givenVersion(product: string): Promise<string> {
  const { workspaceId } = client
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  const version = { workspaceId, firmwareVersionId }
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  const components = [{ packageName: product, version: '1.0', cpes }]
  await givenSbom(service.ctx, { ...version, components })
  await matchFirmwareVersion(service.ctx, version)
  return firmwareVersionId
}

interface ListedFinding {
  id: string
  assessment: string
  ignored: boolean
}

async function findingIn(firmwareVersionId: string, asOf?: string): Promise<ListedFinding> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const answer = await client.post(path, asOf === undefined ? {} : { asOf })
  const [finding] = answer.json<{ findings: ListedFinding[] }>().findings
  if (!finding) throw new Error('no finding')
  return finding
}

async function activeIn(firmwareVersionId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

const decide = async (body: object) => {
  const answer = await client.post('/vulnerability-findings/bulk-assess', body)
  return answer.json<{ decisionBatchId: string }>().decisionBatchId
}
const undo = (batchId: string, body: object = {}) =>
  client.post(`/decision-batches/${batchId}/undo`, body)
const detailOf = async (id: string) =>
  (await client.get(`/vulnerability-findings/${id}`)).json<Record<string, unknown>>()

/** All that a finding's decision says; the timeline goes on. */
const decisionOf = async (id: string) => {
  const { timeline: _, ...rest } = await detailOf(id)
  return rest
}

const EXPLOITABLE = { assessment: 'Exploitable', detail: 'Reachable.' }
const NOT_AFFECTED = {
  assessment: 'NotAffected',
  justification: 'code_not_reachable',
  detail: 'Switched off.',
  response: 'will_not_fix',
}

describe('taking back', () => {
  it('gives each finding what it had before, also where they differed', async () => {
    const { findingIds, versions } = await givenFindings(3)
    const [assessed = '', ignored = ''] = findingIds
    await decide({ findingIds: [assessed], ...NOT_AFFECTED })
    await client.post('/vulnerability-findings/bulk-ignore', {
      findingIds: [ignored],
      ignored: true,
    })
    const before = await Promise.all(findingIds.map(decisionOf))
    const batchId = await decide({ findingIds, ...EXPLOITABLE })
    const decidedAt = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))

    const preview = await undo(batchId, { dryRun: true })
    const answer = await undo(batchId)

    const expected = { restored: 3, left: 0, leftFindings: [] }
    expect([preview.json(), answer.json()]).toEqual([expected, expected])
    expect(await Promise.all(findingIds.map(decisionOf))).toEqual(before)
    expect(await Promise.all(versions.map(activeIn))).toEqual([0, 0, 1])
    const then = await Promise.all(versions.map((version) => findingIn(version, decidedAt)))
    expect(then.map(({ assessment }) => assessment)).toEqual(Array(3).fill('Exploitable'))
    const now = await Promise.all(versions.map((version) => findingIn(version)))
    const vex = versions.map((version) => client.get(`/firmware-versions/${version}/vex`))
    expect((await Promise.all(vex)).map(({ statusCode }) => statusCode)).toEqual([200, 409, 409])
    const { timeline } = (await detailOf(assessed)) as { timeline: { isUndo?: boolean }[] }
    expect(timeline.map(({ isUndo = false }) => isUndo)).toEqual([false, false, false, true])
    expect(now.map(({ assessment }) => assessment)).toEqual([
      'NotAffected',
      'NotAssessed',
      'NotAssessed',
    ])
    expect(await listFaults(service.ctx, findingChecks)).toEqual([])
  })

  it('leaves findings that somebody has decided since, and names them', async () => {
    const { cveId, findingIds, versions } = await givenFindings(2)
    const batchId = await decide({ findingIds, ...EXPLOITABLE })
    await decide({ findingIds: findingIds.slice(1), ...NOT_AFFECTED })

    const answer = await undo(batchId)

    expect(answer.json()).toMatchObject({
      restored: 1,
      left: 1,
      leftFindings: [
        { findingId: findingIds[1], cveId, assessment: 'NotAffected', ignored: false },
      ],
    })
    const now = await Promise.all(versions.map((version) => findingIn(version)))
    expect(now.map(({ assessment }) => assessment)).toEqual(['NotAssessed', 'NotAffected'])
    const { decisionBatches } = (await client.get('/decision-batches?mine=true')).json<{
      decisionBatches: { id: string }[]
    }>()
    expect(decisionBatches.find(({ id }) => id === batchId)).toMatchObject({
      act: 'Assess',
      assessment: 'Exploitable',
      findingCount: 2,
      cveIds: [cveId],
      undoneAt: expect.any(String) as string,
      leftCount: 1,
    })
    const audit = await client.get('/audit-log?action=decision-batch.undo&limit=1')
    expect(audit.json()).toMatchObject({ entries: [{ after: { restored: 1, left: 1 } }] })
  })

  it('goes back step by step over the same findings', async () => {
    const { findingIds, versions } = await givenFindings(1)
    const [version = ''] = versions
    const first = await decide({ findingIds, ...EXPLOITABLE })
    const second = await decide({ findingIds, ...NOT_AFFECTED })
    await decide({ findingIds, assessment: 'NotAssessed' }).then(undo)

    const seen: string[] = []
    for (const batchId of [second, first]) {
      seen.push((await findingIn(version)).assessment)
      await undo(batchId)
    }

    expect([...seen, (await findingIn(version)).assessment]).toEqual([
      'NotAffected',
      'Exploitable',
      'NotAssessed',
    ])
    expect(await listFaults(service.ctx, findingChecks)).toEqual([])
  })

  it('is done once, even if two ask at the same time', async () => {
    const { findingIds } = await givenFindings(2)
    const batchId = await decide({ findingIds, ...EXPLOITABLE })

    const answers = await Promise.all([undo(batchId), undo(batchId)])

    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 409,
    ])
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    expect(refused?.json()).toMatchObject({ type: '/problems/decision-batch-undone' })
  })

  it('keeps to one order with decisions that come meanwhile', async () => {
    const { findingIds, versions } = await givenFindings(4)
    const batchId = await decide({ findingIds, ...EXPLOITABLE })

    const [answer] = await Promise.all([
      undo(batchId),
      decide({ findingIds: findingIds.slice(2), ...NOT_AFFECTED }),
    ])

    const { restored, left } = answer.json<{ restored: number; left: number }>()
    expect(restored + left).toBe(4)
    const now = await Promise.all(versions.map((version) => findingIn(version)))
    expect(now.map(({ assessment }) => assessment)).toEqual([
      'NotAssessed',
      'NotAssessed',
      'NotAffected',
      'NotAffected',
    ])
    expect(await listFaults(service.ctx, findingChecks)).toEqual([])
  })

  it('puts back the decision for findings to come that it took the place of', async () => {
    const { cveId, product, findingIds } = await givenFindings(1)
    const filter = { cveIds: [cveId] }
    const standing = async () => {
      const { standingDecisions } = (await client.get('/standing-decisions')).json<{
        standingDecisions: { vulnerabilityId: string; assessment: string }[]
      }>()
      const found = standingDecisions.filter(({ vulnerabilityId }) => vulnerabilityId === cveId)
      return found.map(({ assessment }) => assessment)
    }
    const first = await decide({ filter, alsoFuture: true, ...NOT_AFFECTED })
    const second = await decide({ filter, alsoFuture: true, ...EXPLOITABLE })

    await undo(second)
    const between = await standing()
    const later = await findingIn(await givenVersion(product))
    await undo(first)

    expect(between).toEqual(['NotAffected'])
    expect(later.assessment).toBe('NotAffected')
    expect(await standing()).toEqual([])
    expect(await detailOf(findingIds[0] ?? '')).toMatchObject({ assessment: 'NotAssessed' })
  })

  it('takes back what was decided about one finding, and is refused without the scope or the id', async () => {
    const { findingIds, findings } = await givenFindings(1)
    const [finding] = findings
    await client.post(`/vulnerability-findings/${finding?.id ?? ''}/assessments`, NOT_AFFECTED)
    const { decisionBatches } = (await client.get('/decision-batches?limit=1')).json<{
      decisionBatches: { id: string }[]
    }>()

    const answer = await undo(decisionBatches[0]?.id ?? '')

    expect(answer.json()).toMatchObject({ restored: 1, left: 0 })
    expect(await detailOf(findingIds[0] ?? '')).toMatchObject({ assessment: 'NotAssessed' })
    const other = await givenClient(service)
    const path = `/decision-batches/${decisionBatches[0]?.id ?? ''}/undo`
    expect((await other.post(path, {})).statusCode).toBe(404)
    expect((await undo('no-id')).json()).toMatchObject({
      type: '/problems/decision-batch-not-found',
    })
  })
})
