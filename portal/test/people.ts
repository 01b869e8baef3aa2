/** How people come in: by invitation, forgotten password, second factor and identity provider; and what each role sees. */
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { computeCode, stepAt } from '../../server/src/features/people/factors/totp.ts'
import { partOf, type SmtpTestServer } from '../../server/test/smtp-server.ts'
import { runPlimsoll } from '../../cli/test/service.ts'
import {
  faultsOf,
  type Complaints,
  faultsInLooks,
  openContext,
  openPage,
  visit,
} from './browser.ts'
import type { OidcAccount, RunningPortal } from './running.ts'
import type { PortalWorkspace } from './portal-service.ts'

const PASSWORD = 'harbour wind and tide'
const NEW_PASSWORD = 'another tide, another wind'
const OWNER = 'people@example.com'
const VIEWER = 'vera@acme.example'
/** RFC 4648. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

let service: PortalWorkspace
let mail: SmtpTestServer
let issuer: string
let browser: Browser
const complaints: Complaints = { list: [] }

/** A browser of its own, as another person has. */
async function openVisitor(): Promise<Page> {
  return openPage(await openContext(browser), service.url, complaints)
}

const at = (path: string) => `${service.url}/w/${service.workspaceId}${path}`

/** The link of the newest of this many mails to an address: other parts have mails sent, too. */
async function linkOfMail(address: string, count: number): Promise<string> {
  await mail.took(count, address)
  const newest = mail.mailsTo(address).at(-1)
  return /http:\S+/.exec(newest ? partOf(newest, 'text/plain') : '')?.[0] ?? ''
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${service.url}/sign-in`)
  await signInHere(page, email, password)
}

async function signInHere(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function acceptWithPassword(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('textbox', { name: 'Your name' }).fill(name)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL(new RegExp(`/w/${service.workspaceId}(/setup)?$`))
}

/** The code of an authenticator app at present. */
function totpOf(secret: string): string {
  const bits = Array.from(secret, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/[01]{8}/g) ?? []
  return computeCode(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))), stepAt(new Date()))
}

/** Each page of the rail and of the settings. */
const PAGES = ['', '/findings', '/firmware', '/settings/workspace', '/settings/members']
const MORE_PAGES = [
  '/settings/api-keys',
  '/settings/sources',
  '/settings/ssvc',
  '/settings/owners',
  '/settings/suppliers',
  '/settings/audit-log',
  '/you',
]

/** Opens every page as whoever is signed in; what the service refused. */
async function visitAll(page: Page): Promise<string[]> {
  const refused: string[] = []
  page.on('response', (response) => {
    if ([401, 403].includes(response.status()))
      refused.push(`${response.status()} ${response.url()}`)
  })
  for (const path of [...PAGES, ...MORE_PAGES]) {
    await visit(page, at(path))
    for (const alert of await page.getByRole('alert').allTextContents())
      refused.push(`${path}: ${alert}`)
  }
  return refused
}

export function people(running: () => RunningPortal): void {
  let owner: Page
  let account: OidcAccount

  beforeAll(async () => {
    ;({ mail, issuer, browser, account } = running())
    service = await running().service.openWorkspace('People', OWNER)
    owner = await openVisitor()
    await acceptWithPassword(owner, `${service.url}/link#${service.setupToken}`, 'Ines Kovač')
  })

  it('come by a link that is handed over, where the service sends no mail', async () => {
    await owner.route('**/auth/options', async (route) => {
      const response = await route.fetch()
      const options = (await response.json()) as object
      await route.fulfill({ response, json: { ...options, mail: false } })
    })
    await owner.goto(at('/settings/members'))
    await owner.getByText('This service sends no mail').waitFor()
    const form = owner.getByRole('form', { name: 'Invite' })
    await form.getByRole('textbox', { name: 'E-mail' }).fill('hand@example.com')
    await form.getByRole('button', { name: 'Invite', exact: true }).click()
    await owner.getByText('No mail was sent: hand the link over to hand@example.com').waitFor()
    const link = await owner.getByText(/^http:\S+\/link#/).textContent()
    await owner.unroute('**/auth/options')
    const visitor = await openVisitor()

    await acceptWithPassword(visitor, link ?? '', 'Hand Over')

    await visitor.context().close()
    expect(mail.mailsTo('hand@example.com')).toEqual([])
  })

  it('come by an invitation in the mail, and see without changing', async () => {
    await owner.goto(at('/settings/members'))
    await owner.getByRole('textbox', { name: 'E-mail' }).fill(VIEWER)
    await owner.getByRole('combobox', { name: 'Role', exact: true }).click()
    await owner.getByRole('option', { name: 'Viewer' }).click()
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    await owner.getByText('A mail is on its way').waitFor()

    const vera = await openVisitor()
    await acceptWithPassword(vera, await linkOfMail(VIEWER, 1), 'Vera Brandt')
    const refused = await visitAll(vera)
    await vera.goto(at('/firmware'))
    await vera.getByText('No firmware yet').waitFor()

    expect(refused).toEqual([])
    expect(await vera.getByRole('button', { name: 'New firmware' }).count()).toBe(0)
    await vera.context().close()
  })

  it('get a new password by mail, and the old one ends', async () => {
    const page = await openVisitor()
    await page.goto(`${service.url}/sign-in`)
    await page.getByRole('link', { name: 'Forgot the password?' }).click()
    // The page before it has a field of this name, too.
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await page.getByRole('textbox', { name: 'E-mail' }).fill(VIEWER)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('a mail with a link is on its way').waitFor()
    await page.goto(await linkOfMail(VIEWER, 2))
    await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.waitForURL(/\/w\/|\/sign-in/)

    const other = await openVisitor()
    await signIn(other, VIEWER, PASSWORD)
    await other.getByRole('alert').waitFor()
    await signIn(other, VIEWER, NEW_PASSWORD)

    await other.waitForURL(at(''))
    await page.context().close()
    await other.context().close()
  })

  it('choose when a weekly mail tells them what is new', async () => {
    await owner.goto(at('/you'))
    const form = owner.getByRole('form', { name: 'Mails of People' })
    await form.getByRole('checkbox', { name: 'Send me the week of People' }).check()
    await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Nowhere')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').waitFor()
    await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin')
    await form.getByLabel(/^At/).fill('07:30')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved. Next').waitFor()

    await owner.reload()

    expect(await form.getByLabel(/^At/).inputValue()).toBe('07:30')
    expect(await form.getByRole('textbox', { name: 'Time zone' }).inputValue()).toBe(
      'Europe/Berlin',
    )
  })

  it('let a terminal act for them, and log it out', async () => {
    const home = mkdtempSync(join(tmpdir(), 'plimsoll-home-'))
    const page = await openVisitor()
    const pause = async (said: string) => {
      const [, address = ''] = /^or open (\S+)$/m.exec(said) ?? []
      await page.goto(address)
      await signInHere(page, OWNER, PASSWORD)
      await page.getByRole('button', { name: 'Go on' }).click()
      const code = new URL(address).searchParams.get('code') ?? ''
      await page.getByText(code, { exact: true }).waitFor()
      await page.getByText(hostname(), { exact: true }).waitFor()
      expect(await faultsInLooks(page, [address], () => Promise.resolve())).toEqual([])
      await page.getByRole('combobox', { name: 'It may' }).click()
      await page.getByRole('option', { name: 'read only' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('The terminal goes on').waitFor()
    }

    const done = await runPlimsoll({ XDG_CONFIG_HOME: home }, ['login', '--url', service.url], {
      pause,
    })
    const whoami = await runPlimsoll({ XDG_CONFIG_HOME: home }, ['whoami'])
    await page.goto(at('/you'))
    await page.getByRole('button', { name: `Log out: Terminal on ${hostname()}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('that act for you').waitFor({ state: 'detached' })
    const ended = await runPlimsoll({ XDG_CONFIG_HOME: home }, ['whoami'])

    expect(done.stderr).not.toContain('plm_')
    expect([done.exitCode, whoami.exitCode, ended.exitCode]).toEqual([0, 0, 7])
    expect(whoami.stdout).toContain(`Person:     ${OWNER}`)
    expect(whoami.stdout).not.toContain(': write')
    rmSync(home, { recursive: true })
    await page.context().close()
  })

  it('add an authenticator app, and are asked for its code', async () => {
    await owner.goto(at('/you'))
    await owner.getByRole('button', { name: 'Set up an app' }).click()
    const secret = await owner.getByText(/^[A-Z2-7]{32}$/).textContent()
    await owner.getByRole('textbox', { name: 'The six digits that it shows' }).fill('000000')
    await owner.getByRole('button', { name: 'Switch on' }).click()
    await owner.getByRole('alert').waitFor()
    await owner
      .getByRole('textbox', { name: 'The six digits that it shows' })
      .fill(totpOf(secret ?? ''))
    await owner.getByRole('button', { name: 'Switch on' }).click()
    const codes = await owner.getByText(/^[A-Z2-7-]{32}( [A-Z2-7-]{32}){9}$/).textContent()

    const other = await openVisitor()
    await signIn(other, OWNER, PASSWORD)
    await other.getByRole('button', { name: 'Use a recovery code' }).click()
    await other
      .getByRole('textbox', { name: 'One of your recovery codes' })
      .fill(codes?.split(' ')[0] ?? '')
    await other.getByRole('button', { name: 'Go on' }).click()

    await other.waitForURL(at(''))
    await other.context().close()
  })

  it('are led to add a second factor where the workspace asks for one', async () => {
    await owner.goto(at('/settings/workspace'))
    await owner.getByRole('checkbox', { name: 'Members need a second factor' }).check()
    await owner.getByRole('button', { name: 'Save settings' }).click()
    await owner.getByText('Saved.').waitFor()

    const vera = await openVisitor()
    await signIn(vera, VIEWER, NEW_PASSWORD)
    await vera.getByRole('link', { name: 'Add one to your account' }).click()
    await vera.getByRole('button', { name: 'Set up an app' }).waitFor()

    await owner.getByRole('checkbox', { name: 'Members need a second factor' }).uncheck()
    const saved = owner.waitForResponse((response) => response.url().endsWith('/settings'))
    await owner.getByRole('button', { name: 'Save settings' }).click()
    await saved
    await vera.goto(at('/firmware'))
    await vera.getByText('No firmware yet').waitFor()
    await vera.context().close()
  })

  it('come by an identity provider once they are members, back to where they wanted', async () => {
    account.claims = { sub: 'vera-1', email: VIEWER, email_verified: true }
    const page = await openVisitor()
    await page.goto(at('/firmware'))
    await page.getByRole('button', { name: 'Continue with Acme' }).click()
    await page.waitForURL(at('/firmware'))

    await page.getByText('Vera Brandt').waitFor()
    await page.context().close()
  })

  it.each([
    [{ email: 'stranger@acme.example', email_verified: true }, /invit|account/i],
    [{ email: OWNER, email_verified: false }, /verified/i],
  ])('are refused in words where the provider says %o', async (claims, words) => {
    account.claims = { sub: 'somebody', ...claims }
    const page = await openVisitor()
    await page.goto(`${service.url}/sign-in`)
    await page.getByRole('button', { name: 'Continue with Acme' }).click()

    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(words)
    await page.context().close()
  })

  it.each(['Engineer', 'Admin'])('see every page as %s', async (role) => {
    const answer = await owner.request.post(
      `${service.url}/workspaces/${service.workspaceId}/invitations`,
      {
        headers: { origin: service.url },
        data: { email: `${role}@acme.example`, role, send: false },
      },
    )
    const { link } = (await answer.json()) as { link: string }
    const page = await openVisitor()
    await acceptWithPassword(page, link, role)

    expect(await visitAll(page)).toEqual([])
    await page.context().close()
  })

  it('get another role once that was confirmed, and lose what they left open by a lower one', async () => {
    await service.write(
      `update members set role = 'Admin'
        where workspace_id = $1 and subject_id = (select id from people where email = $2)`,
      [service.workspaceId, 'hand@example.com'],
    )
    const page = await openVisitor()
    await signIn(page, 'hand@example.com', PASSWORD)
    await page.waitForURL(at(''))
    await page.request.post(`${service.url}/workspaces/${service.workspaceId}/invitations`, {
      headers: { origin: service.url },
      data: { email: 'soon@acme.example', role: 'Viewer' },
    })
    await page.context().close()
    await owner.goto(at('/settings/members'))
    await owner.getByText('soon@acme.example').waitFor()
    const role = owner.getByRole('combobox', { name: 'Role of Hand Over' })
    await role.click()
    await owner.getByRole('option', { name: 'Viewer' }).click()
    const dialog = owner.getByRole('dialog', { name: 'Make Hand Over a Viewer?' })
    await dialog.getByText(/Admin now; then Viewer:/).waitFor()
    await dialog.getByText('Invitations that they made end: soon@acme.example.').waitFor()
    await dialog.getByRole('button', { name: 'Go back' }).click()
    expect(await role.inputValue()).toBe('Admin')
    // Another owner is faster: what this page has read is old.
    let isRefused = false
    owner.on('response', (answer) => {
      isRefused ||= answer.status() === 412
    })
    const one = /\/members\/[0-9a-f-]+$/
    await owner.route(one, async (route) => {
      if (route.request().method() !== 'GET' || isRefused) return route.continue()
      const response = await route.fetch()
      const headers = { ...response.headers(), etag: '"as it was"' }
      return route.fulfill({ response, headers })
    })
    await role.click()
    await owner.getByRole('option', { name: 'Viewer' }).click()
    await dialog.getByText(/Admin now; then Viewer:/).waitFor()
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await dialog
      .getByText('Nothing was changed: somebody else changed the role meanwhile.')
      .waitFor()
    expect(await faultsOf(owner)).toEqual([])
    expect(await role.inputValue()).toBe('Admin')
    await owner.unroute(one)

    await dialog.getByRole('button', { name: 'Change role' }).click()

    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => role.inputValue()).toBe('Viewer')
    await owner.getByText('soon@acme.example').waitFor({ state: 'detached' })
  })

  it('are removed with what they left open, and with their keys on demand', async () => {
    const page = await openVisitor()
    await signIn(page, 'admin@acme.example', PASSWORD)
    await page.waitForURL(at(''))
    const post = (path: string, data: object) =>
      page.request.post(`${service.url}/workspaces/${service.workspaceId}${path}`, {
        headers: { origin: service.url },
        data,
      })
    await post('/invitations', { email: 'later@acme.example', role: 'Viewer' })
    const made = await post('/api-keys', { name: 'Nightly build', scopes: ['Firmware: read'] })
    expect([made.status(), made.ok() ? '' : await made.text()]).toEqual([201, ''])

    await owner.goto(at('/settings/members'))
    await owner.getByText('later@acme.example').waitFor()
    await owner.getByRole('button', { name: 'Remove Admin' }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByText('Nightly build').waitFor()
    await dialog.getByText('later@acme.example').waitFor()
    expect(
      await faultsInLooks(owner, ['the removal of a member'], () => Promise.resolve()),
    ).toEqual([])
    await dialog.getByRole('checkbox', { name: 'Revoke this key too' }).check()
    await dialog.getByRole('button', { name: 'Remove member' }).click()
    await dialog.waitFor({ state: 'detached' })

    await owner.getByText('later@acme.example').waitFor({ state: 'detached' })
    await owner.goto(at('/settings/api-keys'))
    const key = owner.getByRole('row').filter({ hasText: 'Nightly build' })
    await key.getByText('revoked').waitFor()
    await page.context().close()
  })

  it('meet no error of a script, no refused style and no other host but the provider', () => {
    expect(complaints.list.filter((one) => one !== `asked ${issuer}`)).toEqual([])
  })
}
