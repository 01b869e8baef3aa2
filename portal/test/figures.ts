/** Figures of a period: read, opened by keyboard, and narrowed, in each theme and width. */
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

export function figures(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let cveId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Figures', 'figures@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    await givenMatchedVersion(service, id, { name: '1' })
    const { findings } = await service.ask<{
      findings: { cveId: string; firmwareVersions: { findingId: string }[] }[]
    }>('POST', '/vulnerability-findings/list', { filter: {} })
    cveId = findings[0]?.cveId ?? ''
    const findingId = findings[0]?.firmwareVersions[0]?.findingId ?? ''
    await service.ask('POST', `/vulnerability-findings/${findingId}/assessments`, {
      assessment: 'Exploitable',
    })
  })

  it('say what they mean, and show the cases behind them by keyboard', async () => {
    await page.goto(`${service.url}/w/${service.workspaceId}/figures`)
    const triage = page.locator('#timeToTriage')
    await triage.getByText('1 case', { exact: true }).first().waitFor()
    await triage.getByText('From the detection of a case to the first decision').waitFor()

    await triage.getByRole('button', { name: 'Cases' }).focus()
    await page.keyboard.press('Enter')

    const cases = page.getByRole('table', { name: 'Cases' })
    await cases.getByRole('link', { name: cveId }).waitFor()
    expect(new URL(page.url()).searchParams.get('figure')).toBe('timeToTriage')
  })

  it('are of the period that one asks for', async () => {
    await page.getByRole('button', { name: 'Last quarter' }).click()
    await page.getByText('This period is over: its figures stay as they are.').waitFor()

    await page.locator('#timeToTriage').getByText('no case').first().waitFor()
    await page.getByText('None is in this period.').waitFor()
    await page.getByRole('button', { name: '12 months' }).click()
    await page.getByRole('table', { name: 'Cases' }).waitFor()
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
