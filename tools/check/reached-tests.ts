/**
 * Which tests a change reaches, for `npm run check -- --changed`. Almost every module reaches every test through the app, so
 * the search ends where one slice stands behind its `index.ts`, where the slices are put together, and at helpers of tests.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { findTestProjects, readImports } from '../../server/test/test-projects.ts'

const SOURCES = ['server', 'cli', 'api-client', 'portal', 'tools', 'bench'].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
)
const HELPER = /\/test\/[^.]+\.ts$/
/** Whoever imports these relies on what they promise, which their own tests check. */
const BORDER = /^server\/src\/(?:[^/]+|features\/.+\/index)\.ts$/
const SLICE = /^(?:server|portal)\/src\/features\/[^/]+\//

export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Each source file of the repository with the files that it imports. */
function readImportGraph(root: string): ImportGraph {
  const files = globSync(SOURCES, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
  return new Map(files.map((file) => [file, readImports(root, file)]))
}

/** The tests among `tests` that import a changed file, or stand in its slice. Paths are from the root of the repository. */
export function findReachedTests(
  changed: readonly string[],
  tests: readonly string[],
  graph: ImportGraph,
): string[] {
  const importers = new Map<string, string[]>()
  for (const [file, imports] of graph)
    for (const imported of imports)
      importers.set(imported, [...(importers.get(imported) ?? []), file])

  const isBorder = (file: string) =>
    BORDER.test(file) || (HELPER.test(file) && !changed.includes(file))
  const reached = new Set(changed)
  // A set goes on to what is added while one walks through it.
  for (const file of reached)
    if (!isBorder(file)) for (const importer of importers.get(file) ?? []) reached.add(importer)
  const slices = new Set(changed.flatMap((file) => SLICE.exec(file) ?? []))
  return tests.filter((test) => reached.has(test) || slices.has(SLICE.exec(test)?.[0] ?? ''))
}

/**
 * The files that differ from the branch `main`, also those that are not committed, and the tests that they reach. Tests that
 * start processes take minutes: they run when they are changed themselves.
 */
export function findChanges(root: string): { changed: string[]; tests: string[] } {
  const git = (...options: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', options, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${options.join(' ')}: ${stderr}`)
    return stdout.split('\n').filter((line) => line !== '')
  }
  const [since = 'HEAD'] = git('merge-base', 'HEAD', 'main')
  const changed = [
    ...git('diff', '--name-only', '--diff-filter=d', '--relative', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  const { components, pure, slices, system } = findTestProjects(root)
  const reached = findReachedTests(
    changed,
    [...components, ...pure, ...slices],
    readImportGraph(root),
  )
  return { changed, tests: [...reached, ...system.filter((test) => changed.includes(test))] }
}
