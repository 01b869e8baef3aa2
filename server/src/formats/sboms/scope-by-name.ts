/** Which components do not ship, told by their names (DESIGN 5.1). */
import type { ComponentScope } from './model.ts'

/** OpenEmbedded's recipes for the machine that builds: zlib-native, gcc-cross-arm, nativesdk-qemu. */
const BUILD_MACHINE_NAME =
  /^nativesdk-|-native$|-cross(?:sdk|-initial|-canadian)?(?:-[A-Za-z0-9_]+)?$/
/** Elsewhere the same endings mean something that ships: pkg:npm/react-native. */
const OPENEMBEDDED_PURL = /^pkg:(?:yocto|openembedded|oe|bitbake|generic)\//i

export function buildScopeByName(
  name: string,
  purl: string | undefined,
): ComponentScope | undefined {
  if (!BUILD_MACHINE_NAME.test(name)) return undefined
  return purl === undefined || OPENEMBEDDED_PURL.test(purl) ? 'build' : undefined
}
