import { Command } from 'commander'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../test/app.ts'
import { givenTarget, type ShownTarget } from '../../test/given-targets.ts'
import { givenClient } from '../../test/given.ts'
import { addNotificationAddressCommands } from './notification-addresses.ts'

let test: TestApp
let printed: unknown[]

beforeAll(async () => {
  test = await sharedTestApp()
})

beforeEach(() => {
  printed = []
})

async function confirm(workspaceId: string, address: string): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addNotificationAddressCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (json, answer) => printed.push([json, answer]),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const args = ['confirm', '--workspace', workspaceId, '--address', address, '--json']
  await program.parseAsync(['notification-address', ...args], { from: 'user' })
}

it('confirms an address where no mail is sent', async () => {
  const client = await givenClient(test)
  const { id } = await givenTarget(client, ['ops@example.com'])

  await confirm(client.workspaceId.toUpperCase(), 'Ops@Example.com')

  const target = (await client.get(`/notification-targets/${id}`)).json<ShownTarget>()
  expect(printed).toEqual([[true, { address: 'ops@example.com', state: 'Confirmed' }]])
  expect(target.addresses).toMatchObject([{ state: 'Confirmed' }])
  expect((await client.get('/audit-log?limit=1')).json()).toMatchObject({
    entries: [{ actorType: 'Operator', action: 'notification-address.confirm' }],
  })
})

it('refuses what no target of the workspace has', async () => {
  const [client, other] = [await givenClient(test), await givenClient(test)]
  await givenTarget(other, ['ops@example.com'])

  const refused = { code: 'notification-address-not-found' }
  await expect(confirm(client.workspaceId, 'ops@example.com')).rejects.toMatchObject(refused)
  await expect(confirm(client.workspaceId, 'ops')).rejects.toThrow('has no @')
  await expect(confirm(crypto.randomUUID(), 'ops@example.com')).rejects.toThrow('workspace')
})
