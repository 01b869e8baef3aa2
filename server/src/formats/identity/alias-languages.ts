/** Programming languages whose records are of their parts. */
import type { ProductAliases } from './product-aliases.ts'

const STDLIB = 'purl:golang/stdlib'
const TOOLCHAIN = 'purl:golang/toolchain'
const GO = 'cpe:golang:go'

export const LANGUAGE_ALIASES: readonly ProductAliases[] = [
  {
    product: 'Go',
    keys: [GO, 'purl:golang/go', 'purl:github/golang/go', 'repo:github.com/golang/go'],
    from: ['cpe:*:go', 'cpe:*:golang', 'package:go', 'package:golang'],
    // Go's own database has no record of Go, but of the library, which every program contains, and of the tools.
    related: [{ key: STDLIB }, { key: TOOLCHAIN }],
    source: 'https://go.dev/doc/security/vuln/database',
  },
  {
    product: 'Go’s standard library',
    keys: [STDLIB],
    // NVD and the older CVEs know only Go as a whole. Where Go's database says that a flaw is one of the tools, programs do not have it.
    related: [
      { key: GO, origin: 'whole' },
      { key: TOOLCHAIN, origin: 'other part' },
    ],
    source: 'https://go.dev/doc/security/vuln/database',
  },
]
