/** A tar archive of the named texts, for tests: ustar, with a pax header for long names. */
import { padToBlock, TAR_BLOCK, writeTarHeader } from '../src/formats/tar.ts'

export function tarOf(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    if (name.length <= 100) return [writeTarHeader(name, content.length), padded(content)]
    const pax = Buffer.from(paxRecord('path', name))
    return [
      writeTarHeader('pax', pax.length, 'x'),
      padded(pax),
      writeTarHeader(name.slice(0, 100), content.length),
      padded(content),
    ]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * TAR_BLOCK)])
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(padToBlock(content.length) - content.length)])
}

/** `length key=value\n`, the length counting itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (`${length}${rest}`.length !== length) length += 1
  return `${length}${rest}`
}
