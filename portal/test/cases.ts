/** Cases of Article 14 in a real browser: from a proposal to a submitted early warning, by keyboard alone. */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsOf, LOOKS, openContext, openPage, show } from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

export function cases(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let cveId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Cases', 'cases@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', {
      slug: 'gateway',
      name: 'Harbour gateway',
    })
    await givenMatchedVersion(service, firmware.id, { name: '2.4' })
    const { findings } = await service.ask<{ findings: { cveId: string }[] }>(
      'POST',
      '/vulnerability-findings/list',
      { filter: {} },
    )
    cveId = findings[0]?.cveId ?? ''
    await service.ask('POST', '/cases', {
      type: 'Vulnerability',
      title: 'Root over the console',
      cveId,
      productLineIds: [],
    })
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  /** As somebody without a mouse does once it has the focus. */
  const press = async (target: Locator) => {
    await target.focus()
    await page.keyboard.press('Enter')
  }
  const faultsInBoth = async () => {
    const faults: string[] = []
    for (const look of LOOKS) {
      await show(page, look)
      faults.push(...(await faultsOf(page)))
    }
    await show(page, LOOKS[0])
    return faults
  }

  it('say of a firmware in which product line it is, and let one be made of it', async () => {
    await go('/product-lines')
    await press(page.getByRole('link', { name: 'Make a product line of Harbour gateway' }))
    await page
      .getByLabel(/^Manufacturer/)
      .first()
      .fill('Acme GmbH')
    expect(await faultsInBoth()).toEqual([])
    await press(page.getByRole('button', { name: 'Create product line' }))

    await page.getByRole('row', { name: /Harbour gateway Acme GmbH .*not known/ }).waitFor()
    expect(await faultsInBoth()).toEqual([])
  })

  it('go by keyboard from the overview to running clocks and a submitted early warning', async () => {
    await go('')
    await press(page.getByRole('link', { name: '1 proposed, to assess' }))
    await page.getByRole('row', { name: /Root over the console/ }).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText(/No clock runs\./).waitFor()
    expect(await faultsInBoth()).toEqual([])

    await press(page.getByRole('button', { name: 'Set the instant of awareness…' }))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/this is \d{4}-\d\d-\d\d \d\d:\d\d UTC/).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await dialog.getByRole('textbox', { name: 'Aware since' }).press('Enter')

    await page.getByText(/^23 h \d\d min left$|^24 h left$/).waitFor()
    await press(page.getByRole('link', { name: 'Draft of the early warning' }))
    await page.getByText(/fields? missing\. They block nothing\./).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await page.getByRole('textbox', { name: 'Summary', exact: true }).fill('Seen <b>twice</b>.')
    await press(page.getByRole('button', { name: 'Save Summary' }))
    await page.getByRole('button', { name: 'Save Summary' }).waitFor({ state: 'detached' })
    await press(page.getByRole('button', { name: 'Record submission…' }))
    await dialog.getByRole('textbox', { name: 'Reference' }).fill('SRP-1')
    await press(dialog.getByRole('button', { name: 'Record submission' }))
    await page.getByText('Its submission is recorded.').waitFor()
    await page.goBack()

    await page.getByText(/^submitted .* before it was due$/).waitFor()
    await page.getByText('The platform shows').waitFor()
    await press(page.getByText(/as SRP-1/).first())
    await page.getByText('Seen <b>twice</b>.').waitFor()
    expect(await faultsInBoth()).toEqual([])
  })

  it('are told on the page of the vulnerability, in the rail and on the overview', async () => {
    await go(`/vulnerabilities/${cveId}`)
    await page.getByText(/notification, .* left/).waitFor()
    await press(page.getByRole('link', { name: '1 with running clocks' }))
    await page.getByRole('row', { name: /notification, .* left/ }).waitFor()

    await go('')
    await page.getByText(/^Notification: .* left$/).waitFor()
    expect(await faultsInBoth()).toEqual([])
    expect(complaints.list).toEqual([])
  })
}
