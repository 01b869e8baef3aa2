/** Deciding about many findings at once, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenRunning } from '../../../../test/given-findings.ts'
import { givenFirmwareVersion, givenSbom, removeSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { matchFirmwareVersion } from '../../findings/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

/** A product with flaws of these severities, in some firmware versions, alone in them. */
async function givenPortfolio(versionCount = 2, severities = ['Critical', 'Low'] as const) {
  const product = `product-${newId()}`
  const cves = severities.map((_, index) => `CVE-2024-${product}-${index}`)
  for (const [index, severity] of severities.entries()) {
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    await givenAdvisory(service.ctx.db, { id: cves[index] ?? '', severity, affected })
  }
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  const versions: { workspaceId: string; firmwareVersionId: string; sbomId: string }[] = []
  for (let count = 0; count < versionCount; count++) {
    const { workspaceId } = client
    const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
    const version = { workspaceId, firmwareVersionId }
    const components = [{ packageName: product, version: '1.0', cpes }]
    const sbomId = await givenSbom(service.ctx, { ...version, components })
    await matchFirmwareVersion(service.ctx, version)
    versions.push({ ...version, sbomId })
  }
  const firmwareVersionIds = versions.map((version) => version.firmwareVersionId)
  return { product, cves, versions, firmwareVersionIds }
}

interface ListedFinding {
  id: string
  cveId: string
  assessment: string
  ignored: boolean
}

async function findings(firmwareVersionId: string | undefined): Promise<ListedFinding[]> {
  const path = `/firmware-versions/${firmwareVersionId ?? ''}/vulnerability-findings/list`
  return (await client.post(path, {})).json<{ findings: ListedFinding[] }>().findings
}

const assessAll = (body: object) => client.post('/vulnerability-findings/bulk-assess', body)
const ignoreAll = (body: object) => client.post('/vulnerability-findings/bulk-ignore', body)

async function active(firmwareVersionId: string | undefined) {
  const path = `/firmware-versions/${firmwareVersionId ?? ''}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

const NOT_AFFECTED = {
  assessment: 'NotAffected',
  justification: 'code_not_reachable',
  detail: 'Switched off.',
}

describe('a bulk assessment', () => {
  it('tells what it would do, then does it, in every version, with its entry in each timeline', async () => {
    const { cves, firmwareVersionIds } = await givenPortfolio()
    const [first = '', second = ''] = firmwareVersionIds
    const body = { filter: { cveIds: [cves[0]] }, ...NOT_AFFECTED }
    const expected = {
      matched: 2,
      changed: 2,
      assessments: [{ assessment: 'NotAssessed', count: 2 }],
    }

    const preview = await assessAll({ ...body, dryRun: true })
    const untouched = await findings(first)
    const done = await assessAll(body)

    expect(preview.json()).toEqual(expected)
    expect(untouched.map(({ assessment }) => assessment)).toEqual(['NotAssessed', 'NotAssessed'])
    expect(done.json()).toEqual({ ...expected, decisionBatchId: expect.any(String) as string })
    for (const version of [first, second]) {
      const [critical, low] = await findings(version)
      expect([critical?.assessment, low?.assessment]).toEqual(['NotAffected', 'NotAssessed'])
      expect(await active(version)).toBe(1)
      const detail = await client.get(`/vulnerability-findings/${critical?.id ?? ''}`)
      expect(detail.json()).toMatchObject({
        ...NOT_AFFECTED,
        timeline: [{ type: 'Detected' }, { type: 'Assessment', source: 'ApiKey' }],
      })
    }
    const audit = await client.get('/audit-log?action=vulnerability-finding.bulk-assess&limit=1')
    expect(audit.json()).toMatchObject({
      entries: [{ after: { filter: body.filter, ...NOT_AFFECTED, matched: 2, changed: 2 } }],
    })
  })

  it('done twice changes nothing the second time', async () => {
    const { cves, firmwareVersionIds } = await givenPortfolio()
    const body = { filter: { cveIds: cves }, ...NOT_AFFECTED }
    await assessAll(body)

    const again = await assessAll(body)

    expect(again.json()).toEqual({
      matched: 4,
      changed: 0,
      assessments: [{ assessment: 'NotAffected', count: 4 }],
    })
    const [one] = await findings(firmwareVersionIds[0])
    const detail = await client.get(`/vulnerability-findings/${one?.id ?? ''}`)
    expect(detail.json<{ timeline: object[] }>().timeline).toHaveLength(2)
  })

  it('takes ids, of what held once too, each finding once', async () => {
    const { versions, firmwareVersionIds } = await givenPortfolio(1)
    const [one, other] = await findings(firmwareVersionIds[0])
    const [version] = versions
    if (version) await removeSbom(service.ctx, version)
    const findingIds = [other?.id ?? '', one?.id ?? '', one?.id ?? '']

    const done = await assessAll({ findingIds, assessment: 'Resolved' })

    expect(done.json()).toMatchObject({ matched: 2, changed: 2 })
    const detail = await client.get(`/vulnerability-findings/${one?.id ?? ''}`)
    expect(detail.json()).toMatchObject({ assessment: 'Resolved', isActive: false })
  })

  it('changes nothing where an id names nothing, and says which', async () => {
    const { firmwareVersionIds } = await givenPortfolio(1)
    const [one] = await findings(firmwareVersionIds[0])
    const stranger = await givenClient(service)
    const body = { findingIds: [one?.id ?? '', 'x', 'A'.repeat(60)], assessment: 'Resolved' }

    const refused = await assessAll(body)
    const foreign = await stranger.post('/vulnerability-findings/bulk-assess', {
      ...body,
      findingIds: [one?.id ?? ''],
    })

    expect(refused.json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '/findingIds/1' }, { pointer: '/findingIds/2' }],
    })
    expect(foreign.json()).toMatchObject({ status: 400, errors: [{ pointer: '/findingIds/0' }] })
    expect(await findings(firmwareVersionIds[0])).toMatchObject([
      { assessment: 'NotAssessed' },
      { assessment: 'NotAssessed' },
    ])
  })

  it.each`
    filter                                       | matched
    ${{ severities: ['Critical'] }}              | ${2}
    ${{ severities: [] }}                        | ${0}
    ${{ confidences: ['Low'] }}                  | ${0}
    ${{ assessments: ['NotAssessed'] }}          | ${4}
    ${{ assessments: ['InTriage'] }}             | ${0}
    ${{ ignored: true }}                         | ${0}
    ${{ activeOnly: true }}                      | ${4}
    ${{ knownCisaExploit: true }}                | ${0}
    ${{ recheck: true }}                         | ${0}
    ${{ detectedSince: '2020-01-01T00:00:00Z' }} | ${4}
    ${{ detectedSince: '2999-01-01T00:00:00Z' }} | ${0}
    ${{ components: [{ version: '1.0' }] }}      | ${4}
    ${{ components: [{ version: '1.1' }] }}      | ${0}
    ${{ firmwareVersionIds: [] }}                | ${0}
    ${{ firmwareIds: [] }}                       | ${0}
    ${{ affectedDevicesOnly: true }}             | ${0}
    ${{ overdue: true }}                         | ${0}
  `(
    'of $filter is about $matched findings',
    async ({ filter, matched }: { filter: object; matched: number }) => {
      const { product } = await givenPortfolio()

      const preview = await assessAll({
        filter: { name: [{ contains: product }], ...filter },
        assessment: 'InTriage',
        dryRun: true,
      })

      expect(preview.json()).toMatchObject({ matched })
    },
  )

  it('of what devices run, or of what is overdue, has the findings that the lists have', async () => {
    const { product, versions } = await givenPortfolio()
    const preview = async (filter: object) => {
      const body = { filter: { name: [{ contains: product }], ...filter }, dryRun: true }
      const answer = await assessAll({ ...body, assessment: 'InTriage' })
      return answer.json<{ matched: number }>().matched
    }
    await givenRunning(service.ctx, 3, ...versions.slice(0, 1))
    await service.ctx.db
      .updateTable('workspaceMatches')
      .set({ detectedAt: new Date('2020-01-01') })
      .where('workspaceId', '=', client.workspaceId)
      .where('vulnerabilityId', 'like', `%${product}-0`)
      .execute()

    expect(await preview({ affectedDevicesOnly: true })).toBe(2)
    expect(await preview({ overdue: true })).toBe(2)
    expect(await preview({ overdue: true, affectedDevicesOnly: true })).toBe(1)
  })

  it('of a version leaves the others alone', async () => {
    const { firmwareVersionIds } = await givenPortfolio()
    const [first = '', second = ''] = firmwareVersionIds

    await assessAll({ filter: { firmwareVersionIds: [first] }, assessment: 'Exploitable' })

    expect(await findings(first)).toMatchObject([
      { assessment: 'Exploitable' },
      { assessment: 'Exploitable' },
    ])
    expect(await findings(second)).toMatchObject([
      { assessment: 'NotAssessed' },
      { assessment: 'NotAssessed' },
    ])
  })

  it('never reaches another workspace', async () => {
    const { cves, firmwareVersionIds } = await givenPortfolio()
    const stranger = await givenClient(service)

    const ignore = (filter: object) =>
      stranger.post('/vulnerability-findings/bulk-ignore', { filter, ignored: true })

    const named = await ignore({ cveIds: cves, firmwareVersionIds })
    const unnamed = await ignore({ cveIds: cves })

    expect(named.statusCode).toBe(400)
    expect(unnamed.json()).toEqual({ matched: 0, changed: 0, assessments: [] })
    expect(await active(firmwareVersionIds[0])).toBe(2)
  })

  it.each`
    body                                                                            | pointer
    ${{ assessment: 'Resolved' }}                                                   | ${'/findingIds'}
    ${{ assessment: 'Resolved', findingIds: ['x'], filter: {} }}                    | ${'/filter'}
    ${{ assessment: 'Resolved', findingIds: [] }}                                   | ${'/findingIds'}
    ${{ filter: {} }}                                                               | ${''}
    ${{ filter: {}, assessment: 'Resolved' }}                                       | ${'/filter'}
    ${{ filter: { colour: 'red' }, assessment: 'Resolved' }}                        | ${'/filter/colour'}
    ${{ filter: { proposed: true }, assessment: 'Resolved' }}                       | ${'/filter/firmwareVersionIds'}
    ${{ filter: {}, assessment: 'Exploitable', justification: 'code_not_present' }} | ${'/justification'}
    ${{ filter: {}, assessment: 'Resolved', dryRun: 'no' }}                         | ${'/dryRun'}
    ${{ filter: { detectedSince: 'yesterday' }, assessment: 'Resolved' }}           | ${'/filter/detectedSince'}
  `('refuses $body, naming $pointer', async ({ body, pointer }: Record<string, object>) => {
    const response = await assessAll(body ?? {})

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer }] })
  })

  it('of thousands of findings leaves true counters while others decide', async () => {
    const severities = Array.from({ length: 300 }, () => 'High' as const)
    const { cves, firmwareVersionIds } = await givenPortfolio(8, severities as never)
    const [one] = await findings(firmwareVersionIds[3])
    const path = `/vulnerability-findings/${one?.id ?? ''}/assessments`

    const answers = await Promise.all([
      assessAll({ filter: { name: [{ contains: cves[0]?.slice(0, -2) }] }, ...NOT_AFFECTED }),
      client.post(path, { assessment: 'Exploitable' }),
      assessAll({ filter: { firmwareVersionIds }, ...NOT_AFFECTED }),
    ])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(answers[0].json()).toMatchObject({ matched: 2400 })
    const left = (
      await client.get(`/vulnerability-findings/${one?.id ?? ''}`)
    ).json<ListedFinding>()
    for (const [index, version] of firmwareVersionIds.entries())
      expect(await active(version)).toBe(index === 3 && left.assessment === 'Exploitable' ? 1 : 0)
  })
})

describe('ignoring in bulk', () => {
  it('leaves assessments, counts what changes, and can be undone', async () => {
    const { cves, firmwareVersionIds } = await givenPortfolio()
    const [first] = firmwareVersionIds
    await assessAll({ filter: { cveIds: [cves[0]] }, assessment: 'InTriage' })

    const done = await ignoreAll({ filter: { cveIds: cves }, ignored: true })

    expect(done.json()).toEqual({
      matched: 4,
      changed: 4,
      decisionBatchId: expect.any(String) as string,
      assessments: [
        { assessment: 'NotAssessed', count: 2 },
        { assessment: 'InTriage', count: 2 },
      ],
    })
    expect(await active(first)).toBe(0)
    expect(await findings(first)).toMatchObject([
      { assessment: 'InTriage', ignored: true },
      { assessment: 'NotAssessed', ignored: true },
    ])
    const undone = await ignoreAll({ filter: { ignored: true, cveIds: cves }, ignored: false })
    expect(undone.json()).toMatchObject({ matched: 4, changed: 4 })
    expect(await active(first)).toBe(2)
  })
})
