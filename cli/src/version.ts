import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this package; works from the sources and from the published package. */
export function readVersion(): string {
  const path = findPackageJSON(import.meta.url)
  const manifest: unknown = path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
}
