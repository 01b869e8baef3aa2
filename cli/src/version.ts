import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The release this is, as its package states it, from the sources as from what is published. */
export function readVersion(): string {
  const path = findPackageJSON(import.meta.url)
  const manifest: unknown = path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
}
