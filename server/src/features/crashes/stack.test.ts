import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import {
  chooseTop,
  groupStack,
  listFrames,
  signStack,
  type SourceLine,
  type Stack,
} from './stack.ts'

const hex = (value: number) => `0x${value.toString(16)}`
const Address = fc.integer({ min: 0x1000, max: 0x2fff_ffff })
const Addresses = fc.array(Address, { minLength: 1, maxLength: 32 })

function stackOf(crash: Parameters<typeof listFrames>[0], buildId = 'build-1'): Stack {
  const addresses = chooseTop(listFrames(crash))
  return { firmwareId: 'firmware', reason: crash.reason, buildId, addresses }
}

const crashOf = ([pc = 0, ...rest]: readonly number[], base = 0) => ({
  reason: 'SIGSEGV',
  pc: hex(pc + base),
  returnAddresses: rest.map((address) => hex(address + base)),
  ...(base > 0 && { loadAddress: hex(base) }),
})

describe('the signature', () => {
  it('is the same wherever the image was loaded', () => {
    const Base = fc.integer({ min: 1, max: 0x7fff_ffff }).map((page) => page * 4096)
    fc.assert(
      fc.property(Addresses, Base, (addresses, base) => {
        expect(signStack(stackOf(crashOf(addresses, base)))).toBe(
          signStack(stackOf(crashOf(addresses))),
        )
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  it('depends on the order of the top frames, and on none below them', () => {
    // Even, so that no call is looked up where the program counter is.
    const Distinct = fc
      .uniqueArray(Address, {
        minLength: 6,
        maxLength: 32,
        selector: (address) => address >> 1,
      })
      .map((addresses) => addresses.map((address) => address - (address % 2)))
    fc.assert(
      fc.property(Distinct, fc.array(Address, { maxLength: 20 }), (addresses, others) => {
        const [first = 0, second = 0, third = 0, ...rest] = addresses
        const signature = signStack(stackOf(crashOf(addresses)))
        const swapped = signStack(stackOf(crashOf([first, third, second, ...rest])))
        const below = signStack(stackOf(crashOf([...addresses.slice(0, 5), ...others])))
        expect(swapped).not.toBe(signature)
        expect(below).toBe(signature)
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  it('of an endless recursion is the same at any depth', () => {
    fc.assert(
      fc.property(Address, fc.integer({ min: 1, max: 31 }), (address, depth) => {
        const once = chooseTop(listFrames(crashOf([address, address])))
        const often = chooseTop(
          listFrames(crashOf([address, ...Array<number>(depth).fill(address)])),
        )
        expect(often).toEqual(once)
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  it('by names is the same for every build with the same functions', () => {
    fc.assert(
      fc.property(Addresses, Address, (addresses, shift) => {
        const one = stackOf(crashOf(addresses))
        const other = stackOf(crashOf(addresses.map((address) => address + 2 * shift)), 'build-2')
        const names = new Map<string, string>()
        // Named by their place in the stack, where both stacks have the same repeats.
        for (const stack of [one, other])
          for (const [at, address] of stack.addresses.entries())
            if (address !== null && !names.has(address)) names.set(address, `function-${at}`)
        const linesOf = (address: string): SourceLine[] => [
          { function: names.get(address) ?? null, file: null, line: null },
        ]
        expect(signStack(one)).not.toBe(signStack(other))
        const lookup = (stack: Stack) => groupStack(stack, linesOf)
        if (one.addresses.some((address) => other.addresses.includes(address))) return
        expect(lookup(one).signature).toBe(lookup(other).signature)
      }),
      { numRuns: propertyRuns(200) },
    )
  })
})

describe('frames', () => {
  it('outside of the image count as such, as libraries lie elsewhere in each process', () => {
    const crash = (library: string) => ({
      reason: 'SIGSEGV',
      pc: library,
      returnAddresses: ['0x555555555139'],
      loadAddress: '0x555555554000',
    })

    expect(chooseTop(listFrames(crash('0x7f0000001234')))).toEqual([null, '0x1137'])
    expect(signStack(stackOf(crash('0x7f1111111234')))).toBe(
      signStack(stackOf(crash('0x7f0000001234'))),
    )
  })

  it('count the link register in place of return addresses, and not beside them', () => {
    const crash = { reason: 'HardFault', pc: '0x100', lr: '0x201' }

    expect(chooseTop(listFrames(crash))).toEqual(['0x100', '0x1ff'])
    expect(chooseTop(listFrames({ ...crash, returnAddresses: ['0x301'] }))).toEqual([
      '0x100',
      '0x2ff',
    ])
  })

  it.each`
    name                                   | clean
    ${'poll.isra.0'}                       | ${'poll'}
    ${'poll.constprop.1.isra.0'}           | ${'poll'}
    ${'poll.part.2.cold'}                  | ${'poll'}
    ${'app::run::h0123456789abcdef'}       | ${'app::run'}
    ${'poll(int) [clone .constprop.0]'}    | ${'poll(int)'}
    ${'std::vector<int>::push_back(int&)'} | ${'std::vector<int>::push_back(int&)'}
  `('are called $clean where compilers write $name', ({ name, clean }) => {
    const stack = stackOf(crashOf([0x1000]))
    const lines = [{ function: name as string, file: null, line: null }]

    expect(groupStack(stack, () => lines).frames).toEqual([clean])
  })

  it('of inlined functions count one by one, the innermost first', () => {
    const lines = ['inner', 'outer'].map((name) => ({ function: name, file: null, line: null }))

    const { frames, buildId } = groupStack(stackOf(crashOf([0x1000])), () => lines)

    expect([frames, buildId]).toEqual([['inner', 'outer'], null])
  })
})
