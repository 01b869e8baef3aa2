/** Ways between pages, in a real browser: a past day is kept or said to be left. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { openContext, openPage } from './browser.ts'
import { givenPages } from './given-pages.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

/** Pages that `givenPages` leaves out, as they have nothing of their own to open. */
const MORE_PATHS = ['/setup', '/alerts', '/deployments/what-if', '/settings']
const ROUTES = readFileSync(resolve(import.meta.dirname, '../src/routes.tsx'), 'utf8')

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
    await page.goto(base() + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const findPath = (pattern: RegExp) => paths.find((path) => pattern.test(path)) ?? ''
  const said = () => page.getByText(/^You looked at .*; this page shows now\.$/)

  it('keeps a past day on every page that has a past, and says on every other one that it shows now', async () => {
    const asOf = new Date().toISOString()
    const patterns = [...ROUTES.matchAll(/\.\.\.page\('([^']+)'\)/g)].map(
      ([, pattern = '']) => pattern,
    )
    const seen = new Set<string>()
    const wrong: string[] = []
    await go('')
    for (const path of paths) {
      const [name = '', query = ''] = path.split('?')
      const search = new URLSearchParams(query)
      search.set('asOf', asOf)
      await page.evaluate((to) => history.pushState({}, '', to), `${base()}${name}?${search}`)
      const told = page.getByText(/^You look at the state of/).or(said())
      await told
        .first()
        .waitFor()
        .catch(() => wrong.push(path))
      if ((await told.count()) !== 1) wrong.push(`${path}: ${await told.count()}`)
      for (const pattern of patterns) if (isOfRoute(name, pattern)) seen.add(pattern)
    }

    expect(wrong).toEqual([])
    expect(patterns.length).toBeGreaterThan(20)
    expect(patterns.filter((pattern) => !seen.has(pattern))).toEqual([])
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

    await page.getByRole('link', { name: 'Firmware', exact: true }).first().click()
    await page.getByRole('link', { name: 'Go on with now' }).click()
    await said().waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${base()}/firmware`)
  })
}

/** `/versions/$versionId` is the route of `/versions/0198…`. */
function isOfRoute(path: string, pattern: string): boolean {
  const escaped = pattern.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/]+')
  return new RegExp(`^${escaped}$`).test(path)
}
