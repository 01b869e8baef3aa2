/** Operating systems on which a flaw exists only, as CPE names: platforms of a statement. */

/** How the CVE List and Go's database call systems, and their vendor and product. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:microsoft )?windows\b/, 'microsoft:windows'],
  [/^(?:apple )?(?:mac ?os(?: ?x)?\b|darwin$)/, 'apple:macos'],
  [/^(?:apple )?(?:ios|ipados)\b/, 'apple:iphone_os'],
  [/^(?:gnu\/)?linux\b/, 'linux:linux_kernel'],
  [/^(?:google )?android\b/, 'google:android'],
  [/^freebsd\b/, 'freebsd:freebsd'],
  [/^netbsd\b/, 'netbsd:netbsd'],
  [/^openbsd\b/, 'openbsd:openbsd'],
  [/^(?:oracle )?solaris\b/, 'oracle:solaris'],
  [/^plan9$/, 'bell_labs:plan_9'],
]
/** They say which processors have the flaw, and nothing of the system. */
const PROCESSOR =
  /^(?:(?:32|64)[- ]?bit(?: systems)?|x86(?:[-_]64)?|x64(?:-based systems)?|amd64|arm(?:64)?(?:-based systems)?)$/

/** Undefined where a name may be of anything else, and where none is of a system. */
export function readSystemPlatforms(names: readonly string[]): string[] | undefined {
  const systems = names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !PROCESSOR.test(name))
    .map((name) => SYSTEMS.find(([pattern]) => pattern.test(name))?.[1])
  if (systems.length === 0 || systems.includes(undefined)) return undefined
  return [...new Set(systems)].map((system) => `cpe:2.3:o:${String(system)}:*:*:*:*:*:*:*:*`)
}
