/** What docs/guide/webhooks.md tells receivers to do is tried for real. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signAttempt } from '../src/features/notification-delivery/webhooks/message.ts'
import { formatSecret } from '../src/features/notification-targets/webhooks/secrets.ts'

const guide = readFileSync(new URL('../../docs/guide/webhooks.md', import.meta.url), 'utf8')
const secret = Buffer.from('0123456789abcdef0123456789abcdef')
const former = Buffer.from('fedcba9876543210fedcba9876543210')
const stranger = Buffer.alloc(32)
const body = '{"title":"CPU too hot ☀"}'

const message = (secrets: Buffer[], at = new Date()) => ({
  headers: signAttempt({ id: 'one', at, body, secrets }),
  body,
})

const CASES = [
  { ...message([secret]), isGenuine: true },
  { ...message([stranger, secret]), isGenuine: true },
  { ...message([former]), isGenuine: false },
  { ...message([secret]), body: `${body} `, isGenuine: false },
  { ...message([secret], new Date(Date.now() - 3_600_000)), isGenuine: false },
]

function exampleIn(language: string): string {
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? ''
}

const CHECKS = {
  js: {
    command: process.execPath,
    file: 'check.mjs',
    code: `
import { readFileSync } from 'node:fs'
const { secret, cases } = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map(({ headers, body }) => isGenuine(headers, Buffer.from(body), secret))))`,
  },
  py: {
    command: 'python3',
    file: 'check.py',
    code: `
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_genuine(one["headers"], one["body"].encode(), given["secret"]) for one in given["cases"]]))`,
  },
}

/** Of commands, those that machines of developers may lack. */
const isMissing = (command: string) => spawnSync(command, ['--version']).status !== 0

for (const language of ['js', 'py'] as const) {
  const { command, file, code } = CHECKS[language]
  it.skipIf(isMissing(command))(
    `the receiver in ${language} tells genuine messages from others`,
    () => {
      const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-webhook-')), file)
      writeFileSync(path, exampleIn(language) + code)
      const input = JSON.stringify({ secret: formatSecret(secret), cases: CASES })

      const { stdout, stderr } = spawnSync(command, [path], { input, encoding: 'utf8' })

      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(CASES.map(({ isGenuine }) => isGenuine))
    },
  )
}
