/** Risks that are accepted with a reason, an owner and an end, through the API. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  countDevices,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
  givenVersion,
  type GivenVersion,
  refreshKept,
} from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { givenMember } from '../../../../test/given-people.ts'
import { addDays, addMs, DAY_MS, MINUTE_MS } from '../../../formats/instants.ts'
import { matchChangedPackages } from '../../matching/index.ts'
import { checkAcceptances, endDueAcceptances } from './ends-service.ts'

let test: TestApp
let client: Client
let now = new Date()

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
})

beforeEach(async () => {
  now = new Date()
  client = await givenClient(test)
})

interface Finding {
  id: string
  cveId: string
  ignored: boolean
  recheckReason: string | null
}

interface Detail extends Finding {
  acceptance: { until: string | null; ended: { causes: string[] } | null } | null
  timeline: { type: string; source?: string; acceptance?: object }[]
  isActive: boolean
}

async function givenFindings(severities: Parameters<typeof givenProduct>[1] = ['High']) {
  const { cpes, product, cveIds } = await givenProduct(test.ctx, severities)
  const version = await givenVersion(test.ctx, client.workspaceId, [{ packageName: product, cpes }])
  return { ...version, product, cpes, cveIds, findings: await listFindings(version) }
}

async function listFindings({ firmwareVersionId }: Pick<GivenVersion, 'firmwareVersionId'>) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const answer = await client.post(path, { sortColumn: 'CveId', ascending: true })
  return answer.json<{ findings: Finding[] }>().findings
}

async function countActive({ firmwareVersionId }: Pick<GivenVersion, 'firmwareVersionId'>) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

const ignore = (finding: Finding | undefined, acceptance?: object) =>
  client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, {
    ignored: true,
    ...(acceptance && { acceptance }),
  })

const read = async (finding: Finding | undefined, query = '') =>
  (await client.get(`/vulnerability-findings/${finding?.id ?? ''}${query}`)).json<Detail>()

const inDays = (days: number) => addDays(now, days).toISOString()

/** What is done by itself, some time later. */
async function pass(ms: number): Promise<void> {
  now = addMs(now, ms)
  await endDueAcceptances(test.ctx)
}

/** CISA lists the vulnerabilities of the product. */
async function becomeExploited({ product, cveIds }: { product: string; cveIds: string[] }) {
  const revisions: number[] = []
  for (const id of cveIds) {
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    revisions.push(await givenAdvisory(test.ctx.db, { id, severity: 'High', affected }))
    await sql`update vulnerabilities set is_known_exploit = true where id = ${id}`.execute(
      test.ctx.db,
    )
  }
  for (const revision of revisions) await matchChangedPackages(test.ctx, { revision })
}

describe('an accepted risk', () => {
  it('keeps reason, owner, end and conditions, and says them', async () => {
    const { findings } = await givenFindings()
    const owner = await givenMember(test, client.workspaceId)
    const until = inDays(30)

    const answer = await ignore(findings[0], {
      reason: 'Not reachable.',
      ownerId: owner.id,
      until,
      conditions: { epssAbove: 0.5, devicesAbove: 100 },
    })

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      ignored: true,
      acceptance: {
        reason: 'Not reachable.',
        owner: { id: owner.id, email: owner.email },
        until,
        conditions: {
          knownExploited: true,
          epssAbove: 0.5,
          devicesAbove: 100,
          fixAvailable: false,
        },
        ended: null,
      },
    })
  })

  it('is none where nothing is said: ignored as ever, and once', async () => {
    const { findings, ...version } = await givenFindings()
    const first = await ignore(findings[0])
    const again = await ignore(findings[0])
    await pass(10_000 * DAY_MS)

    expect(first.json()).toMatchObject({ ignored: true, acceptance: null })
    expect(again.json<Detail>().timeline).toEqual(first.json<Detail>().timeline)
    expect(await countActive(version)).toBe(0)
  })

  it('stays as it was said where it is ignored once more without a word', async () => {
    const { findings } = await givenFindings()
    const accepted = await ignore(findings[0], { until: inDays(1) })

    const again = await ignore(findings[0])

    expect(again.json<Detail>().acceptance).toEqual(accepted.json<Detail>().acceptance)
  })

  it.each`
    acceptance                                             | pointer
    ${{ until: '2020-01-01T00:00:00Z' }}                   | ${'/acceptance/until'}
    ${{ until: '2999-01-01T00:00:00Z' }}                   | ${'/acceptance/until'}
    ${{ until: 'tomorrow' }}                               | ${'/acceptance/until'}
    ${{ ownerId: 'nobody' }}                               | ${'/acceptance/ownerId'}
    ${{ ownerId: '0199a1b2-0000-7000-8000-000000000001' }} | ${'/acceptance/ownerId'}
    ${{ conditions: { epssAbove: 2 } }}                    | ${'/acceptance/conditions/epssAbove'}
    ${{ conditions: { devicesAbove: -1 } }}                | ${'/acceptance/conditions/devicesAbove'}
    ${{ reason: '' }}                                      | ${'/acceptance/reason'}
    ${{ colour: 'red' }}                                   | ${'/acceptance/colour'}
  `(
    'refuses $acceptance, naming $pointer',
    async ({ acceptance, pointer }: { acceptance: object; pointer: string }) => {
      const { findings, ...version } = await givenFindings()

      const refused = await ignore(findings[0], acceptance)

      expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
      expect(await countActive(version)).toBe(1)
    },
  )

  it('needs what the workspace demands, of single findings and of many', async () => {
    await client.patch('/settings', { acceptanceRequirements: ['Reason', 'Owner', 'End'] })
    const { findings, cveIds, ...version } = await givenFindings()
    const owner = await givenMember(test, client.workspaceId)
    const whole = { reason: 'Not reachable.', ownerId: owner.id, until: inDays(1) }
    const ignoreAll = (acceptance?: object) =>
      client.post('/vulnerability-findings/bulk-ignore', {
        filter: { cveIds },
        ignored: true,
        ...(acceptance && { acceptance }),
      })

    const plain = await ignore(findings[0])
    const half = await ignoreAll({ reason: 'Not reachable.' })
    const active = await countActive(version)
    const done = await ignoreAll(whole)
    const undone = await client.put(`/vulnerability-findings/${findings[0]?.id ?? ''}/ignore`, {
      ignored: false,
    })

    expect(plain.json()).toMatchObject({
      status: 400,
      type: '/problems/acceptance-incomplete',
      errors: [
        { pointer: '/acceptance/reason' },
        { pointer: '/acceptance/ownerId' },
        { pointer: '/acceptance/until' },
      ],
    })
    expect(half.json()).toMatchObject({
      errors: [{ pointer: '/acceptance/ownerId' }, { pointer: '/acceptance/until' }],
    })
    expect([active, done.json<{ changed: number }>().changed]).toEqual([1, 1])
    expect(undone.json()).toMatchObject({
      ignored: false,
      acceptance: { ended: { causes: ['Person'] } },
    })
  })

  it('ends when its time is over: marked, counted, told in the timeline and in the past', async () => {
    const { findings, ...version } = await givenFindings()
    await ignore(findings[0], { until: '2099-03-01T00:00:00Z', reason: 'Rare.' })
    const accepted = await countActive(version)
    const before = now
    now = new Date('2099-03-01T00:00:01Z')

    await endDueAcceptances(test.ctx)

    const ended = await read(findings[0])
    expect(ended).toMatchObject({
      ignored: false,
      isActive: true,
      acceptance: { reason: 'Rare.', ended: { causes: ['Time'], byEmail: null } },
    })
    expect(ended.recheckReason).toMatch(/^Accepted until 1 March 2099 by .*; that time is over$/)
    expect(ended.timeline.at(-1)).toMatchObject({ type: 'Unignored', source: 'System' })
    expect([accepted, await countActive(version)]).toEqual([0, 1])
    expect((await listFindings(version))[0]).toMatchObject({ recheckReason: ended.recheckReason })
    const asOf = await read(findings[0], `?asOf=${addMs(before, MINUTE_MS).toISOString()}`)
    expect(asOf).toMatchObject({ ignored: true, recheckReason: null, acceptance: { ended: null } })
    const later = await read(findings[0], `?asOf=${now.toISOString()}`)
    expect(later).toMatchObject({ ignored: false, recheckReason: ended.recheckReason })
  })

  it('is renewed by ignoring it again, which takes the mark away', async () => {
    const { findings, ...version } = await givenFindings()
    await ignore(findings[0], { until: inDays(1) })
    await pass(2 * DAY_MS)

    const renewed = await ignore(findings[0], { until: inDays(1) })

    expect(renewed.json()).toMatchObject({
      ignored: true,
      recheckReason: null,
      acceptance: { ended: null },
    })
    expect(await countActive(version)).toBe(0)
  })

  it('comes back exactly as it was when ignoring it otherwise is taken back', async () => {
    const { findings, cveIds } = await givenFindings()
    const first = await ignore(findings[0], { until: inDays(5), reason: 'First.' })
    const change = await client.post('/vulnerability-findings/bulk-ignore', {
      filter: { cveIds },
      ignored: true,
      acceptance: { reason: 'Second.' },
    })
    const changed = await read(findings[0])
    const { decisionBatchId } = change.json<{ decisionBatchId: string }>()

    await client.post(`/decision-batches/${decisionBatchId}/undo`, {})

    expect(changed.acceptance).toMatchObject({ reason: 'Second.', until: null })
    expect((await read(findings[0])).acceptance).toEqual(first.json<Detail>().acceptance)
  })

  it('ends at once where taking back a later word brings it back, its condition is met by now, and the preview says so', async () => {
    const { findings, ...version } = await givenFindings()
    await ignore(findings[0], { reason: 'Rare.' })
    now = addMs(now, MINUTE_MS)
    const end = await client.post('/acceptances/end', { findingIds: [findings[0]?.id] })
    await becomeExploited(version)
    const { decisionBatchId } = end.json<{ decisionBatchId: string }>()

    const path = `/decision-batches/${decisionBatchId}/undo`
    const preview = await client.post(path, { dryRun: true })
    const undone = await client.post(path, {})

    expect(preview.json()).toMatchObject({ restored: 1, endedAtOnce: 1 })
    expect(undone.json()).toEqual(preview.json())
    const after = await read(findings[0])
    expect(after).toMatchObject({
      ignored: false,
      acceptance: { reason: 'Rare.', ended: { causes: ['KnownExploited'] } },
    })
    expect(after.timeline.at(-1)).toMatchObject({ type: 'Unignored', source: 'System' })
    expect(await countActive(version)).toBe(1)
    now = addMs(now, MINUTE_MS)
    const asOf = await read(findings[0], `?asOf=${addMs(now, -1).toISOString()}`)
    expect(asOf).toMatchObject({ ignored: false, recheckReason: after.recheckReason })
  })

  it('holds in the next version too, and ends there', async () => {
    const { findings, product, cpes, firmwareVersionId } = await givenFindings()
    await ignore(findings[0], { until: inDays(5), reason: 'Not built in.' })
    const { id, firmwareId } = await test.ctx.db
      .selectFrom('firmwareVersions')
      .select(['id', 'firmwareId'])
      .where('id', '=', firmwareVersionId)
      .executeTakeFirstOrThrow()
    const next = await givenVersion(test.ctx, client.workspaceId, [])
    await test.ctx.db
      .updateTable('firmwareVersions')
      .set({ firmwareId, predecessorId: id, name: 'next' })
      .where('id', '=', next.firmwareVersionId)
      .execute()
    await givenMatchedSbom(test.ctx, next, [{ packageName: product, cpes }])

    const [carried] = await listFindings(next)
    const detail = await read(carried)
    await pass(6 * DAY_MS)

    expect(detail).toMatchObject({ ignored: true, acceptance: { reason: 'Not built in.' } })
    expect(await countActive(next)).toBe(1)
  })
})

describe('a condition', () => {
  it('that the vulnerability becomes exploited ends it with the matches that say so', async () => {
    const product = await givenProduct(test.ctx, ['High', 'High'])
    const version = await givenVersion(test.ctx, client.workspaceId, [
      { packageName: product.product, cpes: product.cpes },
    ])
    const findings = await listFindings(version)
    await ignore(findings[0], {})
    await ignore(findings[1], { conditions: { knownExploited: false } })
    await becomeExploited(product)

    const [first, second] = await listFindings(version)
    expect(first).toMatchObject({ ignored: false })
    expect(first?.recheckReason).toContain('now known to be exploited')
    expect(second).toMatchObject({ ignored: true, recheckReason: null })
    expect(await countActive(version)).toBe(1)
  })

  it('that is met already ends it at once, and the answer says so', async () => {
    const exploited = await givenProduct(test.ctx, ['High'], { isKnownExploit: true })
    const components = [{ packageName: exploited.product, cpes: exploited.cpes }]
    const version = await givenVersion(test.ctx, client.workspaceId, components)
    const [finding] = await listFindings(version)
    const body = { filter: { cveIds: exploited.cveIds }, ignored: true, acceptance: {} }

    const preview = await client.post('/vulnerability-findings/bulk-ignore', {
      ...body,
      dryRun: true,
    })
    const one = await ignore(finding, {})
    now = addMs(now, MINUTE_MS)
    const many = await client.post('/vulnerability-findings/bulk-ignore', body)
    const undone = await client.post(
      `/decision-batches/${many.json<{ decisionBatchId: string }>().decisionBatchId}/undo`,
      {},
    )

    expect(preview.json()).toMatchObject({ changed: 1, endedAtOnce: 1 })
    expect(one.json()).toMatchObject({
      ignored: false,
      isActive: true,
      acceptance: { ended: { causes: ['KnownExploited'] } },
    })
    expect(many.json()).toMatchObject({ changed: 1, endedAtOnce: 1 })
    expect(undone.json()).toMatchObject({ restored: 1, left: 0 })
    expect(await countActive(version)).toBe(1)
  })

  it('on EPSS, devices or fixes ends it by the job that counted or read', async () => {
    const { findings, cveIds, ...version } = await givenFindings(['High', 'High'])
    const {
      findings: fixless,
      product,
      cveIds: [unfixed],
      ...other
    } = await (async () => {
      const name = `nofix-${now.getTime()}`
      const id = `CVE-2031-${name}`
      const affected = [affectedIn(`cpe:acme:${name}`, [{}])]
      await givenAdvisory(test.ctx.db, { id, severity: 'High', affected })
      const cpes = [`cpe:2.3:a:acme:${name}:1.0:*:*:*:*:*:*:*`]
      const of = await givenVersion(test.ctx, client.workspaceId, [{ packageName: name, cpes }])
      return { ...of, product: name, cveIds: [id], findings: await listFindings(of) }
    })()
    await ignore(findings[0], { conditions: { epssAbove: 0.3 } })
    await ignore(findings[1], { conditions: { devicesAbove: 2 } })
    await ignore(fixless[0], { conditions: { fixAvailable: true } })
    const states = async () => [
      ...(await listFindings(version)).map(({ ignored }) => ignored),
      ...(await listFindings(other)).map(({ ignored }) => ignored),
    ]
    await givenRunning(test.ctx, 2, version)
    await checkAcceptances(test.ctx, client)
    const before = await states()
    await sql`insert into epss_scores (cve_id, score, percentile) values (${cveIds[0]}, 0.31, 0.9)`.execute(
      test.ctx.db,
    )
    await givenRunning(test.ctx, 3, version)
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '3.0' }])]
    const revision = await givenAdvisory(test.ctx.db, { id: unfixed, severity: 'High', affected })
    await matchChangedPackages(test.ctx, { revision })
    await refreshKept(test.ctx, client)
    await countDevices(test.ctx, client)
    const { rows } = await sql<{ count: number }>`
      select count(*)::int from pgboss.job where name = 'findings.acceptances-outdated'
        and data ->> 'workspaceId' = ${client.workspaceId}`.execute(test.ctx.db)

    await checkAcceptances(test.ctx, client)

    expect(before).toEqual([true, true, true])
    expect(rows[0]?.count).toBeGreaterThanOrEqual(1)
    expect(await states()).toEqual([false, false, false])
    expect((await read(findings[1])).recheckReason).toContain('more than 2 devices run it now')
    expect((await read(fixless[0])).recheckReason).toContain('a fix is available now')
  })
})

it('is seen and ended in its workspace alone', async () => {
  const { findings, ...version } = await givenFindings()
  await ignore(findings[0], { until: inDays(1) })
  const stranger = await givenClient(test)

  const foreign = await stranger.put(`/vulnerability-findings/${findings[0]?.id ?? ''}/ignore`, {
    ignored: true,
    acceptance: { until: inDays(3) },
  })
  await checkAcceptances(test.ctx, stranger)

  expect(foreign.statusCode).toBe(404)
  expect(await countActive(version)).toBe(0)
})
