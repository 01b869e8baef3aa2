import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readFacts } from './facts.ts'
import { describeClient } from './man.ts'

/** As groff shows the page; it warns of what it does not understand. */
async function show() {
  const input = await describeClient(await readFacts())
  const words = ['-man', '-Tutf8', '-ww', '-rLL=200n', '-P-cbou']
  const { stdout, stderr } = spawnSync('groff', words, { input, encoding: 'utf8' })
  return { page: stdout, warnings: stderr }
}

// A skipped test says so: there is no groff.
it.skipIf(!existsSync('/usr/bin/groff'))('has every command with its options', async () => {
  const { page, warnings } = await show()

  expect(warnings).toBe('')
  expect(page).toContain('plimsoll findings check')
  expect(page).toMatch(/--only-fixed\n +[a-z]/)
  expect(page).toContain('What is inside your firmware')
  expect(page).not.toMatch(/^[.']\w/m)
})
