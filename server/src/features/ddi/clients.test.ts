/** How known clients handle our answers: only their behaviour is reproduced, not their code. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  ddiClient,
  type DdiClient,
  givenOfferedUpdate,
  givenVersionWithArtifact,
  type PollAnswer,
  runningOf,
  updateOf,
} from '../../../test/given-ddi.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp({ publicUrl: 'https://plimsoll.example' })
  client = await givenClient(test)
})

const pathOf = (href: string | undefined) => {
  const { pathname, search } = new URL(href ?? '')
  return pathname + search
}

interface DeploymentAnswer {
  id: string
  deployment: {
    chunks: {
      part: string
      version: string
      name: string
      artifacts: {
        size: number
        hashes: { sha1: string; sha256: string }
        _links: Record<string, { href: string }>
      }[]
    }[]
  }
}

describe("Zephyr's client", () => {
  /** Takes 200 alone, wants a length, and keeps at most so many characters of an address. */
  async function ask(ddi: DdiClient, path: string): Promise<string> {
    expect(path.length).toBeLessThan(200)
    const response = await test.app.inject({
      url: path,
      headers: { authorization: `TargetToken ${ddi.deviceKey}` },
    })
    expect([path, response.statusCode]).toEqual([path, 200])
    expect(response.headers['content-length']).toBe(String(response.rawPayload.length))
    return response.body
  }

  async function probe(ddi: DdiClient): Promise<PollAnswer['_links']> {
    const { config, _links } = JSON.parse(await ask(ddi, ddi.base)) as PollAnswer
    expect(config.polling.sleep).toHaveLength(8)
    return _links
  }

  /** It polls again at once whenever it answered something, without a pause. */
  async function boot(ddi: DdiClient, { installed }: { installed: number }): Promise<number> {
    for (let turns = 0; turns < 5; turns++) {
      const links = await probe(ddi)
      if (links['cancelAction']) {
        await ddi.post(`${pathOf(links['cancelAction'].href)}/feedback`, CLOSED)
      } else if (links['configData']) {
        const body = { mode: 'merge', data: { VIN: 'nrf9160-0042' } }
        expect((await ddi.put('/configData', body)).statusCode).toBe(200)
      } else if (links['deploymentBase']) {
        return deploy(ddi, links['deploymentBase'].href, installed)
      } else return installed
    }
    throw new Error('it would go on for ever')
  }

  async function deploy(ddi: DdiClient, href: string, installed: number): Promise<number> {
    const path = pathOf(href)
    expect(path.slice(path.indexOf('deploymentBase/')).length).toBeLessThan(50)
    const { id, deployment } = JSON.parse(await ask(ddi, path)) as DeploymentAnswer
    const [chunk, ...more] = deployment.chunks
    const [artifact] = chunk?.artifacts ?? []
    expect([typeof id, chunk?.part, more]).toEqual(['string', 'bApp', []])
    const number = Number.parseInt(id, 10)
    if (number === installed) {
      const answer = await ddi.post(`/deploymentBase/${number}/feedback`, CLOSED)
      expect(answer.statusCode).toBe(200)
      return installed
    }
    const bytes = await ask(ddi, pathOf(artifact?._links['download-http']?.href))
    expect(bytes.length).toBe(artifact?.size)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact?.hashes.sha256)
    return number
  }

  it('installs, restarts, reports, and comes to rest', async () => {
    const version = await givenVersionWithArtifact(test, client, { fileName: 'zephyr.signed.bin' })
    const { ddi } = await givenOfferedUpdate(test, client, [version])

    const number = await boot(ddi, { installed: 0 })
    const after = await boot(ddi, { installed: number })
    const rest = await boot(ddi, { installed: after })

    expect([number, after, rest]).toEqual([1, 1, 1])
    expect(await updateOf(test, client.workspaceId, ddi.deviceId)).toMatchObject({
      state: 'succeeded',
      unconfirmed: true,
    })
  })
})

const CLOSED = { status: { execution: 'closed', result: { finished: 'success' } } }

describe("RAUC's client", () => {
  const feedback = (id: string, execution: string, finished: string, detail: string) => ({
    id,
    time: '20260822T101500',
    status: { result: { finished }, execution, details: [detail] },
  })

  it('closes the action before it restarts, and has succeeded when it is back', async () => {
    const { workspaceId } = client
    const version = await givenVersionWithArtifact(test, client, { fileName: 'bundle.raucb' })
    const given = await givenOfferedUpdate(test, client, [version])
    const userAgent = 'rauc-hawkbit-c-agent/1.0'
    const ddi = ddiClient(test, { workspaceId, ...given.ddi }, { userAgent })
    const identify = (running: string) =>
      ddi.put('/configData', {
        time: '20260822T101500',
        status: { result: { finished: 'success' }, execution: 'closed' },
        data: { product: 'Terminator', version: running },
      })

    await ddi.poll()
    await identify('1.0.0')
    const { _links } = await ddi.poll()
    const { id, deployment } = (
      await ddi.get(_links['deploymentBase']?.href ?? '')
    ).json<DeploymentAnswer>()
    const artifact = deployment.chunks[0]?.artifacts[0]
    const bundle = await ddi.get(pathOf(artifact?._links['download']?.href).slice(ddi.base.length))
    const post = (...said: [string, string, string]) =>
      ddi.post(`/deploymentBase/${id}/feedback`, feedback(id, ...said))
    await post('proceeding', 'none', 'Download complete. 1.00 MB/s')
    await post('proceeding', 'none', 'File checksum OK.')
    await post('closed', 'success', 'Software bundle installed successfully.')
    const beforeRestart = (await ddi.poll())._links
    await identify('1.0.0')
    const waiting = await updateOf(test, workspaceId, ddi.deviceId)
    await identify('2.0.0')

    expect(createHash('sha1').update(bundle.rawPayload).digest('hex')).toBe(artifact?.hashes.sha1)
    expect(beforeRestart).not.toHaveProperty('deploymentBase')
    expect(waiting).toMatchObject({ state: 'inProgress' })
    expect(await updateOf(test, workspaceId, ddi.deviceId)).toMatchObject({
      state: 'succeeded',
      unconfirmed: false,
    })
    expect(await runningOf(test, workspaceId, ddi.deviceId)).toMatchObject([
      { version: '2.0.0', confirmed: true },
    ])
  })

  it('gets an action of its own for another attempt, and the one before is gone', async () => {
    const { workspaceId } = client
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version], { maxAttempts: 2 })
    await ddi.poll()

    await ddi.post(
      '/deploymentBase/1/feedback',
      feedback('1', 'closed', 'failure', 'Bad checksum.'),
    )
    const { _links } = await ddi.poll()
    const late = await ddi.post('/deploymentBase/1/feedback', CLOSED)

    expect(_links['deploymentBase']?.href).toContain('/deploymentBase/2?')
    expect(late.statusCode).toBe(410)
    expect(await updateOf(test, workspaceId, ddi.deviceId)).toMatchObject({ state: 'pending' })
  })

  it('goes on with what it has begun while the roll-out pauses', async () => {
    const version = await givenVersionWithArtifact(test, client)
    const [working, idle] = [
      await givenOfferedUpdate(test, client, [version]),
      await givenOfferedUpdate(test, client, [version]),
    ]
    await working.ddi.post('/deploymentBase/1/feedback', feedback('1', 'proceeding', 'none', ''))
    for (const { cohortId, deploymentId } of [working, idle])
      await client.post(`/deployment-cohorts/${cohortId}/deployments/${deploymentId}/pause`)

    expect((await working.ddi.poll())._links).toHaveProperty('deploymentBase')
    expect((await idle.ddi.poll())._links).not.toHaveProperty('deploymentBase')
    expect((await idle.ddi.get('/deploymentBase/1')).statusCode).toBe(404)
  })
})
