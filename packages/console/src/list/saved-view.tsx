/** One saved view in the panel: it opens, and has a new name or goes where the person may do that. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Sheet } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'

type RenameProps = { readonly name: string; onRename(name: string): void; onDone(): void }

function RenameForm({ name, onRename, onDone }: RenameProps) {
  const [typed, setTyped] = useState(name)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  function submit(event: FormEvent): void {
    event.preventDefault()
    const next = typed.trim()
    if (next && next !== name) onRename(next)
    onDone()
  }
  return (
    <form onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && onDone()}>
      <input
        ref={input}
        aria-label={t('newNameOf', { name })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit">{t('save')}</button>
      <button type="button" onClick={onDone}>
        {t('cancel')}
      </button>
    </form>
  )
}

type RemoveProps = { readonly name: string; onRemove(): void; onClose(): void }

function RemoveSheet({ name, onRemove, onClose }: RemoveProps) {
  return (
    <Sheet label={t('removeView', { name })} isAlert onClose={onClose}>
      <p>{t('removeViewHow')}</p>
      <div className="tools">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" onClick={onRemove}>
          {t('delete')}
        </button>
      </div>
    </Sheet>
  )
}

type SavedViewProps = {
  readonly name: string
  /** The person who shares it. */
  readonly children?: ReactNode
  /** Others lose it too, so its removal asks first. */
  readonly isShared?: boolean
  readonly onRename?: ((name: string) => void) | undefined
  readonly onRemove?: (() => void) | undefined
  onShow(): void
}

export function SavedView({ name, children, isShared = false, onRename, onRemove, onShow }: SavedViewProps) {
  const [doing, setDoing] = useState<'rename' | 'remove'>()
  const rename = useRef<HTMLButtonElement>(null)
  function done(): void {
    setDoing(undefined)
    requestAnimationFrame(() => rename.current?.focus())
  }
  if (doing === 'rename' && onRename)
    return (
      <li>
        <RenameForm name={name} onRename={onRename} onDone={done} />
      </li>
    )
  return (
    <li>
      <button type="button" className="plain" onClick={onShow}>
        {name}
      </button>
      {children && <span className="quiet">{children}</span>}
      {onRename && (
        <button
          ref={rename}
          type="button"
          className="plain"
          aria-label={t('renameView', { name })}
          onClick={() => setDoing('rename')}
        >
          ✎
        </button>
      )}
      {onRemove && (
        <button
          type="button"
          className="plain"
          aria-label={t('removeView', { name })}
          onClick={() => (isShared ? setDoing('remove') : onRemove())}
        >
          ✕
        </button>
      )}
      {doing === 'remove' && onRemove && (
        <RemoveSheet
          name={name}
          onClose={() => setDoing(undefined)}
          onRemove={() => {
            setDoing(undefined)
            onRemove()
          }}
        />
      )}
    </li>
  )
}
