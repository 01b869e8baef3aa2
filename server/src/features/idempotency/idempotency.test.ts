/** Requests with an `Idempotency-Key`, over HTTP. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion } from '../../../test/given.ts'
import { givenMember } from '../../../test/given-people.ts'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import { newId } from '../../platform/ids.ts'
import { sweepIdempotencyKeys } from './index.ts'

let test: TestApp
let workspace: TestWorkspace
beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
})

interface RequestOptions {
  key: string
  body?: object
  authorization?: string
  path?: string
  method?: 'POST' | 'PATCH'
}

const COHORTS = '/deployment-cohorts'

function create({ key, body, authorization, path = COHORTS, method = 'POST' }: RequestOptions) {
  return test.app.inject({
    method,
    url: `/workspaces/${workspace.workspaceId}${path}`,
    headers: {
      authorization: authorization ?? `Bearer ${workspace.apiKey}`,
      'idempotency-key': key,
    },
    payload: body ?? { name: newId() },
  })
}

async function countCohorts(name: string): Promise<number> {
  const { workspaceId, apiKey } = workspace
  const { body } = await test.app.inject({
    url: `/workspaces/${workspaceId}/deployment-cohorts`,
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { deploymentCohorts } = JSON.parse(body) as { deploymentCohorts: { name: string }[] }
  return deploymentCohorts.filter((cohort) => cohort.name === name).length
}

describe('a repetition', () => {
  it('is not done, and gets the first answer', async () => {
    const asked = { key: newId(), body: { name: newId() } }

    const first = await create(asked)
    const again = await create({ ...asked, key: `"${asked.key}"` })

    expect([first.statusCode, again.statusCode]).toEqual([201, 201])
    expect(again.body).toBe(first.body)
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await countCohorts(asked.body.name)).toBe(1)
  })

  it('with another body, address or method is refused', async () => {
    const asked = { key: newId(), body: { name: newId() } }
    const { id } = (await create(asked)).json<{ id: string }>()

    const otherBody = await create({ key: asked.key })
    const otherAddress = await create({ ...asked, path: `${COHORTS}/${id}`, method: 'PATCH' })

    for (const response of [otherBody, otherAddress]) {
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({
        type: '/problems/idempotency-key-reused',
        errors: [{ pointer: '/headers/idempotency-key' }],
      })
    }
  })

  it('at the same time is done once', async () => {
    const asked = { key: newId(), body: { name: newId() } }

    const answers = await Promise.all([create(asked), create(asked), create(asked)])

    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses).toContain(201)
    for (const { statusCode, headers } of answers)
      if (statusCode === 409) expect(headers['retry-after']).toBe('1')
      else expect(statusCode).toBe(201)
    expect(await countCohorts(asked.body.name)).toBe(1)
  })

  it('of a request that was cut off is told so, and does nothing', async () => {
    const { workspaceId } = workspace
    const asked = { key: newId(), body: { name: newId() } }
    await create(asked)
    await test.ctx.db
      .updateTable('idempotencyKeys')
      .set({ status: null, body: null })
      .where('workspaceId', '=', workspaceId)
      .where('key', '=', asked.key)
      .execute()

    const again = await create(asked)

    expect(again.statusCode).toBe(409)
    expect(again.json()).toMatchObject({ type: '/problems/not-answered-yet' })
    expect(await countCohorts(asked.body.name)).toBe(1)
  })

  it('of somebody else, or in another workspace, is another request', async () => {
    const asked = { key: newId(), body: { name: newId() } }
    const other = await test.givenKey(workspace.workspaceId, ['Deployments: write'])
    const foreign = await test.givenWorkspace()
    await create(asked)

    const second = await create({ ...asked, authorization: `Bearer ${other}` })
    const elsewhere = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${foreign.workspaceId}/deployment-cohorts`,
      headers: { authorization: `Bearer ${foreign.apiKey}`, 'idempotency-key': asked.key },
      payload: asked.body,
    })

    expect(second.statusCode).toBe(409)
    expect(second.json()).toMatchObject({ type: '/problems/deployment-cohort-name-taken' })
    expect(elsewhere.statusCode).toBe(201)
  })

  it('of a refused request is looked at anew', async () => {
    const key = newId()
    const refused = await create({ key, body: { name: '' } })

    const right = await create({ key })

    expect([refused.statusCode, right.statusCode]).toEqual([400, 201])
  })

  it('is a new request after a day', async () => {
    const asked = { key: newId(), body: { name: newId() } }
    await create(asked)
    const later = { ...test.ctx, now: () => addMs(test.ctx.now(), 25 * HOUR_MS) }

    await sweepIdempotencyKeys(later)
    const again = await create(asked)

    expect(again.json()).toMatchObject({ type: '/problems/deployment-cohort-name-taken' })
  })
})

describe('an upload', () => {
  const DOCUMENT = (name: string) =>
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      components: [{ type: 'library', name }],
    })

  async function givenUpload() {
    const client = await givenClient(test)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const url = `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms`
    const key = newId()
    const send = (payload: string, contentType = 'application/octet-stream') => {
      const authorization = `Bearer ${client.apiKey}`
      const headers = { authorization, 'idempotency-key': key, 'content-type': contentType }
      return test.app.inject({ method: 'POST', url, headers, payload })
    }
    const count = async () =>
      (await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)).json<{
        sboms: object[]
      }>().sboms.length
    return { send, count }
  }

  const form = (boundary: string, content: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.json"\r\n\r\n${content}\r\n--${boundary}--\r\n`

  it('of another document is refused instead of being thrown away', async () => {
    const { send, count } = await givenUpload()

    const first = await send(DOCUMENT('one'))
    const other = await send(DOCUMENT('two'))

    expect([first.statusCode, other.statusCode]).toEqual([202, 400])
    expect(other.json()).toMatchObject({ type: '/problems/idempotency-key-reused' })
    expect(await count()).toBe(1)
  })

  it('of the same document is answered as the first one', async () => {
    const { send, count } = await givenUpload()

    const first = await send(DOCUMENT('one'))
    const again = await send(DOCUMENT('one'))

    expect([again.statusCode, again.body]).toEqual([202, first.body])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await count()).toBe(1)
  })

  it('as a form is the same whatever its boundary', async () => {
    const { send, count } = await givenUpload()
    const sendForm = (boundary: string, name: string) =>
      send(form(boundary, DOCUMENT(name)), `multipart/form-data; boundary=${boundary}`)

    const first = await sendForm('----one', 'lib')
    const again = await sendForm('----other', 'lib')
    const other = await sendForm('----one', 'bil')

    expect([first, again, other].map(({ statusCode }) => statusCode)).toEqual([202, 202, 400])
    expect(await count()).toBe(1)
  })
})

it('keeps no answer that holds a secret', async () => {
  const { browser } = await givenMember(test, workspace.workspaceId, 'Owner')
  const asked = () =>
    test.app.inject({
      method: 'POST',
      url: `/workspaces/${workspace.workspaceId}/device-keys`,
      headers: { ...browser.headers, 'sec-fetch-site': 'same-origin', 'idempotency-key': 'one' },
      payload: { name: 'Line 2' },
    })

  const first = await asked()
  const again = await asked()

  expect([first.statusCode, again.statusCode]).toEqual([201, 409])
  expect(again.json()).toMatchObject({ type: '/problems/answer-not-kept' })
  const { deviceKey } = first.json<{ deviceKey: string }>()
  const rows = await test.ctx.db.selectFrom('idempotencyKeys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(deviceKey)
})

it.each(['', 'two words', '"open', 'x'.repeat(256), 'ä'])('refuses the key %j', async (key) => {
  const response = await create({ key })

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ errors: [{ pointer: '/headers/idempotency-key' }] })
})

it('ignores the key of a request that reads', async () => {
  const asked = { key: newId(), path: '/devices/list', body: {} }

  const [first, second] = [await create(asked), await create({ ...asked, body: { limit: 5 } })]

  expect([first.statusCode, second.statusCode]).toEqual([200, 200])
})
