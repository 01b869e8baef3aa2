import names from './cwe-names.json' with { type: 'json' }

const NAMES = new Map<string, string>(Object.entries(names))

/** The name of `CWE-79` in MITRE's list, version 4.15; undefined for an unknown id. */
export function findCweName(id: string): string | undefined {
  return id.startsWith('CWE-') ? NAMES.get(id.slice(4)) : undefined
}
