/** What people do with the portal, in a real browser over the real service: by mouse, and by keyboard alone. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsInLooks, openContext, openPage, visit } from './browser.ts'
import type { RunningPortal } from './running.ts'
import { givenMatchedVersion, OWNER, type PortalWorkspace } from './portal-service.ts'

const SBOM = resolve(import.meta.dirname, 'fixtures/gateway.cdx.json')
const PASSWORD = 'harbour wind and tide'

const run = promisify(execFile)

export function journeys(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    browser = running().browser
    service = await running().service.openWorkspace('Harbour', OWNER)
    context = await openContext(browser)
    page = await openPage(context, service.url, complaints)
  })

  const at = (path: string) => `${service.url}/w/${service.workspaceId}${path}`
  const go = async (path: string) => {
    await page.goto(at(path))
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  it('leads from the one-time link to the first steps, and the link works once', async () => {
    await page.goto(`${service.url}/setup#token=${service.setupToken}`)
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ines Kovač')
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.waitForURL(at('/setup'))

    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByText('Ines Kovač').waitFor()

    const again = await openPage(await openContext(browser), service.url, complaints)
    await again.goto(`${service.url}/setup#token=${service.setupToken}`)
    await again.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await again.context().close()
  })

  it('goes from nothing to a first answer in its first steps', async () => {
    await go('/setup')
    await page.getByRole('textbox', { name: 'Firmware' }).fill('Bench')
    await page.getByRole('textbox', { name: 'Version' }).fill('1.0.0')
    await page.getByLabel('SBOM file').setInputFiles(SBOM)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('button', { name: 'A first SBOM done' }).waitFor()
    await page.getByText('Overloaded:').waitFor()
    await page.getByRole('link', { name: 'See its findings' }).waitFor()

    await go('/setup?step=device')
    await page.getByRole('button', { name: 'Make its key' }).click()
    const command = await page.getByRole('button', { name: /^Copy command/ }).textContent()
    await page.getByText('Waiting for the first message of bench-1').waitFor()
    await run('sh', ['-c', command ?? ''])

    await page.getByText('bench-1 is here.').waitFor()
    await page.getByText('It runs bench 1.0.0.').waitFor()
  })

  it('takes a firmware, a version and its SBOM, and shows its findings', async () => {
    await go('/firmware')
    await page.getByRole('button', { name: 'New firmware' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Gateway')
    expect(await page.getByRole('textbox', { name: 'Short name' }).inputValue()).toBe('gateway')
    await page.getByRole('button', { name: 'Create firmware' }).click()
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByRole('textbox', { name: 'Version' }).fill('2.4.1')
    await page.getByRole('button', { name: 'Create version' }).click()
    await page.getByText('No SBOM yet').waitFor()
    await page.getByLabel('SBOM files').setInputFiles(SBOM)
    await page.getByText('Read and matched').waitFor()
    await page.getByRole('tab', { name: /Findings/ }).click()

    await page
      .getByRole('row', { name: /CVE-2024-3094|CVE-/ })
      .first()
      .waitFor()
    await page.getByText('Overloaded:').first().waitFor()
    await page.getByRole('link', { name: /^CVE-/ }).first().waitFor()
  })

  it('lets one decide by keyboard alone, and moves on to the next', async () => {
    await go('/findings')
    const first = page.locator('[aria-current="true"] code').first()
    await first.waitFor()
    const cveId = await first.textContent()
    const total = await page.locator('section header [role=status]').first().textContent()
    // The form is there before its finding, and decides nothing until then.
    await expect.poll(() => page.getByRole('button', { name: 'Ignore…' }).isEnabled()).toBe(true)

    await page.keyboard.press('1')
    await page.keyboard.press('n')
    await page.keyboard.type('Reachable from the field bus')
    await page.keyboard.press('Enter')

    await expect
      .poll(() => page.locator('[aria-current="true"] code').first().textContent())
      .not.toBe(cveId)
    await expect
      .poll(() => page.locator('section header [role=status]').first().textContent())
      .not.toBe(total)
    await page.getByText('1 decided this session').waitFor()
    const { findings } = await service.ask<{ findings: { assessments: unknown }[] }>(
      'POST',
      '/vulnerability-findings/list',
      { filter: { cveIds: [cveId] } },
    )
    expect(findings[0]?.assessments).toEqual([{ assessment: 'Exploitable', count: 2 }])
  })

  it('answers all about a vulnerability on one page, decides for all of it, and takes it back', async () => {
    await go('/findings')
    await page.locator('[aria-current="true"] code').first().waitFor()
    await page.getByRole('link', { name: /Open in full/ }).click()
    await page.waitForURL(/\/vulnerabilities\//)
    await page.getByRole('heading', { name: /^On 1 device in 1 version since .*\.$/ }).waitFor()
    await page.getByRole('heading', { name: /Why we think so/ }).waitFor()
    await page.getByText('was never read: what it says is not known').first().waitFor()
    const raw = page.getByText(/^cpe:2\.3:/).first()
    expect(await raw.isVisible()).toBe(false)
    await page.getByText('As the record has it').first().click()
    await raw.waitFor()

    await page.keyboard.press('3')
    await page.getByRole('button', { name: 'Decide 2 findings' }).click()
    await page
      .locator('[data-notice="done"]')
      .getByText(/^2 findings of .*: Resolved$/)
      .waitFor()
    const decided = page.getByRole('listitem').filter({ hasText: 'Resolved for 2 findings, by' })
    await decided.getByRole('button', { name: 'Take back…' }).click()
    await page.getByRole('button', { name: 'Take back 2 findings' }).click()

    await page.getByText('Taken back; Not assessed again for 2 findings').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('keeps what was typed when a form fails', async () => {
    await go('/firmware')
    await page.getByRole('button', { name: 'New firmware' }).click()
    await page.getByRole('textbox', { name: 'Short name' }).fill('gateway')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('A second gateway')
    expect(await page.getByRole('textbox', { name: 'Short name' }).inputValue()).toBe('gateway')
    await page.getByRole('button', { name: 'Create firmware' }).click()

    await page.getByRole('alert').waitFor()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    expect(await name.inputValue()).toBe('A second gateway')
  })

  it('shows text of strangers as text', async () => {
    const script = '<img src=x onerror="document.title=1">'
    const { firmwares } = await service.ask<{ firmwares: { id: string }[] }>('GET', '/firmwares')
    const component = {
      type: 'library',
      'bom-ref': 'x',
      name: `${script}\u202Eevil${'w'.repeat(4000)}`,
      version: script,
    }
    const sbom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components: [component] }
    const versionId = await givenMatchedVersion(service, firmwares[0]?.id ?? '', {
      name: '9',
      sbom: Buffer.from(JSON.stringify(sbom)),
    })

    await go(`/versions/${versionId}?tab=components`)

    await page
      .getByRole('cell', { name: /onerror/ })
      .first()
      .waitFor()
    expect(await page.title()).toContain('Plimsoll')
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })

  const versionId = async () => {
    const rows = await service.ask<{ firmwareVersionId: string }[]>(
      'GET',
      '/vulnerable-firmware-versions',
    )
    return rows[0]?.firmwareVersionId ?? ''
  }
  const pages = async () => {
    const version = `/versions/${await versionId()}`
    const tabs = [
      '',
      '?tab=components',
      '?tab=sboms',
      '?tab=artifacts',
      '?tab=compare',
      '?tab=documents',
    ].map((tab) => version + tab)
    const settings = ['workspace', 'members', 'api-keys', 'sources', 'audit-log'].map(
      (part) => `/settings/${part}`,
    )
    return [
      '',
      '?wall',
      '/setup',
      '/findings',
      '/vulnerabilities/CVE-2099-1',
      '/vulnerabilities/CVE-2024-3094',
      '/firmware',
      '/you',
      ...tabs,
      ...settings,
    ]
  }

  it('has no fault of accessibility on any page, light and dark, wide and narrow', async () => {
    const faults = await faultsInLooks(page, await pages(), (path) => visit(page, at(path)))

    expect(faults).toEqual([])
  })

  it('carries a file of advisories in, and says what it rejected', async () => {
    await go('/settings/sources')
    const records = [
      { schema_version: '1.5.0', id: 'GHSA-1', modified: '2026-01-01T00:00:00Z', affected: [] },
      { schema_version: '1.5.0', id: 'GHSA-2', modified: '2026-01-01T00:00:00Z', affected: 'all' },
    ]
    await page.getByLabel('File of advisories').setInputFiles({
      name: 'osv.jsonl',
      mimeType: 'application/json',
      buffer: Buffer.from(records.map((one) => JSON.stringify(one)).join('\n')),
    })

    await page.getByText('OSV: 1 new, 0 changed, 0 unchanged').waitFor()
    await page.getByText('1 record rejected').last().click()
    await page.getByText('1 × /affected is not an array').last().waitFor()
  })

  it('leads through a tour where the service has one, until it is dismissed', async () => {
    const path = new URL(at('/firmware')).pathname
    const step = { title: 'Look at the firmware', text: 'All of it.', path }
    await page.route('**/me', async (route) => {
      const response = await route.fetch()
      const me = (await response.json()) as object
      await route.fulfill({ response, json: { ...me, tour: [step] } })
    })
    await go('')
    await page.getByText('Try it · 1 thing left').click()
    await page.getByRole('link', { name: step.title }).click()
    await page.getByRole('heading', { name: 'Firmware', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('Try it · all seen').click()
    await page.getByRole('img', { name: 'seen' }).waitFor()
    await page.getByRole('button', { name: 'Close the tour' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Exposure' }).waitFor()

    expect(await page.getByRole('link', { name: step.title }).count()).toBe(0)
    await page.unroute('**/me')
  })

  it('shows the overview on a wall, which says how old it is once it hears nothing', async () => {
    await page.goto(at('?wall'))
    await page.getByText(/^Live · /).waitFor()
    const rails = await page.getByRole('navigation').count()
    const told = complaints.list.length
    await page.route('**/events', (route) => route.abort())
    await page.reload()

    await page.getByText(/^Not live: figures of .*, just now$/).waitFor()
    expect(rails).toBe(0)
    expect(complaints.list.splice(told).join()).toContain('ERR_FAILED')
    await page.unroute('**/events')
    await page.getByRole('link', { name: 'Leave the wall' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('signs out, refuses a wrong password in words, and comes back to where one was', async () => {
    await go('/firmware')
    await page.getByRole('button', { name: /account and theme/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(at('/findings'))
    await page.getByRole('textbox', { name: 'E-mail' }).fill(OWNER)
    await page.getByRole('textbox', { name: 'Password' }).fill('not the right one')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(OWNER)

    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await page.waitForURL(at('/findings'))
  })

  it('adds a passkey, and signs in with it', async () => {
    const debug = await context.newCDPSession(page)
    await debug.send('WebAuthn.enable')
    await debug.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await go('/you')
    // Until this form is there, another field of the page has this name alone.
    const form = page.getByRole('form', { name: 'New passkey' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('not used yet').waitFor()
    await page.getByRole('button', { name: /account and theme/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()

    await page.getByRole('textbox', { name: 'E-mail' }).fill(OWNER)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Use a passkey' }).click()

    await page.waitForURL(at(''))
  })

  it('asks for the second factor again before one goes, and then lets it go', async () => {
    const stale = { type: '/problems/second-factor-not-recent', title: '', status: 403, detail: '' }
    await go('/you')
    await page.route('**/me/passkeys/*', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify(stale),
      }),
    )
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.getByRole('button', { name: 'Go back' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Laptop', { exact: true }).waitFor()
    const remove = async () => {
      await page.getByRole('button', { name: 'Remove Laptop' }).click()
      await page.getByRole('button', { name: 'Remove passkey' }).click()
    }
    await remove()
    await page.getByText(/show your second factor again/).waitFor()
    await page.unroute('**/me/passkeys/*')

    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(/show your second factor again/).waitFor({ state: 'detached' })
    await remove()

    await page.getByText('Laptop', { exact: true }).waitFor({ state: 'detached' })
  })

  it('has complained of nothing: no error, no refused script or style, no other host', () => {
    expect(complaints.list).toEqual([])
  })
}
