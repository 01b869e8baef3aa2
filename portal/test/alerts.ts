/** The lists of alerts in a real browser: what is done to many incidents at once, and how the lists are shown and taken along. */
import { readFileSync } from 'node:fs'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Complaints, faultsOf, NARROW, openContext, openPage, WIDE } from './browser.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface Incident {
  id: string
  acknowledgedAt: string | null
  note: string | null
  assignee: { email: string } | null
  silencedUntil: string | null
}

const OPEN = 60

export function alerts(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Alerts', 'alerts@example.com')
    context = await openContext(running().browser, { acceptDownloads: true })
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const targets = '/notification-targets'
    for (const name of ['On call', 'Night watch'])
      await service.ask('POST', targets, {
        name,
        type: 'Email',
        state: 'Enabled',
        emailAddresses: [`${name.replace(' ', '.')}@example.com`],
      })
  })

  /** More than a page of open ones, and one that ended. */
  beforeEach(async () => {
    await service.write('delete from alert_incidents where workspace_id = $1', [
      service.workspaceId,
    ])
    await service.write(
      `with made as (insert into alert_incidents (workspace_id, id, rule_id, rule_name, rule_type, condition, began_at, ended_at, ended_cause)
        select $1, gen_random_uuid(), gen_random_uuid(), 'hall ' || number, 'DeviceOffline', '{"tags": [], "deploymentCohortId": null, "offlineFor": "1h"}',
          now() - number * interval '1 minute', case when number > $2 then now() end, case when number > $2 then 'Recovered' end
        from generate_series(1, $2::int + 1) as number returning *)
      insert into alert_series (workspace_id, rule_id, series, label, since, until, value, incident_id)
        select workspace_id, rule_id, 'pump', 'pump', began_at, ended_at, 42, id from made`,
      [service.workspaceId, OPEN],
    )
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
  }
  const listOpen = async () => {
    const body = { filter: { isOpen: true }, limit: 100 }
    return (await service.ask<{ incidents: Incident[] }>('POST', '/alert-incidents/list', body))
      .incidents
  }
  const countOpen = async (is: (incident: Incident) => boolean) =>
    (await listOpen()).filter(is).length
  const isAcknowledged = ({ acknowledgedAt }: Incident) => acknowledgedAt !== null
  const acknowledgeOne = async () => {
    const id = (await listOpen()).find((one) => !isAcknowledged(one))?.id ?? ''
    await service.ask('POST', `/alert-incidents/${id}/acknowledge`)
  }
  const now = () => page.getByRole('table', { name: 'Now' })
  const select = async (name: string) =>
    page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
  const selectAll = async () => {
    await select('hall 1')
    await page.getByRole('button', { name: /^Select all 60 that match/ }).click()
    await page.getByText('All 60 selected').waitFor()
  }
  const act = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const undo = async (done: string) => {
    await page.locator('[data-notice="done"]').getByText(done).waitFor()
    await page.keyboard.press('z')
    await page
      .getByText(/^Taken back|taken back/)
      .first()
      .waitFor()
  }

  it('acknowledges all that match once it said how many, and takes it back', async () => {
    await acknowledgeOne()
    await go('/alerts')
    const before = await now().getByRole('row').nth(1).boundingBox()
    await selectAll()
    expect(await now().getByRole('row').nth(1).boundingBox()).toEqual(before)

    await act('Acknowledge…')
    await page.getByText(/^59 of 60 incidents will be acknowledged/).waitFor()
    await page.getByRole('textbox', { name: 'Note' }).fill('Hall 2 lost its cooling')
    expect(await faultsOf(page)).toEqual([])
    await act('Acknowledge 59 incidents')

    await expect.poll(() => countOpen(isAcknowledged)).toBe(60)
    expect(await countOpen(({ note }) => note === 'Hall 2 lost its cooling')).toBe(59)
    await undo('59 incidents: acknowledged with a note')
    await expect.poll(() => countOpen(isAcknowledged)).toBe(1)
    expect(await countOpen(({ note }) => note !== null)).toBe(0)
  })

  it('changes nothing where others would change by now, and says so', async () => {
    await go('/alerts')
    await select('hall 1')
    await select('hall 2')
    await act('Acknowledge…')
    await page.getByText(/^2 of 2 incidents will/).waitFor()
    await acknowledgeOne()

    await act('Acknowledge 2 incidents')

    const dialog = page.getByRole('dialog')
    await dialog.getByText(/It would change 1 incident now, not 2; nothing was changed/).waitFor()
    expect(await page.locator('[data-notice]').count()).toBe(0)
    expect(await countOpen(isAcknowledged)).toBe(1)
    // It counted again: who reads that may go on.
    await act('Acknowledge 1 incident')
    await expect.poll(() => countOpen(isAcknowledged)).toBe(2)
  })

  it('gives several to a member, and silences several, each taken back as a whole', async () => {
    await go('/alerts')
    await select('hall 3')
    await select('hall 4')
    await act('Assign…')
    await page.getByText('Choose who looks after them.').waitFor()
    await page.getByRole('combobox', { name: 'Who looks after them' }).click()
    await page.getByRole('option', { name: /\(you\)$/ }).click()
    await page.getByText(/^2 of 2 incidents will change/).waitFor()
    await act('Assign 2 incidents')
    const isMine = ({ assignee }: Incident) => assignee?.email === 'alerts@example.com'
    await expect.poll(() => countOpen(isMine)).toBe(2)
    await undo('2 incidents: Ines Kovač looks after them')
    await expect.poll(() => countOpen(isMine)).toBe(0)

    await selectAll()
    await act('Silence…')
    await page.getByText(/^60 of 60 incidents will be silenced until/).waitFor()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Hall 2 is closed')
    await act('Silence 60 incidents')
    const isSilent = ({ silencedUntil }: Incident) => silencedUntil !== null
    await expect.poll(() => countOpen(isSilent)).toBe(60)
    await page
      .locator('[data-notice="done"]')
      .getByText(/^60 incidents: silenced until/)
      .waitFor()
    await page.keyboard.press('z')
    await expect.poll(() => countOpen(isSilent)).toBe(0)
  })

  it('says beside the field what the service refuses of an act on many, and keeps what was typed', async () => {
    const refuse = async (pointer: string) => {
      await page.route('**/bulk-handle', async (route) => {
        if ((route.request().postDataJSON() as { dryRun?: boolean }).dryRun) return route.continue()
        const json = {
          type: '/problems/invalid-request',
          title: 'Bad Request',
          status: 400,
          detail: 'The request is not valid.',
          errors: [{ pointer, detail: 'is not what we take' }],
        }
        return route.fulfill({ status: 400, contentType: 'application/problem+json', json })
      })
    }
    const expectMarked = async (field: Locator) => {
      await page.getByRole('dialog').getByRole('alert').waitFor()
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await page.locator('[data-notice="failed"]').count()).toBe(0)
      expect(await faultsOf(page)).toEqual([])
    }
    await go('/alerts')
    await select('hall 3')
    await refuse('/silence/reason')
    await act('Silence…')
    const reason = page.getByRole('textbox', { name: 'Reason' })
    await reason.fill('Hall 3 is closed')
    await act('Silence 1 incident')
    await expectMarked(reason)
    expect(await reason.inputValue()).toBe('Hall 3 is closed')
    await page.unroute('**/bulk-handle')
    await act('Silence 1 incident')
    await page
      .locator('[data-notice="done"]')
      .getByText(/^1 incident: silenced until/)
      .waitFor()

    await select('hall 4')
    await refuse('/assign/subjectId')
    await act('Assign…')
    const who = page.getByRole('combobox', { name: 'Who looks after them' })
    await who.click()
    await page.getByRole('option', { name: /\(you\)$/ }).click()
    await act('Assign 1 incident')
    await expectMarked(who)
    await page.unroute('**/bulk-handle')
  })

  it('offers for what has ended only what can still be done', async () => {
    await go('/alerts')
    await select('hall 61')

    expect(
      await page.getByRole('group', { name: 'Selection' }).getByRole('button').allTextContents(),
    ).toEqual(['Assign…', ''])
  })

  it.each([
    { list: 'incidents', tab: '', first: 'hall 1', column: 'Note', count: OPEN },
    { list: 'deliveries', tab: '?tab=deliveries', first: 'Night', column: 'Answer', count: 2 },
  ])(
    'keeps columns and density of $list for the next visit, and saves them as CSV',
    async ({ list, tab, first, column, count }) => {
      await go(`/alerts${tab}`)
      const table = page.getByRole('table').first()
      const row = () => table.getByRole('row').filter({ hasText: first }).first()
      const high = (await row().boundingBox())?.height ?? 0
      const menu = () => page.getByRole('button', { name: 'View and export' }).first().click()
      await menu()
      await page.getByRole('menuitemcheckbox', { name: column, exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Compact' }).click()
      await page.reload()
      await row().waitFor()
      expect(await table.getByRole('columnheader', { name: column, exact: true }).count()).toBe(0)
      expect((await row().boundingBox())?.height).toBeLessThan(high)

      await menu()
      const saving = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: /CSV/ }).click()
      const download = await saving
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(download.suggestedFilename()).toBe(`${list}.csv`)
      expect(lines).toHaveLength(1 + count)
      expect(lines[1]).toContain(first)
    },
  )

  it('keeps a view of incidents, and opens it', async () => {
    await go('/alerts')
    await act('Nobody’s')
    const menu = () => page.getByRole('button', { name: 'View and export' }).first().click()
    await menu()
    await page.getByRole('menuitem', { name: 'Save or change views…' }).click()
    await page.getByRole('textbox', { name: /^Save what is shown now as/ }).fill('To take')
    await page.getByRole('checkbox', { name: 'Share it with all members' }).check()
    await act('Save view')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await go('/alerts')
    await menu()
    await page.getByRole('menuitem', { name: 'To take' }).click()

    await page.waitForURL(/nobodys=1/)
    expect(await service.ask('GET', '/saved-views')).toMatchObject({
      savedViews: [{ list: 'incidents', search: '?nobodys=1' }],
    })
  })

  it('says short times in one line, and has boxes on cards', async () => {
    await go('/alerts')
    const heights = await now()
      .locator('time')
      .evaluateAll((times) => times.map((time) => time.getClientRects().length))
    expect(new Set(heights)).toEqual(new Set([1]))

    await page.setViewportSize(NARROW)
    await select('hall 1')
    await page.getByText('1 selected').waitFor()
    const faults = await faultsOf(page)
    await page.setViewportSize(WIDE)
    expect(faults).toEqual([])
  })

  it('has complained of nothing', () => {
    expect(complaints.list.filter((text) => !text.includes('409'))).toEqual([])
  })
}
