/** A tar archive of the named texts, for tests: ustar, with a pax header for long names. */
const BLOCK = 512

export function tarOf(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    if (name.length <= 100) return [header(name, content.length, '0'), padded(content)]
    const pax = Buffer.from(paxRecord('path', name))
    return [
      header('pax', pax.length, 'x'),
      padded(pax),
      header(name.slice(0, 100), content.length, '0'),
      padded(content),
    ]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write('0000644\0', 100)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}

/** `length key=value\n`, the length counting itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (`${length}${rest}`.length !== length) length += 1
  return `${length}${rest}`
}
