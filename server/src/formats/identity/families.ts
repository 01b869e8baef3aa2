/**
 * Which product names a package's name may stand for. Distributions and build systems add versions, kinds and languages to
 * the names of upstream: `python3.11`, `gnutls28`, `libhtml-parser-perl`, `linux-signed-amd64`.
 */

import { findAliasedProducts } from './alias-index.ts'
import { CURATED_NAMES } from './curated-names.ts'
import type { ProductAliases } from './product-aliases.ts'

export interface Spelling {
  /** As in the product keys of records: `cpe:*:product`, `name:*\/product`. */
  product: string
  /** How the package's name leads to it, in words for people; undefined for the name itself. */
  rule?: string
  isWithoutVersion?: boolean
  /** Only the product of this vendor is meant. */
  vendor?: string
  /** Whether something else may be meant just as well. */
  isGuess?: boolean
}

/** Spellings that mean the same, best first; a later group counts only where records know no product of an earlier one. */
export type SpellingGroup = readonly Spelling[]

/** Whose boards a fork of the kernel, or of what starts it, is for, as the recipes of board support packages are called: `u-boot-fslc`, `tf-a-stm32mp`. */
const BOARDS =
  'imx|fslc|qoriq|layerscape|ls|nxp|s32|toradex|variscite|phytec|boundary|congatec|engicam|karo|kontron|odroid|bb\\.org|xlnx|xilinx|zynqmp|ti|at91|microchip|mchp|stm32mp|rockchip|sunxi|meson|mediatek|mvebu|tegra|qcom|renesas|rcar|rz|socfpga|rpi|starfive|riscv|adi'
/** What only has its name. */
const NO_FIRMWARE = '(?![-_](?:splash|scripts?|scr|env|logo|test|client|headers)(?:$|[-_]))'

const ofBoards = (names: string) =>
  new RegExp(`^(?:${names})[-_](?:${BOARDS})(?:$|${NO_FIRMWARE}[-_].*)`)

/**
 * Names of which every member is the same product, whatever records say about the whole name: a product `php5` of one old
 * record does not keep `php5` from being PHP.
 */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?!.*-headers$)linux-(?:\d[\d.]*(?:$|-.*)|(?:signed|unsigned|image|source|modules|yocto|aws|azure|gcp|gke|gkeop|oracle|oem|hwe|raspi\d?|raspberrypi|rpi|upstream|lts|rt|kvm|ibm|nvidia|lowlatency|riscv|intel|xilinx|imx|fslc|ti-staging|stable|mainline|hardened|zen|virt|custom|toradex|variscite|qcom|meson|sunxi|rockchip|adi|altera|socfpga|bluefield|realtime|cip|vanilla|jammy|noble|starfive|allwinner|xanmod)(?:$|[-.]?\d.*|-.*))$/,
    'linux',
  ],
  // What the kernel builds, and its own SBOM after it: `Linux Kernel (bzImage)` (linux, scripts/sbom, spdx_output_graph.py).
  [
    /^(?:linux[_-]kernel[_-](?:\d[\d.]*|b?zimage|u?image|vmlinu[xz])|vmlinu[xz](?:[-_.](?:\d|bin|gz|img|efi).*)?|(?:bz|z|u|xip)image|z?image\.(?:gz|bz2|lz4|lzma|lzo|xz|zst))$/,
    'linux',
  ],
  [ofBoards('linux'), 'linux'],
  [ofBoards('u-boot|uboot'), 'u-boot'],
  [ofBoards('tf-a|trusted-firmware-a|arm-trusted-firmware'), 'trusted-firmware-a'],
  [/^(?:imx|qoriq|at91|rcar|xlnx|ti)-atf$/, 'trusted-firmware-a'],
  [ofBoards('optee-os|op-tee-os'), 'optee-os'],
  [/^kfreebsd(?:-?\d+)?(?:-source)?$/, 'freebsd'],
  [/^(?:python|platform-python|pythond)[23](?:\.\d+)?$/, 'python'],
  [/^gcc-?(?:\d+(?:\.\d+)*|cross.*|runtime|sanitizers|final|initial|bare-metal|source.*)$/, 'gcc'],
  [/^postgresql-?\d+(?:\.\d+)*$/, 'postgresql'],
  [/^mysql-?(?:dfsg-?)?(?:\d+(?:\.\d+)*)?$/, 'mysql'],
  [/^mysql-(?:dfsg|community|community-server|server)(?:-\d.*)?$/, 'mysql'],
  [/^mariadb-?(?:\d+(?:\.\d+)*|server|galera|native|connector-c)$/, 'mariadb'],
  [/^php-?\d+(?:\.\d+)*$/, 'php'],
  [/^ruby-?\d+(?:\.\d+)*$/, 'ruby'],
  [/^lua-?\d+(?:\.\d+)*$/, 'lua'],
  [/^perl-?5(?:\.\d+)*$/, 'perl'],
  [/^(?:openjdk-?\d+(?:-jre|-jdk|-lts)?|java-\d+(?:\.\d+)*-openjdk.*)$/, 'openjdk'],
  [/^tomcat-?\d+(?:\.\d+)*$/, 'tomcat'],
  [/^(?:golang|go)-?\d+(?:\.\d+)*$/, 'go'],
  [/^node(?:js)?-?\d+(?:\.\d+)*$/, 'nodejs'],
  [/^(?:llvm(?:-toolchain|-project-source)?-?\d*(?:\.\d+)*|clang-?\d+(?:\.\d+)*)$/, 'llvm'],
  [/^sqlite-?3$/, 'sqlite'],
  [/^(?:compat-)?openssl-?(?:\d+(?:\.\d+)*|\d{3})(?:-compat)?$/, 'openssl'],
  [/^libressl-?\d+(?:\.\d+)*$/, 'libressl'],
  [/^samba-?4$/, 'samba'],
  [/^squid-?3$/, 'squid'],
  [/^qt-?[3-6](?:base|-x11.*|-opensource.*)?$|^q?t?qtbase(?:-opensource-src.*)?$/, 'qt'],
]

/** Only among packages of distributions is a kernel the one of Linux: `kernel` is a part of many systems. */
const FAMILIES_OF_DISTRIBUTIONS: typeof FAMILIES = [
  [
    /^kernel-(?:\d[\d.]*(?:$|-.*)|(?:default|rt|core|modules|devel|headers|uek|64k|ml|lt|azure|preempt|source|image|syms|debug|obs-build|pae|kvmsmall|zfcpdump|desktop|server|linus|vanilla|longterm|lpae|hci|mshv|module-kmp-default|module-imx-gpu-viv|devicetree)(?:$|-.*))$/,
    'linux',
  ],
  // Amazon's `kernel6.12`, Alpine's and Photon's flavours, Proxmox, NVIDIA's Jetson.
  [
    /^(?:kernel\d[\d.]*|linux-(?:edge|elm|openpax|asahi|esx|secure)|(?:pve|proxmox)-kernel(?:-.*)?|nvidia-l4t-kernel)$/,
    'linux',
  ],
  [/^kernel$/, 'linux'],
]

/** Words that packagers add to a name, or put before it, and what is left without them. */
const ADDED: readonly (readonly [RegExp, string])[] = [
  [
    /^(.+?)[-_.+](?:dfsg|snapshot|nonfree|legacy|stable|unstable|opensource|ose|community|server|static|minimal|full|light|tiny|mini|selinux|ssl|x11|nox|mingw-w64|bare-metal|gnutls|mbedtls|wolfssl|openssl)$/,
    '$1',
  ],
  // Apache's modules, and libraries of X.Org in Buildroot.
  [/^libapache2?-(mod-.+)$/, '$1'],
  [/^x(?:lib|app|driver|font|server|data)_(.+)$/, '$1'],
  [/^gst1-(.+)$/, 'gst-$1'],
]

/** Parts of what a package is built of: they are the software also where its name is that of a language. */
const PARTS: typeof ADDED = [
  [/^(.+?)[-_.+](?:src|source|bin|binary|headers|libs|library|cross|final)$/, '$1'],
  // Red Hat's collections of software: `rh-python38-python-libs`, `python27-python`.
  [/^(?:rh-)?([a-z]+)\d[\d.]*-(\1(?:-libs)?)$/, '$2'],
]

/**
 * Words that are other things beside the program: what is added to a language is a module for it (`python-debian`, `ruby-text`,
 * `tcl-tls`, `ocaml-ssl`), and the headers of a kernel are none.
 */
const LANGUAGE =
  /^(?:(?:platform-)?python|pypy|ruby|perl|php|lua|luajit|tcl|tk|ocaml|erlang|elixir|haskell|ghc|rust|rustc|node|nodejs|golang|go|java|openjdk|scala|kotlin|groovy|clojure|r|r-cran|julia|swift|dart|guile|mono|dotnet|js|javascript)-?[\d.]*$/
const NO_WHOLE = /^(?:linux|kernel|linux[-_]kernel|gnu|lib|x|x11|html|xml|json|http|web|net|mod)$/

/** Modules of a language: the name that is left may as well be the library in C that they bind. */
const OF_LANGUAGE: readonly RegExp[] = [
  /^lib(.+?)-(?:perl|java|ruby|php|ocaml|javascript)\d*$/,
  /^php\d*-(?:pecl|pear|mod)-(.+)$/,
  /^(?:python[23]?|pypy3?|ruby|rubygem|node|nodejs|php\d*|perl|golang|rust|lua|ocaml|haskell|r-cran|libjs|libphp)-(.+)$/,
]

/** NVD's vendor of modules of Python whose maker it does not know. */
const PYTHON_MODULE = /^python[23]?-(.+)$/

/** `-8`, `3.2`, `-legacy-340xx`: a version at the end of the name. */
const VERSION_AT_END = /[-_.]?v?\d+(?:\.\d+)*(?:g|xx)?$/i

/** Groups of product names in the order in which they are tried. */
export function listSpellings(packageName: string): SpellingGroup[] {
  const name = packageName.toLowerCase()
  const bare = withoutVersion(name)
  return distinctGroups([
    [...written(name), ...findFamily(name)],
    [...withVendor(name), ...ofPython(name)],
    bare === undefined ? [] : versioned(name, bare),
    [name, ...(bare === undefined ? [] : [bare])].flatMap((one) => withoutAddition(name, one)),
    otherLib(name),
    ofLanguage(name),
  ])
}

/** Records write `-` and `_` as they like. */
function written(name: string, rule?: string): Spelling[] {
  return [...new Set([name, name.replaceAll('-', '_'), name.replaceAll('_', '-')])].map(
    (product) => ({ product, ...(rule !== undefined && { rule }) }),
  )
}

/** The members of the family that the name belongs to; none for most names. */
function findFamily(name: string): Spelling[] {
  return findMembers(name, FAMILIES)
}

/** As `listSpellings`, for a package of a distribution. */
export function listFamily(name: string): Spelling[] {
  return findMembers(name, [...FAMILIES, ...FAMILIES_OF_DISTRIBUTIONS])
}

function findMembers(name: string, families: typeof FAMILIES): Spelling[] {
  const family = families.find(([pattern]) => pattern.test(name))?.[1]
  return family === undefined || family === name
    ? []
    : written(family, `${name} is a version of ${family}`)
}

/** The products of the alias table that a bare name means, by itself or as a member of a family. */
export function findAliases(name: string): readonly ProductAliases[] {
  const spellings = [name, name.replaceAll('_', '-')]
  for (const product of [...spellings, ...findFamily(name).map((member) => member.product)]) {
    const products = findAliasedProducts(`cpe:*:${product}`)
    if (products.length > 0) return products
  }
  return []
}

/** Whether packages of the name have the versions of Linux: the kernel, and what is built from its sources. */
export function isKernelName(packageName: string): boolean {
  const name = packageName.toLowerCase()
  return /^linux(?:[-_]kernel)?$/.test(name) || findMembers(name, FAMILIES)[0]?.product === 'linux'
}

/** Whether the name means one product, whoever supplies it; any other may be a product of whoever is stated. */
export function isKnownName(packageName: string): boolean {
  const name = packageName.toLowerCase()
  return findAliases(name).length === 1 || CURATED_NAMES.has(name)
}

/** `gnome-power-manager` is the product power_manager of the vendor gnome. */
function withVendor(name: string): Spelling[] {
  return [...name.matchAll(/[-_]/g)].slice(0, 3).flatMap(({ index }) => {
    const vendor = name.slice(0, index)
    const rule = `${name} is the vendor’s name and the product’s`
    return written(name.slice(index + 1), rule).map((spelling) => ({ ...spelling, vendor }))
  })
}

/** A module that NVD knows under the vendor python is known under its maker, too: `python:certifi`, `certifi:certifi`. */
function ofPython(name: string): Spelling[] {
  const module = PYTHON_MODULE.exec(name)?.[1]
  if (module === undefined) return []
  const rule = `${name} is a module of a language for ${module}, or binds it`
  return [
    ...written(`python-${module}`),
    ...written(module, rule).map((spelling) => ({ ...spelling, isGuess: true })),
  ]
}

function versioned(name: string, bare: string): Spelling[] {
  return written(bare, `${name} is ${bare} with its version`).map((spelling) => ({
    ...spelling,
    isWithoutVersion: true,
  }))
}

/** The name without a version at its end; undefined where it has none. */
export function withoutVersion(name: string): string | undefined {
  const bare = name.replace(VERSION_AT_END, '')
  return bare === name || bare.length < 2 ? undefined : bare
}

function withoutAddition(name: string, of: string): Spelling[] {
  return [...ADDED, ...PARTS].flatMap((rule) => {
    const [pattern, replacement] = rule
    const bare = of.replace(pattern, replacement)
    if (bare === of || NO_WHOLE.test(bare)) return []
    if (LANGUAGE.test(bare) && !PARTS.includes(rule)) return []
    return withAndWithoutVersion(bare).flatMap((one) =>
      written(one, `${name} is ${one} with the packager’s addition`).map((spelling) => ({
        ...spelling,
        // Three letters are the name of many things.
        ...(one.length < 4 && !isKnownName(one) && { isGuess: true }),
      })),
    )
  })
}

function otherLib(name: string): Spelling[] {
  if (name.startsWith('lib'))
    return name.length < 5
      ? []
      : withAndWithoutVersion(name.slice('lib'.length)).flatMap((one) =>
          written(one, `${name} is the library of ${one}`),
        )
  return name.length < 2 ? [] : written(`lib${name}`, `${name} is built from lib${name}`)
}

function ofLanguage(name: string): Spelling[] {
  const bare = OF_LANGUAGE.map((pattern) => pattern.exec(name)?.[1]).find(
    (one) => one !== undefined,
  )
  if (bare === undefined) return []
  return withAndWithoutVersion(bare).flatMap((one) =>
    written(one, `${name} is a module of a language for ${one}, or binds it`).map((spelling) => ({
      ...spelling,
      isGuess: true,
    })),
  )
}

function withAndWithoutVersion(name: string): string[] {
  const bare = withoutVersion(name)
  return bare === undefined ? [name] : [name, bare]
}

function distinctGroups(groups: readonly SpellingGroup[]): SpellingGroup[] {
  const seen = new Set<string>()
  return groups
    .map((group) =>
      group.filter(({ product, vendor = '' }) => {
        const id = `${vendor}:${product}`
        return !seen.has(id) && seen.add(id)
      }),
    )
    .filter((group) => group.length > 0)
}
