/** Who did what, found by what it is about, in a real browser. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  type Complaints,
  faultsInLooks,
  faultsOf,
  NARROW,
  openContext,
  openPage,
  WIDE,
} from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

const LOG = '/settings/audit-log'

export function auditLog(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let versionId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Audit', 'mara@example.com')
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', {
      slug: 'gateway',
      name: 'Gateway',
    })
    versionId = await givenMatchedVersion(service, firmware.id, { name: '2.4.1' })
    await service.ask('POST', '/vulnerability-findings/bulk-assess', {
      filter: { cveIds: ['CVE-2023-28366'] },
      assessment: 'NotAffected',
      justification: 'code_not_reachable',
      detail: 'No QoS 2 here',
    })
    await service.ask('POST', '/devices', { id: 'pump-1' })
    const cohort = { name: 'Hall 1' }
    const { id } = await service.ask<{ id: string }>('POST', '/deployment-cohorts', cohort)
    await service.ask('PATCH', `/deployment-cohorts/${id}`, { name: 'Hall 2' })
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const row = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text })
  const pane = () => page.getByRole('complementary', { name: 'Entry' })
  const listEntries = async (query = 'limit=1000') =>
    (await service.ask<{ entries: { id: string }[] }>('GET', `/audit-log?${query}`)).entries

  it('opens with how many entries there are and by whom, as the list has them', async () => {
    await go(LOG)
    const count = (await listEntries()).length
    await page.getByText(`${count} entries in the last 7 days`).waitFor()
    expect(await page.locator('main ol > li').count()).toBe(count)
    await page.getByRole('link', { name: '1 decision', exact: true }).click()
    await page.getByText('1 entry in the last 7 days').waitFor()
    await row(/decided Not affected for 1 finding of CVE-2023-28366 in Gateway 2\.4\.1/).waitFor()
  })

  it('walks from entry to entry by keys, with what was before and after', async () => {
    await go(`${LOG}?kind=Deployment`)
    await page.keyboard.press('j')
    await pane().getByRole('heading', { name: 'Deployment' }).waitFor()
    const changed = pane().getByRole('row', { name: 'Name Hall 1 Hall 2' })
    await changed.waitFor()
    await page.keyboard.press('j')
    await pane().getByText('created the cohort').waitFor()
    await page.keyboard.press('k')
    await changed.waitFor()
    expect(new URL(page.url()).searchParams.get('at')).toBe(
      (await listEntries('kind=Deployment'))[0]?.id,
    )
    const opened = page
      .getByRole('link', { name: /open this entry/ })
      .and(page.locator('[aria-current="page"]'))
    expect(await opened.evaluate((link) => link === document.activeElement)).toBe(true)

    await page.keyboard.press('Escape')
    await pane().waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(
      /open this entry/,
    )
  })

  it('opens an entry by its address, though the filter leaves it out', async () => {
    const [newest] = await listEntries()
    await go(`${LOG}?kind=Decision&at=${newest?.id}`)
    await pane().getByRole('heading', { name: 'Sign-in' }).waitFor()
    await pane().getByText('Raw entry').click()
    expect(await faultsOf(page)).toEqual([])
  })

  it('finds by names that are picked: a version, a vulnerability, who did it', async () => {
    await go(LOG)
    const pick = async (label: string, text: string, option: string | RegExp) => {
      const field = page.locator(`input[aria-label="${label}"]`)
      await field.click()
      await field.fill(text)
      await page.getByRole('option', { name: option }).waitFor()
      if (label === 'About') expect(await faultsOf(page)).toEqual([])
      await page.keyboard.press('Enter')
    }
    await pick('About', '2.4', /^Gateway 2\.4\.1/)
    await page.waitForURL(new RegExp(`subject=firmware-version%3A${versionId}`))
    await row(/created the firmware version/).waitFor()
    expect(await row(/created the cohort/).count()).toBe(0)

    await pick('About', 'CVE-2023-28366', /^CVE-2023-28366/)
    await row(/decided Not affected/).waitFor()
    expect(await row(/created the firmware version/).count()).toBe(0)

    await page.getByRole('link', { name: 'CVE-2023-28366' }).first().click()
    await page.waitForURL(/\/vulnerabilities\/CVE-2023-28366/)
    await page.getByRole('link', { name: 'All entries' }).click()
    await row(/decided Not affected/).waitFor()
  })

  it('has its part on the page of what was done something with', async () => {
    const acts = [
      ['/devices/pump-1', /registered the device pump-1/],
      [`/versions/${versionId}?tab=sboms`, /added the SBOM a\.json of Gateway 2\.4\.1/],
      ['/vulnerabilities/CVE-2023-28366', /decided Not affected.*No QoS 2 here/],
    ] as const
    for (const [path, text] of acts) {
      await go(path)
      const recent = page.getByRole('list', { name: 'Who did what' })
      await recent.getByRole('listitem').filter({ hasText: text }).waitFor()
      expect(await faultsOf(page)).toEqual([])
    }
  })

  it('searches by text and day, and exports what it found', async () => {
    await go(LOG)
    await page.getByLabel('Text in an entry').fill('no qos 2')
    await page.waitForURL(/contains=no/)
    await row(/decided Not affected/).waitFor()
    const href = (await page.getByRole('link', { name: 'CSV' }).getAttribute('href')) ?? ''
    const csv = await page.evaluate(async (path) => (await fetch(path)).text(), href)
    expect(csv).toContain('No QoS 2 here')
    expect(csv).not.toContain('firmware.create')

    await page.locator('input[aria-label="When"]').click()
    await page.getByRole('option', { name: 'Days…' }).click()
    await page.getByLabel('From').fill('')
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Drop to' }).click()
    await row(/decided Not affected/).waitFor()
  })

  it('prints the list whole, with the filter, also where an entry is open', async () => {
    const [newest] = await listEntries()
    await go(`${LOG}?kind=Deployment&at=${newest?.id}`)
    await page.emulateMedia({ media: 'print' })
    await page.getByText('Who: everybody · what: Deployment · about: anything').waitFor()
    await page.getByText(/Audit · printed by/).waitFor()
    await expect.poll(() => pane().isVisible()).toBe(false)
    expect(await row(/the cohort Hall/).count()).toBe(2)
    await page.emulateMedia({ media: null })
  })

  it('shows one entry at a time on a narrow screen, and goes back to where one was', async () => {
    await page.setViewportSize(NARROW)
    await go(`${LOG}?kind=Deployment`)
    await row(/created the cohort/).click({ position: { x: 40, y: 10 } })
    await pane().getByRole('button', { name: /Close/ }).click()
    await row(/created the cohort/).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/open this entry/)
    await page.setViewportSize(WIDE)
  })

  it('has no fault in any look, closed and open', async () => {
    const [changed] = await listEntries('kind=Deployment')
    expect(await faultsInLooks(page, [LOG, `${LOG}?at=${changed?.id}`], go)).toEqual([])
    expect(complaints.list).toEqual([])
  })
}
