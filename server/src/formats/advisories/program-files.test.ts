import { describe, expect, it } from 'vitest'
import { parsedCve } from './fixtures/cve-record.ts'
import { listVulnerablePaths } from './program-files.ts'

describe('the paths of vulnerable code', () => {
  it.each`
    programFiles                                                              | paths                                               | because
    ${['net/sctp/socket.c']}                                                  | ${['net/sctp/socket.c']}                            | ${'a source file is what is compiled'}
    ${['fs/b.c', 'fs/a.c', 'fs/a.c']}                                         | ${['fs/a.c', 'fs/b.c']}                             | ${'each once, in order'}
    ${['drivers/dma/idxd/']}                                                  | ${['drivers/dma/idxd/']}                            | ${'a folder stands for all in it'}
    ${['drivers/dma/idxd']}                                                   | ${['drivers/dma/idxd/']}                            | ${'a name without ending is a folder'}
    ${['include/linux/hid.h']}                                                | ${undefined}                                        | ${'a header is not compiled itself'}
    ${['include/net/sock.h', 'net/sctp/socket.c']}                            | ${undefined}                                        | ${'a shared header is compiled into others too'}
    ${['drivers/dma/idxd/idxd.h', 'drivers/dma/idxd/init.c']}                 | ${['drivers/dma/idxd/', 'drivers/dma/idxd/init.c']} | ${'a header beside the source is read in its folder'}
    ${['drivers/gpu/amd/inc/smu.h', 'drivers/gpu/amd/smu.c']}                 | ${undefined}                                        | ${'a header elsewhere may be read anywhere'}
    ${['net/ipv4/tcp.c', 'Documentation/networking/ip-sysctl.rst']}           | ${['net/ipv4/tcp.c']}                               | ${'prose is no code'}
    ${['Documentation/networking/ip-sysctl.rst']}                             | ${undefined}                                        | ${'prose alone says nothing'}
    ${['arch/arm/Kconfig', 'arch/arm/mm/fault.c']}                            | ${undefined}                                        | ${'a setting reaches further than a file'}
    ${['arch/riscv/kernel/Makefile']}                                         | ${undefined}                                        | ${'so does a make file'}
    ${['arch/arm64/boot/dts/qcom/sdm845.dts']}                                | ${undefined}                                        | ${'a device tree is in no list of source files'}
    ${['kernel/sched/deadline.c']}                                            | ${undefined}                                        | ${'the scheduler is compiled by inclusion'}
    ${['https://github.com/wolfSSL/wolfssl/blob/master/wolfcrypt/src/rsa.c']} | ${['wolfcrypt/src/rsa.c']}                          | ${'the address of a file names its path'}
    ${['https://github.com/a/b/blob/fac7f5/app/x.c#L108']}                    | ${['app/x.c']}                                      | ${'with a line'}
    ${['https://git.kernel.org/linux.git/tree/net/x.c?id=1']}                 | ${undefined}                                        | ${'another address tells no path'}
    ${['src/*.c']}                                                            | ${undefined}                                        | ${'patterns are not files'}
    ${['file:src/a.c']}                                                       | ${undefined}                                        | ${'nor are other schemes'}
    ${['htdocs/entry.php', 'src/a.c']}                                        | ${undefined}                                        | ${'scripts are not compiled'}
    ${[]}                                                                     | ${undefined}                                        | ${'nothing says nothing'}
    ${Array.from({ length: 501 }, (_, i) => `a/${i}.c`)}                      | ${undefined}                                        | ${'a whole tree is not a list'}
  `(
    '$because',
    ({ programFiles, paths }: { programFiles: string[]; paths: string[] | undefined }) => {
      expect(listVulnerablePaths(programFiles)).toEqual(paths)
    },
  )
})

describe('a record that names program files', () => {
  const entry = { versions: [{ version: '1.0', status: 'affected', lessThan: '2.0' }] }
  const codeOf = (...entries: object[]) =>
    parsedCve({
      affected: entries.map((one) => ({ vendor: 'Acme', product: 'Widget', ...entry, ...one })),
    }).affected.map(({ statements }) =>
      statements.flatMap(({ vulnerableCode = [] }) => vulnerableCode),
    )

  it('tells where its vulnerable code is, once for all entries of a product', () => {
    expect(codeOf({ programFiles: ['src/b.c'] }, { programFiles: ['src/a.c'] })).toEqual([
      ['src/a.c', 'src/b.c'],
    ])
  })

  it('tells nothing where one entry of the product leaves it open', () => {
    expect(codeOf({ programFiles: ['src/b.c'] }, {})).toEqual([[]])
    expect(codeOf({ programFiles: ['src/b.c'] }, { programFiles: ['include/a.h'] })).toEqual([[]])
    expect(codeOf({})).toEqual([[]])
  })

  it('keeps products apart', () => {
    expect(codeOf({ programFiles: ['src/b.c'] }, { product: 'Gadget' })).toEqual([['src/b.c'], []])
  })
})
