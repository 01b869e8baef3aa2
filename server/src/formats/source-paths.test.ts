import { describe, expect, it } from 'vitest'
import {
  listComparisonKeys,
  isCompiledSource,
  isHeader,
  isObjectFile,
  normalizeSourcePath,
} from './source-paths.ts'

describe('a source path', () => {
  it.each`
    text                                                                     | path
    ${'drivers/net/tun.c'}                                                   | ${'drivers/net/tun.c'}
    ${'./drivers//net/./tun.c'}                                              | ${'drivers/net/tun.c'}
    ${'../src/net/../core/a.c'}                                              | ${'src/core/a.c'}
    ${'/home/ci/build/tmp/work-shared/qemuarm/kernel-source/net/core/dev.c'} | ${'net/core/dev.c'}
    ${'/usr/src/kernel/net/core/dev.c'}                                      | ${'net/core/dev.c'}
    ${'/usr/src/debug/busybox/1.36.1/networking/httpd.c'}                    | ${'networking/httpd.c'}
    ${'C:\\work\\wolfssl\\src\\tls.c'}                                       | ${'work/wolfssl/src/tls.c'}
    ${'linux-6.6.21/net/core/dev.c'}                                         | ${'linux-6.6.21/net/core/dev.c'}
    ${'src/with space.c'}                                                    | ${'src/with space.c'}
    ${''}                                                                    | ${undefined}
    ${'./'}                                                                  | ${undefined}
    ${'a\u0000b.c'}                                                          | ${undefined}
    ${'x'.repeat(1_001)}                                                     | ${undefined}
  `('$text is $path', ({ text, path }: { text: string; path: string | undefined }) => {
    expect(normalizeSourcePath(text)).toBe(path)
  })

  it('is known by its ending', () => {
    expect(
      ['a.c', 'a.S', 'a.cpp', 'a.rs', 'a.h', 'Makefile', 'a.py'].map(isCompiledSource),
    ).toEqual([true, true, true, true, false, false, false])
    expect(['a.h', 'a.hpp', 'a.c'].map(isHeader)).toEqual([true, true, false])
    expect(['a.o', 'x.ko', 'a.c'].map(isObjectFile)).toEqual([true, true, false])
  })
})

describe('the keys a list is compared by', () => {
  it('are two names, one under any folder, or one that has none', () => {
    expect(listComparisonKeys(['linux/net/core/dev.c', 'main.c', 'linux/net/core/dev.c'])).toEqual(
      [
        '*/core/',
        '*/dev.c',
        '*/linux/',
        '*/main.c',
        '*/net/',
        'core/dev.c',
        'linux/',
        'linux/net/',
        'main.c',
        'net/core/',
      ].toSorted(),
    )
  })
})
