/** Acceptances in a list, and many of them changed at once, through the API. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenProduct, givenRunning, givenVersion } from '../../../../test/given-findings.ts'
import { givenMember, type Person } from '../../../../test/given-people.ts'
import { addDays, addMs, DAY_MS, MINUTE_MS } from '../../../formats/instants.ts'
import { endDueAcceptances } from './ends-service.ts'

let test: TestApp
let client: Client
let now = new Date()
let ann: Person
let bob: Person

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
})

beforeEach(async () => {
  now = new Date()
  client = await givenClient(test)
  ann = await givenMember(test, client.workspaceId)
  bob = await givenMember(test, client.workspaceId)
})

interface Listed {
  acceptances: {
    findingId: string
    cveId: string
    state: string
    ownerEmail: string | null
    affectedDevices: number
    acceptance: { until: string | null; reason: string | null; conditions: object }
  }[]
  counts: Record<string, number>
  nextCursor?: string
  hasMore: boolean
}

const list = async (filter: object = {}, more: object = {}) =>
  (await client.post('/acceptances/list', { filter, ...more })).json<Listed>()
const states = async (filter: object = {}) =>
  (await list(filter)).acceptances.map(({ state }) => state)
const inDays = (days: number) => addDays(now, days).toISOString()

/** Six findings of one component, accepted by ann until 1, 2, 20, 30 and 40 days from now, and without an end. */
async function givenAccepted() {
  const { cpes, product, cveIds } = await givenProduct(test.ctx, Array(6).fill('High') as 'High'[])
  const version = await givenVersion(test.ctx, client.workspaceId, [{ packageName: product, cpes }])
  for (const [index, days] of [20, 1, 30, 2, 40, null].entries()) {
    now = addMs(now, 1)
    const body = {
      filter: { cveIds: [cveIds[index]] },
      ignored: true,
      acceptance: {
        ownerId: ann.id,
        reason: `Reason ${index}`,
        until: days === null ? null : inDays(days),
      },
    }
    const answer = await client.post('/vulnerability-findings/bulk-ignore', body)
    expect(answer.json()).toMatchObject({ changed: 1 })
  }
  return { ...version, cveIds, product }
}

async function activeCount({ firmwareVersionId }: { firmwareVersionId: string }) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

describe('the list of acceptances', () => {
  it('has what ends first at the top, then what ended, with owners and devices, page by page', async () => {
    const version = await givenAccepted()
    await givenRunning(test.ctx, 7, version)
    now = addMs(now, 1.5 * DAY_MS)
    await endDueAcceptances(test.ctx)

    const all = await list()
    const first = await list({}, { limit: 4 })
    const second = await list({}, { limit: 4, cursor: first.nextCursor })

    expect(
      all.acceptances.map(({ state, cveId }) => [state, version.cveIds.indexOf(cveId)]),
    ).toEqual([
      ['EndingSoon', 3],
      ['Open', 0],
      ['Open', 2],
      ['Open', 4],
      ['Open', 5],
      ['Ended', 1],
    ])
    expect(all.counts).toEqual({ open: 4, endingSoon: 1, ended: 1, withoutOwner: 0 })
    expect(all.acceptances[0]).toMatchObject({ ownerEmail: ann.email, affectedDevices: 7 })
    expect([...first.acceptances, ...second.acceptances]).toEqual(all.acceptances)
    expect([first.hasMore, second.hasMore]).toEqual([true, false])
  })

  it.each`
    filter                           | count
    ${{ states: [] }}                | ${0}
    ${{ states: ['EndingSoon'] }}    | ${2}
    ${{ withoutOwner: true }}        | ${0}
    ${{ withoutOwner: false }}       | ${6}
    ${{ contains: 'REASON 3' }}      | ${1}
    ${{ contains: '%' }}             | ${0}
    ${{ ownerIds: ['nobody'] }}      | ${0}
    ${{ cveIds: ['CVE-1999-0001'] }} | ${0}
  `('of $filter has $count', async ({ filter, count }: { filter: object; count: number }) => {
    await givenAccepted()

    expect(await states(filter)).toHaveLength(count)
  })

  it('is written to a file as a whole, in its order and by its filter, beyond the rows of a page', async () => {
    const { cpes, product } = await givenProduct(test.ctx, Array<'Low'>(110).fill('Low'))
    const versions: string[] = []
    for (let number = 0; number < 10; number++) {
      const component = { packageName: product, cpes }
      const version = await givenVersion(test.ctx, client.workspaceId, [component])
      versions.push(version.firmwareVersionId)
    }
    const accepted = await client.post('/vulnerability-findings/bulk-ignore', {
      filter: { firmwareVersionIds: versions },
      ignored: true,
      acceptance: { ownerId: ann.id, reason: 'Not, "reachable"', until: inDays(30) },
    })
    const filter = { firmwareVersionIds: versions }

    const exported = await client.post('/acceptances/export', { filter })
    const none = await client.post('/acceptances/export', { filter: { states: ['Ended'] } })
    const page = await list(filter, { limit: 1000 })

    const [header = '', ...lines] = exported.body.trimEnd().split('\r\n')
    expect(accepted.json()).toMatchObject({ changed: 1100 })
    expect(exported.headers['content-disposition']).toContain('accepted-risks.csv')
    expect(lines).toHaveLength(1100)
    expect(new Set(lines).size).toBe(1100)
    expect(lines.slice(0, 1000).map((line) => line.split(',').at(-1))).toEqual(
      page.acceptances.map(({ findingId }) => findingId),
    )
    expect(lines[0]).toContain('"Not, ""reachable"""')
    expect(lines[0]).toContain(ann.email)
    expect(none.body.trimEnd()).toBe(header)
  })

  it('is narrowed by an end before a day, and by what ended them', async () => {
    const { cveIds } = await givenAccepted()
    const which = async (filter: object) =>
      (await list(filter)).acceptances.map(({ cveId }) => cveIds.indexOf(cveId))
    const soon = await which({ endsBefore: inDays(25) })
    now = addMs(now, 1.5 * DAY_MS)
    await endDueAcceptances(test.ctx)
    now = addMs(now, MINUTE_MS)
    await client.post('/acceptances/end', { filter: { cveIds: [cveIds[5]] } })

    expect(soon).toEqual([1, 3, 0])
    expect(await which({ endsBefore: inDays(25) })).toEqual([3, 0])
    expect(await which({ causes: ['Time'] })).toEqual([1])
    expect(await which({ causes: ['Person', 'KnownExploited'] })).toEqual([5])
    expect(await which({ causes: [] })).toEqual([])
    expect(await which({ endedSince: now.toISOString() })).toEqual([5])
    const refused = await client.post('/acceptances/list', { filter: { endsBefore: 'soon' } })
    expect(refused.json()).toMatchObject({ errors: [{ pointer: '/filter/endsBefore' }] })
  })

  it('shows nothing of another workspace, and changes nothing there', async () => {
    const version = await givenAccepted()
    const stranger = await givenClient(test)
    const foreign = await stranger.post('/acceptances/list', {})
    const { acceptances } = await list()

    const ended = await stranger.post('/acceptances/end', {
      findingIds: acceptances.map(({ findingId }) => findingId),
    })
    await stranger.post('/acceptances/end', { filter: { withoutOwner: false } })

    expect(foreign.json()).toMatchObject({ acceptances: [], counts: { open: 0 } })
    expect(ended.statusCode).toBe(400)
    expect(await activeCount(version)).toBe(0)
  })
})

describe('many acceptances', () => {
  it('are renewed, also those that ended, and undo gives each what it had', async () => {
    const version = await givenAccepted()
    now = addMs(now, 1.5 * DAY_MS)
    await endDueAcceptances(test.ctx)
    const before = await list()
    const active = await activeCount(version)
    const filter = { states: ['EndingSoon', 'Ended'] }
    const body = { filter, until: inDays(100), reason: 'Again.' }

    const preview = await client.post('/acceptances/renew', { ...body, dryRun: true })
    const untouched = await list()
    now = addMs(now, MINUTE_MS)
    const done = await client.post('/acceptances/renew', { ...body, expectedMatched: 2 })
    const renewed = await list({ contains: 'Again.' })
    const { decisionBatchId } = done.json<{ decisionBatchId: string }>()
    const quiet = await activeCount(version)
    now = addMs(now, MINUTE_MS)
    await client.post(`/decision-batches/${decisionBatchId}/undo`, {})

    expect(preview.json()).toMatchObject({ matched: 2, changed: 2 })
    expect(untouched).toEqual(before)
    expect(renewed.acceptances.map(({ state, acceptance }) => [state, acceptance.until])).toEqual([
      ['Open', body.until],
      ['Open', body.until],
    ])
    expect([active, quiet, await activeCount(version)]).toEqual([1, 0, 1])
    expect((await list()).acceptances).toEqual(before.acceptances)
  })

  it('are handed over and ended; what is no acceptance stays', async () => {
    const version = await givenAccepted()
    const handed = await client.post('/acceptances/hand-over', {
      filter: { ownerIds: [ann.id], states: ['EndingSoon'] },
      ownerId: bob.id,
    })
    const again = await client.post('/acceptances/hand-over', {
      filter: { ownerIds: [bob.id] },
      ownerId: bob.id,
    })
    const ended = await client.post('/acceptances/end', { filter: { ownerIds: [bob.id] } })

    expect(handed.json()).toMatchObject({ matched: 2, changed: 2 })
    expect(again.json()).toMatchObject({ matched: 2, changed: 0 })
    expect(ended.json()).toMatchObject({ matched: 2, changed: 2 })
    expect(await activeCount(version)).toBe(2)
    expect(await states({ ownerIds: [bob.id] })).toEqual(['Ended', 'Ended'])
    const audit = await client.get('/audit-log?action=acceptance.hand-over&limit=1')
    expect(JSON.stringify(audit.json())).toContain(`to ${bob.email}`)
  })

  it.each`
    path           | body                                             | pointer
    ${'renew'}     | ${{ filter: {}, until: '2020-01-01T00:00:00Z' }} | ${'/until'}
    ${'renew'}     | ${{ filter: {} }}                                | ${''}
    ${'renew'}     | ${{ until: null }}                               | ${'/findingIds'}
    ${'hand-over'} | ${{ filter: {}, ownerId: 'nobody' }}             | ${'/ownerId'}
    ${'end'}       | ${{ filter: { states: ['Over'] } }}              | ${'/filter/states/0'}
    ${'end'}       | ${{ findingIds: ['x'] }}                         | ${'/findingIds/0'}
  `(
    'refuse $path of $body, naming $pointer',
    async ({ path, body, pointer }: { path: string; body: object; pointer: string }) => {
      const refused = await client.post(`/acceptances/${path}`, body)

      expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
    },
  )

  it('are renewed only with what the workspace demands by now, which the renewal can say', async () => {
    const { cveIds } = await givenAccepted()
    await client.delete(`/members/${ann.id}`)
    await client.patch('/settings', { acceptanceRequirements: ['Reason', 'Owner', 'End'] })
    const renew = (more: object) =>
      client.post('/acceptances/renew', { filter: { cveIds: [cveIds[0]] }, ...more })

    const leftOwner = await renew({ until: inDays(9) })
    const noEnd = await renew({ until: null, ownerId: bob.id })
    const done = await renew({ until: inDays(9), ownerId: bob.id })

    expect(leftOwner.json()).toMatchObject({
      type: '/problems/acceptance-incomplete',
      errors: [{ pointer: '/ownerId' }],
    })
    expect(noEnd.json()).toMatchObject({ errors: [{ pointer: '/until' }] })
    expect(done.json()).toMatchObject({ changed: 1 })
    expect((await list({ ownerIds: [bob.id] })).acceptances).toMatchObject([
      { acceptance: { reason: 'Reason 0', until: inDays(9) } },
    ])
  })

  it('get other conditions, and keep those that are not named', async () => {
    const { cveIds } = await givenAccepted()
    const filter = { cveIds: [cveIds[0]] }
    const renew = (conditions: object, more: object = {}) =>
      client.post('/acceptances/renew', { filter, until: inDays(50), conditions, ...more })
    const conditionsNow = async () =>
      (await list(filter)).acceptances.map(({ acceptance }) => acceptance.conditions)

    await renew({ epssAbove: 0.5, fixAvailable: true })
    const added = await conditionsNow()
    await renew({ epssAbove: null, knownExploited: false })
    const changed = await conditionsNow()
    const wrong = await renew({ epssAbove: 2 })

    expect(added).toEqual([
      { knownExploited: true, epssAbove: 0.5, devicesAbove: null, fixAvailable: true },
    ])
    expect(changed).toEqual([
      { knownExploited: false, epssAbove: null, devicesAbove: null, fixAvailable: true },
    ])
    expect(wrong.json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '/conditions/epssAbove' }],
    })
  })

  it('end at once by a condition of the renewal that is met already, and say so before', async () => {
    const version = await givenAccepted()
    await givenRunning(test.ctx, 7, version)
    const body = {
      filter: { cveIds: [version.cveIds[0]] },
      until: inDays(50),
      conditions: { devicesAbove: 6 },
    }

    const preview = await client.post('/acceptances/renew', { ...body, dryRun: true })
    const done = await client.post('/acceptances/renew', body)

    expect(preview.json()).toMatchObject({ changed: 1, endedAtOnce: 1 })
    expect(done.json()).toMatchObject({ changed: 1, endedAtOnce: 1 })
    expect(await states({ cveIds: [version.cveIds[0]] })).toEqual(['Ended'])
  })

  it('go to whom the removal of their owner names, or are listed as without an owner', async () => {
    await givenAccepted()
    const self = await client.delete(`/members/${ann.id}?acceptancesTo=${ann.id}`)
    const removed = await client.delete(`/members/${ann.id}?acceptancesTo=${bob.id}`)
    const handed = await list({ ownerIds: [bob.id] })
    await client.delete(`/members/${bob.id}`)

    const left = await list({ withoutOwner: true })

    expect([self.statusCode, removed.statusCode]).toEqual([400, 204])
    expect(handed.acceptances).toHaveLength(6)
    expect(left.counts['withoutOwner']).toBe(6)
    expect(left.acceptances.every(({ ownerEmail }) => ownerEmail === null)).toBe(true)
  })
})
