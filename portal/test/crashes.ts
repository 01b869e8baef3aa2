/** A crash in the portal: what can be changed about it goes back, by keyboard alone, and what cannot be told is said. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsInLooks, openContext, openPage, visit } from './browser.ts'
import { givenCrash } from './given-pages.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

export function crashes(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  let crashId: string
  let versionId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Crashes', 'crashes@example.com')
    const context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const { id: firmwareId } = await service.ask<{ id: string }>('POST', '/firmwares', {
      slug: 'gateway',
    })
    const create = async (name: string) =>
      (await service.ask<{ id: string }>('POST', `/firmwares/${firmwareId}/versions`, { name })).id
    versionId = await create('1.0.0')
    await create('1.1.0')
    for (const id of ['gw-1', 'gw-2']) await service.ask('POST', '/devices', { id })
    crashId = await givenCrash(service, { firmwareId, versionId })
  })

  const address = (path: string) => `${service.url}/w/${service.workspaceId}${path}`
  const facts = () => page.getByRole('main').locator('header').first()
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
  }

  it('is marked as fixed and opened again, and each of it goes back by a key', async () => {
    await page.goto(address(`/crashes/${crashId}`))
    await facts().getByText('Open', { exact: true }).waitFor()

    await press('Mark as fixed…')
    const dialog = page.getByRole('dialog', { name: 'Fixed in which version?' })
    await dialog.getByRole('combobox', { name: 'Version' }).waitFor()
    // The field has the focus.
    await page.keyboard.type('1.1')
    await page.getByRole('option', { name: '1.1.0' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: '1.1.0' }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Mark as fixed' }).focus()
    await page.keyboard.press('Enter')
    await facts().getByText('Fixed in 1.1.0').waitFor()
    await page.keyboard.press('z')
    await facts().getByText('Open', { exact: true }).waitFor()

    await service.ask('POST', `/crash-groups/${crashId}/close`, { fixedInVersionId: versionId })
    await facts().getByText('Fixed in 1.0.0').waitFor()
    await press('Open again')
    await facts().getByText('Open', { exact: true }).waitFor()
    await page.keyboard.press('z')
    await facts().getByText('Fixed in 1.0.0').waitFor()
    expect(complaints.list).toEqual([])
  })

  it('is linked from the audit log, which lists what was done to it', async () => {
    await visit(page, address(`/settings/audit-log?subject=crash-group:${crashId}`))

    const link = page.getByRole('link', { name: 'watchdog at 0x800abcd of 4be1d0a7' }).first()
    expect(await link.getAttribute('href')).toContain(`/crashes/${crashId}`)
  })

  it('says on how many devices it stands, day by day, on each page about it', async () => {
    const pages = ['/crashes', `/crashes/${crashId}`, `/versions/${versionId}?tab=crashes`]

    await visit(page, address('/crashes'))
    await page.getByText('From 1 device that reports crashes; 1 does not').waitFor()
    await page.getByRole('img', { name: '3 crashes in 14 days; 3 days not measured' }).waitFor()
    await visit(page, address(`/crashes/${crashId}`))
    await page.getByRole('img', { name: /^3 crashes in 30 days; 19 days not measured/ }).waitFor()
    await visit(page, address(`/versions/${versionId}?tab=crashes`))
    await page.getByRole('img', { name: /^1\.0\.0: 97\.\d % crash-free in 30 days/ }).waitFor()
    await visit(page, address('/devices/gw-2?tab=crashes'))
    await page.getByText('Nothing says that this device reports crashes').waitFor()

    expect(await faultsInLooks(page, pages, (path) => visit(page, address(path)))).toEqual([])
    expect(complaints.list).toEqual([])
  })
}
