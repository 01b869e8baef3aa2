/**
 * Versions as the records of a product write them, where that is not as the product's maker does. Recipes state the same facts as
 * CVE_VERSION (cve-check.bbclass).
 */

interface WrittenVersion {
  keys: RegExp
  /** `bounds` are the versions that the record states. */
  write: (version: string, bounds: readonly string[]) => string
}

const KERBEROS_PREFIX = /^5-(?=\d)/

const WRITTEN: readonly WrittenVersion[] = [
  {
    // One CPE for Kerberos 4 and 5: release 1.17 of Kerberos 5 is 5-1.17, and 4.0 is of Kerberos 4.
    keys: /^(?:cpe:mit:kerberos|name:mit\/kerberos)$/,
    write: (version) => (version.startsWith('1.') ? `5-${version}` : version),
  },
  {
    // Most records write 1.17, some 5-1.17.
    keys: /^(?:cpe:mit:(?:kerberos_5|krb5)|name:mit\/(?:kerberos_5|krb5))$/,
    write: (version, bounds) => {
      const release = version.replace(KERBEROS_PREFIX, '')
      return bounds.some((bound) => KERBEROS_PREFIX.test(bound)) ? `5-${release}` : release
    },
  },
  {
    // Berkeley DB 5.3.28 is 11.2.5.3.28, of Oracle's release 11gR2; 6.0 and 6.1 are of 12cR1.
    keys: /^cpe:oracle:berkeley_db$/,
    write: (version) =>
      version.startsWith('5.')
        ? `11.2.${version}`
        : /^6\.[01]\./.test(version)
          ? `12.1.${version}`
          : version,
  },
]

/** The version of a package as a record with this key writes it. */
export function spellVersionForRecord(
  key: string,
  version: string,
  bounds: readonly string[],
): string {
  const written = WRITTEN.find(({ keys }) => keys.test(key))
  return written === undefined ? version : written.write(version, bounds)
}
