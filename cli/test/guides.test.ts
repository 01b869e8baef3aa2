/** What readers copy from the documentation works together: links, names of variables, commands and their flags. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  anchorsOf,
  brokenLinks,
  type Page,
  readPages,
  shellBlocks,
} from '../../tools/docs/pages.ts'
import { plimsoll } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const pages = readPages(ROOT)
const guides = [...pages.values()].filter(({ path }) => !path.startsWith('docs/decisions/'))

it('leads to files and headings that exist', () => {
  expect(brokenLinks(ROOT, pages)).toEqual([])
  expect(anchorsOf(['Why, and why not', 'A `b`', 'A `b`'])).toEqual([
    'why-and-why-not',
    'a-b',
    'a-b-1',
  ])
})

describe('in blocks of the shell', () => {
  const blocks = guides.flatMap((page) => shellBlocks(page).map(({ code }) => ({ page, code })))

  it('calls the service, the workspace and the key by one name each', () => {
    const other = /\$\{?(?:URL|BASE|HOST|KEY|API_KEY|TOKEN|WORKSPACE|WORKSPACE_ID)\b/
    const odd = blocks.filter(({ code }) => other.test(code))

    expect(odd.map(({ page }) => page.path)).toEqual([])
  })

  it('says where the short forms of the API are defined', () => {
    const short = blocks.filter(({ code }) => /^ *api /m.test(code) || /\$W\b/.test(code))
    const isTold = ({ path, text }: Page) => path.endsWith('/api.md') || text.includes('](api.md')

    expect(short.filter(({ page }) => !isTold(page)).map(({ page }) => page.path)).toEqual([])
  })

  it.skipIf(spawnSync('bash', ['--version']).status !== 0)('writes what a shell can read', () => {
    // One process for all: each block is the body of a function that nobody calls.
    const input = blocks.map(({ code }, index) => `block${index}() {\n:\n${code}\n}`).join('\n')

    const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('gives commands the flags that they have', async () => {
    const faults: string[] = []
    for (const { page, words, flags } of blocks.flatMap(commandsOf)) {
      const { exitCode, stdout } = await plimsoll({}, [...words, '--help'])
      const missing = flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(stdout))
      if (exitCode !== 0 || missing.length > 0)
        faults.push(`${page.path}: plimsoll ${words.join(' ')} ${missing.join(' ')}`)
    }

    expect(faults).toEqual([])
  })
})

function commandsOf({ page, code }: { page: Page; code: string }) {
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines.flatMap((line) => {
    const [, text] = /(?:^|[;|&(]|\$\() *plimsoll ([^|;&#)]*)/.exec(line) ?? []
    if (text === undefined) return []
    const tokens = text.split(/\s+/).filter((token) => token !== '')
    const end = tokens.findIndex((token) => !/^[a-z][a-z-]*$/.test(token))
    const words = tokens.slice(0, Math.min(2, end === -1 ? tokens.length : end))
    const flags = tokens.filter((token) => /^--[a-z]/.test(token))
    return [{ page, words, flags: flags.map((flag) => flag.replace(/=.*/, '')) }]
  })
}
