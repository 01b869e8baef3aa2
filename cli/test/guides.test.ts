/** What readers copy from the documentation works together: links, names of variables, commands and their flags. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import {
  listAnchors,
  listBrokenLinks,
  type Page,
  readPages,
  listShellBlocks,
} from '../../tools/docs/pages.ts'
import { readOperatorCommands } from './operator-commands.ts'
import { runPlimsoll } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const pages = readPages(ROOT)
const guides = [...pages.values()].filter(({ path }) => !path.startsWith('docs/decisions/'))

it('leads to files and headings that exist', () => {
  expect(listBrokenLinks(ROOT, pages)).toEqual([])
  expect(listAnchors(['Why, and why not', 'A `b`', 'A `b`'])).toEqual([
    'why-and-why-not',
    'a-b',
    'a-b-1',
  ])
})

describe('in blocks of the shell', () => {
  const blocks = guides.flatMap((page) => listShellBlocks(page).map(({ code }) => ({ page, code })))

  it('calls the service, the workspace and the key by one name each', () => {
    const other = /\$\{?(?:URL|BASE|HOST|KEY|API_KEY|TOKEN|WORKSPACE|WORKSPACE_ID)\b/
    const odd = blocks.filter(({ code }) => other.test(code))

    expect(odd.map(({ page }) => page.path)).toEqual([])
  })

  it('names a workspace by its variable, and a new one Acme', () => {
    const values = blocks.flatMap(({ page, code }) =>
      [...code.matchAll(/^(.*)--workspace ("[^"]*"|\S+)/gm)].map(([, before = '', value = '']) => {
        const expected = before.includes('bootstrap') ? 'Acme' : '$PLIMSOLL_WORKSPACE'
        return value === expected ? undefined : `${page.path}: --workspace ${value}`
      }),
    )

    expect(values.filter((value) => value !== undefined)).toEqual([])
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

  /** Some commands have two words: artifact signature add. */
  async function readHelp(words: readonly string[]) {
    const help = await runPlimsoll({}, [...words.slice(0, 2), '--help'])
    const isGroup = words.length > 2 && help.stdout.includes('\nCommands:\n')
    return isGroup ? runPlimsoll({}, [...words.slice(0, 3), '--help']) : help
  }

  it('gives commands the flags that they have', async () => {
    const faults: string[] = []
    const { stdout: common } = await runPlimsoll({}, ['help', 'options'])
    for (const { page, words, flags } of blocks.flatMap((block) => commandsOf('plimsoll', block))) {
      const { exitCode, stdout } = await readHelp(words)
      const missing = flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(stdout + common))
      // The help of a noun lists its commands; that of a command has none.
      const isUnknown = words.length > 1 && stdout.includes('\nCommands:\n')
      if (exitCode !== 0 || missing.length > 0 || isUnknown)
        faults.push(`${page.path}: plimsoll ${words.join(' ')} ${missing.join(' ')}`)
    }

    expect(faults).toEqual([])
  })
})

let operator: Command
beforeAll(async () => {
  operator = await readOperatorCommands()
})

describe('of the programs', () => {
  it('uses the names of a release, but for the place that tells what a checkout has', () => {
    const inCheckout = /npm run (?:-s |--silent )?(?:admin|plimsoll)\b|`admin [a-z-]+/
    const functions = /^plimsoll(?:-admin)?\(\) \{ npm run .*\}$/gm
    const telling = new Set(['docs/guide/getting-started.md', 'docs/guide/install.md'])
    const read = guides.filter(({ path }) => /^README|^docs\/(?:guide|design)\//.test(path))

    const odd = read.filter(({ path, text }) => {
      const isServer = text.includes('npm start') && !telling.has(path)
      return isServer || inCheckout.test(text.replaceAll(functions, ''))
    })

    expect(odd.map(({ path }) => path)).toEqual([])
  })

  it('gives the commands of the operator the flags that they have', () => {
    const texts = guides.flatMap((page) => {
      const inText = [...page.text.matchAll(/`(plimsoll-admin [^`]+)`/g)]
      const codes = [
        ...listShellBlocks(page).map(({ code }) => code),
        ...inText.map(([, code]) => code),
      ]
      return codes.flatMap((code = '') => commandsOf('plimsoll-admin', { page, code }))
    })

    const faults = texts.flatMap(({ page, words, flags }) => {
      const fault = faultOf(operator, words, flags)
      return fault === undefined
        ? []
        : [`${page.path}: plimsoll-admin ${words.join(' ')}: ${fault}`]
    })

    expect(texts.length).toBeGreaterThan(40)
    expect(faults).toEqual([])
  })
})

describe('for operators', () => {
  const rules = readFileSync(join(ROOT, 'deploy/prometheus/plimsoll.rules.yml'), 'utf8')
  const textOf = (guide: string) => pages.get(`docs/guide/${guide}.md`)?.text ?? ''
  const findAll = (text: string, pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].toSorted()
  const alerts = findAll(rules, /- alert: (\w+)/g)
  const texts = guides.filter(({ path }) => path.startsWith('docs/guide/'))
  const all = texts.map(({ text }) => text).join('\n')

  it('says of each alert that is shipped what to do, and names no other', () => {
    const told = findAll(textOf('watching'), /`(Plimsoll[A-Z]\w+)`/g)

    expect(told).toEqual(alerts)
    expect(alerts).toEqual(expect.arrayContaining(findAll(all, /\b(Plimsoll[A-Z]\w+)\b/g)))
  })

  it('names metrics that the service has, and checks that the doctor makes', () => {
    const metrics = findAll(textOf('metrics'), /^\| `(\w+)`/gm)
    const checks = findAll(textOf('admin-commands'), /^\| `([\w-]+)` /gm)
    const runbooks = /^## Runbooks\n.*?(?=^## )/ms.exec(textOf('operations'))?.[0] ?? ''
    const named = findAll(runbooks, /`(plimsoll_\w+)/g)

    expect(named.length).toBeGreaterThan(5)
    expect(metrics).toEqual(expect.arrayContaining(named))
    expect(checks).toEqual(expect.arrayContaining(findAll(all, /doctor --check ([a-z][\w-]+)/g)))
  })
})

it('shows rules of alerts as they are shipped', () => {
  interface Rules {
    groups: { rules: { alert: string; expr: string; for: string }[] }[]
  }
  const rulesOf = (text: string) =>
    (parseYaml(text) as Rules).groups
      .flatMap(({ rules }) => rules)
      .map(({ alert, expr, for: wait }) => ({ alert, expr, wait }))
  const [, shown = ''] = /^```yaml\n(groups:.*?)^```$/ms.exec(
    pages.get('docs/guide/backup.md')?.text ?? '',
  ) ?? ['', '']
  const shipped = readFileSync(join(ROOT, 'deploy/prometheus/plimsoll.rules.yml'), 'utf8')

  expect(rulesOf(shown)).not.toEqual([])
  expect(rulesOf(shipped)).toEqual(expect.arrayContaining(rulesOf(shown)))
})

function faultOf(
  program: Command,
  words: readonly string[],
  flags: readonly string[],
): string | undefined {
  let command = program
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word)
    if (next) command = next
    else if (command.commands.length > 0) return `there is no ${word}`
    else break
  }
  // A noun may have a command that runs without its name, as `backup create`.
  const options = [command, ...command.commands].flatMap((one) => one.options)
  const known = new Set(['--help', ...options.map(({ long }) => long)])
  const missing = flags.filter((flag) => !known.has(flag))
  return missing.length > 0 ? `there is no ${missing.join(', ')}` : undefined
}

function commandsOf(program: string, { page, code }: { page: Page; code: string }) {
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
  const start = new RegExp(`(?:^|[;|&(]|\\$\\(|sudo |/bin/|exec plimsoll ) *${program} ([^|;&#)]*)`)
  return lines.flatMap((line) => {
    const [, text] = start.exec(line) ?? []
    if (text === undefined) return []
    const tokens = text.split(/\s+/).filter((token) => token !== '')
    const end = tokens.findIndex((token) => !/^[a-z][a-z-]*$/.test(token))
    const words = tokens.slice(0, end === -1 ? tokens.length : end)
    const flags = tokens.filter((token) => /^--[a-z]/.test(token))
    return [{ page, words, flags: flags.map((flag) => flag.replace(/=.*/, '')) }]
  })
}
