/** A dialog above the page. The browser keeps the focus in it, and Escape closes it. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { t } from '../words/words.ts'

type SheetProps = {
  readonly label: string
  readonly children: ReactNode
  /** It asks before something that cannot be undone. */
  readonly isAlert?: boolean
  onClose(): void
}

export function Sheet({ label, children, isAlert = false, onClose }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // The focus goes back where it was only while the element is still in the page.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      role={isAlert ? 'alertdialog' : undefined}
      className="modal sheet"
      aria-label={label}
      onCancel={onClose}
    >
      <h2>{label}</h2>
      {children}
    </dialog>
  )
}

/** The end of a form in a sheet. */
export function SubmitOrCancel({ label, onClose }: { readonly label: string; onClose(): void }) {
  return (
    <div className="tools">
      <button type="submit" className="main">
        {label}
      </button>
      <button type="button" onClick={onClose}>
        {t('cancel')}
      </button>
    </div>
  )
}
