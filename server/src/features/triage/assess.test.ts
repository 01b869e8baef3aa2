/** Deciding about a finding, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenFirmwareVersion, givenSbom, removeSbom } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { newId } from '../../platform/ids.ts'
import { matchChangedPackages } from '../matching/index.ts'
import { matchFirmwareVersion } from '../findings/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

interface ShownFinding {
  id: string
  assessment: string
  timeline: { type: string; source?: string; assessment?: { detail: string | null } }[]
  [field: string]: unknown
}

/** A finding of its own, in a version that has no other. */
async function givenFinding() {
  const product = `product-${newId()}`
  const vulnerabilityId = `CVE-2024-${product}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(service.ctx.db, { id: vulnerabilityId, severity: 'High', affected })
  const { workspaceId } = client
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  const version = { workspaceId, firmwareVersionId }
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  const components = [{ packageName: 'thing', version: '1.0', cpes }]
  const sbomId = await givenSbom(service.ctx, { ...version, components })
  await matchFirmwareVersion(service.ctx, version)
  const list = await client.post(
    `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`,
    {},
  )
  const findingId = list.json<{ findings: { id: string }[] }>().findings[0]?.id ?? ''
  return { findingId, version, sbomId, product, vulnerabilityId, components }
}

const assess = (findingId: string, body: object) =>
  client.post(`/vulnerability-findings/${findingId}/assessments`, body)
const ignore = (findingId: string, ignored: boolean) =>
  client.put(`/vulnerability-findings/${findingId}/ignore`, { ignored })
const read = async (findingId: string) =>
  (await client.get(`/vulnerability-findings/${findingId}`)).json<ShownFinding>()

async function active({ firmwareVersionId }: { firmwareVersionId: string }) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

describe('assessing', () => {
  it('answers the finding with what was stated, who stated it, and tells it in the timeline', async () => {
    const { findingId, version } = await givenFinding()
    const body = {
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_in_execute_path',
      detail: 'Not built in.',
      response: 'will_not_fix',
    }

    const response = await assess(findingId, body)

    expect(response.statusCode).toBe(200)
    const stated = { ...body, responses: ['will_not_fix'], recheckReason: null }
    const shown = response.json<ShownFinding>()
    expect(shown).toMatchObject({ id: findingId, ...stated, isActive: false, ignored: false })
    expect(shown.timeline.map(({ type }) => type)).toEqual(['Detected', 'Assessment'])
    expect(shown.timeline[1]).toMatchObject({
      type: 'Assessment',
      timestamp: expect.stringMatching(/Z$/) as string,
      source: 'ApiKey',
      createdByEmail: expect.stringMatching(/^owner-.*@example.com$/) as string,
      assessment: stated,
    })
    expect(await read(findingId)).toEqual(shown)
    expect(await active(version)).toBe(0)
    const audit = await client.get(`/audit-log?resourceId=${findingId}`)
    expect(audit.json()).toMatchObject({
      entries: [
        {
          action: 'vulnerability-finding.assess',
          resourceType: 'vulnerability-finding',
          actorType: 'ApiKey',
          before: { assessment: 'NotAssessed', component: 'thing' },
          after: {
            assessment: 'NotAffected',
            detail: 'Not built in.',
            responses: ['will_not_fix'],
          },
        },
      ],
    })
  })

  it('replaces all that came with the assessment before', async () => {
    const { findingId, version } = await givenFinding()
    await assess(findingId, {
      assessment: 'FalsePositive',
      justification: 'code_not_present',
      detail: 'Not ours.',
      response: 'update',
    })

    const again = await assess(findingId, { assessment: 'NotAssessed' })

    expect(again.json()).toMatchObject({
      assessment: 'NotAssessed',
      justification: null,
      detail: null,
      response: null,
      responses: [],
      isActive: true,
    })
    expect(await active(version)).toBe(1)
  })

  it.each`
    body                                                                                           | pointer
    ${{}}                                                                                          | ${''}
    ${{ justification: 'code_not_present' }}                                                       | ${''}
    ${{ assessment: 'Fine' }}                                                                      | ${'/assessment'}
    ${{ assessment: null }}                                                                        | ${'/assessment'}
    ${{ assessment: 'NotAffected', justification: 'because' }}                                     | ${'/justification'}
    ${{ assessment: 'Exploitable', justification: 'code_not_present' }}                            | ${'/justification'}
    ${{ assessment: 'InTriage', justification: 'component_not_present' }}                          | ${'/justification'}
    ${{ assessment: 'Resolved', response: 'none' }}                                                | ${'/response'}
    ${{ assessment: 'Resolved', detail: 7 }}                                                       | ${'/detail'}
    ${{ assessment: 'Resolved', detail: 'x'.repeat(10_001) }}                                      | ${'/detail'}
    ${{ assessment: 'Resolved', detail: 'a\u0000b' }}                                              | ${'/detail'}
    ${{ assessment: 'Resolved', ignored: true }}                                                   | ${'/ignored'}
    ${{ assessment: 'NotAffected', justification: 'code_not_present', createdByEmail: 'a@b.com' }} | ${'/createdByEmail'}
  `(
    'refuses an invalid command, naming $pointer',
    async ({ body, pointer }: Record<string, object>) => {
      const { findingId } = await givenFinding()

      const response = await assess(findingId, body ?? {})

      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({
        type: '/problems/invalid-request',
        errors: [{ pointer }],
      })
      expect(await read(findingId)).toMatchObject({ assessment: 'NotAssessed', timeline: [{}] })
    },
  )

  it('refuses a detail of a megabyte', async () => {
    const { findingId } = await givenFinding()

    const response = await assess(findingId, {
      assessment: 'InTriage',
      detail: 'x'.repeat(1024 * 1024),
    })

    expect(response.statusCode).toBe(413)
    expect(response.json()).toMatchObject({ status: 413, detail: expect.any(String) as string })
  })

  it.each([
    'component_not_present',
    'vulnerable_code_cannot_be_controlled_by_adversary',
    'inline_mitigations_already_exist',
    'requires_configuration',
    'protected_by_mitigating_control',
  ])('takes the justification %s', async (justification) => {
    const { findingId } = await givenFinding()

    const response = await assess(findingId, { assessment: 'FalsePositive', justification })

    expect(response.json()).toMatchObject({ justification })
  })

  it('comes one after another: the last one wins, and all are told', async () => {
    const { findingId, version } = await givenFinding()
    const details = Array.from({ length: 12 }, (_, index) => `decision ${index}`)

    const answers = await Promise.all(
      details.map((detail, index) =>
        assess(findingId, { assessment: index % 2 === 0 ? 'NotAffected' : 'Exploitable', detail }),
      ),
    )

    const after = await read(findingId)
    const told = after.timeline.flatMap(({ assessment }) => assessment?.detail ?? [])
    expect(told.toSorted()).toEqual(details.toSorted())
    expect(after['detail']).toBe(told.at(-1))
    // Each answer ends with its own decision, and holds those before it.
    for (const [index, answer] of answers.entries()) {
      const shown = answer.json<ShownFinding>()
      const own = shown.timeline.flatMap(({ assessment }) => assessment?.detail ?? [])
      expect(own.at(-1)).toBe(details[index])
      expect(own).toEqual(told.slice(0, own.length))
    }
    expect(await active(version)).toBe(after.assessment === 'Exploitable' ? 1 : 0)
  })

  it('is possible of what held once, and of nothing that never did', async () => {
    const { findingId, version, sbomId } = await givenFinding()
    await removeSbom(service.ctx, { ...version, sbomId })
    const bytes = Buffer.from(findingId, 'base64url')
    const never = Buffer.concat([bytes.subarray(0, 32), Buffer.from('CVE-1999-1')])
    const elsewhere = Buffer.concat([Buffer.alloc(16, 7), bytes.subarray(16)])
    const stranger = await givenClient(service)
    const path = `/vulnerability-findings/${findingId}`

    const response = await assess(findingId, { assessment: 'Resolved' })

    expect(response.json()).toMatchObject({ assessment: 'Resolved', isActive: false })
    for (const id of ['x', never.toString('base64url'), elsewhere.toString('base64url')]) {
      expect((await assess(id, { assessment: 'Resolved' })).statusCode).toBe(404)
      expect((await ignore(id, true)).json()).toMatchObject({ type: '/problems/finding-not-found' })
    }
    expect(
      (await stranger.post(`${path}/assessments`, { assessment: 'InTriage' })).statusCode,
    ).toBe(404)
    expect((await stranger.put(`${path}/ignore`, { ignored: true })).statusCode).toBe(404)
    expect(await read(findingId)).toMatchObject({ assessment: 'Resolved', ignored: false })
  })

  it('stays when the finding goes and comes back', async () => {
    const { findingId, version, sbomId, components } = await givenFinding()
    await assess(findingId, { assessment: 'InTriage', detail: 'Looking.' })
    await removeSbom(service.ctx, { ...version, sbomId })

    await givenSbom(service.ctx, { ...version, components })

    const shown = await read(findingId)
    expect(shown).toMatchObject({ assessment: 'InTriage', detail: 'Looking.', isActive: true })
    const types = shown.timeline.map(({ type }) => type)
    expect(types).toEqual(['Detected', 'Assessment', 'Resolved', 'Reopened'])
  })
})

describe('ignoring', () => {
  it('leaves the assessment, is told once, and can be undone', async () => {
    const { findingId, version } = await givenFinding()
    await assess(findingId, {
      assessment: 'Exploitable',
      detail: 'We know.',
      response: 'workaround_available',
    })

    const first = await ignore(findingId, true)
    const second = await ignore(findingId, true)
    const counted = await active(version)
    const undone = await ignore(findingId, false)

    expect(first.statusCode).toBe(200)
    expect(first.json()).toMatchObject({
      ignored: true,
      assessment: 'Exploitable',
      detail: 'We know.',
      response: 'workaround_available',
    })
    expect(second.json()).toEqual(first.json())
    expect(counted).toBe(0)
    expect(undone.json()).toMatchObject({ ignored: false, assessment: 'Exploitable' })
    expect(undone.json<ShownFinding>().timeline.map(({ type }) => type)).toEqual([
      'Detected',
      'Assessment',
      'Ignored',
      'Unignored',
    ])
    expect(undone.json<ShownFinding>().timeline[2]).toMatchObject({ source: 'ApiKey' })
    expect(await active(version)).toBe(1)
    const audit = await client.get(`/audit-log?resourceId=${findingId}`)
    const actions = audit.json<{ entries: { action: string }[] }>().entries
    expect(actions.map(({ action }) => action)).toEqual([
      'vulnerability-finding.unignore',
      'vulnerability-finding.ignore',
      'vulnerability-finding.assess',
    ])
  })

  it('of what is not ignored anyway says nothing', async () => {
    const { findingId } = await givenFinding()

    const response = await ignore(findingId, false)

    expect(response.json()).toMatchObject({ ignored: false, timeline: [{ type: 'Detected' }] })
  })

  it.each([{}, { ignored: 'yes' }, { ignored: null }, { ignored: true, reason: 'x' }])(
    'refuses %j',
    async (body) => {
      const { findingId } = await givenFinding()

      const response = await client.put(`/vulnerability-findings/${findingId}/ignore`, body)

      expect(response.statusCode).toBe(400)
    },
  )

  it('survives an assessment that follows', async () => {
    const { findingId } = await givenFinding()
    await ignore(findingId, true)

    const response = await assess(findingId, { assessment: 'InTriage' })

    expect(response.json()).toMatchObject({ assessment: 'InTriage', ignored: true })
  })
})

it('an assessment and a match that ends at once leave true counters', async () => {
  const { findingId, version, product, vulnerabilityId } = await givenFinding()
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '0.5' }])]
  const revision = await givenAdvisory(service.ctx.db, { id: vulnerabilityId, affected })

  await Promise.all([
    assess(findingId, { assessment: 'NotAffected' }),
    matchChangedPackages(service.ctx, { revision }),
    assess(findingId, { assessment: 'Exploitable' }),
  ])

  expect(await active(version)).toBe(0)
  const { rows } = await service.ctx.pool.query(
    'select critical + high + medium + low + none + unknown as total from firmware_version_counters where firmware_version_id = $1',
    [version.firmwareVersionId],
  )
  expect(rows).toEqual([{ total: 0 }])
})
