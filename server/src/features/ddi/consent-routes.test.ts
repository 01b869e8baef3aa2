import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  ddiClient,
  deploy,
  givenOfferedUpdate,
  givenVersionWithArtifact,
  updateOf,
  type VersionWithArtifact,
} from '../../../test/given-ddi.ts'

let test: TestApp
let client: Client
let version: VersionWithArtifact

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  version = await givenVersionWithArtifact(test, client)
})

const CLOSED = { status: { execution: 'closed', result: { finished: 'success' } } }
const PROCEEDING = { status: { execution: 'proceeding', result: { finished: 'none' } } }

describe('an update that asks for confirmation', () => {
  const givenAsking = () =>
    givenOfferedUpdate(test, client, [version], { confirmationRequired: true })

  it('is offered when the device confirmed it, and not before', async () => {
    const { ddi } = await givenAsking()
    const before = await ddi.poll()
    const asked = await ddi.get(before._links['confirmationBase']?.href ?? '')
    const early = [
      await ddi.get('/deploymentBase/1'),
      await ddi.post('/deploymentBase/1/feedback', CLOSED),
    ]

    const denied = await ddi.post('/confirmationBase/1/feedback', {
      confirmation: 'denied',
      code: 10,
      details: ['not now'],
    })
    const still = await ddi.poll()
    const confirmed = await ddi.post('/confirmationBase/1/feedback', { confirmation: 'confirmed' })
    const again = await ddi.post('/confirmationBase/1/feedback', { confirmation: 'confirmed' })
    const after = await ddi.poll()

    expect(before._links).not.toHaveProperty('deploymentBase')
    expect(asked.json()).toMatchObject({
      id: '1',
      confirmation: { update: 'forced', chunks: [{ part: 'bApp', version: '2.0.0' }] },
    })
    expect(early.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect([denied, confirmed, again].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(still._links).toHaveProperty('confirmationBase')
    expect(after._links).not.toHaveProperty('confirmationBase')
    expect((await ddi.get(after._links['deploymentBase']?.href ?? '')).statusCode).toBe(200)
  })

  it('is offered at once to a device that confirms everything', async () => {
    const { ddi } = await givenAsking()

    const state = await ddi.get('/confirmationBase')
    const activated = await ddi.post('/confirmationBase/activateAutoConfirm', {
      initiator: 'user',
      remark: 'always',
    })
    const active = await ddi.get('/confirmationBase')
    const during = await ddi.poll()
    await ddi.post('/confirmationBase/deactivateAutoConfirm')
    const after = await ddi.poll()

    const { autoConfirm, _links } = state.json<{ autoConfirm: object; _links: object }>()
    expect(autoConfirm).toEqual({ active: false })
    expect(Object.keys(_links)).toEqual(['activateAutoConfirm', 'confirmationBase'])
    expect(activated.statusCode).toBe(200)
    expect(active.json()).toMatchObject({
      autoConfirm: { active: true, initiator: 'user', remark: 'always' },
      _links: { deactivateAutoConfirm: {} },
    })
    expect(during._links).toHaveProperty('deploymentBase')
    expect(after._links).toHaveProperty('confirmationBase')
  })

  it('refuses an answer to what nobody asked', async () => {
    const { ddi } = await givenOfferedUpdate(test, client, [version])

    const answers = [
      await ddi.post('/confirmationBase/1/feedback', { confirmation: 'confirmed' }),
      await ddi.post('/confirmationBase/9/feedback', { confirmation: 'confirmed' }),
      await ddi.post('/confirmationBase/1/feedback', { confirmation: 'perhaps' }),
      await ddi.get('/confirmationBase/1'),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 400, 404])
  })
})

describe('cancelling', () => {
  const givenBegun = async () => {
    const given = await givenOfferedUpdate(test, client, [version])
    await given.ddi.poll()
    await given.ddi.post('/deploymentBase/1/feedback', PROCEEDING)
    return given
  }

  const cancel = ({ cohortId, deploymentId }: { cohortId: string; deploymentId: string }) =>
    client.post(`/deployment-cohorts/${cohortId}/deployments/${deploymentId}/cancel`)

  it('is told to the device until it says that it knows', async () => {
    const given = await givenBegun()
    const { ddi } = given
    await cancel(given)

    const { _links } = await ddi.poll()
    const href = _links['cancelAction']?.href ?? ''
    const told = await ddi.get(href)
    const proceeding = await ddi.post('/cancelAction/1/feedback', PROCEEDING)
    const still = await ddi.poll()
    const answered = await ddi.post(`${href}/feedback`, CLOSED)
    const after = await ddi.poll()

    // Zephyr's client drops the first digit.
    expect(href).toMatch(/\/cancelAction\/01$/)
    expect(_links).not.toHaveProperty('deploymentBase')
    expect(told.json()).toEqual({ id: '1', cancelAction: { stopId: '1' } })
    expect([proceeding.statusCode, answered.statusCode]).toEqual([200, 200])
    expect(still._links).toHaveProperty('cancelAction')
    expect(after._links).not.toHaveProperty('cancelAction')
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'cancelled',
    })
    expect((await ddi.get(href)).statusCode).toBe(410)
    expect((await ddi.post('/cancelAction/1/feedback', CLOSED)).statusCode).toBe(410)
  })

  it.each(['canceled', 'rejected', 'closed'])(
    'ends with %s, as clients say it',
    async (execution) => {
      const given = await givenBegun()
      await cancel(given)
      await given.ddi.poll()

      const response = await given.ddi.post('/cancelAction/1/feedback', {
        status: { execution, result: { finished: 'failure' } },
      })

      expect(response.statusCode).toBe(200)
      expect((await given.ddi.poll())._links).not.toHaveProperty('cancelAction')
    },
  )

  it('takes what the device says of the action itself for an answer too, but moves nothing by it', async () => {
    const given = await givenBegun()
    await cancel(given)
    await given.ddi.poll()

    const response = await given.ddi.post('/deploymentBase/1/feedback', CLOSED)

    expect(response.statusCode).toBe(200)
    expect((await given.ddi.poll())._links).not.toHaveProperty('cancelAction')
    expect(await updateOf(test, client.workspaceId, given.ddi.deviceId)).toMatchObject({
      state: 'cancelled',
    })
  })

  it('comes before what supersedes it', async () => {
    const { ddi, cohortId } = await givenBegun()
    const next = await givenVersionWithArtifact(test, client)
    await deploy(client, cohortId, { versions: [next] })

    const before = await ddi.poll()
    await ddi.post('/cancelAction/1/feedback', CLOSED)
    const after = await ddi.poll()

    expect(before._links).toHaveProperty('cancelAction')
    expect(before._links).not.toHaveProperty('deploymentBase')
    expect(after._links['deploymentBase']?.href).toContain('/deploymentBase/2?')
  })

  it('has nothing to tell of an update that goes on', async () => {
    const { ddi } = await givenBegun()

    const answers = [
      await ddi.get('/cancelAction/1'),
      await ddi.post('/cancelAction/1/feedback', CLOSED),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
  })
})

describe('how an update is offered', () => {
  const deploymentOf = async (options: object) => {
    const { ddi } = await givenOfferedUpdate(test, client, [version], options)
    const { _links } = await ddi.poll()
    const href = _links['deploymentBase']?.href
    if (href === undefined) return undefined
    const { deployment } = (await ddi.get(href)).json<{ deployment: object }>()
    return { ...deployment, chunks: [] }
  }

  /** A window of two hours around an instant so many hours from now. */
  const windowIn = (hours: number) => {
    const at = (shift: number) =>
      new Date(Date.now() + (hours + shift) * 3_600_000).toISOString().slice(11, 16)
    return { from: at(-1), until: at(1), utcOffset: '+00:00' }
  }

  it('leaves the time to the device where it is not forced', async () => {
    expect(await deploymentOf({ forced: false })).toEqual({
      download: 'attempt',
      update: 'attempt',
      chunks: [],
    })
  })

  it('tells of the maintenance window in it, and nothing outside of it', async () => {
    expect(await deploymentOf({ maintenanceWindow: windowIn(0) })).toEqual({
      download: 'forced',
      update: 'forced',
      maintenanceWindow: 'available',
      chunks: [],
    })
    expect(await deploymentOf({ maintenanceWindow: windowIn(6) })).toBeUndefined()
  })
})

describe('a deployment that a client of the cohort cannot take', () => {
  const deployTwo = (cohortId: string, versions: readonly VersionWithArtifact[]) =>
    client.post(`/deployment-cohorts/${cohortId}/deployments`, {
      name: 'two',
      artifacts: versions.map(({ firmwareVersionId }) => ({ firmwareVersionId })),
    })

  it.each([
    ['rauc-hawkbit-c-agent/1.0', 409],
    ['libcurl-agent/1.0', 201],
  ])('is refused: of %s with %i', async (userAgent, status) => {
    const { workspaceId } = client
    const { ddi, cohortId } = await givenOfferedUpdate(test, client, [version])
    const { deviceId, deviceKey } = ddi
    await ddiClient(test, { workspaceId, deviceId, deviceKey }, { userAgent }).poll()
    const versions = [version, await givenVersionWithArtifact(test, client)]

    const response = await deployTwo(cohortId, versions)

    expect(response.statusCode).toBe(status)
    const { _links } = await ddi.poll()
    expect(Object.keys(_links)).toContain(status === 409 ? 'deploymentBase' : 'cancelAction')
  })
})
