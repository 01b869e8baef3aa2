import { Command } from 'commander'
import { expect, it } from 'vitest'
import { GROUPS } from './command-groups.ts'

it.each(GROUPS.map(({ names, load }) => [names, load] as const))(
  'adds %j and no other command',
  async (names, load) => {
    const program = new Command()
    ;(await load())(program)

    expect(program.commands.map((command) => command.name())).toEqual(names)
  },
)
