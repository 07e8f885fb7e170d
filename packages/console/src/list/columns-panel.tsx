/** Which columns a list shows, in which order and how wide, by keyboard too. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { fitWidth } from '../grid/grid-column.ts'
import { t } from '../words/words.ts'
import type { ListChoices } from './list-choices.ts'
import { defaultWidth, listedFields } from './list-columns.tsx'

type ColumnsPanelProps = {
  readonly resource: ResourceDescription
  readonly shown: readonly FieldDescription[]
  readonly choices: ListChoices
  onChoose(changes: Partial<ListChoices>): void
}

/** `['a', 'b', 'c']` with `c` moved by −1 is `['a', 'c', 'b']`. */
export function moved(names: readonly string[], name: string, by: number): readonly string[] {
  const from = names.indexOf(name)
  const others = names.filter((one) => one !== name)
  return others.toSpliced(Math.min(others.length, Math.max(0, from + by)), 0, name)
}

export function ColumnsPanel({ resource, shown, choices, onChoose }: ColumnsPanelProps) {
  const names = shown.map(({ name }) => name)
  const hidden = listedFields(resource).filter(({ name }) => !names.includes(name))
  const set = (columns: readonly string[]) => onChoose({ columns })
  return (
    <section className="panel columns" aria-label={t('columns')}>
      <ul>
        {[...shown, ...hidden].map((field) => {
          const { name, label } = field
          const at = names.indexOf(name)
          const width = choices.widths[name] ?? defaultWidth(resource, field)
          return (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={at >= 0}
                  disabled={names.length === 1 && at === 0}
                  onChange={() => set(at < 0 ? [...names, name] : names.filter((one) => one !== name))}
                />
                {label}
              </label>
              {at >= 0 && (
                <span>
                  <button
                    type="button"
                    aria-label={t('moveUp', { label })}
                    disabled={at === 0}
                    onClick={() => set(moved(names, name, -1))}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    aria-label={t('moveDown', { label })}
                    disabled={at === names.length - 1}
                    onClick={() => set(moved(names, name, 1))}
                  >
                    ↓
                  </button>
                  <input
                    type="number"
                    step={16}
                    aria-label={t('widthOf', { label })}
                    value={width}
                    onChange={(event) =>
                      onChoose({ widths: { ...choices.widths, [name]: fitWidth(Number(event.target.value)) } })
                    }
                  />
                </span>
              )}
            </li>
          )
        })}
      </ul>
      <button type="button" onClick={() => onChoose({ columns: undefined, widths: {} })}>
        {t('asDeclared')}
      </button>
    </section>
  )
}
