/** A real browser for tests: the system's Chromium. PLIMSOLL_REQUIRE_BROWSER=1 makes its absence an error. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { isDeep } from '../../server/test/property-runs.ts'

/** The first one shows pages as the others do, and draws no window that nobody sees: it takes half of their processor time. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)
const executablePath = process.env['PLIMSOLL_CHROMIUM'] ?? PLACES.find((path) => existsSync(path))
if (executablePath === undefined && process.env['PLIMSOLL_REQUIRE_BROWSER'] === '1')
  throw new Error('PLIMSOLL_REQUIRE_BROWSER is set, and there is no Chromium')

export const hasBrowser = executablePath !== undefined

/** Ends only tests that hang, before the test runner does: it says what was waited for. */
const PATIENCE_MS = 120_000

export const WIDE = { width: 1440, height: 900 }
export const NARROW = { width: 390, height: 844 }

export function openBrowser(): Promise<Browser> {
  // Tests run as root in containers, where the sandbox of Chromium cannot.
  return chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
}

/** A reader whose dates and numbers are those that the tests expect. */
export function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return browser.newContext({ viewport: WIDE, locale: 'en-GB', ...options })
}

/** What a page must never say; a test asserts that it stays empty. */
export interface Complaints {
  list: string[]
}

/** Collects errors of scripts, refused requests of the policy, and requests to other hosts. */
export async function openPage(
  context: BrowserContext,
  url: string,
  complaints: Complaints,
): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('pageerror', (error) => complaints.list.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text()))
      complaints.list.push(message.text())
  })
  page.on('request', (request) => {
    const target = new URL(request.url())
    if (target.protocol.startsWith('http') && target.origin !== url)
      complaints.list.push(`asked ${target.origin}`)
  })
  return page
}

/** The browser reports each answer of 400 or above, which pages show in words. */
function isExpected(text: string): boolean {
  return text.startsWith('Failed to load resource: the server responded with a status of 4')
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

interface Axe {
  /** To describe what is right takes axe half of its time. */
  axe: { run: (options: { resultTypes: ['violations'] }) => Promise<AxeResults> }
}

/** Both themes and both widths. */
export const LOOKS = [
  { colorScheme: 'light', viewport: WIDE },
  { colorScheme: 'dark', viewport: NARROW },
] as const
/** Each theme with each width: only in the deep tests, as axe takes seconds for a page. */
export const MORE_LOOKS = [
  { colorScheme: 'dark', viewport: WIDE },
  { colorScheme: 'light', viewport: NARROW },
] as const

export type Look = (typeof LOOKS)[number] | (typeof MORE_LOOKS)[number]

/**
 * Faults of accessibility on each page, in each look, one line each. `open` shows a page. A page is opened once, and then
 * changes its look. It opens in the look that the page before it ended with: pages open in one look and in the other by
 * turns.
 */
export async function faultsInLooks(
  page: Page,
  paths: readonly string[],
  open: (path: string) => Promise<void>,
): Promise<string[]> {
  const faults: string[] = []
  const looks: Look[] = isDeep ? [...LOOKS, ...MORE_LOOKS] : [...LOOKS]
  await show(page, looks[0] ?? LOOKS[0])
  for (const path of paths) {
    await open(path)
    for (const look of looks) {
      await show(page, look)
      const { colorScheme, viewport } = look
      const where = `${path}, ${colorScheme}, ${viewport.width} px`
      faults.push(...(await faultsOf(page)).map((fault) => `${where}: ${fault}`))
    }
    looks.reverse()
  }
  await show(page, LOOKS[0])
  return faults
}

interface Router {
  navigate: (to: { href: string; ignoreBlocker: true }) => Promise<void>
  latestLocation: { href: string }
  state: { resolvedLocation?: { href: string } | undefined }
}

/**
 * Shows another page of the portal as a click on a link does: to load the portal anew for each of hundreds of pages takes most of
 * the browser's time. The first page is loaded, and so is one that is shown already. What was asked within half a minute is not
 * asked again, so this is for tests that look at pages, and not for those that change something behind the page.
 */
export async function visit(page: Page, url: string): Promise<void> {
  const { origin } = new URL(url)
  const isOther = page.url().startsWith(`${origin}/w/`) && page.url() !== url
  if (isOther) await page.evaluate(navigate, url.slice(origin.length))
  else await page.goto(url)
  await page.getByRole('heading').first().waitFor()
  await settled(page)
}

/** Runs in the page, until it shows what is there. */
async function navigate(href: string): Promise<void> {
  // oxlint-disable-next-line no-underscore-dangle -- TanStack Router names itself so, for its developer tools
  const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: Router }
  await router.navigate({ href, ignoreBlocker: true })
  while (router.state.resolvedLocation?.href !== router.latestLocation.href)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

export async function settled(page: Page): Promise<void> {
  // The first of those there are: until there is none.
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

export async function show(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.setViewportSize(viewport)
  await settled(page)
}

/** Faults of accessibility on what is shown, one line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  // The policy of the page allows no scripts but its own; those of the debugger are no scripts of the page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as Axe).axe.run({ resultTypes: ['violations'] }),
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
