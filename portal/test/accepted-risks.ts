/** Accepting risks in a real browser: single and many, by mouse and by keyboard, with what the workspace demands. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  type Complaints,
  faultsOf,
  LOOKS,
  MORE_LOOKS,
  openContext,
  openPage,
  show,
} from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface Accepted {
  acceptances: {
    findingId: string
    cveId: string
    ownerEmail: string | null
    acceptance: {
      reason: string | null
      until: string | null
      conditions: Record<string, unknown>
    }
  }[]
}

export function acceptedRisks(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Accepted', 'accepted@example.com')
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', {
      slug: 'gateway',
      name: 'Gateway',
    })
    for (const name of ['2.4.0', '2.4.1']) await givenMatchedVersion(service, firmware.id, { name })
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const listAccepted = async (contains: string) => {
    const answer = await service.ask<Accepted>('POST', '/acceptances/list', {
      filter: { contains },
    })
    return answer.acceptances
  }
  const pressOnFirst = async (key: string) => {
    await page.locator('[aria-current="true"] code').first().waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Ignore…' }).isEnabled()).toBe(true)
    await page.keyboard.press(key)
  }
  const done = (text: string | RegExp) =>
    page.locator('[data-notice="done"]').getByText(text).waitFor()

  it('accepts a finding by keyboard alone, until a day, with its reason', async () => {
    await go('/findings?severity=High')
    await pressOnFirst('i')
    await page.locator('button:focus', { hasText: /Ignore \d+ finding/ }).waitFor()
    await page.keyboard.press('n')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('Not reachable from outside')
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']) {
      if (await page.locator('button:focus', { hasText: '90 days' }).count()) break
      await page.keyboard.press(key)
    }
    await page.getByRole('button', { name: '90 days' }).press('Enter')
    await page.getByText(/^Ends on .*, or as soon as it is known to be exploited\.$/).waitFor()
    await page
      .getByRole('dialog')
      .getByText(/findings? now:/)
      .waitFor()
    await page.getByRole('textbox', { name: 'Reason' }).press('Tab')
    await page.getByRole('button', { name: /^Ignore \d+ finding/ }).press('Enter')

    await done('Ignored until')
    const accepted = await listAccepted('Not reachable from outside')
    expect(accepted.length).toBeGreaterThan(0)
    expect(accepted[0]?.acceptance.conditions).toMatchObject({
      knownExploited: true,
      epssAbove: null,
    })
    const days = (Date.parse(accepted[0]?.acceptance.until ?? '') - Date.now()) / 86_400_000
    expect(Math.abs(days - 90)).toBeLessThan(2)
  })

  it('says before that a condition is met already, and shows the terms on the page of the finding', async () => {
    await go('/findings?exploited=1')
    await pressOnFirst('i')
    await page
      .getByRole('dialog')
      .getByLabel(/With a reason, an owner or an end/)
      .check()
    await page.getByText('A condition is met already: nothing is ignored.').waitFor()
    await page.getByLabel('it becomes known to be exploited').uncheck()
    await page.getByText(/Nothing ends it by itself/).waitFor()
    await page.getByLabel('its EPSS score is above, in %').fill('99.5')
    await page.getByLabel('more devices run it than').fill('1000')
    await page.getByLabel('a fix appears').check()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Behind a firewall')
    await page.getByLabel('a fix appears').uncheck()
    await page.getByText(/more than 1,000 devices run it\.$/).waitFor()
    await expect.poll(() => page.getByText(/A condition is met already/).count()).toBe(0)
    await page.getByRole('button', { name: /^Ignore \d+ finding/ }).click()
    await done('Ignored')

    const [accepted] = await listAccepted('Behind a firewall')
    expect(accepted?.acceptance).toMatchObject({
      until: null,
      conditions: {
        knownExploited: false,
        epssAbove: 0.995,
        devicesAbove: 1000,
        fixAvailable: false,
      },
    })
    await go(`/findings/${accepted?.findingId ?? ''}`)
    await page.getByText(/Reason: “Behind a firewall”/).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  it('asks for what the workspace demands, which its settings say', async () => {
    await go('/settings')
    await page.getByLabel('a reason').check()
    await page.getByLabel('an owner').check()
    await page.getByLabel('Tell the owner days before the end').fill('14')
    await page.getByLabel(/The release gate counts exploited/).check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await service.ask('GET', '/settings')).toMatchObject({
      acceptanceRequirements: ['Reason', 'Owner'],
      acceptanceNoticeDays: 14,
      gateForbidsExploitedAcceptances: true,
    })

    await go('/findings')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('i')
    const send = page.getByRole('button', { name: /^Ignore \d+ finding/ })
    await page.locator('textarea:focus').waitFor()
    expect(await send.isEnabled()).toBe(false)
    await page.keyboard.type('Accepted by the board')
    await page.getByRole('combobox', { name: 'Owner' }).click()
    await page.getByRole('option', { name: /\(you\)/ }).click()
    await expect.poll(() => send.isEnabled()).toBe(true)
    await send.click()
    await done('Ignored')

    const accepted = await listAccepted('Accepted by the board')
    expect(accepted[0]?.ownerEmail).toBe('accepted@example.com')
  })

  it('gives what is selected to a member, after a preview, and takes it back', async () => {
    await go('/accepted-risks?owner=nobody')
    const box = page.getByRole('checkbox', { name: /^Select CVE-/ }).first()
    const name = (await box.getAttribute('aria-label')) ?? ''
    await box.click()
    await page.getByRole('button', { name: 'Hand over 1 selected…' }).click()
    await page.getByRole('dialog').getByLabel('To').selectOption({ label: 'Ines Kovač (you)' })
    await page.getByText(/^1 of 1 change\. Ines Kovač is told/).waitFor()
    await page.getByRole('button', { name: 'Hand over 1 accepted risk' }).click()
    await done('1 accepted risk: Ines Kovač looks after them')
    await page.getByRole('checkbox', { name }).waitFor({ state: 'detached' })

    await page.keyboard.press('z')
    await page.getByRole('checkbox', { name }).waitFor()
    await page.getByLabel('Owner').selectOption({ label: 'Ines Kovač (you)' })
    await expect.poll(() => page.getByRole('checkbox', { name }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('owner')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('renews what is listed with a new reason, by keyboard', async () => {
    await go('/accepted-risks?q=board')
    await page.getByRole('button', { name: /^Renew \d+ listed…/ }).press('Enter')
    await page.getByRole('textbox', { name: 'New reason' }).fill('Accepted by the board, again')
    await page
      .getByRole('dialog')
      .getByText(/of \d+ change\. Each ends then/)
      .waitFor()
    await page.getByLabel('Until the end of').press('Enter')
    await done(/accepted until/)

    const renewed = await listAccepted('by the board, again')
    expect(renewed.every(({ acceptance }) => acceptance.until !== null)).toBe(true)
    expect(renewed.length).toBeGreaterThan(0)
  })

  it('can be read in each theme and width', async () => {
    await go('/findings')
    await page.keyboard.press('x')
    await page.keyboard.press('i')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).waitFor()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await go('/accepted-risks')
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    expect(complaints.list).toEqual([])
  })
}
