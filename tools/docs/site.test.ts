/** The documentation as readers have it: from the service, in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Complaints,
  faultsInLooks,
  hasBrowser,
  NARROW,
  openBrowser,
  openContext,
  openPage,
} from '../../portal/test/browser.ts'
import { buildApi } from '../../server/src/api.ts'
import { startTestApp, type TestApp } from '../../server/test/app.ts'
import { addressOf } from './page-body.ts'
import { ROOT } from './named-tests.ts'
import { readPages } from './pages.ts'
import { buildSite } from './site.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-guides-'))
let test: TestApp
let app: Awaited<ReturnType<typeof buildApi>>
let url: string

beforeAll(async () => {
  await buildSite(ROOT, readPages(ROOT), folder)
  test = await startTestApp()
  app = await buildApi(test.ctx, { roles: ['api'], doors: test.doors, guides: folder })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

describe('/docs/guide', () => {
  it('is there for everybody, and kept by browsers that ask whether it changed', async () => {
    const page = await app.inject({ url: '/docs/guide/hawkbit.html' })
    const again = await app.inject({
      url: '/docs/guide/hawkbit.html',
      headers: { 'if-none-match': String(page.headers.etag) },
    })

    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('<h1')
    expect(page.headers).toMatchObject({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self';/)
    expect(again.statusCode).toBe(304)
  })

  it.each`
    path                                      | status | location
    ${'/docs/guide'}                          | ${302} | ${'/docs/guide/'}
    ${'/docs/guide/'}                         | ${200} | ${undefined}
    ${'/docs/guide/device-protocol.md'}       | ${302} | ${'/docs/guide/device-protocol.html'}
    ${'/docs/guide/pictures/alert-pause.svg'} | ${200} | ${undefined}
    ${'/docs/guide/design/index.html'}        | ${200} | ${undefined}
    ${'/docs/guide/openapi.json'}             | ${200} | ${undefined}
    ${'/docs/guide/none.html'}                | ${404} | ${undefined}
    ${'/docs/guide/..%2f..%2fpackage.json'}   | ${404} | ${undefined}
    ${'/docs'}                                | ${200} | ${undefined}
  `('answers $status to $path', async ({ path, status, location }) => {
    // As browsers ask; nothing here is compressed.
    const asked = { 'accept-encoding': 'gzip, br' }
    const { statusCode, headers } = await app.inject({ url: String(path), headers: asked })

    expect([statusCode, headers.location]).toEqual([status, location])
  })

  it('says what to do where nothing was built', async () => {
    const bare = await buildApi(test.ctx, {
      roles: ['api'],
      doors: test.doors,
      guides: join(folder, 'none'),
    })

    const { statusCode, body } = await bare.inject({ url: '/docs/guide/hawkbit.html' })

    expect(statusCode).toBe(404)
    expect(body).toContain('npm run docs')
    await bare.close()
  })
})

describe.skipIf(!hasBrowser)('in a browser', () => {
  const complaints: Complaints = { list: [] }
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
    const context = await openContext(browser)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await openPage(context, url, complaints)
  })

  afterAll(() => browser.close())

  const search = async (words: string) => {
    await page.keyboard.press('/')
    await page.keyboard.type(words)
  }

  it.each(['', ' from a folder'])('finds a setting by a part of its name%s', async (fromFolder) => {
    const at = fromFolder === '' ? `${url}/docs/guide` : pathToFileURL(folder).href
    await page.goto(`${at}/index.html`)
    await search('trust_prox')
    await page.getByText(/^\d+ places?$/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\.html#/)

    expect(new URL(page.url()).pathname).toMatch(/\/(operations|server)\.html$/)
  })

  it('finds a guide by its subject first, and says when there is none', async () => {
    await page.goto(`${url}/docs/guide/design/index.html`)
    await search('roll back')
    const first = page.locator('#results li a').first()
    await first.waitFor()
    expect(await first.getAttribute('href')).toMatch(/\/deployments\.html/)

    await page.keyboard.type(' qqqq')
    await page.getByText('Nothing has all of these words.').waitFor()
    await page.keyboard.press('Escape')

    expect(await page.locator('#results').isVisible()).toBe(false)
  })

  it('copies a block as it stands in the guide', async () => {
    await page.goto(`${url}/docs/guide/getting-started.html`)
    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()

    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe((await block.locator('pre').textContent())?.trimEnd())
  })

  it('leads through a page by its outline, and to the next page', async () => {
    await page.goto(`${url}/docs/guide/hawkbit.html`)
    const outline = page.getByRole('navigation', { name: 'On this page' })
    await outline.getByRole('link', { name: 'What a device runs' }).click()
    await page.waitForURL(/#what-a-device-runs$/)
    await outline.locator('[aria-current]').waitFor()
    await page.locator('a[rel=next]').click()

    await page.waitForURL(/\/rauc\.html$/)
  })

  it('can be read by everybody, wide and narrow, light and dark', async () => {
    const paths = ['index', 'hawkbit', 'api-reference', 'decisions/index'].map(
      (name) => `${url}/docs/guide/${name}.html`,
    )
    const faults = await faultsInLooks(page, paths, async (path) => {
      await page.goto(path)
    })

    expect(faults).toEqual([])
  })

  it('fits a narrow screen, with all pages at its end', async () => {
    await page.setViewportSize(NARROW)
    const wide: string[] = []
    for (const path of readPages(ROOT).keys()) {
      const address = addressOf(path)
      await page.goto(`${url}/docs/guide/${address}`)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > NARROW.width) wide.push(`${address}: ${width} px`)
    }
    await page.getByRole('link', { name: 'All pages' }).click()

    expect(wide).toEqual([])
    expect(await page.getByRole('navigation', { name: 'All pages' }).isVisible()).toBe(true)
  })

  it('needs nothing that its policy refuses, and no other host', () => {
    expect(complaints.list).toEqual([])
  })
})
