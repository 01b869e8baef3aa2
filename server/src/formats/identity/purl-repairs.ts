/** Purls whose name or version tools write in a way that no record has. Names of one package are in ../purl-names.ts. */
import { normaliseNamePath } from '../purl-names.ts'
import type { Purl } from '../purl.ts'

type Parts = Pick<Purl, 'type' | 'namespace' | 'name' | 'version'>
type PurlName = Pick<Parts, 'namespace' | 'name' | 'version'>

/** Name and version as the registry has them. */
export function repairPurlParts({ type, namespace, name, version }: Parts): PurlName {
  const stated = { namespace, name, version }
  return (REPAIRS[type] ?? versionOutOfName)(stated)
}

const REPAIRS: Readonly<Record<string, (stated: PurlName) => PurlName>> = {
  npm: ofAlias,
  golang: ofGo,
  gem: (stated) => {
    const { version, ...named } = versionOutOfName(stated)
    return { ...named, version: version?.replace(GEM_PLATFORM, '') }
  },
  // `17.2.0-8`: Bitnami's build of a release, in its VERSION-REVISION (https://github.com/bitnami/go-version).
  bitnami: (stated) => ({ ...stated, version: stated.version?.replace(/-r?\d{1,3}$/, '') }),
  conan: ofConan,
  // Upstream's own forms, and names of files.
  generic: (stated) => stated,
  deb: (stated) => stated,
  rpm: (stated) => stated,
  oci: (stated) => stated,
}

/** `Serilog%402.10.0`: the whole text encoded as the name. No name of a registry holds a version. */
function versionOutOfName(stated: PurlName): PurlName {
  const [, name, version] = /^(.+)@v?(\d[^@]*)$/.exec(stated.name) ?? []
  return name === undefined || stated.version !== undefined ? stated : { ...stated, name, version }
}

/** `alias@npm:name@1.2`, an alias of package.json (https://docs.npmjs.com/cli/v11/using-npm/package-spec#aliases). */
function ofAlias(stated: PurlName): PurlName {
  const { namespace, name, version } = stated
  const path = namespace === undefined ? name : `${namespace}/${name}`
  const text = version === undefined ? path : `${path}@${version}`
  const meant = /(?:^|@)npm:(.+)$/.exec(text)?.[1]
  if (meant === undefined) return versionOutOfName(stated)
  const [, scope, own = meant, number] = /^(?:(@[^/]+)\/)?([^/@]+)(?:@(.+))?$/.exec(meant) ?? []
  return { namespace: scope, name: own, version: number }
}

const GO_ITSELF = new Set(['go', 'stdlib', 'toolchain'])

/**
 * Go's own versions are `go1.20.1`, in programs with what else they were built by: `go1.20.1 X:boringcrypto`; the toolchain of a
 * module is `v0.0.1-go1.21.3.linux-amd64` (https://go.dev/doc/toolchain).
 */
function ofGo(stated: PurlName): PurlName {
  const { namespace, name, version } = stated
  if (!GO_ITSELF.has(normaliseNamePath('golang', stated))) return versionOutOfName(stated)
  const own = version
    ?.replace(/^v0\.0\.1-(go\d[\w.]*)\.\w+-\w+$/, '$1')
    .replace(/^(?:go|v)(?=\d)/i, '')
    .replace(/[\s+]X:.*$|[ +]\S*boringcrypto.*$|-(?:fips|boring)\S*$/i, '')
  return { namespace, name, version: own }
}

/**
 * A gem that holds machine code has its platform behind the version: `1.15.4-x86_64-linux-gnu`, `1.2.3-java`
 * (https://docs.ruby-lang.org/en/3.4/Gem/Platform.html). Of a version of a gem, what follows a hyphen would be a pre-release.
 */
const GEM_PLATFORM =
  /-(?:java|jruby|ruby|mswin(?:32|64)?|mingw(?:32|-ucrt)?|(?:x86|x64|x86_64|i[3-6]86|amd64|aarch64|arm64|arm(?:v\d\w*)?|universal|powerpc|ppc64(?:le)?|s390x|riscv64|loongarch64)-\w.*)$/i

/** `openssl/3.0.0@user/channel`, as a recipe is referred to (https://docs.conan.io/2/reference). */
function ofConan(stated: PurlName): PurlName {
  const [name, version] = [...(stated.namespace?.split('/') ?? []), ...stated.name.split('/')]
  if (name === undefined || version === undefined || !/^\d/.test(version))
    return versionOutOfName(stated)
  return { namespace: undefined, name, version: version.replace(/@.*$/s, '') }
}
