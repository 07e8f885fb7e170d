/** Short messages at the foot of the page, read out by screen readers: "Saved, version 2 · Undo". */
import { useSyncExternalStore } from 'react'
import { t } from '../words/words.ts'

export type Notice = {
  readonly text: string
  readonly isError?: boolean
  /** One thing to do about it. */
  readonly act?: { readonly label: string; run(): void }
}

const shownMs = 8_000
const changes = new EventTarget()
let shown: Notice | undefined
let ends: ReturnType<typeof setTimeout> | undefined

function show(next: Notice | undefined): void {
  shown = next
  clearTimeout(ends)
  if (next && !next.isError) ends = setTimeout(() => show(undefined), shownMs)
  changes.dispatchEvent(new Event('change'))
}

export function notify(notice: Notice): void {
  show(notice)
}

/** The server's own sentence, or that it cannot be reached. */
export function notifyError(error: unknown): void {
  show({ text: error instanceof Error ? error.message : String(error), isError: true })
}

/** Puts the text on the clipboard, and says so. */
export function copyText(text: string): void {
  void navigator.clipboard?.writeText(text).then(() => notify({ text: t('copied') }))
}

function listen(call: () => void): () => void {
  changes.addEventListener('change', call)
  return () => changes.removeEventListener('change', call)
}

export function Notices() {
  const notice = useSyncExternalStore(listen, () => shown)
  return (
    <div className="notices" role={notice?.isError ? 'alert' : 'status'}>
      {notice && (
        <p className={notice.isError ? 'notice error' : 'notice'}>
          <span>{notice.text}</span>
          {notice.act && (
            <button
              type="button"
              className="plain"
              onClick={() => {
                const { act } = notice
                show(undefined)
                act?.run()
              }}
            >
              {notice.act.label}
            </button>
          )}
          <button type="button" className="plain close" aria-label="✕" onClick={() => show(undefined)}>
            ✕
          </button>
        </p>
      )}
    </div>
  )
}
