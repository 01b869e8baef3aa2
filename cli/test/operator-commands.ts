import { Command } from 'commander'
import { vi } from 'vitest'

/** Only starting the program reads its commands, so it is started without running one. */
export async function readOperatorCommands(): Promise<Command> {
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
