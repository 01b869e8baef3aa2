/** A command of the service's operator, by the name that it has where this build runs. */
export function AdminCommand({ command }: { command: string }) {
  return (
    <code>
      {PROGRAM} {command}
    </code>
  )
}

const named: unknown = import.meta.env['VITE_PLIMSOLL_ADMIN']
/** A release has a program, the sources have an npm script. */
const PROGRAM = typeof named === 'string' ? named : 'npm run admin --'
