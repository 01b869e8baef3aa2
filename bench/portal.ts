/**
 * Measures the portal in a real browser over a portfolio (docs/design/budgets.md): `node bench/portal.ts FOLDER [devices]`, the folder of
 * `bench/portfolio.ts`, which gets devices the first time (100,000 by default). Needs Chromium. Prints each figure beside its budget, with
 * OVER where it is missed, and then ends with code 1.
 */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Complaints, faultsOf, openBrowser, openPage, WIDE } from '../portal/test/browser.ts'
import { createSignInLink } from '../server/src/features/people/index.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { insertPortfolioDevices } from './portfolio-devices.ts'
import { percentile, portfolioArgument } from './portfolio-folder.ts'

const BUILD = resolve(import.meta.dirname, '../portal/dist')
const OWNER = 'bench@example.com'
const VISITS = 7
const ROWS_TO_SCROLL = 100_000
const SCROLL_SECONDS = 60
const SCROLL_PIXELS = 6_000
const BUDGETS = {
  scripts: 200,
  all: 350,
  cold: 1_200,
  within: 400,
  typing: 100,
  frame: 50,
  /** MiB that scrolling may add: "flat". */
  memory: 50,
}

const { portfolio, devices } = readBenchArguments({
  portfolio: portfolioArgument(),
  devices: countArgument(100_000),
})
const { folder, workspaceId, kernelVersions } = portfolio
const complaints: Complaints = { list: [] }
const rows: { what: string; measured: string; budget: string }[] = []

function report(what: string, value: number, unit: string, budget?: number): void {
  const isOver = budget !== undefined && value > budget
  if (isOver) process.exitCode = 1
  const row = {
    what,
    measured: `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`,
    budget: budget === undefined ? '' : `${budget} ${unit}${isOver ? ' OVER' : ''}`,
  }
  rows.push(row)
  console.log(`${what}: ${row.measured}${row.budget === '' ? '' : ` (budget ${row.budget})`}`)
}

/** The token of a link that signs the owner in. */
async function prepare(): Promise<string> {
  const { ctx, close } = await openBenchContext(folder)
  try {
    await insertPortfolioDevices(ctx, { workspaceId, devices })
    return (await createSignInLink(ctx, OWNER)).replace(/^.*#(?:token=)?/, '')
  } finally {
    await close()
  }
}

const token = await prepare()
const port = await freePort()
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port,
  managementPort: await freePort(),
  env: { PLIMSOLL_PORTAL: 'on', PLIMSOLL_PUBLIC_URL: `http://localhost:${port}` },
})
const url = `http://localhost:${port}`
const at = (path: string) => `${url}/w/${workspaceId}${path}`

async function signIn(browser: Browser) {
  const context = await browser.newContext({ viewport: WIDE })
  const page = await context.newPage()
  await page.goto(`${url}/link#token=${token}`)
  await page.waitForURL(at(''))
  await shown(page, PAGES.overview.shows)
  const state = await context.storageState()
  await context.close()
  return state
}

/** What is there once a page has its answer. */
const PAGES = {
  overview: { path: '', shows: 'main svg[role=img] path', name: 'Overview' },
  findings: { path: '/findings', shows: '[aria-current="true"] code', name: 'Findings' },
  firmware: { path: '/firmware', shows: 'main [role=rowgroup] [role=row]', name: 'Firmware' },
}
type PageName = keyof typeof PAGES

const shown = (page: Page, selector: string) =>
  page.locator(selector).first().waitFor({ timeout: 60_000 })

/** Gzip bytes of the files of the build that a visit asked for. */
function sizesOf(paths: ReadonlySet<string>): { scripts: number; all: number } {
  const sizes = [...paths].map((path) => {
    const file = join(BUILD, path)
    const compressed = existsSync(`${file}.gz`) ? `${file}.gz` : file
    return { isScript: path.endsWith('.js'), bytes: statSync(compressed).size }
  })
  const sum = (some: typeof sizes) => some.reduce((total, { bytes }) => total + bytes, 0) / 1000
  return { scripts: sum(sizes.filter(({ isScript }) => isScript)), all: sum(sizes) }
}

interface Visit {
  lcp: number
  files: Set<string>
}

/** A visit by address, with nothing in the browser's cache. */
async function visitCold(browser: Browser, state: State, name: PageName): Promise<Visit> {
  const context = await openContext(browser, state)
  const page = await context.newPage()
  const files = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/assets/')) files.add(pathname)
  })
  await page.goto(at(PAGES[name].path))
  await shown(page, PAGES[name].shows)
  await page.waitForLoadState('networkidle').catch(() => undefined)
  const { lcp } = await probeOf(page)
  await context.close()
  return { lcp, files }
}

/** What page-probe.js puts into each page. */
interface Probed {
  probe: {
    lcp: number
    interactions: number[]
    frames: number[]
    paintedAfterClick: (link: string, selector: string) => Promise<number>
    lastRow: () => number
  }
}

const probeOf = (page: Page) =>
  page.evaluate(() => {
    const { lcp, interactions, frames } = (globalThis as unknown as Probed).probe
    return { lcp, interactions, frames }
  })

type State = Awaited<ReturnType<BrowserContext['storageState']>>

async function openContext(browser: Browser, storageState: State): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: WIDE, storageState })
  await context.addInitScript({ path: join(import.meta.dirname, 'page-probe.js') })
  return context
}

async function measureFirstPages(browser: Browser, state: State): Promise<void> {
  for (const name of ['overview', 'findings'] as const) {
    const visits: Visit[] = []
    for (let index = 0; index < VISITS; index++) visits.push(await visitCold(browser, state, name))
    const times = visits.map(({ lcp }) => lcp)
    const { scripts, all } = sizesOf(visits[0]?.files ?? new Set())
    report(`${name}: scripts, gzip`, scripts, 'kB', BUDGETS.scripts)
    report(`${name}: all files, gzip`, all, 'kB', BUDGETS.all)
    report(`${name}: largest paint, cold, first visit`, times[0] ?? 0, 'ms', BUDGETS.cold)
    report(
      `${name}: largest paint, cold, worst of ${VISITS}`,
      Math.max(...times),
      'ms',
      BUDGETS.cold,
    )
  }
}

/** From the click on the rail until the page with its answer is painted. */
async function measureFromWithin(page: Page): Promise<void> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < VISITS; round++)
    for (const name of ['findings', 'overview', 'firmware'] as const) {
      const { shows, name: link } = PAGES[name]
      const ms = await page.evaluate(
        ([text, selector]) =>
          (globalThis as unknown as Probed).probe.paintedAfterClick(text, selector),
        [link, shows] as const,
      )
      times[name] = [...(times[name] ?? []), ms]
    }
  for (const [name, some] of Object.entries(times))
    report(`${name}: painted from within, p95`, percentile(some, 0.95), 'ms', BUDGETS.within)
}

async function measureTyping(page: Page): Promise<void> {
  await page.goto(at('/findings?show=all'))
  await shown(page, PAGES.findings.shows)
  await page.getByRole('textbox', { name: /Filter by id/ }).click()
  for (const word of ['overflow', 'kernel', 'use after free']) {
    await page.keyboard.type(word, { delay: 90 })
    await page.waitForTimeout(600)
    for (const _ of word) await page.keyboard.press('Backspace', { delay: 30 })
  }
  const { interactions } = await probeOf(page)
  report(
    'typing in the filter of findings: worst interaction',
    Math.max(0, ...interactions),
    'ms',
    BUDGETS.typing,
  )
}

async function heapOf(page: Page): Promise<number> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  await debug.detach()
  return usedSize / 2 ** 20
}

/** Scrolls on as rows arrive, until there are enough, no more, or the time is over. */
async function measureScrolling(page: Page, path: string, what: string): Promise<void> {
  await page.goto(at(path))
  const row = page.locator('main li[aria-posinset], main [role=rowgroup] [role=row]').first()
  await row.waitFor({ timeout: 60_000 })
  await row.hover()
  const before = await heapOf(page)
  const { frames: earlier } = await probeOf(page)
  const end = performance.now() + SCROLL_SECONDS * 1000
  let reached = 0
  while (performance.now() < end && reached < ROWS_TO_SCROLL) {
    await page.mouse.wheel(0, SCROLL_PIXELS)
    await page.waitForTimeout(30)
    reached = await page.evaluate(() => (globalThis as unknown as Probed).probe.lastRow())
  }
  const { frames } = await probeOf(page)
  const some: number[] = frames.slice(earlier.length)
  report(`${what}: rows scrolled in at most ${SCROLL_SECONDS} s`, reached, 'rows')
  report(`${what}: longest frame of ${some.length}`, Math.max(0, ...some), 'ms', BUDGETS.frame)
  report(`${what}: memory added`, (await heapOf(page)) - before, 'MiB', BUDGETS.memory)
}

async function measureAccessibility(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of ['overview', 'findings', 'firmware'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(at(PAGES[name].path))
      await shown(page, PAGES[name].shows)
      report(
        `${name}, ${colorScheme}: faults that axe finds`,
        (await faultsOf(page)).length,
        'faults',
        0,
      )
    }
}

const browser = await openBrowser()
try {
  const state = await signIn(browser)
  await measureFirstPages(browser, state)
  const context = await openContext(browser, state)
  const page = await openPage(context, url, complaints)
  await page.goto(at(''))
  await shown(page, PAGES.overview.shows)
  await measureFromWithin(page)
  await measureTyping(page)
  await measureScrolling(page, '/findings?show=all', 'findings by vulnerability')
  await measureScrolling(
    page,
    `/versions/${kernelVersions[0] ?? ''}`,
    'findings of a version with a kernel',
  )
  await measureAccessibility(page)
  report('errors in the console, refused by the policy, other hosts', complaints.list.length, '', 0)
} finally {
  console.table(rows)
  await browser.close()
  await endProcess(service.child, 'SIGTERM')
}
