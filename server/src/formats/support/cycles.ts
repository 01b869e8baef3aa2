/** Which release cycle of a product a version belongs to. */
import type { SupportCycle } from './product.ts'

/**
 * The cycle whose name the version begins with, the longest first: `1.1.1n` is of 1.1.1, and not of 1.1. A number is never cut: 3.10.2 is
 * not of 3.1. Undefined where none is: the version is newer or older than what is listed, or cycles are not named by versions.
 */
export function findCycle<T extends Pick<SupportCycle, 'name'>>(
  version: string,
  cycles: readonly T[],
): T | undefined {
  const text = cleanVersion(version)
  return cycles
    .filter(({ name }) => isOfCycle(text, name))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

function isOfCycle(version: string, cycle: string): boolean {
  const name = cleanVersion(cycle)
  // A name such as `jammy` or `current` says nothing about versions.
  if (!/^\d/.test(name) || !version.startsWith(name)) return false
  return !/^\d/.test(version.slice(name.length))
}

/** Without what builds put before the version: `v3.7.0`, an epoch (`1:9.2`), `openssl-3.0.2`. */
function cleanVersion(version: string): string {
  return version
    .trim()
    .toLowerCase()
    .replace(/^\d+:/, '')
    .replace(/^[a-z_-]*?[-_]?v?(?=\d)/, '')
}
