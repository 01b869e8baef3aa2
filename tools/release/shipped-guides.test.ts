/** What a release holds is what its guides lead to: whoever reads them has no checkout. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findTarget, readPages } from '../docs/pages.ts'
import { REPOSITORY } from './paths.ts'
import { copyDocuments } from './server.ts'

const release = mkdtempSync(join(tmpdir(), 'plimsoll-guides-'))
afterAll(() => rmSync(release, { recursive: true, force: true }))

/** Words in code marks or commands that begin with a folder of the release. */
const NAMED = /(?<![\w./-])(?:deploy|examples|integrations)\/[\w./-]*[\w/]/g

it('holds every file that its guides name', () => {
  copyDocuments(release)
  const guides = [...readPages(REPOSITORY).values()].filter(({ path }) =>
    path.startsWith('docs/guide/'),
  )

  const missing = guides.flatMap((page) => {
    const linked = page.links.flatMap((href) => findTarget(page, href)?.path ?? [])
    const named = (page.text.match(NAMED) ?? []).filter((path) =>
      existsSync(join(REPOSITORY, path)),
    )
    return [...linked, ...named]
      .filter((path) => !existsSync(join(release, path)))
      .map((path) => `${page.path}: ${path}`)
  })

  expect(guides.length).toBeGreaterThan(30)
  expect(missing).toEqual([])
})

it('holds nothing that the use of a checkout leaves behind', () => {
  expect(existsSync(join(release, 'deploy/mosquitto/mosquitto.conf'))).toBe(true)
  for (const path of [
    'deploy/.env',
    'deploy/mosquitto/passwords',
    'integrations/python/__pycache__',
  ])
    expect(existsSync(join(release, path))).toBe(false)
})
