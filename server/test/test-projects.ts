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
  /** Components of the portal, in a document without a browser. */
  components: string[]
  /** Functions: they need no database. */
  pure: string[]
  /** The slices through the API, with a database. */
  slices: string[]
  /** Processes that are started and killed. */
  system: string[]
}

/** Paths are from the root of the repository. */
export function findTestProjects(root = ROOT): TestProjects {
  const files = globSync(TEST_FILES, { cwd: root, exclude: ['**/node_modules/**'] }).toSorted()
  const components = globSync('portal/src/**/*.test.tsx', { cwd: root }).toSorted()
  const projects: TestProjects = { components, pure: [], slices: [], system: [] }
  for (const file of files) projects[findProject(root, file)].push(file)
  return projects
}

function findProject(root: string, file: string): keyof TestProjects {
  const helpers = findHelpers(root, file)
  if (PROCESSES.some((name) => helpers.has(name))) return 'system'
  return DATABASE.some((name) => helpers.has(name)) ? 'slices' : 'pure'
}

/** The files of the test folders that a test file imports, and those that these import. */
function findHelpers(root: string, file: string, found = new Set<string>()): Set<string> {
  for (const imported of readImports(root, file)) {
    if (!/^(server|cli|portal)\/test\//.test(imported) || found.has(imported)) continue
    found.add(imported)
    findHelpers(root, imported, found)
  }
  return found
}

/** The files of the repository that a file imports, or starts as a process by their URL. */
export function readImports(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const paths = source.matchAll(/(?:from |import |import\(|new URL\(\s*)'(\.[^']+)'/g)
  return [...paths].map(([, path = '']) => relative(root, resolve(root, dirname(file), path)))
}
