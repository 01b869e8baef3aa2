/** What an SBOM says a component is there for, in words. */
const WORDS: Readonly<Record<string, string>> = {
  required: 'shipped',
  optional: 'optional',
  build: 'build only',
  dev: 'development only',
  test: 'tests only',
  excluded: 'not shipped',
  external: 'from outside',
}

export const describeScope = (scope: string): string => WORDS[scope] ?? scope
