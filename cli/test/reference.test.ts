/** The page of all commands is what the program has. `npx vitest run cli/test/reference.test.ts -u` writes it anew. */
import { resolve } from 'node:path'
import { type Command, Help } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../src/program.ts'
import { runPlimsoll } from './service.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/guide/cli-commands.md')
const help = new Help()

/** Those that do something, with what they take. */
function commandsBelow(command: Command, path: string): { usage: string; description: string }[] {
  return help.visibleCommands(command).flatMap((below) => {
    if (below.name() === 'help') return []
    const name = `${path}${below.name()}`
    if (below.commands.length > 0) return commandsBelow(below, `${name} `)
    const takes = below.registeredArguments.map((argument) => ` ${help.argumentTerm(argument)}`)
    const usage = below.registeredArguments.map(({ required, variadic }, index) => {
      const text = `${takes[index]?.trim() ?? ''}${variadic ? '…' : ''}`
      return required ? ` <${text}>` : ` [${text}]`
    })
    return [{ usage: name + usage.join(''), description: below.description() }]
  })
}

it('is on the page of all commands', async () => {
  const commands = commandsBelow(await createProgram(), '')
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  const lines = commands.map(({ usage, description }) => `${usage.padEnd(width)}  ${description}`)
  const page = [
    '# All commands',
    'What `plimsoll COMMAND --help` says first; [the command line](cli.md) describes what needs more words. A test compares this page with the program.',
    ['```text', ...lines, '```'].join('\n'),
  ]

  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(PAGE)
})

it('has common options on one page, which the help of each command names', async () => {
  const [own, common] = await Promise.all([
    runPlimsoll({}, ['device', 'list', '--help']),
    runPlimsoll({}, ['help', 'options']),
  ])

  expect(own.stdout).toContain('plimsoll help options')
  expect(own.stdout).not.toContain('--url <url>')
  for (const option of ['--json', '--quiet', '--url', '--api-key', '--workspace', '--profile'])
    expect(common.stdout).toContain(option)
  expect(common).toMatchObject({ exitCode: 0, stderr: '' })
})
