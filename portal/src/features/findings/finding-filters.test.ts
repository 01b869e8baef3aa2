import { expect, it } from 'vitest'
import { FINDINGS } from '../../searches.ts'
import { readFilter, readGroup, readGrouping, readSort } from './finding-filters.ts'

const today = new Date('2026-11-23T12:00:00Z')

it('asks for what is to decide, unless told otherwise', () => {
  const open = { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] }

  expect(readFilter({}, today)).toEqual(open)
  expect(readFilter({ show: 'active' }, today)).toEqual({ activeOnly: true })
  expect(readFilter({ show: 'all' }, today)).toEqual({})
})

it('turns the address into the request', () => {
  const search = FINDINGS.parse({
    show: 'active',
    exploited: '1',
    severity: 'High',
    ssvc: 'Attend',
    q: 'ssl',
    component: 'openssl',
    devices: '1',
  })

  expect(readFilter(search, today)).toEqual({
    activeOnly: true,
    exploited: true,
    affectedDevicesOnly: true,
    severities: ['Critical', 'High'],
    ssvcFrom: 'Attend',
    name: [{ contains: 'ssl' }],
    components: [{ packageName: 'openssl' }],
  })
})

it('asks for several vulnerabilities by their ids, and for disputed ones or none of them', () => {
  const search = FINDINGS.parse({ show: 'all', q: 'CVE-2024-3094 CVE-2023-4911', disputed: 'no' })

  expect(readFilter(search, today)).toEqual({
    cveIds: ['CVE-2024-3094', 'CVE-2023-4911'],
    disputed: false,
  })
})

it('takes an address that somebody broke for one without', () => {
  const search = FINDINGS.parse({ severity: 'Worst', sort: 'Colour', q: '', group: 'colour' })

  expect(readFilter({ ...search, show: 'all' }, today)).toEqual({})
  expect(readSort(search, 'vulnerability')).toBe('Risk')
  expect(readGroup(search)).toBe('vulnerability')
})

it('keeps an order only where the group has it', () => {
  expect(readSort({ sort: 'CveId' }, 'single')).toBe('CveId')
  expect(readSort({ sort: 'CveId' }, 'component')).toBe('Risk')
})

it('names the filters that can be dropped', () => {
  expect(FINDINGS.listFilters({ severity: 'High', q: 'ssl' })).toEqual([
    { name: 'severity', text: 'High or worse' },
    { name: 'q', text: '“ssl”' },
  ])
})

it('lists single findings under outcomes, as each has one', () => {
  expect(readGroup({ group: 'outcome' })).toBe('single')
  expect(readGrouping({ group: 'outcome' })).toBe('outcome')
})
