import { describe, expect, it } from 'vitest'
import { findClientLimitation } from './planned-artifacts.ts'

const [app, os] = [{ part: 'bApp' }, { part: 'os' }]
const rauc = 'rauc-hawkbit-c-agent/1.0'

describe('clients', () => {
  it.each([
    ['takes one artifact', null, [app], true],
    ['takes one of no other part', null, [os], false],
    ['takes no two', null, [app, app], false],
    ['takes one of any part', rauc, [os], true],
    ['takes no two', rauc, [os, app], false],
    ['takes several', 'libcurl-agent/1.0', [os, app], true],
  ])('%s: %s', (_, client, parts, expected) => {
    expect(findClientLimitation(client, parts) === undefined).toBe(expected)
  })
})
