import { Command } from 'commander'
import { vi } from 'vitest'

let commands: Promise<Command> | undefined

/** Only starting the program reads its commands, so it is started without running one. Test files share it: it starts once a process. */
export function readOperatorCommands(): Promise<Command> {
  commands ??= startOperatorCommands()
  return commands
}

async function startOperatorCommands(): Promise<Command> {
  const parse = vi.spyOn(Command.prototype, 'parseAsync')
  const read = new Promise<Command>((done) => {
    parse.mockImplementation(function (this: Command) {
      done(this)
      return Promise.resolve(this)
    })
  })
  await import('../../server/src/admin/program.ts')
  parse.mockRestore()
  return read
}
