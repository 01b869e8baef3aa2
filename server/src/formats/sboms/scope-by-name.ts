/** Tells by name which components do not ship (docs/design/matching.md, parsing). */
import type { ComponentScope } from './model.ts'

/** OpenEmbedded's recipes for the build machine: zlib-native, gcc-cross-arm, nativesdk-qemu. */
const BUILD_MACHINE_NAME =
  /^nativesdk-|-native$|-cross(?:sdk|-initial|-canadian)?(?:-[A-Za-z0-9_]+)?$/
/** In other ecosystems the same endings ship: pkg:npm/react-native. */
const OPENEMBEDDED_PURL = /^pkg:(?:yocto|openembedded|oe|bitbake|generic)\//i

export function buildScopeByName(
  name: string,
  purl: string | undefined,
): ComponentScope | undefined {
  if (!BUILD_MACHINE_NAME.test(name)) return undefined
  return purl === undefined || OPENEMBEDDED_PURL.test(purl) ? 'build' : undefined
}
