/** The modules of the source and what each imports. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { boundaries } from './boundary-rules.ts'

export const ROOT = resolve(import.meta.dirname, '..')
export const FOLDERS = ['server/src', 'cli/src', 'api-client/src', 'portal/src']

export interface Modules extends Pick<ICruiseResult, 'modules' | 'summary'> {
  /** How many files there are, whether they were seen or not. */
  fileCount: number
}

export async function readModules(): Promise<Modules> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    ),
  )
  const { forbidden, options } = boundaries
  const result = await cruise(
    FOLDERS,
    { ruleSet: { forbidden }, ...options, baseDir: ROOT, validate: true },
    undefined,
    { tsConfig: extractTSConfig(join(ROOT, 'tsconfig.json')) },
  )
  if (typeof result.output === 'string') throw new Error('dependency-cruiser answered a text')
  const { modules, summary } = result.output
  const isOwn = (source: string) => FOLDERS.some((folder) => source.startsWith(`${folder}/`))
  return {
    modules: modules.filter(({ source }) => isOwn(source)),
    summary,
    fileCount: files.length,
  }
}
