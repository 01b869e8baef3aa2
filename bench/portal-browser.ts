/** What the benchmarks of the portal have in common: a browser that measures, and a table of figures beside their budgets. */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { WIDE } from '../portal/test/browser.ts'
import { keepFigure } from './figures.ts'
import { findMax } from '../server/src/formats/extremes.ts'

const BUILD = resolve(import.meta.dirname, '../portal/dist')
const ROWS_TO_SCROLL = 100_000
const SCROLL_PIXELS = 6_000
export const BUDGETS = {
  scripts: 200,
  all: 350,
  cold: 1_200,
  within: 400,
  typing: 100,
  frame: 50,
  /** MiB that scrolling, or being open, may add: "flat". */
  memory: 50,
}

const rows: { what: string; measured: string; budget: string }[] = []

/** Prints the figure. One over its budget makes the program end with code 1. */
export function report(what: string, value: number, unit: string, budget?: number): void {
  const isOver = budget !== undefined && value > budget
  if (isOver) process.exitCode = 1
  const row = {
    what,
    measured: `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`,
    budget: budget === undefined ? '' : `${budget} ${unit}${isOver ? ' OVER' : ''}`,
  }
  rows.push(row)
  keepFigure({ what, value, unit, most: budget })
  console.log(`${what}: ${row.measured}${row.budget === '' ? '' : ` (budget ${row.budget})`}`)
}

export const printReport = () => console.table(rows)

/** What page-probe.js puts into each page. */
export interface ProbedWindow {
  probe: {
    lcp: number
    interactions: number[]
    frames: number[]
    tasks: number[]
    paintedAfterClick: (link: string, selector: string) => Promise<number>
    paintedAfterClickOn: (target: string, selector: string) => Promise<number>
    lastRow: () => number
  }
}

export const readProbe = (page: Page) =>
  page.evaluate(() => {
    const { lcp, interactions, frames, tasks } = (globalThis as unknown as ProbedWindow).probe
    return { lcp, interactions, frames, tasks }
  })

export type State = Awaited<ReturnType<BrowserContext['storageState']>>

export async function openContext(browser: Browser, storageState: State): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: WIDE, storageState })
  await context.addInitScript({ path: join(import.meta.dirname, 'page-probe.js') })
  return context
}

export const waitUntilShown = (page: Page, selector: string) =>
  page.locator(selector).first().waitFor({ timeout: 60_000 })

/** Opens a link that signs somebody in, which works once, and answers the session. */
export async function signIn(browser: Browser, { url, token }: { url: string; token: string }) {
  const context = await browser.newContext({ viewport: WIDE })
  const page = await context.newPage()
  await page.goto(`${url}/link#token=${token}`)
  await page.waitForURL(/\/w\//)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** Gzip kilobytes of the files of the build that a visit asked for. */
export function measureSizes(paths: ReadonlySet<string>): { scripts: number; all: number } {
  const sizes = [...paths].map((path) => {
    const file = join(BUILD, path)
    const compressed = existsSync(`${file}.gz`) ? `${file}.gz` : file
    return { isScript: path.endsWith('.js'), bytes: statSync(compressed).size }
  })
  const sum = (some: typeof sizes) => some.reduce((total, { bytes }) => total + bytes, 0) / 1000
  return { scripts: sum(sizes.filter(({ isScript }) => isScript)), all: sum(sizes) }
}

export interface Visit {
  /** Milliseconds until the largest paint. */
  lcp: number
  files: Set<string>
}

/** A visit by address until the page shows `selector`, with nothing in the browser's cache. */
export async function visitCold(
  browser: Browser,
  state: State,
  { address, shows }: { address: string; shows: string },
): Promise<Visit> {
  const context = await openContext(browser, state)
  const page = await context.newPage()
  const files = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/assets/')) files.add(pathname)
  })
  await page.goto(address)
  await waitUntilShown(page, shows)
  await page.waitForLoadState('networkidle').catch(() => undefined)
  const { lcp } = await readProbe(page)
  await context.close()
  return { lcp, files }
}

/** MiB of what the page's scripts hold. */
export async function measureHeap(page: Page): Promise<number> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  await debug.detach()
  return usedSize / 2 ** 20
}

/** Scrolls on as rows arrive, until there are enough, no more, or the time is over. */
export async function measureScrolling(
  page: Page,
  { address, what, seconds }: { address: string; what: string; seconds: number },
): Promise<void> {
  await page.goto(address)
  const row = page.locator('main li[aria-posinset], main [role=rowgroup] [role=row]').first()
  await row.waitFor({ timeout: 60_000 })
  await row.hover()
  const before = await measureHeap(page)
  const { frames: earlier } = await readProbe(page)
  const end = performance.now() + seconds * 1000
  let reached = 0
  while (performance.now() < end && reached < ROWS_TO_SCROLL) {
    await page.mouse.wheel(0, SCROLL_PIXELS)
    await page.waitForTimeout(30)
    reached = await page.evaluate(() => (globalThis as unknown as ProbedWindow).probe.lastRow())
  }
  const { frames } = await readProbe(page)
  const some: number[] = frames.slice(earlier.length)
  report(`${what}: rows scrolled in at most ${seconds} s`, reached, 'rows')
  report(`${what}: longest frame of ${some.length}`, findMax(some, 0), 'ms', BUDGETS.frame)
  report(`${what}: memory added`, (await measureHeap(page)) - before, 'MiB', BUDGETS.memory)
}
