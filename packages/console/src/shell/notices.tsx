/** Short messages at the foot of the page, read out by screen readers: "Saved, version 2 · Undo". */

import { useSyncExternalStore } from 'react'
import { onAddress, tenantHere } from '../address/router.ts'
import { onView } from '../api/viewing.ts'
import { t } from '../words/words.ts'
import { sayError } from './form-errors.ts'
import { isShortcut, useKey } from './use-key.ts'

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
  release()
  changes.dispatchEvent(new Event('change'))
}

/** It stays as long as a person points at it or has the focus in it. */
function hold(): void {
  clearTimeout(ends)
}

function release(): void {
  clearTimeout(ends)
  if (shown && !shown.isError) ends = setTimeout(() => show(undefined), shownMs)
}

export function notify(notice: Notice): void {
  show(notice)
}

export function dismiss(): void {
  show(undefined)
}

/** An undo is a request in the view and in the tenant of its edit: it is not offered in others. */
let tenant = tenantHere()
onView(dismiss)
onAddress(() => {
  if (tenantHere() === tenant) return
  tenant = tenantHere()
  dismiss()
})

/** The server's own sentence, or that it cannot be reached. */
export function notifyError(error: unknown): void {
  show({ text: sayError(error), isError: true })
}

/** Puts the text on the clipboard, and says so. */
export function copyText(text: string): void {
  void navigator.clipboard?.writeText(text).then(() => notify({ text: t('copied') }))
}

function listen(call: () => void): () => void {
  changes.addEventListener('change', call)
  return () => changes.removeEventListener('change', call)
}

/** Does what the message offers. */
function runAct(): void {
  const act = shown?.act
  show(undefined)
  act?.run()
}

const isUndo = isShortcut('z')

/** An input has a Ctrl-Z of its own. */
function isUndoOfPage(event: KeyboardEvent): boolean {
  const isTyping = /INPUT|TEXTAREA|SELECT/.test((event.target as HTMLElement).tagName)
  return isUndo(event) && shown?.act !== undefined && !isTyping
}

export function Notices() {
  const notice = useSyncExternalStore(listen, () => shown)
  useKey(isUndoOfPage, runAct)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it waits while a person is in it
    <div
      className="notices"
      role={notice?.isError ? 'alert' : 'status'}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      {notice && (
        <p className={notice.isError ? 'notice error' : 'notice'}>
          <span>{notice.text}</span>
          {notice.act && (
            <button type="button" className="plain" title="Ctrl Z" aria-keyshortcuts="Control+Z" onClick={runAct}>
              {notice.act.label}
            </button>
          )}
          <button type="button" className="plain close" aria-label={t('close')} onClick={dismiss}>
            ✕
          </button>
        </p>
      )}
    </div>
  )
}
