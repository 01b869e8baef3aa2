/** The form of package URLs and CPE names. */
import { quote, type Warnings } from './warnings.ts'

/** Type, optional namespace and name, as every package URL has them (ECMA-427). */
const PACKAGE_URL = /^pkg:\/{0,2}[a-z][a-z0-9.+-]*\/(?:[^?#]*\/)?[^/?#@][^/?#]*(?:[?#]|$)/i
const CPE_22 = /^cpe:\/[aoh]?/i
const CPE_23 = /^cpe:2\.3:(?:[aoh*-]):/

/** Checks only the form of purl and CPE; matching says whether they can be matched. */
export function checkIdentifiers(
  purl: string | undefined,
  cpes: readonly string[],
  faults: Warnings,
  where: () => string,
): void {
  if (purl !== undefined && !PACKAGE_URL.test(purl))
    faults.add('Not a package URL', `${where()} (${quote(purl)})`)
  for (const cpe of cpes)
    if (!CPE_22.test(cpe) && !CPE_23.test(cpe))
      faults.add('Not a CPE name', `${where()} (${quote(cpe)})`)
}
