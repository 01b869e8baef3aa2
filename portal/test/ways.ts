/** Ways between pages, in a real browser: a past day is kept or said to be left, rows open tabs, nothing is far away. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { openContext, openPage, visit } from './browser.ts'
import { givenPages } from './given-pages.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

/** Pages that `givenPages` leaves out, as they have nothing of their own to open. */
const MORE_PATHS = [
  '/accepted-risks',
  '/figures',
  '/setup',
  '/alerts',
  '/deployments/what-if',
  '/settings',
]
const ROUTES = readFileSync(resolve(import.meta.dirname, '../src/routes.tsx'), 'utf8')
/** Pages that a menu leads to. */
const MENUS = [
  ['/findings', 'View and export', 'Standing decisions'],
  ['/findings', 'View and export', 'Accepted risks'],
  ['/findings', 'View and export', 'Proposals'],
  ['/devices', /account and theme/, 'Password, second factor, sessions'],
] as const

/** Of all pages of a workspace. */
const PATTERNS = [...ROUTES.matchAll(/\.\.\.page\('([^']+)'\)/g)].map(([, pattern = '']) => pattern)

export function ways(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  let paths: string[]

  beforeAll(async () => {
    service = await running().service.openWorkspace('Ways', 'ways@example.com')
    paths = [...(await givenPages(service, true)), ...MORE_PATHS]
    page = await openPage(await openContext(running().browser), service.url, { list: [] })
    await signedIn(page, service)
  })

  const base = () => `${service.url}/w/${service.workspaceId}`
  const go = async (path: string) => {
    await visit(page, base() + path)
  }
  const findPath = (pattern: RegExp) => paths.find((path) => pattern.test(path)) ?? ''
  const said = () => page.getByText(/^You looked at .*; this page shows now\.$/)

  it('keeps a past day on every page that has a past, and says on every other one that it shows now', async () => {
    const asOf = new Date().toISOString()
    const seen = new Set<string>()
    const wrong: string[] = []
    await go('')
    for (const path of paths) {
      const [name = '', query = ''] = path.split('?')
      const search = new URLSearchParams(query)
      search.set('asOf', asOf)
      await page.evaluate((to) => history.pushState({}, '', to), `${base()}${name}?${search}`)
      const told = page.getByText(/^You look at the state of/).or(said())
      // The page before may be here for a moment.
      await expect
        .poll(() => told.count())
        .toBe(1)
        .catch(() => wrong.push(path))
      for (const pattern of PATTERNS) if (isOfRoute(name, pattern)) seen.add(pattern)
    }

    expect(wrong).toEqual([])
    expect(PATTERNS.length).toBeGreaterThan(20)
    expect(PATTERNS.filter((pattern) => !seen.has(pattern))).toEqual([])
  })

  it('carries the day by every link of a past page, and leads back to it or on to now', async () => {
    await go(findPath(/^\/versions\/.*asOf/))
    await page.getByText(/^You look at the state of/).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    const hrefs = await page
      .locator('a[href^="/w/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    expect(hrefs.length).toBeGreaterThan(10)
    expect(hrefs.filter((href) => !href.includes('asOf='))).toEqual([])

    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    await said().waitFor()
    await page.getByRole('button', { name: /^Back to / }).click()
    await page.getByText(/^You look at the state of/).waitFor()

    // In a tab of its own, and when that is loaded anew.
    const opened = page.context().waitForEvent('page')
    await page
      .getByRole('link', { name: 'Devices', exact: true })
      .first()
      .click({ modifiers: ['ControlOrMeta'] })
    const tab = await opened
    await tab.getByText(/^You looked at .*; this page shows now\.$/).waitFor()
    await tab.reload()
    await tab.getByRole('button', { name: /^Back to / }).click()
    await tab.getByText(/^You look at the state of/).waitFor()
    expect(new URL(tab.url()).pathname).toBe(new URL(page.url()).pathname)
    await tab.close()

    await page.getByRole('link', { name: 'Firmware', exact: true }).first().click()
    await page.getByRole('link', { name: 'Go on with now' }).click()
    await said().waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${base()}/firmware`)
  })

  /** Where the row leads in a tab of its own. */
  const openTab = async (row: Locator, button: 'middle' | 'left') => {
    const opened = page.context().waitForEvent('page')
    await row.click(button === 'middle' ? { button } : { modifiers: ['ControlOrMeta'] })
    const tab = await opened
    await tab.waitForURL(/\/w\//)
    const path = new URL(tab.url()).pathname.replace(`/w/${service.workspaceId}`, '')
    await tab.close()
    return path
  }

  it.each([
    ['/findings', '[aria-label="Vulnerabilities"] li a', /^\/vulnerabilities\/CVE-/],
    ['/findings?group=single', '[aria-label="Findings"] li a', /^\/findings\/./],
    ['/devices', '[role=rowgroup] [role=row]', /^\/devices\/gw-1$/],
    ['/firmware', '[role=rowgroup] [role=row]', /^\/firmware\/./],
  ])('opens what a row of %s stands for in a tab of its own', async (path, selector, target) => {
    await go(path)
    const row = page.locator(selector).first()
    const address = page.url()

    const opened = [await openTab(row, 'middle'), await openTab(row, 'left')]

    expect(opened).toEqual([expect.stringMatching(target), expect.stringMatching(target)])
    expect(page.url()).toBe(address)
  })

  it('has nothing that is more than two clicks from a page of the rail', async () => {
    const reached = new Map<string, string>()
    const note = (hrefs: readonly string[]) => {
      for (const href of hrefs) {
        const [path = ''] = href.replace(`/w/${service.workspaceId}`, '').split('?')
        const pattern = PATTERNS.find((one) => isOfRoute(path, one))
        if (pattern !== undefined && !reached.has(pattern)) reached.set(pattern, path)
      }
    }
    const collect = async () => {
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      const links = page.locator('a[href^="/w/"]')
      note(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')))
      for (const table of await page.getByRole('table').all()) {
        const row = table.locator('[data-opens]').first()
        if ((await row.count()) > 0) note([await openTab(row, 'middle')])
      }
    }
    await go('')
    const rail = await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const first = new Set<string>()
    for (const href of rail) {
      await visit(page, service.url + href)
      await collect()
      for (const path of reached.values()) first.add(path)
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click()
        await collect()
      }
    }
    for (const path of first) {
      await go(path)
      await collect()
    }
    // From a page, the first click opens the menu.
    for (const [path, menu, item] of MENUS) {
      await go(path)
      await page.getByRole('button', { name: menu }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(path))
      note([new URL(page.url()).pathname])
    }
    expect(PATTERNS.filter((pattern) => !reached.has(pattern))).toEqual([])
  })
}

/** `/versions/$versionId` is the route of `/versions/0198…`. */
function isOfRoute(path: string, pattern: string): boolean {
  const escaped = pattern.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/]+')
  return new RegExp(`^${escaped}$`).test(path)
}
