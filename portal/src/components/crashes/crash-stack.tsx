/** Where a device was when it crashed: a frame a line, the innermost first. */
import type { CrashReport, SourceLine } from '@plimsoll/api-client'
import { CopyText } from '../copy-text.tsx'
import css from './crashes.module.css'

type Frame = CrashReport['frames'][number]

const KINDS: Record<Frame['kind'], string> = {
  ProgramCounter: 'stopped at',
  LinkRegister: 'link register',
  ReturnAddress: 'called by',
}

export function CrashStack({ report }: { report: CrashReport }) {
  const { frames, notResolved, buildId } = report
  if (frames.length === 0)
    return <p className={css['note']}>The device told no address of this crash.</p>
  return (
    <>
      <ol className={css['stack']}>
        {frames.map((frame, at) => (
          <li key={`${frame.kind} ${frame.address} ${at}`}>
            <span>{KINDS[frame.kind]}</span>
            <code>{frame.address}</code>
            <FrameLines frame={frame} />
          </li>
        ))}
      </ol>
      {notResolved !== null && <NotResolved reason={notResolved} buildId={buildId} />}
    </>
  )
}

function FrameLines({ frame: { lookup, lines } }: { frame: Frame }) {
  if (lookup === null) return <em>outside of the image</em>
  if (lines === null) return <em>not looked up yet</em>
  if (lines.length === 0) return <em>not in the debug information</em>
  return (
    <div>
      {lines.map((line, at) => (
        <p key={`${line.function ?? ''} ${line.file ?? ''} ${at}`}>
          <strong>{line.function ?? 'a function without a name'}</strong>{' '}
          <code>{describePlace(line)}</code>
          {at < lines.length - 1 && ' inlined into'}
        </p>
      ))}
    </div>
  )
}

function describePlace({ file, line }: SourceLine): string {
  if (file === null) return ''
  return line === null ? file : `${file}:${line}`
}

/** The command runs where the ELF file is, which never leaves the team. */
function NotResolved({ reason, buildId }: { reason: string; buildId: string | null }) {
  const named = buildId === null || /^[0-9a-f]+$/.test(buildId) ? '' : ` --build-id ${buildId}`
  const command = `plimsoll crash resolve --elf FILE${named}`
  return (
    <div className={css['resolve']}>
      <p>
        Not resolved: {reason}.
        {buildId !== null &&
          ' Who has the ELF file of the build names the lines; the file itself is not sent:'}
      </p>
      {buildId !== null && (
        <p>
          <code>{command}</code> <CopyText text={command} label="the command" />
        </p>
      )}
    </div>
  )
}
