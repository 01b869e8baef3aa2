import { Command } from 'commander'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../test/app.ts'
import { type Client, givenClient } from '../../test/given.ts'
import { addOverrideCommands } from './overrides.ts'

let test: TestApp
let client: Client
let printed: unknown[]

beforeAll(async () => {
  test = await sharedTestApp()
})

beforeEach(async () => {
  printed = []
  client = await givenClient(test)
})

async function override(...args: string[]): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addOverrideCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (_, answer) => printed.push(answer),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const all = ['override', ...args, '--workspace', client.workspaceId]
  await program.parseAsync(all, { from: 'user' })
}

const IDENTIFIED = {
  selector: { name: 'libfoo', version: '1.2' },
  purls: ['pkg:github/acme/foo'],
  cpes: ['cpe:2.3:a:acme:foo:1.2.0:*:*:*:*:*:*:*'],
  reason: 'named so by the build',
}

it('creates, lists and deletes overrides as members do', async () => {
  const [purl = '', cpe = ''] = [...IDENTIFIED.purls, ...IDENTIFIED.cpes]
  const what = ['--name', 'libfoo', '--declared-version', '1.2', '--reason', IDENTIFIED.reason]
  await override('create', ...what, '--add-purl', purl, '--add-cpe', cpe, '--json')
  const listed = (await client.get('/package-overrides')).json<{ overrides: { id: string }[] }>()
  await override('list', '--json')
  const id = listed.overrides[0]?.id ?? ''
  await override('delete', id)

  expect(listed.overrides).toMatchObject([{ ...IDENTIFIED, createdByEmail: null }])
  expect(printed).toMatchObject([
    { override: { id } },
    { overrides: [IDENTIFIED] },
    { id, deleted: true },
  ])
  expect((await client.get('/package-overrides')).json()).toEqual({ overrides: [] })
  expect((await client.get('/audit-log?limit=2')).json()).toMatchObject({
    entries: [
      { actorType: 'Operator', action: 'package-override.delete' },
      { actorType: 'Operator', action: 'package-override.create' },
    ],
  })
})

it('replaces an override as members do', async () => {
  const made = await client.post('/package-overrides', {
    selector: { name: 'libfoo', version: '1.2' },
    ignored: true,
    reason: 'not built',
  })
  const { id } = made.json<{ id: string }>()
  const stated = { selector: { name: 'libfoo', version: null }, version: '1.3', ignored: false }
  await override('update', id, '--name', 'libfoo', '--set-version', '1.3', '--any-version')

  expect(printed).toEqual([{ id, componentCount: 0, madeFor: 'any version' }])
  expect((await client.get('/package-overrides')).json()).toMatchObject({
    overrides: [{ id, ...stated, anyVersion: true, reason: null }],
  })
  expect((await client.get('/audit-log?limit=1')).json()).toMatchObject({
    entries: [{ actorType: 'Operator', action: 'package-override.update' }],
  })
})

it.each([
  [['create', '--ignore', '--reason', 'x'], 'Say which components'],
  [['create', '--name', 'x', '--ignore'], 'State a reason'],
  [['create', '--name', 'x', '--add-purl', 'x'], 'not a valid purl'],
  [['update', crypto.randomUUID(), '--ignore', '--reason', 'x'], 'Say which components'],
  [
    ['update', crypto.randomUUID(), '--name', 'x', '--set-version', '1'],
    'No package override has the id',
  ],
  [['delete', crypto.randomUUID()], 'No package override has the id'],
])('refuses %j in words', async (args, words) => {
  await expect(override(...args)).rejects.toThrow(words)
})

it('does not touch overrides of other workspaces', async () => {
  const other = await givenClient(test)
  const made = await other.post('/package-overrides', {
    selector: { name: 'libfoo' },
    ignored: true,
    reason: 'x',
  })
  const { id } = made.json<{ id: string }>()

  await expect(override('delete', id)).rejects.toThrow('No package override has the id')
  await expect(override('update', id, '--name', 'x', '--set-version', '1')).rejects.toThrow(
    'No package override has the id',
  )
  await override('list', '--json')

  expect(printed).toEqual([{ overrides: [] }])
})
