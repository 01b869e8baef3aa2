/**
 * Checks names and layout, as far as a tool can: see `names/find-faults.ts`. `names/exceptions.json` lists what was there
 * before the check. It may only shrink: an entry without a fault is a fault, and `--shrink` drops such entries.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDERS, ROOT } from './modules.ts'
import { findFaults } from './names/find-faults.ts'

const EXCEPTIONS = join(import.meta.dirname, 'names/exceptions.json')

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `${folder}/${name}`,
  ),
).filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.endsWith('/schema.ts'))
const found = findFaults(
  new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])),
)

const excepted = JSON.parse(readFileSync(EXCEPTIONS, 'utf8')) as string[]
const stale = excepted.filter((entry) => !found.includes(entry))
if (process.argv.includes('--shrink')) {
  const kept = excepted.filter((entry) => !stale.includes(entry))
  writeFileSync(EXCEPTIONS, `${JSON.stringify(kept, undefined, 2)}\n`)
} else {
  const faults = [
    ...found.filter((fault) => !excepted.includes(fault)),
    ...stale.map((entry) => `exception without a fault, run npm run names -- --shrink: ${entry}`),
  ]
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
process.stdout.write(`names: ${files.length} files, ${excepted.length} exceptions\n`)
