/** Crashes in a real browser: from none that anybody could know of to one that is fixed, comes back, and has lines. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findProgram } from '../../server/test/programs.ts'
import { type Complaints, faultsInLooks, visit } from './browser.ts'
import type { PortalWorkspace } from './portal-service.ts'

/** A device of the workspace that has told no crash yet, and the page of its owner. */
interface CrashingFleet {
  service: PortalWorkspace
  page: Page
  complaints: Complaints
  deviceId: string
  say: (message: object) => Promise<unknown>
}

const BUILD_ID = '4be1d0a7'.repeat(5)
const hasTools = ['gcc', 'addr2line', 'nm'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)
if (!hasTools) process.stderr.write('crashes.ts: lines are skipped, no gcc, addr2line or nm\n')

const SOURCE = `
__attribute__((noinline)) int read_sensor(volatile int *address) { return *address; }
int main(int argc, char **argv) { (void)argv; return read_sensor(&argc) + 1; }
`

/** A program of which a crash names two addresses. */
function givenElf(): { elf: string; addresses: [string, string] } {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-portal-elf-'))
  const [source, elf] = [join(folder, 'sensors.c'), join(folder, 'sensors')]
  writeFileSync(source, SOURCE)
  const flags = ['-g', '-O1', '-no-pie', `-Wl,--build-id=0x${BUILD_ID}`]
  expect(spawnSync('gcc', [...flags, '-o', elf, source]).status).toBe(0)
  const symbols = String(spawnSync('nm', [elf]).stdout)
  const addressOf = (name: string) =>
    Number.parseInt(new RegExp(`^(\\w+) \\w ${name}$`, 'm').exec(symbols)?.[1] ?? '', 16)
  const format = (address: number) => `0x${address.toString(16)}`
  return { elf, addresses: [format(addressOf('read_sensor')), format(addressOf('main') + 5)] }
}

export function crashes(fleet: () => CrashingFleet): void {
  const at = (path: string) => `${fleet().service.url}/w/${fleet().service.workspaceId}${path}`
  const { elf, addresses } = hasTools
    ? givenElf()
    : { elf: '', addresses: ['0x401106', '0x401115'] as const }
  const versions: Record<string, string> = {}
  let crashId = ''
  let sequence = 0

  const boot = (version: string) =>
    fleet().say({
      session: {
        runId: `modem ${version}`,
        firmware: [{ slug: 'modem', version }],
        attributes: { reportsCrashes: true },
      },
    })

  const crash = () =>
    fleet().say({
      crashes: [
        {
          reason: 'HardFault',
          pc: addresses[0],
          returnAddresses: [addresses[1]],
          thread: 'radio',
          buildId: BUILD_ID,
          runId: 'modem 0',
          sequence: sequence++,
        },
      ],
    })

  /** Below the line over every page, which is a header, too. */
  const facts = () => {
    const { page } = fleet()
    const title = page.getByRole('heading', { level: 2 })
    return page.getByRole('main').locator('header').filter({ has: title })
  }
  const press = async (name: string) => {
    const { page } = fleet()
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
  }

  it('says where no device reports crashes that none means nothing, and how to begin', async () => {
    const { page, deviceId } = fleet()
    await page.goto(at('/crashes'))

    await page.getByText('No crash is known').waitFor()

    await page.getByText(/devices? (does|do) not report crashes, and may crash unseen/).waitFor()
    const guide = page.getByRole('link', { name: 'How a device reports its first one' })
    expect(await guide.getAttribute('href')).toBe('/docs/guide/crashes.html#report-a-crash')
    const ofDevice = `/devices/${deviceId}?tab=crashes`
    await visit(page, at(ofDevice))
    await page.getByText('Nothing says that this device reports crashes').waitFor()
    const paths = ['/crashes', ofDevice]
    expect(await faultsInLooks(page, paths, (path) => visit(page, at(path)))).toEqual([])
  })

  it('leads from the list to a crash, which is marked as fixed and taken back by keys', async () => {
    const { page, service } = fleet()
    const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'modem' })
    for (const name of ['1.0.0', '1.1.0'])
      versions[name] = (
        await service.ask<{ id: string }>('POST', `/firmwares/${id}/versions`, { name })
      ).id
    await boot('1.0.0')
    await crash()
    await page.goto(at('/crashes'))
    const row = page.getByRole('row', { name: /HardFault at 0x/ })
    await row.getByRole('img', { name: '1 crash in 14 days; 13 days not measured' }).waitFor()

    await row.click()

    await page.waitForURL(/\/crashes\/[^/]+$/)
    crashId = page.url().split('/').at(-1) ?? ''
    await facts().getByText('Open', { exact: true }).waitFor()
    await press('Mark as fixed…')
    const dialog = page.getByRole('dialog', { name: 'Fixed in which version?' })
    const field = dialog.getByRole('combobox', { name: 'Version' })
    await field.waitFor()
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.type('1.1')
    await page.getByRole('option', { name: '1.1.0' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('1.1.0')
    await dialog.getByRole('button', { name: 'Mark as fixed' }).focus()
    await page.keyboard.press('Enter')
    await facts().getByText('Fixed in 1.1.0').waitFor()
    await page.keyboard.press('z')
    await facts().getByText('Open', { exact: true }).waitFor()
  })

  it('opens a fixed crash again when its version crashes alike, and takes that back by a key', async () => {
    const { page, service } = fleet()
    const fixed = { fixedInVersionId: versions['1.1.0'] }
    await service.ask('POST', `/crash-groups/${crashId}/close`, fixed)
    await facts().getByText('Fixed in 1.1.0').waitFor()
    await press('Open again')
    await facts().getByText('Open', { exact: true }).waitFor()
    await page.keyboard.press('z')
    await facts().getByText('Fixed in 1.1.0').waitFor()

    await boot('1.1.0')
    await crash()

    await facts().getByText('Came back').waitFor()
    await facts().getByText('2 crashes on 1 device').waitFor()
    await page.getByRole('button', { name: 'Mark as fixed…' }).waitFor()
  })

  it('is linked from the audit log, which says who fixed it and that it came back', async () => {
    const { page } = fleet()
    await visit(page, at(`/settings/audit-log?subject=crash-group:${crashId}`))

    const links = page.getByRole('link', { name: /^HardFault at 0x/ })
    await links.first().waitFor()
    expect(await links.first().getAttribute('href')).toContain(`/crashes/${crashId}`)
    expect(await links.count()).toBeGreaterThanOrEqual(4)
  })

  it.skipIf(!hasTools)('has lines once the CLI looked them up', async () => {
    const { page, service } = fleet()
    await page.goto(at(`/crashes/${crashId}`))
    await page.getByText(`no lines for build ${BUILD_ID}`).first().waitFor()
    const env = {
      ...process.env,
      PLIMSOLL_URL: service.url,
      PLIMSOLL_WORKSPACE: service.workspaceId,
      PLIMSOLL_API_KEY: service.apiKey,
    }

    const args = [await findProgram('client'), 'crash', 'resolve', '--elf', elf]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })

    expect(stdout).toContain('2 addresses found in the source')
    await page.goto(at(`/crashes/${crashId}`))
    await page.getByRole('heading', { level: 1, name: 'HardFault in read_sensor' }).waitFor()
    await page.getByText(/sensors\.c:2$/).waitFor()
  })

  it('says on how many devices it stands, day by day, on each page about it', async () => {
    const { page, complaints, deviceId } = fleet()
    const paths = [
      '/crashes',
      `/crashes/${crashId}`,
      `/versions/${versions['1.1.0'] ?? ''}?tab=crashes`,
      `/devices/${deviceId}?tab=crashes`,
    ]
    const [list = '', one = '', version = '', device = ''] = paths

    await visit(page, at(list))
    await page.getByText(/From 1 device that reports crashes; \d+ (does|do) not/).waitFor()
    await visit(page, at(one))
    await page.getByRole('img', { name: '2 crashes in 30 days; 29 days not measured' }).waitFor()
    await visit(page, at(version))
    await page.getByRole('img', { name: /^1\.1\.0: 0 % crash-free in 30 days/ }).waitFor()
    await visit(page, at(device))
    await page.getByText('Reports crashes, as far as is known since').waitFor()

    expect(await faultsInLooks(page, paths, (path) => visit(page, at(path)))).toEqual([])
    expect(complaints.list).toEqual([])
  })

  it('says that a device may crash unseen since it no more says that it reports crashes', async () => {
    const { page, say, deviceId } = fleet()
    await say({ session: { runId: 'modem 3', firmware: [{ slug: 'modem', version: '1.1.0' }] } })
    await page.goto(at(`/devices/${deviceId}?tab=crashes`))

    await page.getByText(/^It said that it reports crashes, and says it no more since/).waitFor()
    await page.getByRole('tab', { name: 'Registration' }).click()
    await page.getByText(/\(said before, and left out since /).waitFor()

    await page.goto(at('/crashes'))
    await page.getByText('One of them did before, and nobody knows whether it still does').waitFor()

    await crash()
    await page.goto(at(`/devices/${deviceId}?tab=crashes`))
    await page.getByText(/^It sent a crash, and does not say that it reports them/).waitFor()
  })
}
