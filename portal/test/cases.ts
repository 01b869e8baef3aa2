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
  /** By the Tab key alone. */
  const reach = async (target: Locator) => {
    await target.waitFor()
    for (let presses = 0; presses < 200; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`The Tab key does not reach ${String(target)}`)
  }
  const pressReached = async (target: Locator) => {
    await reach(target)
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

    await pressReached(page.getByRole('button', { name: 'Set the instant of awareness…' }))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/this is \d{4}-\d\d-\d\d \d\d:\d\d UTC/).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await dialog.getByRole('textbox', { name: 'Aware since' }).press('Enter')

    await page.getByText(/^23 h \d\d min left$|^24 h left$/).waitFor()
    await pressReached(
      page.getByRole('link', { name: 'Open the draft: The submission of the early warning' }),
    )
    await page.getByText(/fields? missing\. They block nothing\./).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await page.getByRole('textbox', { name: 'Summary', exact: true }).fill('Seen <b>twice</b>.')
    await press(page.getByRole('button', { name: 'Save Summary' }))
    await page.getByRole('button', { name: 'Save Summary' }).waitFor({ state: 'detached' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await pressReached(page.getByRole('button', { name: 'Copy CVE id' }))
    await page.getByRole('button', { name: 'Copied CVE id' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(cveId)
    await press(page.getByRole('button', { name: 'Record submission…' }))
    await dialog.getByRole('textbox', { name: 'Reference' }).fill('SRP-1')
    await press(dialog.getByRole('button', { name: 'Record submission' }))
    await page.getByText('Its submission is recorded.').waitFor()
    await page.goBack()

    await page.getByText(/^submitted .* before it was due$/).waitFor()
    await page.getByText('The platform shows').waitFor()
    await press(page.getByText(/as SRP-1/).first())
    await page.getByText('Seen <b>twice</b>.').first().waitFor()
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

  it('are told on the overview and the wall although their figures fail', async () => {
    const problem = { type: '/problems/no-figures', title: 'None', status: 404, detail: 'None.' }
    const figures = `**/workspaces/${service.workspaceId}/overview*`
    await page.route(figures, (route) => route.fulfill({ status: 404, json: problem }))
    for (const path of ['', '?wall=1']) {
      await go(path)
      await page.getByText(/^Notification: .* left$/).waitFor()
    }
    await page.unroute(figures)
  })

  it('lead to the law point by point, where a note is written by keyboard and taken back', async () => {
    await go('/cases')
    await press(page.getByRole('link', { name: 'Obligations' }))
    const point = page.getByRole('article', { name: 'Properties of the device itself' })
    await point.getByText('Not known: Plimsoll does not look at it').waitFor()
    expect(await faultsInBoth()).toEqual([])

    await press(point.getByRole('button', { name: 'Write a note: Properties' }))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Who answers for it').fill('Vera <b>Holm</b>')
    await dialog.getByLabel('Where that is kept').fill('javascript:alert(1)')
    await press(dialog.getByRole('button', { name: 'Save note' }))
    await dialog.getByText('The address must begin with https://.').first().waitFor()
    expect(await faultsInBoth()).toEqual([])
    await dialog.getByLabel('Where that is kept').fill('https://docs.example/risk')
    await press(dialog.getByRole('button', { name: 'Save note' }))
    await point.getByText('Vera <b>Holm</b>').waitFor()
    await point.getByRole('link', { name: 'https://docs.example/risk' }).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await press(page.getByRole('button', { name: 'Undo' }).first())
    await point.getByText('Nobody has written who answers for it.').waitFor()
  })

  it('take a report from outside without a script, answer it by keyboard and propose a case', async () => {
    await go('/disclosure-reports')
    await page.getByText('No open report').waitFor()
    await page.getByRole('checkbox', { name: /^Everybody can open the page/ }).check()
    await press(page.getByRole('button', { name: 'Save the page' }))
    await page.getByText('on: everybody can send reports').waitFor()
    expect(await faultsInBoth()).toEqual([])

    const stranger = await running().browser.newContext({ javaScriptEnabled: false })
    const outside = await stranger.newPage()
    await outside.goto(`${service.url}/public/${service.workspaceId}/report`)
    await outside.getByLabel('Subject').fill('A way in <b>here</b>')
    await outside.getByLabel('What have you found?').fill('Hold the button\nwhile it starts.')
    await outside.getByRole('button', { name: 'Send the report' }).click()
    await outside.getByText('Keep the address of this page.').waitFor()

    await go('')
    await press(page.getByRole('link', { name: '1 report from outside' }))
    await page.getByRole('row', { name: /A way in <b>here<\/b>.*anonymous/ }).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Hold the button').waitFor()
    expect(await faultsInBoth()).toEqual([])
    await press(page.getByRole('button', { name: 'Answer…', exact: true }).first())
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Answer' }).fill('Thank you, we look.')
    await press(dialog.getByRole('button', { name: 'Send the answer' }))
    await page.getByText('Answered; whoever reported reads this').waitFor()
    await press(page.getByRole('button', { name: 'Propose a case…' }))
    await press(dialog.getByRole('button', { name: 'Propose case' }))
    await press(page.getByRole('link', { name: 'Its case' }))
    await page.getByRole('link', { name: 'A way in <b>here</b>' }).waitFor()
    expect(await faultsInBoth()).toEqual([])

    await outside.reload()
    await outside.getByText('Thank you, we look.').waitFor()
    await outside.getByText('Accepted: we work on it.').waitFor()
    await stranger.close()
    await page.getByRole('link', { name: /\d to assess$/ }).waitFor()
    expect(complaints.list).toEqual([])
  })

  it('open an intermediate report with its draft, also from what is missing', async () => {
    const { cases: made } = await service.ask<{ cases: { id: string; title: string }[] }>(
      'GET',
      '/cases',
    )
    const id = made.find(({ title }) => title === 'Root over the console')?.id ?? ''
    const dueAt = new Date(Date.now() + 86_400_000).toISOString()
    await service.ask('POST', `/cases/${id}/report-requests`, { dueAt, text: 'How many?' })
    const dialog = page.getByRole('dialog')
    const written: string[] = []
    for (const name of [/^Record it: The submission of the inter/, /^Record submission of the/]) {
      await go(`/cases/${id}`)
      await page.getByRole('button', { name }).click()
      const text = await dialog.getByRole('textbox', { name: /^Exact text/ }).inputValue()
      // A minute may pass between the two.
      written.push(text.replaceAll(/\d\d:\d\d UTC/g, 'UTC'))
    }

    expect(written[0]).toContain('Root over the console')
    expect(written[1]).toBe(written[0])
  })

  it('name versions that a case is about, and record what was reported upstream', async () => {
    const { cases: made } = await service.ask<{ cases: { id: string; title: string }[] }>(
      'GET',
      '/cases',
    )
    const own = made.find(({ title }) => title.startsWith('A way in'))
    await go(`/cases/${own?.id}`)
    await page.getByRole('button', { name: 'Add versions…', disabled: false }).waitFor()
    await press(page.getByRole('button', { name: 'Add versions…' }))
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel(/^Versions/)
      .first()
      .click()
    await page.getByRole('option', { name: 'Harbour gateway 2.4' }).click()
    await press(dialog.getByRole('button', { name: 'Add versions' }))
    await page.getByRole('link', { name: 'Harbour gateway 2.4' }).waitFor()

    const { versions } = await service.ask<{ versions: { firmwareVersionId: string }[] }>(
      'GET',
      `/cases/${own?.id}`,
    )
    const { findings } = await service.ask<{ findings: { id: string }[] }>(
      'POST',
      `/firmware-versions/${versions[0]?.firmwareVersionId}/vulnerability-findings/list`,
      {},
    )
    await go(`/findings/${findings[0]?.id}`)
    await press(page.getByRole('button', { name: 'Record a report…' }))
    await dialog.getByRole('textbox', { name: /^To/ }).fill('security@upstream.example')
    await dialog.getByRole('textbox', { name: 'What was reported' }).fill('It reads too far.')
    await press(dialog.getByRole('button', { name: 'Record it' }))
    await page.getByText('security@upstream.example').waitFor()
    expect(await faultsInBoth()).toEqual([])
  })

  it('let a customer be made by keyboard, whose link shows its devices until it is revoked', async () => {
    await service.ask('POST', '/devices', { id: 'gw-nord', tags: ['nord'] })
    await service.ask('POST', '/devices', { id: 'gw-sued' })
    await go('/customers')
    await pressReached(page.getByRole('link', { name: 'New customer' }))
    // The page before has a field of this name too, and is there for a moment longer than its address.
    const form = page.getByRole('form', { name: 'New customer' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Kraftwerk Nord')
    await form.getByRole('textbox', { name: /^Tag/ }).fill('nord')
    await pressReached(page.getByRole('button', { name: 'Create customer' }))
    await page.getByRole('textbox', { name: 'Who gets it' }).fill('Security desk')
    await page.keyboard.press('Enter')
    const link = page.getByRole('button', { name: /^Copy link http/ })
    const address = (await link.textContent()) ?? ''
    expect(await faultsInBoth()).toEqual([])

    const stranger = await running().browser.newContext({ javaScriptEnabled: false })
    const outside = await stranger.newPage()
    await outside.goto(address)
    await outside.getByRole('heading', { name: 'Kraftwerk Nord: your devices' }).waitFor()
    await outside.getByText('gw-nord').waitFor()
    expect(await outside.getByText('gw-sued').count()).toBe(0)

    await pressReached(page.getByRole('button', { name: 'Revoke Security desk' }))
    await pressReached(page.getByRole('button', { name: 'Revoke link' }))
    await page.getByText('revoked').waitFor()
    expect((await outside.reload())?.status()).toBe(404)
    await outside.getByText(/^This link has ended, was revoked/).waitFor()
    await stranger.close()
    expect(complaints.list).toEqual([])
  })
}
