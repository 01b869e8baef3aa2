import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApi } from '../src/api.ts'
import type { TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'

/** The app once more on a port of its own, as a service with a portal. Its pages are empty. */
export async function givenPortal(test: TestApp): Promise<{ test: TestApp; url: string }> {
  const portal = mkdtempSync(join(tmpdir(), 'plimsoll-portal-'))
  writeFileSync(join(portal, 'index.html'), '<!doctype html>')
  const app = await buildApi(test.ctx, {
    roles: ['api'],
    doors: test.doors,
    portal,
    showsDocs: false,
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  closeAtEndOfFile(async () => {
    await app.close()
    rmSync(portal, { recursive: true })
  })
  return { test: { ...test, app }, url }
}
