import { describe, expect, it } from 'vitest'
import { countAlike, readStated } from './suffixes.ts'

describe('readStated', () => {
  it.each`
    text                                 | release              | meaning     | because
    ${'1.30.0'}                          | ${'1.30.0'}          | ${'own'}    | ${'nothing follows'}
    ${'1.0.2zg'}                         | ${'1.0.2zg'}         | ${'own'}    | ${'letters without a separator are the maker’s'}
    ${'8u292'}                           | ${'8u292'}           | ${'own'}    | ${'so are counted ones'}
    ${'1.30.0-rc1'}                      | ${'1.30.0-rc1'}      | ${'own'}    | ${'it is a stage'}
    ${'1.30.0~beta2'}                    | ${'1.30.0~beta2'}    | ${'own'}    | ${'it is a stage'}
    ${'1.30.0-b2'}                       | ${'1.30.0-b2'}       | ${'own'}    | ${'it is a stage'}
    ${'1.30.0.dev0'}                     | ${'1.30.0.dev0'}     | ${'own'}    | ${'it is a stage'}
    ${'1.30.0-SNAPSHOT'}                 | ${'1.30.0-SNAPSHOT'} | ${'own'}    | ${'it is a stage'}
    ${'1.30.0.Final'}                    | ${'1.30.0'}          | ${'build'}  | ${'the word says nothing'}
    ${'12.2(33)sxi4'}                    | ${'12.2(33)sxi4'}    | ${'own'}    | ${'parentheses are the maker’s'}
    ${'2023-09-30'}                      | ${'2023-09-30'}      | ${'own'}    | ${'a date is a number'}
    ${'2022.01-dirty'}                   | ${'2022.01'}         | ${'build'}  | ${'of changes that nobody committed'}
    ${'1.30.0_dirty'}                    | ${'1.30.0'}          | ${'build'}  | ${'any separator may stand before it'}
    ${'1.30.0dirty'}                     | ${'1.30.0'}          | ${'build'}  | ${'or none'}
    ${'2022.01-linux4microchip-2022.04'} | ${'2022.01'}         | ${'build'}  | ${'of a vendor’s name'}
    ${'v2022.01-stm32mp-r1'}             | ${'2022.01'}         | ${'build'}  | ${'of a vendor’s name'}
    ${'3.6.0-ncs1'}                      | ${'3.6.0'}           | ${'build'}  | ${'a vendor counts'}
    ${'1.30.0-r0'}                       | ${'1.30.0'}          | ${'build'}  | ${'a recipe counts'}
    ${'1.36.1.r5'}                       | ${'1.36.1'}          | ${'build'}  | ${'a packager counts'}
    ${'3.6.0+mcuboot'}                   | ${'3.6.0'}           | ${'build'}  | ${'a plus says how it was built'}
    ${'v3.6.0-0-gabcdef1'}               | ${'3.6.0'}           | ${'build'}  | ${'no commit follows the release'}
    ${'v3.6.0-5-gabcdef1'}               | ${'3.6.0'}           | ${'around'} | ${'five commits follow it'}
    ${'3.6.0-rc1-5-gabcdef'}             | ${'3.6.0-rc1'}       | ${'around'} | ${'five commits follow the candidate'}
    ${'v5.1-dev-4528-g420ebd208a'}       | ${'5.1-dev'}         | ${'around'} | ${'the commits follow a stage'}
    ${'2022.01-00012-gabcdef12'}         | ${'2022.01'}         | ${'around'} | ${'twelve commits follow it'}
    ${'1.30.0-g1234567'}                 | ${'1.30.0'}          | ${'around'} | ${'the count is left out'}
    ${'1.2.3.post4+gabcdef1'}            | ${'1.2.3'}           | ${'around'} | ${'four commits follow it'}
    ${'2.4_git20160909'}                 | ${'2.4'}             | ${'around'} | ${'it is a snapshot'}
    ${'1.2~git2021'}                     | ${'1.2'}             | ${'around'} | ${'a tilde may come before'}
    ${'6.4.20230408'}                    | ${'6.4'}             | ${'around'} | ${'it is a snapshot'}
    ${'1.30.0-1'}                        | ${'1.30.0'}          | ${'around'} | ${'maker or packager may count'}
    ${'1.30.0p1'}                        | ${'1.30.0'}          | ${'around'} | ${'maker or packager may count'}
    ${'1.9.5p2-dirty'}                   | ${'1.9.5p2'}         | ${'build'}  | ${'the count may be the maker’s'}
    ${'6.4+20240113-r0'}                 | ${'6.4+20240113'}    | ${'build'}  | ${'so may the date'}
    ${'r57-dirty'}                       | ${'r57'}             | ${'build'}  | ${'letters may stand before the number'}
    ${'b1.2-5-gabcdef1'}                 | ${'b1.2'}            | ${'around'} | ${'letters may stand before the number'}
    ${'1.30.0 (2020-01-01 10:00:00)'}    | ${'1.30.0'}          | ${'build'}  | ${'a banner tells when it was built'}
    ${'2022.01 (Mar 03 2023 - 10:20)'}   | ${'2022.01'}         | ${'build'}  | ${'a banner tells when it was built'}
    ${'1.30.0 patched'}                  | ${'1.30.0'}          | ${'build'}  | ${'a blank separates, too'}
    ${'1.30.0 rc1'}                      | ${'1.30.0 rc1'}      | ${'own'}    | ${'it is a stage'}
    ${'1.30.0,r1'}                       | ${'1.30.0'}          | ${'build'}  | ${'so does a comma'}
    ${'1.30.0^20240101git1a2b3c4'}       | ${'1.30.0'}          | ${'around'} | ${'rpm writes a snapshot so'}
    ${'1.30.0#5'}                        | ${'1.30.0'}          | ${'around'} | ${'maker or packager may count'}
    ${'1.30.0-LTS-Patch-2'}              | ${'1.30.0'}          | ${'build'}  | ${'words are a builder’s'}
    ${'OpenSSL_1_1_1s+quic1'}            | ${'1.1.1s'}          | ${'build'}  | ${'the tag is read first'}
    ${'VER-2-10-3-dirty'}                | ${'2.10.3'}          | ${'build'}  | ${'the tag is read first'}
    ${'hostap_2_9-5-gabcdef1-dirty'}     | ${'2.9'}             | ${'around'} | ${'the tag is read first'}
    ${'xlnx_rebase_v2022.01_2022.2'}     | ${'2022.01'}         | ${'around'} | ${'the tag is read first'}
  `(
    '$text is of $release ($meaning), as $because',
    ({ text, release, meaning }: { text: string; release: string; meaning: string }) => {
      expect(readStated(text, 'cpe:acme:widget')).toEqual({ release, meaning })
    },
  )

  it.each`
    key                              | text                | release
    ${'cpe:openbsd:openssh'}         | ${'9.3p1'}          | ${'9.3p1'}
    ${'cpe:openbsd:openssh'}         | ${'9.3p1-dirty'}    | ${'9.3p1'}
    ${'name:ntp/ntp'}                | ${'4.2.8p15'}       | ${'4.2.8p15'}
    ${'purl:generic/sudo'}           | ${'1.9.5p2'}        | ${'1.9.5p2'}
    ${'cpe:isc:dhcp'}                | ${'4.1-esv-r16-p1'} | ${'4.1-esv-r16-p1'}
    ${'cpe:isc:bind'}                | ${'9.11.3-P1'}      | ${'9.11.3-P1'}
    ${'cpe:imagemagick:imagemagick'} | ${'7.0.10-34'}      | ${'7.0.10-34'}
    ${'cpe:imagemagick:imagemagick'} | ${'7.0.10-34-r2'}   | ${'7.0.10-34'}
    ${'cpe:gnu:ncurses'}             | ${'6.4+20240113'}   | ${'6.4+20240113'}
    ${'cpe:zephyrproject:zephyr'}    | ${'3.5.99-ncs1'}    | ${'3.5.0'}
    ${'cpe:acme:widget'}             | ${'3.5.99-ncs1'}    | ${'3.5.99'}
  `(
    '$text of $key is of the release $release',
    ({ key, text, release }: { key: string; text: string; release: string }) => {
      expect(readStated(text, key)?.release).toBe(release)
    },
  )

  it.each(['', 'main', 'r5', '4f5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7'])(
    'reads nothing from "%s"',
    (text) => {
      expect(readStated(text, 'cpe:acme:widget')).toBeUndefined()
    },
  )
})

describe('countAlike', () => {
  it.each`
    a                 | b                 | expected
    ${'1.2-r3'}       | ${'1.2-r5'}       | ${true}
    ${'1.2.0-3'}      | ${'1.2-5'}        | ${true}
    ${'6.4+20240113'} | ${'6.4-20230408'} | ${true}
    ${'6.4.20240113'} | ${'6.4-20230408'} | ${true}
    ${'3.6.0-ncs1'}   | ${'3.6.0-ncs2'}   | ${true}
    ${'1.2-r3'}       | ${'1.2-3'}        | ${false}
    ${'1.2-r3'}       | ${'1.3-r5'}       | ${false}
    ${'1.2-dirty'}    | ${'1.2-dirty'}    | ${false}
    ${'1.2'}          | ${'1.2'}          | ${false}
  `(
    'of $a and $b is $expected',
    ({ a, b, expected }: { a: string; b: string; expected: boolean }) => {
      expect(countAlike(a, b)).toBe(expected)
    },
  )
})
