import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
/** In the repository, as its settings are those of the files below it. */
const folder = mkdtempSync(join(root, 'server', 'src', 'lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

function lint(code: string): string {
  const file = join(folder, 'sample.ts')
  writeFileSync(file, code)
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const
    return execFileSync('node_modules/.bin/oxlint', [file], options)
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

it.each`
  code                                                                    | isRefused
  ${'export const a = (ctx: any) => ctx.mailer.send({})'}                 | ${true}
  ${'export const a = (ctx: any) => ctx.mailer?.send({})'}                | ${true}
  ${'export const a = ({ mailer }: any) => mailer.send({})'}              | ${true}
  ${'export const a = (c: any) => { const { send } = c.mailer; send() }'} | ${true}
  ${'export const a = (reply: any) => reply.send({})'}                    | ${false}
  ${'export const a = (ctx: any) => ctx.mailer !== undefined'}            | ${false}
`(
  'refuses to send mail past its door in $code: $isRefused',
  (row: { code: string; isRefused: boolean }) => {
    expect(lint(row.code).includes('plimsoll(mail-door)')).toBe(row.isRefused)
  },
)
