/** What a document lacks, on the page of its version: read by keyboard, in each theme and width. */
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

const SBOM = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  dataLicense: 'CC0-1.0',
  name: 'gateway',
  documentNamespace: 'https://example.com/gateway',
  creationInfo: { created: '2026-11-29T10:00:00Z', creators: ['Tool: syft-1.0'] },
  packages: ['busybox', 'openssl', 'zlib'].map((name, i) => ({
    SPDXID: `SPDXRef-${name}`,
    name,
    versionInfo: '1',
    downloadLocation: 'NOASSERTION',
    ...(i === 0 && { supplier: 'Organization: Acme' }),
  })),
}

export function sbomGrades(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Grades', 'grades@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  it('say what the document lacks, and open by keyboard', async () => {
    const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    const sbom = Buffer.from(JSON.stringify(SBOM))
    const versionId = await givenMatchedVersion(service, id, { name: '1', sbom })
    await page.goto(`${service.url}/w/${service.workspaceId}/versions/${versionId}?tab=sboms`)

    const ntia = page.getByRole('group').filter({ hasText: 'NTIA minimum elements (2021)' })
    await ntia.getByText('of 8 required elements missing').waitFor()
    await ntia.locator('summary').focus()
    await page.keyboard.press('Enter')

    const supplier = page.getByRole('row', { name: /^Supplier name/ })
    await supplier.getByText('on 2 of 3 components').waitFor()
    expect(await supplier.innerText()).toContain('openssl@1, zlib@1')
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
}
