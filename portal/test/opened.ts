/**
 * What is not there before somebody acts: menus, dialogs, lists of choices, details, forms with faults, pages whose
 * questions fail. Each page opens all it has, and each of them is as accessible as the page; the focus comes back.
 */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { isDeep } from '../../server/test/property-runs.ts'
import {
  faultsOf,
  LOOKS,
  type Look,
  MORE_LOOKS,
  NARROW,
  openContext,
  openPage,
  settled,
  show,
  visit,
  WIDE,
} from './browser.ts'
import { givenPages, givenPeople } from './given-pages.ts'
import { foreignFormatsOf, machineWordsOf } from './machine-words.ts'
import { gluedOf, motionsOf, wordlessOf } from './beside-words.ts'
import { overflowsOf } from './overflows.ts'
import { faultsOnPaper } from './paper.ts'
import { isChange, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

/** What promises to open something, and what is there then. */
const OPENERS = '[aria-haspopup], [aria-expanded]:not([aria-expanded=true]), summary'
const POPUPS = '[role=dialog], [role=menu], [role=listbox]'
const OPENED = `${POPUPS}, [aria-expanded=true], details[open]`

/** All pages in one look take longer than other tests. */
const DEEP_MS = 30 * 60_000

/** Pages that open nothing that others do not open, too. */
const PLAIN_PAGES = ['/alerts', '/deployments/what-if', '/setup']

/** Faults of all pages in one look, a line each: in what opens, in width, in dates and numbers, and on paper (wide). */
type PageFaults = Record<'opened' | 'width' | 'formats' | 'words' | 'paper', string[]>

export function opened(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let paths: string[]
  /** Of whom has signed in. */
  let session: BrowserContextOptions = {}
  const kinds = new Set<string | null>()

  beforeAll(async () => {
    service = await running().service.openWorkspace('Opened', 'opened@example.com')
    paths = await givenPages(service, true)
    const page = await openPage(await openContext(running().browser), service.url, { list: [] })
    await signedIn(page, service)
    await givenPeople(page, service)
    session = { storageState: await page.context().storageState() }
    await page.context().close()
  })

  /** What would change something is answered with a problem: forms show their faults, and nothing changes. */
  const open = async (look: Look, locale = 'en-GB') => {
    const context = await openContext(running().browser, { ...session, locale })
    const page = await openPage(context, service.url, { list: [] })
    await page.route(`**/workspaces/${service.workspaceId}/**`, (route) =>
      isChange(route.request()) ? route.fulfill(PROBLEM) : route.continue(),
    )
    await show(page, look)
    return page
  }
  const go = async (page: Page, path: string) => {
    await visit(page, `${service.url}/w/${service.workspaceId}${path}`)
  }

  const looks: Look[] = isDeep ? [...LOOKS, ...MORE_LOOKS] : [...LOOKS]
  const walks = new Map<Look, Promise<PageFaults>>()

  /** Each page is loaded once in a look, for all tests that look at it. */
  const walk = (look: Look): Promise<PageFaults> => {
    const begun = walks.get(look) ?? walkPages(look)
    walks.set(look, begun)
    return begun
  }
  const walkPages = async (look: Look) => {
    const faults: PageFaults = { opened: [], width: [], formats: [], words: [], paper: [] }
    const isWide = look.viewport === WIDE
    const page = await open(look, isWide ? 'de-DE' : 'en-GB')
    const seen = new Set<string>()
    const openAll = async (path: string) => {
      const found = (await machineWordsOf(page)).map((word) => `says ${word}`)
      for (const opener of await listOpeners(page, seen)) {
        const ofOne = await openOne(page, opener, kinds)
        found.push(...ofOne.map((fault) => `${opener.name}: ${fault}`))
        if (ofOne.length > 0 || !(await isClosed(page))) await go(page, path)
      }
      return found
    }
    for (const [index, path] of [...paths, ...PLAIN_PAGES].entries()) {
      const say = (kind: keyof PageFaults, found: string[]) =>
        faults[kind].push(...found.map((fault) => `${path}: ${fault}`))
      await go(page, path)
      if (isWide) say('formats', await foreignFormatsOf(page))
      if (isWide)
        say('words', [
          ...(await wordlessOf(page)),
          ...(await gluedOf(page)),
          ...(await motionsOf(page)),
        ])
      say('width', await overflowsOf(page))
      // Axe takes seconds for each: of a usual run, each look has a part of the pages.
      const isOpened = index < paths.length && (isDeep || looks[index % looks.length] === look)
      if (isOpened) say('opened', await openAll(path))
      // It leaves the foot of the sheet behind.
      if (isWide) say('paper', await faultsOnPaper(page))
    }
    await page.context().close()
    return faults
  }

  it.each(looks)(
    'has no fault of accessibility in what opens, $colorScheme, $viewport.width px',
    async (look) => {
      expect((await walk(look)).opened).toEqual([])
    },
    isDeep ? DEEP_MS : undefined,
  )

  it.each([LOOKS[1], LOOKS[0]])(
    'has nothing wider than a screen of $viewport.width px, and cuts nothing',
    async (look) => {
      expect((await walk(look)).width).toEqual([])
    },
  )

  it('leaves room for the finding above a form on a narrow screen', async () => {
    const page = await open(LOOKS[1])
    await go(page, '/findings')
    await page.getByRole('button', { name: 'Start triage' }).click()
    await page.getByRole('button', { name: 'Not affected' }).click()
    await page.getByLabel('Justification').waitFor()
    const foot = await page
      .locator('footer')
      .filter({ has: page.getByRole('form') })
      .boundingBox()
    expect(foot?.height).toBeLessThanOrEqual(NARROW.height / 4)
    await page.context().close()
  })

  it('says by words what it says by colour, and keeps still for who wants that', async () => {
    expect((await walk(LOOKS[0])).words).toEqual([])
  })

  it('writes dates and numbers as the browser of the reader is set', async () => {
    expect((await walk(LOOKS[0])).formats).toEqual([])
  })

  it('says on each list that is empty by its filters which of them to drop', async () => {
    const page = await open(LOOKS[0])
    const pageOf = (start: string) => paths.find((path) => path.startsWith(start)) ?? ''
    const version = pageOf('/versions/')
    const deployment = paths.find((path) => /^\/deployments\/[^/]+\/[^/]+$/.test(path)) ?? ''
    const lists: [path: string, filters: Record<string, string>][] = [
      ['/findings', { q: 'nothing', severity: 'Critical' }],
      ['/findings?group=component', { q: 'nothing' }],
      ['/findings?group=single', { component: 'nothing' }],
      ['/firmware', { show: 'InField' }],
      [version, { q: 'nothing', exploited: '1' }],
      [`${version}?tab=components`, { q: 'nothing', licence: 'nothing' }],
      ['/devices', { text: 'nothing', tag: 'nothing' }],
      ['/devices/gw-1?tab=logs', { text: 'nothing', severity: 'Critical' }],
      ['/deployments', { show: 'waiting' }],
      [deployment, { state: 'failed', reason: 'is nothing' }],
      ['/alerts', { mine: '1' }],
      ['/alerts?tab=deliveries', { state: 'Dropped', incident: version.slice(-36) }],
      ['/settings/audit-log?when=any', { contains: 'nothing', kind: 'Webhook' }],
    ]
    for (const [path, filters] of lists) {
      const query = String(new URLSearchParams(filters))
      await go(page, `${path}${path.includes('?') ? '&' : '?'}${query}`)
      const names = Object.keys(filters)
      const drops = page.getByRole('button', { name: /^Drop / })
      await expect.poll(() => drops.count(), { message: path }).toBeGreaterThanOrEqual(names.length)
      await drops.first().click()
      await page.waitForURL(({ searchParams }) => !names.every((name) => searchParams.has(name)))
    }
    await page.context().close()
  })

  it('puts every page on paper whole, without the frame, and says who printed it', async () => {
    expect((await walk(LOOKS[0])).paper).toEqual([])
  })

  it('was tried with dialogs, menus and lists of choices', () => {
    expect([...kinds]).toEqual(expect.arrayContaining(['dialog', 'menu', 'listbox']))
  })

  it('has no fault of accessibility where questions fail', async () => {
    const page = await open(LOOKS[0])
    await page.route(`**/workspaces/${service.workspaceId}/**`, (route) =>
      route.request().url().endsWith('/events') ? route.continue() : route.fulfill(PROBLEM),
    )
    const faults: string[] = []
    for (const [index, path] of paths.entries()) {
      await show(page, LOOKS[index % LOOKS.length] ?? LOOKS[0])
      await go(page, path)
      faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`))
    }
    await page.context().close()
    expect(faults).toEqual([])
  })
}

const PROBLEM = {
  status: 409,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/problems/changed-meanwhile',
    title: 'Conflict',
    status: 409,
    detail: 'Somebody changed it meanwhile.',
  }),
}

interface Opener {
  index: number
  name: string
}

/** Those of the page that are shown and that no page before it had. Of the rows of a list, the first one's. */
async function listOpeners(page: Page, seen: Set<string>): Promise<Opener[]> {
  const found = await page.locator(OPENERS).evaluateAll((elements: HTMLElement[]) =>
    elements.map((element, index) => {
      const { textContent, className, tagName } = element
      const field = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null
      const label = element.getAttribute('aria-label') ?? field
      const name = (textContent.trim() || label || tagName).replaceAll(/\d+/g, '#')
      const isInRow = element.closest('li, tr, [role=row]') !== null
      const isShown = element.checkVisibility({ visibilityProperty: true })
      return {
        index,
        name,
        key: `${tagName} ${className} ${isInRow ? '' : name}`,
        isOpenable: isShown && !element.matches(':disabled, [aria-disabled=true]'),
      }
    }),
  )
  return found.filter(({ key, isOpenable }) => {
    if (!isOpenable || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Opens it, sends the form in it, and closes it. */
async function openOne(
  page: Page,
  { index }: Opener,
  kinds: Set<string | null>,
): Promise<string[]> {
  const opener = page.locator(OPENERS).nth(index)
  await opener.click()
  const whatOpened = page.locator(OPENED).filter({ visible: true })
  await whatOpened.first().waitFor()
  for (const one of await whatOpened.all()) kinds.add(await one.getAttribute('role'))
  await settled(page)
  const faults = [...(await faultsOf(page)), ...(await machineWordsOf(page))]
  const dialog = page.getByRole('dialog')
  if ((await dialog.count()) > 0) faults.push(...(await sendForm(page, dialog.last())))
  // In a field with choices the first Escape closes these.
  if ((await dialog.count()) > 0) await dialog.last().getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Escape')
  // Of what was typed for the form.
  const leave = page.getByRole('button', { name: 'Leave it' })
  const isGone = page.locator(POPUPS).filter({ visible: true }).first().waitFor({ state: 'hidden' })
  await Promise.race([isGone.catch(() => undefined), leave.waitFor().catch(() => undefined)])
  if ((await leave.count()) > 0) {
    faults.push(...(await faultsOf(page)))
    await leave.click()
  }
  await page.locator(POPUPS).filter({ visible: true }).first().waitFor({ state: 'hidden' })
  // It comes back some moments after the dialog has gone.
  const comesBack = page.waitForFunction(() => document.activeElement !== document.body)
  await comesBack.catch(() => faults.push('the focus does not come back'))
  return faults
}

/** Of the form in a dialog, with something in each field that needs it: its faults are shown, and are accessible. */
async function sendForm(page: Page, dialog: Locator): Promise<string[]> {
  // Some forms begin with what the service has now.
  await dialog.getByText(/^Reading /).waitFor({ state: 'hidden' })
  for (const field of await dialog.locator('input:required, textarea:required').all())
    if ((await field.inputValue()) === '')
      await field.fill((await field.getAttribute('type')) === 'date' ? '2031-01-31' : 'beacon')
  // It goes to the page, which sends the whole.
  if ((await dialog.getByRole('button', { name: 'Take it over' }).count()) > 0) return []
  const send = dialog.locator('button[type=submit]:enabled')
  if ((await send.count()) === 0) return []
  const refused = page.waitForResponse((answer) => isChange(answer.request()))
  await send.last().click()
  await refused
  // A form that closes at once leaves a notice.
  await page.locator('[role=alert], [data-notice]').first().waitFor()
  return faultsOf(page)
}

async function isClosed(page: Page): Promise<boolean> {
  return (await page.locator(OPENED).filter({ visible: true }).count()) === 0
}
