import { Command } from 'commander'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { givenClient } from '../../test/given.ts'
import { addDeviceCommands } from './devices.ts'

let test: TestApp
let printed: Record<string, unknown>[]

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(() => {
  printed = []
})

async function run(...args: string[]): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addDeviceCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (_json, answer) => printed.push(answer),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await program.parseAsync(['device-key', ...args], { from: 'user' })
}

async function created(...args: string[]) {
  await run('create', '--json', ...args)
  const key = printed.pop() ?? {}
  expect(Object.keys(key)).toEqual(['id', 'deviceKey'])
  return { id: String(key['id']), deviceKey: String(key['deviceKey']) }
}

const refused = { kind: 'unauthorized', code: 'device-unauthorized' }

it('creates keys of one device and of the fleet, shown once', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  await client.post('/devices/import', { devices: [{ id: 'one' }, { id: 'two' }] })
  const scope = ['--workspace', workspaceId]

  const own = await created(...scope, '--device', 'one', '--name', 'On the roof')
  const fleet = await created(...scope)
  await run('list', ...scope, '--json')

  const enter = (deviceId: string, { deviceKey }: { deviceKey: string }) =>
    test.doors.authenticate({ workspaceId, deviceId, deviceKey })
  expect(own.deviceKey).toMatch(/^plmd_[0-9A-Za-z]{40}$/)
  expect(await enter('one', own)).toMatchObject({ keyId: own.id, isFleetKey: false })
  expect(await enter('two', fleet)).toMatchObject({ keyId: fleet.id, isFleetKey: true })
  await expect(enter('two', own)).rejects.toMatchObject(refused)
  expect(printed).toMatchObject([
    {
      deviceKeys: [
        { id: own.id, deviceId: 'one', name: 'On the roof', revokedAt: null },
        { id: fleet.id, deviceId: null, name: 'fleet', revokedAt: null },
      ],
    },
  ])
  expect(JSON.stringify(printed)).not.toContain(fleet.deviceKey)
})

it('revokes a key for good', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  await client.post('/devices', { id: 'one' })
  const { id, deviceKey } = await created('--workspace', workspaceId)

  await run('revoke', id, '--workspace', workspaceId)
  await run('revoke', id, '--workspace', workspaceId)

  const entered = test.doors.authenticate({ workspaceId, deviceId: 'one', deviceKey })
  await expect(entered).rejects.toMatchObject(refused)
  expect(printed[1]).toEqual(printed[0])
  const audit = (await client.get('/audit-log')).json<{ entries: { action: string }[] }>()
  const actions = audit.entries.map(({ action }) => action)
  expect(actions.filter((action) => action.startsWith('device-key'))).toEqual([
    'device-key.revoke',
    'device-key.create',
  ])
})

it('refuses what names no workspace, device or key', async () => {
  const [client, other] = [await givenClient(test), await givenClient(test)]
  const key = await created('--workspace', other.workspaceId)
  const scope = ['--workspace', client.workspaceId]

  await expect(run('create', '--workspace', crypto.randomUUID())).rejects.toThrow('workspace')
  await expect(run('create', '--workspace', 'none')).rejects.toThrow('workspace')
  await expect(run('create', ...scope, '--device', 'a/b')).rejects.toThrow('id of a device')
  await expect(run('create', ...scope, '--name', ' ')).rejects.toThrow('name')
  await expect(run('revoke', key.id, ...scope)).rejects.toThrow('device key')
  await expect(run('revoke', 'none', ...scope)).rejects.toThrow('device key')
})
