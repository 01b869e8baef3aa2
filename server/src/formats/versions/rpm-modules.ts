/**
 * Modules of Red Hat Enterprise Linux and its rebuilds: packages of one name in several streams, which are repaired apart
 * (https://docs.fedoraproject.org/en-US/modularity/). The release of a build tells that it belongs to one:
 * `1:12.22.5-1.module_el8.4.0+2529+af52a4c7`.
 */
const MODULE = /\.module[+_](el|fc)[\w.]*(?:\+\d+)?(?:\+[0-9a-f]{8})?/

export function isModular(version: string): boolean {
  return MODULE.test(version)
}

/** Without the marks of the module's build: a module that is built again has the same packages. */
export function withoutModule(version: string): string {
  return version.replace(MODULE, '')
}

/**
 * Whether a build can be of the stream to which a fix belongs. A build outside of modules is of none. Of builds in modules
 * only the version tells the stream, where it begins with the stream's name: 12.22.5 is of `nodejs:12`.
 */
export function canBeOfModule(
  version: string,
  { fixed, module }: { fixed: string; module: string | undefined },
): boolean {
  const isBuild = /\.(?:el|fc)\d/.test(version)
  if (isModular(version) !== isModular(fixed)) return !isBuild && !isModular(version)
  const stream = /:(\d+(?:\.\d+)*)$/.exec(module ?? '')?.[1]
  if (stream === undefined || !begins(fixed, stream)) return true
  return begins(version, stream)
}

function begins(version: string, stream: string): boolean {
  const upstream = version.replace(/^\d+:/, '')
  return upstream.startsWith(stream) && !/^\d/.test(upstream.slice(stream.length))
}
