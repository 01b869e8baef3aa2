/** What real addr2line says of a program that a real compiler made, and what is made of what it prints. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAddr2line, runAddr2line } from './addr2line.ts'

it('reads inlined functions, what has no line, and what is not known', () => {
  const found = parseAddr2line(
    [
      '0x08000100',
      'uart_write',
      '/src/uart.c:12 (discriminator 3)',
      'log_line',
      'C:\\src\\log.c:40',
      '0x08000200',
      'z_arm_fault',
      '??:?',
      '0x08000300',
      '??',
      '??:0',
      '0x08000400',
      'std::vector<int>::at(unsigned int)',
      '/usr/include/vector:?',
    ].join('\n'),
  )

  expect([...found]).toEqual([
    [
      0x800_0100n,
      [
        { function: 'uart_write', file: '/src/uart.c', line: 12 },
        { function: 'log_line', file: 'C:\\src\\log.c', line: 40 },
      ],
    ],
    [0x800_0200n, [{ function: 'z_arm_fault', file: null, line: null }]],
    [0x800_0300n, []],
    [
      0x800_0400n,
      [{ function: 'std::vector<int>::at(unsigned int)', file: '/usr/include/vector', line: null }],
    ],
  ])
})

it('reads whatever is printed without a fault, and every address that is there', () => {
  const LINE = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((address) => `0x${address.toString(16)}`),
    fc.string(),
    fc.constantFrom('??', '??:0', '??:?', 'main', '/a.c:1', '', '/a.c:99999999999999999999'),
  )
  fc.assert(
    fc.property(fc.array(LINE), (lines) => {
      const found = parseAddr2line(lines.join('\n'))

      const addresses = lines.filter((line) => /^0x[0-9a-f]+$/i.test(line))
      expect(new Set(found.keys())).toEqual(new Set(addresses.map(BigInt)))
    }),
  )
})

const missing = ['gcc', 'addr2line', 'nm'].filter(
  (program) => spawnSync(program, ['--version']).status !== 0,
)
if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)

const FOLDER = mkdtempSync(join(tmpdir(), 'plimsoll-addr2line-'))
const SOURCE = `#include <stdlib.h>
static inline __attribute__((always_inline)) int read_one(volatile int *at) {
  return *at + 1;
}
__attribute__((noinline)) int read_twice(volatile int *at) {
  return read_one(at) * 2;
}
__attribute__((noinline, noreturn)) void stop_here(void) {
  abort();
}
__attribute__((noinline)) void give_up(void) {
  stop_here();
}
int main(int argc, char **argv) {
  volatile int x = argc;
  (void)argv;
  if (read_twice(&x) == 0) give_up();
  return 0;
}
`

describe.skipIf(missing.length > 0)('real addr2line', () => {
  const elfPath = join(FOLDER, 'program')
  const build = () => {
    const source = join(FOLDER, 'program.c')
    writeFileSync(source, SOURCE)
    const built = spawnSync('gcc', ['-g', '-O1', '-no-pie', '-o', elfPath, source])
    expect([built.status, String(built.stderr)]).toEqual([0, ''])
    const symbols = String(spawnSync('nm', ['-S', elfPath]).stdout)
    const find = (name: string) => {
      const [, begin = '', size = ''] =
        new RegExp(`^(\\w+) (\\w+) \\w ${name}$`, 'm').exec(symbols) ?? []
      return { begin: BigInt(`0x${begin}`), end: BigInt(`0x${begin}`) + BigInt(`0x${size}`) }
    }
    return { find, source }
  }

  it('names the inlined function first, and leaves open what lies outside of the program', async () => {
    const { find, source } = build()
    const { begin } = find('read_twice')

    const found = await runAddr2line({ program: 'addr2line', elfPath, addresses: [begin, 1n] })

    expect(found.get(begin)).toEqual([
      { function: 'read_one', file: source, line: 3 },
      { function: 'read_twice', file: source, line: 6 },
    ])
    expect(found.get(1n)).toEqual([])
  })

  it('finds the caller of a function that never returns only before the return address', async () => {
    const { find } = build()
    // The call is the last instruction of give_up: it returns to where the next function begins.
    const { end } = find('give_up')
    const before = end - 1n

    const found = await runAddr2line({ program: 'addr2line', elfPath, addresses: [end, before] })

    expect(found.get(before)?.at(-1)?.function).toBe('give_up')
    expect(found.get(end)?.at(-1)?.function).not.toBe('give_up')
  })

  it('takes ten thousand addresses in one run', async () => {
    const { find } = build()
    const { begin } = find('main')
    const addresses = Array.from({ length: 10_000 }, (_, index) => BigInt(index) + 0x10_0000n)

    const found = await runAddr2line({
      program: 'addr2line',
      elfPath,
      addresses: [...addresses, begin],
    })

    expect([found.size, found.get(begin)?.[0]?.function]).toEqual([10_001, 'main'])
  })

  it('says in words that the file cannot be read', async () => {
    const path = join(FOLDER, 'not-there')

    await expect(
      runAddr2line({ program: 'addr2line', elfPath: path, addresses: [1n] }),
    ).rejects.toThrow(`addr2line failed: addr2line: '${path}': No such file`)
  })
})

it('says how to install the program that is missing', async () => {
  const answer = runAddr2line({ program: 'no-such-addr2line', elfPath: 'x', addresses: [1n] })

  await expect(answer).rejects.toThrow(/There is no no-such-addr2line here.*binutils.*--addr2line/)
})
