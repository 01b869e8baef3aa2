/** Login by the portal and by key, the profiles they leave, and the programs' side of the flow of RFC 8628. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../server/test/app.ts'
import { type Browser, givenMember } from '../../server/test/given-people.ts'
import { givenPortal } from '../../server/test/given-portal.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll } from './service.ts'

let test: TestApp
let url: string
let workspace: TestWorkspace
let now = Date.now()

beforeAll(async () => {
  const own = await startTestApp()
  ;({ test, url } = await givenPortal(own))
  own.ctx.now = () => new Date(now)
  workspace = await test.givenWorkspace()
})

/** A home of its own. */
const givenHome = (): Environment => ({
  XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'plimsoll-home-')),
})
const fileIn = (home: Environment) => join(home['XDG_CONFIG_HOME'] ?? '', 'plimsoll/config.json')
const codeIn = (text: string) => /enter the code (\S+)/.exec(text)?.[1] ?? ''
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString()
const READ = ['Firmware: read', 'Devices: read']

async function approve(browser: Browser, userCode: string, more: object = {}) {
  const { workspaceId } = workspace
  const body = { userCode, workspaceId, scopes: READ, expiresAt: inDays(30), ...more }
  return browser.post('/me/terminal-logins/approve', body)
}

/** Logs in, while somebody approves in the portal. */
function logIn(home: Environment, browser: Browser, ...args: string[]) {
  const pause = (text: string) => approve(browser, codeIn(text))
  return runPlimsoll(home, ['login', '--url', url, ...args], { pause })
}

describe('plimsoll login, by the portal', () => {
  it('keeps a key that its owner alone can read, says as whom it acts, and logs out', async () => {
    const home = givenHome()
    const { browser, email } = await givenMember(test, workspace.workspaceId, 'Engineer')

    const done = await logIn(home, browser, '--profile', 'acme')
    const whoami = await runPlimsoll(home, ['whoami'])
    const listed = await runPlimsoll(home, ['profile', 'list', '--json'])
    const terminals = (await browser.get('/me/terminals')).json<object[]>()
    const out = await runPlimsoll(home, ['logout'])
    const after = await runPlimsoll(home, ['whoami'])

    expect(done.exitCode).toBe(0)
    expect(done.stdout).toMatch(new RegExp(`^Logged in to Acme at ${url} as ${email} until`))
    expect(done.stderr).not.toContain('plm_')
    expect(whoami.stdout).toContain(`Person:     ${email}`)
    expect(whoami.stdout).toContain(`Scopes:     ${READ.join(', ')}`)
    expect(listed.stdout).not.toContain('plm_')
    expect(terminals).toMatchObject([{ workspaceName: 'Acme', scopes: READ }])
    expect(out.stdout).toBe(`Logged out of Acme at ${url}.\n`)
    expect(after.exitCode).toBe(EXIT.unauthorised)
    expect((await browser.get('/me/terminals')).json()).toEqual([])
    expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600)
  })

  it('leaves a trace in the audit log: who let which machine in', async () => {
    const { browser, email } = await givenMember(test, workspace.workspaceId)
    await logIn(givenHome(), browser)

    const { entries } = (
      await browser.get(`/workspaces/${workspace.workspaceId}/audit-log?limit=2`)
    ).json<{ entries: { action: string; actorEmail: string; after: object }[] }>()

    expect(entries.map(({ action }) => action)).toEqual([
      'api-key.create',
      'terminal-login.approve',
    ])
    expect(entries).toMatchObject([{ actorEmail: email }, { actorEmail: email }])
    expect(entries[1]?.after).toMatchObject({
      client: expect.stringMatching(/^plimsoll /) as string,
    })
  })

  it('does what the person may at present, and nothing once the person has left', async () => {
    const home = givenHome()
    const { workspaceId } = workspace
    const { browser, id } = await givenMember(test, workspaceId, 'Engineer')
    const owner = await givenMember(test, workspaceId)
    const scopes = ['Firmware: read', 'Firmware: write']
    const pause = (text: string) => approve(browser, codeIn(text), { scopes })
    await runPlimsoll(home, ['login', '--url', url], { pause })

    const made = await runPlimsoll(home, ['firmware', 'create', 'modem'])
    await owner.browser.put(`/workspaces/${workspaceId}/members/${id}`, { role: 'Viewer' })
    const lowered = await runPlimsoll(home, ['firmware', 'create', 'modem-2'])
    const seen = await runPlimsoll(home, ['firmware', 'list', '--quiet'])
    await owner.browser.delete(`/workspaces/${workspaceId}/members/${id}`)
    const left = await runPlimsoll(home, ['firmware', 'list'])

    expect(made.exitCode).toBe(0)
    expect(lowered.stderr).toContain('Firmware: write')
    expect(seen.stdout).toContain('modem')
    expect(left.exitCode).toBe(EXIT.unauthorised)
  })

  it('says that it was refused, or that nobody came', async () => {
    const { browser } = await givenMember(test, workspace.workspaceId, 'Viewer')
    const refusing = (text: string) =>
      browser.post('/me/terminal-logins/refuse', { userCode: codeIn(text) })
    const sleeping = async () => {
      now += 11 * 60_000
    }

    const refused = await runPlimsoll(givenHome(), ['login', '--url', url], { pause: refusing })
    const late = await runPlimsoll(givenHome(), ['login', '--url', url], { pause: sleeping })

    expect(refused).toMatchObject({ exitCode: EXIT.unauthorised, stdout: '' })
    expect(late).toMatchObject({ exitCode: EXIT.timedOut, stdout: '' })
  })
})

describe('the flow, for other programs', () => {
  const begin = async () => {
    const payload = { client: 'west', host: 'bench-7' }
    const answer = await test.app.inject({ method: 'POST', url: '/auth/terminal-logins', payload })
    return answer.json<{ deviceCode: string; userCode: string; verificationUri: string }>()
  }
  const collect = async (deviceCode: string) => {
    const path = '/auth/terminal-logins/key'
    const answer = await test.app.inject({ method: 'POST', url: path, payload: { deviceCode } })
    return answer.json<{ type?: string; apiKey?: string }>()
  }

  it('answers pending, asks to slow down, gives the key once, and expires', async () => {
    const { browser } = await givenMember(test, workspace.workspaceId)
    const { deviceCode, userCode } = await begin()

    const pending = await collect(deviceCode)
    const early = await collect(deviceCode)
    now += 6000
    const stillEarly = await collect(deviceCode)
    // People type small letters and no hyphen.
    const typed = userCode.toLowerCase().replace('-', ' ')
    const shown = await browser.post('/me/terminal-logins/read', { userCode: typed })
    const approved = await approve(browser, typed)
    const again = await approve(browser, typed)
    now += 20_000
    const key = await collect(deviceCode)
    now += 20_000
    const used = await collect(deviceCode)

    expect(pending.type).toBe('/problems/authorization-pending')
    expect([early.type, stillEarly.type]).toEqual(['/problems/slow-down', '/problems/slow-down'])
    expect(shown.json()).toMatchObject({ userCode, host: 'bench-7', client: 'west' })
    expect([approved.statusCode, again.statusCode]).toEqual([204, 404])
    expect(key.apiKey).toMatch(/^plm_/)
    expect(used.type).toBe('/problems/expired-token')
  })

  it('stores no code of a program, and shows no letters that look alike', async () => {
    const { deviceCode, userCode } = await begin()

    const rows = await test.ctx.db.selectFrom('terminalLogins').selectAll().execute()

    expect(JSON.stringify(rows)).not.toContain(deviceCode)
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  })

  it.each([
    ['more than the role has', { scopes: ['Workspace settings: write'] }, 403],
    [
      'more than a year',
      {
        get expiresAt() {
          return inDays(400)
        },
      },
      400,
    ],
    [
      'the past',
      {
        get expiresAt() {
          return inDays(-1)
        },
      },
      400,
    ],
    ['a workspace of others', { workspaceId: crypto.randomUUID() }, 404],
  ])('approves not %s', async (_what, more, status) => {
    const { browser } = await givenMember(test, workspace.workspaceId, 'Engineer')
    const { userCode } = await begin()

    expect((await approve(browser, userCode, more)).statusCode).toBe(status)
  })

  it('lets nobody try codes', async () => {
    const { browser } = await givenMember(test, workspace.workspaceId)
    const { userCode } = await begin()
    const wrong = Array.from({ length: 9 }, (_, index) => `BBBB-BBB${'BCDFGHJKL'[index]}`)

    const statuses: number[] = []
    for (const code of wrong)
      statuses.push((await browser.post('/me/terminal-logins/read', { userCode: code })).statusCode)
    const right = await approve(browser, userCode)

    expect(new Set(statuses.slice(0, 8))).toEqual(new Set([404]))
    expect(right.statusCode).toBe(429)
  })

  it('needs a portal', async () => {
    const bare = await startTestApp({}, test.connectionString)
    const payload = { client: 'west', host: 'bench-7' }

    const answer = await bare.app.inject({ method: 'POST', url: '/auth/terminal-logins', payload })

    expect(answer.json()).toMatchObject({ status: 409, type: '/problems/no-portal' })
  })
})

describe('plimsoll device-key', () => {
  it('makes, rotates and revokes keys at the terminal of a person, and shows each once', async () => {
    const home = givenHome()
    const { browser } = await givenMember(test, workspace.workspaceId, 'Engineer')
    const pause = (text: string) =>
      approve(browser, codeIn(text), { scopes: ['Devices: read', 'Devices: write'] })
    await runPlimsoll(home, ['login', '--url', url], { pause })
    const run = (...args: string[]) => runPlimsoll(home, ['device-key', ...args])

    const made = await run('create', 'gw-keys', '--name', 'line 2')
    const rotated = await run('rotate', 'line 2')
    const oldId = /device-key revoke (\S+)/.exec(rotated.stderr)?.[1] ?? ''
    const ambiguous = await run('revoke', 'line 2', '--yes')
    const unasked = await run('revoke', oldId)
    const revoked = await run('revoke', oldId, '--yes')
    const listed = await run('list', '--device', 'gw-keys')
    const ended = await run('list', '--text', 'LINE 2', '--revoked', '--quiet')

    const [first, second] = [made.stdout.trim(), rotated.stdout.trim()]
    expect(first).toMatch(/^plmd_\S+$/)
    expect(second).toMatch(/^plmd_\S+$/)
    expect(second).not.toBe(first)
    expect(ambiguous.stderr).toContain('Several have the name "line 2"')
    expect(unasked.stderr).toContain('Revoke the key line 2 of gw-keys?')
    expect(revoked.exitCode).toBe(0)
    expect(listed.stdout).toMatch(/line 2 +key +gw-keys +in use[^]*line 2 +key +gw-keys +revoked/)
    expect(listed.stdout).not.toContain('plmd_')
    expect(ended.stdout.trim()).toBe(oldId)
  })

  it('refuses other API keys, and says who may', async () => {
    const environment = { ...givenHome(), PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey }

    const { exitCode, stderr } = await runPlimsoll(environment, ['device-key', 'create'])

    expect(exitCode).toBe(7)
    expect(stderr).toContain('logged in by `plimsoll login`')
  })
})

describe('plimsoll login, with a key, and profiles', () => {
  const withKey = (home: Environment, name: string, more: string[] = []) =>
    runPlimsoll(home, ['login', '--url', url, '--key-stdin', '--profile', name, ...more], {
      input: `${workspace.apiKey}\n`,
    })

  it('takes a key from stdin, and shows it nowhere', async () => {
    const home = givenHome()

    const done = await withKey(home, 'ci', ['--json'])
    const out = await runPlimsoll(home, ['logout'])
    const still = await runPlimsoll({ PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey }, [
      'whoami',
    ])

    expect(JSON.parse(done.stdout)).toMatchObject({ name: 'ci', url, isLogin: false })
    expect(done.stdout + done.stderr).not.toContain(workspace.apiKey)
    expect(out.stderr).toContain('The key itself still works')
    expect(still.exitCode).toBe(0)
  })

  it('writes its profiles to the file that a link names, for its owner alone', async () => {
    const home = givenHome()
    const dotfiles = mkdtempSync(join(tmpdir(), 'plimsoll-dotfiles-'))
    const kept = join(dotfiles, 'plimsoll.json')
    mkdirSync(dirname(fileIn(home)))
    symlinkSync(kept, fileIn(home))

    await withKey(home, 'one')
    await withKey(home, 'two')
    const removed = await runPlimsoll(home, ['profile', 'remove', 'two'])

    expect(removed.exitCode).toBe(0)
    expect(readlinkSync(fileIn(home))).toBe(kept)
    expect(readFileSync(kept, 'utf8')).toContain('"one"')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(readdirSync(dotfiles)).toEqual(['plimsoll.json'])
  })

  it('refuses a key that the service does not know, and keeps nothing', async () => {
    const home = givenHome()

    const done = await runPlimsoll(home, ['login', '--url', url, '--key-stdin'], {
      input: 'plm_no',
    })

    expect(done.exitCode).toBe(EXIT.unauthorised)
    expect((await runPlimsoll(home, ['profile', 'list'])).stdout).toBe('No profiles.\n')
  })

  it('uses the profile that is named, else the one in use', async () => {
    const home = givenHome()
    const other = await test.givenWorkspace()
    await withKey(home, 'one')
    await runPlimsoll(home, ['login', '--url', url, '--key-stdin', '--profile', 'two'], {
      input: other.apiKey,
    })
    const workspaceOf = async (environment: Environment, ...args: string[]) => {
      const { stdout } = await runPlimsoll(environment, ['whoami', '--json', ...args])
      return (JSON.parse(stdout) as { workspaceId: string }).workspaceId
    }

    const last = await workspaceOf(home)
    const used = await runPlimsoll(home, ['profile', 'use', 'one'])

    expect(last).toBe(other.workspaceId)
    expect(used.exitCode).toBe(0)
    expect(await workspaceOf(home)).toBe(workspace.workspaceId)
    expect(await workspaceOf({ ...home, PLIMSOLL_PROFILE: 'two' })).toBe(other.workspaceId)
    expect(await workspaceOf({ ...home, PLIMSOLL_PROFILE: 'two' }, '--profile', 'one')).toBe(
      workspace.workspaceId,
    )
    expect(await workspaceOf({ ...home, PLIMSOLL_API_KEY: other.apiKey })).toBe(other.workspaceId)
    const removed = await runPlimsoll(home, ['profile', 'remove', 'one'])
    expect(removed.exitCode).toBe(0)
    expect((await runPlimsoll(home, ['whoami'])).stderr).toContain('No API key')
    expect((await runPlimsoll(home, ['whoami', '--profile', 'one'])).stderr).toContain(
      'There are: two',
    )
  })

  it('never sends the key of a profile to another address', async () => {
    const home = givenHome()
    await withKey(home, 'one')

    const flag = await runPlimsoll(home, ['whoami', '--url', 'http://127.0.0.1:9'])
    const variable = await runPlimsoll({ ...home, PLIMSOLL_URL: 'http://127.0.0.1:9' }, ['whoami'])

    for (const { exitCode, stderr } of [flag, variable]) {
      expect(exitCode).toBe(EXIT.unauthorised)
      expect(stderr).toMatch(/^No API key for http:\/\/127\.0\.0\.1:9: .* alone\.\n$/)
    }
  })

  it('refuses a file that others can read, and one that is none', async () => {
    const home = givenHome()
    await withKey(home, 'one')
    chmodSync(fileIn(home), 0o644)

    const open = await runPlimsoll(home, ['whoami'])
    const stated = { ...home, PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey }
    const without = await runPlimsoll(stated, ['whoami'])

    expect(open).toMatchObject({ exitCode: EXIT.error, stdout: '' })
    expect(open.stderr).toContain(`chmod 600`)
    expect(readFileSync(fileIn(home), 'utf8')).toContain(workspace.apiKey)
    expect(without.exitCode).toBe(0)
  })
})
