/**
 * One spelling of the name of a package of a registry, where the registry or its tools know several: what joins the records of a
 * package and the components of an SBOM (`formatPurlKey`). It tells nothing of the version.
 */

type Path = Readonly<{ namespace: string | undefined; name: string }>

/**
 * Modules of Go's own: its database names `stdlib` and `toolchain` (https://go.dev/doc/security/vuln/database#schema); `std` and
 * `cmd` are the modules of the source tree (https://go.dev/ref/mod#glos-main-module, src/go.mod, src/cmd/go.mod), which
 * cyclonedx-gomod writes with the packages below them.
 */
const GO_ITSELF: readonly (readonly [RegExp, string])[] = [
  [/^(?:std|stdlib)(?:\/.*)?$/, 'stdlib'],
  [/^(?:cmd|toolchain)(?:\/.*)?$/, 'toolchain'],
  [/^(?:go|golang|golang\.org\/(?:go|toolchain)|github\.com\/golang\/go)$/, 'go'],
]

/** Modules that hold all packages below them; of others, a path below may be a module of its own. */
const GO_SUB_REPOSITORY =
  /^(golang\.org\/x\/(?:arch|image|mod|net|oauth2|sync|sys|term|text|time))\/.+$/

/** Names by purl type; other types have one spelling. */
const SPELLINGS: Readonly<Record<string, (path: Path) => string>> = {
  // PEP 503 treats runs of `-`, `_` and `.` as one; PEP 508 writes extras behind the name.
  pypi: (path) =>
    joined(path)
      .toLowerCase()
      .replace(/\[.*\]$/, '')
      .replace(/[-_.]+/g, '-'),
  // A name without scope has no slash (https://docs.npmjs.com/cli/v11/using-npm/scope): some tools lose the @.
  npm: ({ namespace, name }) =>
    joined({ namespace: namespace?.replace(/^@?/, '@'), name }).toLowerCase(),
  golang: (path) => goModule(joined(path).toLowerCase()),
  // crates.io takes `-` and `_` for one, and ignores case (https://doc.rust-lang.org/cargo/reference/registry-index.html).
  cargo: (path) => joined(path).toLowerCase().replaceAll('_', '-'),
  // The form of Maven's own tools; and a directory of a repository.
  maven: ({ namespace, name }) => {
    const [artifact = '', group] = name.split(':').toReversed()
    return joined({ namespace: (namespace ?? group)?.replaceAll('/', '.'), name: artifact })
  },
  nuget: (path) => joined(path).toLowerCase(),
  conan: (path) => joined(path).toLowerCase(),
  conda: (path) => joined(path).toLowerCase(),
  // Swift and forges: addresses of repositories.
  swift: (path) => ofRepository(joined(path).toLowerCase()),
  github: (path) => ofRepository(joined(path)),
  gitlab: (path) => ofRepository(joined(path)),
  bitbucket: (path) => ofRepository(joined(path)),
}

/** The path of a package in one spelling. */
export function normaliseNamePath(type: string, path: Path): string {
  return (SPELLINGS[type] ?? joined)(path)
}

function joined({ namespace, name }: Path): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** A proxy of modules writes `!a` for `A` (https://go.dev/ref/mod#goproxy-protocol). */
function goModule(path: string): string {
  const plain = path.replace(/!(?=[a-z])/g, '')
  const itself = GO_ITSELF.find(([pattern]) => pattern.test(plain))?.[1]
  return itself ?? plain.replace(GO_SUB_REPOSITORY, '$1')
}

function ofRepository(path: string): string {
  return path.replace(/\.git$/, '')
}
