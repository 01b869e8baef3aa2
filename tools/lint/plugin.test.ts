import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
/** In the repository, as its settings are those of the files below it. */
const folder = mkdtempSync(join(root, 'server', 'src', 'lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CASES = [
  { code: 'export const a = (ctx: any) => ctx.mailer.send({})', isRefused: true },
  { code: 'export const a = (ctx: any) => ctx.mailer?.send({})', isRefused: true },
  { code: 'export const a = ({ mailer }: any) => mailer.send({})', isRefused: true },
  { code: 'export const a = (c: any) => { const { send } = c.mailer; send() }', isRefused: true },
  { code: 'export const a = (reply: any) => reply.send({})', isRefused: false },
  { code: 'export const a = (ctx: any) => ctx.mailer !== undefined', isRefused: false },
].map((one, index) => ({ ...one, file: `sample-${index}.ts` }))

interface Report {
  diagnostics: { code: string; filename: string }[]
}

/** Names of the files that send mail past its door. One run of the linter for all: to start it takes seconds. */
let refused: Set<string>
beforeAll(() => {
  for (const { file, code } of CASES) writeFileSync(join(folder, file), code)
  const { diagnostics } = JSON.parse(lint()) as Report
  refused = new Set(
    diagnostics
      .filter(({ code }) => code === 'plimsoll(mail-door)')
      .map(({ filename }) => basename(filename)),
  )
})

function lint(): string {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const
    return execFileSync('node_modules/.bin/oxlint', ['--format', 'json', folder], options)
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

it.each(CASES)('refuses to send mail past its door in $code: $isRefused', ({ file, isRefused }) => {
  expect(refused.has(file)).toBe(isRefused)
})
