/** The pages of all commands are what the programs have. `npx vitest run cli/test/reference.test.ts -u` writes them anew. */
import { join, resolve } from 'node:path'
import { type Command, Help } from 'commander'
import { expect, it } from 'vitest'
import { CHECKS } from '../../server/src/admin/doctor.ts'
import { writeTable } from '../../tools/docs/table.ts'
import { EXIT, EXIT_MEANINGS } from '../src/exit-codes.ts'
import { createProgram } from '../src/program.ts'
import { readOperatorCommands } from './operator-commands.ts'
import { runPlimsoll } from './service.ts'

const GUIDES = resolve(import.meta.dirname, '../../docs/guide')
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

function listCommands(program: Command): string {
  const commands = commandsBelow(program, '')
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  const lines = commands.map(({ usage, description }) => `${usage.padEnd(width)}  ${description}`)
  return ['```text', ...lines, '```'].join('\n')
}

it('is on the page of all commands', async () => {
  const page = [
    '# All commands',
    'What `plimsoll COMMAND --help` says first; [the command line](cli.md) describes what needs more words. A test compares this page with the program.',
    listCommands(await createProgram()),
    '## Exit codes',
    writeTable(
      ['exit code', 'meaning'],
      Object.entries(EXIT).map(([name, exitCode]) => [
        String(exitCode),
        EXIT_MEANINGS[name as keyof typeof EXIT],
      ]),
    ),
  ]

  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(join(GUIDES, 'cli-commands.md'))
})

it('has a page of the operator’s commands, and of what the doctor examines', async () => {
  const page = [
    '# The operator’s commands',
    '`plimsoll-admin COMMAND --help` has the options of each; all take `--json`. [Operations](operations.md) describes what needs more words. A test compares this page with the program.',
    listCommands(await readOperatorCommands()),
    '## What the doctor examines',
    writeTable(
      ['check', 'what has to hold', 'of', '`--repair`'],
      CHECKS.map(({ name, meaning, scope, repair }) => [
        `\`${name}\``,
        meaning,
        scope === 'Workspace' ? 'a workspace' : 'the installation',
        repair ? 'mends it' : '',
      ]),
    ),
  ]

  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(join(GUIDES, 'admin-commands.md'))
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
