import { expect, it } from 'vitest'
import { canBeOfModule, isModular, withoutModule } from './rpm-modules.ts'

it.each`
  version                                            | bare
  ${'1:12.22.5-1.module_el8.4.0+2529+af52a4c7'}      | ${'1:12.22.5-1'}
  ${'2.4.37-43.module_el8.5.0+2631+6f259f31.3.alma'} | ${'2.4.37-43.3.alma'}
  ${'7.2.6-1.module_el9.5.0+130+36ae7635'}           | ${'7.2.6-1'}
  ${'15:4.2.0-34.module+el8.3.0+8829+e7a0a3ea.1'}    | ${'15:4.2.0-34.1'}
  ${'1.1.1k-7.el8_6'}                                | ${'1.1.1k-7.el8_6'}
`('$version without its module is $bare', ({ version, bare }) => {
  expect(withoutModule(String(version))).toBe(bare)
  expect(isModular(String(version))).toBe(version !== bare)
})

it.each`
  version                                       | fixed                                         | module                     | expected | because
  ${'1:12.22.4-1.module_el8.4.0+2525+c07ac28e'} | ${'1:12.22.5-1.module_el8.4.0+2529+af52a4c7'} | ${'nodejs:12'}             | ${true}  | ${'both are of the stream'}
  ${'1:12.22.5-1.module_el8.4.0+2529+af52a4c7'} | ${'1:14.17.5-1.module_el8.4.0+2531+c07ac28e'} | ${'nodejs:14'}             | ${false} | ${'12 is another stream'}
  ${'1:1.0-1.module_el8.4.0+2529+af52a4c7'}     | ${'1:10.24.0-1.module_el8.3.0+2047+b07ac28e'} | ${'nodejs:10'}             | ${false} | ${'1 is not 10'}
  ${'3.4.1-1.module_el8.6.0+2886+d33c3efb'}     | ${'4.2.0-1.module_el8.7.0+3344+484dae7b'}     | ${'container-tools:rhel8'} | ${true}  | ${'the version does not tell the stream'}
  ${'4:5.26.3-422.el8'}                         | ${'4:5.30.1-452.module_el8.4.0+2178+d9e3703'} | ${'perl:5.30'}             | ${false} | ${'it was built outside of modules'}
  ${'4:5.30.1-452.module_el8.4.0+2178+d9e3703'} | ${'4:5.26.3-423.el8_10'}                      | ${undefined}               | ${false} | ${'the fix was built outside of modules'}
  ${'5.26.3'}                                   | ${'4:5.30.1-452.module_el8.4.0+2178+d9e3703'} | ${undefined}               | ${true}  | ${'nothing says how it was built'}
  ${'4:5.26.3-422.el8'}                         | ${'4:5.26.3-423.el8_10'}                      | ${undefined}               | ${true}  | ${'no module is involved'}
`('$version can be of the stream of $fixed: $expected, as $because', (row) => {
  const { version, fixed, module, expected } = row as Record<string, string>

  expect(canBeOfModule(String(version), { fixed: String(fixed), module })).toBe(expected)
})
