/** Reads what bench/portfolio.ts wrote into its folder. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Argument } from './bench-arguments.ts'

export interface Portfolio {
  folder: string
  workspaceId: string
  apiKey: string
  /** Ids of firmware versions; `kernelVersions` repeats those with a kernel. */
  versions: string[]
  kernelVersions: string[]
}

/** The folder of a portfolio. */
export function declarePortfolio(): Argument<Portfolio> {
  return {
    hint: 'a folder that `node bench/portfolio.ts folder` has filled',
    isOptional: false,
    read: (folder) => {
      if (folder === undefined) throw new Error('is missing')
      const file = join(folder, 'portfolio.json')
      if (!existsSync(file)) throw new Error('holds no portfolio')
      return { folder, ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<Portfolio, 'folder'>) }
    },
  }
}

export function computePercentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0
}
