import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findUploadFile, writeMultipart } from './multipart.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'))

async function givenFile(name: string, content: string) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return findUploadFile(path)
}

async function bodyOf(
  multipart: ReturnType<typeof writeMultipart>,
  onBytes = (_count: number) => {},
) {
  const chunks: Uint8Array[] = []
  for await (const chunk of multipart.read(onBytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('a multipart body', () => {
  it('is read back by another implementation, with names and bytes as they were', async () => {
    const files = [await givenFile('bild "ä".json', '{"a":1}'), await givenFile('empty.json', '')]

    const multipart = writeMultipart(files, 'boundary')
    const body = new Uint8Array(await bodyOf(multipart))
    const headers = { 'content-type': multipart.contentType }
    const form = await new Response(body, { headers }).formData()
    const parts = form.getAll('sbom').map((part) => part as File)

    expect(parts.map(({ name }) => name)).toEqual(['bild "ä".json', 'empty.json'])
    expect(await Promise.all(parts.map((part) => part.text()))).toEqual(['{"a":1}', ''])
  })

  it('has the length it announces, and counts the bytes of the files', async () => {
    const multipart = writeMultipart([await givenFile('a.json', 'x'.repeat(200_000))], 'boundary')
    let counted = 0

    const body = await bodyOf(multipart, (count) => (counted += count))

    expect(body).toHaveLength(multipart.contentLength)
    expect(counted).toBe(200_000)
  })

  it('leaves out what a file grows by, and fails where it shrinks', async () => {
    const grown = await givenFile('grown.json', '12')
    const shrunk = await givenFile('shrunk.json', '12')
    writeFileSync(grown.path, '123')
    truncateSync(shrunk.path, 1)

    const multipart = writeMultipart([grown], 'boundary')
    expect(await bodyOf(multipart)).toHaveLength(multipart.contentLength)
    await expect(bodyOf(writeMultipart([shrunk], 'boundary'))).rejects.toThrow('became shorter')
  })

  it.each([
    [join(folder, 'absent.json'), 'there is no such file'],
    [folder, 'it is not a file'],
  ])('is not made of %s', async (path, message) => {
    await expect(findUploadFile(path)).rejects.toThrow(message)
  })
})
