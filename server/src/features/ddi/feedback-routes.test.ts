import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  givenDdiDevice,
  givenOfferedUpdate,
  givenVersionWithArtifact,
  runningOf,
  updateOf,
} from '../../../test/given-ddi.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

function closedWith(finished: string, details: readonly string[] = []) {
  return {
    id: 1,
    time: '20140511T121314',
    status: { execution: 'closed', result: { finished }, details },
  }
}

function proceeding(count: number, of: number) {
  const result = { finished: 'none', progress: { cnt: count, of } }
  return { id: '1', status: { execution: 'proceeding', result } }
}

describe('feedback', () => {
  const givenUpdate = async () => {
    const version = await givenVersionWithArtifact(test, client)
    return { ...(await givenOfferedUpdate(test, client, [version])), version }
  }

  it('moves the update while the device works', async () => {
    const { ddi } = await givenUpdate()

    const response = await ddi.post('/deploymentBase/1/feedback', proceeding(1, 4))

    expect([response.statusCode, response.body]).toEqual([200, ''])
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'inProgress',
      progress: 25,
    })
    await ddi.post('/deploymentBase/1/feedback', proceeding(4, 4))
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'inProgress',
      progress: 99,
      installedAt: null,
    })
  })

  it('is refused where it says two things under one name, and changes nothing', async () => {
    const { ddi } = await givenUpdate()
    const text = JSON.stringify(closedWith('success')).replace('{"id"', '{"status":{},"id"')

    const response = await ddi.post('/deploymentBase/1/feedback', text)

    expect([response.statusCode, response.body]).toEqual([400, expect.stringContaining('/status')])
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).not.toMatchObject({
      state: 'succeeded',
    })
  })

  it('takes the word of a device that never tells its version, and says so', async () => {
    const { ddi, version } = await givenUpdate()
    await ddi.put('/configData', { data: { board: 'a' } })

    const response = await ddi.post('/deploymentBase/1/feedback', closedWith('success'))

    const { _links } = await ddi.poll()
    expect(response.statusCode).toBe(200)
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'succeeded',
      unconfirmed: true,
    })
    expect(await runningOf(test, client.workspaceId, ddi.deviceId)).toEqual([
      {
        slug: version.slug,
        version: '2.0.0',
        confirmed: false,
        firmwareVersionId: version.firmwareVersionId,
      },
    ])
    expect(Object.keys(_links).toSorted()).toEqual(['configData', 'installedBase'])
    expect((await ddi.get('/installedBase/1')).json()).toMatchObject({ id: '1' })
  })

  it('waits for the version of a device that tells it', async () => {
    const { ddi, version } = await givenUpdate()
    await ddi.put('/configData', { data: { version: '1.0.0' } })

    await ddi.post('/deploymentBase/1/feedback', closedWith('success'))
    const installed = await updateOf(test, client.workspaceId, ddi.deviceId)
    const { _links } = await ddi.poll()
    await ddi.put('/configData', { data: { version: '1.0.0' } })
    const before = await updateOf(test, client.workspaceId, ddi.deviceId)
    await ddi.put('/configData', { data: { version: '2.0.0' } })

    expect(installed).toMatchObject({ state: 'inProgress' })
    expect(Object.keys(_links)).toEqual(['configData'])
    expect(before).toMatchObject({ state: 'inProgress' })
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'succeeded',
      unconfirmed: false,
    })
    expect(await runningOf(test, client.workspaceId, ddi.deviceId)).toMatchObject([
      { slug: version.slug, version: '2.0.0', confirmed: true },
    ])
  })

  it('keeps why an update failed', async () => {
    const { ddi } = await givenUpdate()
    const details = ['ERROR: no space', 'left\u0000 on device']

    await ddi.post('/deploymentBase/1/feedback', closedWith('failure', details))

    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'failed',
      reason: 'ERROR: no space\nleft  on device',
    })
    expect((await ddi.poll())._links).not.toHaveProperty('deploymentBase')
  })

  it('adds the errors that came before to why an update failed, and shows them to the device', async () => {
    const { ddi } = await givenUpdate()
    const said = (details: readonly string[]) =>
      ddi.post('/deploymentBase/1/feedback', {
        status: { execution: 'proceeding', result: { finished: 'none' }, details },
      })
    await said(['Installing.', 'ERROR: signature'])
    await said(Array.from({ length: 49 }, (_, index) => `step ${index}`))

    const history = await ddi.get('/deploymentBase/1?actionHistory=2')
    await ddi.post('/deploymentBase/1/feedback', closedWith('failure', ['No image.']))

    expect(history.json()).toMatchObject({ actionHistory: { messages: ['step 48', 'step 47'] } })
    expect((await updateOf(test, client.workspaceId, ddi.deviceId)).reason).toBe(
      'No image.\nERROR: signature',
    )
  })

  it('leaves an action a device rejects as it is', async () => {
    const { ddi } = await givenUpdate()
    const status = { execution: 'rejected', result: { finished: 'none' }, details: ['busy'] }

    const response = await ddi.post('/deploymentBase/1/feedback', { status })

    expect(response.statusCode).toBe(200)
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'pending',
    })
    expect((await ddi.poll())._links).toHaveProperty('deploymentBase')
  })

  it('says of a finished action that it is gone, and of an unknown or foreign one that there is none', async () => {
    const { ddi } = await givenUpdate()
    const other = await givenDdiDevice(test, client)
    await ddi.post('/deploymentBase/1/feedback', closedWith('success'))

    const file = await ddi.get('/softwaremodules/100/artifacts/image%20v2.swu')
    const again = await ddi.post('/deploymentBase/1/feedback', closedWith('failure'))
    const unknown = await ddi.post('/deploymentBase/7/feedback', closedWith('success'))
    const foreign = await other.post('/deploymentBase/1/feedback', closedWith('success'))

    expect([again, unknown, foreign, file].map(({ statusCode }) => statusCode)).toEqual([
      410, 404, 404, 404,
    ])
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'succeeded',
    })
  })

  it.each([
    ['nothing', undefined],
    ['no status', {}],
    ['an unknown execution', { status: { execution: 'done', result: { finished: 'success' } } }],
    ['an unknown result', { status: { execution: 'closed', result: { finished: 'fine' } } }],
    ['half a message', { status: { execution: 'closed' } }],
  ])('refuses %s, and moves nothing', async (_, body) => {
    const { ddi } = await givenUpdate()

    const response = await ddi.post('/deploymentBase/1/feedback', body)

    expect(response.statusCode).toBe(400)
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'pending',
    })
  })

  it('does not mind progress that makes no sense', async () => {
    const { ddi } = await givenUpdate()

    for (const progress of [null, {}, { cnt: 'a', of: 0 }, { cnt: -1, of: -1 }, { cnt: 9, of: 1 }])
      expect(
        (
          await ddi.post('/deploymentBase/1/feedback', {
            status: { execution: 'proceeding', result: { finished: 'none', progress } },
          })
        ).statusCode,
      ).toBe(200)
  })
})
