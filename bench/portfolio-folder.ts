/** What bench/portfolio.ts left in its folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Portfolio {
  folder: string
  workspaceId: string
  apiKey: string
  /** Ids of firmware versions; those with a kernel again in `kernelVersions`. */
  versions: string[]
  kernelVersions: string[]
}

export function readPortfolio(): Portfolio {
  const [folder] = process.argv.slice(2)
  if (folder === undefined)
    throw new Error('Name the folder of a portfolio; node bench/portfolio.ts FOLDER makes one.')
  const described = JSON.parse(readFileSync(join(folder, 'portfolio.json'), 'utf8')) as Omit<
    Portfolio,
    'folder'
  >
  return { folder, ...described }
}

export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0
}
