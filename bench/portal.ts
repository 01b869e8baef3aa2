/**
 * Measures the portal in a real browser over a portfolio (docs/design/budgets.md): `node bench/portal.ts FOLDER [devices]`, the folder of
 * `bench/portfolio.ts`, which gets devices the first time (100,000 by default). Needs Chromium. Prints each figure beside its budget, with
 * OVER where it is missed, and then ends with code 1.
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Complaints, faultsOf, openBrowser, openPage } from '../portal/test/browser.ts'
import { createSignInLink } from '../server/src/features/people/index.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import {
  BUDGETS,
  measureScrolling,
  openContext,
  printReport,
  type ProbedWindow,
  readProbe,
  report,
  waitUntilShown,
  signIn,
  measureSizes,
  type State,
  type Visit,
  visitCold,
} from './portal-browser.ts'
import { insertPortfolioDevices } from './portfolio-devices.ts'
import { computePercentile, declarePortfolio } from './portfolio-folder.ts'
import { findMax } from '../server/src/formats/extremes.ts'

const OWNER = 'bench@example.com'
const VISITS = 7
const SCROLL_SECONDS = 60

const { portfolio, devices } = readBenchArguments({
  portfolio: declarePortfolio(),
  devices: countArgument(100_000),
})
const { folder, workspaceId, kernelVersions } = portfolio
const complaints: Complaints = { list: [] }

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

/** What is there once a page has its answer. */
const PAGES = {
  overview: { path: '', shows: 'main svg[role=img] path', name: 'Overview' },
  findings: { path: '/findings', shows: '[aria-current="true"] code', name: 'Findings' },
  firmware: { path: '/firmware', shows: 'main [role=rowgroup] [role=row]', name: 'Firmware' },
}

async function measureFirstPages(browser: Browser, state: State): Promise<void> {
  for (const name of ['overview', 'findings'] as const) {
    const visits: Visit[] = []
    const { path, shows } = PAGES[name]
    for (let index = 0; index < VISITS; index++)
      visits.push(await visitCold(browser, state, { address: at(path), shows }))
    const times = visits.map(({ lcp }) => lcp)
    const { scripts, all } = measureSizes(visits[0]?.files ?? new Set())
    report(`${name}: scripts, gzip`, scripts, 'kB', BUDGETS.scripts)
    report(`${name}: all files, gzip`, all, 'kB', BUDGETS.all)
    report(`${name}: largest paint, cold, first visit`, times[0] ?? 0, 'ms', BUDGETS.cold)
    report(`${name}: largest paint, cold, worst of ${VISITS}`, findMax(times), 'ms', BUDGETS.cold)
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
          (globalThis as unknown as ProbedWindow).probe.paintedAfterClick(text, selector),
        [link, shows] as const,
      )
      times[name] = [...(times[name] ?? []), ms]
    }
  for (const [name, some] of Object.entries(times))
    report(`${name}: painted from within, p95`, computePercentile(some, 0.95), 'ms', BUDGETS.within)
}

async function measureTyping(page: Page): Promise<void> {
  await page.goto(at('/findings?show=all'))
  await waitUntilShown(page, PAGES.findings.shows)
  await page.getByRole('textbox', { name: /Filter by id/ }).click()
  for (const word of ['overflow', 'kernel', 'use after free']) {
    await page.keyboard.type(word, { delay: 90 })
    await page.waitForTimeout(600)
    for (const _ of word) await page.keyboard.press('Backspace', { delay: 30 })
  }
  const { interactions } = await readProbe(page)
  report(
    'typing in the filter of findings: worst interaction',
    findMax(interactions, 0),
    'ms',
    BUDGETS.typing,
  )
}

async function measureAccessibility(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of ['overview', 'findings', 'firmware'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(at(PAGES[name].path))
      await waitUntilShown(page, PAGES[name].shows)
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
  const state = await signIn(browser, { url, token })
  await measureFirstPages(browser, state)
  const context = await openContext(browser, state)
  const page = await openPage(context, url, complaints)
  await page.goto(at(''))
  await waitUntilShown(page, PAGES.overview.shows)
  await measureFromWithin(page)
  await measureTyping(page)
  const scrolled = [
    ['/findings?show=all', 'findings by vulnerability'],
    [`/versions/${kernelVersions[0] ?? ''}`, 'findings of a version with a kernel'],
  ] as const
  for (const [path, what] of scrolled)
    await measureScrolling(page, { address: at(path), what, seconds: SCROLL_SECONDS })
  await measureAccessibility(page)
  report('errors in the console, refused by the policy, other hosts', complaints.list.length, '', 0)
} finally {
  printReport()
  await browser.close()
  await endProcess(service.child, 'SIGTERM')
}
