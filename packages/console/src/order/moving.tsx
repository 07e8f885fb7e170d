/** Rows that people order, where the list is in that order: by dragging, by keys, or in a dialog. */
import type { ResourceDescription } from 'bindery-server/client'
import { type ReactNode, useMemo, useState } from 'react'
import { type MoveTo, moveRecord, orderOf } from '../api/moves.ts'
import type { Row } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import type { RowMoves } from '../grid/grid-column.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'

type Ordered = { readonly rows: readonly Row[]; readonly sort: string }
type Asked = { readonly row: number; answer(hasMoved: boolean): void }
type Moving = { readonly moves: RowMoves | undefined; readonly sheet: ReactNode }
type Mover = Pick<RowMoves, 'move'> & { moveToEnd(from: number, end: 'top' | 'bottom'): Promise<boolean> }

function moverOf(resource: ResourceDescription, { rows, sort }: Ordered): Mover | undefined {
  const field = orderOf(resource)?.name
  if (field === undefined || sort.replace(/^-/, '') !== field) return undefined
  const isReversed = sort.startsWith('-')
  async function send(row: Row, to: MoveTo, text: string): Promise<boolean> {
    try {
      await moveRecord(resource, { row, field: field as string, to })
      notify({ text })
      return true
    } catch (error) {
      notifyError(error)
      return false
    }
  }
  return {
    async move(from, to) {
      const [row, beside] = [rows[from], rows[to]]
      if (!row || !beside || from === to) return false
      const id = beside[resource.idField]
      const place = to > from !== isReversed ? { after: id } : { before: id }
      return send(row, place, t('movedTo', { row: String(to + 1) }))
    },
    async moveToEnd(from, end) {
      const row = rows[from]
      if (!row) return false
      const to = (end === 'top') !== isReversed ? 'first' : 'last'
      return send(row, to, t(end === 'top' ? 'movedToTop' : 'movedToEnd'))
    },
  }
}

type SheetProps = { readonly title: string; readonly at: number; readonly rows: number; readonly mover: Mover }

/** For people who neither drag nor have the keys: on a phone, by switches, by voice. */
function MoveSheet({ title, at, rows, mover, onClose }: SheetProps & { onClose(hasMoved: boolean): void }) {
  const acts = [
    { label: t('moveToTop'), isOff: at === 0, run: () => mover.moveToEnd(at, 'top') },
    { label: t('rowUp'), isOff: at === 0, run: () => mover.move(at, at - 1) },
    { label: t('rowDown'), isOff: at === rows - 1, run: () => mover.move(at, at + 1) },
    { label: t('moveToEnd'), isOff: at === rows - 1, run: () => mover.moveToEnd(at, 'bottom') },
  ]
  return (
    <Sheet label={t('moveTitle', { title })} onClose={() => onClose(false)}>
      <div className="moves">
        {acts.map(({ label, isOff, run }) => (
          <button key={label} type="button" disabled={isOff} onClick={async () => onClose(await run())}>
            {label}
          </button>
        ))}
      </div>
      <button type="button" className="plain" onClick={() => onClose(false)}>
        {t('cancel')}
      </button>
    </Sheet>
  )
}

/** No moves where the rows are in another order, or the caller may not move them. */
export function useMoves(resource: ResourceDescription, { rows, sort }: Ordered): Moving {
  const [asked, setAsked] = useState<Asked>()
  const mover = useMemo(() => moverOf(resource, { rows, sort }), [resource, rows, sort])
  const moves = useMemo<RowMoves | undefined>(
    () => mover && { move: mover.move, ask: (row) => new Promise((answer) => setAsked({ row, answer })) },
    [mover],
  )
  const row = asked && rows[asked.row]
  const close = (hasMoved: boolean) => {
    setAsked(undefined)
    asked?.answer(hasMoved)
  }
  const sheet = row && mover && (
    <MoveSheet title={titleIn(resource, row)} at={asked.row} rows={rows.length} mover={mover} onClose={close} />
  )
  return { moves, sheet }
}
