/** Manual pages, from what the programs say of themselves: man(7). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createProgram } from '../../cli/src/program.ts'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'

/** Programs of the service, by the module that answers `--help`. */
const SERVICE_PROGRAMS = {
  'man1/plimsoll-server.1': { module: 'main.js', about: 'serves the inventory of devices' },
  'man8/plimsoll-admin.8': { module: 'admin.js', about: "the operator's commands of Plimsoll" },
}

/** Writes the pages below `folder`. `server`: the folder of the built server, whose programs are asked. */
export async function writeManPages(
  facts: ReleaseFacts,
  { server, folder }: { server: string; folder: string },
): Promise<void> {
  const pages: Record<string, string> = { 'man1/plimsoll.1': await describeClient(facts) }
  for (const [path, { module, about }] of Object.entries(SERVICE_PROGRAMS)) {
    const program = join(server, 'server/src', module)
    const text = await runCommand(process.execPath, [program, '--help'])
    const [name = '', section = ''] = path.split('/')[1]?.split(/\.(?=\d$)/) ?? []
    pages[path] = [
      ...writeHead(facts, { name, section, about }),
      '.SH DESCRIPTION',
      '.nf',
      ...text.trimEnd().split('\n').map(escapeLine),
      '.fi',
      '.SH FILES',
      '/etc/plimsoll/plimsoll.env: the settings',
      '.SH SEE ALSO',
      '/usr/lib/plimsoll/docs/guide/operations.md',
      '',
    ].join('\n')
  }
  for (const [path, page] of Object.entries(pages)) {
    const file = join(folder, `${path}.gz`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, gzipSync(page, { level: 9 }))
  }
}

/** Every command with its options, as its own help has them. */
export async function describeClient(facts: ReleaseFacts): Promise<string> {
  const program = await createProgram()
  const name = program.name()
  return [
    ...writeHead(facts, { name, section: '1', about: program.description() }),
    '.SH SYNOPSIS',
    escapeLine(`${name} COMMAND [options]`),
    '.SH COMMANDS',
    ...describeBelow(program, `${name} `),
    '.SH SEE ALSO',
    escapeLine('plimsoll help options, plimsoll-admin(8), /usr/lib/plimsoll/docs/guide/cli.md'),
    '',
  ].join('\n')
}

type Command = Awaited<ReturnType<typeof createProgram>>

function describeBelow(command: Command, path: string): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((below) => {
      const name = `${path}${below.name()}`
      if (below.name() === 'help') return []
      if (below.commands.length > 0) return describeBelow(below, `${name} `)
      const asked = below.createHelp()
      const options = asked.visibleOptions(below).filter(({ long }) => long !== '--help')
      return [
        `.SS ${escapeLine(`${name} ${below.usage()}`)}`,
        escapeLine(below.description()),
        ...options.flatMap((option) => [
          '.TP',
          `.B ${escapeLine(asked.optionTerm(option))}`,
          escapeLine(asked.optionDescription(option)),
        ]),
      ]
    })
}

function writeHead(
  { version, epoch }: ReleaseFacts,
  { name, section, about }: { name: string; section: string; about: string },
): string[] {
  const day = new Date(epoch * 1000).toISOString().slice(0, 10)
  const title = `.TH ${name.toUpperCase()} ${section} ${day} "Plimsoll ${version}"`
  return [title, '.SH NAME', `${escapeLine(name)} \\- ${escapeLine(about)}`]
}

/** One line of text, in which nothing is a request of roff; it knows characters beyond ASCII by their numbers. */
function escapeLine(text: string): string {
  const flat = text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('\\', String.raw`\e`)
  const plain = flat.replaceAll('-', String.raw`\-`).replace(/^(?=[.'])/, String.raw`\&`)
  return plain.replaceAll(/[^\0-~]/gu, (character) => {
    const number = character.codePointAt(0)?.toString(16).toUpperCase() ?? ''
    return `\\[u${number.padStart(4, '0')}]`
  })
}
