import { expect, it } from 'vitest'
import { affectedOf, parsedCve, statementsOf } from './fixtures/cve-record.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

it('commits decide by equality under the key of the repository, with no word about the rest', () => {
  const of = affectedOf({
    repo: 'https://git.example.org/acme/widget.git',
    defaultStatus: 'unaffected',
    versions: [{ version: A, lessThan: B, status: 'affected', versionType: 'git' }],
  })

  expect(of).toEqual([
    {
      key: 'name:acme/widget',
      statements: [
        expect.objectContaining({
          defaultStatus: 'unknown',
          versions: [],
          undecidable: 'the versions are commits',
        }),
      ],
    },
    {
      key: 'repo:git.example.org/acme/widget',
      statements: [
        {
          scheme: 'git',
          defaultStatus: 'unknown',
          versions: [
            { status: 'affected', versions: [A], text: `affected from ${A}` },
            { status: 'unaffected', versions: [B], text: `fixed in ${B}` },
          ],
          vendor: 'Acme',
          packageName: 'Widget',
        },
      ],
    },
  ])
})

const KERNEL = {
  vendor: 'Linux',
  product: 'Linux',
  repo: 'https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git',
  programFiles: ['net/ipv4/tcp.c'],
}

it("the kernel's entries are one statement in kernel order, which its overlapping cpeApplicability does not dilute", () => {
  const { affected } = parsedCve({
    affected: [
      {
        ...KERNEL,
        defaultStatus: 'unaffected',
        versions: [{ version: A, lessThan: B, status: 'affected', versionType: 'git' }],
      },
      {
        ...KERNEL,
        defaultStatus: 'affected',
        versions: [
          { version: '4.3', status: 'affected' },
          { version: '0', lessThan: '4.3', status: 'unaffected', versionType: 'semver' },
          {
            version: '5.10.137',
            lessThanOrEqual: '5.10.*',
            status: 'unaffected',
            versionType: 'semver',
          },
          {
            version: '6.0',
            lessThanOrEqual: '*',
            status: 'unaffected',
            versionType: 'original_commit_for_fix',
          },
        ],
      },
    ],
    cpeApplicability: [
      {
        nodes: [
          {
            operator: 'OR',
            negate: false,
            cpeMatch: [
              {
                vulnerable: true,
                criteria: 'cpe:2.3:o:linux:linux_kernel:*:*:*:*:*:*:*:*',
                versionStartIncluding: '4.3',
                versionEndExcluding: '6.0',
              },
            ],
          },
        ],
      },
    ],
  })

  expect(affected).toMatchObject([
    {
      key: 'cpe:linux:linux_kernel',
      statements: [
        {
          scheme: 'kernel',
          defaultStatus: 'affected',
          programFiles: ['net/ipv4/tcp.c'],
          versions: [
            { status: 'affected', versions: ['4.3'] },
            { status: 'unaffected', fixed: '4.3' },
            {
              status: 'unaffected',
              introduced: '5.10.137',
              fixed: '5.11-rc0',
              fixedIsDerived: true,
            },
            { status: 'unaffected', introduced: '6.0', text: '>= 6.0' },
          ],
        },
      ],
    },
    {
      key: 'repo:git.kernel.org/pub/scm/linux/kernel/git/stable/linux',
      statements: [{ scheme: 'git' }],
    },
  ])
  expect(affected.flatMap((of) => of.statements)).toHaveLength(2)
})

it('cpeApplicability speaks where affected[] does not', () => {
  const { affected } = parsedCve({
    affected: [
      { vendor: 'n/a', product: 'n/a', versions: [{ version: 'n/a', status: 'affected' }] },
    ],
    cpeApplicability: [
      {
        nodes: [
          {
            operator: 'OR',
            cpeMatch: [
              {
                vulnerable: true,
                criteria: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*',
                versionEndExcluding: '2.0',
              },
            ],
          },
        ],
      },
    ],
  })

  expect(affected).toMatchObject([
    { key: 'cpe:acme:widget', statements: [{ versions: [{ fixed: '2.0' }] }] },
  ])
})

it.each`
  entry                                                                                                                                                 | keys
  ${{}}                                                                                                                                                 | ${['name:acme/widget']}
  ${{ vendor: 'The GNU C Library', product: 'glibc' }}                                                                                                  | ${['name:the_gnu_c_library/glibc']}
  ${{ vendor: 'n/a', product: 'Widget' }}                                                                                                               | ${['name:*/widget']}
  ${{ vendor: 'n/a', product: 'n/a' }}                                                                                                                  | ${[]}
  ${{ vendor: 'n/a', product: 'https://github.com/curl/curl' }}                                                                                         | ${['repo:github.com/curl/curl']}
  ${{ vendor: 'OpenSSL', product: 'OpenSSL' }}                                                                                                          | ${['cpe:openssl:openssl']}
  ${{ cpes: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'] }}                                                                                                | ${['cpe:acme:widget']}
  ${{ cpes: ['cpe:/a:acme:widget:1.0'] }}                                                                                                               | ${['cpe:acme:widget']}
  ${{ cpes: ['nonsense'] }}                                                                                                                             | ${['name:acme/widget']}
  ${{ collectionURL: 'https://www.npmjs.com', packageName: '@acme/widget' }}                                                                            | ${['purl:npm/@acme/widget', 'name:acme/widget']}
  ${{ collectionURL: 'https://search.maven.org/', packageName: 'org.acme:widget' }}                                                                     | ${['purl:maven/org.acme/widget', 'name:acme/widget']}
  ${{ collectionURL: 'https://github.com/acme', packageName: 'widget' }}                                                                                | ${['name:acme/widget', 'repo:github.com/acme/widget']}
  ${{ collectionURL: 'https://pkg.go.dev', vendor: 'Go standard library', product: 'net/http', packageName: 'net/http' }}                               | ${['purl:golang/stdlib', 'name:go_standard_library/net_http']}
  ${{ collectionURL: 'https://pkg.go.dev', vendor: 'Go toolchain', product: 'cmd/go', packageName: 'cmd/go' }}                                          | ${['purl:golang/toolchain', 'name:go_toolchain/cmd_go']}
  ${{ collectionURL: 'https://pkg.go.dev', vendor: 'golang.org/x/crypto', product: 'golang.org/x/crypto/ssh', packageName: 'golang.org/x/crypto/ssh' }} | ${['purl:golang/golang.org/x/crypto', 'name:golang.org_x_crypto/golang.org_x_crypto_ssh']}
  ${{ collectionURL: 'https://wordpress.org/plugins', packageName: 'widget' }}                                                                          | ${['name:acme/widget']}
  ${{ packageURL: 'pkg:cargo/widget' }}                                                                                                                 | ${['purl:cargo/widget', 'name:acme/widget']}
  ${{ repo: 'https://github.com/Acme/Widget/tree/main' }}                                                                                               | ${['name:acme/widget', 'repo:github.com/acme/widget']}
  ${{ repo: 'https://git.zabbix.com/' }}                                                                                                                | ${['name:acme/widget']}
`('$entry is known by $keys', ({ entry, keys }: { entry: object; keys: string[] }) => {
  const of = affectedOf({ versions: [{ version: '1.0', status: 'affected' }], ...entry })

  expect(of.map(({ key }) => key)).toEqual(keys)
})

it("GitHub's owner and name lead to the repository when a reference confirms it", () => {
  const versions = [{ version: '< 1.2', status: 'affected' }]
  const references = [
    { url: 'https://github.com/Acme/Widget/security/advisories/GHSA-1111-2222-3333' },
  ]

  expect(affectedOf({ versions }, { references }).map(({ key }) => key)).toEqual([
    'name:acme/widget',
    'repo:github.com/acme/widget',
  ])
})

it("a distribution's package is known by its purl and release, never by the CPE of the distribution", () => {
  const of = affectedOf({
    vendor: 'Red Hat',
    product: 'Red Hat Enterprise Linux 8',
    packageName: 'glibc',
    collectionURL: 'https://access.redhat.com/downloads/content/package-browser/',
    cpes: ['cpe:/o:redhat:enterprise_linux:8::baseos'],
    defaultStatus: 'affected',
    versions: [
      { version: '0:2.28-236.el8_9.12', lessThan: '*', status: 'unaffected', versionType: 'rpm' },
    ],
  })

  expect(of).toEqual([
    {
      key: 'purl:rpm/redhat/glibc',
      statements: [
        {
          scheme: 'rpm',
          defaultStatus: 'affected',
          versions: [
            {
              status: 'unaffected',
              introduced: '0:2.28-236.el8_9.12',
              text: '>= 0:2.28-236.el8_9.12',
            },
          ],
          vendor: 'Red Hat',
          packageName: 'glibc',
          distro: 'Red Hat:enterprise_linux:8::baseos',
        },
      ],
    },
  ])
})

it("a distribution's package without version and release gives no verdict", () => {
  const of = statementsOf({
    vendor: 'Fedora',
    product: 'Fedora',
    packageName: 'glibc',
    collectionURL: 'https://packages.fedoraproject.org/',
    defaultStatus: 'affected',
  })

  expect(of).toMatchObject([{ undecidable: 'neither version nor release is stated' }])
})

it('the attributes of a CPE go with the versions, its own version only where there are no others', () => {
  const cpes = [
    'cpe:2.3:a:acme:widget:1.0:*:*:*:*:wordpress:*:*',
    'cpe:2.3:a:acme:widget:1.1:*:*:*:*:wordpress:*:*',
  ]
  const cpe = 'cpe:2.3:a:acme:widget:*:*:*:*:*:wordpress:*:*'

  expect(
    statementsOf({ cpes, versions: [{ version: '2.0', status: 'affected' }] })[0]?.versions,
  ).toEqual([{ status: 'affected', versions: ['2.0'], text: '2.0', cpe }])
  expect(statementsOf({ cpes, defaultStatus: 'affected' })[0]?.versions).toEqual([
    { status: 'affected', versions: ['1.0', '1.1'], text: '1.0, 1.1', cpe },
  ])
})
