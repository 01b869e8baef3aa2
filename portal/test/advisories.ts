/** Advisories in a real browser: from a vulnerability to a published document, by keyboard alone. */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsOf, LOOKS, openContext, openPage, show } from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

export function advisories(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let cveId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Advisories', 'advisories@example.com')
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
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const faultsInBoth = async () => {
    const faults: string[] = []
    for (const look of LOOKS) {
      await show(page, look)
      faults.push(...(await faultsOf(page)))
    }
    await show(page, LOOKS[0])
    return faults
  }
  const save = async () => {
    await press(button('Save draft'))
    await page.getByRole('button', { name: 'Save draft', disabled: true }).waitFor()
  }

  it('are drafted of a vulnerability, and not published while an affected version has no remedy', async () => {
    await go('/advisories')
    await page.getByText('No advisory yet').waitFor()
    await page.getByText(/^Nobody outside can read anything/).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await go(`/vulnerabilities/${cveId}`)
    await press(button('Draft an advisory'))
    await page.getByText('A draft: nobody outside has seen it.').waitFor()
    expect(await faultsInBoth()).toEqual([])

    await page
      .getByRole('combobox', { name: `${cveId} in Harbour gateway 2.4` })
      .selectOption('KnownAffected')
    await page.getByText('Save your changes first: what is published is what was saved.').waitFor()
    await save()

    await page.getByText(/nothing is said of what users of Harbour gateway 2\.4 can do/).waitFor()
    expect(await button('Publish…').isDisabled()).toBe(true)
  })

  it('are published by somebody who read before what everybody will be able to read', async () => {
    await press(button(`Add a remedy for ${cveId}`))
    const remedy = page.getByRole('group', { name: `Remedy 1 of ${cveId}` })
    await remedy.getByRole('textbox', { name: 'What to do' }).fill('Close the <b>port</b>.')
    expect(await faultsInBoth()).toEqual([])
    await save()
    await page.getByText('Nothing: each affected version has a remedy for its users.').waitFor()

    await press(button('Publish…'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/It speaks of 1 vulnerability in 1 version/).waitFor()
    await dialog.getByText(/The public path is off/).waitFor()
    await dialog.getByText(/update for Harbour gateway 2\.4: Close the <b>port<\/b>\./).waitFor()
    expect(await faultsInBoth()).toEqual([])
    await press(dialog.getByRole('button', { name: 'Publish', exact: true }))

    await page.getByText(/^Published as it is here, as revision 1\./).waitFor()
    await page.getByRole('region', { name: 'Revision 1' }).waitFor()
    expect(await faultsInBoth()).toEqual([])
  })

  it('can be read by everybody once somebody switches the public path on, and not before', async () => {
    await go('/settings/advisories')
    await page.getByText(/1 published advisory would be readable/).waitFor()
    const publicPage = `${service.url}/public/${service.workspaceId}/`
    expect((await page.request.get(publicPage)).status()).toBe(404)
    await page.getByRole('textbox', { name: 'Contacts' }).fill('psirt@acme.example')
    await press(button('Save'))
    await page.getByText(/^Contact: mailto:psirt@acme\.example/).waitFor()
    expect(await faultsInBoth()).toEqual([])

    await press(button('Switch on…'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Everybody can read 1 advisory of/).waitFor()
    await press(dialog.getByRole('button', { name: 'Switch it on' }))

    await page.getByText(/^Everybody can read 1 published advisory of/).waitFor()
    expect((await page.request.get(publicPage)).status()).toBe(200)
    expect(await faultsInBoth()).toEqual([])
  })

  it('show what a revision would change, and are withdrawn by a revision', async () => {
    await go('/advisories')
    await page.getByRole('row', { name: /Harbour gateway.* published/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText(/^Published as it is here/).waitFor()
    await page.getByRole('textbox', { name: 'Summary', exact: true }).fill('Close the port now.')
    await save()
    await page.getByText(/^Changed since revision 1/).waitFor()
    await press(page.getByText('What the next revision would change'))
    await page.getByText('Summary: Close the port now.').waitFor()
    await page.getByText('1 statement new, 1 statement gone').waitFor()
    expect(await faultsInBoth()).toEqual([])

    await press(button('Withdraw…'))
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Why, for readers' }).fill('Not in our products.')
    await dialog.getByText('Everybody can read it at once').waitFor()
    await press(dialog.getByRole('button', { name: 'Withdraw', exact: true }))

    await page.getByText(/^Withdrawn: readers are told/).waitFor()
    await page.getByRole('region', { name: 'Revision 2' }).getByText('withdrawal').waitFor()
    await go(`/vulnerabilities/${cveId}`)
    await page.getByRole('link', { name: /^Advisory PSIRT-/ }).waitFor()
    expect(await faultsInBoth()).toEqual([])
    expect(complaints.list).toEqual([])
  })
}
