/** What people change of a roll-out that is under way, in a real browser: its later phases, and the version that comes back. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsOf, NARROW, openContext, openPage, WIDE } from './browser.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface Made {
  id: string
}

const GROUP = { deviceCount: 100, withoutValuesCount: 0, meanBefore: 2, meanAfter: 3 }
const NOT_WORSE = {
  builtIn: null,
  name: 'memory_used',
  labels: {},
  worse: 'Higher',
  marginPercent: 5,
  verdict: 'NotWorse',
  detail:
    'memory_used: updated devices 0.4 % more than waiting ones (95 %: -1.2 to 2.1 %), 100 and 100 devices compared; a rise of less than 8.1 % may not have been seen',
  updated: { ...GROUP, changePercent: 50 },
  waiting: { ...GROUP, changePercent: 2 },
  differencePercent: 0.4,
  fromPercent: -1.2,
  toPercent: 2.1,
  pValue: 0.9,
  smallestPercent: 8.1,
  smallestDevices: null,
  isBlind: false,
  series: Array.from({ length: 48 }, (_, at) => ({
    seconds: (at - 24) * 3_600,
    updated: 2 + Math.sin(at / 4) / 2 + (at >= 24 ? 0.8 : 0),
    waiting: at === 30 ? null : 2 + Math.sin(at / 4) / 2,
  })),
  worstDevices: [
    { deviceId: 'valve-1', before: 2, after: 9, changePercent: 350 },
    { deviceId: 'a-device-with-a-long-name-0123456789', before: 0, after: 4, changePercent: null },
  ],
}
const WORSE = {
  ...NOT_WORSE,
  builtIn: 'Restarts',
  name: 'Restarts',
  verdict: 'Worse',
  detail:
    'Restarts: updated devices 31 % more than waiting ones (95 %: 18 to 46 %), 100 and 100 devices compared',
}
const BLIND = {
  ...NOT_WORSE,
  builtIn: 'Crashes',
  name: 'Crashes',
  isBlind: true,
  smallestPercent: null,
  smallestDevices: 40,
  detail:
    'Crashes: no difference, and before hardly any had it, 100 and 100 devices compared; it may not have been seen on fewer than 40 of 100 updated devices',
}
const NO_VALUES = { series: [], worstDevices: [], smallestPercent: null, pValue: null }
const TOO_FEW = {
  ...NOT_WORSE,
  ...NO_VALUES,
  verdict: 'TooFew',
  detail:
    'memory_used: too few to tell: 12 updated devices and 88 waiting ones with values, 20 of each are needed',
}
const UNREAD = {
  ...NOT_WORSE,
  ...NO_VALUES,
  builtIn: 'ConnectionTime',
  name: 'ConnectionTime',
  verdict: 'NotMeasured',
  detail:
    'Connection time: it could not be read, so nothing is known of it. Reading all signals took too long',
}

interface LookedComparison {
  what: string
  state: 'Waiting' | 'TooFew' | 'Passed' | 'Worse'
  reason: string
  results: object[]
  blindTo?: string[]
  seen: string[]
  /** The buttons. */
  acts?: string[]
  view: { colorScheme: 'light' | 'dark'; size: typeof WIDE }
}

const HELD = ['Roll back…', 'Begin next phase nevertheless…']
/** Each state once, in one of four looks. */
const LOOKED: LookedComparison[] = [
  {
    what: 'waits',
    state: 'Waiting',
    reason: '3 devices of at least 20 ran the update for 1 day; 12 have yet to take it',
    results: [],
    seen: ['not told yet', '3 devices of at least 20 ran the update for 1 day'],
    view: { colorScheme: 'dark', size: NARROW },
  },
  {
    what: 'has too few devices to tell',
    state: 'TooFew',
    reason: TOO_FEW.detail,
    results: [TOO_FEW],
    seen: ['cannot be told', 'Too few to tell', '20 of each are needed'],
    acts: HELD,
    view: { colorScheme: 'light', size: NARROW },
  },
  {
    what: 'was not measured to its end',
    state: 'TooFew',
    reason: UNREAD.detail,
    results: [NOT_WORSE, UNREAD],
    seen: ['cannot be told', 'Not measured', 'nothing is known of it'],
    acts: HELD,
    view: { colorScheme: 'dark', size: WIDE },
  },
  {
    what: 'passed',
    state: 'Passed',
    reason: NOT_WORSE.detail,
    results: [NOT_WORSE],
    seen: ['nothing is worse', 'Not worse', 'a rise of less than 8.1 %'],
    view: { colorScheme: 'light', size: WIDE },
  },
  {
    what: 'passed, and would have missed much',
    state: 'Passed',
    reason: `${NOT_WORSE.detail}. ${BLIND.detail}`,
    results: [NOT_WORSE, BLIND],
    blindTo: ['Crashes'],
    seen: ['nothing worse was seen', 'Hardly seen', 'Even twice as much would have been missed'],
    view: { colorScheme: 'dark', size: NARROW },
  },
  {
    what: 'found it worse',
    state: 'Worse',
    reason: WORSE.detail,
    results: [WORSE, NOT_WORSE],
    seen: ['worse', WORSE.detail, '2 → 9 (+350 %)'],
    acts: HELD,
    view: { colorScheme: 'light', size: NARROW },
  },
]

const RUNS = { 'pump-1': '1.2.0', 'pump-2': '1.2.0', 'pump-3': '1.1.0' }

export function rollOuts(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  let cohortId: string
  let deploymentId: string
  let versionId: string
  /** Whose first phase is compared. */
  let compared: { cohortId: string; id: string }
  const complaints: Complaints = { list: [] }

  /** The cohort had 1.0.0 and 1.1.0, and gets 1.2.0 in phases. */
  beforeAll(async () => {
    service = await running().service.openWorkspace('Roll-outs', 'roll-outs@example.com')
    page = await openPage(await openContext(running().browser), service.url, complaints)
    await signedIn(page, service)
    const { ask } = service
    const firmware = await ask<Made>('POST', '/firmwares', { slug: 'pump', name: 'Pump' })
    const cohort = await ask<Made>('POST', '/deployment-cohorts', {
      name: 'pilots',
      tagRule: { all: ['pilot'] },
    })
    cohortId = cohort.id
    for (const id of Object.keys(RUNS)) await ask('POST', '/devices', { id, tags: ['pilot'] })
    for (const name of ['1.0.0', '1.1.0', '1.2.0']) {
      const version = await ask<Made>('POST', `/firmwares/${firmware.id}/versions`, { name })
      const artifact = `/firmware-versions/${version.id}/artifact?fileName=pump.bin`
      await ask('PUT', artifact, Buffer.from(name))
      const deployment = await ask<Made>('POST', `/deployment-cohorts/${cohortId}/deployments`, {
        name: `to ${name}`,
        artifacts: [{ firmwareVersionId: version.id }],
        phases: [
          { percent: 20, waitSeconds: 86_400 },
          { percent: 60, waitSeconds: 86_400 },
          { percent: 100 },
        ],
      })
      deploymentId = deployment.id
      versionId = version.id
    }
    const made = await page.request.post(
      `${service.url}/workspaces/${service.workspaceId}/device-keys`,
      { data: { name: 'pumps' }, headers: { origin: service.url } },
    )
    const { deviceKey } = (await made.json()) as { deviceKey: string }
    for (const [id, version] of Object.entries(RUNS)) {
      const answer = await fetch(`${service.url}/device/v1/${service.workspaceId}/${id}/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          session: { runId: version, firmware: [{ slug: 'pump', version }] },
        }),
      })
      expect(answer.status).toBe(200)
    }
  })

  const path = () => `/deployment-cohorts/${cohortId}/deployments/${deploymentId}`
  const go = async () => {
    await page.goto(
      `${service.url}/w/${service.workspaceId}/deployments/${cohortId}/${deploymentId}`,
    )
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const dialog = () => page.getByRole('dialog')
  const open = async (name: string) => {
    await go()
    await page.getByRole('button', { name, exact: true }).click()
    await dialog().getByRole('textbox').first().waitFor()
  }
  const field = (name: string) => dialog().getByRole('textbox', { name, exact: true })
  const phase = (index: number) =>
    dialog().getByRole('group', { name: new RegExp(`^Phase ${index}`) })
  const save = (name = 'Save changes') =>
    dialog().getByRole('button', { name, exact: true }).click()
  const read = () =>
    service.ask<{ name: string; note: string | null; phases: object[] }>('GET', path())

  it('chooses by keyboard alone what is compared', async () => {
    const valves = await service.ask<Made>('POST', '/deployment-cohorts', {
      name: 'valves',
      tagRule: { all: ['valve'] },
    })
    await service.ask('POST', '/devices', { id: 'valve-1', tags: ['valve'] })
    await page.goto(
      `${service.url}/w/${service.workspaceId}/deployments/new?cohort=${valves.id}&version=${versionId}`,
    )
    const first = page.getByRole('group', { name: 'Phase 1' })
    await first.getByRole('checkbox', { name: 'Compare with devices that wait' }).focus()
    await page.keyboard.press('Space')
    const role = { name: 'What is compared' }
    const signals = first.getByRole('combobox', role).or(first.getByRole('textbox', role))
    await signals.waitFor()
    await tabTo(page, signals)
    for (const name of ['Crash', 'Connection']) {
      await page.keyboard.type(name)
      await page.getByRole('option', { name: new RegExp(`^${name}`) }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }
    await first.getByText('Connection time (MQTT)').first().waitFor()
    await page.keyboard.press('Escape')
    const faults = await faultsOf(page)
    await page.setViewportSize(NARROW)
    faults.push(...(await faultsOf(page)))
    await page.setViewportSize(WIDE)
    await tabTo(page, page.getByRole('button', { name: 'Deploy to 1 device' }))
    await page.keyboard.press('Enter')
    await page
      .getByRole('region', { name: 'Comparison of phase 1' })
      .getByText('not told yet')
      .waitFor()

    expect(faults).toEqual([])
    const [, id = ''] = /deployments\/[^/]+\/([^/?]+)/.exec(page.url()) ?? []
    compared = { cohortId: valves.id, id }
    const { phases } = await service.ask<{ phases: { comparison: { builtIn: string[] } }[] }>(
      'GET',
      `/deployment-cohorts/${valves.id}/deployments/${id}`,
    )
    expect(phases[0]?.comparison.builtIn).toEqual([
      'Restarts',
      'Crashes',
      'LogErrors',
      'ConnectionTime',
    ])
  })

  it.each(LOOKED)('shows a comparison that $what, and the ways on', async (look) => {
    const { state, reason, results, blindTo = [], seen, acts = [], view } = look
    const { write, url, workspaceId } = service
    // Devices that run it for a day are not at hand: this is what a worker would write then.
    await write(
      `insert into deployment_comparisons (workspace_id, deployment_id, phase, checked_at, state, reason, results, blind_to)
      values ($1, $2, 0, now(), $3, $4, $5, $6)
      on conflict (workspace_id, deployment_id, phase) do update set checked_at = now(), state = excluded.state,
        reason = excluded.reason, results = excluded.results, blind_to = excluded.blind_to`,
      [workspaceId, compared.id, state, reason, JSON.stringify(results), blindTo],
    )
    await write(
      `update deployments set state = $3, state_reason = $4 where workspace_id = $1 and id = $2`,
      state === 'Worse'
        ? [workspaceId, compared.id, 'Stopped', reason]
        : [workspaceId, compared.id, 'Running', null],
    )
    await page.emulateMedia({ colorScheme: view.colorScheme })
    await page.setViewportSize(view.size)
    await page.goto(`${url}/w/${workspaceId}/deployments/${compared.cohortId}/${compared.id}`)
    const shown = page.getByRole('region', { name: 'Comparison of phase 1' })
    for (const text of seen) await shown.getByText(text).first().waitFor()
    const faults = await faultsOf(page)
    const buttons = await shown.getByRole('button').allTextContents()
    for (const name of acts) {
      await shown.getByRole('button', { name }).click()
      await dialog().waitFor()
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'detached' })
    }
    if (state === 'Worse') {
      await shown.getByRole('img', { name: /^Restarts: means of updated/ }).waitFor()
      const device = shown.getByRole('link', { name: 'valve-1' }).first()
      expect(await device.getAttribute('href')).toContain('/devices/valve-1')
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(WIDE)

    expect(faults).toEqual([])
    expect(buttons.map((text) => text.trim())).toEqual(acts)
  })

  it('changes later phases and what holds for each device, says what stays, and takes it back', async () => {
    await service.ask('POST', `${path()}/next-phase`)
    await open('Change…')
    const over = /^Phase 1 is over and stays as it was: up to 20 % of devices, waits 1 day\.$/
    await dialog().getByText(over).waitFor()
    expect(await phase(1).count()).toBe(0)
    await phase(2).getByText('Phase 2: under way, its 60 % of devices stay').waitFor()
    expect(await dialog().locator('input:disabled').count()).toBe(0)
    expect(await dialog().getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true)
    const faults = await faultsOf(page)

    await dialog().getByRole('button', { name: 'Add a phase' }).click()
    await phase(3).getByText('3 of 3 devices now').waitFor()
    const wait = (of: number) => phase(of).getByRole('textbox', { name: 'Then waits' })
    await phase(3).getByRole('combobox', { name: 'Then waits: unit' }).selectOption('minutes')
    await wait(3).fill('10')
    await phase(2).getByRole('textbox', { name: 'Stops when so many % fail' }).fill('30')
    await dialog()
      .getByText(/^On each device: begins within 90 days, then done within 1 day, 1 attempt$/)
      .click()
    await field('Tries so many times').fill('3')
    await field('Then done within').fill('2')
    await dialog().getByRole('checkbox', { name: 'Begins in certain hours' }).check()
    await field('Until').fill('05:30')
    await dialog().getByRole('combobox', { name: 'In which time' }).selectOption('+05:45')
    await dialog().getByRole('checkbox', { name: 'Asks its user first' }).check()
    await page.setViewportSize(NARROW)
    faults.push(...(await faultsOf(page)))
    const foot = dialog().getByRole('button', { name: 'Save changes' })
    for (const seen of ['Tries so many times', 'Name']) {
      await field(seen).scrollIntoViewIfNeeded()
      const box = await foot.boundingBox()
      expect((box?.y ?? NARROW.height) + (box?.height ?? 0)).toBeLessThanOrEqual(NARROW.height)
    }
    await page.setViewportSize(WIDE)
    await save()
    await dialog().waitFor({ state: 'detached' })

    expect(faults).toEqual([])
    const changed = {
      deviceDeadlineSeconds: 172_800,
      maxAttempts: 3,
      maintenanceWindow: { from: '02:00', until: '05:30', utcOffset: '+05:45' },
      confirmationRequired: true,
    }
    expect(await read()).toMatchObject({
      ...changed,
      phases: [
        { percent: 20 },
        { percent: 60, failureThresholdPercent: 30 },
        { percent: 80, waitSeconds: 600 },
        { percent: 100 },
      ],
    })
    await open('Change…')
    expect(await wait(3).inputValue()).toBe('10')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await open('Change…')
    await field('Note').fill('look at pump 2')
    await save()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('to 1.2.0: changed the note', { exact: true }).waitFor()
    await page.keyboard.press('z')
    await page.getByText('Taken back: to 1.2.0: changed the note', { exact: true }).waitFor()
    expect(await read()).toMatchObject({ ...changed, note: null })
  })

  it('says why it stays: somebody changed it since, or its phase has begun', async () => {
    const undo = () => page.getByRole('button', { name: 'Undo z', exact: true }).click()
    await open('Change…')
    await field('Note').fill('look')
    await save()
    await dialog().waitFor({ state: 'detached' })
    await service.ask('PATCH', path(), { note: 'Others look, too' })
    await undo()
    await page.getByText(/changed the note\. It stayed: somebody has changed it since\.$/).waitFor()
    expect((await read()).note).toBe('Others look, too')

    await open('Change…')
    await dialog().getByRole('button', { name: 'Leave out phase 3' }).click()
    await save()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('to 1.2.0: changed phases', { exact: true }).waitFor()
    await service.ask('POST', `${path()}/next-phase`)
    await undo()
    await page.getByText(/It stayed: Phase 3 has begun: its 100 % stay\./).waitFor()
    expect((await read()).phases).toMatchObject([
      { percent: 20 },
      { percent: 60 },
      { percent: 100 },
    ])
  })

  it('tells who changed it meanwhile, keeps what was typed, and what the other changed', async () => {
    await open('Change…')
    await field('Note').fill('slowly')
    await service.ask('PATCH', path(), { name: 'Night shift' })
    await save()
    await dialog()
      .getByText('Nothing was saved: somebody else changed the name meanwhile.')
      .waitFor()
    await dialog()
      .getByText(/changed name of the deployment/)
      .waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await field('Note').inputValue()).toBe('slowly')
    expect(await field('Name').inputValue()).toBe('Night shift')
    await save('Save mine over it')
    await dialog().waitFor({ state: 'detached' })
    expect(await read()).toMatchObject({ name: 'Night shift', note: 'slowly' })

    await open('Change…')
    await field('Note').fill('mine')
    await service.ask('PATCH', path(), { note: 'theirs' })
    await save()
    await dialog()
      .getByText(/You both changed the note/)
      .waitFor()
    expect((await read()).note).toBe('theirs')
    await save('Save mine over it')
    await dialog().waitFor({ state: 'detached' })
    expect((await read()).note).toBe('mine')
  })

  it('shows for each version that may come back how many devices go there, and goes to the chosen one', async () => {
    await open('Roll back…')
    const groups = () =>
      dialog().getByRole('list', { name: 'The devices of pilots' }).getByRole('listitem')
    const choice = dialog().getByRole('combobox', { name: 'Back to' })
    await expect
      .poll(() => choice.getByRole('option').allTextContents())
      .toEqual([
        'The version before',
        expect.stringMatching(/^Pump 1\.1\.0, deployed /),
        expect.stringMatching(/^Pump 1\.0\.0, deployed /),
      ])
    await expect
      .poll(() => groups().allTextContents())
      .toMatchObject([/^2go back and install 1\.1\.0/, /^1stay/, /^0report/].map(matching))

    await field('Type the cohort’s name, pilots, to go on').fill('pilots')
    const [, , oldest = ''] = await choice
      .getByRole('option')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? ''))
    await choice.selectOption(oldest)
    await expect
      .poll(() => groups().allTextContents())
      .toMatchObject([/^3go back and install 1\.0\.0/, /^0stay/, /^0report/].map(matching))
    expect(await faultsOf(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Roll back 3 devices' }).click()

    await page.getByRole('heading', { name: /of 3 devices report 1\.0\.0/ }).waitFor()
  })

  it('has complained of nothing', () => {
    expect(complaints.list.filter((text) => !/409|412/.test(text))).toEqual([])
  })
}

const matching = (text: RegExp): unknown => expect.stringMatching(text)

/** As somebody does without a mouse. */
async function tabTo(page: Page, place: Locator): Promise<void> {
  const isThere = () => place.evaluate((element) => element === document.activeElement)
  for (let step = 0; step < 60 && !(await isThere()); step++) await page.keyboard.press('Tab')
  expect(await isThere()).toBe(true)
}
