/** Mails, problems and the command line lead to pages of the portal. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { runPlimsoll } from '../../cli/test/service.ts'
import { STARTS } from '../../portal/src/starts.ts'
import { PROBLEMS } from '../src/api.ts'
import type { App } from '../src/platform/http/app.ts'
import { PROBLEM_LINKS } from '../src/portal/problem-links.ts'
import { sharedTestApp, type TestApp, type TestWorkspace } from './app.ts'
import { givenPortal } from './given-portal.ts'

let test: TestApp
let workspace: TestWorkspace
let app: App
let url: string

beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
  const portal = await givenPortal(test)
  app = portal.test.app
  url = portal.url
})

const ask = (path: string, more: { method?: 'POST' | 'DELETE'; payload?: object } = {}) => {
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  return app.inject({ method: 'GET', url: path, headers, ...more })
}

const pageOf = (path: string) => `${test.ctx.config.publicUrl}/w/${workspace.workspaceId}${path}`

it('tells where the pages are, where there is a portal', async () => {
  const headers = { authorization: `Bearer ${workspace.apiKey}` }

  const here = await ask('/whoami')
  const elsewhere = await test.app.inject({ url: '/whoami', headers })

  expect(here.json()).toMatchObject({ portalPages: { device: pageOf('/devices/{deviceId}') } })
  expect(elsewhere.json()).toMatchObject({ portalPages: null })
})

it('leads from the link of a notice to its incident', async () => {
  const { workspaceId } = workspace

  const page = await app.inject({ url: `/workspaces/${workspaceId}/incidents/i%2F1` })

  expect(page.statusCode).toBe(302)
  expect(page.headers.location).toBe(`/w/${workspaceId}/alerts/incidents/i%2F1`)
})

it('names the page of what stands in the way of a change, and of nothing else', async () => {
  const base = `/workspaces/${workspace.workspaceId}`
  const payload = { slug: 'pump' }
  const { id } = (await ask(`${base}/firmwares`, { method: 'POST', payload })).json<{
    id: string
  }>()
  const version = { method: 'POST', payload: { name: '1.0.0' } } as const
  await ask(`${base}/firmwares/${id}/versions`, version)

  const again = await ask(`${base}/firmwares/${id}/versions`, version)
  const missing = await ask(`${base}/firmwares/${crypto.randomUUID()}`)

  expect(again.statusCode).toBe(409)
  expect(again.json()).toMatchObject({ portalUrl: pageOf(`/firmware/${id}`) })
  expect(missing.statusCode).toBe(404)
  expect(missing.json()).not.toHaveProperty('portalUrl')
})

it('is opened by the command line, by the names that people use', async () => {
  const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey }
  const base = `/workspaces/${workspace.workspaceId}`
  const made = await ask(`${base}/firmwares`, { method: 'POST', payload: { slug: 'valve' } })
  const { id } = made.json<{ id: string }>()
  const open = (...args: string[]) => runPlimsoll(environment, ['open', ...args])

  const pages = [await open(), await open('findings'), await open('firmware', 'valve')]
  const device = await open('device', 'pump/1', '--print')
  const wrong = [await open('firmware'), await open('findings', 'x'), await open('weather')]

  expect(pages.map(({ stdout }) => stdout)).toEqual([
    `${pageOf('')}\n`,
    `${pageOf('/findings')}\n`,
    `${pageOf(`/firmware/${id}`)}\n`,
  ])
  expect(device.stdout).toBe(`${pageOf('/devices/pump%2F1')}\n`)
  expect(wrong.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1])
})

// Elsewhere, browsers are opened by programs of the system.
it.runIf(process.platform === 'linux')('is opened in the browser of a person', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-browser-'))
  const opened = join(folder, 'opened')
  const opener = `#!/bin/sh\nprintf '%s' "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`
  writeFileSync(join(folder, 'xdg-open'), opener, { mode: 0o755 })
  const PATH = `${folder}:${process.env['PATH'] ?? ''}`
  const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey, PATH }
  const open = (...args: string[]) =>
    runPlimsoll(environment, ['open', 'findings', ...args], { isTerminal: true })

  const printed = await open('--print')
  const wasOpened = existsSync(opened)
  const done = await open()

  expect(wasOpened).toBe(false)
  expect(done).toMatchObject({ exitCode: 0, stdout: printed.stdout, stderr: '' })
  await expect.poll(() => existsSync(opened)).toBe(true)
  expect(readFileSync(opened, 'utf8')).toBe(pageOf('/findings'))
})

it('is said by the command line, beside its answer and not within it', async () => {
  await ask(`/workspaces/${workspace.workspaceId}/devices`, {
    method: 'POST',
    payload: { id: 'pump-1' },
  })
  const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: workspace.apiKey }

  const shown = await runPlimsoll(environment, ['device', 'show', 'pump-1'])
  const json = await runPlimsoll(environment, ['device', 'show', 'pump-1', '--json'])

  expect(shown.stdout).not.toContain('http')
  expect(shown.stderr).toBe(`In the portal: ${pageOf('/devices/pump-1')}\n`)
  expect(json.stderr).toBe('')
})

it('leads from the page of a problem type to the page that it speaks of, where there is a portal', async () => {
  const withPortal = await app.inject({ url: '/problems/webhook-disabled' })
  const without = await test.app.inject({ url: '/problems/webhook-disabled' })
  const ofNoPage = await app.inject({ url: '/problems/rate-limited' })

  expect(withPortal.body).toContain(
    '<a href="/?to=alerts&amp;tab=targets">Targets and webhooks</a>',
  )
  expect(without.body).not.toContain('<a ')
  expect(ofNoPage.body).not.toContain('<a ')
})

it('links from problem types that there are to pages that there are', () => {
  for (const [slug, { path }] of PROBLEM_LINKS) {
    expect(PROBLEMS).toHaveProperty([slug])
    expect(STARTS).toHaveProperty([new URL(path, url).searchParams.get('to') ?? ''])
  }
})
