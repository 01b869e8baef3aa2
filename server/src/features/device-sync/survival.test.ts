/** Reports answered with 2xx survive when the gateway is killed; repeated reports are stored once. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { givenClient } from '../../../test/given.ts'
import { givenSyncingDevice } from '../../../test/given-device-sync.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from '../../../test/service-process.ts'

const DEVICES = 6
const SYNCS = 40
/** Totals over all devices. */
const KILLED_AFTER: ReadonlySet<number> = new Set([80, 160])

it('keeps every accepted sync when the gateway is killed meanwhile', async () => {
  const test = await startTestApp()
  const { workspaceId } = await givenClient(test)
  const settings = {
    dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-test-')),
    port: await freePort(),
    managementPort: await freePort(),
    env: {
      DATABASE_URL: test.connectionString,
      PLIMSOLL_MQTT_PORT: '0',
      PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
    },
    args: ['--roles', 'gateway'],
  }
  let service: ServiceProcess = await startServiceProcess(settings)
  closeAtEndOfFile(() => endProcess(service.child, 'SIGKILL'))
  let accepted = 0

  async function killAndStart(): Promise<void> {
    await endProcess(service.child, 'SIGKILL')
    service = await startServiceProcess(settings)
  }

  /** Sends each until it is accepted, as a device does. */
  async function device(): Promise<string> {
    const { deviceId, deviceKey } = await givenSyncingDevice(test, workspaceId)
    const url = `${service.url}/device/v1/${workspaceId}/${deviceId}/sync`
    const headers = { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' }
    const send = async (body: string) => {
      try {
        return (await fetch(url, { method: 'POST', headers, body })).status
      } catch {
        return 0
      }
    }
    for (let sequence = 0; sequence < SYNCS; sequence += 1) {
      const body = {
        session: { runId: 'run', firmware: [{ slug: 'main', version: `1.${sequence}` }] },
        metrics: [{ name: 'count', value: sequence, sequence }],
      }
      while ((await send(JSON.stringify(body))) !== 200) await delay(20)
      accepted += 1
      if (KILLED_AFTER.has(accepted)) await killAndStart()
    }
    return deviceId
  }

  const deviceIds = await Promise.all(Array.from({ length: DEVICES }, device))

  expect(accepted).toBe(DEVICES * SYNCS)
  const points = await test.ctx.db
    .selectFrom('metricPoints')
    .select(['sum'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('sum')
    .execute()
  const values = points.map(({ sum }) => sum)
  expect(values).toEqual(
    Array.from({ length: SYNCS }, (_, at) => Array.from({ length: DEVICES }, () => at)).flat(),
  )
  const versions = await test.ctx.db
    .selectFrom('deviceFirmwares')
    .select(['version'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', 'in', deviceIds)
    .execute()
  expect(versions).toEqual(deviceIds.map(() => ({ version: `1.${SYNCS - 1}` })))
}, 300_000)
