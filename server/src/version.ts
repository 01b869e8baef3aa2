import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const manifest: unknown = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'),
)

/** The release, as package.json states it. */
export const VERSION =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
