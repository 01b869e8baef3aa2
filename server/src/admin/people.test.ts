import { Command } from 'commander'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../test/app.ts'
import { givenMember, openBrowser } from '../../test/given-people.ts'
import { addPeopleCommands } from './people.ts'

let test: TestApp
let printed: Record<string, unknown>[]

beforeAll(async () => {
  test = await sharedTestApp()
})

beforeEach(() => {
  printed = []
})

async function run(...args: string[]): Promise<Record<string, unknown>> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addPeopleCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (_json, answer) => printed.push(answer),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await program.parseAsync(['person', ...args, '--json'], { from: 'user' })
  return printed.pop() ?? {}
}

const tokenOf = ({ link }: Record<string, unknown>) => new URL(String(link)).hash.slice(1)

it('invites, lists, resets, and ends sessions', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const owner = await givenMember(test, workspaceId)
  const email = `${crypto.randomUUID()}@example.com`
  const password = 'eleven wet umbrellas'

  const invited = await run('invite', email, '--workspace', workspaceId, '--role', 'Viewer')
  const browser = openBrowser(test)
  await browser.post('/auth/links/accept', { token: tokenOf(invited), password })
  const listed = await run('list', '--workspace', workspaceId)
  const reset = await run('reset', email)
  const ended = await run('sessions', 'end', email)
  const after = await browser.get('/me')

  expect(listed['people']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ email, role: 'Viewer', workspaceName: 'Acme' }),
      expect.objectContaining({ email: owner.email, role: 'Owner' }),
    ]),
  )
  expect(ended).toEqual({ email, sessionsEnded: 1, terminalsEnded: 0 })
  expect(after.statusCode).toBe(401)
  const accepted = await browser.post('/auth/links/accept', { token: tokenOf(reset), password })
  expect(accepted.json()).toMatchObject({ state: 'SignedIn' })
})

it.each([
  ['reset', 'nobody@example.com'],
  ['sessions', 'end', 'nobody@example.com'],
])('names a person that does not exist: %s %s', async (...args) => {
  await expect(run(...args)).rejects.toMatchObject({ code: 'person-not-found' })
})

it('refuses a role that is none', async () => {
  const { workspaceId } = await test.givenWorkspace()

  const inviting = run('invite', 'a@example.com', '--workspace', workspaceId, '--role', 'King')

  await expect(inviting).rejects.toMatchObject({ code: 'invalid-request' })
})
