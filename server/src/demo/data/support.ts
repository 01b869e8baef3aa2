/** Until when projects mend release cycles of what the demo's firmware holds: each a fact that the project publishes itself. */
interface SupportFact {
  name: string
  label: string
  identifiers: readonly { type: string; id: string }[]
  /** Where the days stand. */
  source: string
  /** The first day without fixes, by cycle. */
  cycles: Readonly<Record<string, string>>
}

export const SUPPORT_FACTS: readonly SupportFact[] = [
  {
    name: 'openssl',
    label: 'OpenSSL',
    identifiers: [{ type: 'repology', id: 'openssl' }],
    source: 'https://openssl-library.org/policies/releasestrat/',
    cycles: { '3.5': '2030-04-08', '3.4': '2026-10-22' },
  },
  {
    name: 'linux',
    label: 'Linux kernel',
    identifiers: [
      { type: 'cpe', id: 'cpe:/o:linux:linux_kernel' },
      { type: 'repology', id: 'linux' },
    ],
    source: 'https://www.kernel.org/category/releases.html',
    cycles: { '6.12': '2028-12-31', '6.6': '2027-12-31' },
  },
]
