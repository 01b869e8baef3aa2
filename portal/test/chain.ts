import { createHash } from 'node:crypto'
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
import { givenMatchedVersion, type PortalWorkspace } from './portal-service.ts'
import type { RunningPortal } from './running.ts'
import { signedIn } from './portal-service.ts'

const IMAGE = Buffer.from('the image')
const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const makeSbom = (content: string) =>
  Buffer.from(
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: {
        component: { type: 'firmware', name: 'gateway', hashes: [{ alg: 'SHA-256', content }] },
      },
      components: [{ type: 'library', name: 'zlib', version: '1.3.1' }],
    }),
  )

export function chain(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let firmwareId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Chain', 'chain@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const made = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    firmwareId = made.id
  })

  const openVersion = async (name: string, sbom: Buffer) => {
    const versionId = await givenMatchedVersion(service, firmwareId, { name, sbom })
    const path = `/firmware-versions/${versionId}/artifact?fileName=gateway.bin`
    await service.ask('PUT', path, IMAGE)
    await page.goto(`${service.url}/w/${service.workspaceId}/versions/${versionId}`)
    await page.locator('summary', { hasText: 'From SBOM to device' }).press('Enter')
    return page.getByRole('list', { name: 'From SBOM to device' })
  }

  it('says of each link that it is stated or missing, and how to get on, once it is opened by a key', async () => {
    const region = await openVersion('1', makeSbom(hashOf(IMAGE)))

    await region.getByText('Stated, not proved').waitFor()

    const items = await region.getByRole('listitem').allInnerTexts()
    expect(items.map((one) => one.split(/\s/)[0])).toEqual([
      'SBOM',
      'Stated,',
      'Image',
      'Missing',
      'Devices',
    ])
    expect(await region.innerText()).toContain('To prove it, upload a statement')
    expect(complaints.list).toEqual([])
  })

  it('says that an SBOM describes another image, and can be read in each theme and width', async () => {
    const region = await openVersion('2', makeSbom(hashOf('another')))

    await region.getByText('Differs').waitFor()

    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    expect(complaints.list).toEqual([])
  })
}
