/** Tests that a page of the documentation names, as in `people.ts` › get a new password by mail; several with semicolons between. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

interface NamedTest {
  file: string
  /** A part of its name. */
  name: string
}

export const sourceFiles = ['server', 'portal', 'tools', 'cli'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
)

export function listNamedTests(text: string): NamedTest[] {
  return text.split('; ').flatMap((part) => {
    const [, file, name] = /`([^`]+\.ts)` › (.+?)(?: \([^)]*\))?$/.exec(part) ?? []
    return file === undefined || name === undefined ? [] : [{ file, name }]
  })
}

/** Those that are not there, in words. */
export function listMissingTests(tests: readonly NamedTest[]): string[] {
  return tests.flatMap(({ file, name }) => {
    const found = sourceFiles.filter((path) => path === file || path.endsWith(`/${file}`))
    const [path] = found
    if (path === undefined || found.length > 1) return [`${file}: ${found.length} files`]
    return readFileSync(join(ROOT, path), 'utf8').includes(name) ? [] : [`${path} › ${name}`]
  })
}
