/** Licence rules on the page of a version: stated by keyboard, judged at once, taken back. */
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

const component = (name: string, expression: string) => ({
  type: 'library',
  name,
  version: '1',
  licenses: [{ expression }],
})
const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [component('good', 'MIT'), component('bad', 'AGPL-3.0-only')],
}

export function licences(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Licences', 'licences@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  it('say that nothing is judged, then what may not ship, and go back', async () => {
    const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    const sbom = Buffer.from(JSON.stringify(SBOM))
    const versionId = await givenMatchedVersion(service, id, { name: '1', sbom })
    await page.goto(`${service.url}/w/${service.workspaceId}/versions/${versionId}?tab=licences`)
    await page.getByText('There are no licence rules, so that nothing was judged').waitFor()

    await page.getByRole('button', { name: 'Rules of the workspace' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Rules of the workspace' })
    await dialog.getByRole('textbox', { name: 'Allowed' }).fill('MIT OR Apache-2.0')
    await dialog.getByRole('textbox', { name: 'Denied' }).fill('AGPL-3.0-or-later')
    await dialog.getByRole('button', { name: 'Save rules' }).click()
    await dialog.getByText('A rule names one licence').first().waitFor()
    await dialog.getByRole('textbox', { name: 'Allowed' }).fill('MIT')
    await dialog.getByRole('textbox', { name: 'Denied' }).fill('AGPL-3.0-only')
    await dialog.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('By the rules of the workspace, 1 component may not ship.').waitFor()
    const denied = page.getByRole('row', { name: /AGPL-3\.0-only/ })
    expect(await denied.innerText()).toContain('Denied')

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('There are no licence rules, so that nothing was judged').waitFor()
    expect(complaints.list).toEqual([])
  })

  it('can be read in each theme and width', async () => {
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
      const isWiderThanScreen = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
      expect(isWiderThanScreen).toBe(false)
    }
  })

  it('choose components of a version, beside the ends of their support', async () => {
    const rules = { allow: ['MIT'], deny: ['AGPL-3.0-only'], review: [], failOn: ['denied'] }
    await service.ask('PUT', '/licence-rules', { rules })
    const [version = ''] = /versions\/[^?]+/.exec(page.url()) ?? []
    await page.goto(`${service.url}/w/${service.workspaceId}/${version}?tab=components`)
    const good = page.getByRole('row', { name: /^good/ })
    await good.getByText('not known').waitFor()

    await page.getByRole('button', { name: 'Licence denied 1' }).click()
    await good.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^bad/ }).waitFor()
    await page.getByRole('button', { name: 'Out of support 0' }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Out of support 0' }).click()
    await page.getByRole('button', { name: 'Licence denied 1' }).click()
    await page.getByRole('button', { name: 'Support not known 2' }).click()
    await good.waitFor()

    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await show(page, LOOKS[0])
    expect(complaints.list).toEqual([])
  })
}
