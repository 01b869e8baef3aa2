/**
 * Whether a name is of the form that a registry gives its packages. A name of another form is in no record, whatever its package
 * is called there: silence about it says nothing. Names are compared as in keys, where case and separators are folded already.
 */

const WORD = /^[\w.-]+$/
const PAIR = /^[\w.-]+\/[\w.-]+$/

const FORMS: Readonly<Record<string, RegExp>> = {
  // https://doc.rust-lang.org/cargo/reference/manifest.html#the-name-field
  cargo: /^[a-z_][\w-]*$/i,
  // https://getcomposer.org/doc/04-schema.md#name
  composer: PAIR,
  cran: /^[a-z][a-z\d.]*$/i,
  gem: WORD,
  // The first element of a path that can be fetched has a dot (https://go.dev/ref/mod#go-mod-file-ident).
  golang: /^(?:[^/\s]*[^/\s.]\.[^/\s]+(?:\/[^/\s]+)*|stdlib|toolchain)$/,
  hackage: /^[a-z\d][a-z\d-]*$/i,
  hex: /^(?:[\w-]+\/)?[a-z]\w*$/,
  // https://maven.apache.org/pom.html#maven-coordinates: group and artifact
  maven: PAIR,
  // https://docs.npmjs.com/cli/v11/configuring-npm/package-json#name
  npm: /^(?:@[a-z\d~._-]+\/)?[a-z\d~_-][a-z\d~._-]*$/,
  nuget: WORD,
  // https://dart.dev/tools/pub/pubspec#name
  pub: /^[a-z_][a-z\d_]*$/,
  // https://packaging.python.org/en/latest/specifications/name-normalization/
  pypi: /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/,
  // The address of the repository.
  swift: /^[^/\s]+\.[^/\s]+(?:\/[^/\s]+)+$/,
}

/** `key` is `purl:npm/lodash`. */
export function isOfRegistryForm(key: string): boolean {
  const [, type = '', path = ''] = /^purl:([^/]+)\/(.*)$/s.exec(key) ?? []
  return (FORMS[type] ?? /^\S+$/).test(path)
}
