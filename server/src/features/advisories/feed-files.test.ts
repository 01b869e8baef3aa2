import { rmSync } from 'node:fs'
import { relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { givenFolder } from '../../../test/given-feeds.ts'
import { openFiles } from './reading/files-service.ts'

it('opens every file of a folder in the order of names, small and large ones', async () => {
  const files = Array.from({ length: 70 }, (_, n): [string, string] => [
    `${String(n).padStart(3, '0')}.json`,
    n === 40 ? `["${'x'.repeat(2 * 1024 * 1024)}"]` : `[${n}]`,
  ])
  const folder = givenFolder(Object.fromEntries(files))

  const opened: [string, string][] = []
  for await (const file of openFiles(folder)) {
    opened.push([relative(folder, file.name), await text(file.chunks)])
    await file.close()
  }

  rmSync(folder, { recursive: true })
  expect(opened).toEqual(files)
})
