/** A line of the records below one: an input for each field that the caller may change there. */
import type { FieldDescription } from 'bindery-server/client'
import type { Row } from '../api/rows.ts'
import { ownInput, showField } from '../extend/own-value.tsx'
import { FieldInput } from '../fields/field-input.tsx'
import type { FormErrors } from '../shell/form-errors.ts'
import { PlaceLink } from '../shell/menu.tsx'
import { inSentence, t } from '../words/words.ts'
import { type InBody, placeIn } from './line-edits.ts'

export type Line = {
  readonly key: string
  /** With its changes. */
  readonly values: Row
  /** Undefined for a new one. */
  readonly stored: Row | undefined
  readonly isRemoved: boolean
  /** The request that would write it; undefined where the caller may not change it. */
  readonly kind: 'create' | 'update' | undefined
  /** The address of its own page. */
  readonly parts: readonly string[] | undefined
  set(name: string, value: unknown): void
  /** Removes it, or brings it back; absent where the caller may not. */
  toggle?(): void
}

type ChildLineProps = {
  readonly inBody: InBody
  readonly line: Line
  readonly number: number
  readonly errors: FormErrors['fields']
  /** It was changed elsewhere a moment ago. */
  readonly isMarked: boolean
}

type CellProps = Omit<ChildLineProps, 'number' | 'isMarked'> & { readonly field: FieldDescription }

function Cell({ inBody: { resource, child }, line, field, errors }: CellProps) {
  const { kind, values, stored, isRemoved } = line
  const { name } = field
  if (isRemoved || !kind || !field.settable.includes(kind))
    return (
      <>
        <span className="label">{field.label}</span>
        {showField(resource, field, values)}
      </>
    )
  const change = (value: unknown) => line.set(name, value)
  return (
    <FieldInput
      field={field}
      value={values[name]}
      values={values}
      error={errors[`${child.name}.${line.key}.${name}`] || undefined}
      isRequired={field.required.includes('create')}
      isTitle={name === resource.title}
      own={ownInput({ resource, field, record: stored, value: values[name], change })}
      onChange={change}
    />
  )
}

export function ChildLine({ inBody, line, number, errors, isMarked }: ChildLineProps) {
  const { key, isRemoved, parts, toggle } = line
  const named = { label: inSentence(inBody.resource.label), number }
  const place = placeIn(inBody, key)
  return (
    <tr data-removed={isRemoved || undefined} data-changed={isMarked || undefined}>
      <th scope="row">{number}</th>
      {inBody.fields.map((field) => (
        <td key={field.name} data-field={placeIn(inBody, key, field.name)}>
          <Cell inBody={inBody} line={line} field={field} errors={errors} />
        </td>
      ))}
      <td data-field={place}>
        <div className="line-acts">
          {toggle && (
            <button
              type="button"
              className="plain"
              aria-label={t(isRemoved ? 'undoLine' : 'removeLine', named)}
              onClick={toggle}
            >
              {t(isRemoved ? 'undo' : 'remove')}
            </button>
          )}
          {parts && !isRemoved && (
            <PlaceLink
              parts={parts}
              isHere={false}
              label={
                <>
                  <span aria-hidden="true">{t('openPage')}</span>
                  <span className="unseen">{t('openLine', named)}</span>
                </>
              }
            />
          )}
        </div>
        {errors[place] && <p className="problem">{errors[place]}</p>}
      </td>
    </tr>
  )
}
