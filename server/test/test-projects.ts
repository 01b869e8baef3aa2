/** Which test files share workers. The helpers that a file imports show what it needs. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const TEST_FILES = ['server', 'cli', 'api-client', 'portal', 'tools'].map(
  (folder) => `${folder}/**/*.test.ts`,
)
const DATABASE = ['server/test/database.ts']
/** They start the service, or a server beside it, as processes of their own. */
const PROCESSES = ['server/test/service-process.ts', 'server/test/embedded-service.ts']

export interface TestProjects {
  /** Functions: they need no database. */
  pure: string[]
  /** The slices through the API, with a database. */
  slices: string[]
  /** Processes that are started and killed. */
  system: string[]
}

export function findTestProjects(): TestProjects {
  const files = globSync(TEST_FILES, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()
  const projects: TestProjects = { pure: [], slices: [], system: [] }
  for (const file of files) projects[projectOf(file)].push(file)
  return projects
}

function projectOf(file: string): keyof TestProjects {
  const helpers = helpersOf(file)
  if (PROCESSES.some((name) => helpers.has(name))) return 'system'
  return DATABASE.some((name) => helpers.has(name)) ? 'slices' : 'pure'
}

/** The files of the test folders that a test file imports, and those that these import. */
function helpersOf(file: string, found = new Set<string>()): Set<string> {
  const source = readFileSync(join(ROOT, file), 'utf8')
  for (const [, path = ''] of source.matchAll(/from '(\.[^']+)'/g)) {
    const imported = relative(ROOT, resolve(ROOT, dirname(file), path))
    if (!/^(server|cli|portal)\/test\//.test(imported) || found.has(imported)) continue
    found.add(imported)
    helpersOf(imported, found)
  }
  return found
}
