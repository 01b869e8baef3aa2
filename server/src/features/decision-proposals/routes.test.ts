/** Proposed decisions through the API: who proposes, who decides, and what is kept of it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Proposal {
  id: string
  state: string
}

const PROPOSED = {
  assessment: 'NotAffected',
  justification: 'vulnerable_code_not_present',
  detail: 'Not built in.',
  reason: 'The build switches it off.',
  evidence: [{ text: 'CONFIG_HTTPD is not set', link: 'https://git.acme.example/config' }],
}

/** A finding, a person's client, and an assistant whose key may read and propose. */
async function given() {
  const client = await givenClient(test)
  const { cpes } = await givenProduct(test.ctx, ['High'])
  const component = { packageName: 'busybox', version: '1.36', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const findings = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const listed = (await client.post(findings, {})).json<{ findings: { id: string }[] }>()
  const findingId = listed.findings[0]?.id ?? ''
  const { workspaceId } = client
  const scopes = ['Vulnerabilities: read', 'Vulnerabilities: propose'] as const
  const key = await test.givenKey(workspaceId, scopes)
  const askAssistant = (path: string, payload: object) =>
    test.app.inject({
      method: 'POST',
      url: `/workspaces/${workspaceId}/vulnerability-findings/${findingId}${path}`,
      headers: { authorization: `Bearer ${key}` },
      payload,
    })
  const propose = async (body: object = {}) => askAssistant('/proposals', { ...PROPOSED, ...body })
  return { client, askAssistant, findingId, propose }
}

const readFinding = async (client: Client, findingId: string) =>
  (await client.get(`/vulnerability-findings/${findingId}`)).json<object>()

const list = async (client: Client, query = '') =>
  (await client.get(`/decision-proposals${query}`)).json<{ proposals: Proposal[] }>().proposals

const listActs = async (client: Client) => {
  const listed = await client.get('/audit-log?limit=50')
  const { entries } = listed.json<{ entries: { action: string }[] }>()
  return entries.map(({ action }) => action).filter((one) => one.startsWith('vulnerability-find'))
}

describe('a proposed decision', () => {
  it('decides nothing, and says who proposed what and why', async () => {
    const { client, askAssistant, findingId, propose } = await given()
    const before = await readFinding(client, findingId)

    const proposed = await propose()
    const deciding = await askAssistant('/assessments', { assessment: 'NotAffected' })

    expect(proposed.statusCode).toBe(201)
    expect(await list(client, `?findingId=${findingId}`)).toMatchObject([
      {
        ...PROPOSED,
        findingId,
        state: 'Open',
        component: { name: 'busybox', version: '1.36' },
        proposedBy: { type: 'ApiKey', name: 'test', email: 'tester@example.com' },
        decidedAt: null,
      },
    ])
    expect(await readFinding(client, findingId)).toEqual(before)
    expect(deciding.statusCode).toBe(403)
    expect(await listActs(client)).toEqual(['vulnerability-finding.propose'])
  })

  it('is taken by another one, in the words that were proposed', async () => {
    const { client, findingId, propose } = await given()
    const { id } = (await propose()).json<Proposal>()

    const taken = await client.post(`/decision-proposals/${id}/take`, {})
    const again = await client.post(`/decision-proposals/${id}/take`, {})

    expect(taken.json()).toMatchObject({
      state: 'Taken',
      decidedByEmail: expect.stringContaining('@') as string,
    })
    expect(await readFinding(client, findingId)).toMatchObject({
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_present',
      detail: 'Not built in.',
    })
    expect(again.json()).toMatchObject({ status: 409, type: '/problems/proposal-ended' })
    expect(await list(client)).toEqual([])
    expect(new Set(await listActs(client))).toEqual(
      new Set([
        'vulnerability-finding.propose',
        'vulnerability-finding.take-proposal',
        'vulnerability-finding.assess',
      ]),
    )
  })

  it('is taken with another verdict, which the proposal says', async () => {
    const { client, findingId, propose } = await given()
    const { id } = (await propose()).json<Proposal>()

    const verdict = { assessment: 'InTriage', detail: 'Ask the vendor.' }
    const taken = await client.post(`/decision-proposals/${id}/take`, { verdict })

    expect(taken.json()).toMatchObject({ state: 'Changed', assessment: 'NotAffected' })
    expect(await readFinding(client, findingId)).toMatchObject(verdict)
  })

  it('is refused with a reason, and leaves the finding as it is', async () => {
    const { client, findingId, propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    const before = await readFinding(client, findingId)

    const bare = await client.post(`/decision-proposals/${id}/refuse`, { reason: ' ' })
    const refused = await client.post(`/decision-proposals/${id}/refuse`, {
      reason: 'It is built.',
    })

    expect(bare.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({ state: 'Refused', refusal: 'It is built.' })
    expect(await readFinding(client, findingId)).toEqual(before)
    expect(await list(client, '?state=Refused')).toMatchObject([{ id }])
  })

  it('replaces the earlier one of the same author', async () => {
    const { client, propose } = await given()
    const first = (await propose()).json<Proposal>()

    const second = (await propose({ reason: 'On second thought.' })).json<Proposal>()

    expect((await list(client)).map(({ id }) => id)).toEqual([second.id])
    expect((await client.get(`/decision-proposals/${first.id}`)).json()).toMatchObject({
      state: 'Replaced',
    })
  })

  it('cannot be taken by the key that made it, even if that may decide', async () => {
    const { client, findingId } = await given()
    const path = `/vulnerability-findings/${findingId}/proposals`
    const { id } = (await client.post(path, PROPOSED)).json<Proposal>()

    const taken = await client.post(`/decision-proposals/${id}/take`, {})

    expect(taken.json()).toMatchObject({ status: 409, type: '/problems/own-proposal' })
    expect(await list(client)).toMatchObject([{ id, state: 'Open' }])
  })

  it.each`
    body                                                         | pointer
    ${{ reason: '' }}                                            | ${'/reason'}
    ${{ assessment: 'Exploitable' }}                             | ${'/justification'}
    ${{ evidence: [{ text: 'x', link: 'javascript:alert()' }] }} | ${'/evidence/0/link'}
  `(
    'with $body is a 400 at $pointer',
    async ({ body, pointer }: { body: object; pointer: string }) => {
      const { client, propose } = await given()

      const proposed = await propose(body)

      expect(proposed.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
      expect(await list(client)).toEqual([])
    },
  )

  it('is seen by no other workspace', async () => {
    const { propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    const stranger = await givenClient(test)

    expect((await stranger.get(`/decision-proposals/${id}`)).statusCode).toBe(404)
    expect((await stranger.post(`/decision-proposals/${id}/take`, {})).statusCode).toBe(404)
    expect(await list(stranger)).toEqual([])
  })
})

describe('the list of all proposals', () => {
  it('is filtered by firmware, author and assessment, and counts what is open', async () => {
    const { client, propose, findingId } = await given()
    await propose()
    const read = async (query: string) =>
      (await client.get(`/decision-proposals?${query}`)).json<{
        proposals: (Proposal & { proposedBy: { id: string } })[]
        openCount: number
        authors: { id: string }[]
      }>()
    const { proposals, openCount, authors } = await read('')
    const finding = (await client.get(`/vulnerability-findings/${findingId}`)).json<{
      firmwareVersion: { firmware: { id: string } }
    }>()
    const author = proposals[0]?.proposedBy.id ?? ''

    const counts = await Promise.all(
      [
        `firmwareId=${finding.firmwareVersion.firmware.id}`,
        `proposedById=${author}`,
        'assessment=NotAffected',
        `firmwareId=${crypto.randomUUID()}`,
        'proposedById=nobody',
        'assessment=Exploitable',
        'state=Refused',
      ].map(async (query) => (await read(query)).proposals.length),
    )

    expect([proposals.length, openCount, authors.map(({ id }) => id)]).toEqual([1, 1, [author]])
    expect(counts).toEqual([1, 1, 1, 0, 0, 0, 0])
  })

  it('refuses many at once, leaves what is not open, and takes that back', async () => {
    const { client, propose } = await given()
    const other = await given()
    const { id } = (await propose()).json<Proposal>()
    const foreign = (await other.propose()).json<Proposal>()
    const proposalIds = [id, foreign.id, crypto.randomUUID()]
    const refuse = () =>
      client.post('/decision-proposals/bulk-refuse', { proposalIds, reason: 'Not so.' })

    const refused = await refuse()
    const again = await refuse()
    const [shown] = await list(client, '?state=Refused')
    const reopened = await client.post('/decision-proposals/bulk-reopen', { proposalIds: [id] })

    expect(refused.json()).toEqual({ changed: 1, left: 2 })
    expect(again.json()).toEqual({ changed: 0, left: 3 })
    expect(shown).toMatchObject({ id, refusal: 'Not so.' })
    expect(reopened.json()).toEqual({ changed: 1, left: 0 })
    expect(await list(client)).toMatchObject([
      { id, state: 'Open', refusal: null, decidedAt: null },
    ])
    expect(await list(other.client)).toMatchObject([{ id: foreign.id, state: 'Open' }])
    expect(await listActs(client)).toEqual([
      'vulnerability-finding.reopen-proposal',
      'vulnerability-finding.refuse-proposal',
      'vulnerability-finding.propose',
    ])
  })

  it('lets an assistant neither refuse nor open again', async () => {
    const { client, propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    const key = await test.givenKey(client.workspaceId, [
      'Vulnerabilities: read',
      'Vulnerabilities: propose',
    ])

    const codes = await Promise.all(
      ['bulk-refuse', 'bulk-reopen'].map(async (act) => {
        const answer = await test.app.inject({
          method: 'POST',
          url: `/workspaces/${client.workspaceId}/decision-proposals/${act}`,
          headers: { authorization: `Bearer ${key}` },
          payload: { proposalIds: [id], ...(act === 'bulk-refuse' && { reason: 'No.' }) },
        })
        return answer.statusCode
      }),
    )

    expect(codes).toEqual([403, 403])
  })
})

describe('a proposal whose decision is taken back', () => {
  const undo = async (client: Client) => {
    const listed = await client.get('/decision-batches')
    const { decisionBatches } = listed.json<{ decisionBatches: { id: string }[] }>()
    const newest = decisionBatches[0]?.id ?? ''
    return client.post(`/decision-batches/${newest}/undo`, {})
  }

  it.each([
    ['as proposed', {}, 'Taken'],
    ['with another verdict', { verdict: { assessment: 'InTriage' } }, 'Changed'],
  ])('%s waits again, and can be taken again', async (_, body, state) => {
    const { client, findingId, propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    const take = () => client.post(`/decision-proposals/${id}/take`, body)
    const read = async () => (await client.get(`/decision-proposals/${id}`)).json<Proposal>()
    await take()

    const taken = await read()
    const undone = await undo(client)
    const open = await read()
    const again = await take()

    expect(taken.state).toBe(state)
    expect(undone.json()).toMatchObject({ restored: 1, left: 0 })
    expect(open).toMatchObject({ state: 'Open', decidedAt: null, decidedByEmail: null })
    expect(again.json()).toMatchObject({ state })
    expect(await listActs(client)).toContain('vulnerability-finding.reopen-proposal')
    expect(await readFinding(client, findingId)).not.toMatchObject({ assessment: 'NotAssessed' })
  })

  it('is replaced where its author proposed something else since', async () => {
    const { client, propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    await client.post(`/decision-proposals/${id}/take`, {})
    const later = (await propose({ detail: 'Other.' })).json<Proposal>()

    await undo(client)

    expect((await client.get(`/decision-proposals/${id}`)).json()).toMatchObject({
      state: 'Replaced',
    })
    expect(await list(client)).toMatchObject([{ id: later.id, state: 'Open' }])
  })

  it('stays as it is where somebody decided anew before', async () => {
    const { client, findingId, propose } = await given()
    const { id } = (await propose()).json<Proposal>()
    await client.post(`/decision-proposals/${id}/take`, {})
    const batches = await client.get('/decision-batches')
    const [first] = batches.json<{ decisionBatches: { id: string }[] }>().decisionBatches
    await client.post(`/vulnerability-findings/${findingId}/assessments`, {
      assessment: 'Exploitable',
    })

    const undone = await client.post(`/decision-batches/${first?.id}/undo`, {})

    expect(undone.json()).toMatchObject({ restored: 0, left: 1 })
    expect((await client.get(`/decision-proposals/${id}`)).json()).toMatchObject({ state: 'Taken' })
  })
})
