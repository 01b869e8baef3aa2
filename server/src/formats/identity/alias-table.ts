/**
 * Tables of names, one product per line: key | CPE names | repositories | names without a vendor |
 * packages of distributions | source.
 *
 * A CPE is `vendor:product`; `vendor/product` is as records of the CVE List name it. A repository `owner/name` is one of GitHub, others are written `host/path`. `=` in the
 * last column of names stands for the names without a vendor. A line without a source relies on NVD's dictionary entry
 * for its first CPE.
 */
import type { ProductAliases } from './product-aliases.ts'

const NVD = 'https://nvd.nist.gov/products/cpe/search/results?namingFormat=2.3&keyword=cpe:2.3:*:'

export function parseAliasTable(text: string): ProductAliases[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(productOfLine)
}

function splitColumns(line: string) {
  const columns = line.split('|').map((column) => column.trim())
  const at = (index: number) => columns[index] ?? ''
  if (columns.length < 5 || columns.length > 6 || at(0) === '')
    throw new Error(`not a line of an alias table: ${line}`)
  return {
    product: at(0),
    cpes: at(1),
    repositories: at(2),
    called: at(3),
    packaged: at(4),
    source: at(5),
  }
}

function productOfLine(line: string): ProductAliases {
  const { product, cpes, repositories, called, packaged, source } = splitColumns(line)
  const names = splitWords(cpes)
  const first = names.find((name) => name.includes(':'))
  if (source === '' && first === undefined) throw new Error(`${product} has no source`)
  const vendorless = splitWords(called).map((name) => `cpe:*:${name}`)
  return {
    product,
    keys: [
      ...names.map((name) => (name.includes(':') ? `cpe:${name}` : `name:${name}`)),
      // No vendor is known yet: a record may name any.
      ...(first === undefined ? vendorless : []),
      ...splitWords(repositories).flatMap(repositoryKeys),
    ],
    from: [
      ...vendorless,
      ...splitWords(packaged === '=' ? called : packaged.replace(/^= /, `${called} `)).map(
        (name) => `package:${name}`,
      ),
    ],
    source: source === '' ? NVD + (first ?? '') : source,
  }
}

function splitWords(column: string): string[] {
  return column.split(/\s+/).filter((word) => word !== '')
}

function repositoryKeys(repository: string): string[] {
  const [host = ''] = repository.split('/')
  const path = repository.slice(host.length + 1)
  if (host === 'gitlab.com') return [`purl:gitlab/${path}`, `repo:${repository}`]
  if (host.includes('.')) return [`repo:${repository}`]
  return [`purl:github/${repository}`, `repo:github.com/${repository}`]
}
