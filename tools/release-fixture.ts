/**
 * Keeps the data of this release for the test of upgrades: `npm run release:fixture`. It runs the service, fills it, backs it up, and
 * writes `server/test/fixtures/releases/<version>`.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeFixture } from '../server/test/upgrade/make-fixture.ts'

const packageFile = resolve(import.meta.dirname, '../package.json')
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
const folder = await makeFixture({
  name: version,
  onProgress: (text) => process.stdout.write(`${text}\n`),
})
process.stdout.write(`${folder}\n`)
