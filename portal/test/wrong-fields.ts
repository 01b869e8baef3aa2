/** A field that the service refuses is marked in each form: beside it in words, for screen readers, and by the focus. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { openContext, openPage, visit } from './browser.ts'
import { givenPages } from './given-pages.ts'
import { isChange, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface RefusedField {
  /** Begins the address, or is a pattern of it; the first such page is taken. */
  at: string | RegExp
  /** A button that leads to the form. */
  open?: string
  /** An item of the menu that the button opens. */
  item?: string
  /** The form's name; a dialog has one form, without a name. */
  form?: string
  field: string
  /** Where the service finds the fault. */
  pointer: string
  /** What the form wants first: boxes by their names, and text fields. */
  check?: string
  fill?: string
}

const FIELDS: readonly RefusedField[] = [
  { at: '/settings/workspace', form: 'Workspace settings', field: 'Name', pointer: '/name' },
  {
    at: '/settings/workspace',
    form: 'Workspace settings',
    field: 'High: days to decide',
    pointer: '/remediationTargetDays/High',
  },
  { at: '/settings/members', form: 'Invite', field: 'E-mail', pointer: '/email' },
  {
    at: '/settings/api-keys',
    form: 'New API key',
    field: 'Name',
    pointer: '/name',
    check: 'Devices: read',
  },
  {
    at: '/settings/api-keys',
    form: 'New API key',
    field: 'Workspace settings: read',
    pointer: '/scopes/0',
    check: 'Devices: read',
  },
  { at: '/settings/api-keys', form: 'New device key', field: 'Name', pointer: '/name' },
  { at: '/settings/trusted-keys', form: 'New trusted key', field: 'Name', pointer: '/name' },
  {
    at: '/settings/trusted-keys',
    form: 'New trusted key',
    field: 'Public key or certificate',
    pointer: '/key',
  },
  { at: '/you', form: 'Name', field: 'Name', pointer: '/displayName' },
  { at: '/you', form: 'Password', field: 'New password', pointer: '/newPassword' },
  {
    at: '/you',
    form: 'Mails of',
    field: 'Time zone',
    pointer: '/weeklyMail/timeZone',
    check: 'Send me the week of',
  },
  {
    at: '/alerts?tab=targets',
    form: 'New mail target',
    field: 'Addresses',
    pointer: '/emailAddresses/0',
  },
  { at: '/alerts?tab=targets', form: 'New webhook', field: 'URL', pointer: '/url' },
  { at: '/alerts/rules/new', form: 'New rule', field: 'Name', pointer: '/name', fill: 'Name' },
  {
    at: '/alerts/rules/new',
    form: 'New rule',
    field: 'Only in firmware',
    pointer: '/condition/firmwareIds/0',
    fill: 'Name',
  },
  { at: '/deployments/new?', form: 'New deployment', field: 'Note', pointer: '/note' },
  {
    at: '/deployments/new?',
    form: 'New deployment',
    field: 'Up to, in % of devices',
    pointer: '/phases/0/percent',
  },
  {
    at: '/deployments/new?',
    form: 'New deployment',
    field: 'Tries so many times',
    pointer: '/maxAttempts',
  },
  { at: '/firmware', open: 'New firmware', field: 'Short name', pointer: '/slug' },
  { at: '/firmware/', open: 'New version', field: 'Version', pointer: '/name' },
  {
    at: '/deployments',
    open: 'New cohort',
    field: 'With all of these tags',
    pointer: '/tagRule/all/1',
  },
  { at: '/deployments/', open: 'Change…', field: 'Description', pointer: '/description' },
  {
    at: /\/deployments\/[^/]+\/[^/]+$/,
    open: 'Change…',
    field: 'Note',
    pointer: '/note',
    fill: 'Note',
  },
  { at: '/devices/gw-1', open: 'Change…', field: 'Description', pointer: '/description' },
  { at: '/devices/gw-1', open: 'Change…', field: 'Tags', pointer: '/tags/0' },
  {
    at: '/findings',
    open: 'View and export',
    item: 'Save or change views…',
    form: 'Save the view',
    field: 'Save what is shown now as',
    pointer: '/name',
    fill: 'Save what is shown now as',
  },
  { at: /alerts\/rules\/[^/]+$/, form: 'Change rule', field: 'Name', pointer: '/name' },
  {
    at: '/alerts/incidents/',
    form: 'Silence',
    field: 'Reason',
    pointer: '/reason',
    fill: 'Reason',
  },
  {
    at: '/you',
    open: 'Set up an app',
    form: 'Set up an app',
    field: 'The six digits that it shows',
    pointer: '/code',
  },
  { at: '/setup?step=device', form: 'A first device', field: 'Device id', pointer: '/id' },
]

export function wrongFields(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  let paths: string[]
  /** Found in what is sent next. */
  let pointers: readonly string[] | undefined

  beforeAll(async () => {
    service = await running().service.openWorkspace('Fields', 'fields@example.com')
    paths = await givenPages(service, true)
    page = await openPage(await openContext(running().browser), service.url, { list: [] })
    await signedIn(page, service)
    await refuseChanges(page)
  })

  const refuseChanges = (refused: Page) =>
    refused.route('**', (route) => {
      if (!pointers || !isChange(route.request())) return route.continue()
      const errors = pointers.map((pointer) => ({ pointer, detail: 'is not what we take' }))
      return route.fulfill({
        status: 400,
        contentType: 'application/problem+json',
        json: {
          type: '/problems/invalid-request',
          title: 'Bad Request',
          status: 400,
          detail: 'The request is not valid.',
          errors,
        },
      })
    })

  const makeInvitation = async () => {
    const path = `${service.url}/workspaces/${service.workspaceId}/invitations`
    const data = { email: `${Date.now()}@example.com`, role: 'Viewer', send: false }
    const made = await page.request.post(path, { data, headers: { origin: service.url } })
    return ((await made.json()) as { link: string }).link
  }

  const openForm = async ({ at, open, item, form }: RefusedField) => {
    pointers = undefined
    const isMeant = (path: string) => (typeof at === 'string' ? path.startsWith(at) : at.test(path))
    const path = paths.find(isMeant) ?? String(at)
    await visit(page, `${service.url}/w/${service.workspaceId}${path}`)
    if (open !== undefined)
      await page.getByRole('button', { name: open, exact: true }).first().click()
    if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
    return form === undefined
      ? page.getByRole('dialog').locator('form')
      : page.getByRole('form', { name: form }).first()
  }

  it.each(FIELDS)('marks $field at $pointer of $at', async (row) => {
    const form = await openForm(row)
    pointers = [row.pointer]
    if (row.check !== undefined) await form.getByLabel(row.check).check()
    if (row.fill !== undefined) await form.getByLabel(row.fill).fill('thoughts')
    await expectMarked(form, row.field)
  })

  it.each([
    ['/sign-in', 'E-mail', '/email'],
    ['/forgotten-password', 'E-mail', '/email'],
    ['/sign-in?step=second-factor', 'The six digits of your authenticator app', '/code'],
    ['/link', 'Your name', '/displayName'],
    ['/link', 'Password', '/password'],
  ] as const)('marks of %s the field %s', async (path, field, pointer) => {
    const link = path === '/link' ? await makeInvitation() : `${service.url}${path}`
    pointers = [pointer]
    const visitor = await openPage(await openContext(running().browser), service.url, { list: [] })
    await refuseChanges(visitor)
    await visitor.goto(link)

    await expectMarked(visitor.locator('form'), field)
  })

  it('leads to the first of two wrong fields', async () => {
    const form = await openForm({
      at: '/alerts?tab=targets',
      form: 'New webhook',
      field: '',
      pointer: '',
    })

    pointers = ['/url', '/name']
    await send(form)

    expect(await isFocused(form.getByRole('textbox', { name: 'Name' }))).toBe(true)
    expect(await form.locator('[aria-invalid=true]').count()).toBe(2)
  })
}

/** Sends what the browser itself would refuse, too. */
async function send(form: Locator): Promise<void> {
  await form.evaluate((element: HTMLFormElement) => {
    element.noValidate = true
  })
  await form.locator('button[type=submit]').click()
  await form.getByRole('alert').waitFor()
}

async function expectMarked(form: Locator, label: string): Promise<void> {
  await send(form)

  const field = form
    .locator('input:not([type=hidden]), textarea')
    .and(form.getByLabel(label))
    .first()
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect(await isFocused(field)).toBe(true)
  expect(await field.evaluate(readDescription)).toMatch(/is not what we take\./i)
}

const isFocused = (field: Locator) =>
  field.evaluate((element) => element === document.activeElement)

/** What a screen reader says after the name of the field. */
const readDescription = (element: Element) =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')
