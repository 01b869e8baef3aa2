/** Who looks after a vulnerability, and what colleagues say of it, in a real browser. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsInLooks, faultsOf, openContext, openPage } from './browser.ts'
import { givenMatchedVersion, isChange, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

const BEN = 'ben@example.com'

const REFUSED = {
  status: 409,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/problems/refused',
    title: 'Conflict',
    status: 409,
    detail: 'Nobody may now',
  }),
}

export function discussion(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let cveId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Discussion', 'ann@example.com')
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    await givenMatchedVersion(service, firmware.id, { name: '2.4.1' })
    await service.write(
      `with person as (
        insert into people (id, email, display_name, created_at)
        values (gen_random_uuid(), $1, 'Ben Weber', now()) returning id)
      insert into members (workspace_id, subject_id, role, joined_at)
      select $2, id, 'Engineer', now() from person`,
      [BEN, service.workspaceId],
    )
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const notice = (text: string) => page.locator('[data-notice="done"]').getByText(text)
  const readAssignee = async () => {
    const path = `/vulnerabilities/${cveId}/assignee`
    return (await service.ask<{ assignee: { email: string } | null }>('GET', path)).assignee?.email
  }
  const listComments = async () => {
    const path = `/vulnerabilities/${cveId}/comments`
    const { comments } = await service.ask<{ comments: { text: string }[] }>('GET', path)
    return comments.map(({ text }) => text)
  }

  it('watches a vulnerability, and takes it back', async () => {
    const { findings } = await service.ask<{ findings: { cveId: string }[] }>(
      'POST',
      '/vulnerability-findings/list',
      {},
    )
    const [{ cveId: first } = { cveId: '' }] = findings
    await go(`/vulnerabilities/${first}`)
    await page.getByRole('button', { name: 'Watch', exact: true }).click()
    await notice(`You watch ${first}`).waitFor()
    const watching = page.getByRole('button', { name: 'Watching', pressed: true })
    await watching.waitFor()
    await page.keyboard.press('z')
    await page.getByRole('button', { name: 'Watch', exact: true, pressed: false }).click()
    await watching.waitFor()
    // As the service has it, not only the page.
    await go(`/vulnerabilities/${first}`)
    await go('/you')
    const watched = page.getByRole('table', { name: 'Watched vulnerabilities' })
    await watched.getByRole('button', { name: `Stop watching ${first}` }).click()
    await page.getByText('You watch none').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await watched.getByRole('link', { name: first }).click()
    await watching.click()
    await notice(`You watch ${first} no longer`).first().waitFor()
    await page.getByRole('button', { name: 'Watch', exact: true, pressed: false }).waitFor()
  })

  it('gives a vulnerability to a colleague, and takes it back', async () => {
    await go('/findings')
    cveId =
      (
        await page
          .getByRole('checkbox', { name: /^Select CVE-/ })
          .first()
          .getAttribute('aria-label')
      )?.slice(7) ?? ''
    await go(`/vulnerabilities/${cveId}`)
    const choice = page.getByRole('combobox', { name: `Who looks after ${cveId}` })
    await choice.selectOption({ label: 'Ben Weber' })
    await notice(`${cveId}: Ben Weber looks after it`).waitFor()
    await expect.poll(readAssignee).toBe(BEN)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect.poll(readAssignee).toBe(undefined)
    await expect.poll(() => choice.inputValue()).toBe('')
  })

  it('says beside the choice why nobody was given it, and lets one choose again', async () => {
    const choice = page.getByRole('combobox', { name: `Who looks after ${cveId}` })
    await page.route('**/assignee', (route) =>
      isChange(route.request()) ? route.fulfill(REFUSED) : route.continue(),
    )
    await choice.focus()
    await choice.selectOption({ label: 'Ben Weber' })
    const fault = page.getByRole('alert').getByText('Not changed. Nobody may now')
    await fault.waitFor()
    expect(await choice.getAttribute('aria-invalid')).toBe('true')
    const described = await choice.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).textContent()).toContain('Nobody may now')
    expect(await choice.inputValue()).toBe('')
    expect(await choice.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.locator('[data-notice="failed"]').count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])

    await page.unroute('**/assignee')
    await choice.selectOption({ label: 'Ben Weber' })
    await fault.waitFor({ state: 'detached' })
    await expect.poll(readAssignee).toBe(BEN)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect.poll(readAssignee).toBe(undefined)
  })

  it('says something with a mention and a link, changes it, and deletes it', async () => {
    const field = page.getByRole('textbox', { name: 'Say something to colleagues' })
    await field.fill(`See ${cveId} and https://example.com/notes. `)
    await page.getByRole('combobox', { name: /^Mention/ }).selectOption({ label: 'Ben Weber' })
    expect(await field.inputValue()).toBe(`See ${cveId} and https://example.com/notes. @${BEN} `)
    await page.keyboard.press('Control+Enter')
    const said = page.getByRole('listitem').filter({ hasText: '@Ben Weber' })
    await said.getByRole('link', { name: 'https://example.com/notes' }).waitFor()
    await said.getByRole('link', { name: cveId }).waitFor()
    expect(await field.inputValue()).toBe('')

    await said.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'Change the comment' }).fill('Seen.')
    await page.getByRole('button', { name: /^Change Ctrl/ }).click()
    await page.getByText('Seen.', { exact: true }).waitFor()
    expect(await listComments()).toEqual(['Seen.'])
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The audit log keeps its text.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Delete comment' }).click()
    await page.getByText('Nobody has said anything about it yet.').waitFor()
  })

  it('keeps a draft while one looks elsewhere', async () => {
    await page.getByRole('textbox', { name: 'Say something to colleagues' }).fill('half a thou')
    await go('/findings')
    await go(`/vulnerabilities/${cveId}`)
    const field = page.getByRole('textbox', { name: 'Say something to colleagues' })
    await field.waitFor()
    expect(await field.inputValue()).toBe('half a thou')
    await field.fill('half a thought')
    await page.getByRole('button', { name: /^Say/ }).click()
    await page.getByRole('listitem').getByText('half a thought', { exact: true }).waitFor()
  })

  it('gives what is selected, finds what is mine, and gives it back', async () => {
    await go('/findings')
    await page
      .getByRole('checkbox', { name: /^Select CVE-/ })
      .nth(0)
      .click()
    await page
      .getByRole('checkbox', { name: /^Select CVE-/ })
      .nth(1)
      .click()
    const give = async () => {
      await page.getByRole('button', { name: 'Give to…' }).click()
      await page.getByRole('menuitem', { name: /\(you\)$/ }).click()
    }
    await page.route('**/bulk-assign', (route) => route.fulfill(REFUSED))
    await give()
    await page.getByText(/^Not done: .* Nobody may now/).waitFor()
    await page.getByText('2 selected').waitFor()
    await page.unroute('**/bulk-assign')
    await give()
    await notice('2 vulnerabilities: ').waitFor()
    const mine = page.getByRole('button', { name: /^Mine/ })
    await mine.getByText('2', { exact: true }).waitFor()
    await mine.click()
    await page.getByText('2 vulnerabilities', { exact: true }).waitFor()
    await page.getByText('1 comment').or(page.getByTitle('1 comment')).first().waitFor()
    await page.keyboard.press('z')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    expect(await readAssignee()).toBe(undefined)
    await go('/findings?assignee=nobody')
    await page.getByRole('button', { name: 'Nobody’s' }).waitFor()
  })

  it('is beside the list when it is asked for', async () => {
    await go(`/findings?at=${cveId}`)
    await page.getByText('nobody looks after it · 1 comment').click()
    await page.getByRole('listitem').getByText('half a thought', { exact: true }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  it('gives findings to a team by a rule with true counts before, says so at the finding, and takes it back', async () => {
    await go('/settings/owners')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New team' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Boot')
    await dialog.getByRole('checkbox', { name: /^Ben Weber/ }).check()
    await dialog.getByRole('button', { name: 'Take it over' }).click()
    await page.getByRole('button', { name: 'New rule' }).focus()
    await page.keyboard.press('Enter')
    await dialog.getByRole('textbox', { name: 'Components' }).fill('*')
    await dialog.getByRole('combobox', { name: /Belongs to/ }).selectOption({ label: 'Boot' })
    await dialog.getByRole('button', { name: 'Take it over' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const changes = page.getByRole('table', { name: 'What would change' })
    const boot = changes.getByRole('row', { name: /^Boot 0 / })
    await boot.waitFor()
    const [count = ''] = /\d+$/.exec(await boot.innerText()) ?? []
    await page.getByText('1 team is new, 1 rule is new.').waitFor()
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('button', { name: 'Let it hold' }).click()

    await page.getByRole('link', { name: `${count} active of Boot` }).click()
    await page.getByRole('button', { name: 'Of Boot' }).waitFor()
    await page.getByText(`${count} findings`, { exact: true }).waitFor()
    await page.getByTitle('Owner by a rule').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Owned by Boot, by rule 1: components *.').waitFor()

    await go('/settings/owners')
    const remove = page.getByRole('button', { name: 'Remove with 1 rule: team Boot' })
    await remove.click()
    await page.getByText('1 team goes, 1 rule goes.').waitFor()
    await changes.getByRole('row', { name: `Boot ${count} 0` }).waitFor()
    await page.getByRole('button', { name: 'Let it hold' }).click()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await remove.click()
    await page.getByRole('button', { name: 'Let it hold' }).click()
    await page.getByText('Add, change, move or remove rules').waitFor()
    await page.getByText('No team yet').waitFor()
  })

  it('has no fault in any look', async () => {
    expect(await faultsInLooks(page, [`/vulnerabilities/${cveId}`], go)).toEqual([])
  })

  it('has complained of nothing', () => {
    expect(complaints.list).toEqual([])
  })
}
