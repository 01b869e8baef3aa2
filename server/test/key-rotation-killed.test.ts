/** A service that is killed in each step of replacing a key: a key of the device lets it in afterwards, and no more hold than is said. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import {
  createDistantDevice,
  hashText,
  listKeysInForce,
  type RotatingDevice,
} from './given-key-rotation.ts'
import { waitForLocks } from './lock-waits.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts'

let test: TestApp
let client: Client
let service: ServiceProcess
let start: () => Promise<ServiceProcess>

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  const settings = {
    dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-test-')),
    port: await freePort(),
    managementPort: await freePort(),
    env: { DATABASE_URL: test.connectionString },
    args: ['--roles', 'gateway'],
  }
  closeAtEndOfFile(() => endProcess(service.child, 'SIGKILL'))
  start = () => startServiceProcess(settings)
  service = await start()
})

const kill = () => endProcess(service.child, 'SIGKILL')

/** Asked to replace its key. */
async function givenDevice(): Promise<RotatingDevice> {
  const device = createDistantDevice(
    () => service.url,
    await givenSyncingDevice(test, client.workspaceId),
  )
  await client.post(`/devices/${device.deviceId}/key-rotation`)
  return device
}

/**
 * The service waits for the audit log at the end of its transaction, when all but that is written. The result lets it go.
 */
async function holdAuditLog(): Promise<() => Promise<void>> {
  const release = Promise.withResolvers<undefined>()
  const held = Promise.withResolvers<undefined>()
  const transaction = test.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table audit_log in share mode`.execute(tx)
    held.resolve(undefined)
    await release.promise
  })
  await held.promise
  return async () => {
    release.resolve(undefined)
    await transaction
  }
}

/** The device goes on until it is done; what holds in the end is what is said. */
async function expectToFinish(device: RotatingDevice): Promise<void> {
  expect(await device.sync()).toBe(true)
  const rotation = async () => {
    const answer = await client.get(`/devices/${device.deviceId}`)
    return answer.json<{ keyRotation: { state: string } }>().keyRotation.state
  }
  if ((await rotation()) !== 'Done') {
    expect(await device.fetch()).toBe(201)
    expect(await device.sync()).toBe(true)
  }
  expect(await rotation()).toBe('Done')
  expect(await listKeysInForce(test, device)).toEqual([
    { hash: hashText(device.keys.present), isNext: false },
  ])
}

it('goes on with the present key where it was killed while it gave the next one', async () => {
  const device = await givenDevice()
  const release = await holdAuditLog()
  const fetching = device.fetch()
  await waitForLocks(test.ctx)

  await kill()
  await release()
  const answered = await fetching
  service = await start()

  expect(answered).toBe(0)
  expect(await listKeysInForce(test, device)).toEqual([
    { hash: hashText(device.keys.present), isNext: false },
  ])
  await expectToFinish(device)
})

it('lets both keys in where the answer with the next one was lost with it', async () => {
  const device = await givenDevice()
  expect(await device.fetch({ isLost: true })).toBe(201)
  await kill()
  service = await start()

  const inForce = await listKeysInForce(test, device)

  expect(inForce.map(({ isNext }) => isNext)).toEqual([false, true])
  expect(await device.sync()).toBe(true)
  expect(await device.fetch()).toBe(201)
  expect((await listKeysInForce(test, device)).map(({ isNext }) => isNext)).toEqual([
    false,
    true,
    true,
  ])
  await expectToFinish(device)
})

it('lets both keys in where it was killed while the next one was used first', async () => {
  const device = await givenDevice()
  await device.fetch()
  const release = await holdAuditLog()
  const using = device.sync()
  await waitForLocks(test.ctx)

  await kill()
  await release()
  const isIn = await using
  service = await start()

  expect(isIn).toBe(false)
  expect((await listKeysInForce(test, device)).map(({ isNext }) => isNext)).toEqual([false, true])
  await expectToFinish(device)
})

it('lets the new key in alone where it was killed before it answered the first use', async () => {
  const device = await givenDevice()
  await device.fetch()
  const next = device.keys.next ?? ''
  expect(await device.sync({ isLost: true })).toBe(true)
  await kill()
  service = await start()

  expect(await listKeysInForce(test, device)).toEqual([{ hash: hashText(next), isNext: false }])
  await expectToFinish(device)
  expect(device.keys.present).toBe(next)
})

it('ends what a clone holds once the other one uses its next key, and says so to the clone', async () => {
  const device = await givenDevice()
  const clone = createDistantDevice(() => service.url, {
    ...device,
    deviceKey: device.keys.present,
  })
  // Both are asked, and both fetch: each gets a key of its own.
  expect([await device.fetch(), await clone.fetch()]).toEqual([201, 201])
  expect(device.keys.next).not.toBe(clone.keys.next)

  const [first, second] = [await device.sync(), await clone.sync()]

  expect([first, second]).toEqual([true, false])
  expect(await clone.fetch()).toBe(401)
  expect(await device.sync()).toBe(true)
  expect(await listKeysInForce(test, device)).toEqual([
    { hash: hashText(device.keys.present), isNext: false },
  ])
})
