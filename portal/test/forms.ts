/** Text is not lost without a question: each form of the portal is opened, typed into and left. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { openContext, openPage } from './browser.ts'
import { givenPages } from './given-pages.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface GuardedForm {
  /** Begins the address; the first page with it is taken. */
  at: string
  /** Buttons that lead to it. */
  open?: readonly string[]
  field: string
}

const ON_PAGES: readonly GuardedForm[] = [
  { at: '/settings/workspace', field: 'Name' },
  { at: '/settings/members', field: 'E-mail' },
  { at: '/settings/api-keys', field: 'Name' },
  { at: '/settings/trusted-keys', field: 'Name' },
  { at: '/you', field: 'Name' },
  { at: '/you', field: 'New password' },
  { at: '/devices/gw-1?tab=registration', field: 'Name of a key' },
  { at: '/deployments/new', field: 'Note' },
  { at: '/alerts?tab=targets', field: 'URL' },
  { at: '/alerts/rules/new', field: 'Name' },
  { at: '/setup?step=sbom', field: 'Firmware' },
]

const IN_DIALOGS: readonly GuardedForm[] = [
  { at: '/firmware', open: ['New firmware'], field: 'Name' },
  { at: '/firmware/', open: ['New version'], field: 'Version' },
  { at: '/deployments', open: ['New cohort'], field: 'Name' },
  { at: '/deployments/', open: ['Change…'], field: 'Description' },
  { at: '/deployments/', open: ['Pick devices…'], field: 'Devices' },
  { at: '/devices/gw-1', open: ['Change…'], field: 'Description' },
]

interface ChangingForm extends GuardedForm {
  /** Of what it changes, in the API, where its last part is not that of the page's address. */
  of: string
  save: string
  /** What the field writes. */
  member: string
  typed: string | number
  /** What somebody else writes meanwhile, and how it is told. */
  theirs: Record<string, unknown>
  told: string
}

const CHANGING: readonly ChangingForm[] = [
  {
    at: '/settings/workspace',
    of: '/settings',
    field: 'Keep replaced SBOMs for days',
    save: 'Save settings',
    member: 'replacedSbomDays',
    typed: 33,
    theirs: { devicePollingSeconds: 77 },
    told: 'device polling seconds',
  },
  {
    at: '/disclosure-reports',
    of: '/disclosure-policy',
    field: 'Your policy',
    save: 'Save the page',
    member: 'policy',
    typed: 'Be kind',
    theirs: { mostPerDay: 12 },
    told: 'reports in a day',
  },
  {
    at: '/customers/',
    of: '/customers/',
    field: 'Note',
    save: 'Save customer',
    member: 'note',
    typed: 'Ask first',
    theirs: { tag: 'south' },
    told: 'tag',
  },
  {
    at: '/product-lines/',
    of: '/product-lines/',
    field: 'Category',
    save: 'Save product line',
    member: 'category',
    typed: 'Routers',
    theirs: { supportEndsIn: '2033-04' },
    told: 'end of support',
  },
  {
    at: '/deployments/',
    of: '/deployment-cohorts/',
    open: ['Change…'],
    field: 'Description',
    save: 'Save cohort',
    member: 'description',
    typed: 'In the lab',
    theirs: { pollingSeconds: 99 },
    told: 'how often hawkBit clients ask',
  },
  {
    at: '/devices/gw-1',
    of: '/devices/',
    open: ['Change…'],
    field: 'Description',
    save: 'Save device',
    member: 'description',
    typed: 'On the bench',
    theirs: { tags: ['blue', 'lab'] },
    told: 'tags',
  },
  {
    at: '/alerts/rules/',
    of: '/alert-rules/',
    field: 'Description',
    save: 'Save rule',
    member: 'description',
    typed: 'Open a window',
    theirs: { repeatInterval: '6h' },
    told: 'repeat interval',
  },
]

export function forms(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  let paths: string[]

  beforeAll(async () => {
    service = await running().service.openWorkspace('Forms', 'forms@example.com')
    paths = [...(await givenPages(service, true)), '/alerts/rules/new']
    page = await openPage(await openContext(running().browser), service.url, { list: [] })
    await signedIn(page, service)
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading').first().waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const findPath = (at: string) => paths.find((path) => path.startsWith(at)) ?? at
  const question = () => page.getByRole('dialog', { name: 'What you typed is not saved' })
  const answer = async (name: string) => {
    await question().getByRole('button', { name }).click()
    await question().waitFor({ state: 'detached' })
  }
  const fill = async ({ at, open = [], field: label }: GuardedForm) => {
    await go(findPath(at))
    for (const name of open) await page.getByRole('button', { name, exact: true }).first().click()
    const place = open.length > 0 ? page.getByRole('dialog') : page.getByRole('main')
    const field = place.locator('input, textarea').and(place.getByLabel(label)).first()
    await field.fill('thoughts')
    return field
  }
  const leavePage = () => page.getByRole('link', { name: 'Devices' }).first().click()

  it.each(ON_PAGES)('asks before $at is left with $field typed', async (form) => {
    const field = await fill(form)
    const address = page.url()

    await leavePage()
    await question().waitFor()
    await page.keyboard.press('Escape')
    await question().waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('thoughts')
    expect(page.url()).toBe(address)

    await leavePage()
    await answer('Leave it')
    await page.waitForURL(/\/devices$/)
  })

  it.each(IN_DIALOGS)('asks before $open of $at is closed with $field typed', async (form) => {
    const field = await fill(form)

    await page.keyboard.press('Escape')
    // A field with choices closes these first, and makes what was typed a choice when it is left.
    if (form.field === 'Devices') await page.keyboard.press('Escape')
    await answer('Keep writing')
    const kept = `${await field.inputValue()} ${await page.getByRole('dialog').innerText()}`
    expect(kept).toContain('thoughts')

    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await answer('Leave it')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  /** In the API, of what the form changes. */
  const nameChanged = ({ at, of }: ChangingForm) => {
    const [address = ''] = findPath(at).split('?')
    return of.endsWith('/') ? `${of}${address.split('/')[at.startsWith('/alerts') ? 3 : 2]}` : of
  }
  const save = (name: string) => page.getByRole('button', { name, exact: true }).click()

  it.each(CHANGING)('tells what others changed meanwhile of $of, before it saves', async (form) => {
    const changed = nameChanged(form)
    const read = () => service.ask<Record<string, unknown>>('GET', changed)
    const field = await fill(form)
    await field.fill(String(form.typed))

    await service.ask('PATCH', changed, form.theirs)
    await save(form.save)
    await page
      .getByText(`Nothing was saved: somebody else changed ${form.told} meanwhile.`)
      .waitFor()
    const between = await read()
    const kept = await field.inputValue()
    await save(form.save)
    const both = { ...form.theirs, [form.member]: form.typed }
    await expect.poll(read).toMatchObject(both)

    expect(between[form.member]).not.toEqual(form.typed)
    expect(kept).toBe(String(form.typed))
  })

  const ofCustomer = CHANGING.filter(({ of }) => of === '/customers/')

  it.each(ofCustomer)('tells what two people changed both of $of', async (form) => {
    const changed = nameChanged(form)
    const field = await fill(form)

    await service.ask('PATCH', changed, { note: 'theirs' })
    await save(form.save)
    await page.getByText('You both changed note: saving again puts yours').waitFor()
    const between = await service.ask<{ note: string }>('GET', changed)
    await save(form.save)

    expect(between.note).toBe('theirs')
    await expect
      .poll(async () => (await service.ask<{ note: string }>('GET', changed)).note)
      .toBe('thoughts')
    expect(await field.inputValue()).toBe('thoughts')
  })

  it('writes no note over that of somebody else unseen', async () => {
    const address = findPath('/alerts/incidents/')
    const incident = `/alert-incidents/${address.split('/')[3]}`
    const read = async () => (await service.ask<{ note: string | null }>('GET', incident)).note
    await go(address)
    const form = page.getByRole('form', { name: 'Note' })
    const field = form.getByRole('textbox')
    await field.fill('mine')

    await service.ask('PUT', `${incident}/note`, { note: 'theirs' })
    await form.getByRole('button', { name: 'Save note' }).click()
    await form.getByText('Somebody wrote “theirs” meanwhile. What you save').waitFor()
    const between = await read()
    await form.getByRole('button', { name: 'Save note' }).click()

    expect(between).toBe('theirs')
    await expect.poll(read).toBe('mine')
  })

  it('asks when one goes back', async () => {
    await go('/devices')
    await page.getByRole('link', { name: 'Firmware' }).first().click()
    await page.getByRole('button', { name: 'New firmware' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pump')
    await page.goBack()
    await answer('Keep writing')
    expect(page.url()).toMatch(/\/firmware$/)
    await page.goBack()
    await answer('Leave it')
    await page.waitForURL(/\/devices$/)
  })

  it('lets the browser ask when the tab is closed, and asks for nothing that is saved', async () => {
    await go('/you')
    const field = page.getByRole('form', { name: 'Name' }).getByRole('textbox')
    const before = await field.inputValue()
    await field.fill('Ada')
    await field.fill(before)
    expect(await isAskedAtClose(page)).toBe(false)
    await field.fill('Ada Lovelace')
    expect(await isAskedAtClose(page)).toBe(true)
    await page.getByRole('form', { name: 'Name' }).getByRole('button').click()
    await expect.poll(() => isAskedAtClose(page)).toBe(false)
    await leavePage()
    await page.waitForURL(/\/devices$/)
  })

  it('asks for what the service refused', async () => {
    await page.route('**/firmwares', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 409 }) : route.continue(),
    )
    await go('/firmware')
    await page.getByRole('button', { name: 'New firmware' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pump')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await answer('Leave it')
    await page.unroute('**/firmwares')
  })

  it('keeps the note of a finding without a question while one looks at others', async () => {
    await go('/findings')
    await page.keyboard.press('j')
    const note = page
      .getByRole('form', { name: 'Decision' })
      .getByRole('textbox', { name: /note/i })
    await note.fill('asked the vendor')
    await note.blur()
    const first = page.url()
    await page.keyboard.press('j')
    await expect.poll(() => page.url()).not.toBe(first)
    await expect.poll(() => note.inputValue()).toBe('')
    expect(await question().count()).toBe(0)
    await page.keyboard.press('k')
    await expect.poll(() => note.inputValue()).toBe('asked the vendor')
    expect(await isAskedAtClose(page)).toBe(true)
  })
}

/** As the browser asks the page. */
const isAskedAtClose = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))
