/**
 * Keeps the data of a release for the test of upgrades: `npm run release:fixture`. It runs the service of these sources, fills it,
 * backs it up, and writes `server/test/fixtures/releases/<version>`. `--sources FOLDER` names those of another commit, with
 * their packages (a link to `node_modules` does); `--name` and `--about` say then what it was.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeFixture } from '../server/test/upgrade/make-fixture.ts'

const { values } = parseArgs({
  options: { sources: { type: 'string' }, name: { type: 'string' }, about: { type: 'string' } },
})
const sources = values.sources === undefined ? undefined : resolve(values.sources)
const root = sources ?? resolve(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}
const folder = await makeFixture({
  name: values.name ?? version,
  about: values.about ?? `release ${version}`,
  sources,
  onProgress: (text) => process.stdout.write(`${text}\n`),
})
process.stdout.write(`${folder}\n`)
