/** Many tabs of one browser: a host gets six connections by HTTP/1.1, and each tab wants to hear what is new. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, openContext, openPage } from './browser.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

const TABS = 8

export function tabs(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let pages: Page[]
  const complaints: Complaints = { list: [] }
  /** Tabs that asked for a stream, one after another. */
  const streams: Page[] = []

  const open = async () => {
    const page = await openPage(context, service.url, complaints)
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) streams.push(page)
    })
    return page
  }

  /** A device is new, and each tab shows it without being asked. */
  const shows = async (id: string, tab: Page) => tab.getByRole('row', { name: id }).waitFor()
  const add = (id: string) => service.ask('POST', '/devices', { id })

  /** As the browser does it with the tab behind another one. */
  const hide = (page: Page, state: DocumentVisibilityState) =>
    page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { value: now, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)

  beforeAll(async () => {
    service = await running().service.openWorkspace('Tabs', 'tabs@example.com')
    context = await openContext(running().browser)
    const first = await open()
    await signedIn(first, service)
    pages = [first]
    await add('pump-1')
    await first.goto(`${service.url}/w/${service.workspaceId}/devices`)
    await shows('pump-1', first)
  })

  it('all load and hear what is new by one stream', async () => {
    while (pages.length < TABS) pages.push(await open())
    streams.splice(0, streams.length - 1)

    for (const page of pages.slice(1)) {
      await page.goto(`${service.url}/w/${service.workspaceId}/devices`)
      await shows('pump-1', page)
    }
    await add('pump-2')
    await Promise.all(pages.map((page) => shows('pump-2', page)))

    expect(streams).toEqual(pages.slice(0, 1))
  })

  it('go on when the tab that has the stream closes', async () => {
    await pages.shift()?.close()
    await expect.poll(() => streams).toHaveLength(2)

    await add('pump-3')

    await Promise.all(pages.map((page) => shows('pump-3', page)))
    expect(pages).toContain(streams.at(-1))
  })

  it('leave the stream while they are hidden, and catch up when they are shown', async () => {
    const holder = streams.at(-1)
    if (!holder) throw new Error('no tab has a stream')
    await hide(holder, 'hidden')
    await expect.poll(() => streams).toHaveLength(3)
    await add('pump-4')
    const others = pages.filter((page) => page !== holder)
    await Promise.all(others.map((page) => shows('pump-4', page)))
    expect(await holder.getByRole('row', { name: 'pump-4' }).count()).toBe(0)

    await hide(holder, 'visible')

    await shows('pump-4', holder)
    await add('pump-5')
    await shows('pump-5', holder)
    expect(streams).toHaveLength(3)
  })

  it('keep what is here and what was typed while the service cannot be reached', async () => {
    const page = pages.at(-1) ?? (await open())
    await page.goto(`${service.url}/w/${service.workspaceId}/settings/workspace`)
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Half typed')
    const told = complaints.list.length
    const cut = `**/workspaces/${service.workspaceId}/**`
    await page.route(cut, (route) => route.abort('connectionrefused'))
    await hide(page, 'hidden')
    await hide(page, 'visible')

    await page.getByText('This could not be brought up to date').waitFor()
    expect(await name.inputValue()).toBe('Half typed')
    await page.unroute(cut)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This could not be brought up to date').waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Half typed')
    complaints.list.splice(told)
  })

  it('say so where a part of the page could not be read', async () => {
    const page = await open()
    const told = complaints.list.length
    const cohorts = '**/deployment-cohorts'
    await page.route(cohorts, (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto(`${service.url}/w/${service.workspaceId}/devices`)
    await shows('pump-1', page)

    const missing = page.getByText('Some of this page could not be read')
    await missing.waitFor()
    await page.unroute(cohorts)
    await page.getByRole('button', { name: 'Try again' }).click()
    await missing.waitFor({ state: 'detached' })
    complaints.list.splice(told)
  })

  it('complain of nothing', async () => {
    await context.close()
    expect(complaints.list).toEqual([])
  })
}
