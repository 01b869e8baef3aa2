/**
 * Several processes of each role behind HAProxy, as docs/guide/scale-out.md sets them up: the way from SBOM and device to
 * finding, notification and count, while one process after the other is killed. `npm run drill:scaled` makes it longer.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../src/admin/doctor.ts'
import { sweepOrphanedFiles } from '../src/features/sboms/index.ts'
import { drawChance } from '../src/simulator/chance.ts'
import { listFaults, OF_TEST_SERVER } from './doctor.ts'
import * as kept from './drill/kept.ts'
import { publishFlaws } from './drill/knowledge.ts'
import { fetchByHand, startLoad, type World } from './drill/load.ts'
import { tell } from './drill/progress.ts'
import {
  MEMBERS,
  MISSING,
  type ScaledInstallation,
  startScaledInstallation,
} from './drill/scaled.ts'
import { givenWorld } from './drill/world.ts'

const SEED = process.env['DRILL_SEED'] ?? '1'
/** By default one member of each role. */
const COUNT = Number(process.env['DRILL_FAULTS'] ?? 3)

if (MISSING.length > 0)
  process.stderr.write(`scaled.test.ts is skipped: no ${MISSING.join(', ')}\n`)

describe.skipIf(MISSING.length > 0)('two processes of each role behind a balancer', () => {
  let installation: ScaledInstallation
  beforeAll(async () => {
    installation = await startScaledInstallation((feeds) => void publishFlaws(feeds, 1))
  })
  afterAll(() => installation.end())

  async function hurt(): Promise<void> {
    for (let index = 0; index < COUNT; index += 1) {
      await delay(200 + 300 * drawChance(SEED, 'pause', index))
      const member = MEMBERS[index % MEMBERS.length] ?? 'api1'
      installation.expectRunning()
      await installation.kill(member)
      tell(`${index + 1} of ${COUNT}: ${member} killed`)
    }
  }

  it(
    `keep all that was accepted while they are killed ${COUNT} times (seed ${SEED})`,
    { timeout: 300_000 + COUNT * 30_000 },
    async () => {
      const stopping = new AbortController()
      const { keys, mqttDevices } = installation
      const { signal } = stopping
      const of = { installation, keys, mqttDevices, stopping: signal, pauseMs: 300 }
      const world = await givenWorld(of, 2 + Math.floor(COUNT / 10))
      const stale = listenForChange(world)
      const { accepted, someOfEach, ended } = startLoad(world)
      await someOfEach()
      await hurt()
      stopping.abort()
      await ended
      await kept.hurry(installation)

      expect(await stale).toMatch(/"topic"/)
      kept.expectSboms(await kept.settledSboms(world), accepted)
      await kept.expectLastBuild(world, accepted)
      await kept.expectDecisions(world, accepted)
      await kept.expectDeployments(world, accepted)
      await kept.expectPoints(world, accepted)
      await kept.expectRules(world, accepted)
      await kept.expectDelivered(installation, accepted)
      for (const source of ['osv', 'kev'] as const) await fetchByHand(world, source)
      await kept.expectFindings(world, accepted)
      // Workers leave files of an hour alone, as another node may be about to store their rows. The load is over now.
      await installation.beside((ctx) => sweepOrphanedFiles(ctx, new Date()))
      await kept.expectFiles(installation, accepted)
      const checks = CHECKS.filter(({ name }) => !OF_TEST_SERVER.includes(name))
      expect(await installation.beside((ctx) => listFaults(ctx, checks))).toEqual([])
    },
  )

  it('lose no request while one of each stops', async () => {
    const members = ['api1', 'gateway1'] as const
    await Promise.all(members.map((member) => installation.whenTaken(member)))
    const asked = new AbortController()
    const asking = askUntil(installation, asked.signal)

    await Promise.all(members.map((member) => installation.stop(member)))
    asked.abort()

    expect(new Set(await asking)).toEqual(new Set([200]))
  })
})

/** The first change that the stream of events tells of. Asks again when the member that it hangs on is killed. */
async function listenForChange(world: World): Promise<string> {
  for (;;) {
    const text = await listenOnce(world).catch(() => '')
    if (text.includes('"topic"')) return text
    await delay(100)
  }
}

/** What the stream of events says, until it tells of a change or ends. */
async function listenOnce({ installation, keys }: World): Promise<string> {
  const path = `/workspaces/${keys.workspaceId}/events`
  const response = await fetch(`${installation.service.url}${path}`, {
    headers: { authorization: `Bearer ${keys.apiKey}` },
  })
  let text = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.includes('"topic"')) break
  }
  return text
}

/** Asks the API and the door of devices, one request after another. Answers the statuses; 0: there was none. */
async function askUntil({ service, keys }: ScaledInstallation, signal: AbortSignal) {
  const statuses: number[] = []
  const ask = async (path: string, key: string, init: RequestInit) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}${path}`, { ...init, headers }).catch(() => undefined)
    await answer?.arrayBuffer()
    statuses.push(answer?.status ?? 0)
  }
  const { workspaceId, apiKey, deviceKey } = keys
  while (!signal.aborted) {
    await ask(`/workspaces/${workspaceId}/firmwares`, apiKey, {})
    const body = '{}'
    await ask(`/device/v1/${workspaceId}/device-1/sync`, deviceKey, { method: 'POST', body })
    await delay(20)
  }
  return statuses
}
