/** Ends of support on the page of a version: dates of one's own, and what the firmware promises, each taken back. */
import type { Locator, Page } from 'playwright-core'
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

const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    { type: 'library', name: 'acme-bsp', version: '2.4', purl: 'pkg:generic/acme-bsp@2.4' },
  ],
}

export function support(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Support', 'support@example.com')
    const context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    const sbom = Buffer.from(JSON.stringify(SBOM))
    const versionId = await givenMatchedVersion(service, id, { name: '1', sbom })
    await page.goto(`${service.url}/w/${service.workspaceId}/versions/${versionId}?tab=support`)
  })

  const row = () => page.getByRole('row', { name: /acme-bsp/ })
  /** What was typed is lost. */
  const leave = async (dialog: Locator) => {
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Leave it' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const undo = () => page.getByRole('button', { name: 'Undo' }).last().click()

  it('is stated for a component, changed and removed, and each of it goes back', async () => {
    await page.getByRole('button', { name: 'Dates of your own' }).click()
    const dialog = page.getByRole('dialog', { name: 'Dates of your own' })
    await dialog.getByText('None is stated yet.').waitFor()
    await dialog.getByRole('textbox', { name: 'Component' }).fill('acme-bsp')
    await dialog.getByRole('textbox', { name: 'Link' }).fill('no link')
    await dialog.getByLabel('First day without fixes').fill('2020-06-30')
    await dialog.getByRole('button', { name: 'State this end' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox', { name: 'Link' }).fill('')
    await dialog.getByRole('button', { name: 'State this end' }).click()
    await row().getByText('own date').waitFor()
    expect(await row().innerText()).toContain('out since')

    await row().click()
    await dialog.getByText(/about 1 package of your versions/).waitFor()
    await dialog.getByRole('checkbox', { name: 'No end is planned' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row().getByText('no end planned').waitFor()
    await undo()
    await row()
      .getByText(/out since/)
      .waitFor()

    await row().click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row().waitFor({ state: 'detached' })
    await undo()
    await row().getByText('own date').waitFor()
    await row()
      .getByText(/out since/)
      .waitFor()
  })

  it('is promised for the firmware, and the promise goes back', async () => {
    await page.getByRole('button', { name: 'Promised support' }).click()
    const dialog = page.getByRole('dialog', { name: 'Promised support of gateway' })
    await dialog.getByLabel('Support is promised until').fill('2031-12-31')
    await dialog.getByRole('button', { name: 'Save the day' }).click()
    const promise = page.getByText(/Support is promised until .*2031; that of 0 components ends/)
    await promise.waitFor()
    await undo()
    await promise.waitFor({ state: 'detached' })
    expect(complaints.list).toEqual([])
  })

  it('stays as somebody else wrote it, whether a date or a promise', async () => {
    const { statements } = await service.ask<{ statements: [{ id: string }] }>(
      'GET',
      '/support-statements',
    )
    const theirs = { name: 'acme-bsp', endsOn: '2024-02-29', note: 'Of somebody else' }
    await row().click()
    const dates = page.getByRole('dialog', { name: 'Dates of your own' })
    await dates.getByRole('textbox', { name: 'Note' }).fill('Mine')
    await service.ask('PUT', `/support-statements/${statements[0].id}`, theirs)
    await dates.getByRole('button', { name: 'Save' }).click()
    await dates.getByText(/Somebody else has changed it meanwhile/).waitFor()
    await leave(dates)
    expect(await service.ask('GET', `/support-statements/${statements[0].id}`)).toMatchObject(
      theirs,
    )

    const { firmwares } = await service.ask<{ firmwares: [{ id: string }] }>('GET', '/firmwares')
    const firmware = `/firmwares/${firmwares[0].id}`
    // The page has read it before: what it reads now is another.
    await service.ask('PATCH', firmware, { description: 'Of somebody else' })
    await page.getByRole('button', { name: 'Promised support' }).click()
    const promise = page.getByRole('dialog', { name: 'Promised support of gateway' })
    await promise.getByLabel('Support is promised until').fill('2032-12-31')
    await promise.getByRole('button', { name: 'Save the day' }).click()
    await page.getByText(/Support is promised until .*2032/).waitFor()
    await page.getByRole('button', { name: 'Promised support' }).click()
    await promise.getByLabel('Support is promised until').fill('2033-12-31')
    await service.ask('PATCH', firmware, { supportEndsOn: '2034-12-31' })
    await promise.getByRole('button', { name: 'Save the day' }).click()
    await promise.getByText(/Somebody else has changed it meanwhile/).waitFor()
    await leave(promise)
    expect(await service.ask('GET', firmware)).toMatchObject({
      supportEndsOn: '2034-12-31',
      description: 'Of somebody else',
    })
  })

  it('can be read in each theme and width, with its form', async () => {
    await row().click()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await show(page, LOOKS[0])
  })
}
